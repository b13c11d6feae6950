// For `bankwise run` and `bankwise record`, which start a program: where bankwise's flags end and the program's words
// begin.
//
//     bankwise run --format json -o r.json ./app 64 --verbose     of a program, everything after its name belongs to it
//     bankwise run app.cu -k kernel --grid 8                      after a kernel's file, flags may follow,
//     bankwise run app.cu --fix 64 --verbose                      up to the first word that is not a flag, or up to --
//     bankwise run -- ./app, run ./app -- 64                      -- is allowed there and ignored
//     bankwise run ./app -k kernel -- 64                          only flags of bankwise come before it
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/line/verbs.hpp"

namespace bankwise::cli {

enum class input_kind {
  source,   // a .cu file: its complete program runs, or one of its kernels
  kernels,  // .ptx, machine code, an object or a library: one of its kernels
  program,  // an executable, as a path or on the PATH; may be a script
};
input_kind kind_of_input(const std::string& file);

// The path of a program, found as a shell finds it, otherwise in the working folder. Empty if there is none.
std::string find_program(const std::string& name);

struct program_words {
  std::vector<std::string> ours;   // flags and their values; the words after --nvcc, each as --nvcc=WORD
  std::string input;               // the file or program; empty if none was named
  std::vector<std::string> its;    // the program's arguments
  std::vector<std::string> after;  // flags of bankwise that come after the input
  // an argument of the program that is also a flag of bankwise, and may be intended for bankwise
  std::string mistaken;
};

// Whether these words of `fix` name a program or a kernel's file, instead of accesses to an array or a report.
bool names_program(const std::vector<std::string>& words, const verb& v);

// `words`: the words after the verb. A Python script that is not executable becomes an argument of python3.
program_words part_words(const std::vector<std::string>& words, const verb& v);

}  // namespace bankwise::cli
