// The modifiers of an instruction as typed values, with one struct for each family of opcodes.
//
//     SHF.R.U32.HI R4, RZ, 0x5, R2      funnel_shift{type: u32, right, not wrapping, high}
//     LDS.U.64 R2, [R4.X8+0x10]         memory_access{bytes: 8, address: {base: 4, shift: 3, offset: 0x10}, data: 2}
//
// fields_of() finds the modifiers by their names in opcodes.def. No other code needs their positions.
#pragma once

#include <cstdint>
#include <variant>

#include "base/float_bits.hpp"
#include "sass/modifiers.hpp"
#include "sass/operand/address.hpp"
#include "sass/operand/branch.hpp"
#include "sass/operand/pack_form.hpp"
#include "sass/operand/tensor_memory_form.hpp"
#include "sass/operand/tensor_shape.hpp"
#include "sass/operand/texture_form.hpp"

namespace bankwise::sass {

// --- moves, integers
struct byte_permute {
  permute_mode mode = permute_mode::by_selector;
};
struct wide_move {
  bool wide = false;  // .64
};
struct predicate_byte {
  std::uint8_t byte = 0;   // number of the byte in the register
  std::uint32_t mask = 0;  // mask of the predicates, with one bit for each
};
struct carry_add {
  bool extended = false;  // .X: adds carries
};
struct scaled_add {
  std::uint8_t shift = 0;
  bool high = false, extended = false, sign_extends = false;  // .HI .X .SX32
};
struct bitwise {
  std::uint8_t table = 0;  // entry 4a + 2b + c is the result for bits a, b, c
  bool all = false;        // .PAND: the predicates are combined by "and" instead of "or"
};
struct difference {
  bool is_signed = false, accumulates = false;
};
struct integer_comparison {
  integer_relation relation = integer_relation::never;
  logic combine = logic::conjunction;
  bool is_signed = false, extended = false, wide = false;  // .EX .64
};
struct funnel_shift {
  shift_type type = shift_type::s64;
  bool right = false, wraps = false, high = false;
  bool wide() const { return type == shift_type::s64 || type == shift_type::u64; }
  bool is_signed() const { return type == shift_type::s64 || type == shift_type::s32; }
};
struct bit_range {
  bool is_signed = false, wraps = false;
};
struct wide_multiply {
  bool is_signed = false, extended = false, high = false;
};
struct dot_product {
  dot_parts parts = dot_parts::bytes;
  bool a_signed = false, b_signed = false;
};
struct packed_add {
  sum_type type = sum_type::u32;
  bool saturates = false;
};
struct integer_extreme {
  extreme_type type = extreme_type::u32;
  bool relu = false, wide = false;
};
struct leading_bit {
  bool is_signed = false, as_shift = false;
};
struct narrowing {
  narrow_integer to = narrow_integer::u8;
};

// --- floats
struct float_arithmetic {
  bankwise::rounding rounding = bankwise::rounding::nearest_even;
  product_scale scale = product_scale::one;
  bool flushes = false, saturates = false, zero_wins = false;  // .FTZ, .SAT, .FMZ (0 times anything is 0)
};
struct float_extreme {
  bool flushes = false, nan_wins = false, xors_sign = false;  // .FTZ, .NAN, .XORSIGN
};
struct float_comparison {
  float_relation relation = float_relation::never;
  logic combine = logic::conjunction;
  bool flushes = false;
};
struct special_function {
  math_function function = math_function::cosine;
  math_format format = math_format::f32;
  bool upper_half = false, of_immediate = false;
};
struct half_arithmetic {
  bool bf16 = false, flushes = false, saturates = false, relu = false, zero_wins = false, to_f32 = false;
  half_choice half_of_a{}, half_of_b{}, half_of_c{};
};
struct half_comparison {
  float_relation relation = float_relation::never;
  logic combine = logic::conjunction;
  bool bf16 = false, flushes = false, joins = false;
  half_choice half_of_a{}, half_of_b{};
};
struct half_extreme {
  bool bf16 = false, flushes = false, nan_wins = false, xors_sign = false;
  half_choice half_of_a{}, half_of_b{}, half_of_c{};  // only VHMNMX has an operand c
};

// --- conversions
struct float_conversion {
  float_format from = float_format::f32, to = float_format::f32;
  bankwise::rounding rounding = bankwise::rounding::nearest_even;
  bool flushes = false, upper_half = false;
};
struct to_integer {
  float_format from = float_format::f32;
  std::uint8_t bits = 32;
  bankwise::rounding rounding = bankwise::rounding::nearest_even;
  bool flushes = false, upper_half = false, is_signed = false, nan_is_smallest = false;
};
struct from_integer {
  std::uint8_t bits = 32;
  float_format to = float_format::f32;
  bankwise::rounding rounding = bankwise::rounding::nearest_even;
  std::uint8_t part = 0;  // number of the byte or half in the register
  bool is_signed = false;
};
struct float_pack {
  pack_form form;
  bankwise::rounding rounding = bankwise::rounding::nearest_even;
  bool relu = false, saturates = false;
  bool upper_half = false;  // whether the upper half of an operand is used: of b if b is unpacked, otherwise of c
  std::uint8_t byte = 0;    // number of the byte in the operand if one byte contains a pair of numbers
};
struct integer_pack {
  narrow_integer to = narrow_integer::u8;
  bankwise::rounding rounding = bankwise::rounding::nearest_even;
  bool upper_half = false;
  bool relu = false;  // whether negative numbers become zero
};

// --- predicates, lanes
struct predicate_logic {
  std::uint8_t table = 0, second_table = 0;
  bool c_is_uniform = false;
};
struct lane_vote {
  vote_kind kind = vote_kind::all;
};
struct lane_match {
  bool any = false, wide = false;
};
struct lane_shuffle {
  shuffle_mode mode = shuffle_mode::by_index;
};
struct lane_reduction {
  lane_sum operation = lane_sum::conjunction;
  bool is_signed = false;
  bool is_float = false;
  bool of_magnitudes = false, keeps_nan = false;
};
struct lane_broadcast {
  bool adds_lanes = false;  // .OR
};
struct special_register_read {
  std::uint8_t number = 0;
  bool pair = false;
};

// --- memory
struct memory_access {
  sass::address address;
  std::uint8_t bytes = 4;               // bytes that one lane accesses
  std::uint8_t result = register_zero;  // first register, or first uniform register, of the loaded value
  std::uint8_t data = register_zero;    // first register of the stored value, or of an atomic's operand
  std::uint8_t upper = register_zero;   // for an access of 32 bytes: first register of the upper 16 bytes
  std::uint8_t kept = 0xff;             // for a load of 32 bytes: mask of the words that have a register
  std::uint8_t swap = register_zero;    // for a compare-and-swap: first register of the new value
  atomic_op operation = atomic_op::add;
  swap_result swapped = swap_result::old_value;
  atomic_float float_type = atomic_float::f16x2;
  bool is_signed = false, is_float = false, is_swap = false;
  bool reduces = false;
  // whether this is a compare-and-swap that lets only one lane of each bank store
  bool spins = false;
  bool strong = false;  // .STRONG, .MMIO: whether other threads can see the access
  // whether this is a load through a generic pointer, such as LD [R2.64], whose phases never merge; LD [R2] is
  // ld.shared::cluster, whose phases can merge
  bool never_merges = false;
};
// The shape of a matrix, named as in PTX.
enum class matrix_shape : std::uint8_t {
  m8n8,  // halves
  m8n8_trans,
  m16n16_trans,  // bytes, only for loads; a matrix has 16 rows
  m16n8_trans,   // bytes, only for stores
  m8n16,         // elements of 4 or 6 bits; they become bytes
};
struct matrix_access {
  sass::address address;
  // number of registers, each with 8 rows of 16 bytes; an .m16n16 matrix takes two registers
  std::uint8_t matrices = 1;
  std::uint8_t data = register_zero;
  matrix_shape shape = matrix_shape::m8n8;
  std::uint8_t element_bits = 16;  // size of an element in memory, in bits
};
struct copy_access {
  address target, source;
  std::uint8_t bytes = 4;
  // .ZFILL: the low bits of the source address are a number of bytes; these bytes are filled with zeros
  bool fills = false;
  // whether the copy has its own predicate; lanes where it is false read nothing and write zeros
  bool may_skip = false;
  bool through_l1 = false;  // without .BYPASS
};
struct space_query {
  sass::address address;
  queried_space space = queried_space::global;
};

// --- control
struct jump {
  branch how;
};
struct distant_call {
  std::int64_t offset = 0;  // in bytes
};
struct function_return {
  bool absolute = false;
};
struct barrier_register {
  std::uint8_t number = 0;  // numbers from 16 on are special registers
  std::uint8_t source = 0;
  std::uint32_t value = 0;
  bool clears = false;
  bool reliable = false;      // whether lanes may leave the barrier without a BREAK
  bool reconvergent = false;  // whether lanes stay in the barrier when they yield (from sm_100 on)
};
struct lane_gathering {
  std::uint32_t lanes = ~0u;
  bool exclusive = false;   // whether each path executes the next instructions without other lanes
  bool collective = false;  // whether the lanes join, and execute the next instructions without other lanes
  bool here_alone = false;  // whether only lanes that wait at this instruction join
};
struct block_barrier {
  barrier_kind kind = barrier_kind::sync;
  barrier_reduction reduction = barrier_reduction::count;
  std::uint8_t barrier = 0;
  std::uint16_t threads = 0;
  bool all = false;
};
struct group_meeting {
  group_step step = group_step::arrive;
  unsigned pending = 0;  // groups of products that may still be in flight after the wait for groups
};
struct barrier_result {
  barrier_report what = barrier_report::state;
};
struct return_address_move {
  bool high = false;
};
struct register_pool {
  bool asks = false;            // .TRY_ALLOC
  std::uint32_t registers = 0;  // that a thread has afterwards
};

// --- asynchronous
struct mbarrier_arrival {
  sass::address address;
  arrival counts = arrival::one_with_transactions;
  std::uint8_t data = register_zero;
  bool drops = false, with_mask = false;  // .OPTOUT .TMASK
};
struct mbarrier_test {
  sass::address address;
};
struct copies_arrival {
  sass::address address;
  copies_count counts = copies_count::arrival;
};
struct mbarrier_exchange {
  sass::address address;
  std::uint8_t result = 0, value = 0;  // first registers of two pairs of uniform registers
};
struct bulk_transfer {
  std::uint8_t target = 0, source = 0, size = 0;  // uniform registers
  bool to_shared = false, from_shared = false, multicast = false;
  atomic_op operation = atomic_op::add;  // for a reduction
  bulk_number numbers = bulk_number::u32;
};
// The source of the number of pixels along W: the tensor map (.im2col::w), or the constant 128 (.im2col::w::128).
enum class w_column : std::uint8_t { none, of_map, of_128 };
struct tensor_transfer {
  std::uint8_t box = 0, map = 0, blocks = 0;  // uniform registers
  std::uint8_t dimensions = 1;
  atomic_op operation = atomic_op::add;
  bool multicast = false, im2col = false;
  w_column along_w = w_column::none;
  bool four_rows = false;  // .tile::gather4, .tile::scatter4
  bool pair = false;       // .cta_group::2
};
struct map_prefetch {
  std::uint8_t map = 0;
  bool fetches = false;
};
// A prefetch of the lines that contain the addresses of the lanes, into L2 or L1 (CCTL).
struct line_prefetch {
  std::uint8_t base = 0;  // the register, or the first of two registers, with the lane's address
  bool is_wide = false, to_l1 = false;
  std::optional<std::uint8_t> uniform;  // the first of two uniform registers, to which the lane's register is added
  std::int32_t offset = 0;
};
// L1 forgets all its lines (CCTL.IVALL). Later loads see what other multiprocessors have written: the end of an acquire.
struct l1_invalidation {};
// A prefetch of bytes into L2. The number of bytes is a multiple of 16.
struct bulk_prefetch {
  // The first of two uniform registers with the address, and the uniform register with the number of bytes divided by 16.
  std::uint8_t source = 0, size = 0;
};
// A request of cluster launch control. The response consists of 16 bytes in shared memory.
struct work_request {
  // first of two uniform registers, which contain the address of the response and the address of the mbarrier
  std::uint8_t answer = 0;
  bool to_all = false;  // whether all blocks of the cluster get the response
};
struct remote_store {
  std::uint8_t bytes = 4, data = register_zero;
  atomic_op operation = atomic_op::add;
  bool is_signed = false;
};

// --- tensor cores
struct matrix_product {
  tensor_shape shape;
  std::uint8_t a = 255, b = 255, c = 255, result = 255;  // first registers
  // for a sparse A: the register with the metadata, and a number that selects the lanes with the metadata
  std::uint8_t metadata = 255, selector = 0;
  product_number numbers = product_number::f16;  // for HMMA
  bit_product bits = bit_product::exclusive;     // for BMMA
  bool a_e5m2 = false, b_e5m2 = false;           // only for QMMA: whether this factor is E5M2 instead of E4M3
  bool a_signed = false, b_signed = false, a_nibbles = false, b_nibbles = false;
  bool saturates = false, negates_a = false, negates_b = false, negates_c = false;
  bool has_predicate = false;
  // for 8-bit floats: whether the hardware adds 16 products at a time, and a sum keeps 13 bits
  bool short_sums = false;
};
// Products of floats of 4, 6 and 8 bits. If there are scales, each row of A and each column of B has a scale for each
// block of numbers along k.
struct scaled_product {
  tensor_shape shape;
  std::uint8_t a = 255, b = 255, c = 255, result = 255;  // first registers
  // for a sparse A: the register with the metadata, and a number that selects the lanes with the metadata
  std::uint8_t metadata = 255, selector = 0;
  small_float a_type = small_float::e4m3, b_type = small_float::e4m3;
  std::uint8_t scales = 0;  // number of scales for each row of A and for each column of B; 0 if there are no scales
  bool ue4m3 = false;       // whether the scales are UE4M3 instead of UE8M0
  std::uint8_t a_scales = 255, b_scales = 255;  // registers
  std::uint8_t places = uniform_register_zero;  // uniform register that selects the bytes and lanes with the scales
  bool negates_a = false, negates_b = false;
  bool has_predicate = false;
};
// HMMA.884 computes four products of 8 x 4 elements by 4 x 8 elements. One step writes two registers of D.
struct quad_product {
  std::uint8_t a = 255, b = 255, c = 255, result = 255;
  std::uint8_t step = 0;
  bool a_by_columns = false, b_by_columns = false, to_f32 = false, from_f32 = false;
  bool has_predicate = false;
};
struct matrix_transpose {
  bool widens = false;  // whether 4-bit numbers become bytes; if false, the elements are halves
};
struct group_product {
  std::uint16_t columns = 0;
  std::uint8_t a = 255, c = 255, result = 255;   // first registers
  std::uint8_t descriptors = 0;                  // uniform register
  product_number numbers = product_number::f16;  // for HGMMA
  bool a_signed = false, b_signed = false;       // for IGMMA
  bool a_e5m2 = false, b_e5m2 = false;           // only for QGMMA: whether this factor is E5M2 instead of E4M3
  bool a_in_shared = true, a_transposed = false, b_transposed = false, negates_a = false, negates_b = false;
  bool to_f32 = false, saturates = false, sparse = false;
  // for a sparse A: the register with the metadata, and a number that selects the lanes with the metadata
  std::uint8_t metadata = 255, selector = 0;
  std::uint8_t predicate = predicate_true;  // the product is added to C only if this uniform predicate is true
  bool predicate_negated = false;
};

// --- tensor memory
struct tensor_place {
  // uniform register with an address; the upper half of the address is the lane, the lower half is the column
  std::uint8_t base = 0;
  std::int32_t offset = 0;
};
struct tensor_move {
  tensor_place at;
  tensor_layout layout = tensor_layout::lanes32_bits32;
  std::uint8_t repeats = 1;  // the shape is repeated this number of times along the columns
  std::uint8_t data = register_zero;
  bool packs = false;  // whether two columns of 16 bits share a register
  // For tcgen05.ld.red: the minimum or maximum that each thread also gets from its registers.
  enum class extreme_type : std::uint8_t { none, u32, s32, f32 } extreme = extreme_type::none;
  bool minimum = false, of_magnitudes = false, keeps_nan = false;
  std::uint8_t result = register_zero;
};
enum class tensor_copy_form : std::uint8_t { m128x256, none, m4x256, m128x128, m64_02_13, m64_01_23, m32_all };
struct tensor_fill {
  tensor_place to;
  tensor_copy_form form = tensor_copy_form::m128x256;
  std::uint8_t descriptor = 0;    // uniform register
  std::uint8_t element_bits = 8;  // bits of an element; elements of 4 and 6 bits become bytes
  bool pair = false;              // .2CTA: whether a pair of blocks copies
};
struct tensor_shift {
  tensor_place at;
  bool pair = false;
};
// halves are for the kinds f16 and tf32, integers for i8, bytes for f8f6f4, and nibbles for mxf4
enum class tensor_numbers : std::uint8_t { halves, integers, bytes, nibbles };
struct tensor_product {
  std::uint8_t a = 0, b = 0, sums = 0, instruction = 0, mask = 0;  // uniform registers
  tensor_numbers numbers = tensor_numbers::halves;
  std::uint8_t scale = 0;                   // D is divided by 2^scale
  std::uint8_t predicate = predicate_true;  // the product is added to D only if this uniform predicate is true
  bool predicate_negated = false;
  bool a_in_tensor_memory = false, scaled = false;
  bool long_blocks = false;  // for 4-bit numbers: whether 32 numbers share a scale instead of 16
  bool pair = false, weight_stationary = false, shifts_a = false;
};
struct tensor_commit {
  std::uint8_t barrier = 0, blocks = 0;  // uniform registers
  bool multicast = false;
};
enum class allocation_step : std::uint8_t { find, keep, add };
struct tensor_allocation {
  allocation_step step = allocation_step::find;
  std::uint8_t operand = 0;  // uniform register
  bool pair = false;
};

// --- textures
enum class handle_place : std::uint8_t { uniform, constant, vector };
struct texture_handle {
  handle_place where = handle_place::uniform;
  std::uint8_t number = 0;   // number of the register or of the constant bank
  std::uint16_t offset = 0;  // in bytes
};
struct texture_access {
  texture_form form;
  texture_handle handle;
  std::uint8_t first = register_zero, second = register_zero;  // first registers of the two vectors of coordinates
  std::uint8_t low = register_zero, high = register_zero;      // first registers of the two vectors of results
  std::uint8_t channel = 0;                                    // for TLD4
};
struct surface_access {
  texture_handle handle;
  std::uint8_t place = register_zero, data = register_zero, result = register_zero;
  std::uint8_t bytes = 4, dimensions = 1;
  beyond_surface outside = beyond_surface::ignored;
  atomic_op operation = atomic_op::add;
  std::uint8_t channels = 0;  // for SUST.P: a mask of channels
  bool has_layer = false, is_signed = false;
  bool is_formatted = false;  // whether x counts texels instead of bytes
};

// The instruction has no modifiers, or only modifiers without a meaning.
struct plain {};
// The opcode is known, but the meaning of this encoding is unknown.
struct unknown_form {};

using fields =
    std::variant<plain, unknown_form, byte_permute, wide_move, predicate_byte, carry_add, scaled_add, bitwise,
                 difference, integer_comparison, funnel_shift, bit_range, wide_multiply, dot_product, packed_add,
                 integer_extreme, leading_bit, narrowing, float_arithmetic, float_extreme, float_comparison,
                 special_function, half_arithmetic, half_comparison, half_extreme, float_conversion, to_integer,
                 from_integer, float_pack, integer_pack, predicate_logic, lane_vote, lane_match, lane_shuffle,
                 lane_reduction, lane_broadcast, special_register_read, memory_access, matrix_access, copy_access,
                 space_query, jump, distant_call, function_return, barrier_register, lane_gathering, block_barrier,
                 barrier_result, group_meeting, return_address_move, register_pool, mbarrier_arrival, mbarrier_test,
                 copies_arrival, mbarrier_exchange, bulk_transfer, tensor_transfer, map_prefetch, line_prefetch,
                 l1_invalidation, bulk_prefetch, work_request, remote_store, matrix_product, scaled_product,
                 quad_product, matrix_transpose, group_product, texture_access, surface_access, tensor_move,
                 tensor_fill, tensor_shift, tensor_product, tensor_commit, tensor_allocation>;

// Returns the fields of a known instruction. i.info() must not be null.
fields fields_of(const instruction& i);

}  // namespace bankwise::sass
