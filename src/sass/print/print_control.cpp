// Prints the parts {@name} of branches, barriers and cache operations.
#include "sass/operand/branch.hpp"
#include "sass/print/printer.hpp"

namespace bankwise::sass {

// --- Control flow

void printer::target() { out_ += signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_))); }
void printer::bra() {
  static constexpr sv kinds[] = {"", ".U", ".DIV", ".CONV"};
  const branch b = branch_of(i_);
  out_ += std::string(kinds[static_cast<unsigned>(b.kind)]) + (b.any ? ".ANY " : " ");
  if (const predicate_operand p = predicate("condition"); !p.is_true()) out_ += text_of(p) + ", ";
  if (const predicate_operand p{b.predicate, b.predicate_negated}; b.kind == branch_kind::uniform && !p.is_true())
    out_ += text_of(p, true) + ", ";
  if (b.has_lanes) out_ += std::string(b.lanes_inverted ? "~" : "") + ureg(b.lanes) + ", ";
  target();
}
void printer::bra_uniform() {
  const predicate_operand p = predicate("condition");
  out_ += std::string(".U") + (flag(".ANY") ? ".ANY " : " ") + (p.is_true() ? "" : text_of(p) + ", ") +
          text_of(predicate("uniform_condition"), true) + ", ";
  target();
}
// The printed address and the value of the register are relative to the next instruction.
void printer::brx() {
  out_ +=
      " " + reg(register_of("base")) + " " + signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_) - pc_ - 16));
}
void printer::brx_uniform() {
  out_ +=
      " " + ureg(register_of("base")) + " " + signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_) - pc_ - 16));
}
void printer::barrier_register() {
  const bool to_barrier = info_->op == opcode::BMOV_B || info_->op == opcode::BMOV_I;
  const auto n = value("special");
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
  out_ += kinds[value("kind")];
  if (const auto n = value("number"); n != 0) out_ += " " + hex0x(n);
}
void printer::collective() {
  if (!flag(".COLLECTIVE")) return;
  out_ += ", ";
  target();
}
void printer::all_lanes() {
  const bool collective = flag(".COLLECTIVE");
  if (const predicate_operand p = predicate("condition"); !p.is_true())
    out_ += " " + text_of(p) + (collective ? "," : "");
  if (!collective) return;
  out_ += " ";
  target();
}
void printer::depbar() {
  const std::uint64_t scoreboards = value("scoreboards");
  if (flag("counts")) {
    out_ += ".LE SB" + std::to_string(value("scoreboard")) + ", " + hex0x(value("most"));
    std::string rest;
    for (unsigned b = 0; b < 6; ++b)
      if ((scoreboards >> b & 1) != 0) rest += (rest.empty() ? "" : ",") + std::to_string(b);
    if (!rest.empty()) out_ += ", {" + rest + "}";
  } else {
    for (unsigned b = 6; b-- > 0;)
      if ((scoreboards >> b & 1) != 0) out_ += std::string(out_.ends_with("DEPBAR") ? " {" : ",") + std::to_string(b);
    if (!out_.ends_with("DEPBAR")) out_ += "}";
  }
}
void printer::b2r() {
  static constexpr sv kinds[] = {"", ".RESULT", ".WARP", ".INVALID3"};
  const auto kind = value("kind");
  out_ += std::string(kinds[kind]) + " " + reg(register_of("result"));
  if (kind == 0) out_ += ", " + hex0x(value("barrier"));
  if (const predicate_operand p = predicate("flag"); kind == 1 && !p.is_true()) out_ += ", " + text_of(p);
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
  out_ += " " + (id_is_reg ? reg(register_of("operand")) : hex0x(value("barrier")));
  if (count_is_reg)
    out_ += ", " + reg(register_of("operand"));
  else if (const auto n = value("threads"); n != 0)
    out_ += ", " + hex0x(n);
  if (kind >= 2) out_ += ", " + text_of(predicate("condition"));
}
void printer::cctl() {
  static constexpr sv cache[] = {"", ".U", ".C", ".I"};
  static constexpr sv what[] = {".PF1",    ".PF2",   ".WB",     ".IV",   ".IVALL", ".RS",
                                ".IVALLP", ".WBALL", ".WBALLP", ".PML2", ".DML2",  ".RML2"};
  const auto k = value("kind");
  const bool all = k == 4 || k == 6 || k == 7 || k == 8;
  out_ += std::string(flag("is_wide") && !all ? ".E" : "") + std::string(cache[value("cache")]) +
          std::string(k < 12 ? what[k] : ".INVALID");
  if (all) return;
  out_ += " ";
  const std::string base = reg(register_of("base"));
  const std::int64_t offset = row_fields(i_).signed_value("offset");
  out_ += flag("has_uniform") ? sum(base + ".U32", ureg(register_of("uniform")), offset) : sum(base, "", offset);
}

}  // namespace bankwise::sass
