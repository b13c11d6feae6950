// Splits the command line of `bankwise run` and `bankwise record`, which start a program, into bankwise's flags and the
// program's words.
//
//     bankwise run --format json -o r.json ./app 64 --verbose     all words after a program's name are the program's
//     bankwise run app.cu -k kernel --grid 8                      after a kernel's file, flags may follow,
//     bankwise run app.cu --fix 64 --verbose                      up to the first word that is not a flag, or up to --
//     bankwise run -- ./app, run ./app -- 64                      -- is allowed there and ignored
//     bankwise run ./app -k kernel -- 64                          before --, all words are bankwise's flags
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/line/verbs.hpp"

namespace bankwise::cli {

enum class input_kind {
  source,   // a .cu file: the complete program runs, or one of its kernels
  kernels,  // .ptx, machine code, an object or a library: one of its kernels runs
  program,  // an executable or a script, as a path or on the PATH
};
input_kind kind_of_input(const std::string& file);

// The path of a program. It is searched for as in a shell, then in the working folder. Empty if there is none.
std::string find_program(const std::string& name);

struct program_words {
  std::vector<std::string> ours;   // flags and their values; each word after --nvcc becomes --nvcc=WORD
  std::string input;               // the file or program; empty if the command line names none
  std::vector<std::string> its;    // arguments of the program
  std::vector<std::string> after;  // flags of bankwise after the input
  // An argument of the program that looks like a flag of bankwise. The user may have meant bankwise.
  std::string mistaken;
};

// Whether the words of `fix` name a program or a kernel's file. Otherwise they are accesses to an array, or a report.
bool names_program(const std::vector<std::string>& words, const verb& v);

// `words` are the words after the verb. If a Python script is not executable, the program is python3, with the script
// as argument.
program_words part_words(const std::vector<std::string>& words, const verb& v);

}  // namespace bankwise::cli
