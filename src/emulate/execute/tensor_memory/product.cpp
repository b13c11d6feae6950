// tcgen05.mma (UTCMMA): D = A B + D. D is in tensor memory, A is in shared or tensor memory, and B is in shared memory.
//
// The instruction descriptor contains the types and the shape:
//
//     31 30    29 28 ... 24   23        22 ... 17   16 15       14 13    12 ... 10   9 ... 7   5 4   3          2
//     shift    M / 16         power     N / 8       transposed  negated  type of B   of A      of D  saturate   sparse
//
// If there are scales, two fields of the descriptor select the first scale's byte in a cell: bits 29-30 for A, and bits
// 4-5 for B. A row of A has 32 bytes, or 48 bytes if bit 31 is set (K = 96 of sm_103). The next table shows the lanes
// of row i of D (the data paths of the PTX manual). The table also shows how many columns each lane has:
//
//     one block     M = 128    lane i                                 all
//                   M = 64     lane i % 16 + i / 16 * 32              all
//       .ws         M = 64     lanes i and i + 64                     a half each
//                   M = 32     lanes i, i + 32, i + 64, i + 96        a quarter each
//     two blocks    M = 256    block i / 128, lane i % 128            all
//                   M = 128    block i / 64, lanes i % 64 and + 64    a half each
//       sparse A    M = 128    block i / 64, as M = 64 of one block   all
//
// A sparse A stores half of its K numbers, and has metadata in tensor memory (sparse_metadata.hpp). If A is in tensor
// memory, row i of A is in the same lane as row i of D. .ashift moves the rows of A up by one lane after the product
// (assumed). Each block of a pair has half of A's rows and half of B's columns in its shared memory. The scales of row
// i are in lane i % 32 of each group of 32 lanes. The scale of block b of numbers along K is byte i / 32 * 4 + b of
// this lane. With K = 96, more scales are in later cells (scale_cells::step).
//
// Collector buffers change no counts. The hardware may read an operand again, and bankwise counts this read. The
// rounding of sums is not documented, and was not measured. In bankwise, a sum is exact to 53 bits and rounded once.
#include <memory>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/past_the_end.hpp"
#include "emulate/execute/tensor_memory/cells.hpp"
#include "emulate/execute/tensor_memory/column_mask.hpp"
#include "emulate/execute/tensor_memory/row_products.hpp"
#include "emulate/execute/tensor_memory/shared_matrix.hpp"
#include "emulate/execute/tensor_memory/sparse_metadata.hpp"
#include "emulate/execute/tensor_memory/tensor_numbers.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

constexpr unsigned most_rows = 256, most_columns = 256, most_depth = 128, most_scales = 6;

enum class sum_type : std::uint8_t { f16, f32, s32 };

// The shape and the types, from the instruction descriptor and the instruction.
struct tensor_shape_of_product {
  unsigned rows = 0, columns = 0, depth = 0;
  unsigned bytes_of_k = 32;  // number of bytes along K in a row of A
  bool sparse = false;
  unsigned selector = 0;    // number of the metadata column
  unsigned most_shift = 0;  // for .ws: the largest possible shift of B's columns
  tensor_number a{}, b{};
  sum_type sums = sum_type::f32;
  bool a_transposed = false, b_transposed = false, a_negated = false, b_negated = false, saturates = false;
  // For products with scales: the number of elements that share a scale. Also, for A and for B, which byte of a cell
  // contains the first scale.
  unsigned scaled_numbers = 0, scale_of_a = 0, scale_of_b = 0;
  bool scales_are_powers = false;

  unsigned stored_depth() const { return sparse ? depth / 2 : depth; }  // number of stored elements in a row of A
};

// A lane that holds a part of a row of D, and the first column of this part.
struct lane_of_sums {
  unsigned block, lane, row, first_column;
};

tensor_number number_of(sass::tensor_numbers kind, unsigned type, bool& known) {
  using sass::tensor_numbers;
  known = true;
  switch (kind) {
    case tensor_numbers::halves:
      if (type <= 2) return type == 0 ? tensor_number::f16 : type == 1 ? tensor_number::bf16 : tensor_number::tf32;
      break;
    case tensor_numbers::integers:
      if (type <= 1) return type == 0 ? tensor_number::u8 : tensor_number::s8;
      break;
    case tensor_numbers::bytes:
      switch (type) {
        case 0: return tensor_number::e4m3;
        case 1: return tensor_number::e5m2;
        case 3: return tensor_number::e2m3;
        case 4: return tensor_number::e3m2;
        case 5: return tensor_number::e2m1;
        default: break;
      }
      break;
    case tensor_numbers::nibbles:
      if (type == 1) return tensor_number::packed_e2m1;
      break;
  }
  known = false;
  return {};
}

std::string kind_of(const sass::tensor_product& f) {
  using sass::tensor_numbers;
  switch (f.numbers) {
    case tensor_numbers::halves: return "kind::f16 or tf32";
    case tensor_numbers::integers: return "kind::i8";
    case tensor_numbers::bytes: return f.scaled ? "kind::mxf8f6f4" : "kind::f8f6f4";
    case tensor_numbers::nibbles: return f.long_blocks ? "kind::mxf4" : "kind::mxf4nvf4";
  }
  return {};
}

// Reports a fault.
step refuse_product(worker& m, const sass::tensor_product& f, const std::string& why,
                    const char* hint =
                        "the instruction descriptor contains the types and the shape. The PTX manual lists "
                        "the valid combinations") {
  return m.fail(formatted("executes tcgen05.mma of {}, which is not valid: {}", kind_of(f), why), -1, hint);
}

step read_shape(worker& m, const sass::tensor_product& f, tensor_shape_of_product& s) {
  const u32 d = uniform_word(m, f.instruction, 1);
  s.rows = (d >> 24 & 31) * 16;
  s.columns = (d >> 17 & 63) * 8;
  bool a_known = false, b_known = false;
  const bool is_four = f.numbers == sass::tensor_numbers::nibbles;
  s.a = number_of(f.numbers, d >> 7 & 7, a_known);
  const u32 type_of_b = d >> 10 & (is_four ? 3 : 7);
  s.b = number_of(f.numbers, type_of_b, b_known);
  if (!a_known || !b_known) {
    std::string types;
    if (!a_known) types = formatted("the type {} for A (bits 7-9)", d >> 7 & 7);
    if (!b_known)
      types +=
          formatted("{}the type {} for B (bits {})", a_known ? "" : " and ", type_of_b, is_four ? "10-11" : "10-12");
    return refuse_product(m, f,
                          formatted("the instruction descriptor has {}, but {} does not define {}", types, kind_of(f),
                                    a_known || b_known ? "this type" : "these types"));
  }
  if ((s.a == tensor_number::tf32) != (s.b == tensor_number::tf32) ||
      (f.numbers == sass::tensor_numbers::halves && s.a != s.b))
    return refuse_product(m, f, "the instruction descriptor has different types for A (bits 7-9) and B (bits 10-12)");
  s.sparse = (d >> 2 & 1) != 0;
  s.a_negated = (d >> 13 & 1) != 0, s.b_negated = (d >> 14 & 1) != 0;
  s.a_transposed = (d >> 15 & 1) != 0, s.b_transposed = (d >> 16 & 1) != 0;
  const bool is_wide = is_four && (d >> 31 & 1) != 0;
  if (is_wide && m.s->l->program->sm != 103) return refuse_product(m, f, "only sm_103 supports K = 96");
  if (is_wide && s.sparse) return refuse_product(m, f, "K = 96 cannot be combined with a sparse A");
  if (is_wide) s.bytes_of_k = 48;
  s.depth = s.bytes_of_k / tensor_piece * numbers_in_piece(s.a) * (s.sparse ? 2 : 1);
  if (s.sparse && !f.scaled) s.selector = d & 3;
  if (s.selector > (f.numbers == sass::tensor_numbers::halves ? 1u : 0u))
    return refuse_product(m, f,
                          formatted("the instruction descriptor has the sparsity selector {} (bits 0-1), which is not "
                                    "valid for the types of A and B",
                                    s.selector));
  if (f.scaled) {
    s.sums = sum_type::f32;
    s.scaled_numbers = (f.numbers == sass::tensor_numbers::bytes || f.long_blocks ? 32 : 16) * (s.sparse ? 2 : 1);
    s.scale_of_a = d >> 29 & 3, s.scale_of_b = d >> 4 & 3;
    s.scales_are_powers = (d >> 23 & 1) != 0;
    const unsigned scales = s.depth / s.scaled_numbers;
    if (!is_wide && (s.scale_of_a + scales > 4 || s.scale_of_b + scales > 4))
      return refuse_product(m, f,
                            "the instruction descriptor has scale factor IDs (bits 4-5 for B, bits 29-30 for A) that "
                            "select bytes past the end of a 32-bit word of tensor memory");
  } else {
    const unsigned type = d >> 4 & 3;
    const bool integers = f.numbers == sass::tensor_numbers::integers;
    if (type == 3 || (type == 2) != integers)
      return refuse_product(m, f, formatted("the instruction descriptor has the type {} for D (bits 4-5)", type));
    s.sums = integers ? sum_type::s32 : type == 1 ? sum_type::f32 : sum_type::f16;
    s.saturates = (d >> 3 & 1) != 0;
    if (f.weight_stationary && (d >> 30) != 0) s.most_shift = 4u << (d >> 30);
  }
  if (f.shifts_a && s.rows != (f.pair ? 256 : 128))
    return refuse_product(m, f, formatted(".ashift cannot be combined with M = {}", s.rows));
  const bool rows_known = f.pair                ? s.rows == 128 || s.rows == 256
                          : f.weight_stationary ? s.rows == 32 || s.rows == 64 || s.rows == 128
                                                : s.rows == 64 || s.rows == 128;
  if (!rows_known || s.columns == 0 || s.columns > most_columns || s.columns % (f.pair ? 16 : 8) != 0)
    return refuse_product(
        m, f, formatted("the shape is M = {} and N = {}{}", s.rows, s.columns, f.pair ? " for two blocks" : ""));
  return step::next;
}

// The number of lanes that share a row of D. Each lane contains an equal part of the row.
unsigned lanes_of_row(const sass::tensor_product& f, const tensor_shape_of_product& s) {
  if (f.pair) return s.rows == 128 && !s.sparse ? 2 : 1;
  return f.weight_stationary ? 128 / s.rows : 1;
}
// Whether D is in the first 16 lanes of each group of 32 lanes.
bool has_half_of_lanes(const sass::tensor_product& f, const tensor_shape_of_product& s) {
  return !f.weight_stationary && s.rows == (f.pair ? 128 : 64) && lanes_of_row(f, s) == 1;
}
// Calls visit(lane_of_sums) for every lane that holds sums. `base`: the lane of D's address.
template <class F>
void each_lane_of_sums(const sass::tensor_product& f, const tensor_shape_of_product& s, unsigned base, F visit) {
  const unsigned sharing = lanes_of_row(f, s), rows = f.pair ? s.rows / 2 : s.rows;
  const bool in_sixteens = has_half_of_lanes(f, s);
  for (unsigned block = 0; block < (f.pair ? 2u : 1u); ++block)
    for (unsigned part = 0; part < sharing; ++part)
      for (unsigned row = 0; row < rows; ++row) {
        const unsigned lane = in_sixteens ? row % 16 + row / 16 * 32 : row + part * rows;
        visit(lane_of_sums{block, lane + base, row + block * rows, part * (s.columns / sharing)});
      }
}

// A lane of D, with its row of A and its sums.
struct row_of_sums {
  lane_of_sums lane{};
  const double* a = nullptr;
  // a row of A from tensor memory; `whole` also contains the zeros of a sparse A
  double from_tensors[most_depth], whole[most_depth];
  alignas(64) double sum[most_columns], part[most_columns];
};
// A and B as numbers. For each k, the elements of all columns of B are adjacent.
struct tensor_operands {
  double a[most_rows][most_depth], b[most_depth][most_columns + cache_padding];
  row_of_sums rows[rows_at_once];
  double scale_of_b[2][4][most_scales][most_columns];  // indices: block, group of 32 lanes, number of the scale, column
};
tensor_operands& tensor_operands_of_thread() {
  static thread_local std::unique_ptr<tensor_operands> kept;
  if (kept == nullptr) kept = std::make_unique<tensor_operands>();
  return *kept;
}

// A part of a matrix in shared memory: `rows` rows of A (or columns of B), starting at `first`.
struct read_part {
  tensor_number numbers;
  bool transposed, negated;
  unsigned first, rows, depth;
};
// Calls put(row, k, value) for each number. Returns false after a fault.
template <class Put>
bool read_shared(worker& m, const shared_matrix& from, const read_part& p, async_event::range& extent, Put put) {
  const unsigned count = numbers_in_piece(p.numbers), end = p.first + p.rows;
  double values[32];
  const auto read = [&](u32 address) {
    const unsigned char* const bytes = shared_piece(m, from, address, "tcgen05.mma reads");
    if (bytes == nullptr) return false;
    address &= 0x3ffff;
    extent = {std::min(extent.begin, address), std::max(extent.end, address + tensor_piece)};
    if (m.s->leaves_tensors) return true;
    read_piece(p.numbers, bytes, values);
    for (unsigned i = 0; p.negated && i < count; ++i) values[i] = -values[i];
    return true;
  };
  if (!p.transposed) {
    for (unsigned row = p.first; row < end; ++row)
      for (unsigned part = 0; part < p.depth / count; ++part) {
        if (!read(from.row(row, part))) return false;
        for (unsigned i = 0; !m.s->leaves_tensors && i < count; ++i) put(row - p.first, part * count + i, values[i]);
      }
    return true;
  }
  for (unsigned k = 0; k < p.depth; ++k)
    for (unsigned c = p.first / count; c * count < end; ++c) {
      if (!read(from.column(c, k))) return false;
      for (unsigned row = c * count; !m.s->leaves_tensors && row < std::min(end, (c + 1) * count); ++row)
        if (row >= p.first) put(row - p.first, k, values[row % count]);
    }
  return true;
}

class tensor_product_run {
 public:
  tensor_product_run(worker& m, const sass::tensor_product& f) : m_(m), f_(f), o_(tensor_operands_of_thread()) {}

  step run() {
    if (read_shape(m_, f_, s_) != step::next || !find_blocks() || !find_sums()) return step::fault;
    if (!read_b() || !read_a()) return step::fault;
    if (m_.s->leaves_tensors) return step::next;
    if (f_.scaled && !read_scales_of_b()) return step::fault;
    if (s_.sparse && !find_metadata()) return step::fault;
    unsigned count = 0;
    const auto add = [&] { add_rows(std::exchange(count, 0)); };
    each_lane_of_sums(f_, s_, sums_.lane, [&](const lane_of_sums& l) {
      if (!is_written(l)) return;
      if (const lane_of_sums& first = o_.rows[0].lane;
          count == rows_at_once || (count != 0 && (l.block != first.block || l.first_column != first.first_column)))
        add();
      o_.rows[count++].lane = l;
    });
    add();
    for (unsigned n = 0; f_.shifts_a && n < blocks(); ++n)
      shift_rows(block_[n]->tensors, a_.lane, a_.column, columns_of_a());
    return step::next;
  }
  async_operation operation() const {
    const u64 bytes = u64{s_.bytes_of_k} * ((f_.a_in_tensor_memory ? 0 : s_.rows) + s_.columns * (s_.sparse ? 2 : 1));
    return tensor_product(bytes, s_.columns / lanes_of_row(f_, s_));
  }
  const async_event::range& of_a() const { return in_a_; }
  const async_event::range& of_b() const { return in_b_; }

 private:
  // Finds the blocks of the pair. Orders them by rank.
  bool find_blocks() {
    block_[0] = m_.block;
    if (!f_.pair) return true;
    block_state* const peer = peer_of(m_, "tcgen05.mma");
    if (peer == nullptr) return false;
    block_[m_.block->rank & 1] = m_.block;
    block_[(m_.block->rank & 1) ^ 1] = peer;
    return true;
  }
  unsigned blocks() const { return f_.pair ? 2 : 1; }
  bool find_sums() {
    sums_ = tensor_address_of(uniform_word(m_, f_.sums));
    if (sums_.lane != 0 && !(has_half_of_lanes(f_, s_) && sums_.lane == 16)) {
      refuse_product(m_, f_,
                     formatted("D begins at lane {} of tensor memory, but D must begin at lane 0{}", sums_.lane,
                               has_half_of_lanes(f_, s_) ? " or 16" : ""));
      return false;
    }
    for (unsigned n = 0; n < blocks(); ++n)
      if (!has_columns(m_, *block_[n], sums_.column, s_.columns / lanes_of_row(f_, s_), "tcgen05.mma adds to"))
        return false;
    return true;
  }
  u64 descriptor_of(unsigned uniform) const { return join(uniform_word(m_, uniform), uniform_word(m_, uniform, 1)); }
  // `name`: A or B.
  bool is_known(const shared_matrix& x, char name) {
    if (x.absolute && (s_.bytes_of_k == 32 || x.layout != 2)) {
      refuse_product(
          m_, f_,
          formatted("the matrix descriptor of {} has an absolute leading address (bit 52), which needs K = 96 "
                    "and a swizzle of 128 bytes",
                    name),
          "clear bit 52 of the matrix descriptor, or use K = 96 and the layout type 2 (bits 61-63)");
      return false;
    }
    if (x.is_known()) return true;
    refuse_product(m_, f_,
                   formatted("the matrix descriptor of {} has the layout type {} (bits 61-63), which does not exist",
                             name, x.layout),
                   layout_type_hint);
    return false;
  }

  bool read_b() {
    const unsigned columns = s_.columns / blocks();
    column_mask mask;
    if (f_.weight_stationary && f_.mask != sass::uniform_register_zero) {
      mask = {descriptor_of(f_.mask), s_.columns / lanes_of_row(f_, s_)};
      if (mask.shift() > s_.most_shift) {
        refuse_product(m_, f_,
                       formatted("the mask shifts by {} columns, but the instruction descriptor allows at most {}",
                                 mask.shift(), s_.most_shift));
        return false;
      }
    }
    const read_part part{s_.b, s_.b_transposed, s_.b_negated, mask.shift(), columns, s_.depth};
    for (unsigned n = 0; n < blocks(); ++n) {
      const shared_matrix from(descriptor_of(f_.b), block_[n]);
      if (!is_known(from, 'B')) return false;
      const auto put = [&](unsigned column, unsigned k, double x) {
        o_.b[k][n * columns + column] = mask.is_zero(column) ? 0 : x;
      };
      if (!read_shared(m_, from, part, in_b_, put)) return false;
    }
    return true;
  }
  bool read_a() {
    if (f_.a_in_tensor_memory) return find_a();
    const unsigned rows = s_.rows / blocks();
    const read_part part{s_.a, s_.a_transposed, s_.a_negated, 0, rows, s_.stored_depth()};
    for (unsigned n = 0; n < blocks(); ++n) {
      const shared_matrix from(descriptor_of(f_.a), block_[n]);
      if (!is_known(from, 'A')) return false;
      const auto put = [&](unsigned row, unsigned k, double x) { o_.a[n * rows + row][k] = x; };
      if (!read_shared(m_, from, part, in_a_, put)) return false;
    }
    return true;
  }
  // The number of 32-bit columns that a row of A takes in tensor memory.
  unsigned columns_of_a() const { return s_.stored_depth() / numbers_in_piece(s_.a) * 4; }
  bool find_a() {
    a_ = tensor_address_of(uniform_word(m_, f_.a));
    for (unsigned n = 0; n < blocks(); ++n)
      if (!has_columns(m_, *block_[n], a_.column, columns_of_a(), "tcgen05.mma reads A in")) return false;
    return true;
  }
  // Returns the row of A for a lane of D.
  const double* row_of_a(row_of_sums& r) {
    const lane_of_sums& l = r.lane;
    const double* const stored = f_.a_in_tensor_memory ? row_in_tensors(r) : o_.a[l.row];
    if (!s_.sparse) return stored;
    metadata_.expand(block_[l.block]->tensors, l.lane, stored, s_.depth, r.whole);
    return r.whole;
  }
  const double* row_in_tensors(row_of_sums& r) {
    const lane_of_sums& l = r.lane;
    const unsigned lane = std::min(l.lane - sums_.lane + a_.lane % 32, tensor_memory::lanes - 1);
    const u32* const cells = block_[l.block]->tensors.lane(lane) + a_.column;
    const unsigned count = numbers_in_piece(s_.a), depth = s_.stored_depth();
    double* const to = r.from_tensors;
    for (unsigned part = 0; part * count < depth; ++part) read_cells(s_.a, cells + 4 * part, to + part * count);
    for (unsigned k = 0; s_.a_negated && k < depth; ++k) to[k] = -to[k];
    return to;
  }
  bool find_metadata() {
    const u32 address = uniform_word(m_, f_.instruction);
    metadata_ = sparse_metadata::of(s_.a, address, s_.selector);
    if (const auto at = tensor_address_of(address); metadata_.by_halves && at.column % 2 != 0) {
      refuse_product(m_, f_,
                     formatted("the metadata begins at column {}, but must begin at an even column", at.column));
      return false;
    }
    for (unsigned n = 0; n < blocks(); ++n)
      if (!has_columns(m_, *block_[n], metadata_.column, metadata_.columns(), "tcgen05.mma reads metadata in"))
        return false;
    return true;
  }

  unsigned scales() const { return s_.depth / s_.scaled_numbers; }
  // The cells with the scales of one operand. A cell contains four scales of a row. The row's next four scales are
  // `step` columns further.
  struct scale_cells {
    tensor_address at;
    // number of the first scale in its cell
    unsigned first = 0, step = 0;
  };
  // Finds the cells with the scales of `count` rows, and checks that they are allocated.
  bool find_scales(unsigned uniform, unsigned first, unsigned count, unsigned step, scale_cells& c) {
    c = {tensor_address_of(uniform_word(m_, uniform) & 0x3fffffff), first, step};
    const unsigned last = (first + scales() - 1) / 4;
    for (unsigned n = 0; n < blocks(); ++n)
      if (!has_columns(m_, *block_[n], c.at.column, (count + 31) / 32 + last * step, "tcgen05.mma reads scales in"))
        return false;
    return true;
  }
  double scale_at(unsigned block, unsigned group, unsigned row, const scale_cells& c, unsigned k) {
    const unsigned n = c.first + k;
    const u32 cell = block_[block]->tensors.lane(32 * group + row % 32)[c.at.column + n / 4 * c.step + row / 32];
    return scale_of(cell >> 8 * (n % 4) & 0xff, s_.scales_are_powers);
  }
  bool read_scales_of_b() {
    scale_cells cells;
    const bool halves = f_.pair && lanes_of_row(f_, s_) == 2;
    const unsigned columns = halves ? s_.columns / 2 : s_.columns;
    // 128 columns of B have their scales in four columns of cells. The number of columns of B is rounded up to a
    // multiple of 128.
    const unsigned columns_of_b = (s_.columns + 127) / 128 * 4 / (halves ? 2 : 1);
    if (!find_scales(f_.mask, s_.scale_of_a, std::max(s_.rows / blocks(), 32u), 4, scale_of_a_) ||
        !find_scales(f_.mask + 1u, s_.scale_of_b, columns, columns_of_b, cells))
      return false;
    for (unsigned block = 0; block < blocks(); ++block)
      for (unsigned group = 0; group < 4; ++group)
        for (unsigned n = 0; n < s_.columns; ++n) {
          if (halves && n / columns != group / 2) continue;  // each half needs only its own columns
          for (unsigned k = 0; k < scales(); ++k)
            o_.scale_of_b[block][group][k][n] = scale_at(block, group, n % columns, cells, k);
        }
    return true;
  }

  bool is_written(const lane_of_sums& l) const {
    if (f_.scaled || f_.weight_stationary || f_.mask == sass::uniform_register_zero) return true;
    const unsigned bit = l.block * tensor_memory::lanes + l.lane;
    return (uniform_word(m_, f_.mask, bit / 32) >> bit % 32 & 1) == 0;
  }

  unsigned sums_of_lane() const { return s_.columns / lanes_of_row(f_, s_); }
  u32* cells_of(const row_of_sums& r) const { return block_[r.lane.block]->tensors.lane(r.lane.lane) + sums_.column; }
  // Computes the sums of the first `count` of the four rows.
  void add_rows(unsigned count) {
    if (count == 0) return;
    const bool adds = m_.uniform_predicate(f_.predicate, f_.predicate_negated ? ~0u : 0);
    for (unsigned i = 0; i < count; ++i) {
      o_.rows[i].a = row_of_a(o_.rows[i]);
      begin_sums(o_.rows[i], adds);
    }
    // If there are fewer than four rows, the first row replaces each missing row, and the result of the missing row is
    // discarded.
    const double* a[rows_at_once];
    double *sum[rows_at_once], *part[rows_at_once];
    for (unsigned i = 0; i < rows_at_once; ++i) {
      a[i] = o_.rows[i < count ? i : 0].a;
      sum[i] = o_.rows[i].sum, part[i] = o_.rows[i].part;
    }
    const unsigned first_column = o_.rows[0].lane.first_column;
    const auto multiply = [&](unsigned k, unsigned depth, double* const(&to)[rows_at_once]) {
      const double* from[rows_at_once];
      for (unsigned i = 0; i < rows_at_once; ++i) from[i] = a[i] + k;
      add_row_products(from, o_.b[k] + first_column, most_columns + cache_padding, depth, sums_of_lane(), to);
    };
    if (!f_.scaled) multiply(0, s_.depth, sum);
    for (unsigned k = 0; f_.scaled && k < scales(); ++k) {
      for (double* const p : part) std::fill_n(p, sums_of_lane(), 0.0);
      multiply(k * s_.scaled_numbers, s_.scaled_numbers, part);
      for (unsigned i = 0; i < count; ++i) add_scaled(o_.rows[i], k);
    }
    for (unsigned i = 0; i < count; ++i) {
      u32* const cells = cells_of(o_.rows[i]);
      for (unsigned n = 0; n < sums_of_lane(); ++n) cells[n] = rounded(o_.rows[i].sum[n]);
    }
  }
  void begin_sums(row_of_sums& r, bool adds) {
    const u32* const cells = cells_of(r);
    const double factor = std::ldexp(1.0, -static_cast<int>(f_.scale));
    for (unsigned n = 0; n < sums_of_lane(); ++n)
      r.sum[n] = !adds                      ? 0
                 : s_.sums == sum_type::f32 ? float_of_bits(cells[n]) * factor
                 : s_.sums == sum_type::f16 ? float_of_half(static_cast<std::uint16_t>(cells[n])) * factor
                                            : static_cast<i32>(cells[n]);
  }
  // Adds the products that share scale k.
  void add_scaled(row_of_sums& r, unsigned k) {
    const lane_of_sums& l = r.lane;
    const unsigned group = l.lane / 32, row = l.row % tensor_memory::lanes % (s_.rows / blocks());
    const double of_a = scale_at(l.block, group, row, scale_of_a_, k);
    const double* const of_b = o_.scale_of_b[l.block][group][k] + l.first_column;
    for (unsigned n = 0; n < sums_of_lane(); ++n) r.sum[n] += r.part[n] * of_a * of_b[n];
  }
  u32 rounded(double x) const {
    switch (s_.sums) {
      case sum_type::f32: return std::isnan(x) ? 0x7fffffffu : bits_of_float(static_cast<float>(x));
      case sum_type::f16: return half_of_double(x);
      case sum_type::s32: break;
    }
    if (s_.saturates) x = std::clamp(x, -0x1p31, 0x1p31 - 1);
    return static_cast<u32>(static_cast<i64>(x));
  }

  worker& m_;
  const sass::tensor_product& f_;
  tensor_operands& o_;
  tensor_shape_of_product s_;
  block_state* block_[2] = {};
  tensor_address sums_, a_;
  scale_cells scale_of_a_;
  sparse_metadata metadata_;
  async_event::range in_a_{~0u, 0}, in_b_{~0u, 0};
};

step utcmma(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) {
    m.tell(u, mask, tensor_product(0, 0));
    return step::next;
  }
  const auto& f = u.as<sass::tensor_product>();
  tensor_product_run run(m, f);
  if (run.run() != step::next) return step::fault;
  m.tell(u, mask, run.operation(), f.a_in_tensor_memory ? async_event::range{} : run.of_a(), run.of_b());
  return step::next;
}

}  // namespace

void add_tensor_product(handler_table& t) { t[static_cast<std::size_t>(sass::opcode::UTCMMA)] = noting_ends<utcmma>; }

}  // namespace bankwise::emulate::BANKWISE_ISA
