// Reads the fields of asynchronous operations: mbarriers, bulk and tensor copies.
#include "sass/fields/field_reader.hpp"

namespace bankwise::sass {

std::optional<fields> field_reader::asynchronous(opcode family) const {
  switch (family) {
    case op::SYNCS_ARRIVE:
      return mbarrier_arrival{address_in_row(), as<arrival>("syncs"), register_at(slot::b), flag(".OPTOUT"),
                              flag(".TMASK")};
    case op::SYNCS_PHASECHK: return mbarrier_test{address_in_row()};
    case op::ARRIVES: {
      // before sm_90, the only form is an arrival
      if (i_.set < isa::hopper && value("arrives") == 0) return copies_arrival{address_in_row(), copies_count::arrival};
      const auto counts = as<copies_count>("arrives");
      if (counts != copies_count::arrival && counts != copies_count::transaction) return unknown_form{};
      return copies_arrival{address_in_row(), counts};
    }
    case op::UGETNEXTWORKID: return work_request{uniform_at(slot::a), flag(".BROADCAST")};
    case op::CCTL_LDCU:
      if (value("form") != 0x9c080) return unknown_form{};
      return plain{};
    case op::SYNCS_EXCH: return mbarrier_exchange{address_in_row(), uniform_at(slot::d), uniform_at(slot::b)};
    case op::UBLKCP:
    case op::UBLKRED: {
      const auto reduced = as<bulk_number>("bulk_type");
      if (reduced > bulk_number::bf16 || value("bulk_type") == 6 || flag(".DST_G_BYTE_MASK")) return unknown_form{};
      return bulk_transfer{uniform_at(slot::b), uniform_at(slot::a), uniform_at(slot::c),      flag("to_shared"),
                           flag("from_shared"), flag(".MULTICAST"),  as<atomic_op>("atom_op"), reduced};
    }
    case op::UTMALDG:
    case op::UTMALDG_U:
    case op::UTMASTG:
    case op::UTMAREDG:
    case op::UTMAPF:
    case op::UTMAPF_U: return tensor_copy();
    case op::UBLKPF: return bulk_prefetch{uniform_at(slot::a), uniform_at(slot::c)};
    case op::UTMACCTL: return map_prefetch{uniform_at(slot::a), flag(".PF")};
    case op::STAS: {
      if (access_bytes(f_) == 0) return unknown_form{};
      return remote_store{bytes(), register_at(slot::b)};
    }
    case op::REDAS: {
      return remote_store{bytes(), register_at(slot::b), as<atomic_op>("atom_op"), (value("atom_size") & 1) != 0};
    }
    default: return std::nullopt;
  }
}

}  // namespace bankwise::sass
