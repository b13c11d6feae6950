// Reads the fields of predicate instructions, lane instructions, branches and barriers.
#include "sass/fields/field_reader.hpp"

namespace bankwise::sass {

std::optional<fields> field_reader::control(opcode family) const {
  switch (family) {
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

    // Control flow.
    case op::BRA:
    case op::BRA_U: return jump{branch_of(i_)};
    case op::CALL_ABS:
    case op::CALL_ABS_R: return distant_call{i_.distance() * 4};
    case op::RET: return function_return{flag(".ABS")};
    case op::BSSY:
    case op::BSYNC:
    case op::BREAK: return barrier_register{byte("barrier"), 0, 0, false, flag(".RELIABLE"), flag(".RECONVERGENT")};
    case op::BMOV_R: return barrier_register{byte("special"), 0, 0, flag(".CLEAR")};
    case op::BMOV_B: return barrier_register{byte("special"), 0, 0, false};
    case op::BMOV_I: return barrier_register{byte("special"), 0, static_cast<std::uint32_t>(value("value")), false};
    case op::BMOV_BB: return barrier_register{byte("barrier"), byte("special"), 0, flag(".CLEAR")};
    case op::WARPSYNC_R: return lane_gathering{~0u, flag(".EXCLUSIVE"), is_collective(), gathers_here()};
    case op::WARPSYNC_I:
      return lane_gathering{f_.has("lanes") ? static_cast<std::uint32_t>(value("lanes")) : ~0u, false, is_collective(),
                            gathers_here()};
    case op::BAR_RR:
    case op::BAR_RI:
    case op::BAR_IR:
    case op::BAR_II:
      return block_barrier{as<barrier_kind>("kind"), as<barrier_reduction>("reduction"), byte("barrier"),
                           static_cast<std::uint16_t>(value("threads")), flag(".ALL")};
    case op::WARPGROUP: return group_meeting{as<group_step>("kind"), static_cast<unsigned>(value("pending"))};
    case op::B2R: return barrier_result{as<barrier_report>("kind")};
    case op::RPCMOV_W:
    case op::RPCMOV_R: return return_address_move{number(file::call) != 0};
    case op::CCTL: {
      constexpr std::uint64_t to_l1 = 0, to_l2 = 1, to_l2_and_stays = 9, all_lines = 4;  // .PF1, .PF2, .PML2, .IVALL
      if (value("kind") == all_lines) return l1_invalidation{};
      if (const auto kind = value("kind"); kind != to_l1 && kind != to_l2 && kind != to_l2_and_stays) return plain{};
      return line_prefetch{byte("base"), flag("is_wide"), value("kind") == to_l1,
                           flag("has_uniform") ? std::optional(byte("uniform")) : std::nullopt,
                           static_cast<std::int32_t>(f_.signed_value("offset"))};
    }
    case op::USETMAXREG: return register_pool{flag(".TRY_ALLOC"), static_cast<std::uint32_t>(value("registers"))};
    default: return std::nullopt;
  }
}

fields field_reader::cross_reduction() const {
  if (flag("first_mark") || value("middle_marks") != 0 || value("last_marks") != 0) return unknown_form{};
  lane_reduction r{(value("credux") & 2) != 0 ? lane_sum::minimum : lane_sum::maximum, value("credux_type") == 1};
  r.is_float = value("credux_type") == 2;
  r.of_magnitudes = (value("credux") & 1) != 0, r.keeps_nan = flag(".NAN");
  if (value("credux_type") > 2 || (!r.is_float && (r.of_magnitudes || r.keeps_nan))) return unknown_form{};
  return r;
}

bool field_reader::is_collective() const { return f_.has(".COLLECTIVE") && flag(".COLLECTIVE"); }
bool field_reader::gathers_here() const {
  return f_.has(".COLLECTIVE") && !is_collective() && !(f_.has(".EXCLUSIVE") && flag(".EXCLUSIVE"));
}

}  // namespace bankwise::sass
