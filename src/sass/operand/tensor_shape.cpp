// Shapes by opcode: which bits tell them differs.
#include "sass/operand/tensor_shape.hpp"

#include "sass/row.hpp"

namespace bankwise::sass {

namespace {

tensor_shape of_halves(const row_fields& f) {
  tensor_shape s{16, 0};
  const auto type = f.value("hmma_in");
  s.element_bits = type == 2 ? 32 : 16;
  s.result_bits = f.flag("hmma_type") ? 32 : 16;
  s.sparse = f.flag(".SP");
  const bool wide = f.flag("wide"), narrow = f.flag("narrow");
  if (s.sparse)
    s.k = narrow ? (wide ? 32 : 0) : wide ? 16 : 8;
  else
    s.k = narrow ? (wide ? 0 : 4) : wide ? 16 : 8;
  if (s.k == 0) s.rows = 0;
  return s;
}

tensor_shape of_integers(const row_fields& f, isa set) {
  static constexpr tensor_shape newer[] = {{8, 16}, {8, 32}, {}, {}, {16, 16}, {16, 32}, {}, {16, 64}};
  static constexpr tensor_shape older[] = {{8, 16}, {}, {8, 32}, {}, {16, 16}, {16, 32}, {16, 64}, {}};
  static constexpr tensor_shape sparse[] = {{}, {}, {}, {}, {}, {16, 32}, {16, 64}, {16, 128}};
  const auto index = f.value("shape_high") << 1 | f.value("shape_low");
  const bool is_older = set < isa::hopper;
  tensor_shape s = is_older ? older[index] : newer[index];
  if (f.flag(".SP")) s = is_older || index < 7 ? sparse[index] : tensor_shape{};
  s.element_bits = f.flag("a_nibbles") ? 4 : 8;
  s.sparse = f.flag(".SP");
  return s;
}

}  // namespace

tensor_shape tensor_shape_of(const instruction& i) {
  const row_fields f(i);
  switch (f.info().op) {
    case opcode::HMMA: return of_halves(f);
    case opcode::IMMA: return of_integers(f, i.set);
    case opcode::BMMA: {
      static constexpr tensor_shape shapes[] = {{8, 128, 1}, {16, 128, 1}, {16, 256, 1}, {}};
      return shapes[f.value("bmma_shape")];
    }
    case opcode::DMMA: {
      static constexpr tensor_shape shapes[] = {{8, 4, 64, 64}, {16, 4, 64, 64}, {16, 8, 64, 64}, {16, 16, 64, 64}};
      return shapes[f.value("dmma_shape")];
    }
    case opcode::QMMA: {
      static constexpr tensor_shape shapes[] = {{16, 16, 8}, {16, 32, 8}, {16, 64, 8}, {}};
      tensor_shape s = shapes[f.value("qmma_shape")];
      s.result_bits = f.flag("hmma_type") ? 32 : 16;
      s.sparse = f.flag(".SP");
      return s;
    }
    default: return {};
  }
}

}  // namespace bankwise::sass
