// TMA: copies boxes of tensors between global and shared memory, and reduces boxes into global memory.
//
// In shared memory, a box is stored row by row along dimension 0. Without a swizzle, rows are stored without gaps. With
// a swizzle, each row begins at a multiple of the swizzle's size in bytes. Loads fill elements outside the tensor.
// Stores skip elements outside the tensor. But elements after its end are stored if they share 16 bytes with an element
// inside the tensor. The swizzle exchanges pieces of 16 bytes: address bits 4 to 6 are xored with bits 7 to 9. A
// swizzle of 64 bytes changes only bits 4 and 5, and a swizzle of 32 bytes changes only bit 4. An interleaved tensor is
// copied in pieces of 16 or 32 bytes, which are dense in shared memory and swizzled by their addresses. Only one slice
// is copied at a time, even if the box has more slices. Facts that are not in the PTX manual were measured:
// data/sm_90/tma.bin.zst and tensor_modes.bin.zst. A copy is done when the next instruction runs, so no instruction
// ever waits for a group of copies.
//
// Elements of 4 and 6 bits were not measured, because no GPU that supports them was available. According to the
// manuals, 16 padded elements take 16 bytes of shared memory. A load puts the padding after 16 packed elements. A store
// of 6 bits expects an element in the low bits of each byte. The mbarrier counts bytes without the padding, as CUTLASS
// expects. The padding is zeros (assumed).
#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/atomic.hpp"
#include "emulate/execute/past_the_end.hpp"
#include "emulate/execute/tensor/bulk.hpp"
#include "emulate/memory/pixel_line.hpp"
#include "emulate/memory/tensor_map.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

constexpr u32 piece = 16, box_alignment = 128;

// A box at a position in a tensor, or a column of pixels.
struct box {
  tensor_map map;
  std::array<i32, most_tensor_dimensions> at{};
  std::array<u32, most_tensor_dimensions> count{};  // number of copied elements in each dimension
  // for a column of pixels: offsets that are added to the pixels' positions
  std::array<i32, most_tensor_dimensions - 2> offset{};
  pixel_line line;               // for .im2col::w
  bool four_rows = false;        // for .tile::gather4 and .tile::scatter4: at[1] to at[4] are the four rows
  u32 row_bytes = 0, bytes = 0;  // size in bytes of a row's elements and of the box's elements, without padding
  u32 row_room = 0;              // size in bytes of a row in shared memory, with padding
  // in shared memory: distance between rows in bytes, and size of the whole box in bytes
  u32 pitch = 0, room = 0;
};

// Reads the tensor map that the instruction points to. Returns false after a fault.
bool read_map(worker& m, const micro_op& u, int lane, tensor_map& map) {
  const auto& f = u.as<sass::tensor_transfer>();
  const unsigned pointer = f.map;
  const u64 address = join(uniform_word(m, pointer, 0), uniform_word(m, pointer, 1));
  if (address % tensor_map_alignment != 0) {
    m.fail(fault_kind::misaligned_address,
           formatted("uses a tensor map at address 0x{}, which is not a multiple of 64", hex(address)), lane,
           "pass the CUtensorMap as a __grid_constant__ parameter, or align it to 64 bytes in global or constant "
           "memory");
    return false;
  }
  const std::byte* const bytes = global_bytes(
      m, address, tensor_map_bytes, [] { return "reads a tensor map"; }, lane);
  if (bytes == nullptr) return false;
  tensor_map_words words;
  std::memcpy(words.data(), bytes, sizeof words);
  const auto decoded = decode_tensor_map(words);
  if (!decoded) {
    m.fail(
        fault_kind::illegal_instruction,
        formatted("uses the object at address 0x{} as a tensor map, but the object is not a tensor map", hex(address)),
        lane,
        "make the tensor map with cuTensorMapEncodeTiled, and pass it by value as a const __grid_constant__ "
        "CUtensorMap");
    return false;
  }
  map = *decoded;
  const bool along_w = f.along_w != sass::w_column::none;
  if (is_im2col(map) != (f.im2col || along_w) || map.along_w != along_w) {
    m.fail(fault_kind::illegal_instruction,
           formatted("makes a tensor copy in {} mode, but the tensor map is for {} mode",
                     along_w    ? "im2col::w"
                     : f.im2col ? "im2col"
                                : "tile",
                     map.along_w      ? "im2col::w"
                     : is_im2col(map) ? "im2col"
                                      : "tile"),
           lane,
           "cuTensorMapEncodeIm2colWide makes maps for .im2col::w, cuTensorMapEncodeIm2col makes maps for .im2col, "
           "and cuTensorMapEncodeTiled makes maps for .tile");
    return false;
  }
  if (map.dimensions != f.dimensions) {
    m.fail(fault_kind::illegal_instruction,
           formatted("makes a tensor copy of {}, but the tensor map has {}", count_of(f.dimensions, "dimension"),
                     count_of(map.dimensions, "dimension")),
           lane, "cp.async.bulk.tensor.Nd needs a map of N dimensions");
    return false;
  }
  return true;
}

bool is_between_corners(worker& m, const box& b, int lane) {
  for (unsigned i = 0; i < corners_of(b.map); ++i) {
    const unsigned d = i + first_outer(b.map);
    const i64 last = static_cast<i64>(b.map.size[d]) - 1 + b.map.upper[i];
    // along W, the column may begin before the lower corner of the bounding box
    if ((b.at[d] >= b.map.lower[i] || b.map.along_w) && b.at[d] <= last) continue;
    m.fail(fault_kind::illegal_instruction,
           formatted("makes an im2col copy that begins at coordinate {} of dimension {}, outside the bounding box from "
                     "{} to {}",
                     b.at[d], d, b.map.lower[i], last),
           lane,
           "the hardware raises 'illegal instruction' here. Pass the coordinates of the first element of the filter. "
           "The hardware adds the im2col offsets of the instruction to these coordinates");
    return false;
  }
  return true;
}

bool begins_at_piece(worker& m, const box& b, int lane) {
  const tensor_type type = b.map.type;
  const u32 step = is_padded(type) ? 128 : elements_of_piece(type);
  if (static_cast<u32>(b.at[0]) % step == 0) return true;
  m.fail(fault_kind::illegal_instruction,
         is_packed(type)
             ? formatted("makes a tensor copy that begins at element {} of dimension 0. For elements of {} bits, the "
                         "number of the first element must be a multiple of {}",
                         b.at[0], bits_of(type), step)
             : formatted("makes a tensor copy that begins at element {} of dimension 0, with elements of {} bytes, "
                         "but a copy must begin at a multiple of 16 bytes",
                         b.at[0], bits_of(type) / 8),
         lane,
         is_packed(type) ? "the PTX manual requires this multiple for elements of 4 and 6 bits"
                         : "the hardware raises 'illegal instruction' here");
  return false;
}

// Reads the tensor map and the position of the copy. `first`: the first uniform register with the position. `offsets`:
// the offsets of a column of pixels.
bool read_box(worker& m, const micro_op& u, unsigned first, u32 offsets, int lane, box& b) {
  if (!read_map(m, u, lane, b.map)) return false;
  const auto& f = u.as<sass::tensor_transfer>();
  const unsigned slice = slice_bytes(b.map);
  b.four_rows = f.four_rows;
  if (b.four_rows && (b.map.dimensions != 2 || b.map.box[1] != 1 || slice != 0)) {
    m.fail(fault_kind::illegal_instruction,
           formatted("makes a tensor copy of four rows, but the tensor map has {} dimensions and boxes of {} rows",
                     b.map.dimensions, b.map.box[1]),
           lane, ".tile::gather4 and .tile::scatter4 need a map of 2 dimensions, with boxes of one row");
    return false;
  }
  // dimension 0 has no stride if the tensor is not interleaved (the driver's manual)
  if (slice == 0) b.map.element_stride[0] = 1;
  b.map.stride[0] = slice;
  u32 rows = 1;
  for (unsigned i = 0; i < b.map.dimensions; ++i) {
    b.at[i] = static_cast<i32>(uniform_word(m, first, i));
    const bool is_one = is_im2col(b.map) ? i >= first_outer(b.map) : slice != 0 && i == slice_dimension(b.map);
    b.count[i] = is_one ? 1 : (b.map.box[i] + b.map.element_stride[i] - 1) / b.map.element_stride[i];
    if (b.four_rows && i == 1) b.count[i] = 4;
    if (i != 0 || slice != 0) rows *= b.count[i];
  }
  for (unsigned i = 2; b.four_rows && i < 5; ++i) b.at[i] = static_cast<i32>(uniform_word(m, first, i));
  b.row_bytes = slice != 0 ? slice : static_cast<u32>(bytes_of(b.map.type, b.count[0]));
  b.row_room = is_padded(b.map.type) ? b.count[0] : b.row_bytes;
  if (b.map.along_w) {
    if (!is_between_corners(m, b, lane)) return false;
    b.line = line_of(b.map, b.at[1], offsets & 0x7ff, offsets >> 11 & 31, f.along_w == sass::w_column::of_128);
    rows = b.line.count();
  } else if (is_im2col(b.map)) {
    rows *= b.map.pixels;
    const unsigned bits = corner_bits(b.map.dimensions);
    for (unsigned i = 0; i + 2 < b.map.dimensions; ++i)
      b.offset[i] = static_cast<i32>(offsets >> bits * i & ((1u << bits) - 1));
    if (!is_between_corners(m, b, lane)) return false;
  }
  b.bytes = rows * b.row_bytes;
  b.pitch = slice != 0 || b.map.swizzle == tensor_swizzle::none ? b.row_room : span_of(b.map.swizzle);
  b.room = rows * b.pitch;
  return slice != 0 || begins_at_piece(m, b, lane);
}

std::string describe(const box& b, const char* verb) {
  std::string at;
  for (unsigned i = 0; i < b.map.dimensions; ++i) at += (i == 0 ? "" : ", ") + std::to_string(b.at[i]);
  return formatted("{} {} bytes of the box at ({}) with a tensor copy", verb, grouped(b.bytes), at);
}

u32 swizzled(const tensor_map& map, u32 address) {
  if (map.swizzle > tensor_swizzle::bytes_128) {  // whether the swizzle moves pieces of 32 bytes
    const u32 flips = map.swizzle == tensor_swizzle::bytes_128_by_32_flipped ? address >> 7 & 1 : 0;
    return address ^ (address >> 7 & 3) << 5 ^ flips << 3;
  }
  const u32 pieces = (1u << static_cast<unsigned>(map.swizzle)) - 1;
  return address ^ (address >> 7 & pieces) << 4;
}
// Number of adjacent bytes that the swizzle keeps together.
u32 swizzle_piece(const tensor_map& map) {
  return map.swizzle == tensor_swizzle::bytes_128_by_32_flipped ? piece / 2 : piece;
}

// For a load: converts the elements of a row to their form in shared memory.
void pad(const box& b, std::vector<std::byte>& row) {
  if (b.row_room == b.row_bytes) return;
  const u32 used = 2 * bits_of(b.map.type);  // size of 16 elements in bytes
  row.resize(b.row_room);
  for (u32 n = b.row_room / piece; n-- > 0;) {
    std::memmove(row.data() + piece * n, row.data() + used * n, used);
    std::memset(row.data() + piece * n + used, 0, piece - used);
  }
}
// For a store: packs elements of 6 bits. Each element is in the low bits of a byte.
void remove_padding(const box& b, std::vector<std::byte>& row) {
  if (b.row_room == b.row_bytes) return;
  for (u32 n = 0; n < b.row_room / 4; ++n) {
    u32 four = 0;
    for (u32 i = 0; i < 4; ++i) four |= (static_cast<u32>(row[4 * n + i]) & 0x3f) << 6 * i;
    std::memcpy(row.data() + 3 * n, &four, 3);
  }
}

// Visits the rows along dimension 0, or the pieces of an interleaved tensor. The rows of a box are visited dimension by
// dimension. A column is visited pixel by pixel: along each dimension up to the upper corner of the bounding box, then
// along the next dimension, and finally in the next image.
class row_steps {
 public:
  explicit row_steps(const box& b) : b_(b) {
    for (unsigned i = first_; i < b.map.dimensions; ++i) at_[i] = b.at[i];
    if (b.map.along_w) place_ = b.line.at(0);
  }
  // The position in dimension i of the tensor.
  i64 at(unsigned i) const {
    if (b_.four_rows) return b_.at[1 + n_[1]];
    if (b_.map.along_w && i == 1) return place_.w;
    if (b_.map.along_w && i + 1 == b_.map.dimensions) return b_.at[i] + place_.images * b_.map.element_stride[i];
    return at_[i] + (is_of_pixel(i) ? b_.offset[i - first_] : 0);
  }
  void next() {
    const tensor_map& t = b_.map;
    if (t.along_w) {
      place_ = b_.line.at(++row_);
      return;
    }
    for (unsigned i = first_; i < t.dimensions; ++i) {
      if (is_im2col(t) && !is_of_pixel(i) && i + 1 != t.dimensions) continue;  // dimension i counts slices
      at_[i] += t.element_stride[i];
      if (is_im2col(t)) {
        if (!is_of_pixel(i) || at_[i] <= static_cast<i64>(t.size[i]) - 1 + t.upper[i - first_]) return;
        at_[i] = t.lower[i - first_];
      } else {
        if (++n_[i] < b_.count[i]) return;
        n_[i] = 0;
        at_[i] = b_.at[i];
      }
    }
  }

 private:
  bool is_of_pixel(unsigned i) const {
    return is_im2col(b_.map) && !b_.map.along_w && i < first_ + b_.map.dimensions - 2;
  }

  const box& b_;
  unsigned first_ = first_outer(b_.map);
  std::array<i64, most_tensor_dimensions> at_{};
  std::array<u32, most_tensor_dimensions> n_{};
  pixel_line::place place_;  // the current pixel's position along W in a column
  u32 row_ = 0;
};

// The size of `n` elements, or of `n` pieces, in bytes.
u64 bytes_along(const tensor_map& t, i64 n) {
  const auto count = static_cast<u64>(n);
  return slice_bytes(t) != 0 ? count * slice_bytes(t) : bytes_of(t.type, count);
}

// Calls f(offset, address, skip, bytes) for each row along dimension 0, until it returns false. `offset`: the row's offset
// in the box. `address`: the address of the row's elements inside the tensor, which begin at byte `skip` of the row.
// `bytes`: the bytes of these elements; 0 if there are none.
template <class F>
bool each_place(const box& b, F f) {
  const tensor_map& t = b.map;
  const bool is_piece = slice_bytes(t) != 0;  // no piece is partly outside the tensor
  const i64 size = static_cast<i64>(t.size[0]), from = is_piece ? 0 : b.at[0], to = from + (is_piece ? 1 : b.count[0]);
  const i64 first = std::clamp<i64>(0, from, to), last = is_piece ? 1 : std::clamp<i64>(size, first, to);
  const auto bytes = static_cast<u32>(bytes_along(t, last - first)),
             skip = static_cast<u32>(bytes_along(t, first - from));
  row_steps row(b);
  for (u32 offset = 0; offset < b.room; offset += b.pitch, row.next()) {
    bool inside = last > first;
    u64 address = t.address + bytes_along(t, first);
    for (unsigned i = first_outer(t); i < t.dimensions; ++i) {
      const i64 at = row.at(i);
      inside &= at >= 0 && at < static_cast<i64>(t.size[i]);
      address += static_cast<u64>(at) * t.stride[i];
    }
    if (!f(offset, address, skip, inside ? bytes : 0)) return false;
  }
  return true;
}

// Calls f(offset, data, skip, bytes) for each row, with the row's elements in memory. Returns false after a fault.
template <class F>
bool each_row(worker& m, const box& b, const fault_words& what, int lane, F f) {
  return each_place(b, [&](u32 offset, u64 address, u32 skip, u32 bytes) {
    std::byte* global = nullptr;
    if (bytes != 0) {
      const region* r = m.last_region;
      if (r != nullptr && address - r->address < r->bytes && r->bytes - (address - r->address) >= bytes) {
        global = r->data + (address - r->address);
      } else {
        global = global_bytes(m, address, bytes, what, lane);
        if (global == nullptr) return false;
        m.last_region = m.s->memory->find(address);
      }
      if (m.copied != nullptr) m.copied->on_copied({address, bytes});
    }
    f(offset, global, skip, bytes);
    return true;
  });
}

// Fills a row with the value of elements outside the tensor.
void fill(const tensor_map& t, std::byte* row, u32 bytes) {
  std::memset(row, 0, bytes);
  if (!t.fills_with_nan) return;
  constexpr std::uint16_t nan = 0x7ff7;  // a NaN of 16 bits; wider types repeat it
  for (u32 i = 0; i < bytes; i += sizeof nan) std::memcpy(row + i, &nan, sizeof nan);
}

// Rounds floats to TF32 (10 bits of fraction), ties away from zero.
void make_tf32(std::byte* row, u32 bytes) {
  for (u32 i = 0; i < bytes; i += 4) {
    u32 x = 0;
    std::memcpy(&x, row + i, 4);
    x = (x & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (x + 0x1000) & 0xffffe000;
    std::memcpy(row + i, &x, 4);
  }
}

bool is_aligned(worker& m, const box& b, u32 shared, const fault_words& what, int lane) {
  if (shared % box_alignment == 0 || b.bytes == 0) return true;
  m.fail(fault_kind::misaligned_address,
         formatted("{} at shared address 0x{}, which is not a multiple of 128", what(), hex(shared)), lane,
         "declare the tile with __align__(128), or with __align__(1024) for a swizzle of 128 bytes");
  return false;
}

// Executes a tensor copy to shared memory. The first register of the box contains the shared address, and the next
// register contains the mbarrier's address. If bit 75 of the encoding is set, the copy has several target blocks in the
// cluster. A mask in the upper half of another register selects these blocks.
template <bool has_offsets>
step utmaldg(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) {
    m.tell(u, mask, tensor_copy(true, 0));
    return step::next;
  }
  const int lane = std::countr_zero(mask);
  const auto& f = u.as<sass::tensor_transfer>();
  const unsigned first = f.box;
  box b;
  if (!read_box(m, u, first + 2, has_offsets ? uniform_word(m, f.blocks) & 0xffff : 0, lane, b)) return step::fault;
  const fault_words what = [&b] { return describe(b, "loads"); };
  const u32 shared = uniform_word(m, first, 0);
  if (!is_aligned(m, b, shared, what, lane)) return step::fault;
  const u32 blocks = f.multicast ? uniform_word(m, f.blocks) >> 16 : 0;
  bulk_targets targets;
  const u32 barrier = uniform_word(m, first, 1);
  if (!find_targets(m, shared, barrier, b.room, blocks, what, lane, targets)) return step::fault;
  // With .cta_group::2, the mbarrier is in the pair of blocks that contains the target. The rank in the mbarrier's
  // address selects the first block (even rank) or the second block (odd rank) of the pair.
  for (unsigned n = 0; f.pair && f.multicast && n < targets.count; ++n) {
    bulk_target& t = targets.at[n];
    const u32 rank = (t.address >> rank_shift & ~1u) | (barrier >> rank_shift & 1);
    t.barrier_address = rank << rank_shift | (barrier & offset_mask);
    t.barrier = find_mbarrier(m, t.barrier_address, lane);
    if (t.barrier == nullptr) return step::fault;
  }
  m.tell(u, mask, tensor_copy(true, u64{b.bytes} * targets.count), own_range(m, shared, b.room));
  for (const bulk_target& t : targets.each()) tell_cluster_write(m, t.address, b.room, m.pc_of(u));
  static thread_local std::vector<std::byte> row;
  const bool copies = !m.s->leaves_shared;
  const bool is_whole =
      (!copies && m.copied == nullptr) ||
      each_row(m, b, what, lane, [&](u32 offset, const std::byte* global, u32 from, u32 bytes) {
        if (!copies) return;
        row.resize(b.row_bytes);
        if (bytes != b.row_bytes) fill(b.map, row.data(), b.row_bytes);
        if (bytes != 0) std::memcpy(row.data() + from, global, bytes);
        if (is_tf32(b.map.type)) make_tf32(row.data() + from, bytes);
        pad(b, row);
        for (const bulk_target& t : targets.each()) {
          if (b.map.swizzle == tensor_swizzle::none) {
            std::memcpy(t.data + offset, row.data(), b.row_room);
            continue;
          }
          const u32 step = swizzle_piece(b.map);
          for (u32 i = 0; i < b.row_room; i += step)
            std::memcpy(t.data + (swizzled(b.map, t.address + offset + i) - t.address), row.data() + i, step);
        }
      });
  if (!is_whole) return step::fault;
  for (const bulk_target& t : targets.each())
    if (complete(m, t, b.bytes, lane) != step::next) return step::fault;
  return step::next;
}

// The names of the operations and types in PTX.
constexpr const char* reduction_names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "add"};
constexpr const char* element_names[] = {"u8",       "u16",   "u32",       "s32",      "u64",     "s64",
                                         "f16",      "f32",   "f64",       "bf16",     "f32.ftz", "tf32",
                                         "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
static_assert(std::size(element_names) == tensor_types);

bool can_reduce(tensor_type type, atomic_op op) {
  const bool is_sum = op == atomic_op::add, is_minimum = op == atomic_op::minimum || op == atomic_op::maximum,
             is_bitwise = op == atomic_op::conjunction || op == atomic_op::disjunction || op == atomic_op::exclusive;
  switch (type) {
    case tensor_type::u32: return true;
    case tensor_type::s32: return is_sum || is_minimum || is_bitwise;
    case tensor_type::u64: return is_sum || is_minimum || is_bitwise;
    case tensor_type::s64: return is_minimum;
    case tensor_type::f16:
    case tensor_type::bf16: return is_sum || is_minimum;
    case tensor_type::f32:
    case tensor_type::f32_ftz:
    case tensor_type::f64: return is_sum;
    default: return false;
  }
}

// Combines an element in memory with a new element.
void reduce(tensor_type type, atomic_op op, std::byte* to, const std::byte* from) {
  const unsigned bytes = bits_of(type) / 8;
  u64 old = 0, x = 0;
  std::memcpy(&old, to, bytes);
  std::memcpy(&x, from, bytes);
  const u32 low = static_cast<u32>(old), operand = static_cast<u32>(x);
  const bool is_extreme = op == atomic_op::minimum || op == atomic_op::maximum;
  const atomic_op of_halves = is_extreme ? op : atomic_op::add;
  switch (type) {
    case tensor_type::s32: old = combined<u32, i32>(op, low, operand, true); break;
    case tensor_type::u64: old = combined<u64, i64>(op, old, x, false); break;
    case tensor_type::s64: old = combined<u64, i64>(op, old, x, true); break;
    case tensor_type::f16: old = halves_of(low, operand, of_halves, false) & 0xffff; break;
    case tensor_type::bf16: old = halves_of(low, operand, of_halves, true) & 0xffff; break;
    case tensor_type::f32: old = float_combined(sass::atomic_float::f32, atomic_op::add, low, operand); break;
    case tensor_type::f32_ftz: old = float_combined(sass::atomic_float::f32_ftz, atomic_op::add, low, operand); break;
    case tensor_type::f64: old = double_sum(old, x); break;
    default: old = combined<u32, i32>(op, low, operand, false); break;
  }
  std::memcpy(to, &old, bytes);
}

// Executes a store, or a reduction of old and new elements.
template <bool reduces>
step utmastg(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) {
    m.tell(u, mask, tensor_copy(false, 0));
    return step::next;
  }
  const int lane = std::countr_zero(mask);
  const auto& f = u.as<sass::tensor_transfer>();
  const unsigned first = f.box;
  box b;
  if (!read_box(m, u, first + 1, 0, lane, b)) return step::fault;
  const fault_words what = [&b] { return describe(b, reduces ? "reduces" : "stores"); };
  if (!f.im2col && std::any_of(b.at.begin(), b.at.end(), [](i32 at) { return at < 0; }))
    return m.fail(formatted("{}, but a coordinate is negative", what()), lane,
                  "the hardware raises 'illegal instruction' here. Only loads can begin at negative coordinates");
  const u32 shared = uniform_word(m, first, 0);
  if (!is_aligned(m, b, shared, what, lane)) return step::fault;
  const std::byte* const data = bytes_in_cluster(m, access_direction::read, shared, b.room, what, lane);
  if (data == nullptr) return step::fault;
  m.tell(u, mask, tensor_copy(false, b.bytes), own_range(m, shared, b.room));
  if (m.order != nullptr && is_own(m, shared))
    m.order->on_order({order_kind::read, m.w->id, m.p->mask, shared & offset_mask, b.room, m.pc_of(u)});
  if (m.s->leaves_global && m.copied == nullptr) return step::next;
  static thread_local std::vector<std::byte> row;
  const u32 step = swizzle_piece(b.map);
  const atomic_op op = f.operation;
  const unsigned element = bits_of(b.map.type) / 8;
  if (b.map.type == tensor_type::u4_padded)
    return m.fail("makes a tensor store of padded elements of 4 bits, but padded elements can only be loaded", lane,
                  "use CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, or .b4x16, for stores");
  if (reduces && !can_reduce(b.map.type, op))
    return m.fail(
        formatted("makes a tensor reduction with the operation .{} on elements of type {}, but this type does not "
                  "support this operation",
                  reduction_names[static_cast<unsigned>(op)], element_names[static_cast<unsigned>(b.map.type)]),
        lane, "the PTX manual lists the operations of each type in the section on cp.reduce.async.bulk.tensor");
  const bool is_whole = each_row(m, b, what, lane, [&](u32 offset, std::byte* global, u32 from, u32 bytes) {
    if (bytes == 0 || m.s->leaves_global) return;
    const u32 whole = std::min((bytes + piece - 1) / piece * piece, b.row_bytes - from);
    const region* r = m.last_region;
    if (r != nullptr && global >= r->data && whole <= r->bytes - static_cast<u64>(global - r->data)) bytes = whole;
    row.resize(b.row_room);
    for (u32 i = 0; i < b.row_room; i += step)
      std::memcpy(row.data() + i, data + (swizzled(b.map, shared + offset + i) - shared), step);
    remove_padding(b, row);
    m.keep_bytes(global, bytes);
    if (!reduces)
      std::memcpy(global, row.data() + from, bytes);
    else
      for (u32 i = 0; i < bytes; i += element) reduce(b.map.type, op, global + i, row.data() + from + i);
  });
  if (!is_whole) return step::fault;
  ++m.effects;
  return step::next;
}

// Executes a prefetch. The emulator only checks the tensor map. It may touch memory outside of all allocations.
template <bool has_offsets>
step utmapf(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::tensor_transfer>();
  box b;
  const u32 offsets = has_offsets ? uniform_word(m, f.blocks) & 0xffff : 0;
  if (!read_box(m, u, f.box, offsets, std::countr_zero(mask), b)) return step::fault;
  if (m.copied != nullptr)
    each_place(b, [&](u32, u64 address, u32, u32 bytes) {
      if (bytes != 0) m.copied->on_copied({address, bytes, m.pc_of(u)});
      return true;
    });
  return step::next;
}

// Fetches a tensor map, or removes it from a cache. The emulator does nothing, because it reads the map for each copy.
step utmacctl(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::map_prefetch>();
  if (mask == 0 || !f.fetches) return step::next;
  const unsigned pointer = f.map;
  const u64 address = join(uniform_word(m, pointer, 0), uniform_word(m, pointer, 1));
  return global_bytes(
             m, address, tensor_map_bytes, [] { return "prefetches a tensor map"; }, std::countr_zero(mask)) != nullptr
             ? step::next
             : step::fault;
}

tensor_type type_of(sass::bulk_number n) {
  switch (n) {
    case sass::bulk_number::u32: return tensor_type::u32;
    case sass::bulk_number::s32: return tensor_type::s32;
    case sass::bulk_number::u64: return tensor_type::u64;
    case sass::bulk_number::s64: return tensor_type::s64;
    case sass::bulk_number::f16: return tensor_type::f16;
    case sass::bulk_number::f32: return tensor_type::f32;
    case sass::bulk_number::f64: return tensor_type::f64;
    case sass::bulk_number::bf16: return tensor_type::bf16;
  }
  return tensor_type::u32;
}

// Executes cp.reduce.async.bulk. The target is global memory (.G.S), or shared memory of a block of the cluster (.S.S).
// With .S.S, an mbarrier of this block counts the bytes.
step ublkred(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::bulk_transfer>();
  if (mask == 0) {
    m.tell(u, mask, bulk_copy(f.to_shared, 0));
    return step::next;
  }
  const tensor_type numbers = type_of(f.numbers);
  const bool to_shared = f.to_shared;
  const int lane = std::countr_zero(mask);
  const unsigned target = f.target;
  const u32 bytes = (uniform_word(m, f.size) & 0xffff) * 16, from = uniform_word(m, f.source);
  const u64 to = to_shared ? uniform_word(m, target, 0) : join(uniform_word(m, target, 0), uniform_word(m, target, 1));
  const fault_words what = [bytes] { return formatted("makes a bulk reduction of {} bytes", grouped(bytes)); };
  if (to % piece != 0 || from % piece != 0)
    return m.fail(fault_kind::misaligned_address,
                  formatted("{} from address 0x{} to address 0x{}, but both addresses must be multiples of 16", what(),
                            hex(from), hex(to)),
                  lane, "align the arrays with __align__(16), and use offsets that are multiples of 16 bytes");
  const std::byte* const source = bytes_in_cluster(m, access_direction::read, from, bytes, what, lane);
  if (source == nullptr) return step::fault;
  m.tell(u, mask, bulk_copy(to_shared, bytes), own_range(m, from, bytes));
  if (m.order != nullptr && is_own(m, from))
    m.order->on_order({order_kind::read, m.w->id, m.p->mask, from & offset_mask, bytes, m.pc_of(u)});
  if (!to_shared && m.copied != nullptr) m.copied->on_copied({to, bytes});
  if (!to_shared && m.s->leaves_global) return step::next;
  bulk_targets targets;
  std::byte* global = nullptr;
  if (to_shared) {
    if (!find_targets(m, static_cast<u32>(to), uniform_word(m, target, 1), bytes, 0, what, lane, targets))
      return step::fault;
    tell_cluster_write(m, static_cast<u32>(to), bytes, m.pc_of(u));
  } else if (global = global_bytes(m, to, bytes, what, lane); global == nullptr) {
    return step::fault;
  } else {
    m.keep_bytes(global, bytes);
  }
  std::byte* const data = to_shared ? targets.at[0].data : global;
  for (u32 i = 0; i < bytes; i += bits_of(numbers) / 8) reduce(numbers, f.operation, data + i, source + i);
  ++m.effects;
  return to_shared ? complete(m, targets.at[0], bytes, lane) : step::next;
}

}  // namespace

void add_tensor_copy(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::UTMALDG, noting_ends<utmaldg<false>>);
  set(op::UTMALDG_U, noting_ends<utmaldg<true>>);
  set(op::UTMASTG, noting_ends<utmastg<false>>);
  set(op::UTMAREDG, noting_ends<utmastg<true>>);
  set(op::UTMAPF, utmapf<false>);
  set(op::UTMAPF_U, utmapf<true>);
  set(op::UTMACCTL, utmacctl);
  set(op::UBLKRED, noting_ends<ublkred>);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
