// Prints the parts {@name} of instructions on tensor memory.
#include "sass/fields/fields.hpp"
#include "sass/print/printer.hpp"

namespace bankwise::sass {

namespace {

// Whether the row has scales for numbers of 8 bits or fewer.
bool has_scales_of_bytes(const instruction& i) { return i.bit(10) && i.bit(11); }
bool has_a_in_tensor_memory(const instruction& i) { return i.bits(9, 3) == 4 || i.bits(9, 3) == 7; }

}  // namespace

void printer::product_in_tensor_memory() {
  static constexpr sv kinds[] = {"H", "I", ".INVALID2", "Q"};
  const bool scaled = flag("scaled"), scaled_bytes = has_scales_of_bytes(i_);
  out_ += "UTC" + std::string(scaled ? "O" : kinds[value("numbers")]) + "MMA";
  if (flag(".2CTA")) out_ += ".2CTA";
  if (flag(".WS") && !scaled) out_ += ".WS";
  if (scaled && !flag("long_blocks")) out_ += ".4X";
  if (flag(".ASHIFT") && !scaled && !scaled_bytes) out_ += ".ASHIFT";
  std::string of_a, of_b;
  if (flag(".A_REUSE")) of_a += ".A_REUSE";
  if (flag(".A_KEEP")) of_a += ".A_KEEP";
  const bool has_b_buffers = !scaled && !flag(".2CTA");
  if (has_b_buffers && flag(".B_REUSE")) of_b += ".B_REUSE";
  if (has_b_buffers && flag(".B_KEEP")) of_b += ".B_KEEP";
  if (has_b_buffers && !scaled_bytes && value("buffer") != 0) of_b += ".BUFFER" + std::to_string(value("buffer"));
  const auto at = [&](sv space, unsigned n) { return std::string(space) + "[" + ureg(n) + "]"; };
  const unsigned instruction = register_of("instruction");
  out_ += " " + at(has_a_in_tensor_memory(i_) ? "tmem" : "gdesc", register_of("a")) + of_a + ", " +
          at("gdesc", register_of("b")) + of_b + ", " + at("tmem", register_of("sums")) + ", " +
          at("tmem", instruction) + ", " +
          at("idesc", instruction == uniform_register_zero ? instruction : instruction + 1);
  const unsigned mask = register_of("mask");
  if (scaled || scaled_bytes)
    out_ += ", " + at("tmem", mask);
  else if (mask != uniform_register_zero)
    out_ += ", " + ureg(mask);
  out_ += ", " + text_of(predicate("adds"), true);
  if (!scaled && !scaled_bytes && value("numbers") == 0 && value("scale") != 0) out_ += ", " + hex0x(value("scale"));
}

void printer::shape_of_copy() {
  static constexpr sv forms[] = {"",
                                 ".INVALID1",
                                 ".4dp256bit",
                                 ".128dp128bit",
                                 ".2x64dp128bit_lw02_lw13",
                                 ".2x64dp128bit_lw01_lw23",
                                 ".4x32dp128bit",
                                 ".INVALID7"};
  out_ += forms[value("form_high") << 2 | value("form")];
}

void printer::shape_of_move() {
  static constexpr sv layouts[] = {".16dp128bit",       ".16dp256bit",        "",          ".16dp64bit",
                                   ".16dp32bit_t0_t15", ".16dp32bit_t16_t31", ".INVALID6", ".INVALID7"};
  const row_fields f(i_);
  const unsigned layout = tensor_layout_number(f);
  constexpr unsigned whole = 2, halves = 4;  // LDTM.STAT has only these layouts, and needs at least two columns
  const bool is_known = !f.has("extreme") || layout == whole || layout / 2 == halves / 2;
  out_ += is_known ? std::string(layouts[layout]) : ".INVALID" + std::to_string(layout);
  if (tensor_repeats(f) == 1 && f.has("extreme")) out_ += ".INVALID0";
  if (tensor_repeats(f) != 1) out_ += ".x" + std::to_string(tensor_repeats(f));
}

void printer::extreme_of_move() {
  static constexpr sv types[] = {"", ".S32", ".F32", ".INVALID3"};
  out_ += flag(".MIN") ? ".MIN" : ".MAX";
  if (flag(".ABS")) out_ += "ABS";
  out_ += types[value("extreme_type")];
  if (flag(".NAN")) out_ += ".NAN";
}

void printer::column_offset() {
  const auto offset =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(value("offset_high") << 24 | value("offset")));
  if (offset != 0) out_ += "+" + signed_hex(offset);
}

}  // namespace bankwise::sass
