#include "runtime/device/host_copies.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/device/copied_box.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_lines = 1'000'000;

// Adds bytes to a digest, eight at a time. The digest only detects accidental differences, not differences that an
// attacker chose.
std::uint64_t add_bytes(std::uint64_t sum, const std::byte* at, std::size_t bytes) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  const auto add = [&](std::uint64_t word) {
    sum = (sum ^ word) * odd;
    sum ^= sum >> 32;
  };
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    add(word);
  }
  std::uint64_t rest = bytes;
  if (bytes != 0) std::memcpy(&rest, at, bytes);
  add(rest ^ bytes << 60);
  return sum;
}

void add_line(host_copies& all, const char* what, std::uint64_t bytes, std::uint64_t sum) {
  if (all.lines.size() == most_lines) {
    ++all.more;
    return;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%s %llu %016llx", what, static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(sum));
  all.lines.emplace_back(text);
}

bool is_of_host(state& s, const std::byte* at) {
  const emulate::region* r = s.memory.find(reinterpret_cast<std::uint64_t>(at));
  return r == nullptr || reinterpret_cast<std::uint64_t>(r->data) == r->address;
}

}  // namespace

void note_copy(state& s, const copy& c, const std::byte* from) {
  // Only copies from device memory to the host are recorded.
  if (s.copies.file.empty() || s.memory.find(c.from) == nullptr || !is_of_host(s, reinterpret_cast<std::byte*>(c.to)))
    return;
  std::uint64_t sum = 0;
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y)
      sum = add_bytes(sum, from + z * c.from_slice + y * c.from_pitch, c.width);
  add_line(s.copies, "copy", c.width * c.height * c.depth, sum);
}

void note_shared_memory(state& s, const std::byte* at, std::size_t bytes) {
  if (!s.copies.file.empty()) add_line(s.copies, "shared", bytes, add_bytes(0, at, bytes));
}

void write_host_copies(state& s) {
  // A forked child has a copy of its parent's list, but writes no list.
  if (s.copies.file.empty() || s.process != ::getpid()) return;
  const std::size_t copies = s.copies.lines.size();
  for (const auto& [address, a] : s.allocations)
    if (const emulate::region* r = s.memory.find(address);
        r != nullptr && reinterpret_cast<std::uint64_t>(r->data) == r->address)
      note_shared_memory(s, r->data, r->bytes);
  // The host's addresses differ between runs, so the lines of shared allocations are sorted.
  std::sort(s.copies.lines.begin() + static_cast<std::ptrdiff_t>(copies), s.copies.lines.end());
  std::FILE* out = std::fopen(s.copies.file.c_str(), "ab");
  if (out == nullptr) return;
  for (const std::string& line : s.copies.lines) std::fprintf(out, "%s\n", line.c_str());
  if (s.copies.more != 0) std::fprintf(out, "more %llu\n", static_cast<unsigned long long>(s.copies.more));
  std::fclose(out);
}

}  // namespace bankwise::cuda
