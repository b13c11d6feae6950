#include "report/forms/sarif.hpp"

#include <filesystem>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/forms/kind_page.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;
using check::finding;
using check::novelty;

std::string text_of(std::string_view s) { return std::string(s); }

bool has_drive(const std::string& path) {
  return path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
}
bool is_absolute(const std::string& path) { return path.starts_with('/') || has_drive(path); }

json rule_json(const check::finding_kind& r) {
  return {
      {"id", r.id},
      {"name", r.name},
      {"shortDescription", {{"text", text_of(r.title)}}},
      {"fullDescription", {{"text", text_of(r.what)}}},
      {"help", {{"text", kind_text(r, {})}, {"markdown", kind_markdown(r)}}},
      {"defaultConfiguration", {{"level", check::name_of(r.level)}}},
      {"properties",
       {{"tags", {"performance", "cuda"}}, {"precision", "very-high"}, {"problem.severity", severity_word(r.level)}}}};
}

// Returns the path relative to the root, or an empty string if the path is outside of the root.
std::string below_root(const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().generic_string();
  return is_absolute(normal) || normal == ".." || normal.starts_with("../") || normal.find('\\') != std::string::npos
             ? ""
             : normal;
}

json location_json(const finding& i, const std::string& input) {
  // The names of files in a cubin are not trusted. If a name is outside of the root, it appears only in the message.
  const std::string source = i.line == 0 ? "" : below_root(i.path.empty() ? i.file : i.path);
  const bool known = !source.empty();
  const std::string path = known ? source : is_absolute(input) || !below_root(input).empty() ? input : base_name(input);
  json artifact = {{"uri", uri_of(path)}};
  if (!is_absolute(path)) artifact["uriBaseId"] = "%SRCROOT%";
  // GitHub shows only findings with a location. Without a line table, the location is the first line of the input file.
  json region = {{"startLine", known ? i.line : 1}};
  if (known && !i.text.empty()) region["snippet"] = {{"text", i.text}};
  json location = {{"physicalLocation", {{"artifactLocation", std::move(artifact)}, {"region", std::move(region)}}}};
  if (!i.kernel.empty())
    location["logicalLocations"] = json::array({{{"fullyQualifiedName", i.kernel}, {"kind", "function"}}});
  return location;
}

std::string elsewhere(const finding& i) {
  const std::string& path = i.path.empty() ? i.file : i.path;
  const bool is_elsewhere = i.line != 0 && !path.empty() && below_root(path).empty();
  return is_elsewhere ? formatted(" ({}:{}, which is outside the root folder)", path, i.line) : "";
}

json result_json(const finding& i, const std::string& input) {
  json r = {{"ruleId", i.what->id},
            {"ruleIndex", i.what - check::finding_kinds().data()},
            {"level", check::name_of(i.what->level)},
            {"message", {{"text", whole_message(i) + elsewhere(i)}}},
            {"locations", json::array({location_json(i, input)})},
            {"partialFingerprints", {{"bankwise/v1", i.fingerprint}}}};
  // GitHub shows a related location as a link if its message is not empty.
  for (const finding& also : i.also) {
    json place = location_json(also, input);
    place["id"] = &also - i.also.data() + 1;
    place["message"] = {{"text", formatted("{} {}", also.what->id, also.message)}};
    r["relatedLocations"].push_back(std::move(place));
  }
  if (i.compared != novelty::not_compared)
    r["baselineState"] = i.compared == novelty::fresh ? "new" : i.compared == novelty::known ? "unchanged" : "updated";
  if (i.suppressed)
    r["suppressions"] = json::array(
        {{{"kind", i.is_suppressed_by_config ? "external" : "inSource"}, {"justification", *i.suppressed}}});
  if (i.wavefronts != 0)
    r["properties"] = {{"sass", i.sass},           {"operation", i.operation},
                       {"executed", i.executed},   {"wavefronts", i.wavefronts},
                       {"reachable", i.reachable}, {"amount", i.amount}};
  if (i.wavefronts != 0 && i.estimated) {
    r["properties"]["exactness"] = name_of(exactness::estimated);
    r["properties"]["amountLow"] = i.amount_low;
    if (i.amount_high != ~std::uint64_t{0}) r["properties"]["amountHigh"] = i.amount_high;
  }
  if (!i.fix_code.empty()) r["properties"]["fix"] = i.fix_code;
  return r;
}

}  // namespace

std::string uri_of(const std::string& path) {
  constexpr std::string_view allowed = "-._~/!$&'()*+,;=@";
  std::string uri = has_drive(path) ? "file:///" : path.starts_with('/') ? "file://" : "";
  // Before the first slash, a colon would look like the end of a URI scheme, so it is escaped.
  for (std::size_t at = 0; at < path.size(); ++at) {
    const auto c = static_cast<unsigned char>(path[at]);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c == '\\' && has_drive(path))
      uri += '/';
    else if (plain || allowed.find(path[at]) != std::string_view::npos || (c == ':' && at == 1 && has_drive(path)))
      uri += path[at];
    else
      uri += formatted("%{}", hex(c, 2));
  }
  return uri;
}

std::string to_sarif(const std::vector<finding>& findings, const std::string& input, const early_end& partial,
                     const std::string& estimated) {
  json rules = json::array(), results = json::array();
  for (const check::finding_kind& r : check::finding_kinds()) rules.push_back(rule_json(r));
  for (const finding& i : findings) results.push_back(result_json(i, input));
  json invocation = {{"executionSuccessful", !partial}};
  if (partial)
    invocation["toolExecutionNotifications"] = json::array(
        {{{"level", "error"},
          {"message",
           {{"text", formatted("the report is partial ({}), so it has no findings for code that was not executed",
                               words_of(partial))}}}}});
  if (!estimated.empty())
    invocation["toolExecutionNotifications"].push_back({{"level", "note"}, {"message", {{"text", estimated}}}});
  json run = {
      {"tool",
       {{"driver", {{"name", "bankwise"}, {"semanticVersion", BANKWISE_VERSION}, {"rules", std::move(rules)}}}}},
      {"invocations", json::array({std::move(invocation)})},
      {"originalUriBaseIds", {{"%SRCROOT%", {{"description", {{"text", "paths are relative to this folder"}}}}}}},
      {"results", std::move(results)}};
  return json_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", json::array({std::move(run)})}});
}

}  // namespace bankwise
