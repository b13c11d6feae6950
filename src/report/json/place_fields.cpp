// The JSON fields of places in the code, and of findings at these places: hazards, accesses out of bounds.
#include "base/text.hpp"
#include "report/json/access_json.hpp"
#include "report/json/report_fields.hpp"
#include "report/sections/block_races_report.hpp"
#include "report/sections/hazard_report.hpp"

namespace bankwise {

const fields<code_place>& code_place_fields() {
  static const fields<code_place> all = [] {
    using place = code_place;
    fields<place> a;
    field<place> pc = plain<place, &place::pc>("pc", "byte offset in the code");
    pc.type = pc_type;
    pc.set = [](report_reader& r, const node& n, place& p) { p.pc = r.pc(n); };
    a.push_back(std::move(pc));
    a.push_back(plain<place, &place::function>(
                    "function",
                    "the device function that contains the instruction. The key is missing if the kernel itself "
                    "contains the instruction")
                    .given([](const place& p) { return !p.function.empty(); }));
    a.push_back(plain<place, &place::sass>("sass", "the instruction in nvdisasm's spelling"));
    field<place> file = derived<place>("file", text_type, "file name without its folder",
                                       [](const place& p) { return base_name(p.file); });
    file.set = [](report_reader& r, const node& n, place& p) {
      p.file = r.text(n, r.has(n, "path") ? "path" : "file");
    };
    a.push_back(std::move(file));
    a.push_back(derived<place>("path", text_type, "path of the source file at compile time", [](const place& p) {
                  return p.file;
                }).since());
    field<place> line = plain<place, &place::line>("line", "line number in the file");
    line.type = integer_type;
    a.push_back(std::move(line));
    a.push_back(
        plain<place, &place::text>("text", "text of the source line. The key is missing if the file was not found")
            .given([](const place& p) { return !p.text.empty(); }));
    return a;
  }();
  return all;
}

const fields<thread_place>& thread_place_fields() {
  static const fields<thread_place> all = [] {
    fields<thread_place> a = within<thread_place>(code_place_fields(), [](auto& t) -> auto& { return t; });
    a.push_back(index<thread_place, &thread_place::thread>("thread",
                                                           "threadIdx of the thread where the hazard was first seen"));
    return a;
  }();
  return all;
}

const fields<hazard>& hazard_fields() {
  static const fields<hazard> all = [] {
    fields<hazard> a;
    field<hazard> kind = derived<hazard>(
        "kind",
        R"({"enum": ["uninitialised", "read_after_write", "write_after_read", "write_after_write", "outside_heap_block", "mask_without_caller", "mask_of_others", "mask_of_ended", "inactive_lane", "inactive_neighbour", "divergent_barrier", "skipped_barrier"]})",
        "the kind of hazard. A race is named after the order of the accesses in this run. For hazards at one place, both "
        "places are this place",
        [](const hazard& h) { return name_of(h.kind); });
    kind.set = [](report_reader& r, const node& n, hazard& h) {
      if (!parse_hazard_kind(r.text(n, "kind"), h.kind))
        r.refuse(r.value_at(n, "kind"), "expected the name of a hazard");
    };
    a.push_back(std::move(kind));
    field<hazard> cause = derived<hazard>(
        "cause", R"({"enum": ["in_step", "no_async_fence"]})",
        "why the order of the accesses is not defined. in_step: they are ordered only "
        "because the lanes of a warp execute together, which is a warning. no_async_fence: no fence.proxy.async makes a "
        "write of a thread visible to a bulk copy or wgmma. If the key is missing, nothing orders the accesses",
        [](const hazard& h) { return name_of(h.cause); });
    cause.set = [](report_reader& r, const node& n, hazard& h) {
      if (!parse_hazard_cause(r.text(n, "cause"), h.cause))
        r.refuse(r.value_at(n, "cause"), "expected the name of a cause");
    };
    a.push_back(std::move(cause).given([](const hazard& h) { return h.cause != hazard_cause::no_order; }));
    a.push_back(plain<hazard, &hazard::count>("count",
                                              "number of warp instructions with this hazard that were executed at the "
                                              "second place",
                                              1));
    a.push_back(index<hazard, &hazard::block>("block", "the lowest blockIdx in which the hazard was seen"));
    a.push_back(plain<hazard, &hazard::offset>(
        "offset", "distance from the start of the kernel's own shared memory, in bytes", 0, shared_memory_limit));
    field<hazard> memory = derived<hazard>(
        "memory", R"({"enum": ["shared", "global", "local", "none"]})",
        "the memory in which the hazard occurs. none: the hazard is not about memory. If the key is missing: shared memory",
        [](const hazard& h) { return name_of(h.memory); });
    memory.set = [](report_reader& r, const node& n, hazard& h) {
      if (!parse_hazard_memory(r.text(n, "memory"), h.memory))
        r.refuse(r.value_at(n, "memory"), "expected \"shared\", \"global\", \"local\" or \"none\"");
    };
    a.push_back(std::move(memory).given([](const hazard& h) { return h.memory != hazard_memory::shared; }));
    a.push_back(plain<hazard, &hazard::detail>("detail", "what the first occurrence accessed or named")
                    .given([](const hazard& h) { return !h.detail.empty(); }));
    field<hazard> trail = derived<hazard>("trail", texts_type, "lines of text: the place that allocated the memory",
                                          [](const hazard& h) { return h.trail; });
    trail.set = [](report_reader& r, const node& n, hazard& h) {
      const node list = r.list(n, "trail");
      for (std::size_t i = 0; i < r.size(list); ++i) h.trail.push_back(r.text(r.item(list, i)));
    };
    a.push_back(std::move(trail).given([](const hazard& h) { return !h.trail.empty(); }));
    a.push_back(plain<hazard, &hazard::array>("array",
                                              "the declaration of the array at this address, or empty if the array is "
                                              "not known"));
    a.push_back(
        object<hazard, &hazard::first, thread_place_fields>("first", "thread_place", "the earlier access in this run"));
    a.push_back(object<hazard, &hazard::second, thread_place_fields>("second", "thread_place", "the later access"));
    return a;
  }();
  return all;
}

const fields<block_race>& block_race_fields() {
  static const fields<block_race> all = [] {
    fields<block_race> a;
    field<block_race> kind =
        derived<block_race>("kind", R"({"enum": ["read_after_write", "write_after_read", "write_after_write"]})",
                            "the kind of race, named after the order of the accesses in this run. bankwise "
                            "interleaves resident blocks",
                            [](const block_race& r) { return name_of(r.kind); });
    kind.set = [](report_reader& r, const node& n, block_race& to) {
      if (!parse_hazard_kind(r.text(n, "kind"), to.kind) || !is_race(to.kind))
        r.refuse(r.value_at(n, "kind"), "expected the name of a race");
    };
    a.push_back(std::move(kind));
    a.push_back(
        plain<block_race, &block_race::count>("count", "number of words with this race at the second place", 1));
    a.push_back(object<block_race, &block_race::first, code_place_fields>("first", "code_place",
                                                                          "the earlier access in this run"));
    a.push_back(object<block_race, &block_race::second, code_place_fields>("second", "code_place", "the later access"));
    const auto checked = [](const block_race& r) { return r.is_checked; };
    field<block_race> cause = derived<block_race>(
        "cause", R"({"enum": ["no_order", "no_fence", "narrow_scope", "no_acquire", "no_acquire_unread"]})",
        "for a race that a check found: why nothing orders the accesses. no_fence: the first block published its "
        "access without __threadfence(). narrow_scope: a fence or an atomic orders only the threads of its block. no_acquire: "
        "the second block reads without __threadfence() after the load that sees the published data. no_acquire_unread: "
        "as before, but no L1 can contain the old value, so the race is a warning. This "
        "key and the following keys are missing if bankwise found the race because counts depend on it",
        [](const block_race& r) { return name_of(r.cause); });
    cause.set = [](report_reader& r, const node& n, block_race& to) {
      to.is_checked = true;
      if (!parse_race_cause(r.text(n, "cause"), to.cause))
        r.refuse(r.value_at(n, "cause"), "expected the name of a cause");
    };
    a.push_back(std::move(cause).given(checked));
    a.push_back(
        index<block_race, &block_race::first_block>("first_block", "blockIdx of the earlier access").given(checked));
    a.push_back(
        index<block_race, &block_race::first_thread>("first_thread", "threadIdx of the earlier access").given(checked));
    a.push_back(
        index<block_race, &block_race::second_block>("second_block", "blockIdx of the later access").given(checked));
    a.push_back(
        index<block_race, &block_race::second_thread>("second_thread", "threadIdx of the later access").given(checked));
    a.push_back(plain<block_race, &block_race::memory>("memory", "the allocation of the first word with this race")
                    .given(checked));
    a.push_back(plain<block_race, &block_race::offset>("offset", "offset of this word in the allocation, in bytes")
                    .given(checked));
    return a;
  }();
  return all;
}

const fields<other_result>& other_result_fields() {
  using other = other_result;
  static const fields<other> all = {
      plain<other, &other::seed>("seed", "the seed that gives this order again"),
      plain<other, &other::bytes>("bytes",
                                  "number of bytes of global memory that differ; 0 if the launch fails in this "
                                  "order"),
      plain<other, &other::memory>("memory", "the allocation with the first of these bytes"),
      plain<other, &other::offset>("offset", "offset of the first word that differs in the allocation, in bytes"),
      plain<other, &other::usual>("usual", "this word in the usual order, as an unsigned number"),
      plain<other, &other::other>("other", "this word in this order"),
      plain<other, &other::only_rounding>("only_rounding",
                                          "whether all words that differ are floats or doubles of almost "
                                          "the same value"),
      plain<other, &other::failure>("failure", "the error of the launch in this order; empty if there is no error")};
  return all;
}

const fields<out_of_bounds_access>& out_of_bounds_fields() {
  static const fields<out_of_bounds_access> all = [] {
    using outside = out_of_bounds_access;
    fields<outside> a;
    field<outside> direction = derived<outside>("access", R"({"enum": ["read", "write", "update"]})",
                                                "the direction of the access. An atomic is an update",
                                                [](const outside& o) { return name_of(o.direction); });
    direction.set = [](report_reader& r, const node& n, outside& o) {
      if (!parse_direction(r.text(n, "access"), o.direction))
        r.refuse(r.value_at(n, "access"), "expected \"read\", \"write\" or \"update\"");
    };
    a.push_back(std::move(direction));
    field<outside> memory = derived<outside>("memory", R"({"enum": ["global", "shared"]})",
                                             "the memory that was accessed. If the key is missing: global memory",
                                             [](const outside& o) { return name_of(o.memory); });
    memory.set = [](report_reader& r, const node& n, outside& o) {
      if (!parse_bounded_memory(r.text(n, "memory"), o.memory))
        r.refuse(r.value_at(n, "memory"), "expected \"global\" or \"shared\"");
    };
    const auto is_shared = [](const outside& o) { return o.memory == bounded_memory::shared; };
    a.push_back(std::move(memory).given(is_shared));
    a.push_back(plain<outside, &outside::bytes>(
        "bytes", "bytes that each lane accesses. For a bulk or tensor copy: bytes of the copy", 1));
    a.push_back(plain<outside, &outside::count>("count",
                                                "number of executed warp instructions with a lane outside an "
                                                "allocation",
                                                1));
    a.push_back(plain<outside, &outside::lanes>(
        "lanes", "number of lanes outside an allocation, added up over all executions", 1));
    append(a, within<outside>(code_place_fields(), [](auto& o) -> auto& { return o.place; }));
    a.push_back(index<outside, &outside::block>(
        "block",
        "blockIdx of the first access outside an allocation. If several blocks make these accesses, the key names the "
        "block that began first"));
    a.push_back(index<outside, &outside::thread>(
        "thread",
        "threadIdx of the first access outside an allocation. The keys warp, lane, address, nearest and trail also "
        "describe this access"));
    a.push_back(plain<outside, &outside::warp>("warp", "number of the warp in the block", 0, 31));
    field<outside> lane =
        plain<outside, &outside::lane>("lane", "number of the lane in the warp", 0, lanes_per_warp - 1);
    lane.type = R"({"type": "integer", "minimum": 0, "maximum": 31})";
    a.push_back(std::move(lane));
    a.push_back(plain<outside, &outside::address>("address", "address of the lane", 0, ~std::uint64_t{0}));
    a.push_back(plain<outside, &outside::offset>("offset",
                                                 "for shared memory: distance of the address from the start of the "
                                                 "kernel's own shared memory, in bytes",
                                                 0, shared_memory_limit)
                    .given(is_shared));
    a.push_back(plain<outside, &outside::array>("array",
                                                "for shared memory: the name of the last array before the end of "
                                                "shared memory, or empty if the array is not known")
                    .given(is_shared));
    a.push_back(plain<outside, &outside::nearest>(
        "nearest", "the nearest allocation or the last array in shared memory, and the distance to it"));
    field<outside> trail = derived<outside>(
        "trail", texts_type,
        "lines of text: the call path of the access, the place that made the nearest allocation, and the place that "
        "launched the kernel",
        [](const outside& o) { return o.trail; });
    trail.set = [](report_reader& r, const node& n, outside& o) {
      const node list = r.list(n, "trail");
      for (std::size_t i = 0; i < r.size(list); ++i) o.trail.push_back(r.text(r.item(list, i)));
    };
    a.push_back(std::move(trail));
    return a;
  }();
  return all;
}

}  // namespace bankwise
