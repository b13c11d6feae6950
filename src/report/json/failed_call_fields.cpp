// JSON fields of launches and calls that CUDA refused.
#include "report/json/report_fields.hpp"

namespace bankwise {

namespace {

// Lines of text about the place of a call.
template <class T>
field<T> call_trail() {
  field<T> trail =
      derived<T>("trail", texts_type, "lines of text: the place of the first of these calls in the program",
                 [](const T& t) { return t.trail; });
  trail.set = [](report_reader& r, const node& n, T& t) {
    const node list = r.list(n, "trail");
    for (std::size_t i = 0; i < r.size(list); ++i) t.trail.push_back(r.text(r.item(list, i)));
  };
  return trail;
}

}  // namespace

const fields<refused_launches>& refused_fields() {
  using rest = refused_launches;
  static const fields<rest> all = {
      plain<rest, &rest::kernel>("kernel",
                                 "demangled name of the kernel, with its parameters. Empty if the program has no such "
                                 "kernel"),
      index<rest, &rest::grid>("grid", "blocks in x, y, z, as the program passed them"),
      index<rest, &rest::block>("block", "threads in x, y, z, as the program passed them"),
      plain<rest, &rest::dynamic_shared_bytes>("dynamic_shared_bytes", "requested bytes of dynamic shared memory", 0,
                                               ~std::uint64_t{0}),
      plain<rest, &rest::error>("error", "name of the error, such as cudaErrorInvalidValue"),
      plain<rest, &rest::why>("why", "the reason"),
      plain<rest, &rest::hint>("hint", "the call or the change that helps, or empty"),
      plain<rest, &rest::launches>("launches", "number of these launches", 1),
      plain<rest, &rest::number>("number", "number of the first of these launches in its process, from 1", 1),
      call_trail<rest>(),
      plain<rest, &rest::handled>("handled",
                                  "whether the program looked at the error of each of these launches. It looked if its "
                                  "code uses the returned value. It also looked if it got the error from "
                                  "cudaGetLastError or cudaPeekAtLastError, or asked for the error's text")};
  return all;
}

const fields<failed_calls>& failed_call_fields() {
  using rest = failed_calls;
  static const fields<rest> all = {
      plain<rest, &rest::function>("function", "name of the function, such as cudaMemcpy"),
      plain<rest, &rest::error>("error", "name of the error, such as cudaErrorInvalidValue"),
      plain<rest, &rest::calls>("calls", "number of calls with an error that the program did not look at", 1),
      call_trail<rest>()};
  return all;
}

}  // namespace bankwise
