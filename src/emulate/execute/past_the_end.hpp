// Handlers of instructions that access the shared memory of the whole cluster, or matrices in shared memory. They find
// their bytes one after the other (cluster_bytes), so their accesses after the end of shared memory are noted once, when
// the instruction has been executed.
#pragma once

#include "emulate/block/out_of_bounds.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

template <handler executes>
step noting_ends(worker& m, const micro_op& u, u32 mask) {
  const step s = executes(m, u, mask);
  if (m.past.lanes != 0) note_past_the_end(m, m.pc_of(u));
  return s;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
