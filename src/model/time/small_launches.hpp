// Launches of a program that end sooner than the host makes the next launch, and what a CUDA graph would save.
//
//     1,000 launches of add_layer, relax      4,068 us of the program, 1,303 us as graphs
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bankwise {

struct small_launches {
  static constexpr std::size_t most_kernels = 16;
  std::vector<std::string> kernels;  // their kernels, the one with most of these launches first
  std::uint64_t launches = 0;
  // The time of the whole program on the timeline of its launches and copies: as it is, and if the launches between two
  // waits of the host were one graph.
  std::uint64_t nanoseconds = 0, as_graphs = 0;

  // Waits of the host that follow launches alone, and the same time with only the last of them.
  std::uint64_t waits = 0, with_one_wait = 0;

  explicit operator bool() const { return launches != 0; }
  // Whether the waits cost more than the launches themselves.
  bool is_about_waits() const { return waits != 0 && with_one_wait < as_graphs; }
  std::uint64_t saved() const {
    const std::uint64_t left = is_about_waits() ? with_one_wait : as_graphs;
    return nanoseconds > left ? nanoseconds - left : 0;
  }
  // Adds the launches of another program.
  small_launches& operator+=(const small_launches& more);
  friend bool operator==(const small_launches&, const small_launches&) = default;
};

// Returns what is wrong: "1,000 launches of add_layer each end sooner than the host makes the next launch".
std::string why_of(const small_launches& s);
// Returns the change that saves the time.
std::string remedy_of(const small_launches& s);

}  // namespace bankwise
