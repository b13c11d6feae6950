#include "check/baseline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise::check {

namespace {

constexpr const char* schema_name = "bankwise.baseline/1";
constexpr std::size_t most_baseline_bytes = std::size_t{1} << 26;

bool is_fingerprint(const std::string& s) {
  return s.size() == 16 &&
         std::all_of(s.begin(), s.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

result<std::vector<known_finding>> read_baseline(std::string_view text, const std::string& name) {
  using json = nlohmann::json;
  const auto wrong = [&](const std::string& message) {
    return diagnostic{message,
                      {.file = name},
                      formatted("make the baseline again with bankwise check {}", worded(setting::update_baseline))};
  };
  if (text.size() > most_baseline_bytes)
    return wrong(formatted("the baseline has {} bytes, which is too large", grouped(text.size())));
  const json whole = json::parse(text.begin(), text.end(), nullptr, false);
  if (whole.is_discarded() || !whole.is_object()) return wrong("not a baseline file: invalid JSON");
  if (const auto schema = whole.find("schema"); schema == whole.end() || *schema != schema_name)
    return wrong(formatted("not a baseline file: its schema is not {}", schema_name));
  const auto list = whole.find("findings");
  if (list == whole.end() || !list->is_array()) return wrong("the baseline has no list \"findings\"");
  std::vector<known_finding> all;
  for (const json& one : *list) {
    const std::string place = formatted("findings[{}]", all.size());
    if (!one.is_object()) return wrong(formatted("{} is not an object", place));
    known_finding k;
    const auto word = [&](const char* key) {
      const auto it = one.find(key);
      return it != one.end() && it->is_string() ? it->get<std::string>() : "";
    };
    k.fingerprint = word("fingerprint");
    k.kind = word("rule");
    k.kernel = word("kernel");
    k.place = word("place");
    k.text = word("text");
    if (!is_fingerprint(k.fingerprint))
      return wrong(formatted("{}.fingerprint is not a text of 16 hexadecimal digits", place));
    if (find_kind(k.kind) == nullptr) return wrong(formatted("{}.rule is not the ID of a finding", place));
    const auto amount = one.find("amount");
    if (amount == one.end() || !amount->is_number_unsigned())
      return wrong(formatted("{}.amount is not a whole number of 0 or more", place));
    k.amount = amount->get<std::uint64_t>();
    all.push_back(std::move(k));
  }
  return all;
}

std::vector<known_finding> baseline_of(const std::vector<finding>& findings) {
  std::vector<known_finding> all;
  for (const finding& i : findings)
    if (i.what->level == severity::warning && !i.suppressed)
      all.push_back({i.fingerprint, std::string(i.what->id), i.amount, i.kernel, place_of(i), i.text});
  // The order is the same in every run, so that a diff of the file shows only real changes.
  std::sort(all.begin(), all.end(), [](const known_finding& a, const known_finding& b) {
    return std::tie(a.kernel, a.kind, a.text, a.fingerprint) < std::tie(b.kernel, b.kind, b.text, b.fingerprint);
  });
  return all;
}

std::string to_json(const std::vector<known_finding>& baseline) {
  using json = nlohmann::ordered_json;
  json list = json::array();
  for (const known_finding& k : baseline)
    list.push_back({{"fingerprint", k.fingerprint},
                    {"rule", k.kind},
                    {"amount", k.amount},
                    {"kernel", k.kernel},
                    {"place", k.place},
                    {"text", k.text}});
  return formatted("{}\n", json({{"schema", schema_name}, {"findings", std::move(list)}})
                               .dump(2, ' ', false, json::error_handler_t::replace));
}

}  // namespace bankwise::check
