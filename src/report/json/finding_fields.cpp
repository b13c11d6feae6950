#include "report/json/finding_fields.hpp"

#include "report/json/time_fields.hpp"

namespace bankwise {

namespace {

using check::finding;

nlohmann::ordered_json also_json(const finding& f) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const finding& also : f.also) {
    nlohmann::ordered_json one = {{"id", also.what->id}, {"fingerprint", also.fingerprint}};
    if (also.line != 0) {
      one["path"] = also.file;
      one["line"] = also.line;
    }
    if (!also.text.empty()) one["text"] = also.text;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

const char* evidence_of(const finding& f) { return f.time ? "replayed" : "counted"; }

const char* unit_of(const finding& f) {
  if (f.of_sectors) return "sectors";
  if (f.what->id == check::many_launches) return "nanoseconds";
  if (f.is_delay) return "cycles";
  for (const std::string_view id : {check::out_of_bounds, check::uninitialised_read, check::race,
                                    check::wrong_synchronisation, check::doubtful_synchronisation})
    if (f.what->id == id) return "accesses";
  if (f.what->id == check::other_results) return "launches";
  if (f.what->id == check::wrong_call || f.what->id == check::doubtful_call) return "calls";
  return f.what->id == check::retry_loop || f.what->id == check::contention ? "rounds" : "wavefronts";
}

const fields<finding>& finding_fields() {
  static const fields<finding> all = [] {
    const auto replayed = [](const finding& f) { return static_cast<bool>(f.time); };
    const auto has_place = [](const finding& f) { return f.elsewhere.empty() && (!f.is_delay || !f.sass.empty()); };
    const auto has_line = [](const finding& f) { return f.line != 0; };
    const auto is_inlined = [](const finding& f) { return f.outer_line != 0; };
    fields<finding> a = {
        derived<finding>("id", text_type, "the number of the kind, as `bankwise rule` explains it, such as BW101",
                         [](const finding& f) { return f.what->id; }),
        derived<finding>("name", text_type, "the name of the kind, such as RemovableBankConflict",
                         [](const finding& f) { return f.what->name; }),
        derived<finding>("level", R"({"enum": ["note", "warning", "error"]})", "a note is only a hint",
                         [](const finding& f) { return name_of(f.what->level); }),
        plain<finding, &finding::fingerprint>("fingerprint",
                                              "identifies the finding, also after changes to other lines"),
        plain<finding, &finding::kernel>("kernel", "demangled name of the kernel, with its parameters"),
        plain<finding, &finding::instance>("instance", "short name of the kernel, as in the launches").since(),
        plain<finding, &finding::file>("path", "path of the source when it was compiled").given(has_line),
        plain<finding, &finding::line>("line", "line in the source").given(has_line),
        plain<finding, &finding::outer_file>("inlined_at_path", "the source of the line in the kernel itself")
            .given(is_inlined),
        plain<finding, &finding::outer_line>("inlined_at_line",
                                             "the line in the kernel from which the finding's line was inlined")
            .given(is_inlined),
        plain<finding, &finding::text>("text", "the text of the line").given([](const finding& f) {
          return !f.text.empty();
        }),
        derived<finding>(
            "also",
            R"({"type": "array", "items": {"type": "object", "required": ["id", "fingerprint"], "properties": {"id": {"type": "string"}, "fingerprint": {"type": "string"}, "path": {"type": "string"}, "line": {"type": "integer", "minimum": 1}, "text": {"type": "string"}}}})",
            "the other lines and kinds of findings that the same change removes. `amount` and "
            "`saved_microseconds` are for all of them. Each has its own fingerprint, as in a baseline",
            [](const finding& f) { return also_json(f); })
            .given([](const finding& f) { return !f.also.empty(); }),
        plain<finding, &finding::pc>("pc", "pc of the instruction with the largest amount").given(has_place),
        plain<finding, &finding::sass>("sass",
                                       "this instruction; missing if the finding is about the whole launch or program")
            .given(has_place),
        plain<finding, &finding::message>("message", "what is wrong, as a sentence without the place"),
        derived<finding>(
            "unit",
            R"({"enum": ["wavefronts", "rounds", "sectors", "accesses", "launches", "calls", "cycles", "nanoseconds"]})",
            "the unit of `amount`", [](const finding& f) { return unit_of(f); }),
        plain<finding, &finding::amount>("amount",
                                         "what the remedy saves in all launches of the kernel, or in the program"),
        derived<finding>("evidence", R"({"enum": ["replayed", "counted"]})",
                         "replayed: a replay of the launches predicted the saved time. counted: only the amount is "
                         "known",
                         [](const finding& f) { return evidence_of(f); }),
        derived<finding>("saved_microseconds", R"({"type": "number", "minimum": 0})",
                         "the predicted time that the remedy saves in all launches of the kernel",
                         [](const finding& f) { return microseconds_of(nanoseconds_of(f.time, f.saved_cycles)); })
            .given(replayed),
        derived<finding>("kernel_microseconds", R"({"type": "number", "minimum": 0})",
                         "the predicted time of all launches of the kernel, or of the program",
                         [](const finding& f) { return microseconds_of(f.time.nanoseconds); })
            .given(replayed),
        plain<finding, &finding::fix>("remedy", "the change that removes the finding, in words")
            .given([](const finding& f) { return !f.fix.empty(); }),
        plain<finding, &finding::fix_code>("remedy_code", "CUDA C++ code of the remedy").given([](const finding& f) {
          return !f.fix_code.empty();
        }),
    };
    return a;
  }();
  return all;
}

}  // namespace bankwise
