// `bankwise run` and `bankwise record` start a program: where bankwise's own flags end and the program's words begin.
//
//     bankwise run --format json -o r.json ./app 64 --verbose     of a program, everything behind its name is its own
//     bankwise run app.cu -k kernel --grid 8                      behind a kernel's file flags may follow,
//     bankwise run app.cu --fix 64 --verbose                      up to the first word that is none, or up to --
//     bankwise run -- ./app, run ./app -- 64                      -- may stand there, and is nobody's
//     bankwise run ./app -k kernel -- 64                          before it are flags of ours, if nothing else is
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/line/verbs.hpp"

namespace bankwise::cli {

enum class input_kind {
  source,   // a .cu file: its program runs whole, or one of its kernels
  kernels,  // .ptx, machine code, an object or a library: one of its kernels
  program,  // an executable, here or on the PATH; a script too
};
input_kind kind_of_input(const std::string& file);

// The path of a program, found as a shell finds it, else in the working folder. Empty: there is none.
std::string find_program(const std::string& name);

struct program_words {
  std::vector<std::string> ours;   // flags and their values; the words behind --nvcc, each as --nvcc=WORD
  std::string input;               // the file or program; empty: none was named
  std::vector<std::string> its;    // what the program gets
  std::vector<std::string> after;  // flags of ours that stand behind the input
  std::string mistaken;            // the program gets it, and it is a flag of ours that may have been meant for us
};

// Whether these words of `fix` name a program or a kernel's file, and not accesses to an array or a report.
bool names_program(const std::vector<std::string>& words, const verb& v);

// `words`: what stands behind the verb. A Python script that is not executable becomes an argument of python3.
program_words part_words(const std::vector<std::string>& words, const verb& v);

}  // namespace bankwise::cli
