#include "sass/flow/stretches.hpp"

namespace bankwise::sass {

namespace {

// For each instruction, returns whether it begins a stretch.
std::vector<bool> firsts_of(const code_flow& code, const deciders& decided) {
  std::vector<bool> begins(code.nodes.size()), is_branch(code.nodes.size()), is_entered(code.nodes.size());
  begins[code.entry] = true;
  for (const std::uint32_t n : code.order) {
    if (code.nodes[n].next.size() > 1) is_branch[n] = true;
    for (const std::uint32_t by : decided.by[n]) is_branch[by] = true;
    for (const deciders::meeting& m : decided.meetings[n]) begins[n] = is_branch[m.branch] = true;
    for (const std::uint32_t to : code.nodes[n].next) {
      if (is_entered[to]) begins[to] = true;
      is_entered[to] = true;
    }
  }
  for (const std::uint32_t n : code.order) {
    if (!is_entered[n] || is_branch[n]) begins[n] = true;
    if (is_branch[n])
      for (const std::uint32_t to : code.nodes[n].next) begins[to] = true;
  }
  return begins;
}

}  // namespace

stretches::stretches(const code_flow& code, const deciders& decided) : of_(code.nodes.size(), none) {
  const std::vector<bool> begins = firsts_of(code, decided);
  for (const std::uint32_t n : code.order)
    if (begins[n]) add(code, n, begins);
  // The remaining instructions are in endless loops that no edge enters from outside.
  for (const std::uint32_t n : code.order)
    if (of_[n] == none) add(code, n, begins);
}

void stretches::add(const code_flow& code, std::uint32_t first, const std::vector<bool>& begins) {
  std::vector<std::uint32_t>& all = all_.emplace_back();
  for (std::uint32_t n = first; of_[n] == none && (n == first || !begins[n]); n = code.nodes[n].next[0]) {
    all.push_back(n);
    of_[n] = static_cast<std::uint32_t>(all_.size() - 1);
    if (code.nodes[n].next.size() != 1) break;
  }
}

}  // namespace bankwise::sass
