#include "runtime/launch/byte_touches.hpp"

#include <algorithm>
#include <bit>

#include "sass/fields/fields.hpp"

namespace bankwise::cuda {

namespace {

// The limit of the pages that all workers follow for a launch. Accesses beyond it are not checked.
constexpr std::size_t most_touched_pages = std::size_t{1} << 16;

common_bytes either(const common_bytes& a, const common_bytes& b) {
  if (a.bytes == 0 || b.bytes == 0) return a.bytes != 0 ? a : b;
  return {std::min(a.first, b.first), a.bytes + b.bytes};
}

bool meets_any(const byte_ranges& list, std::uint64_t begin, std::uint64_t end) {
  const auto at = std::partition_point(list.begin(), list.end(), [&](const auto& r) { return r.second <= begin; });
  return at != list.end() && at->first < end;
}

}  // namespace

common_bytes common(const byte_ranges& a, const byte_ranges& b) {
  common_bytes found;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const std::uint64_t begin = std::max(i->first, j->first), end = std::min(i->second, j->second);
    if (begin < end && found.bytes == 0) found.first = begin;
    if (begin < end) found.bytes += end - begin;
    i->second < j->second ? ++i : ++j;
  }
  return found;
}

bool byte_touches::may_change(std::uint64_t begin, std::uint64_t end) const {
  return meets_any(writes, begin, end) || meets_any(atomics, begin, end) || meets_any(strong, begin, end);
}
bool byte_touches::meets(std::uint64_t begin, std::uint64_t end) const {
  return meets_any(reads, begin, end) || may_change(begin, end);
}

void byte_touches::remove(std::uint64_t begin, std::uint64_t end) {
  for (byte_ranges* const list : {&reads, &writes, &atomics, &strong}) {
    byte_ranges left;
    for (const auto& [from, to] : *list) {
      if (from < std::min(to, begin)) left.emplace_back(from, std::min(to, begin));
      if (std::max(from, end) < to) left.emplace_back(std::max(from, end), to);
    }
    *list = std::move(left);
  }
}

common_bytes conflict(const byte_touches& a, const byte_touches& b) {
  for (const byte_ranges byte_touches::*other :
       {&byte_touches::reads, &byte_touches::writes, &byte_touches::atomics, &byte_touches::strong})
    if (common(a.strong, b.*other).bytes != 0 || common(b.strong, a.*other).bytes != 0) return {};
  if (common(a.atomics, b.atomics).bytes != 0) return {};
  common_bytes all = either(common(a.writes, b.reads), common(a.reads, b.writes));
  // Bytes that both write are also among those that one of them reads, if it reads them.
  if (all.bytes == 0) all = common(a.writes, b.writes);
  if (all.bytes == 0) all = either(common(a.atomics, b.writes), common(a.writes, b.atomics));
  if (all.bytes == 0) all = either(common(a.atomics, b.reads), common(a.reads, b.atomics));
  return all;
}

touch_listener::page* touch_listener::page_at(std::uint64_t number) {
  if (number == last_) return last_page_;
  last_ = number;
  const auto at = pages_.find(number);
  if (at != pages_.end()) return last_page_ = at->second.get();
  // The heap of device malloc gives freed bytes to other threads, also to those of other streams.
  if (memory_.is_heap(number * page_bytes)) return last_page_ = nullptr;
  if (followed_.fetch_add(1, std::memory_order_relaxed) >= most_touched_pages) {
    followed_.fetch_sub(1, std::memory_order_relaxed);
    is_whole_ = false;
    return last_page_ = nullptr;
  }
  return last_page_ = (pages_[number] = std::make_unique<page>()).get();
}

void touch_listener::set(kind k, std::uint64_t address, std::uint64_t bytes) {
  for (const std::uint64_t end = address + bytes; address < end;) {
    const std::uint64_t in_page = address % page_bytes, first = in_page % 64,
                        here = std::min(64 - first, end - address);
    if (page* const p = page_at(address / page_bytes))
      p->bits[k][in_page / 64] |= (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << first;
    address += here;
  }
}

bool touch_listener::is_strong(std::uint64_t pc) {
  if (pc == last_pc_) return last_strong_;
  last_pc_ = pc;
  const auto [at, is_new] = strong_.try_emplace(pc, false);
  if (const auto n = is_new ? program_.section_at(pc) : std::nullopt) {
    const cubin::code_section& in = program_.sections[*n];
    const auto fields =
        sass::fields_of(sass::load_instruction(in.bytes.data() + (pc - in.address), sass::isa_of(program_.sm)));
    const auto* const access = std::get_if<sass::memory_access>(&fields);
    at->second = access != nullptr && access->strong;
  }
  return last_strong_ = at->second;
}

void touch_listener::on_global(const emulate::global_access_event& e) {
  if (e.mask == 0 || is_local(e.kind)) return;
  const bool updates = e.kind == global_kind::atomic || e.kind == global_kind::reduction;
  const kind k = updates ? atomic : is_strong(e.pc) ? strong : e.kind == global_kind::store ? write : read;
  if (e.mask == ~0u && e.shape == emulate::row_shape::side_by_side)
    return set(k, e.address[0], std::uint64_t{32} * e.width_bytes);
  for (std::uint32_t m = e.mask; m != 0; m &= m - 1) {
    set(k, e.address[std::countr_zero(m)], e.width_bytes);
    if (e.mask == ~0u && e.shape == emulate::row_shape::one_place) return;
  }
}

void touch_listener::on_async(const emulate::async_event& e) { copies_to_shared_ = e.what.to_shared; }

void touch_listener::on_copied(const emulate::copied_bytes& b) {
  if (b.prefetch == 0) set(copies_to_shared_ ? read : write, b.address, b.bytes);
}

void touch_listener::add(const touch_listener& other) {
  is_whole_ &= other.is_whole_;
  for (const auto& [number, from] : other.pages_) {
    std::unique_ptr<page>& to = pages_[number];
    if (to == nullptr) to = std::make_unique<page>();
    for (std::size_t k = 0; k < kinds; ++k)
      for (std::size_t n = 0; n < from->bits[k].size(); ++n) to->bits[k][n] |= from->bits[k][n];
  }
}

byte_touches touch_listener::touches() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, p] : pages_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  byte_touches all;
  all.is_whole = is_whole_;
  byte_ranges* const to[kinds] = {&all.reads, &all.writes, &all.atomics, &all.strong};
  const auto add = [](byte_ranges& list, std::uint64_t begin, std::uint64_t end) {
    if (!list.empty() && list.back().second == begin)
      list.back().second = end;
    else
      list.emplace_back(begin, end);
  };
  for (const std::uint64_t number : numbers) {
    const page& p = *pages_.at(number);
    for (std::size_t k = 0; k < kinds; ++k)
      for (std::size_t n = 0; n < page_bytes / 64; ++n) {
        const std::uint64_t at = number * page_bytes + n * 64;
        for (std::uint64_t bits = p.bits[k][n]; bits != 0;) {
          const int first = std::countr_zero(bits), count = std::countr_one(bits >> first);
          add(*to[k], at + static_cast<unsigned>(first), at + static_cast<unsigned>(first + count));
          bits = first + count == 64 ? 0 : bits >> (first + count) << (first + count);
        }
      }
  }
  return all;
}

}  // namespace bankwise::cuda
