// Splits the command line of `bankwise run` and `bankwise record` into flags of bankwise and words of the program.
//
//     bankwise run --format json -o r.json ./app 64 --verbose     all words after a program are the program's
//     bankwise run app.cu -k kernel --grid 8                      after a file with kernels, flags may follow,
//     bankwise run app.cu --fix 64 --verbose                      up to the first word that is not a flag, or up to --
//     bankwise run -- ./app, run ./app -- 64                      -- is allowed there, but has no effect
//     bankwise run ./app -k kernel -- 64                          with a later --, all words before it are bankwise's
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/line/verbs.hpp"

namespace bankwise::cli {

enum class input_kind {
  source,   // a .cu file: bankwise runs the complete program or one of its kernels
  kernels,  // PTX, machine code, an object or a library: bankwise runs one of its kernels
  program,  // an executable or a script: a path, or a name on the PATH
};
input_kind kind_of_input(const std::string& file);

// Returns the path of a program. Searches as a shell does, then in the working folder. Returns an empty string if there
// is no such program.
std::string find_program(const std::string& name);

struct program_words {
  std::vector<std::string> ours;   // bankwise's flags and their values; each word after --nvcc becomes --nvcc=WORD
  std::string input;               // file or program; empty if the command line has none
  std::vector<std::string> its;    // words of the program
  std::vector<std::string> after;  // bankwise's flags after the input
  // Words of the program that look like flags of bankwise, with their values, and all other words of the program. The
  // user may have intended the flags for bankwise.
  std::vector<std::string> mistaken, others;
};

// Whether the words of `fix` name a program or a file with kernels. Otherwise, the words are accesses to an array, or a
// report.
bool names_program(const std::vector<std::string>& words, const verb& v);

// `words` are the words after the verb. For a Python script that is not executable, the program is python3, and the
// script is its first argument.
program_words part_words(const std::vector<std::string>& words, const verb& v);

}  // namespace bankwise::cli
