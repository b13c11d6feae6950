// Half of what it writes is what people write; the other half reaches elements in ways that another layout breaks.
#include "edit_case.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <tuple>

namespace bankwise::fuzz {

namespace {

using u64 = std::uint64_t;

class generator {
 public:
  generator(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
    u64 seed = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < size; ++i) seed = (seed ^ data[i]) * 0x100000001b3;
    state_ = seed | 1;
    if (size <= 8) at_ = size;  // a seed
  }

  edit_case run() {
    choose_array();
    choose_layout();
    write();
    return c_;
  }

 private:
  u64 below(u64 n) {
    if (at_ < size_) return data_[at_++] % n;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ >> 20) % n;
  }
  bool one_in(u64 n) { return below(n) == 0; }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  static std::string text(u64 n) { return std::to_string(n); }

  void choose_array() {
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

  void choose_layout() {
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
        // The column xor the row.
        std::uint32_t all = 0;
        while ((u64{2} << all) <= columns_) ++all;
        c_.base = low();
        c_.bits = std::min(all, 5u);
        c_.shift = all;
      }
    }
  }

  // ---- the text

  void line(const std::string& s) { out_ += std::string(2 * depth_, ' ') + s + "\n"; }

  // How an extent is spelled; what is needed before the kernel goes there.
  std::string extent(u64 n, const std::string& called) {
    switch (below(9)) {
      case 0: head_ += "#define " + called + " " + text(n) + "\n"; return called;
      case 1: head_ += "constexpr int " + called + " = " + text(n) + ";\n"; return called;
      case 2: head_ += "#define " + called + " " + text(n / 2) + " + " + text(n - n / 2) + "\n"; return called;
      case 3:
        if (c_.free != 0) return text(n);  // a sum of it would be something else
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

  // Names of ints that are declared before the accesses, and what is known of them: below `n`.
  struct local {
    std::string name;
    u64 n;
  };

  std::string threads() const { return text(u64{c_.block[0]} * c_.block[1]); }

  // An int from 0 to n - 1.
  std::string value(u64 n, int levels = 3) {
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
  void declare_locals() {
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

  u64 all() const { return columns_ * rows_; }

  struct place {
    std::string row, column;
  };
  // Inside its row, or past its end.
  place inside() { return {value(rows_), value(columns_)}; }
  place over() {
    const u64 pitch = columns_ + c_.free;
    switch (below(7)) {
      case 0: return {"0", value(rows_ * pitch)};
      case 1: return {value(rows_ - 1), "(" + value(columns_) + ") + " + text(below(columns_))};
      case 2: return {"(" + value(rows_ - 1) + ") + 1", "(int)(" + value(columns_) + ") - " + text(pitch)};
      case 3: return {value(rows_ - 1), "((" + value(columns_) + ") + n) % " + text(columns_)};
      case 4: return {"(" + value(rows_ - 1) + ") + 1", "(tid - n) % " + text(columns_)};
      case 5: return {value(rows_ - 1), "(" + value(columns_) + ") + (n > 0 ? n % " + text(columns_) + " : 0)"};
      default: return {value(rows_ - 1), "n > 2 && n < " + text(columns_) + " ? (" + value(columns_) + ") + n : 0"};
    }
  }

  std::string element(const place& p) {
    const std::string name = is_union_ ? "u.tile" : "tile";
    if (is_flat_) return name + "[" + flat_index(p) + "]";
    if (is_deep_) {
      const u64 half = rows_ / 2;
      if (one_in(4)) return name + "[0][" + p.row + "][" + p.column + "]";  // rows of both
      return name + "[(" + p.row + ") / " + text(half) + "][(" + p.row + ") % " + text(half) + "][" + p.column + "]";
    }
    return name + "[" + p.row + "][" + p.column + "]";
  }
  std::string flat_index(const place& p) {
    const std::string pitch = text(columns_);
    if (c_.free != 0) {
      if (is_hostile_ && one_in(20))
        return "(" + p.row + ") * (BN + PAD) + (" + p.column + ") + PAD - " + text(c_.free);
      if (is_hostile_ && one_in(20)) return "(" + p.row + ") * " + text(columns_ + c_.free) + " + (" + p.column + ")";
      return "(" + p.row + ") * (BN + PAD) + (" + p.column + ")";
    }
    switch (below(3)) {
      case 0: return "(" + p.row + ") * " + pitch + " + (" + p.column + ")";
      case 1: return "(" + p.column + ") + " + pitch + " * (" + p.row + ")";
      default: return value(all());
    }
  }
  std::string first() {
    return is_union_ ? "u.tile[0][0]" : is_flat_ ? "tile[0]" : is_deep_ ? "tile[0][0][0]" : "tile[0][0]";
  }
  std::string whole() { return is_union_ ? "u.tile" : "tile"; }
  u64 room() const { return is_flat_ ? all() : rows_ * (columns_ + c_.free); }
  std::string scalar(const std::string& e) { return c_.type == "float4" ? "(" + e + ").x" : e; }
  std::string number(const std::string& e) { return c_.type == "float4" ? "make_float4(" + e + ", 1, 2, 3)" : e; }

  // An element that is read, as a value of the array's type.
  std::string read() {
    const bool hostile = is_hostile_ && one_in(2);
    if (!hostile) return element(inside());
    const std::string t = c_.type, k = value(room());
    const bool rows = !is_flat_ && !is_deep_ && !is_union_;
    switch (below(28)) {
      case 19: return "((" + t + "*)&" + first() + ")[" + k + "]";
      case 20: return "*reinterpret_cast<const " + t + "*>(&" + first() + " + " + k + ")";
      case 21: return "(&" + element(inside()) + ")[0]";
      case 22: return "*(" + t + "*)(&" + first() + " + " + k + ")";
      case 23: return "*((const " + t + "*)(" + t + "*)&" + element(inside()) + ")";
      case 24: return "(reinterpret_cast<const " + t + "*>(&" + first() + "))[0 + " + k + "]";
      case 25:
        if (c_.type != "float" || columns_ % 2 != 0) return element(over());
        return "(*(float2*)&" + element({value(rows_), "2 * (" + value(columns_ / 2) + ")"}) + ").y";
      case 26:
        if (!is_union_ || c_.type == "float4") return element(over());
        return "u.other[" + value(all()) + "]";
      case 0: return "(&" + first() + ")[" + k + "]";
      case 1: return "*(&" + first() + " + " + k + ")";
      case 2: return "((const " + t + "*)" + whole() + ")[" + k + "]";
      case 3: return "reinterpret_cast<const " + t + "*>(&" + first() + ")[" + k + "]";
      case 4: return "*reinterpret_cast<" + t + "*>(&" + element(inside()) + ")";
      case 5: return "*(" + t + "*)&" + element(inside());
      case 6:
        helper_row_ = rows;
        return rows ? "row_of(tile[" + value(rows_) + "], " + value(columns_) + ")" : element(over());
      case 7: helper_first_ = true; return "first_of(&" + element(inside()) + ")";
      case 8: helper_behind_ = true; return "behind(&" + element({"0", "0"}) + ", " + k + ")";
      case 9: helper_reference_ = true; return "same(" + element(inside()) + ")";
      case 10: helper_address_ = true; return "reached(" + element({"0", "0"}) + ", " + k + ")";
      case 11:
        helper_array_ = rows;
        return rows ? "handed(tile, " + value(rows_) + ", " + value(columns_) + ")" : element(over());
      case 12: helper_array_over_ = rows; return rows ? "handed_over(tile, 0, " + k + ")" : element(over());
      case 13: return "(&(" + first() + "))[" + k + "]";
      case 14: return "(*&" + element(inside()) + ")";
      case 15:
        if (c_.type != "float") return element(over());
        helper_lds_ = true;
        return one_in(2) ? "lds((unsigned)__cvta_generic_to_shared(&" + element(inside()) + "))"
                         : "lds((unsigned)__cvta_generic_to_shared(&" + first() + ") + 4 * (" + k + "))";
      case 16:
        if (rows)
          return "tile[" + value(rows_ - 1) + " + sizeof(tile[0]) / sizeof(tile[0]) - 1][" + value(columns_) + "]";
        return element(over());
      case 17:
        if (rows)
          return "(&" + first() + ")[(" + value(rows_) + ") * (sizeof(tile[0]) / sizeof(" + t + ")) + " +
                 value(columns_) + "]";
        return element(over());
      case 18:
        if (c_.type != "float" || columns_ % 4 != 0 || c_.free != 0) return element(over());
        return "reinterpret_cast<const float4*>(&" + element({value(rows_), "4 * (" + value(columns_ / 4) + ")"}) +
               ")[0].y";
      default: return element(over());
    }
  }

  // A few statements that read elements.
  void reads() {
    const std::string result = "out[tid + " + threads() + " * " + text(results_++) + "]";
    const auto add = [&](const std::string& e) { return result + " += " + scalar(e) + ";"; };
    const std::size_t known = locals_.size();
    const std::string t = c_.type, k = value(room());
    switch (below(20)) {
      case 0: {
        const u64 n = any<u64>({2, 4, rows_, columns_});
        line("for (int k = 0; k < " + text(n) + "; ++k)");
        locals_.push_back({"k", n});
        line("  " + add(read()));
        break;
      }
      case 1: {
        const u64 n = any<u64>({rows_, columns_, all()});
        line("for (int k = threadIdx.x; k < " + text(n) + "; k += " + text(c_.block[0]) + ") {");
        locals_.push_back({"k", n});
        line("  " + add(read()));
        line("}");
        break;
      }
      case 2:
        line("if (threadIdx.x < " + text(columns_ / 2) + ") " +
             add(element({value(rows_), "threadIdx.x + " + text(columns_ / 2)})));
        break;
      case 3: {  // a name of another block
        line("{ const int hidden = " + value(2) + "; " + add(read()) + " " + result + " += hidden; }");
        line("{ const int hidden = " + value(all()) + "; " +
             add(is_flat_ || is_deep_ ? element(inside()) : element({"0", "hidden"})) + " }");
        break;
      }
      case 4:
        line(t + "* q" + text(results_) + " = &" + element({"0", "0"}) + ";");
        line(add("q" + text(results_) + "[" + k + "]"));
        break;
      case 5:
        line(t + "& r" + text(results_) + " = " + element({"0", "0"}) + ";");
        line(add(is_hostile_ ? "(&r" + text(results_) + ")[" + k + "]" : "r" + text(results_)));
        break;
      case 6:
        if (!is_flat_ && !is_deep_ && !is_union_)
          line("const auto* row" + text(results_) + " = tile[" + value(rows_) + "]; " +
               add("row" + text(results_) + "[" + value(columns_) + "]"));
        break;
      case 7: {
        line("int s" + text(results_) + " = " + value(columns_, 0) + ";");
        line("s" + text(results_) + " = s" + text(results_) + " / 2;");
        line(add(element({value(rows_), "s" + text(results_) + (one_in(2) ? "++" : "")})));
        line(result + " += s" + text(results_) + ";");
        break;
      }
      case 8:
        line("int w" + text(results_) + " = 0;");
        line("while (w" + text(results_) + " < " + text(columns_) + ") {");
        line("  " + add(element({value(rows_), "w" + text(results_)})));
        line("  w" + text(results_) + " += 4;");
        line("}");
        break;
      case 9:
        if (is_hostile_ && !is_flat_ && !is_union_ && !is_deep_) {
          line("for (int k = tid; k < (int)(sizeof(tile) / sizeof(" + t + ")); k += " + threads() + ")");
          line("  " + result + " += " + scalar("(&tile[0][0])[k]") + " * k;");
          break;
        }
        line(add(read()));
        break;
      case 10: {
        const std::string called = "AT" + text(macros_++);
        head_ += "#define " + called + "(y, x) " +
                 (one_in(3) && !is_union_ && !is_flat_ && !is_deep_ ? "tile[y][x]" : "((y) + (x))") + "\n";
        if (out_.empty() || head_.find(called + "(y, x) tile") != std::string::npos)
          line(add(called + "(" + value(rows_, 1) + ", " + value(columns_, 1) + ")"));
        else
          line(result + " += " + called + "(1, 2);");
        break;
      }
      case 11:
        if (is_hostile_ && !is_union_) {
          line("{ " + t + " tile[2][2]; tile[1][0] = " + number("tid") + "; tile[0][tid & 1] = " + number("3") + "; " +
               add("tile[1][0]") + " }");
          break;
        }
        line(add(read()));
        break;
      case 12:
        line("const auto f" + text(results_) + " = [&](int a, int b) { return " +
             scalar(is_flat_ || is_deep_ || is_union_ ? element(inside()) : "tile[a][b]") + "; };");
        line(result + " += f" + text(results_) + "(" + value(rows_) + ", " + value(columns_) + ");");
        break;
      case 13: {
        if (!is_hostile_) {
          line(add(read()));
          break;
        }
        const std::string q = text(results_), n = text(columns_);
        const std::string up = is_flat_ || is_deep_ ? "0" : "k";
        switch (below(8)) {
          case 0: line("for (int k = " + text(columns_ - 1) + "; k != -1; --k) " + add(element({"0", "k"}))); break;
          case 1:
            line("int k" + q + " = 0; for (; k" + q + " < " + text(all()) + "; k" + q + " += 5) " +
                 add(element({"0", "k" + q})));
            break;
          case 2:
            line("for (int k = " + n + " / 2; k > 0; k >>= 1) " +
                 add(element({value(rows_ - 1), "k + (" + value(columns_ / 2) + ")"})));
            break;
          case 3:
            line("if (threadIdx.x < " + text(columns_ / 2) + ") { int m = threadIdx.x; m += " + n + "; " +
                 add(element({value(rows_ - 1), "m"})) + " }");
            break;
          case 4:
            line("if (tid < " + n + " && n > 0 || n > 100) " +
                 add(element({value(rows_ - 1), "tid % " + text(2 * columns_)})));
            break;
          case 5: line("if (tid < 8 == 0) " + add(element({"0", "tid"}))); break;
          case 6:
            line("{ int m = " + value(columns_) + "; move_up(m); " + add(element({value(rows_ - 1), "m"})) + " }");
            helper_move_ = true;
            break;
          default:
            line("{ int m = " + value(columns_) + "; int& other = m; other += 3; " +
                 add(element({value(rows_ - 1), "m"})) + " }");
        }
        break;
      }
      case 14: {
        if (!is_hostile_) {
          line(add(read()));
          break;
        }
        const std::string q = text(results_);
        line("const auto g" + q + " = [](const " + t + "& e, int x) { return " + (one_in(3) ? "e" : "(&e)[x]") +
             "; };");
        line(add("g" + q + "(" + element({"0", "0"}) + ", " + k + ")"));
        break;
      }
      case 15:
        if (!is_hostile_ || c_.type != "float") {
          line(add(read()));
          break;
        }
        helper_lds_ = true;
        line("{ unsigned a = (unsigned)__cvta_generic_to_shared(&" + element({"0", "0"}) +
             "); float v; asm volatile(\"ld.shared.f32 %0, [%1" + any<std::string>({"", "", " + 64"}) +
             "];\" : \"=f\"(v) : \"r\"(a" + any<std::string>({"", " + 4 * (" + k + ")"}) + ")); " + result +
             " += v; }");
        break;
      default: line(add(read())); break;
    }
    locals_.resize(known);
  }

  void writes() {
    const std::string v = number("(tid * 3 + " + text(below(50)) + ")");
    switch (below(6)) {
      case 0:
        line("if (tid == " + text(below(30)) + ") " + element(is_hostile_ ? over() : inside()) + " = " + v + ";");
        break;
      case 1:
        if (c_.type == "float4" || c_.type == "double") break;
        if (is_hostile_ && one_in(2))
          line("atomicAdd(&" + first() + " + " + value(room()) + ", 1);");
        else
          line("atomicAdd(&" + element(inside()) + ", 1);");
        break;
      case 2:
        if (is_hostile_) line("(&" + first() + ")[" + value(room()) + "] = " + v + ";");
        break;
      default: line(element(inside()) + " = " + v + ";");
    }
  }

  void fill() {
    const std::string n = text(all()), w = text(columns_);
    const auto loop = [&](const std::string& body) {
      line("for (int i = tid; i < " + n + "; i += " + threads() + ") " + body);
    };
    const std::string from = number("in[i]");
    if (is_flat_ && c_.free != 0) return loop("tile[(i / BN) * (BN + PAD) + i % BN] = " + from + ";");
    if (is_flat_) return loop("tile[i] = " + from + ";");
    if (c_.free != 0) {  // also free columns: words read beyond a row were written
      line("for (int i = tid; i < " + text(rows_) + "; i += " + threads() + ")");
      line("  for (int k = 0; k < " + text(columns_) + "; ++k) " + element({"i", "k"}) + " = " +
           number("in[i * 64 + k]") + ";");
      return;
    }
    if (is_hostile_ && one_in(4)) return loop(element({"0", "i"}) + " = " + from + ";");
    if (is_hostile_ && one_in(5)) return loop("(&" + first() + ")[i] = " + from + ";");
    if (c_.type == "float" && is_hostile_ && one_in(6))
      return line("if (tid == 0) memcpy(" + whole() + ", in, " + n + " * 4);");
    if (is_deep_)
      return loop("tile[i / " + w + " / " + text(rows_ / 2) + "][i / " + w + " % " + text(rows_ / 2) + "][i % " + w +
                  "] = " + from + ";");
    loop(element({"i / " + w, "i % " + w}) + " = " + from + ";");
  }

  void write() {
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

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
  u64 state_ = 1;
  edit_case c_;
  u64 rows_ = 32, columns_ = 32;
  bool is_flat_ = false, is_dynamic_ = false, is_union_ = false, is_deep_ = false, is_hostile_ = false;
  std::string head_, out_;
  std::size_t depth_ = 0;
  std::vector<local> locals_;
  int macros_ = 0, results_ = 0;
  bool helper_row_ = false, helper_first_ = false, helper_behind_ = false, helper_reference_ = false,
       helper_address_ = false, helper_array_ = false, helper_array_over_ = false, helper_lds_ = false,
       helper_pick_ = false, helper_move_ = false;
};

}  // namespace

edit_case make_edit_case(const std::uint8_t* data, std::size_t size) { return generator(data, size).run(); }

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
