#include "runtime/device/memory_faults.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.hpp"
#include "base/text.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_faults = 256, most_leaks = 64;

// The number of bytes of a row that were not written. Fewer than 8 bytes between written bytes count as padding of a
// struct.
std::uint64_t missing_without_padding(const emulate::written_bytes& written, std::uint64_t address,
                                      std::uint64_t bytes) {
  constexpr std::uint64_t most_padding = 7, group = 64;
  const std::uint64_t all = written.missing(address, bytes);
  if (all == 0 || all == bytes) return all;
  const auto* const s = written.find(address);
  std::uint64_t sum = 0, run = 0;
  const auto end_run = [&] { sum += run > most_padding ? run : 0, run = 0; };
  const std::uint64_t begin = address - s->address, end = std::min(begin + bytes, s->bytes);
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t here = at % group == 0 ? std::min(group, end - at) : 1;
    if (here > 1 && s->has_all(at, here)) {
      end_run();
      at += here;
    } else if (here > 1 && !s->has_any(at, here)) {
      run += here;
      at += here;
    } else {
      for (std::uint64_t i = 0; i < here; ++i, ++at) s->has_all(at, 1) ? end_run() : static_cast<void>(++run);
    }
  }
  end_run();
  return sum;
}

void add_trail(noted_fault& f) {
  if (f.has_trail) return;
  f.has_trail = true;
  const auto add = [&](const char* verb, const std::vector<std::uint64_t>& sites) {
    for (std::string& line : names_of_calls(verb, sites)) f.what.trail.push_back(std::move(line));
  };
  add("called in ", f.called_at);
  if (!f.other.empty()) f.what.trail.push_back(formatted("not in order with {}", f.other));
  add("called in ", f.other_at);
  add("allocated in ", f.made_at);
  add("freed in ", f.freed_at);
}

// The memory that the program did not free, by the place of its allocation.
std::vector<noted_fault> leaks_of(const state& s) {
  std::map<std::tuple<std::string, std::vector<std::uint64_t>>, noted_fault> all;
  const auto add = [&](std::uint64_t address, std::uint64_t bytes) {
    const emulate::region* const r = s.memory.find(address);
    if (r == nullptr || s.given_up.contains(address)) return;
    noted_fault& f = all[{r->name, r->made_at}];
    f.what.kind = program_fault_kind::leak;
    f.what.memory = r->name;
    f.made_at = r->made_at;
    f.what.bytes += bytes;
    ++f.what.calls;
  };
  for (const auto& [address, a] : s.allocations)
    if ((a.kind == allocation_kind::device || a.kind == allocation_kind::managed) && !a.of_graph) add(address, a.bytes);
  std::vector<noted_fault> list;
  for (auto& [key, f] : all) list.push_back(std::move(f));
  std::sort(list.begin(), list.end(),
            [](const noted_fault& a, const noted_fault& b) { return a.what.bytes > b.what.bytes; });
  if (list.size() > most_leaks) list.resize(most_leaks);
  return list;
}

}  // namespace

std::string memory_words(const emulate::region& r) {
  return formatted("{} ({} at 0x{})", r.name, count_of(r.bytes, "byte"), hex(r.address));
}

void note_fault(state& s, noted_fault f) {
  const auto same = std::find_if(s.faults.begin(), s.faults.end(), [&](const noted_fault& n) {
    return n.what.kind == f.what.kind && n.called_at == f.called_at && n.made_at == f.made_at &&
           n.other_at == f.other_at;
  });
  if (same != s.faults.end()) {
    ++same->what.calls;
    same->what.bytes += f.what.bytes;
  } else if (s.faults.size() < most_faults) {
    f.what.calls = 1;
    s.faults.push_back(std::move(f));
  }
}

void note_bad_free(state& s, std::string_view function, std::uint64_t address) {
  if (!s.options.checks_memory || address == 0) return;
  noted_fault f;
  f.what.function = function;
  f.called_at = call_sites();
  f.what.kind = program_fault_kind::bad_free;
  if (const emulate::region* const r = s.memory.find(address)) {
    f.made_at = r->made_at;
    f.what.memory = address == r->address ? formatted("the beginning of {}", memory_words(*r))
                                          : formatted("byte {} of {}", grouped(address - r->address), memory_words(*r));
  } else if (const emulate::region* const old = s.memory.find_freed(address)) {
    f.what.kind = program_fault_kind::freed_twice;
    f.made_at = old->made_at;
    f.freed_at = old->freed_at;
    f.what.memory = memory_words(*old);
  } else {
    f.what.memory = formatted("address 0x{}: {}", hex(address), s.memory.describe_nearest(address));
  }
  note_fault(s, std::move(f));
}

void note_bad_copy(state& s, std::uint64_t address, std::uint64_t reach) {
  if (!s.options.checks_memory) return;
  noted_fault f;
  f.what.kind = program_fault_kind::bad_copy;
  f.what.function = "cudaMemcpy";
  f.what.bytes = reach;
  f.called_at = call_sites();
  if (const emulate::region* const r = s.memory.find(address)) {
    f.made_at = r->made_at;
    f.what.memory = formatted("from byte {} of {}", grouped(address - r->address), memory_words(*r));
  } else if (const emulate::region* const old = s.memory.find_freed(address)) {
    f.made_at = old->made_at;
    f.freed_at = old->freed_at;
    f.what.memory = formatted("{}, which was freed", memory_words(*old));
  } else {
    f.what.memory = formatted("address 0x{}: {}", hex(address), s.memory.describe_nearest(address));
  }
  note_fault(s, std::move(f));
}

void note_written(state& s, std::uint64_t address, std::uint64_t bytes) {
  if (s.memory.written != nullptr) s.memory.written->set(address, bytes);
}

void note_written(state& s, const copy& c) {
  emulate::written_bytes* const written = s.memory.written.get();
  if (written == nullptr) return;
  const bool to_device = s.memory.find(c.to) != nullptr;
  if (!to_device && written->find(c.from) == nullptr) return;
  std::uint64_t missing = 0;
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y) {
      const std::uint64_t to = c.to + z * c.to_slice + y * c.to_pitch,
                          from = c.from + z * c.from_slice + y * c.from_pitch;
      if (to_device && written->find(to) != nullptr)
        written->copy(to, from, c.width);
      else
        missing += missing_without_padding(*written, from, c.width);
    }
  if (missing == 0) return;
  noted_fault f;
  f.what.kind = program_fault_kind::unwritten_copy;
  f.what.function = "cudaMemcpy";
  f.what.bytes = missing;
  f.called_at = call_sites();
  if (const emulate::region* const r = s.memory.find(c.from)) {
    f.made_at = r->made_at;
    f.what.memory = memory_words(*r);
  }
  note_fault(s, std::move(f));
}

void note_written(state& s, const fill& f) {
  if (s.memory.written == nullptr) return;
  for (std::size_t z = 0; z < f.depth; ++z)
    for (std::size_t y = 0; y < f.height; ++y)
      s.memory.written->set(f.to + z * f.slice + y * f.pitch, f.width * f.element_bytes);
}

void report_faults(state& s) {
  s.done.program_faults.clear();
  for (noted_fault& f : s.faults) {
    add_trail(f);
    s.done.program_faults.push_back(f.what);
  }
  // After a fault, the program can free nothing.
  if (!s.ended || !s.options.checks_memory || s.sticky != cudaSuccess) return;
  for (noted_fault& f : leaks_of(s)) {
    add_trail(f);
    s.done.program_faults.push_back(std::move(f.what));
  }
}

}  // namespace bankwise::cuda
