// cuSPARSE's functions that have descriptors as parameters, or use only indices.
#include "math/sparse/cusparse_entries.hpp"

using namespace bankwise::math;

namespace {

status begin_solving(solver_description& d, const sparse_matrix& a) {
  d.newer = nullptr;
  d.seen = a;
  return success;
}
// Updates the values of the analysed matrix, or only the values of its diagonal.
status update_values(routine& r, solver_description& d, const void* values, int part) {
  if (part != 0 && part != 1) return invalid_value;
  const index_t count = part == 0 ? d.seen.stored() : d.seen.all_rows();
  const int type = d.seen.type;
  const auto next = std::make_shared<solver_values>();
  if (d.newer != nullptr) *next = *d.newer;
  (part == 0 ? next->general : next->diagonal).assign(static_cast<std::size_t>(count), cdouble());
  if (part == 0) next->diagonal.clear();
  const auto from = r.reads_bytes(values, count * bytes_of(type));
  d.newer = next;
  if (count == 0) return r.wrong();
  // The result is in host memory, so it is complete when the call returns.
  const auto seen = r.host_result(&(part == 0 ? next->general : next->diagonal).front());
  return r.perform([=](const view& v) {
    cdouble* const to = seen.at(v);
    for (index_t i = 0; i < count; ++i) to[i] = number_of<cdouble>(from.at(v) + i * bytes_of(type), type);
  });
}

}  // namespace

#include "math/sparse/cusparse_generic.def"
