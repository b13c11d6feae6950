// What no part of a row describes: branches, barriers, caches.
#include "sass/branch.hpp"
#include "sass/print/printer.hpp"

namespace bankwise::sass {

// --- control flow

void printer::target() { out_ += signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_))); }
void printer::bra() {
  static constexpr sv kinds[] = {"", ".U", ".DIV", ".CONV"};
  const branch b = branch_of(i_);
  out_ += std::string(kinds[static_cast<unsigned>(b.kind)]) + (b.any ? ".ANY " : " ");
  if (!is_plain_true(87)) out_ += not_pred(87, false) + ", ";
  if (b.kind == branch_kind::uniform && i_.bits(24, 4) != 0) out_ += inverted_pred(i_.bits(24, 4), true) + ", ";
  if (b.has_lanes) out_ += std::string(b.lanes_inverted ? "~" : "") + ureg(b.lanes) + ", ";
  target();
}
void printer::bra_uniform() {
  out_ += std::string(".U") + (flag(".ANY") ? ".ANY " : " ") + (is_plain_true(87) ? "" : not_pred(87, false) + ", ") +
          not_pred(24, true) + ", ";
  target();
}
// Relative to the next instruction, as the register is.
void printer::brx() {
  out_ += " " + reg(i_.bits(24, 8)) + " " + signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_) - pc_ - 16));
}
void printer::brx_uniform() {
  out_ += " " + ureg(i_.uniform(24)) + " " + signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_) - pc_ - 16));
}
void printer::barrier_register() {
  const bool to_barrier = info_->op == opcode::BMOV_B || info_->op == opcode::BMOV_I;
  const auto n = i_.bits(24, 5);
  out_ += n < 16                  ? "B" + std::to_string(n)
          : to_barrier && n == 22 ? "TRAP_RETURN_PC.HI"
          : n == 24               ? "MEXITED"
                                  : "B" + std::to_string(n);
}
void printer::absolute_offset() {
  if (const std::int64_t offset = i_.distance(); offset != 0) out_ += " " + signed_hex(offset * 4);
}
void printer::bpt() {
  static constexpr sv kinds[] = {".INVALID0", ".CAL", ".PAUSE", ".TRAP", ".INT", ".DRAIN", ".DRAIN", ".DRAIN"};
  out_ += kinds[i_.bits(84, 3)];
  if (const auto n = i_.bits(34, 20); n != 0) out_ += " " + hex0x(n);
}
void printer::collective() {
  if (!flag(".COLLECTIVE")) return;
  out_ += ", ";
  target();
}
void printer::all_lanes() {
  const bool collective = flag(".COLLECTIVE");
  if (!is_plain_true(87)) out_ += " " + not_pred(87, false) + (collective ? "," : "");
  if (!collective) return;
  out_ += " ";
  target();
}
void printer::depbar() {
  if (i_.bit(47)) {
    out_ += ".LE SB" + std::to_string(i_.bits(44, 3)) + ", " + hex0x(i_.bits(38, 6));
    std::string rest;
    for (unsigned b = 0; b < 6; ++b)
      if (i_.bit(32 + b)) rest += (rest.empty() ? "" : ",") + std::to_string(b);
    if (!rest.empty()) out_ += ", {" + rest + "}";
  } else {
    for (unsigned b = 6; b-- > 0;)
      if (i_.bit(32 + b)) out_ += std::string(out_.ends_with("DEPBAR") ? " {" : ",") + std::to_string(b);
    if (!out_.ends_with("DEPBAR")) out_ += "}";
  }
}
void printer::b2r() {
  static constexpr sv kinds[] = {"", ".RESULT", ".WARP", ".INVALID3"};
  const auto kind = value("kind");
  out_ += std::string(kinds[kind]) + " " + reg(i_.bits(16, 8));
  if (kind == 0) out_ += ", " + hex0x(value("barrier"));
  if (kind == 1 && i_.bits(81, 3) != predicate_true) out_ += ", " + pred(i_.bits(81, 3));
}
void printer::bar() {
  static constexpr sv kinds[] = {".SYNC", ".ARV", ".RED", ".SCAN"};
  static constexpr sv reductions[] = {".POPC", ".AND", ".OR", ".INVALID3"};
  const auto kind = value("kind");
  out_ += kinds[kind];
  if (flag(".ALL")) out_ += "ALL";
  if (kind == 2) out_ += reductions[value("reduction")];
  if (flag(".DEFER_BLOCKING")) out_ += ".DEFER_BLOCKING";
  const bool id_is_reg = info_->op == opcode::BAR_RR || info_->op == opcode::BAR_RI;
  const bool count_is_reg = info_->op == opcode::BAR_RR || info_->op == opcode::BAR_IR;
  out_ += " " + (id_is_reg ? reg(i_.bits(32, 8)) : hex0x(value("barrier")));
  if (count_is_reg)
    out_ += ", " + reg(i_.bits(32, 8));
  else if (const auto n = value("threads"); n != 0)
    out_ += ", " + hex0x(n);
  if (kind >= 2) out_ += ", " + not_pred(87, false);
}
void printer::cctl() {
  static constexpr sv cache[] = {"", ".U", ".C", ".I"};
  static constexpr sv what[] = {".PF1",    ".PF2",   ".WB",     ".IV",   ".IVALL", ".RS",
                                ".IVALLP", ".WBALL", ".WBALLP", ".PML2", ".DML2",  ".RML2"};
  const auto k = i_.bits(87, 4);
  const bool all = k == 4 || k == 6 || k == 7 || k == 8;
  out_ += std::string(i_.bit(72) && !all ? ".E" : "") + std::string(cache[i_.bits(78, 2)]) +
          std::string(k < 12 ? what[k] : ".INVALID");
  if (all) return;
  out_ += " ";
  out_ += i_.bit(91) ? sum(reg(i_.bits(24, 8)) + ".U32", ureg(i_.uniform(64)), i_.signed_bits(32, 32))
                     : sum(reg(i_.bits(24, 8)), "", i_.signed_bits(32, 32));
}

}  // namespace bankwise::sass
