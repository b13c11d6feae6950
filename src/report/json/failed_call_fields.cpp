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

const fields<program_fault>& program_fault_fields() {
  using fault = program_fault;
  static const fields<fault> all = [] {
    fields<fault> a;
    field<fault> kind = derived<fault>(
        "kind",
        R"({"enum": ["freed_twice", "bad_free", "leak", "unwritten_copy", "stream_race", "host_race", "bad_copy", "unawaited"]})",
        "the kind of fault", [](const fault& f) { return words_of(f.kind).name; });
    kind.set = [](report_reader& r, const node& n, fault& f) {
      if (!parse_program_fault(r.text(n, "kind"), f.kind))
        r.refuse(r.value_at(n, "kind"), "expected the kind of a fault of the program");
    };
    a.push_back(std::move(kind));
    a.push_back(derived<fault>("level", R"({"enum": ["error", "warning"]})", "whether the fault fails the run",
                               [](const fault& f) { return words_of(f.kind).is_warning ? "warning" : "error"; }));
    a.push_back(
        plain<fault, &fault::function>("function", "the function that was called. The key is missing for a leak")
            .given([](const fault& f) { return !f.function.empty(); }));
    a.push_back(plain<fault, &fault::memory>("memory", "the memory that the first of these calls named"));
    a.push_back(plain<fault, &fault::bytes>(
        "bytes", "for a leak or a copy: the number of bytes that leaked, or were never written"));
    a.push_back(plain<fault, &fault::calls>("calls", "number of calls; for a leak, number of allocations", 1));
    a.push_back(call_trail<fault>());
    return a;
  }();
  return all;
}

}  // namespace bankwise
