// Writes the statements of a generated kernel, which read and write elements.

#include "edit_generator.hpp"

namespace bankwise::fuzz {

edit_generator::place edit_generator::over() {
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

std::string edit_generator::element(const place& p) {
  const std::string name = is_union_ ? "u.tile" : "tile";
  if (is_flat_) return name + "[" + flat_index(p) + "]";
  if (is_deep_) {
    const u64 half = rows_ / 2;
    if (one_in(4)) return name + "[0][" + p.row + "][" + p.column + "]";  // the row may exceed the first half
    return name + "[(" + p.row + ") / " + text(half) + "][(" + p.row + ") % " + text(half) + "][" + p.column + "]";
  }
  return name + "[" + p.row + "][" + p.column + "]";
}

std::string edit_generator::flat_index(const place& p) {
  const std::string pitch = text(columns_);
  if (c_.free != 0) {
    if (is_hostile_ && one_in(20)) return "(" + p.row + ") * (BN + PAD) + (" + p.column + ") + PAD - " + text(c_.free);
    if (is_hostile_ && one_in(20)) return "(" + p.row + ") * " + text(columns_ + c_.free) + " + (" + p.column + ")";
    return "(" + p.row + ") * (BN + PAD) + (" + p.column + ")";
  }
  switch (below(3)) {
    case 0: return "(" + p.row + ") * " + pitch + " + (" + p.column + ")";
    case 1: return "(" + p.column + ") + " + pitch + " * (" + p.row + ")";
    default: return value(all());
  }
}

std::string edit_generator::read() {
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

void edit_generator::reads() {
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
    case 3: {  // a statement that uses a name from a different scope
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
      line("const auto g" + q + " = [](const " + t + "& e, int x) { return " + (one_in(3) ? "e" : "(&e)[x]") + "; };");
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
           "];\" : \"=f\"(v) : \"r\"(a" + any<std::string>({"", " + 4 * (" + k + ")"}) + ")); " + result + " += v; }");
      break;
    default: line(add(read())); break;
  }
  locals_.resize(known);
}

void edit_generator::writes() {
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

void edit_generator::fill() {
  const std::string n = text(all()), w = text(columns_);
  const auto loop = [&](const std::string& body) {
    line("for (int i = tid; i < " + n + "; i += " + threads() + ") " + body);
  };
  const std::string from = number("in[i]");
  if (is_flat_ && c_.free != 0) return loop("tile[(i / BN) * (BN + PAD) + i % BN] = " + from + ";");
  if (is_flat_) return loop("tile[i] = " + from + ";");
  if (c_.free != 0) {  // also fills the free columns, because words beyond a row must be written before reads
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

}  // namespace bankwise::fuzz
