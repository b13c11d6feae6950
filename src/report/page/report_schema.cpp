#include "report/page/report_schema.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/json/finding_fields.hpp"
#include "report/json/global_site_fields.hpp"
#include "report/json/report_fields.hpp"
#include "report/page/launch_view.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

// Returns all objects of the schema. The first object is the report.
const std::vector<described_object>& objects() {
  static const std::vector<described_object> all = {
      describe("report", "", report_fields()),

      describe("launch", "One launch of a kernel", launch_fields()),
      describe("totals", "", totals_fields()),
      describe("site", "One machine instruction that accessed shared memory, added up over the launch", site_fields()),
      describe("global_site", "One machine instruction that accessed global or local memory, added up over the launch",
               global_site_fields()),
      describe("shared_traffic",
               "The bytes that the asynchronous operations of one kind move through shared memory. Nobody has "
               "measured bank conflicts of these operations, so there is no count of conflicts",
               shared_traffic_fields()),
      describe("global_totals", "", global_totals_fields()),
      describe("global_sample", "One access of an instruction to global memory", global_sample_fields()),
      describe("sector_group",
               "Several instructions of a warp that touch the same sectors of global memory, counted in the first "
               "block that executes these instructions",
               sector_group_fields()),
      describe("worst", "", worst_fields()),
      describe("access", "", access_fields()),
      describe("depends_on",
               "What the counts of an instruction may depend on, according to the code. data: values in global memory "
               "(including `__device__` variables), or in `__constant__` variables. arguments: parameters of the "
               "kernel that are not addresses of the kernel's data. time: the order in which warps run. If the list is "
               "empty, the counts are the same for every launch with this grid, block and shared memory",
               dependence_fields()),
      describe("retries",
               "For a compare-and-swap loop in an emulated launch: the number of retries of lanes, by reason. The key "
               "rounds is the sum of the keys entries, queued, conflicting and contended",
               retries_fields()),
      describe("remedy",
               "A remedy for queues and contention at an atomic, and the cost of the atomic with this "
               "remedy in the same launch",
               remedy_fields()),
      describe("estimate", "The likely errors of counts that are estimated from a sample", estimate_fields()),
      describe("intervals",
               "The smallest and largest likely value of a count. Nine of ten intervals contain the true "
               "count",
               intervals_fields()),
      describe("global_intervals", "The smallest and largest likely value of a count of global memory",
               global_intervals_fields()),
      describe("array", "", array_fields()),
      describe("out_of_bounds", "", out_of_bounds_fields()),
      describe("hazard", "", hazard_fields()),
      describe("other_result", "", other_result_fields()),
      describe("block_race", "", block_race_fields()),
      describe("thread_place", "A place in the code", thread_place_fields()),
      describe("code_place", "The place of an instruction", code_place_fields()),
      describe("finding", "A source line of a kernel that costs more than necessary for one reason", finding_fields()),
      describe("unrecorded", "", unrecorded_fields()),
      describe("failed", "", failed_fields()),
      describe("refused_launch", "", refused_fields()),
      describe("failed_call", "", failed_call_fields()),
      describe("program_fault", "", program_fault_fields()),
      describe("library_use", "", library_use_fields()),
      describe("small_launches", "", small_launches_fields()),
      describe("timeline", "", timeline_fields()),
      describe("timeline_part", "Equal operations of the critical path", timeline_part_fields()),
      describe("timeline_operation", "A call of the host, or an operation of a stream", timeline_operation_fields())};
  return all;
}

// Returns the objects in the data of a page, except the objects of the report.
std::vector<described_object> page_objects() {
  return {describe("launch_view", "Sentences about a launch, in addition to its costs", launch_view_fields()),
          describe("site_view", "Sentences about a site", site_view_fields()),
          describe("clock_row", "A resource of a multiprocessor, and its clocks", clock_row_fields()),
          describe("line_time", "A source line, and the share of the warps' time there", line_time_fields()),
          describe("finding_view",
                   "A source line with more wavefronts than the reachable number. An instruction without a source line "
                   "counts as a line",
                   finding_view_fields()),
          describe("note", "Sentences about a launch, in addition to its costs", note_fields()),
          describe("note_item", "", note_item_fields()),
          describe("note_place", "A place that a note refers to", note_place_fields())};
}

std::string object_text(const described_object& o, const std::string& indent) {
  std::string required, rows;
  for (const described_field& f : o.fields) {
    if (f.required) required += (required.empty() ? "" : ", ") + json(f.key).dump();
    rows += formatted("{}{}  {}: {{\"description\": {}, {}", rows.empty() ? "" : ",\n", indent, json(f.key).dump(),
                      json(f.meaning).dump(), f.type.substr(1));
  }
  return formatted("{}{}\"type\": \"object\",\n{}\"required\": [{}],\n{}\"properties\": {{\n{}\n{}}}\n",
                   o.meaning.empty() ? "" : formatted("{}\"description\": {},\n", indent, json(o.meaning).dump()),
                   indent, indent, required, indent, rows, indent);
}

// Converts a name such as "out_of_bounds" to "OutOfBounds".
std::string type_name(std::string_view definition) {
  std::string name;
  for (std::string_view word : split(definition, '_')) {
    name += static_cast<char>(word[0] - 'a' + 'A');
    name += word.substr(1);
  }
  return name;
}

std::string type_of(const json& schema) {
  if (schema.contains("title")) return schema["title"].get<std::string>();
  if (schema.contains("$ref")) {
    const std::string ref = schema["$ref"].get<std::string>(), name = ref.substr(ref.rfind('/') + 1);
    if (name == "count") return "number";
    if (name == "triple" || name == "index") return "readonly [number, number, number]";
    if (name == "mask") return "string";
    if (name == "addresses") return "readonly (number | null)[]";
    return type_name(name);
  }
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " | ") + word; };
  if (schema.contains("const")) return formatted("'{}'", schema["const"].get<std::string>());
  if (schema.contains("enum")) {
    for (const json& one : schema["enum"])
      add(one.is_string() ? formatted("'{}'", one.get<std::string>()) : one.dump());
    return words;
  }
  if (schema.contains("anyOf")) {
    for (const json& one : schema["anyOf"]) add(type_of(one));
    return words;
  }
  std::string kind = schema["type"].get<std::string>();
  if (kind == "integer") return "number";
  if (kind == "array") {
    const std::string item = type_of(schema["items"]);
    if (schema.contains("maxItems") && schema["maxItems"] == 2) return formatted("readonly [{}, {}]", item, item);
    return formatted("readonly {}[]", item.find(' ') == std::string::npos ? item : formatted("({})", item));
  }
  if (kind != "object") return kind;
  if (schema.contains("additionalProperties"))
    return formatted("Readonly<Record<string, {}>>", type_of(schema["additionalProperties"]));
  const json required = schema.value("required", json());
  const auto is_optional = [&](const std::string& key) {
    return !required.is_null() && std::find(required.begin(), required.end(), key) == required.end();
  };
  for (const auto& [key, value] : schema["properties"].items())
    words += formatted("{}{}{}: {}", words.empty() ? "" : "; ", key, is_optional(key) ? "?" : "", type_of(value));
  return formatted("{{{}}}", words);
}

std::string interface_of(const described_object& o) {
  std::string text = formatted("{}export interface {} {{\n",
                               o.meaning.empty() ? "" : formatted("/** {}. */\n", o.meaning), type_name(o.name));
  for (const described_field& f : o.fields)
    text += formatted("  /** {} */\n  {}{}{};\n", f.meaning, f.key, f.optional ? "?: " : ": ",
                      type_of(json::parse(f.type)));
  return formatted("{}}}\n\n", text);
}

}  // namespace

std::string report_schema() {
  std::string text = formatted(
      "{{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"$id\": \"bankwise.report/1\",\n  "
      "\"title\": \"The cost of each shared-memory instruction in each kernel launch\",\n  \"description\": \"bankwise "
      "run and bankwise record write this JSON. Numbers are integers and count warp instructions, unless the key names "
      "another unit. Later versions can add keys, but do not remove keys.\",\n{}",
      object_text(objects()[0], "  "));
  text.back() = ',';
  text +=
      "\n  \"definitions\": {\n"
      R"(    "count": {"type": "integer", "minimum": 0},
    "triple": {"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "integer", "minimum": 1}},
    "index": {"description": "x, y and z, from 0", "type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "integer", "minimum": 0}},
    "mask": {"description": "bit 0 is lane 0", "type": "string", "pattern": "^[0-9a-f]{8}$"},
    "addresses": {"description": "null for lanes that do not take part", "type": "array", "minItems": 32, "maxItems": 32, "items": {"type": ["integer", "null"], "minimum": 0}},
    "tool": {"type": "object", "required": ["name", "version"], "properties": {"name": {"const": "bankwise"}, "version": {"type": "string", "pattern": "^[0-9]+[.][0-9]+[.][0-9]+$"}}})";
  for (const described_object& o : std::vector(objects().begin() + 1, objects().end()))
    text += formatted(",\n    {}: {{\n{}    }}", json(o.name).dump(), object_text(o, "      "));
  return formatted("{}\n  }}\n}}\n", text);
}

std::string report_types() {
  std::string text =
      "// The types of the report and its sentences, as the C++ code writes them into the page. scripts/build-page "
      "generates\n// this file from the fields of src/report: do not edit this file.\n\n"
      "import type {Fix} from './fix_types';\n\n"
      "export interface Tool {\n  name: string;\n  version: string;\n}\n\n";
  for (const described_object& o : objects()) text += interface_of(o);
  for (const described_object& o : page_objects()) text += interface_of(o);
  text += "/** The counts that totals add up. */\nexport const total_keys = [";
  for (const total_row& t : total_rows) text += formatted("{}{}'", &t == total_rows ? "'" : ", '", t.name);
  text += "] as const;\n\n/** The counts of a site and their meanings. */\nexport const count_rows = [\n";
  for (const count_row& c : count_rows)
    text += formatted("  {{key: '{}', meaning: {}}},\n", c.name, json(c.meaning).dump());
  return formatted("{}] as const;\n", text);
}

}  // namespace bankwise
