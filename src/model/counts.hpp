// The counts in a report, as listed in counts.def. The structs are for one instruction, for many instructions, and for
// a compare-and-swap loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/parts/whole_counts.hpp"

namespace bankwise {

struct interval {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const interval&, const interval&) = default;
};
inline void include(interval& i, std::uint64_t n) {
  i.low = std::min(i.low, n);
  i.high = std::max(i.high, n);
}

// The sums over the accesses of one machine instruction in a launch: warp instructions, wavefronts, clocks.
struct counts {
#define COUNT(part, name, at_most, otherwise, when, column, meaning) std::uint64_t name = 0;
#include "model/counts.def"

  counts& operator+=(const counts& other);
  friend bool operator==(const counts&, const counts&) = default;
};
inline std::uint64_t excess(const counts& c) { return c.wavefronts - c.ideal; }
// Returns the wavefronts with the best layout: all wavefronts except the removable ones. Wavefronts above `reachable`
// are either removable or queued. A layout can remove the removable wavefronts. Queued wavefronts remain, because lanes
// queue for one word.
inline std::uint64_t with_best_layout(const counts& c) {
  // limited, because a saved report may contain any numbers
  return std::min(std::max(c.layout_floor, c.reachable), c.wavefronts);
}
inline std::uint64_t removable(const counts& c) { return c.wavefronts - with_best_layout(c); }
inline std::uint64_t queued(const counts& c) { return with_best_layout(c) - c.reachable; }

// The sums over many instructions.
struct totals : whole_counts {
#define TOTAL(when, name, meaning) std::uint64_t name = 0;
#include "model/counts.def"

  totals& operator+=(const counts& c);
  friend bool operator==(const totals&, const totals&) = default;
};

// A loop around a compare-and-swap, which lanes repeat until they have stored. Rounds are counted for each warp. Each
// further round of a warp in the loop has one of three reasons.
struct retries {
#define RETRY(name, adds, scales, meaning) std::uint64_t name = 0;
#include "model/counts.def"
  std::uint64_t loop_begin = 0, loop_end = 0;  // pcs of the loop's first and last instruction; 0 if unknown
  // whether the loop also stores to a second word: such a loop takes a lock, and other lanes repeat the loop while the
  // lock is held
  bool locks = false;

  retries& operator+=(const retries& other);
  friend bool operator==(const retries&, const retries&) = default;
};
// Returns a text such as "1,024 rounds of a retry loop that warps entered 32 times, at most 32 rounds each time: 992
// because lanes queue for one word".
std::string retries_sentence(const retries& r);

// Returns n * whole / part, rounded to the nearest integer. scale() uses this function.
std::uint64_t scaled(std::uint64_t n, std::uint64_t whole, std::uint64_t part);
void scale(counts& c, std::uint64_t whole, std::uint64_t part);
void scale(whole_counts& c, std::uint64_t whole, std::uint64_t part);
void scale(retries& r, std::uint64_t whole, std::uint64_t part);

// --- the rows of the tables, for loops over all counts

enum class count_part : std::uint8_t { size, executions, cost, doubt };
enum class count_when : std::uint8_t {
  always,
  added_later,      // the count is always written, but missing in reports of older versions
  of_generic,       // the count is written for generic accesses
  of_asynchronous,  // the count is written for asynchronous operations
  where_different,  // the count is written if it differs from the count in `otherwise`
  where_any,        // the count is written if it is not 0
};

struct count_row {
  count_part part;
  const char* name;
  std::uint64_t (*value)(const counts&);
  std::uint64_t counts::*member;  // member of struct counts; null for a derived value
  std::uint64_t counts::*at_most;
  std::uint64_t counts::*otherwise;
  count_when when;
  unsigned column;
  const char* meaning;
};

namespace count_member {
inline constexpr std::uint64_t counts::*none = nullptr;
#define COUNT(part, name, at_most, otherwise, when, column, meaning) \
  inline constexpr std::uint64_t counts::*name = &counts::name;
#include "model/counts.def"
}  // namespace count_member

inline constexpr count_row count_rows[] = {
#define COUNT(part, name, at_most, otherwise, when, column, meaning) \
  {count_part::part,                                                 \
   #name,                                                            \
   [](const counts& c) { return c.name; },                           \
   &counts::name,                                                    \
   count_member::at_most,                                            \
   count_member::otherwise,                                          \
   count_when::when,                                                 \
   column,                                                           \
   meaning},
#define DERIVED(part, name, column, meaning)          \
  {count_part::part,                                  \
   #name,                                             \
   [](const counts& c) { return bankwise::name(c); }, \
   nullptr,                                           \
   nullptr,                                           \
   nullptr,                                           \
   count_when::added_later,                           \
   column,                                            \
   meaning},
#include "model/counts.def"
};

constexpr const count_row& count_row_of(std::string_view name) {
  for (const count_row& r : count_rows)
    if (name == r.name) return r;
  return count_rows[0];
}

struct total_row {
  count_when when;
  const char* name;
  std::uint64_t totals::*member;
  std::uint64_t (*of)(const counts&);
  const char* meaning;
};

inline constexpr total_row total_rows[] = {
#define TOTAL(when, name, meaning) {count_when::when, #name, &totals::name, count_row_of(#name).value, meaning},
#include "model/counts.def"
};

struct whole_row {
  count_when when;
  const char* name;
  std::uint64_t whole_counts::*member;
  const char* meaning;
};

inline constexpr whole_row whole_rows[] = {
#define WHOLE(when, name, meaning) {count_when::when, #name, &whole_counts::name, meaning},
#include "model/counts.def"
};

enum class retry_adds : std::uint8_t { summed, largest };
enum class retry_scales : std::uint8_t { scaled, stays, made_of, beside };
struct retry_row {
  const char* name;
  std::uint64_t retries::*member;
  retry_adds adds;
  retry_scales scales;
  const char* meaning;
};

inline constexpr retry_row retry_rows[] = {
#define RETRY(name, adds, scales, meaning) {#name, &retries::name, retry_adds::adds, retry_scales::scales, meaning},
#include "model/counts.def"
};

}  // namespace bankwise
