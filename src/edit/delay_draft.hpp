// The edit of a delay in progress: what it reads, the definition of the kernel, and its launch in the same source.
//
//     __global__ void k(const float* a) { ... }      kernel_text: name, parameters, body
//     k<<<dim3(8, 4), 256>>>(a);                      launch_text: the grid has two parts, the block one
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edit/delay_edit.hpp"
#include "source/reader.hpp"

namespace bankwise::edit {

struct delay_draft {
  const source::reader& reader;
  const std::vector<source::token>& tokens;
  const delay& what;
  std::uint32_t line;
  std::string_view kernel, whole_name;  // without and with its namespaces
  const edited_launch& launch;
  delay_edit made = {};

  std::string_view word(std::size_t i) const { return i < tokens.size() ? tokens[i].spelled : std::string_view(); }
  bool is_word(std::size_t i) const { return i < tokens.size() && tokens[i].is == source::token::kind::word; }
  void replace(std::size_t i, std::string with) {
    made.changes.push_back({tokens[i].at, tokens[i].end(), std::move(with)});
  }
  void replace(const source::token_range& r, std::string with) {
    made.changes.push_back({tokens[r.first].at, tokens[r.second].end(), std::move(with)});
  }
  void insert(std::size_t at, std::string text) { made.changes.push_back({at, at, std::move(text)}); }
  void refuse(std::string why) { made = {.words = {}, .changes = {}, .lines = {}, .refused = std::move(why)}; }
};

// The definition of a kernel.
struct kernel_text {
  std::size_t name = 0, parameters = 0, open = 0, close = 0;  // tokens: the name, and the brackets
  bool has_bounds = false;                                    // whether __launch_bounds__ is before the name
};

bool has_line(const delay_draft& d, const kernel_text& k);
// Finds the definition of the kernel. If several have its name, it is the only one that contains the line.
std::optional<kernel_text> find_kernel(const delay_draft& d);
// Finds the definition, or refuses the edit.
std::optional<kernel_text> need_kernel(delay_draft& d);

struct launch_text {
  std::vector<source::token_range> of_grid, of_block;  // parts: x, y and z, or only x
  std::size_t arguments = 0;                           // number of arguments between <<< and >>>
  std::size_t open = 0, close = 0;                     // tokens: << and the last >
};
// Finds the only launch of the kernel. Refuses the edit if there is none in this source, or if other code names the
// kernel.
std::optional<launch_text> need_launch(delay_draft& d);
// Whether a launch in this source passes the same argument to two of the parameters, which are counted from 0.
bool passes_twice(const delay_draft& d, const std::vector<std::size_t>& parameters);

// Whether token i begins `name.axis`, such as blockIdx.x.
bool is_axis(const delay_draft& d, std::size_t i, std::string_view name, std::string_view axis);
// Refuses the edit if macros or functions other than kernels use one of the names, such as "blockIdx".
bool refuses_elsewhere(delay_draft& d, std::initializer_list<std::string_view> names);
// Returns the first token of the kernel's body whose meaning depends on which threads are a warp; empty without one.
std::string_view word_of_warps(const delay_draft& d, const kernel_text& k);
// Returns the value of an expression of constants.
std::optional<std::uint64_t> value_of(const delay_draft& d, const source::token_range& r);

// The edits, each in the file of its family.
void edit_barriers(delay_draft& d);
void edit_doubles(delay_draft& d);
void bound_launch(delay_draft& d);
void unroll_loop(delay_draft& d);
void restrict_pointers(delay_draft& d);  // pointer_edits.cpp
void align_pointers(delay_draft& d);
void change_grid(delay_draft& d);  // launch_edits.cpp
void change_block(delay_draft& d);
void exchange_axes(delay_draft& d);        // axes_edit.cpp
void call_fast_functions(delay_draft& d);  // fast_functions.cpp

}  // namespace bankwise::edit
