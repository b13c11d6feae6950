// Keeps single bytes, because other threads may use the bytes next to them.
#include "emulate/memory/changed_bytes.hpp"

#include <algorithm>

namespace bankwise::emulate {

changed_bytes::line& changed_bytes::line_at(std::uintptr_t number) {
  if (last_ == nullptr || last_number_ != number) {
    last_ = &lines_[number];
    last_number_ = number;
  }
  return *last_;
}

void changed_bytes::keep(std::byte* at, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const auto place = reinterpret_cast<std::uintptr_t>(at + done);
    const std::size_t first = place % line_bytes, count = std::min(line_bytes - first, bytes - done);
    line& l = line_at(place / line_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t& kept = l.kept[(first + i) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (first + i) % 64;
      if ((kept & bit) != 0) continue;
      kept |= bit;
      l.before[first + i] = at[done + i];
    }
    done += count;
  }
}

void changed_bytes::undo() {
  for (const auto& [number, l] : lines_) {
    auto* const begin = reinterpret_cast<std::byte*>(number * line_bytes);
    for (std::size_t i = 0; i < line_bytes; ++i)
      if ((l.kept[i / 64] >> i % 64 & 1) != 0) begin[i] = l.before[i];
  }
  lines_.clear();
  last_ = nullptr;
}

}  // namespace bankwise::emulate
