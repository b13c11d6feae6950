// Hazards are accesses to shared memory that no barrier orders, reads of bytes that were never written, and wrong uses
// of barriers and warp functions. This file also defines which kinds of hazards a run searches for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parts/place.hpp"

namespace bankwise {

enum class hazard_kind : std::uint8_t {
  uninitialised,
  read_after_write,
  write_after_read,
  write_after_write,
  ended_block,          // a block may end before another block of its cluster accesses its shared memory
  outside_heap_block,   // an access to the heap of malloc() in device code, outside all memory that malloc() returned
  mask_without_caller,  // a lane calls a warp function whose mask does not name the lane
  mask_of_others,       // the mask names lanes that wait at a different place
  mask_of_ended,        // the mask of a shuffle or a vote names lanes that have ended
  inactive_lane,        // a shuffle by index reads a lane that does not take part in it
  inactive_neighbour,   // the same for other shuffles, whose result some lanes may not need
  divergent_barrier,    // only some lanes of a warp take part in a barrier of the block
  skipped_barrier,      // threads go around a barrier of the block, and end
};
constexpr bool is_race(hazard_kind k) {
  return k >= hazard_kind::read_after_write && k <= hazard_kind::write_after_write;
}
// Whether a hazard does not change the exit status, because right programs may also have it.
constexpr bool is_warning(hazard_kind k) {
  return k == hazard_kind::mask_of_ended || k == hazard_kind::inactive_neighbour || k == hazard_kind::skipped_barrier;
}

// Why the order of two accesses is not defined.
enum class hazard_cause : std::uint8_t {
  no_order,
  in_step,      // the accesses are ordered only because the lanes of a warp execute together: a warning, not an error
  other_block,  // the accesses are those of two blocks of a cluster
  no_async_fence,  // a barrier orders them, but no fence makes a write of a thread visible to a bulk copy
};

// The memory in which a hazard occurs. none: the hazard is not about memory.
enum class hazard_memory : std::uint8_t { shared, global, local, none };

// Two accesses to a block's shared memory that no barrier orders, or a hazard at one place. Then both places are this
// place, unless other lanes are elsewhere.
struct hazard {
  hazard_kind kind = hazard_kind::uninitialised;
  hazard_cause cause = hazard_cause::no_order;  // of a race
  bool is_warning() const { return cause == hazard_cause::in_step || bankwise::is_warning(kind); }
  thread_place first, second;  // places of the first occurrence in this run
  std::uint64_t count = 0;     // number of executions of the instruction at `second` in which the hazard occurred
  std::array<std::uint32_t, 3> block{};
  std::uint64_t offset = 0;  // offset of the first occurrence from the beginning of the kernel's own shared memory
  std::string array;         // name of the array at this offset; empty if unknown
  hazard_memory memory = hazard_memory::shared;
  std::string detail;              // what the first occurrence accessed or named; empty if nothing more is known
  std::vector<std::string> trail;  // lines of text: where the memory was allocated, and the launch

  friend bool operator==(const hazard&, const hazard&) = default;
};

// The words for a kind of hazard. In `title` and `hint`, {} stands for the name of the memory.
struct hazard_words {
  hazard_kind kind;
  const char* name;
  const char* title;
  const char *first, *second;  // the effects of the two accesses of the hazard, in the order of the accesses
  const char* hint;
};
const hazard_words& words_of(hazard_kind k);
// Returns the name of a kind in the JSON, such as "read_after_write". parse_hazard_kind() converts it back.
std::string_view name_of(hazard_kind k);
bool parse_hazard_kind(std::string_view name, hazard_kind& k);
std::string_view name_of(hazard_cause c);  // returns "no_order", "in_step", "other_block" or "no_async_fence"
bool parse_hazard_cause(std::string_view name, hazard_cause& c);
std::string_view name_of(hazard_memory m);  // returns "shared", "global", "local" or "none"
bool parse_hazard_memory(std::string_view name, hazard_memory& m);
// Returns what happened, for example "a read of shared memory that was never written", and what to do.
std::string title_of(const hazard& h);
std::string hint_of(const hazard& h);

// The kinds of hazards that a run searches for.
struct checks {
  bool uninitialised = false, races = false;
  bool memory = false;  // accesses out of bounds, wrong calls of cudaFree, and leaks fail the run
  bool synchronisation = false;

  // Whether accesses to shared memory are recorded (profile/hazards.hpp).
  bool shared() const { return uninitialised || races; }
  bool any() const { return shared() || memory || synchronisation; }
  friend bool operator==(const checks&, const checks&) = default;
};

}  // namespace bankwise
