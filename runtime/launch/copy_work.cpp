#include "runtime/launch/copy_work.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "runtime/device/allocations.hpp"
#include "runtime/device/host_copies.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/repeated_launches.hpp"

namespace bankwise::cuda {

namespace {

// Zeroes memory. Complete pages are returned to the host, which supplies zeros at the next use. So a program can clear
// an allocation that is larger than the memory of the host machine.
void clear(std::byte* from, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(from) % page) % page;
  const std::size_t inside = bytes > before ? (bytes - before) / page * page : 0;
  if (inside == 0 || ::madvise(from + before, inside, MADV_DONTNEED) != 0) {
    std::memset(from, 0, bytes);
    return;
  }
  std::memset(from, 0, before);
  std::memset(from + before + inside, 0, bytes - before - inside);
}

// From this size on, returning pages to the host is faster than writing zeros.
constexpr std::size_t many_bytes = 1 << 20;

// Whether the memory belongs only to this process: it is device memory that is not mapped from a file.
bool is_own(const state& s, std::uint64_t address) {
  const allocation* a = allocation_of(s, pointer_to(address)).second;
  return a != nullptr && a->kind == allocation_kind::device && a->file < 0;
}

}  // namespace

void perform_copy(state& s, const copy& c) {
  std::byte* to = s.memory.bytes_at(c.to, reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth));
  const std::byte* from = s.memory.bytes_at(c.from, reach(c.from_pitch, c.from_slice, c.width, c.height, c.depth));
  if (to == nullptr)
    to = reinterpret_cast<std::byte*>(c.to);
  else
    the_repeated_launches().note_change(s, c.to, reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth));
  if (from == nullptr) from = reinterpret_cast<const std::byte*>(c.from);
  note_copy(s, c, from);
  note_written(s, c);
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y)
      std::memmove(to + z * c.to_slice + y * c.to_pitch, from + z * c.from_slice + y * c.from_pitch, c.width);
}

void perform_fill(state& s, const fill& f) {
  const std::size_t width = f.width * f.element_bytes;
  const std::size_t bytes = reach(f.pitch, f.slice, width, f.height, f.depth);
  std::byte* to = s.memory.bytes_at(f.to, bytes);
  the_repeated_launches().note_change(s, f.to, bytes);
  note_written(s, f);
  for (std::size_t z = 0; z < f.depth; ++z)
    for (std::size_t y = 0; y < f.height; ++y) {
      std::byte* row_begin = to + z * f.slice + y * f.pitch;
      if (f.value == 0 && width >= many_bytes && is_own(s, f.to))
        clear(row_begin, width);
      else if (f.element_bytes == 1)
        std::memset(row_begin, static_cast<int>(f.value), width);
      else
        for (std::size_t x = 0; x < width; x += f.element_bytes) std::memcpy(row_begin + x, &f.value, f.element_bytes);
    }
}

}  // namespace bankwise::cuda
