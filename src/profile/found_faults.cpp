#include "profile/found_faults.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "profile/arrays.hpp"
#include "sass/print/print.hpp"

namespace bankwise {

namespace {

std::array<std::uint32_t, 3> split_index(std::uint64_t n, const std::array<std::uint32_t, 3>& extent) {
  return {static_cast<std::uint32_t>(n % extent[0]), static_cast<std::uint32_t>(n / extent[0] % extent[1]),
          static_cast<std::uint32_t>(n / extent[0] / extent[1])};
}

// Returns the name of the declared array at an offset in the kernel's own shared memory. Returns an empty string if the
// name is unknown.
std::string array_at(const std::optional<ptx_arrays>& declared, std::uint64_t static_bytes, std::uint64_t offset) {
  if (!declared) return {};
  if (offset >= static_bytes) return declared->dynamic.size() == 1 ? declared->dynamic[0] : std::string();
  if (!declared->is_placed || declared->fixed_bytes != static_bytes) return {};
  for (const ptx_array& a : declared->fixed)
    if (offset >= a.begin && offset - a.begin < a.bytes) return a.name;
  return {};
}

std::string lanes_in_words(std::uint32_t mask) {
  std::string text;
  for (std::uint32_t rest = mask; rest != 0;) {
    const int first = std::countr_zero(rest), count = std::countr_one(rest >> first);
    rest = first + count == 32 ? 0 : rest >> (first + count) << (first + count);
    text += formatted("{}{}{}", text.empty() ? "" : ", ", first, count == 1 ? "" : formatted("-{}", first + count - 1));
  }
  return formatted("{} {}", std::has_single_bit(mask) ? "lane" : "lanes", text);
}

std::string detail_of(hazard_kind k, const emulate::misuse& u) {
  const std::string own = lanes_in_words(u.lanes), others = lanes_in_words(u.others), mask = hex(u.mask);
  switch (k) {
    case hazard_kind::mask_without_caller: return formatted("{} of warp {}, mask 0x{}", own, u.warp, mask);
    case hazard_kind::mask_of_others:
    case hazard_kind::mask_of_ended: return formatted("{} of warp {}, mask 0x{} with {}", own, u.warp, mask, others);
    case hazard_kind::divergent_barrier: return formatted("{} of warp {} without {}", own, u.warp, others);
    case hazard_kind::skipped_barrier:
      return formatted("{} of warp {}, while {}{} wait", others, u.warp_of_others, own,
                       u.warp == u.warp_of_others ? "" : formatted(" of warp {}", u.warp));
    default: return formatted("{} of warp {} from {}", own, u.warp, others);
  }
}

// The declared array at the end of the kernel's shared memory. Only the name of dynamic memory is known, not its begin.
ptx_array last_array(const emulate::launch& l) {
  const auto declared = read_declarations(*l.program, l.kernel->mangled);
  const std::uint64_t fixed = l.kernel->static_shared_bytes, dynamic = l.dynamic_shared_bytes;
  if (!declared) return {};
  if (!declared->dynamic.empty() || dynamic != 0)
    return declared->dynamic.size() == 1 ? ptx_array{declared->dynamic[0], fixed, dynamic} : ptx_array{};
  const bool is_known = declared->is_placed && declared->fixed_bytes == fixed && !declared->fixed.empty();
  return is_known ? declared->fixed.back() : ptx_array{};
}

// Describes an access that ends after the end of shared memory. `nearest` already names another block of the cluster.
void name_shared(out_of_bounds_access& a, const emulate::launch& l, const ptx_array& last) {
  const std::uint64_t fixed = l.kernel->static_shared_bytes, end = fixed + l.dynamic_shared_bytes;
  a.offset = a.address - std::min<std::uint64_t>(a.address, l.kernel->reserved_shared_bytes);
  a.array = last.name;
  a.nearest = formatted("{} {} ({}){}",
                        a.offset < end    ? "beyond the end of"
                        : a.offset == end ? "right after the end of"
                                          : formatted("{} after the end of", count_of(a.offset - end, "byte")),
                        last.name.empty() ? "the block's shared memory" : last.name,
                        count_of(last.name.empty() ? end : last.bytes, "byte"), a.nearest);
}

}  // namespace

code_place place_of(const emulate::launch& l, std::uint64_t address) {
  const cubin::program& p = *l.program;
  code_place place;
  const auto n = p.section_at(address);
  if (!n) return place;
  const cubin::code_section& in = p.sections[*n];
  const std::uint64_t pc = address - in.address;
  place.pc = pc;
  if (*n == l.kernel->section)
    place.pc -= l.kernel->offset;
  else
    place.function = cubin::function_of(in);
  place.sass = sass::to_text(sass::load_instruction(in.bytes.data() + pc, sass::isa_of(p.sm)), place.pc, p.sm);
  if (const auto source = p.source_of(*n, pc)) {
    place.file = source->file;
    place.line = source->line;
  }
  return place;
}

namespace {

// Sets where two threads access an address in shared memory, and the array there.
template <class Seen>
void set_shared(hazard& h, const emulate::launch& l, const std::optional<ptx_arrays>& declared, std::uint64_t first,
                std::uint64_t second, const Seen& seen) {
  h.first = {place_of(l, first), split_index(seen.first_thread, l.block)};
  h.second = {place_of(l, second), split_index(seen.second_thread, l.block)};
  h.count = seen.count;
  h.offset = seen.address - l.kernel->reserved_shared_bytes;
  h.array = array_at(declared, l.kernel->static_shared_bytes, h.offset);
}

}  // namespace

std::vector<hazard> hazards_of(const emulate::launch& l,
                               const std::map<hazard_checker::key, hazard_checker::seen>& found) {
  const auto declared = read_declarations(*l.program, l.kernel->mangled);
  std::vector<hazard> list;
  for (const auto& [key, seen] : found) {
    const auto& [kind, cause, first, second] = key;
    // The accesses may be in step in one block, and without any order in another block.
    if (cause == hazard_cause::in_step && found.contains({kind, hazard_cause::no_order, first, second})) continue;
    hazard& h = list.emplace_back();
    h.kind = kind;
    h.cause = cause;
    set_shared(h, l, declared, first, second, seen);
    h.block = split_index(seen.block, l.grid);
  }
  return list;
}

void add_memory_hazards(const emulate::launch& l, const emulate::device_memory& memory,
                        const std::map<memory_checker::key, memory_checker::seen>& found, std::vector<hazard>& to) {
  for (const auto& [key, seen] : found) {
    const auto& [kind, where, pc] = key;
    hazard& h = to.emplace_back();
    h.kind = kind;
    h.memory = where;
    h.first = h.second = {place_of(l, pc), split_index(seen.thread, l.block)};
    h.count = seen.count;
    h.block = split_index(seen.block, l.grid);
    if (where == hazard_memory::local) {
      h.detail = formatted("{} on the thread's stack", count_of(seen.bytes, "byte"));
      continue;
    }
    const emulate::region* const r = memory.find(seen.address);
    h.detail = formatted("{} at address 0x{}", count_of(seen.bytes, "byte"), hex(seen.address));
    if (!seen.detail.empty())
      h.detail += formatted(", {}", seen.detail);
    else if (r != nullptr)
      h.detail +=
          formatted(", byte {} of {} ({})", grouped(seen.address - r->address), r->name, count_of(r->bytes, "byte"));
    if (r != nullptr && memory.name_calls) h.trail = memory.name_calls("allocated in ", r->made_at);
  }
}

void add_cluster_hazards(const emulate::launch& l,
                         const std::map<cluster_race_checker::key, cluster_race_checker::seen>& found,
                         std::vector<hazard>& to) {
  const auto declared = read_declarations(*l.program, l.kernel->mangled);
  for (const auto& [key, seen] : found) {
    const auto& [kind, first, second] = key;
    hazard& h = to.emplace_back();
    h.kind = kind;
    if (is_race(kind)) h.cause = hazard_cause::other_block;
    set_shared(h, l, declared, first, second, seen);
    h.block = split_index(seen.owner, l.grid);
    const std::string by = triple(split_index(seen.second_block, l.grid));
    h.detail = is_race(kind)
                   ? formatted("by block ({}), then by block ({})", triple(split_index(seen.first_block, l.grid)), by)
                   : formatted("by block ({})", by);
    if (!h.array.empty()) h.detail = formatted("{}, {}", h.array, h.detail);
  }
}

void add_sync_hazards(const emulate::launch& l, const std::map<sync_checker::key, sync_checker::seen>& found,
                      std::vector<hazard>& to) {
  for (const auto& [key, seen] : found) {
    const auto& [kind, pc, other] = key;
    const emulate::misuse& u = seen.first;
    const auto thread_at = [&](std::uint32_t warp, std::uint32_t mask) {
      return split_index(warp * 32 + static_cast<std::uint32_t>(std::countr_zero(mask)), l.block);
    };
    hazard& h = to.emplace_back();
    h.kind = kind;
    h.memory = hazard_memory::none;
    h.second = {place_of(l, pc), thread_at(u.warp, u.lanes)};
    h.first = u.others != 0 ? thread_place{place_of(l, other), thread_at(u.warp_of_others, u.others)} : h.second;
    h.count = seen.count;
    h.block = split_index(seen.block, l.grid);
    h.detail = detail_of(kind, u);
  }
}

std::vector<out_of_bounds_access> out_of_bounds_of(const emulate::launch& l,
                                                   const emulate::out_of_bounds_accesses& found) {
  std::vector<out_of_bounds_access> list;
  std::optional<ptx_array> last;
  for (const auto& [where, a] : found) {
    out_of_bounds_access& one = list.emplace_back(a);
    one.place = place_of(l, where.first);
    if (one.memory != bounded_memory::shared) continue;
    if (!last) last = last_array(l);
    name_shared(one, l, *last);
  }
  return list;
}

std::vector<block_race> block_races_of(const emulate::launch& l, const std::vector<emulate::block_race>& found) {
  using kind = emulate::block_race_kind;
  std::vector<block_race> list;
  for (const emulate::block_race& r : found)
    list.push_back({r.kind == kind::read_after_write   ? hazard_kind::read_after_write
                    : r.kind == kind::write_after_read ? hazard_kind::write_after_read
                                                       : hazard_kind::write_after_write,
                    place_of(l, r.first), place_of(l, r.second), r.words});
  return list;
}

std::vector<block_race> block_races_of(const emulate::launch& l, const emulate::device_memory& memory,
                                       const std::vector<global_race>& found) {
  std::vector<block_race> list;
  for (const global_race& r : found) {
    block_race& one = list.emplace_back();
    one.kind = r.kind;
    one.first = place_of(l, r.first);
    one.second = place_of(l, r.second);
    one.count = r.words;
    one.is_checked = true;
    one.cause = r.cause;
    one.first_block = split_index(r.first_block, l.grid);
    one.second_block = split_index(r.second_block, l.grid);
    one.first_thread = split_index(r.first_thread, l.block);
    one.second_thread = split_index(r.second_thread, l.block);
    if (const emulate::region* const in = memory.find(r.address); in != nullptr) {
      one.memory = in->name;
      one.offset = r.address - in->address;
    }
  }
  return list;
}

}  // namespace bankwise
