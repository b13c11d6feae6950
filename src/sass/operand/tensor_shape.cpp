// Reads the shape of a product. Each opcode encodes the shape in different bits.
#include "sass/operand/tensor_shape.hpp"

#include "sass/modifiers.hpp"
#include "sass/row.hpp"

namespace bankwise::sass {

namespace {

using known_shape = std::optional<tensor_shape>;

constexpr known_shape known(unsigned a_rows, unsigned k, unsigned element_bits = 16, unsigned result_bits = 32) {
  return tensor_shape{a_rows, k, element_bits, result_bits};
}

known_shape of_halves(const row_fields& f) {
  tensor_shape s{16, 0};
  s.element_bits = f.as<product_number>("hmma_in") == product_number::tf32 ? 32 : 16;
  s.result_bits = f.flag("hmma_type") ? 32 : 16;
  s.sparse = f.flag(".SP");
  const bool wide = f.flag("wide"), narrow = f.flag("narrow");
  if (narrow && wide != s.sparse) return {};
  s.k = !narrow ? (wide ? 16 : 8) : s.sparse ? 32 : 4;
  return s;
}

known_shape of_integers(const row_fields& f, isa set) {
  static constexpr known_shape newer[] = {known(8, 16),  known(8, 32),  {}, {},
                                          known(16, 16), known(16, 32), {}, known(16, 64)};
  static constexpr known_shape older[] = {known(8, 16),  {}, known(8, 32), {}, known(16, 16), known(16, 32),
                                          known(16, 64), {}};
  static constexpr known_shape sparse[] = {{}, {}, {}, {}, {}, known(16, 32), known(16, 64), known(16, 128)};
  const auto index = f.value("shape_high") << 1 | f.value("shape_low");
  const bool is_older = set < isa::hopper;
  known_shape s = is_older ? older[index] : newer[index];
  if (f.flag(".SP")) s = is_older || index < 7 ? sparse[index] : std::nullopt;
  if (!s) return {};
  s->element_bits = f.flag("a_nibbles") ? 4 : 8;
  s->sparse = f.flag(".SP");
  return s;
}

}  // namespace

std::optional<tensor_shape> tensor_shape_of(const instruction& i) {
  const row_fields f(i);
  switch (f.info().op) {
    case opcode::HMMA: return of_halves(f);
    case opcode::IMMA: return of_integers(f, i.set);
    case opcode::BMMA: {
      static constexpr known_shape shapes[] = {known(8, 128, 1), known(16, 128, 1), known(16, 256, 1), {}};
      return shapes[f.value("bmma_shape")];
    }
    case opcode::DMMA: {
      static constexpr known_shape shapes[] = {known(8, 4, 64, 64), known(16, 4, 64, 64), known(16, 8, 64, 64),
                                               known(16, 16, 64, 64)};
      return shapes[f.value("dmma_shape")];
    }
    case opcode::QMMA: {
      static constexpr known_shape shapes[] = {known(16, 16, 8), known(16, 32, 8), known(16, 64, 8), {}};
      known_shape s = shapes[f.value("qmma_shape")];
      if (!s) return {};
      s->result_bits = f.flag("hmma_type") ? 32 : 16;
      s->sparse = f.flag(".SP");
      return s;
    }
    case opcode::QMMA_SF:
    case opcode::OMMA_SF: {
      const bool bytes = f.info().op == opcode::QMMA_SF, sparse = f.flag(".SP");
      return tensor_shape{16, (bytes ? 32u : 64u) << (sparse ? 1 : 0), bytes ? 8u : 4u, 32, sparse};
    }
    default: return {};
  }
}

}  // namespace bankwise::sass
