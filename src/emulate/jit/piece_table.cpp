#include "emulate/jit/piece_table.hpp"

#include <cstring>

namespace bankwise::emulate {

std::shared_ptr<piece_table> piece_table::make(const decoded_section& section, instruction_use use,
                                               std::uint32_t after) {
  const vector_kind kind = best_vectors(use);
  return kind == vector_kind::none ? nullptr : std::make_shared<piece_table>(section, kind, after);
}

const piece* piece_table::count(entry& e, std::size_t index, bool whole, turn_places places) {
  if (e.entered.fetch_add(1, std::memory_order_relaxed) != after_) return nullptr;
  const std::lock_guard lock(mutex_);
  if (refused_ || bytes_ > most_bytes) return nullptr;
  const std::size_t end =
      places == turn_places::none ? section_.ops.size() : section_.ends->first_from(index + 1, places);
  const compiled_piece made = compile(section_, index, end, kind_, whole);
  if (made.count == 0) return nullptr;
  auto memory = executable_memory::make(made.code);
  refused_ = !memory;
  if (refused_) return nullptr;
  bytes_ += memory->bytes();
  piece& p = pieces_.emplace_back();
  const void* const at = memory->at();
  std::memcpy(&p.run, &at, sizeof p.run);
  p.count = made.count;
  code_.push_back(std::move(*memory));
  e.ready.store(&p, std::memory_order_release);
  return &p;
}

}  // namespace bankwise::emulate
