#include "model/parts/hazard.hpp"

#include <algorithm>
#include <iterator>

namespace bankwise {

namespace {

constexpr hazard_words hazard_words_table[] = {
    {hazard_kind::uninitialised, "uninitialised", "a read of {} memory that was never written", "", "read",
     "on a GPU, this memory contains old values, but bankwise fills {} memory with zeros"},
    {hazard_kind::read_after_write, "read_after_write", "a read may happen before the write", "write", "read",
     "no barrier orders the two accesses. Add __syncthreads() between the accesses, or __syncwarp() within a warp"},
    {hazard_kind::write_after_read, "write_after_read", "a write may happen before the read", "read", "write",
     "no barrier orders the two accesses. Add __syncthreads() between the accesses, or __syncwarp() within a warp"},
    {hazard_kind::write_after_write, "write_after_write", "two writes may happen in either order", "write", "write",
     "no barrier orders the two accesses. Add __syncthreads() between the accesses, or __syncwarp() within a warp"},
    {hazard_kind::ended_block, "ended_block", "a block may end before another block accesses its {} memory", "",
     "access", "the memory of a block is free when the block ends. Call cluster.sync() after the last access"},
    {hazard_kind::outside_heap_block, "outside_heap_block", "an access outside the memory that malloc() returned", "",
     "at", "a GPU does not notice this access. It reads or changes other memory of the heap"},
    {hazard_kind::mask_without_caller, "mask_without_caller", "a lane is missing in the mask that it passes", "",
     "call", "the result is undefined. Pass a mask with a bit for each lane that calls the function"},
    {hazard_kind::mask_of_others, "mask_of_others", "a mask names lanes that take another way", "other", "call",
     "the result is undefined. Call the function in all lanes of the mask, or compute the mask with __ballot_sync() "
     "before the branch"},
    {hazard_kind::mask_of_ended, "mask_of_ended", "a mask names lanes that have ended", "", "call",
     "such a lane has no value. Compute the mask with __ballot_sync() before the branch"},
    {hazard_kind::inactive_lane, "inactive_lane", "a shuffle reads a lane that does not take part", "", "read",
     "the value is undefined. Read a lane of the mask"},
    {hazard_kind::inactive_neighbour, "inactive_neighbour", "a shuffle reads a lane that does not take part", "",
     "read", "the value is undefined. Read only lanes of the mask, or do not use the value in these lanes"},
    {hazard_kind::divergent_barrier, "divergent_barrier", "only some lanes of a warp take part in a barrier", "absent",
     "wait", "all threads of the block must call __syncthreads() at the same place. Move it out of the branch"},
    {hazard_kind::skipped_barrier, "skipped_barrier", "threads go around a barrier, and end", "end", "wait",
     "a GPU opens the barrier only when these threads have ended, which PTX does not promise for lanes of one warp. Move "
     "__syncthreads() out of the branch"},
};

// What is special about a cause. Null texts stand for those of the kind.
struct cause_words {
  hazard_cause cause;
  const char *name, *title, *hint;
};
constexpr cause_words cause_table[] = {
    {hazard_cause::no_order, "no_order", nullptr, nullptr},
    {hazard_cause::in_step, "in_step", "two lanes of a warp are ordered only because lanes run together",
     "ordered only because lanes run together; add __syncwarp() between the accesses. Since Volta, CUDA does not promise "
     "that the lanes of a warp run in step"},
    {hazard_cause::other_block, "other_block", nullptr,
     "no barrier of the cluster orders the two accesses. Add cluster.sync() between them, in all threads of the cluster"},
    {hazard_cause::no_async_fence, "no_async_fence", "a bulk copy or wgmma may not see the write",
     "a barrier does not order writes of threads before bulk copies and wgmma. Before the barrier, each writing thread "
     "needs fence.proxy.async (cuda::ptx::fence_proxy_async)"},
};
const cause_words& words_of(hazard_cause c) { return cause_table[static_cast<std::size_t>(c)]; }

constexpr std::string_view memory_names[] = {"shared", "global", "local", "none"};

}  // namespace

const hazard_words& words_of(hazard_kind k) {
  for (const hazard_words& w : hazard_words_table)
    if (w.kind == k) return w;
  return hazard_words_table[0];
}

std::string_view name_of(hazard_kind k) { return words_of(k).name; }

bool parse_hazard_kind(std::string_view name, hazard_kind& k) {
  for (const hazard_words& w : hazard_words_table)
    if (name == w.name) {
      k = w.kind;
      return true;
    }
  return false;
}

std::string_view name_of(hazard_cause c) { return words_of(c).name; }

bool parse_hazard_cause(std::string_view name, hazard_cause& c) {
  for (const cause_words& w : cause_table)
    if (name == w.name) {
      c = w.cause;
      return true;
    }
  return false;
}

std::string_view name_of(hazard_memory m) { return memory_names[static_cast<std::size_t>(m)]; }

bool parse_hazard_memory(std::string_view name, hazard_memory& m) {
  const auto* const it = std::find(std::begin(memory_names), std::end(memory_names), name);
  if (it == std::end(memory_names)) return false;
  m = static_cast<hazard_memory>(it - std::begin(memory_names));
  return true;
}

namespace {

// Puts the name of the memory into the words.
std::string about_memory(std::string words, const hazard& h) {
  constexpr std::string_view place = "{}";
  if (const std::size_t at = words.find(place); at != std::string::npos)
    words.replace(at, place.size(), name_of(h.memory));
  return words;
}

}  // namespace

std::string title_of(const hazard& h) {
  const char* const of_cause = words_of(h.cause).title;
  return of_cause != nullptr ? of_cause : about_memory(words_of(h.kind).title, h);
}

std::string hint_of(const hazard& h) {
  const char* const of_cause = words_of(h.cause).hint;
  return of_cause != nullptr ? of_cause : about_memory(words_of(h.kind).hint, h);
}

}  // namespace bankwise
