#include "timing/trace_file.hpp"

#include <cstring>
#include <type_traits>

namespace bankwise::timing {

namespace {

constexpr std::uint64_t trace_mark = 0x31656d69'74776263;  // with the version of what follows

class trace_writer {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    text.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  template <class T>
  void list(const std::vector<T>& v) {
    value(std::uint64_t{v.size()});
    text.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T));
  }
  std::string text;
};

class trace_reader {
 public:
  explicit trace_reader(std::string_view t) : text(t) {}
  template <class T>
  void value(T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (text.size() < sizeof v) return void(ok = false);
    std::memcpy(&v, text.data(), sizeof v);
    text.remove_prefix(sizeof v);
  }
  template <class T>
  void list(std::vector<T>& v) {
    std::uint64_t n = 0;
    value(n);
    if (!ok || n > text.size() / sizeof(T)) return void(ok = false);
    v.resize(n);
    if (n != 0) std::memcpy(v.data(), text.data(), n * sizeof(T));
    text.remove_prefix(n * sizeof(T));
  }
  std::string_view text;
  bool ok = true;
};

template <class Stream, class Trace>
void pass_facts(Stream& s, Trace& t) {
  s.value(t.sm);
  s.value(t.grid);
  s.value(t.block);
  s.value(t.cluster_blocks);
  s.value(t.registers);
  s.value(t.shared_bytes);
  s.value(t.blocks_per_multiprocessor);
  s.value(t.multiprocessors);
  s.value(t.in_order);
  s.value(t.instructions);
  s.list(t.code);
  s.list(t.accesses);
  s.list(t.lines);
  s.list(t.touching);
  s.list(t.touched);
}

}  // namespace

std::string to_bytes(const launch_trace& t) {
  trace_writer w;
  w.value(trace_mark);
  w.list(std::vector<char>(t.kernel.begin(), t.kernel.end()));
  pass_facts(w, t);
  w.value(std::uint64_t{t.blocks.size()});
  for (const traced_block& b : t.blocks) {
    w.value(b.linear);
    w.value(b.is_cut);
    w.value(b.instructions);
    w.value(std::uint64_t{b.warps.size()});
    for (const traced_warp& one : b.warps) {
      w.value(one.instructions);
      w.list(one.runs);
    }
  }
  return std::move(w.text);
}

std::optional<launch_trace> trace_of(std::string_view bytes) {
  trace_reader r(bytes);
  std::uint64_t mark = 0, blocks = 0;
  r.value(mark);
  if (!r.ok || mark != trace_mark) return std::nullopt;
  launch_trace t;
  std::vector<char> name;
  r.list(name);
  t.kernel.assign(name.begin(), name.end());
  pass_facts(r, t);
  r.value(blocks);
  for (std::uint64_t n = 0; r.ok && n < blocks; ++n) {
    traced_block& b = t.blocks.emplace_back();
    std::uint64_t warps = 0;
    r.value(b.linear);
    r.value(b.is_cut);
    r.value(b.instructions);
    r.value(warps);
    for (std::uint64_t i = 0; r.ok && i < warps; ++i) {
      traced_warp& one = b.warps.emplace_back();
      r.value(one.instructions);
      r.list(one.runs);
    }
  }
  if (!r.ok) return std::nullopt;
  return t;
}

}  // namespace bankwise::timing
