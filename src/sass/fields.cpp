// Fields by family of opcodes, from the names that opcodes.def gives to places.
#include "sass/fields.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "sass/operand/access_bytes.hpp"
#include "sass/operand/alu_operand.hpp"
#include "sass/row.hpp"

namespace bankwise::sass {

namespace {

using op = opcode;

class reader {
 public:
  explicit reader(const instruction& i) : i_(i), f_(i), op_(f_.info().op) {}

  fields run() {
    const opcode twin = traits_of(op_).twin;
    const opcode family = twin == opcode::count ? op_ : twin;
    switch (family) {
      // Moves, integers.
      case op::PRMT: return byte_permute{as<permute_mode>("prmt")};
      case op::MOV: return wide_move{flag(".64")};
      case op::MOV_64: return wide_move{true};
      case op::P2R:
      case op::R2P: return predicate_byte{byte("byte"), static_cast<std::uint32_t>(value("mask"))};
      case op::IADD3:
      case op::IMAD: return carry_add{flag(".X")};
      case op::IADD_64: return add_64();
      case op::LEA: return scaled_add{byte("shift"), flag(".HI"), flag(".X"), flag(".SX32")};
      case op::LOP3: return bitwise{byte("table"), flag(".PAND")};
      case op::VABSDIFF: return difference{!flag(".U32"), false};
      case op::VABSDIFF4: return difference{!flag(".U8"), flag(".ACC")};
      case op::ISETP:
        return integer_comparison{as<integer_relation>("icmp"), logic_of("bool"), !flag(".U32"), flag(".EX"),
                                  flag(".64")};
      case op::SHF: return funnel_shift{as<shift_type>("shf_type"), value("shf_dir") != 0, flag(".W"), flag(".HI")};
      case op::SGXT: return bit_range{!flag(".U32"), flag(".W")};
      case op::BMSK: return bit_range{false, flag(".W")};
      case op::IMAD_WIDE: return wide_multiply{!flag(".U32"), flag(".X"), false};
      case op::IMAD_HI: return wide_multiply{!flag(".U32"), flag(".X"), true};
      case op::IDP:
        return dot_product{!flag("halves") ? dot_parts::bytes
                           : !flag("high") ? dot_parts::halves_by_lower_bytes
                                           : dot_parts::halves_by_upper_bytes,
                           flag("a_signed"), flag("b_signed")};
      case op::VIADD: return add_packed();
      case op::IMNMX: return minimum_or_maximum();
      case op::VIMNMX:
      case op::VIADDMNMX:
      case op::VIMNMX3: return packed_extreme();
      case op::FLO: return leading_bit{!flag(".U32"), flag(".SH")};
      case op::I2I: return narrowing{as<narrow_integer>("i2i")};
      case op::I2IP: return narrow_pair();

      case op::TEX:
      case op::TEX_B:
      case op::TEX_C:
      case op::TLD:
      case op::TLD_B:
      case op::TLD_C:
      case op::TLD4:
      case op::TLD4_B:
      case op::TLD4_C:
      case op::TXD:
      case op::TXD_B:
      case op::TXD_C: return texture();
      case op::TXQ:
      case op::TXQ_C: return query();
      case op::SULD:
      case op::SULD_B:
      case op::SULD_C:
      case op::SUST:
      case op::SUST_B:
      case op::SUST_C:
      case op::SUST_P:
      case op::SUST_P_C:
      case op::SURED:
      case op::SURED_C: return surface();

      // Floats.
      case op::FADD:
      case op::FMUL:
      case op::FFMA:
        if (op_ == op::UFADD && flag("halves")) return unknown_form{};  // of halves
        return float_arithmetic{as<rounding>("rnd"), scale(), flag(".FTZ"), flag(".SAT"), flag(".FMZ")};
      case op::FADD2:
      case op::FMUL2:
      case op::FFMA2: return float_pairs();
      case op::FMNMX: return float_extreme{flag(".FTZ"), flag(".NAN"), flag(".XORSIGN")};
      case op::FMNMX3:
        if (flag(".NAN") || flag("other")) return unknown_form{};
        return float_extreme{flag(".FTZ"), false, false};
      case op::FSEL: return float_extreme{flag(".FTZ"), false, false};
      case op::FSET:
      case op::FSETP: return float_comparison{as<float_relation>("fcmp"), logic_of("bool"), flag(".FTZ")};
      case op::DSETP: return float_comparison{as<float_relation>("dcmp"), logic_of("bool"), false};
      case op::MUFU: return function();
      case op::DADD:
      case op::DMUL:
      case op::DFMA: return float_arithmetic{as<rounding>("rnd")};
      case op::HADD2:
      case op::HMUL2:
      case op::HFMA2:
      case op::HFMA2_MMA:
        if (takes_float()) return unknown_form{};
        return half_arithmetic{flag(".BF16_V2"), flag(".FTZ"), flag(".SAT"), flag(".RELU"), flag(".FMZ"),
                               flag(".F32"),     half('a'),    half('b'),    half('c')};
      case op::HSET2:
      case op::HSETP2:
        return half_comparison{as<float_relation>("fcmp"),    logic_of("bool"), flag(".BF16_V2"), flag(".FTZ"),
                               flag(".H_AND") || flag(".BF"), half('a'),        half('b')};
      case op::HMNMX2:
        return half_extreme{flag(".BF16_V2"), flag(".FTZ"), flag(".NAN"), flag(".XORSIGN"), half('a'), half('b')};
      case op::VHMNMX:
        return half_extreme{flag(".BF16_V2"), false, flag(".NAN"), false, half('a'), half('b'), half('c')};

      // Conversions.
      case op::F2F:
      case op::F2F64:
        if (op_ == op::UF2F && (!uniform_from_f32("from") || value("to") == 3)) return unknown_form{};
        return float_conversion{as<float_format>("from"), as<float_format>("to"), as<rounding>("rnd"), flag(".FTZ"),
                                upper_half()};
      case op::FRND:
      case op::FRND64:
        if (op_ == op::UFRND && value("to") != 1 && value("to") != 2)
          return unknown_form{};  // of two registers, or of a part
        return float_conversion{as<float_format>("to"), as<float_format>("to"), as<rounding>("f2i_rnd"), flag(".FTZ"),
                                upper_half()};
      case op::F2I:
      case op::F2I64:
        if (op_ == op::UF2I && (!uniform_from_f32("from") || value("size") == 3)) return unknown_form{};
        return to_integer{as<float_format>("from"),
                          static_cast<std::uint8_t>(8u << value("size")),
                          as<rounding>("f2i_rnd"),
                          flag(".FTZ"),
                          upper_half(),
                          flag("signed"),
                          flag(".NTZ")};
      case op::I2F:
      case op::I2F64:
        return from_integer{static_cast<std::uint8_t>(8u << value("size")), as<float_format>("to"), as<rounding>("rnd"),
                            is_immediate() ? std::uint8_t{0} : byte("part"), flag("signed")};
      case op::I2FP: return from_integer{32, float_format::f32, as<rounding>("rnd"), 0, flag(".S32")};
      case op::F2FP: return pack_floats();
      case op::F2IP: return integer_pack{as<narrow_integer>("i2ip"), as<rounding>("f2i_rnd"), flag(".H1")};

      // Predicates, lanes.
      case op::PLOP3:
        return predicate_logic{static_cast<std::uint8_t>(value("table_high") << 3 | value("table_low")),
                               byte("second_table"), flag("c_is_uniform")};
      case op::PLOP3_SIGN: return predicate_logic{byte("table"), byte("second_table"), false};
      case op::VOTE:
      case op::VOTEU: return lane_vote{as<vote_kind>("vote")};
      case op::MATCH: return lane_match{flag(".ANY"), flag(".U64")};
      case op::SHFL_RR:
      case op::SHFL_RI:
      case op::SHFL_IR:
      case op::SHFL_II: return lane_shuffle{as<shuffle_mode>("shfl")};
      case op::REDUX: return lane_reduction{as<lane_sum>("redux"), flag(".S32")};
      case op::CREDUX: return cross_reduction();
      case op::R2UR: return lane_broadcast{flag(".OR")};
      case op::S2R:
      case op::S2UR: return special_register_read{byte("sr"), false};
      case op::CS2R: return special_register_read{byte("sr"), !flag(".32")};

      // Control.
      case op::BRA:
      case op::BRA_U: return jump{branch_of(i_)};
      case op::CALL_ABS:
      case op::CALL_ABS_R: return distant_call{i_.distance() * 4};
      case op::RET: return function_return{flag(".ABS")};
      case op::BSSY:
      case op::BSYNC:
      case op::BREAK: return barrier_register{byte("barrier"), 0, 0, false, flag(".RELIABLE")};
      case op::BMOV_R: return barrier_register{byte("special"), 0, 0, flag(".CLEAR")};
      case op::BMOV_B: return barrier_register{byte("special"), 0, 0, false};
      case op::BMOV_I: return barrier_register{byte("special"), 0, static_cast<std::uint32_t>(value("value")), false};
      case op::BMOV_BB: return barrier_register{byte("barrier"), byte("special"), 0, flag(".CLEAR")};
      case op::WARPSYNC_R: return lane_gathering{~0u, flag(".EXCLUSIVE"), gathers_here()};
      case op::WARPSYNC_I:
        return lane_gathering{f_.has("lanes") ? static_cast<std::uint32_t>(value("lanes")) : ~0u, false,
                              gathers_here()};
      case op::BAR_RR:
      case op::BAR_RI:
      case op::BAR_IR:
      case op::BAR_II:
        return block_barrier{as<barrier_kind>("kind"), as<barrier_reduction>("reduction"), byte("barrier"),
                             static_cast<std::uint16_t>(value("threads")), flag(".ALL")};
      case op::WARPGROUP: return group_meeting{as<group_step>("kind")};
      case op::B2R: return barrier_result{as<barrier_report>("kind")};
      case op::RPCMOV_W:
      case op::RPCMOV_R: return return_address_move{number(file::call) != 0};
      case op::USETMAXREG: return register_pool{flag(".TRY_ALLOC")};

      // Asynchronous.
      case op::SYNCS_ARRIVE:
        return mbarrier_arrival{address_in_row(), as<arrival>("syncs"), register_at(slot::b), flag(".OPTOUT"),
                                flag(".TMASK")};
      case op::SYNCS_PHASECHK: return mbarrier_test{address_in_row()};
      case op::ARRIVES: {
        const auto counts = as<copies_count>("arrives");
        if (counts != copies_count::arrival && counts != copies_count::transaction) return unknown_form{};
        return copies_arrival{address_in_row(), counts};
      }
      case op::SYNCS_EXCH: return mbarrier_exchange{address_in_row(), uniform_at(slot::d), uniform_at(slot::b)};
      case op::UBLKCP:
      case op::UBLKRED: {
        const auto reduced = as<bulk_number>("bulk_type");
        if (reduced > bulk_number::bf16 || value("bulk_type") == 6) return unknown_form{};
        return bulk_transfer{uniform_at(slot::b), uniform_at(slot::a), uniform_at(slot::c),      flag("to_shared"),
                             flag("from_shared"), flag(".MULTICAST"),  as<atomic_op>("atom_op"), reduced};
      }
      case op::UTMALDG:
      case op::UTMALDG_U:
      case op::UTMASTG:
      case op::UTMAREDG:
      case op::UTMAPF:
      case op::UTMAPF_U:
        return tensor_transfer{uniform_at(slot::b),      uniform_at(slot::a),
                               uniform_at(slot::c),      static_cast<std::uint8_t>(value("tma_dim") + 1),
                               as<atomic_op>("atom_op"), flag(".MULTICAST"),
                               flag(".IM2COL")};
      case op::UTMACCTL: return map_prefetch{uniform_at(slot::a), flag(".PF")};
      case op::STAS: {
        if (access_bytes(f_) == 0) return unknown_form{};
        return remote_store{bytes(), register_at(slot::b)};
      }
      case op::REDAS: {
        return remote_store{bytes(), register_at(slot::b), as<atomic_op>("atom_op"), (value("atom_size") & 1) != 0};
      }

      // Tensor cores.
      case op::HMMA:
      case op::IMMA:
      case op::BMMA:
      case op::DMMA:
      case op::QMMA: return product();
      case op::HMMA_884: return products_of_a_step();
      case op::MOVM:
        if (value("movm") != (flag(".U4TO8") ? 1u : 0u)) return unknown_form{};  // an illegal instruction on a GPU
        return matrix_transpose{flag(".U4TO8")};
      case op::HGMMA:
      case op::IGMMA:
      case op::BGMMA:
      case op::QGMMA: return group();

      // Memory.
      case op::LDSM:
      case op::STSM: return matrices();
      case op::LDGSTS: return copy();
      case op::QSPC:
      case op::QSPC_R: return space_query{address_in_row(), as<queried_space>("qspc")};
      default:
        if (op_ == op::ATOMS_POPC) return count_lanes();
        if (traits_of(op_).action == action::update) return atomic();
        if (traits_of(op_).unit == unit::memory || traits_of(op_).action == action::load) return access();
        return plain{};
    }
  }

 private:
  std::uint64_t value(field_name n) const { return f_.value(n); }
  std::uint8_t byte(field_name n) const { return f_.byte(n); }
  template <class Modifier>
  Modifier as(field_name n) const {
    return f_.as<Modifier>(n);
  }
  bool flag(field_name n) const { return f_.flag(n); }
  std::uint8_t bytes() const { return static_cast<std::uint8_t>(access_bytes(f_)); }
  logic logic_of(field_name n) const { return static_cast<logic>(std::min<std::uint64_t>(f_.value(n), 2)); }
  std::uint8_t register_at(unsigned at) const { return static_cast<std::uint8_t>(i_.bits(at, 8)); }
  std::uint8_t uniform_at(unsigned at) const { return static_cast<std::uint8_t>(i_.uniform(at)); }
  bool is_true(field_name n) const { return f_.predicate(n).is_true(); }
  bool is_immediate() const { return form_of(i_) == alu_form::b_imm || form_of(i_) == alu_form::c_imm; }
  bool upper_half() const { return value("part") == 1 && !is_immediate(); }
  unsigned number(file f) const {
    for (const part& p : parts_of(f_.info()))
      if (p.kind == part_kind::operand && p.file == f) return static_cast<unsigned>(i_.bits(p.at, p.count));
    return 0;
  }
  // An operand of halves that is one float (.F32): nothing that nvcc makes of CUDA C++.
  bool takes_float() const {
    constexpr half_choice one = half_choice::one_float;
    return half('a') == one || half('b') == one || half('c') == one;
  }
  // Which half of the operand in a slot.
  half_choice half(char slot) const {
    for (const part& p : parts_of(f_.info()))
      if (p.kind == part_kind::alu && (p.slot == slot || ((p.slot == 'B' || p.slot == 'D') && slot == 'b')))
        return alu_operand_of(i_, p).half;
    return half_choice::both;
  }
  address address_in_row() const {
    for (const part& p : parts_of(f_.info()))
      if (p.kind == part_kind::address) return address_of(i_, *find_form(p.text));
    return {};
  }

  // --- integers

  // A sum of three with carries is not known well enough.
  fields add_64() const {
    const bool extended = flag(".X");
    if (op_ == op::UIADD3_64 && (extended || !is_true("carry") || !is_true("second_carry"))) return unknown_form{};
    return carry_add{extended};
  }
  fields add_packed() const {
    const auto type = f_.has("viadd_u8") ? as<sum_type>("viadd_u8") : as<sum_type>("viadd");
    const bool saturates = flag(".SAT") || flag(".ISAT");
    switch (type) {
      case sum_type::s32: return packed_add{type, saturates};
      case sum_type::u32:
      case sum_type::u16x2:
      case sum_type::u8x4: return saturates ? fields(unknown_form{}) : packed_add{type, false};
    }
    return unknown_form{};
  }
  fields minimum_or_maximum() const {
    const bool wide = flag(".64");
    if (wide && (value("extended_results") != 63 || value("extended_condition") != 15)) return unknown_form{};
    return integer_extreme{flag(".U32") ? extreme_type::u32 : extreme_type::s32, false, wide};
  }
  fields packed_extreme() const {
    const auto type = f_.has("vimnmx_s32") ? as<extreme_type>("vimnmx_s32") : as<extreme_type>("vimnmx");
    if (type > extreme_type::u8x4) return unknown_form{};
    return integer_extreme{type, flag(".RELU"), false};
  }
  // Which bits of c go above the pair: the compiler asks for as many as there is room for.
  fields narrow_pair() const {
    static constexpr std::uint8_t parts[] = {0, 0, 0, 0, 3, 3, 2, 2};
    if (value("i2ip_part") != parts[value("i2ip")]) return unknown_form{};
    return narrowing{as<narrow_integer>("i2ip")};
  }

  // --- floats

  product_scale scale() const {
    return op_ == op::FMUL || op_ == op::UFMUL ? as<product_scale>("fmul_scale") : product_scale::one;
  }
  // The positions of the signs are not known.
  fields float_pairs() const {
    if (value("lower_marks") != 0 || value("upper_marks") != 0 || form_of(i_) != alu_form::b_reg_c_reg)
      return unknown_form{};
    return float_arithmetic{as<rounding>("rnd"), product_scale::one, flag(".FTZ")};
  }
  fields function() const {
    std::uint64_t format = value("mufu_type");
    if (i_.set < isa::hopper) format /= 2;  // F16 is 2 there, and BF16 nothing
    if (format > 2 || flag(".BF16x2")) return unknown_form{};
    return special_function{as<math_function>("mufu"), static_cast<math_format>(format), upper_half(), is_immediate()};
  }
  // Other formats have marks that are not known.
  bool uniform_from_f32(field_name from) const { return value(from) == 2; }
  fields pack_floats() const {
    if (op_ == op::UF2FP) {
      if ((value("form") | 8) != 0xc2468) return unknown_form{};  // the one form that is known
      float_pack p;
      p.saturates = true;
      p.form.to = value("uf2fp") != 0 ? pack_target::e4m3 : pack_target::e5m2;
      p.form.merges_pair = p.form.has_c = true;
      return p;
    }
    float_pack p{pack_form_of(i_), as<rounding>("rnd"), flag(".RELU"), flag(".SATFINITE"), flag(".H1")};
    if (p.form.unpacks && (p.form.from_small() || !p.form.to_small()))
      p.upper_half = value("part") == 1 || (p.form.from_small() && flag(".H1_B"));
    return p;
  }

  // Bits 73 and 79 say all that integers need; others are of floats.
  fields cross_reduction() const {
    if (flag("first_mark") || value("middle_marks") != 0 || value("last_marks") != 0) return unknown_form{};
    return lane_reduction{value("credux") != 0 ? lane_sum::minimum : lane_sum::maximum, flag(".S32")};
  }

  // --- memory

  // The register after the result, or otherwise after the address.
  std::uint8_t data_register() const {
    std::uint8_t r = register_zero;
    for (const part& p : parts_of(f_.info()))
      if (p.kind == part_kind::operand && p.file == file::vector && p.at != slot::d && r == register_zero)
        r = register_at(p.at);
    return r;
  }
  bool is_strong() const {
    const auto order = value("order");
    if (traits_of(i_.set).split_order) return order >> 2 >= 2;
    return order >= 5 && order != 9 && order != 11 && order < 13;
  }
  memory_access plain_access() const {
    memory_access a;
    a.address = address_in_row();
    const bool is_uniform = traits_of(op_).unit == unit::uniform;
    const bool has_result =
        traits_of(op_).action == action::load || (traits_of(op_).action == action::update && !is_reduction());
    if (has_result) a.result = is_uniform ? uniform_at(slot::d) : register_at(slot::d);
    a.data = data_register();
    a.strong = is_strong();
    a.never_merges = op_ == op::LD && (i_.set < isa::hopper || a.address.has_descriptor || flag("generic_pair"));
    return a;
  }
  bool is_reduction() const { return op_ == op::REDG || op_ == op::REDG_F; }

  fields access() const {
    memory_access a = plain_access();
    const field_name size = f_.has("ldc_size")    ? field_name("ldc_size")
                            : f_.has("ldcu_size") ? field_name("ldcu_size")
                                                  : field_name("mem_size");
    a.bytes = bytes();
    a.is_signed = value(size) == 1 || value(size) == 3;
    // A result predicate, or a predicate that zeroes the result.
    const bool has_predicates = !is_true("unless") || !is_true("found");
    const bool is_constant = traits_of(op_).space == space::constant;
    if (a.bytes == 0 || has_predicates || (op_ == op::LDC && value("ldc_mode") != 0) ||
        (is_constant && a.bytes == 16 && op_ != op::LDCU) || (op_ == op::ULDC && a.address.has_descriptor))
      return unknown_form{};
    return a;
  }
  fields matrices() const {
    const bool loads = op_ == op::LDSM;
    struct form {
      std::uint64_t shape, from;
      matrix_shape is;
      std::uint8_t bits;
    };
    static constexpr form loaded[] = {{0, 0, matrix_shape::m8n8, 16},        {1, 0, matrix_shape::m8n8_trans, 16},
                                      {4, 7, matrix_shape::m16n16_trans, 8}, {4, 6, matrix_shape::m16n16_trans, 6},
                                      {4, 5, matrix_shape::m16n16_trans, 4}, {2, 6, matrix_shape::m8n16, 6},
                                      {2, 5, matrix_shape::m8n16, 4}};
    static constexpr form stored[] = {
        {0, 0, matrix_shape::m8n8, 16}, {1, 0, matrix_shape::m8n8_trans, 16}, {2, 1, matrix_shape::m16n8_trans, 8}};
    const std::uint64_t count = value("ldsm_count"), shape = loads ? value("ldsm_shape") : value("stsm_shape"),
                        from = loads ? value("ldsm_from") : value("stsm_from");
    const std::span<const form> known = loads ? std::span<const form>(loaded) : stored;
    const auto f =
        std::find_if(known.begin(), known.end(), [&](const form& k) { return k.shape == shape && k.from == from; });
    if (f == known.end() || count > (f->is == matrix_shape::m16n16_trans ? 1 : 2)) return unknown_form{};
    const unsigned matrices = f->is == matrix_shape::m16n16_trans ? 2u << count : 1u << count;
    return matrix_access{address_in_row(), static_cast<std::uint8_t>(matrices), register_at(loads ? slot::d : slot::b),
                         f->is, f->bits};
  }
  fields copy() const {
    if (bytes() == 0) return unknown_form{};
    return copy_access{address_of(i_, *find_form("copy_target")),
                       address_of(i_, *find_form("copy_source")),
                       bytes(),
                       flag(".ZFILL"),
                       !is_true("condition"),
                       !flag(".BYPASS")};
  }
  fields count_lanes() const {
    if (value("operation") == 9) return unknown_form{};  // an arrival at an mbarrier
    return plain_access();
  }
  fields atomic() const {
    memory_access a = plain_access();
    const bool on_shared = traits_of(op_).space == space::shared;
    a.is_swap = op_ == op::ATOMS_CAS || op_ == op::ATOMS_CAST || op_ == op::ATOM_CAS || op_ == op::ATOMG_CAS;
    a.reduces = is_reduction();
    if (a.is_swap) a.swap = register_at(slot::c);
    a.bytes = bytes();
    if (f_.has("atom_float")) return float_atomic(a);
    if (op_ == op::ATOMS_CAST)
      a.swapped = swap_result::is_stored_or_spin, a.result = register_zero;  // its result is only the predicate
    else if (a.is_swap)
      a.swapped = as<swap_result>("swap");
    else
      a.operation = as<atomic_op>("atom_op");
    if (a.operation > atomic_op::safe_add) return unknown_form{};
    if (!on_shared && traits_of(i_.set).float_atomics_typed) return typed_atomic(a, value("atom_size"));
    const auto size = on_shared ? value("atoms_size") : value("atom_size");
    a.is_signed = (size & 1) != 0;
    a.spins = on_shared && a.is_swap && a.swapped != swap_result::old_value;
    if (a.bytes == 0 || (a.bytes == 16 && !a.is_swap && a.operation != atomic_op::exchange)) return unknown_form{};
    return a;
  }
  fields float_atomic(memory_access a) const {
    static constexpr std::optional<atomic_op> operations[] = {
        atomic_op::add, {}, atomic_op::minimum, {}, atomic_op::maximum, {}, {}, {}};
    const std::optional<atomic_op> operation = operations[value("atom_fop")];
    if (a.bytes == 0 || !operation) return unknown_form{};
    a.operation = *operation;
    a.float_type = as<atomic_float>("atom_float");
    a.is_float = true;
    return a;
  }
  // An atomic of sm_75 to sm_89 on global memory: U32, S32, U64, F32.FTZ, F16x2, S64, F64; floats only add.
  static fields typed_atomic(memory_access a, std::uint64_t type) {
    static constexpr std::optional<atomic_float> float_types[] = {
        {}, {}, {}, atomic_float::f32_ftz, atomic_float::f16x2, {}, atomic_float::f64, {}};
    a.is_signed = type == 1 || type == 5;
    a.is_float = float_types[type].has_value();
    a.float_type = float_types[type].value_or(atomic_float::f16x2);
    if (a.bytes == 0 || (a.is_float && a.operation != atomic_op::add)) return unknown_form{};
    return a;
  }

  // --- textures

  texture_handle handle() const {
    if (f_.has("word")) return {handle_place::constant, byte("bank"), static_cast<std::uint16_t>(value("word") * 4)};
    if (op_ == op::SULD_B || op_ == op::SUST_B) return {handle_place::vector, register_at(slot::c), 0};
    if (flag(".B")) return {handle_place::vector, register_zero, 0};
    return {handle_place::uniform, uniform_at(40), 0};
  }
  fields texture() const {
    texture_access t;
    t.form = texture_form_of(i_);
    t.handle = handle();
    t.first = register_at(slot::a), t.second = register_at(slot::b);
    t.low = register_at(slot::d), t.high = register_at(slot::c);
    t.channel = byte("gather");
    if (flag(".DC") || flag(".MS") || flag(".PTP") || t.form.level == texture_level_use::unknown) return unknown_form{};
    return t;
  }
  // Values of 32 bits or, as a sum, of 64 bits; numbers in their format, with sign.
  fields reduction(surface_access s) const {
    constexpr unsigned of_u32 = 0, of_s32 = 1, of_u64 = 2, of_format = 6;
    const std::uint64_t size = value("surface_size");
    s.bytes = size == of_u64 ? 8 : 4;
    s.is_signed = size == of_s32;
    if (s.is_formatted ? size != of_u32 && size != of_format : size > of_u64) return unknown_form{};
    if (s.bytes == 8 && s.operation != atomic_op::add) return unknown_form{};
    return s;
  }
  // Sizes of a level: width, height, depth or layers.
  fields query() const {
    texture_access t;
    t.form = texture_form_of(i_);
    t.handle = handle();
    t.first = register_at(slot::a);
    t.low = register_at(slot::d), t.high = register_at(slot::c);
    if (value("texture_query") != 0 || (t.form.channels & 8) != 0) return unknown_form{};
    return t;
  }
  fields surface() const {
    surface_access s;
    const auto dim = value("surface_dim");
    s.handle = handle();
    s.place = register_at(slot::a), s.data = register_at(slot::b), s.result = register_at(slot::d);
    s.bytes = bytes();
    s.dimensions = dim < 3 ? 1 : dim < 5 ? 2 : 3;
    s.has_layer = dim == 2 || dim == 4;
    s.outside = as<beyond_surface>("surface_clamp");
    s.operation = as<atomic_op>("atom_op");
    s.is_signed = f_.has("mem_size") && (value("mem_size") == 1 || value("mem_size") == 3);
    s.is_formatted = !flag(".BA");
    if (f_.has("surface_channels")) {
      s.is_formatted = true;
      s.bytes = 4, s.channels = byte("surface_channels");
      // One, two or all four.
      if (s.channels != 1 && s.channels != 3 && s.channels != 15) return unknown_form{};
    } else if (s.is_formatted && !f_.has("surface_size")) {
      return unknown_form{};
    }
    if (dim > 5 || s.outside > beyond_surface::trap) return unknown_form{};
    if (f_.has("surface_size")) return reduction(s);
    return s.bytes != 0 ? fields{s} : unknown_form{};
  }

  // --- tensor cores

  fields product() const {
    const std::optional<tensor_shape> shape = tensor_shape_of(i_);
    if (!shape) return unknown_form{};
    matrix_product p;
    p.shape = *shape;
    p.a = register_at(slot::a), p.b = register_at(slot::b), p.c = register_at(slot::c), p.result = register_at(slot::d);
    p.has_predicate = !is_true("adds_c");
    p.saturates = flag(".SAT");
    switch (op_) {
      case op::IMMA:
        p.a_signed = flag("a_signed"), p.b_signed = flag("b_signed");
        p.a_nibbles = flag("a_nibbles"), p.b_nibbles = flag("b_nibbles");
        if (p.a_nibbles != p.b_nibbles) return unknown_form{};
        break;
      case op::BMMA:
        p.bits = as<bit_product>("bmma_op");
        if (p.bits != bit_product::exclusive && p.bits != bit_product::conjunction) return unknown_form{};
        break;
      case op::DMMA: {
        p.negates_a = alu_operand_of(i_, 'a', 'd').negated, p.negates_b = alu_operand_of(i_, 'b', 'd').negated;
        p.negates_c = alu_operand_of(i_, 'c', 'd').negated;
        break;
      }
      case op::HMMA:
        p.numbers = as<product_number>("hmma_in");
        p.negates_a = flag(".negA"), p.negates_b = flag(".negB");
        if (p.numbers > product_number::tf32 || (p.shape.k == 4 && p.numbers != product_number::tf32))
          return unknown_form{};
        break;
      case op::QMMA:
        if (value("a_type_high") != 0 || value("b_type_high") != 0) return unknown_form{};  // fewer than 8 bits
        p.a_e5m2 = flag("a_type"), p.b_e5m2 = flag("b_type");
        p.negates_a = flag(".negA"), p.negates_b = flag(".negB");
        p.short_sums = i_.set == isa::ada;
        if (p.shape.sparse != (p.shape.k == 64)) return unknown_form{};
        break;
      default: break;
    }
    if (p.shape.sparse) {
      p.metadata = f_.register_of("metadata"), p.selector = byte("selector");
      if (!selects_lanes(p)) return unknown_form{};
    }
    return p;
  }
  // A row of B has 256 or 512 bits, and the metadata of a row of A are in one lane, in two, or in all four.
  static bool selects_lanes(const matrix_product& p) {
    const unsigned bits = p.shape.k * p.shape.element_bits;
    if (bits != 256 && bits != 512) return false;
    return (p.selector + 1) * p.shape.metadata_lanes() <= 4;
  }
  fields products_of_a_step() const {
    quad_product p;
    p.a = register_at(slot::a), p.b = register_at(slot::b), p.c = register_at(slot::c), p.result = register_at(slot::d);
    p.step = byte("step");
    p.a_by_columns = value("a_major") != 0, p.b_by_columns = value("b_major") != 0;
    p.to_f32 = value("hmma_type") != 0, p.from_f32 = value("c_type") != 0;
    p.has_predicate = !is_true("adds_c");
    if ((p.from_f32 && !p.to_f32) || (!p.to_f32 && p.step > 1)) return unknown_form{};
    return p;
  }
  // Architectures before sm_90 are not measured.
  bool gathers_here() const {
    return f_.has(".COLLECTIVE") && !flag(".COLLECTIVE") && !(f_.has(".EXCLUSIVE") && flag(".EXCLUSIVE"));
  }
  fields group() const {
    group_product g;
    g.columns = static_cast<std::uint16_t>(warp_group_columns(f_));
    g.a_in_shared = !group_has_a_in_registers(i_);
    g.a = register_at(slot::a), g.c = register_at(slot::c), g.result = register_at(slot::d);
    g.descriptors = f_.register_of("descriptors");
    g.a_transposed = flag(".tnspA"), g.b_transposed = flag(".tnspB");
    g.negates_a = flag(".negA"), g.negates_b = flag(".negB");
    g.to_f32 = flag("hmma_type");
    g.saturates = flag(".SAT");
    g.sparse = flag(".SP");
    if (g.sparse) g.metadata = f_.register_of("metadata"), g.selector = byte("selector");
    if (op_ == op::HGMMA) g.numbers = as<product_number>("hmma_in");
    if (g.numbers > product_number::tf32) return unknown_form{};
    if (op_ == op::IGMMA) g.a_signed = flag("a_type"), g.b_signed = flag("b_type");
    if (op_ == op::QGMMA) g.a_e5m2 = flag("a_type"), g.b_e5m2 = flag("b_type");
    const predicate_operand adds_c = f_.predicate("adds_c");
    g.predicate = adds_c.number, g.predicate_negated = adds_c.negated;
    return g;
  }

  const instruction& i_;
  row_fields f_;
  opcode op_;
};

}  // namespace

fields fields_of(const instruction& i) { return reader(i).run(); }

}  // namespace bankwise::sass
