#include "model/time/stall_cycles.hpp"

#include <algorithm>

namespace bankwise {

std::uint64_t stall_cycles::sum() const {
  std::uint64_t n = 0;
  for (const auto& [reason, cycles] : by_reason) n += cycles;
  return n;
}

stall_cycles& stall_cycles::operator+=(const stall_cycles& more) {
  for (const auto& [reason, cycles] : more.by_reason) {
    const auto there =
        std::find_if(by_reason.begin(), by_reason.end(), [&, &r = reason](const auto& one) { return one.first == r; });
    if (there == by_reason.end())
      by_reason.emplace_back(reason, cycles);
    else
      there->second += cycles;
  }
  sort_reasons(*this);
  return *this;
}

void scale(stall_cycles& s, std::uint64_t times, std::uint64_t by) {
  __extension__ using wide = unsigned __int128;
  for (auto& [reason, cycles] : s.by_reason) cycles = static_cast<std::uint64_t>(wide{cycles} * times / by);
}

void sort_reasons(stall_cycles& s) {
  std::stable_sort(s.by_reason.begin(), s.by_reason.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

std::string words_of_stall(std::string_view reason) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {{"long_scoreboard", "global memory"},
                                                                     {"short_scoreboard", "shared memory"},
                                                                     {"mio_throttle", "the queue to shared memory"},
                                                                     {"lg_throttle", "the queue to global memory"},
                                                                     {"tex_throttle", "the queue to textures"},
                                                                     {"barrier", "a barrier"},
                                                                     {"math_pipe_throttle", "a busy pipe"},
                                                                     {"wait", "the previous instruction"},
                                                                     {"branch_resolving", "a branch"},
                                                                     {"no_instruction", "instruction fetch"},
                                                                     {"imc_miss", "constants"},
                                                                     {"membar", "a memory fence"},
                                                                     {"warpgroup_arrive", "the start of products"},
                                                                     {"products", "a barrier for products"},
                                                                     {"not_selected", "other warps that issue"},
                                                                     {"selected", "issue of the instruction"}};
  for (const auto& [name, text] : words)
    if (name == reason) return std::string(text);
  return std::string(reason);
}

void sort_barriers(std::vector<barrier_wait>& list) {
  constexpr std::size_t most = 16;
  std::stable_sort(list.begin(), list.end(), [](const barrier_wait& a, const barrier_wait& b) {
    return a.waited * a.times > b.waited * b.times;
  });
  if (list.size() > most) list.resize(most);
}

}  // namespace bankwise
