// A configuration: one value for each dimension of a space. Texts of the command line may be expressions of the values:
//
//     TILE=32, N=1024      grid N/TILE,N/TILE       -> 32,32
//                          argument out:f32[N*N]    -> out:f32[1048576]
//                          kernel gemm<TILE>        -> gemm<32>
//                          word --tile={TILE}       -> --tile=32
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise::tune {

struct configuration {
  std::vector<std::string> values;  // in the order of the space's names
  bool operator==(const configuration&) const = default;
};

// The names that expressions may use, with their values.
struct named_values {
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> words;  // values that are not whole numbers
};
named_values values_of(const std::vector<std::string>& names, const configuration& c,
                       const std::map<std::string, std::int64_t, std::less<>>& constants);

// Each function fails if the text uses an unknown name, or a word as a number. Errors point into the text, and call it
// `what`, such as "--grid".
result<std::int64_t> evaluate(std::string_view text, const named_values& known, std::string_view what);
// A list of numbers, such as "N/TILE,N/TILE", as numbers.
result<std::string> evaluate_list(std::string_view text, const named_values& known, std::string_view what);
// An argument of a kernel. Numbers and extents of buffers are replaced if they use a name.
result<std::string> evaluate_argument(std::string_view text, const named_values& known, std::string_view what);
// A text with expressions in braces. Braces with other contents stay.
result<std::string> fill_braces(std::string_view text, const named_values& known, std::string_view what);
// Replaces whole words that are names.
std::string replace_names(std::string_view text, const named_values& known);

// Returns "TILE=16 STAGES=2".
std::string text_of(const std::vector<std::string>& names, const configuration& c);

}  // namespace bankwise::tune
