// The run of a variant: a child process `bankwise run`, so that a variant that crashes does not end the search.
#pragma once

#include <optional>
#include <string>

#include "cli/tune/variant.hpp"
#include "cli/tune/variant_results.hpp"
#include "tune/tuned.hpp"

namespace bankwise::cli {

// What a run found. `row` has at most one time, that of the GPU.
struct variant_run {
  tune::tuned_row row;
  variant_results results;
};

// Runs a variant for one GPU. With `keeps_results`, also reads its results.
variant_run run_variant(const tune_request& r, std::size_t index, const variant& v, const asked_gpu& gpu,
                        bool keeps_results, unsigned threads, const std::string& folder);

// The key of a run: the machine code or program, the launch, its arguments with the files that they name, the GPU, and
// the version of bankwise. Empty if such a file cannot be read.
std::string run_key(const tune_request& r, std::size_t index, const variant& v, const asked_gpu& gpu);

// A row as text for the cache. read_row returns nothing for a damaged text.
std::string text_of_row(const tune::tuned_row& row);
std::optional<tune::tuned_row> read_row(const std::string& text);

}  // namespace bankwise::cli
