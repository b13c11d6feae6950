// Generates kernels. Half of their accesses are typical code. The other half only works with the existing layout.
#include "edit_case.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <tuple>

#include "edit_generator.hpp"

namespace bankwise::fuzz {

edit_case edit_generator::run() {
  choose_array();
  choose_layout();
  write();
  return c_;
}

u64 edit_generator::below(u64 n) {
  if (at_ < size_) return data_[at_++] % n;
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return (state_ >> 20) % n;
}

void edit_generator::choose_array() {
  c_.array = "tile";
  const u64 form = below(10);
  is_flat_ = form < 2;
  is_dynamic_ = form == 0 && one_in(2);
  is_union_ = form == 2 && one_in(2);
  is_deep_ = form == 3;
  const u64 type = below(8);
  c_.type = type < 5 ? "float" : type == 5 ? "int" : type == 6 ? "double" : "float4";
  if (is_union_ || is_dynamic_) c_.type = "float";
  c_.element = c_.type == "double" ? 8 : c_.type == "float4" ? 16 : 4;
  columns_ = any<u64>({8, 16, 32, 32, 32, 64, 24});
  rows_ = any<u64>({4, 8, 16, 32});
  if (columns_ * rows_ > 1024) rows_ = 16;
  if (is_flat_)
    c_.extents = {columns_ * rows_};
  else if (is_deep_)
    c_.extents = {2, rows_ / 2, columns_};
  else
    c_.extents = {rows_, columns_};
  if (!is_flat_ && !is_union_ && one_in(6)) c_.free = 1;
  if (is_flat_ && !is_dynamic_ && one_in(3)) {
    c_.free = static_cast<std::uint32_t>(1 + below(4));
    c_.row = static_cast<std::uint32_t>(columns_);
  }
  const u64 shape = below(4);
  c_.block[0] = shape == 0 ? 32 : shape == 1 ? 64 : static_cast<std::uint32_t>(std::min<u64>(columns_, 32));
  c_.block[1] = shape < 2 ? 1 : static_cast<std::uint32_t>(any<u64>({1, 2, 4}));
  if (is_dynamic_) c_.dynamic_bytes = columns_ * rows_ * c_.element;
  c_.words = {static_cast<std::int64_t>(below(3)), static_cast<std::int64_t>(below(40)),
              -static_cast<std::int64_t>(below(40)), 1};
}

void edit_generator::choose_layout() {
  const u64 pitch = columns_ * c_.element;
  const u64 kind = below(5);
  const auto low = [&] { return c_.element == 4 ? 2u : c_.element == 8 ? 3u : 4u; };
  if (kind < 2 && !is_flat_) {
    c_.every = static_cast<std::uint32_t>(pitch);
    c_.gap = static_cast<std::uint32_t>(c_.element * any<u64>({1, 1, 2, 4, 8}));
  } else if (kind == 2 || (is_flat_ && kind < 2)) {
    c_.every = static_cast<std::uint32_t>(c_.element * any<u64>({4, 8, 16, 32}));
    c_.gap = static_cast<std::uint32_t>(c_.element * any<u64>({1, 2, 4}));
  } else {
    c_.bits = static_cast<std::uint32_t>(1 + below(5));
    c_.base = low() + static_cast<std::uint32_t>(below(3));
    c_.shift = c_.bits + static_cast<std::uint32_t>(below(4));
    if (!is_flat_ && one_in(2)) {
      // The swizzle exchanges columns by the number of the row. `all` is the largest number of column bits that it can
      // change.
      std::uint32_t all = 0;
      while ((u64{2} << all) <= columns_) ++all;
      c_.base = low();
      c_.bits = std::min(all, 5u);
      c_.shift = all;
    }
  }
}

std::string edit_generator::extent(u64 n, const std::string& called) {
  switch (below(9)) {
    case 0: head_ += "#define " + called + " " + text(n) + "\n"; return called;
    case 1: head_ += "constexpr int " + called + " = " + text(n) + ";\n"; return called;
    case 2: head_ += "#define " + called + " " + text(n / 2) + " + " + text(n - n / 2) + "\n"; return called;
    case 3:
      if (c_.free != 0) return text(n);  // `<<` binds less tightly than the + before the free columns
      head_ += "#define " + called + " " + text(n / 2) + " << 1\n";
      return n % 2 == 0 ? called : text(n);
    case 4:
      if (c_.numbers.size() < 2 && !is_dynamic_) {
        c_.numbers[called] = static_cast<std::int64_t>(n);
        return called;
      }
      return text(n);
    case 5: head_ += "const int " + called + " = " + text(n) + ";\n"; return called + (one_in(4) ? " * 1" : "");
    default: return text(n);
  }
}

std::string edit_generator::value(u64 n, int levels) {
  if (n == 1) return one_in(2) ? "0" : "threadIdx.z";
  std::vector<std::string> names;
  for (const local& l : locals_)
    if (l.n <= n) names.push_back(l.name);
  switch (levels == 0 ? below(3) : below(21)) {
    case 0:
      if (c_.block[0] <= n) return "threadIdx.x";
      return "threadIdx.x % " + text(n);
    case 1:
      if (!names.empty()) return any(names);
      return "tid % " + text(n);
    case 2: return text(below(n));
    case 3: return "(" + value(n, levels - 1) + " + " + value(n, levels - 1) + ") % " + text(n);
    case 4: return text(n - 1) + " - " + value(n, 0);
    case 5: return "(tid + n + 64) % " + text(n);
    case 6:
      if ((n & (n - 1)) == 0) return "(tid + n) & " + text(n - 1);
      return "min(" + value(n, levels - 1) + ", " + text(n - 1) + ")";
    case 7: return value(n, 0) + " < " + text(n / 2) + " ? " + value(n, 0) + " : " + value(n, 0);
    case 8: {
      const std::string called = "COL" + text(macros_++);
      head_ += "#define " + called + " " +
               any<std::string>({value(n / 2 + 1, 0) + " + " + value(n - n / 2, 0), "threadIdx.x % " + text(n),
                                 text(n - 1) + " - threadIdx.x % " + text(n)}) +
               "\n";
      return called;
    }
    case 9: return "(int)" + any<std::string>({"threadIdx.x", "tid"}) + " % " + text(n);
    case 10: return "id(" + value(n, 0) + ")";
    case 11: return "(n, " + value(n, 0) + ")";
    case 12: return "tid / " + text(std::max<u64>(1, (u64{c_.block[0]} * c_.block[1] + n - 1) / n));
    case 13: return "(" + value(n, levels - 1) + ")";
    case 14:
      if ((n & (n - 1)) == 0 && n > 2) return value(n, 0) + " ^ " + text(below(n));
      return value(n, 0);
    case 15:
      if ((n & (n - 1)) == 0 && n > 2) return value(n / 2, 0) + " | " + text(n / 2);
      return value(n, 0);
    case 16:
      if (n % 2 == 0) return value(n / 2, 0) + " * 2 + 1";
      return value(n, 0);
    case 17: return "static_cast<int>(" + value(n, 0) + ")";
    case 18: return "static_cast<int>(" + value(n, levels - 1) + ") % " + text(n);
    case 19: helper_pick_ = true; return "pick<" + text(below(4)) + ">(" + value(n, 0) + ")";
    default: return value(n, 0);
  }
}

void edit_generator::declare_locals() {
  line("const int tid = threadIdx.x + threadIdx.y * " + text(c_.block[0]) + ";");
  const u64 how_many = below(4);
  for (u64 i = 0; i < how_many; ++i) {
    const u64 n = any<u64>({2, 4, 8, columns_, rows_, columns_ * rows_});
    const std::string name = "c" + text(i), what = value(n, 1);
    switch (below(7)) {
      case 0: line("int " + name + "(" + what + ");"); break;
      case 1: line("int " + name + "; " + name + " = " + what + ";"); break;
      case 2: line("int " + name + " = 0;"), line("if (n >= 0) " + name + " = " + what + ";"); break;
      case 3: line("int " + name + " = 0;"), line(name + " += " + what + ";"); break;
      case 4: line("int " + name + " = 0; int* p" + name + " = &" + name + "; *p" + name + " = " + what + ";"); break;
      default: line("const int " + name + " = " + what + ";"); break;
    }
    locals_.push_back({name, n});
  }
}

void edit_generator::write() {
  is_hostile_ = !one_in(3);
  std::string declared = "__shared__ ";
  if (one_in(8)) declared += "__align__(16) ";
  if (is_dynamic_) {
    declared = "extern __shared__ float tile[];";
  } else if (is_union_) {
    declared = "__shared__ union { float tile[" + extent(rows_, "H") + "][" + extent(columns_, "W") +
               "]; float other[" + text(rows_ * columns_) + "]; } u;";
  } else {
    declared += c_.type + " tile";
    if (is_flat_ && c_.free != 0) {
      head_ += one_in(2) ? "#define PAD " + text(c_.free) + "\n" : "const int PAD = " + text(c_.free) + ";\n";
      head_ += "constexpr int BN = " + text(columns_) + ";\n";
      declared += "[" + text(rows_) + " * (BN + PAD)]";
    } else if (is_flat_) {
      declared += "[" + extent(all(), "N") + "]";
    }
    if (is_deep_) declared += "[2][" + text(rows_ / 2) + "]";
    if (!is_flat_ && !is_deep_) declared += "[" + extent(rows_, "H") + "]";
    if (!is_flat_) declared += "[" + extent(columns_, "W") + (c_.free != 0 ? " + 1" : "") + "]";
    declared += one_in(10) ? ", more[4];" : ";";
  }
  depth_ = 1;
  line(declared);
  declare_locals();
  fill();
  line("__syncthreads();");
  for (u64 n = below(3); n > 0; --n) {
    writes();
    line("__syncthreads();");
  }
  for (u64 n = 1 + below(4); n > 0; --n) reads();
  const std::string body = out_, t = c_.type;
  std::ostringstream all;
  all << "// array tile " << t << " " << c_.element << " extents";
  for (const u64 e : c_.extents) all << " " << e;
  all << " free " << c_.free << " row " << c_.row << " block " << c_.block[0] << " " << c_.block[1] << " "
      << c_.block[2] << " padding " << c_.every << " " << c_.gap << " swizzle " << c_.bits << " " << c_.base << " "
      << c_.shift << " words";
  for (const auto w : c_.words) all << " " << w;
  all << " numbers";
  for (const auto& [name, value] : c_.numbers) all << " " << name << "=" << value;
  all << " dynamic " << c_.dynamic_bytes << "\n" << head_;
  all << "__device__ int id(int x) { return x; }\n";
  if (helper_pick_) all << "template <int Q> __device__ int pick(int x) { return x; }\n";
  if (helper_move_) all << "__device__ void move_up(int& x) { x += 2; }\n";
  if (helper_row_) all << "__device__ " << t << " row_of(const " << t << "* row, int x) { return row[x]; }\n";
  if (helper_first_) all << "__device__ " << t << " first_of(const " << t << "* p) { return *p; }\n";
  if (helper_behind_) all << "__device__ " << t << " behind(const " << t << "* p, int x) { return p[x]; }\n";
  if (helper_reference_) all << "__device__ " << t << " same(const " << t << "& e) { return e; }\n";
  if (helper_address_) all << "__device__ " << t << " reached(const " << t << "& e, int x) { return (&e)[x]; }\n";
  const std::string extents = "[" + text(rows_) + "][" + text(columns_ + c_.free) + "]";
  if (helper_array_)
    all << "__device__ " << t << " handed(" << t << " a" << extents << ", int y, int x) { return a[y][x]; }\n";
  if (helper_array_over_)
    all << "__device__ " << t << " handed_over(" << t << " a" << extents << ", int y, int x) { return a[y][x]; }\n";
  if (helper_lds_)
    all << "__device__ float lds(unsigned a) {\n  float v;\n  asm volatile(\"ld.shared.f32 %0, [%1];\" : \"=f\"(v) : \"r\"(a));\n"
           "  return v;\n}\n";
  if (!c_.numbers.empty()) {
    all << "template <";
    std::string between;
    for (const auto& [name, value] : c_.numbers) all << between << "int " << name, between = ", ";
    all << ">\n";
  }
  all << "__global__ void k(float* out, const float* in, int n) {\n" << body << "}\n";
  c_.text = all.str();
}

edit_case make_edit_case(const std::uint8_t* data, std::size_t size) { return edit_generator(data, size).run(); }

std::optional<edit_case> read_edit_case(std::string_view text) {
  if (!text.starts_with("// array ")) return std::nullopt;
  edit_case c;
  c.text = text;
  std::istringstream line(std::string(text.substr(0, text.find('\n'))));
  std::string word, key;
  line >> word >> word >> c.array >> c.type >> c.element;
  std::vector<u64> numbers;
  const auto close = [&] {
    const auto at = [&](std::size_t i) { return i < numbers.size() ? static_cast<std::uint32_t>(numbers[i]) : 0; };
    if (key == "extents") c.extents = numbers;
    if (key == "free") c.free = at(0);
    if (key == "row") c.row = at(0);
    if (key == "block") std::tie(c.block[0], c.block[1], c.block[2]) = std::tuple(at(0), at(1), at(2));
    if (key == "padding") std::tie(c.every, c.gap) = std::pair(at(0), at(1));
    if (key == "swizzle") std::tie(c.bits, c.base, c.shift) = std::tuple(at(0), at(1), at(2));
    if (key == "words") c.words.assign(numbers.begin(), numbers.end());
    if (key == "dynamic") c.dynamic_bytes = at(0);
    numbers.clear();
  };
  while (line >> word) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      c.numbers[word.substr(0, equals)] = std::strtoll(word.c_str() + equals + 1, nullptr, 10);
    } else if ((word[0] >= '0' && word[0] <= '9') || word[0] == '-') {
      numbers.push_back(static_cast<u64>(std::strtoll(word.c_str(), nullptr, 10)));
    } else {
      close();
      key = word;
    }
  }
  close();
  const bool fits = !c.extents.empty() && c.element >= 1 && c.element <= 16 && c.block[0] >= 1 && c.block[1] >= 1 &&
                    c.block[2] >= 1 && c.block[0] <= 256 && c.block[1] <= 256 && c.block[2] <= 4 &&
                    c.block[0] * c.block[1] * c.block[2] <= 512 && c.dynamic_bytes <= 1 << 16 && c.shift < 16 &&
                    c.bits < 16 && c.base < 16 && c.words.size() <= 8;
  u64 bytes = c.element;
  for (const u64 e : c.extents) bytes = e == 0 || e > 1 << 14 ? 0 : std::min<u64>(bytes * e, 1 << 20);
  return fits && bytes != 0 && bytes <= 1 << 16 ? std::optional(c) : std::nullopt;
}

}  // namespace bankwise::fuzz
