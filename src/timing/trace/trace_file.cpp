#include "timing/trace/trace_file.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace bankwise::timing {

namespace {

// The first bytes of a trace. They contain the version of the format.
constexpr std::uint64_t trace_mark = 0x33656d69'74776263, mark_without_executed = 0x32656d69'74776263,
                        mark_without_sections = 0x31656d69'74776263;

class trace_writer {
 public:
  template <class T>
  void value(const T& v) {
    // Padding is not allowed, because it could contain any bytes.
    static_assert(std::has_unique_object_representations_v<T>);
    text.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  template <class T>
  void list(const std::vector<T>& v) {
    static_assert(std::has_unique_object_representations_v<T>);
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
  w.value(std::uint64_t{t.sections.size()});
  for (const traced_section& s : t.sections) {
    w.list(std::vector<char>(s.function.begin(), s.function.end()));
    w.value(s.offset);
    w.value(s.first);
    w.value(s.count);
  }
  w.list(t.executed);
  return std::move(w.text);
}

std::optional<launch_trace> trace_of(std::string_view bytes) {
  trace_reader r(bytes);
  std::uint64_t mark = 0, blocks = 0;
  r.value(mark);
  if (!r.ok || (mark != trace_mark && mark != mark_without_executed && mark != mark_without_sections))
    return std::nullopt;
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
  std::uint64_t sections = 0;
  if (mark != mark_without_sections) r.value(sections);
  for (std::uint64_t n = 0; r.ok && n < sections; ++n) {
    traced_section& s = t.sections.emplace_back();
    r.list(name);
    s.function.assign(name.begin(), name.end());
    r.value(s.offset);
    r.value(s.first);
    r.value(s.count);
  }
  if (mark == trace_mark) r.list(t.executed);
  if (!r.ok) return std::nullopt;
  return t;
}

namespace {

bool is_within(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
  return first <= size && count <= size - first;
}

}  // namespace

bool is_sound(const launch_trace& t) {
  constexpr std::uint64_t most_instructions = 100'000'000, most_warps = 32, most_resident = 64;
  const auto is_in_grid = [&](std::uint64_t block) { return block < t.grid_blocks(); };
  for (const auto& sides : {t.grid, t.block})
    for (const std::uint32_t side : sides)
      if (side == 0) return false;
  if (std::uint64_t{t.block[0]} * t.block[1] > 1024 || t.threads() > 1024) return false;
  if (t.blocks_per_multiprocessor == 0 || t.blocks_per_multiprocessor > most_resident) return false;
  if (t.multiprocessors == 0 || t.multiprocessors > 1024 || t.shared_bytes > (1u << 20)) return false;
  if ((std::uint64_t{t.grid[0]} * t.grid[1] >> 32) != 0) return false;
  for (const traced_access& a : t.accesses)
    if (a.code >= t.code.size() || !is_within(a.first_line, a.lines, t.lines.size()) || a.space > memory_space::sleep ||
        a.does > memory_action::prefetch ||
        ((a.space == memory_space::mbarrier || a.space == memory_space::sleep) && a.lines != 1))
      return false;
  if (!std::all_of(t.touching.begin(), t.touching.end(), is_in_grid)) return false;
  if (!t.executed.empty() && t.executed.size() != t.touching.size()) return false;
  std::uint64_t instructions = 0;
  for (const traced_block& b : t.blocks) {
    if (!is_in_grid(b.linear) || b.warps.size() > most_warps) return false;
    for (const traced_warp& w : b.warps)
      for (const traced_run& r : w.runs) {
        if (r.count == 0 || !is_within(r.code, r.count, t.code.size()) ||
            !is_within(r.first_access, r.accesses, t.accesses.size()))
          return false;
        instructions += r.count;
      }
  }
  return instructions <= most_instructions;
}

namespace {

constexpr std::string_view digits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t most_trace_bytes = std::size_t{256} << 20;  // limit of a trace's size before compression

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += at + i <= bytes.size() ? digits64[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  std::array<std::int8_t, 256> value;
  value.fill(-1);
  for (std::size_t i = 0; i < digits64.size(); ++i)
    value[static_cast<unsigned char>(digits64[i])] = static_cast<std::int8_t>(i);
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0, held = 0;
  for (const char c : text) {
    const std::int8_t v = value[static_cast<unsigned char>(c)];
    if (v < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(v);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 255);
  }
  return bytes;
}

}  // namespace

std::string to_letters(const launch_trace& t, std::size_t most) {
  const std::string bytes = to_bytes(t);
  if (bytes.size() > most_trace_bytes) return {};
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t n = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(n) != 0 || n / 3 * 4 > most) return {};
  return base64(std::string_view(packed).substr(0, n));
}

std::optional<launch_trace> trace_of_letters(std::string_view letters) {
  const auto packed = bytes_of_base64(letters);
  if (!packed) return std::nullopt;
  const unsigned long long size = ZSTD_getFrameContentSize(packed->data(), packed->size());
  if (size > most_trace_bytes) return std::nullopt;  // the value of ZSTD_CONTENTSIZE_ERROR is also larger
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const std::size_t n = ZSTD_decompress(bytes.data(), bytes.size(), packed->data(), packed->size());
  if (ZSTD_isError(n) != 0 || n != bytes.size()) return std::nullopt;
  auto t = trace_of(bytes);
  if (!t || !is_sound(*t)) return std::nullopt;
  return t;
}

}  // namespace bankwise::timing
