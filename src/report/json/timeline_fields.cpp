// JSON fields of the timeline of a program.
#include "report/json/report_fields.hpp"

namespace bankwise {

namespace {

using timed_one = timeline_operation;
using path_part = timeline_part;

// The fields that say what an operation is.
template <class T>
fields<T> label_fields() {
  fields<T> all;
  all.push_back(derived<T>("kind", text_type, "what the operation is, such as kernel, copy to the host, launch call",
                           [](const T& t) { return row_of(t.what.kind).one; })
                    .read([](report_reader& r, const node& n, T& t) {
                      const node at = r.value_at(n, "kind");
                      const auto found = find_timeline_kind(r.text(at));
                      if (found)
                        t.what.kind = *found;
                      else
                        r.refuse(at, "expected a kind of operation, such as \"kernel\"");
                    }));
  all.push_back(derived<T>("name", text_type, "name of the kernel or call, or bytes of the copy", [](const T& t) {
                  return t.what.name;
                }).read([](report_reader& r, const node& n, T& t) {
                    t.what.name = r.text(n, "name");
                  }).given([](const T& t) { return !t.what.name.empty(); }));
  all.push_back(derived<T>("grid", triple_type, "of a kernel: blocks in x, y, z", [](const T& t) {
                  return nlohmann::ordered_json(t.what.grid);
                }).read([](report_reader& r, const node& n, T& t) {
                    t.what.grid = r.triple(n, "grid");
                  }).given([](const T& t) { return t.what.grid[0] != 0; }));
  all.push_back(derived<T>("block", triple_type, "of a kernel: threads in x, y, z", [](const T& t) {
                  return nlohmann::ordered_json(t.what.block);
                }).read([](report_reader& r, const node& n, T& t) {
                    t.what.block = r.triple(n, "block");
                  }).given([](const T& t) { return t.what.grid[0] != 0; }));
  all.push_back(
      derived<T>("bound", text_type,
                 "of a kernel: the resource that bounds it. Missing if its time was not predicted and is only "
                 "a lower bound",
                 [](const T& t) { return t.what.bound; })
          .read([](report_reader& r, const node& n, T& t) { t.what.bound = r.text(n, "bound"); })
          .given([](const T& t) { return !t.what.bound.empty(); }));
  return all;
}

constexpr const char* indices_type = R"({"type": "array", "items": {"type": "integer", "minimum": 0}})";

// The indices of other operations must be in the list.
void check_indices(report_reader& r, const node& n, const program_timeline& t) {
  const std::size_t size = t.operations.size();
  for (const timed_one& o : t.operations) {
    bool is_right = !o.call || *o.call < size;
    for (const std::uint64_t one : o.after) is_right &= one < size;
    if (!is_right) return r.fail(n, "an operation refers to an operation that is not in the list");
  }
}

}  // namespace

const fields<timeline_part>& timeline_part_fields() {
  static const fields<path_part> all = [] {
    fields<path_part> a = label_fields<path_part>();
    a.push_back(plain<path_part, &path_part::count>("count", "number of these operations on the critical path"));
    a.push_back(plain<path_part, &path_part::nanoseconds>("nanoseconds", "their time on the critical path"));
    return a;
  }();
  return all;
}

const fields<timeline_operation>& timeline_operation_fields() {
  static const fields<timed_one> all = [] {
    fields<timed_one> a = label_fields<timed_one>();
    a.push_back(plain<timed_one, &timed_one::stream>("stream", "of an operation on the device: number of its stream")
                    .given([](const timed_one& o) { return !is_on_host(o.what.kind); }));
    a.push_back(plain<timed_one, &timed_one::branch>(
                    "branch",
                    "number of the row in the stream, if operations of the stream run at the same time, as in a "
                    "graph with branches. Missing if it is 0")
                    .given([](const timed_one& o) { return o.branch != 0; }));
    a.push_back(plain<timed_one, &timed_one::begin>("begin", "nanoseconds from the first call of the program"));
    a.push_back(plain<timed_one, &timed_one::nanoseconds>("nanoseconds", "how long the operation takes"));
    a.push_back(
        plain<timed_one, &timed_one::count>("count",
                                            "number of operations that follow each other and are added up here, "
                                            "because the list is long. Missing if it is 1",
                                            1)
            .given([](const timed_one& o) { return o.count != 1; }));
    a.push_back(plain<timed_one, &timed_one::is_critical>("critical", "true if it is on the critical path")
                    .given([](const timed_one& o) { return o.is_critical; }));
    a.push_back(derived<timed_one>("call", integer_type, "index of the call of the host that began the operation",
                                   [](const timed_one& o) { return *o.call; })
                    .read([](report_reader& r, const node& n, timed_one& o) { o.call = r.number(n, "call", most_u32); })
                    .given([](const timed_one& o) { return o.call.has_value(); }));
    a.push_back(derived<timed_one>("after", indices_type,
                                   "indices of the operations for which it waited at an event or an edge of a graph",
                                   [](const timed_one& o) { return o.after; })
                    .read([](report_reader& r, const node& n, timed_one& o) {
                      const node list = r.list(n, "after");
                      for (std::size_t i = 0; i < r.size(list); ++i)
                        o.after.push_back(r.number(r.item(list, i), most_u32));
                    })
                    .given([](const timed_one& o) { return !o.after.empty(); }));
    return a;
  }();
  return all;
}

const fields<program_timeline>& timeline_fields() {
  using all_of = program_timeline;
  static const fields<all_of> all = [] {
    fields<all_of> a{
        plain<all_of, &all_of::gpu>("gpu", "title of the GPU whose times are predicted"),
        plain<all_of, &all_of::nanoseconds>(
            "nanoseconds", "from the first call of the program until the host and the device have ended", 1),
        plain<all_of, &all_of::busy>("busy_nanoseconds", "time in which the device computes or copies"),
        plain<all_of, &all_of::kernels>("kernel_nanoseconds", "time in which at least one kernel runs"),
        plain<all_of, &all_of::without_time>(
            "launches_without_time", "number of launches whose time was not predicted. Their times are lower bounds"),
        list_of<all_of, &all_of::waits, timeline_part_fields>(
            "waits_for", "timeline_part",
            "the critical path by kind of operation, the longest part first. Only the kind is set",
            program_timeline::most_listed),
        list_of<all_of, &all_of::critical, timeline_part_fields>("critical_path", "timeline_part",
                                                                 "the ten longest parts of the critical path",
                                                                 program_timeline::most_listed)};
    field<all_of> operations = list_of<all_of, &all_of::operations, timeline_operation_fields>(
        "operations", "timeline_operation",
        "the operations in the order of their beginnings. If there are many, operations that follow each other are added up",
        program_timeline::most_operations);
    operations.set = [](report_reader& r, const node& n, all_of& t) {
      read_all(timeline_operation_fields(), r, n, "operations", t.operations, program_timeline::most_operations);
      if (!r.wrong()) check_indices(r, n, t);
    };
    a.push_back(operations);
    a.push_back(plain<all_of, &all_of::left_out>(
                    "left_out", "number of operations at the end of a very long program that are missing here")
                    .given([](const all_of& t) { return t.left_out != 0; }));
    return a;
  }();
  return all;
}

}  // namespace bankwise
