// The table of handlers of one instruction set.
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

void add_all(handler_table& t) {
  add_integer(t);
  add_bits(t);
  add_packed_integer(t);
  add_float(t);
  add_double(t);
  add_half(t);
  add_convert(t);
  add_predicate(t);
  add_uniform(t);
  add_memory(t);
  add_atomics(t);
  add_shared_matrices(t);
  add_constants(t);
  add_control(t);
  add_matrix(t);
  add_scaled_products(t);
  add_mbarrier(t);
  add_cluster(t);
  add_tensor_copy(t);
  add_warp_group(t);
  add_work_requests(t);
  add_textures(t);
  add_tensor_moves(t);
  add_tensor_fills(t);
  add_tensor_allocation(t);
  add_tensor_product(t);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
