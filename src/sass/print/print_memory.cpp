// Prints the parts {@name} of two kinds of instructions: memory accesses and tensor core instructions. These parts are
// the memory order, atomics, shapes and operands.
#include "sass/operand/access_bytes.hpp"
#include "sass/operand/tensor_shape.hpp"
#include "sass/print/printer.hpp"
#include "sass/words.hpp"

namespace bankwise::sass {

// --- Memory

void printer::popc_or_arrive() { out_ += arrives_at_mbarrier(row_fields(i_)) ? ".ARRIVE.64" : ".POPC.INC.32"; }
void printer::evict() {
  static constexpr sv kinds[] = {".EF", "", ".EL", ".LU", ".EU", ".NA", ".INVALID6", ".INVALID7"};
  out_ += kinds[value("eviction")];
}
void printer::kept() {
  const std::uint64_t words = value("kept") | value("keeps_last") << 7;
  if (words != 0xff) out_ += ", " + hex0x(words);
}
void printer::order(bool is_load) {
  static constexpr sv orders[] = {"",          ".CONSTANT.PRIVATE", ".CONSTANT.CTA",        ".CONSTANT.CTA.PRIVATE",
                                  ".CONSTANT", ".STRONG.SM",        ".STRONG.GPU.PRIVATE",  ".STRONG.GPU",
                                  ".MMIO.GPU", ".CONSTANT.SM",      ".STRONG.SYS",          ".CONSTANT.SM.PRIVATE",
                                  ".MMIO.SYS", ".CONSTANT.VC",      ".CONSTANT.VC.PRIVATE", ".CONSTANT.GPU"};
  const auto order = value("order");
  if (traits_of(i_.set).split_order) {
    static constexpr sv strength[] = {".CONSTANT", "", ".STRONG", ".MMIO"}, scope[] = {".CTA", ".SM", ".GPU", ".SYS"};
    out_ += std::string(strength[order >> 2]) + std::string(scope[order & 3]);
    return;
  }
  out_ += order == 4 && !is_load ? ".STRONG.SM.PRIVATE" : std::string(orders[order]);
}
void printer::order_of_load() { order(true); }
void printer::order_of_store() { order(false); }
void printer::order_of_swap() {
  if ((value("swap") & 1) == 0) order(false);
}
void printer::swap() {
  static constexpr sv kinds[] = {".CAS", ".CAST", ".CAS", ".CAST.SPIN"};
  out_ += kinds[value("swap")];
}

// --- Tensor cores

// With .2CTA, .WAKEUP is not printed, because all code for a pair of blocks sets this bit.
void printer::wakeup() {
  if (flag(".WAKEUP") && !flag(".2CTA")) out_ += ".WAKEUP";
}

void printer::hmma_shape() {
  const bool wide = flag("wide"), narrow = flag("narrow");
  if (flag(".SP"))
    out_ += narrow ? ".16832" : wide ? ".16816" : ".1688";
  else
    out_ += narrow ? (wide ? ".INVALID3" : ".1684") : wide ? ".16816" : ".1688";
}
void printer::imma_shape() {
  if (const std::optional<tensor_shape> s = tensor_shape_of(i_))
    out_ += "." + std::to_string(s->rows) + "8" + std::to_string(s->k);
  else
    out_ += ".INVALID" + std::to_string(value("shape_high") << 1 | value("shape_low"));
}
void printer::imma_types() {
  static constexpr sv types[] = {".U8", ".S8", ".U4", ".S4"};
  out_ += types[value("a_signed") | value("a_nibbles") << 1];
  out_ += types[value("b_signed") | value("b_nibbles") << 1];
}
void printer::negated_a() {
  if (flag(".negA")) out_ += "-";
}
void printer::negated_b() {
  if (flag(".negB")) out_ += "-";
}
void printer::sparse() {
  if (!flag(".SP")) return;
  out_ += ", " + reg(register_of("metadata"));
  if (info_->op != opcode::IGMMA && info_->op != opcode::QGMMA) out_ += ", " + hex0x(value("selector"));
}
// Prints the selector of a sparse A. The register with A's metadata precedes the register with A's scales.
void printer::selector() {
  if (flag(".SP")) out_ += ", " + hex0x(value("selector"));
}
// Prints the reuse mark of the scales of B. This mark is separate from the reuse marks of the schedule.
void printer::scales_reuse() {
  if (reuse_ && value("reuses_scales") != 0) out_ += ".reuse";
}
void printer::next_barrier() { out_ += ", [" + ureg(std::min(i_.uniform(slot::a) + 1, uniform_register_zero)) + "]"; }
void printer::small_floats() {
  static constexpr sv types[] = {".E4M3", ".E5M2", ".INVALID2", ".E3M2", ".E2M3", ".E2M1", ".INVALID6", ".INVALID7"};
  out_ += types[value("a_type") | value("a_type_high") << 1];
  out_ += types[value("b_type") | value("b_type_high") << 1];
}
void printer::bulk_descriptor() {
  if (flag("has_descriptor")) out_ += ", desc[" + ureg(register_of("descriptor")) + "]";
}
void printer::warpgroup() {
  const auto kind = row_fields(i_).as<group_step>("kind");
  out_ += kind == group_step::arrive ? ".ARRIVE"
          : kind == group_step::wait ? ".WAIT"
                                     : ".DEPBAR.LE gsb0, " + hex0x(value("pending"));
}
// Prints the mask of channels, unless the mask contains all four channels.
void printer::channels() {
  const std::uint64_t mask = row_fields(i_).value("channels");
  if (mask != 15) out_ += ", 0x" + hex(mask);
}
void printer::lod() {
  const row_fields f(i_);
  out_ += words("texture_lod", i_.set)[f.value("lod_high") << 1 | f.value("lod_low")];
}
void printer::encoding() { out_ += " /* 0x" + hex(i_.high, 16) + hex(i_.low, 16) + " */"; }
void printer::group_columns() { out_ += std::to_string(warp_group_columns(row_fields(i_))); }
void printer::group_depth() {
  const unsigned dense = info_->op != opcode::HGMMA ? 32 : value("hmma_in") == 2 || flag("short_depth") ? 8 : 16;
  out_ += std::to_string(flag(".SP") ? 2 * dense : dense);
}
void printer::group_operands() {
  const bool a_in_registers = group_has_a_in_registers(i_);
  if (a_in_registers) out_ += (flag(".negA") ? "-" : "") + reg(register_of("a")) + ", ";
  out_ += "gdesc[" + ureg(register_of("descriptors")) + "]";
  if (flag(".tnspA") && !a_in_registers) out_ += ".tnspA";
  if (flag(".tnspB")) out_ += ".tnspB";
  if (flag(".negA") && !a_in_registers) out_ += ".negA";
  if (flag(".negB")) out_ += ".negB";
}
void printer::group_end() {
  sparse();
  if (value("group") != 7) out_ += ", gsb0";
}

}  // namespace bankwise::sass
