// What `bankwise tune` was asked: the space, the launch or program whose texts depend on the values, and how to search.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"
#include "tune/configuration.hpp"
#include "tune/space.hpp"

namespace bankwise::cli {

// The name of the dimension of --flags, whose values are flags of nvcc.
inline constexpr const char* flags_dimension = "flags";

struct asked_gpu {
  std::string word, title;  // as the user wrote it, such as a100; as reports name it
};

struct tune_request {
  tune::space all;
  std::vector<std::string> plain_names;                        // names of --set, which are not macros
  std::map<std::string, std::int64_t, std::less<>> constants;  // of --let
  bool is_program = false;                                     // a whole program, not one kernel
  std::string input;                                           // the file or program
  bool is_compiled = false;                                    // whether nvcc compiles the input for each configuration
  std::vector<std::string> words;                              // arguments of the program
  std::string subject;                                         // kernel or program, for the result
  std::string build;                                           // the shell command that builds the program, or empty
  std::vector<asked_gpu> gpus;
  bool compares = true;
  std::optional<double> tolerance;
  unsigned jobs = 1;
  tune::shard part;
  std::string key;  // stands for the search, as in tune::tuned
  arguments given;  // flags of the launch and the compiler
};

result<tune_request> read_tune_request(const arguments& args);

// The words of `bankwise run` after the file, for one configuration: kernel, launch and arguments. For a program, the
// words of the program. Fails if an expression has no value.
result<std::vector<std::string>> launch_words(const tune_request& r, const tune::configuration& c);
// The values of --arg for one configuration.
result<std::vector<std::string>> argument_words(const tune_request& r, const tune::configuration& c);

// The flags of nvcc for one configuration: -D for each name except those of --set, and the flags of --flags and --nvcc.
std::vector<std::string> compiler_flags(const tune_request& r, const tune::configuration& c);

// The values as variables of the environment of the build and the program.
std::vector<std::pair<std::string, std::string>> variables_of(const tune_request& r, const tune::configuration& c);

}  // namespace bankwise::cli
