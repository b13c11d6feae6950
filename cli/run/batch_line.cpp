#include "cli/run/batch_line.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/json/syntax/json_document.hpp"

namespace bankwise::cli {

namespace {

enum class batch_value : std::uint8_t { text, number, size, words, flag, microseconds };

// A key of a line, and the flag with the same meaning.
struct batch_key {
  std::string_view key, flag;
  batch_value is;
};
constexpr batch_key batch_keys[] = {
    {"name", "", batch_value::text},
    {"file", "", batch_value::text},
    {"kernel", "kernel", batch_value::text},
    {"grid", "grid", batch_value::size},
    {"block", "block", batch_value::size},
    {"cluster", "cluster", batch_value::size},
    {"shared", "shared", batch_value::number},
    {"stack", "stack", batch_value::number},
    {"cooperative", "cooperative", batch_value::flag},
    {"args", "arg", batch_value::words},
    {"arch", "arch", batch_value::text},
    {"nvcc", "nvcc", batch_value::words},
    {"gpu", "gpu", batch_value::text},
    {"caches", "caches", batch_value::text},
    {"budget", "budget", batch_value::number},
    {"stop_above", "stop-above", batch_value::microseconds},
};

constexpr std::size_t most_words = 4096;  // a kernel has at most 4 KB of parameters

std::string expected_of(batch_value v) {
  switch (v) {
    case batch_value::text: return "a text";
    case batch_value::number: return "a number";
    case batch_value::size: return "a number or a list of one to three numbers";
    case batch_value::words: return formatted("a list of at most {} texts and numbers", grouped(most_words));
    case batch_value::flag: return "true or false";
    case batch_value::microseconds: break;
  }
  return "a number of microseconds above 0";
}

// Returns a text or number as the command line would have it, or nothing.
std::optional<std::string> word_of(const parsed_json& v) {
  if (v.is_string() && v.text().find('\0') == std::string_view::npos) return std::string(v.text());
  if (v.is_number()) return text_of(v);
  return std::nullopt;
}

// Returns the value as words of the command line, or nothing if it is of another kind.
std::optional<std::vector<std::string>> words_of(const batch_key& k, const parsed_json& v) {
  using words = std::vector<std::string>;
  switch (k.is) {
    case batch_value::text: return v.is_string() && word_of(v) ? std::optional(words{*word_of(v)}) : std::nullopt;
    case batch_value::number:
    case batch_value::microseconds: return v.is_number() ? std::optional(words{text_of(v)}) : std::nullopt;
    case batch_value::flag: return v.is_boolean() ? std::optional(words{}) : std::nullopt;
    case batch_value::size:
    case batch_value::words: break;
  }
  const bool is_size = k.is == batch_value::size;
  if (is_size && v.is_number()) return words{text_of(v)};
  if (!v.is_array() || v.size() > (is_size ? 3 : most_words) || (is_size && v.size() == 0)) return std::nullopt;
  words list;
  for (std::size_t i = 0; i < v.size(); ++i) {
    auto word = word_of(v[i]);
    if (!word || (is_size && !v[i].is_number())) return std::nullopt;
    list.push_back(std::move(*word));
  }
  if (!is_size) return list;
  std::string joined;
  for (const std::string& one : list) joined += (joined.empty() ? "" : ",") + one;
  return words{joined};
}

diagnostic unknown_key(std::string_view key) {
  std::vector<std::string> names;
  std::string list;
  for (const batch_key& k : batch_keys) {
    names.emplace_back(k.key);
    list += formatted("{}{}", list.empty() ? "" : ", ", k.key);
  }
  const std::string wrong(key.substr(0, 64));
  const auto near = nearest(wrong, names, 1);
  const bool is_near = !near.empty() && edit_distance(wrong, near[0]) <= std::max<std::size_t>(1, wrong.size() / 3);
  return {formatted("unknown key \"{}\"", printable(wrong)),
          {},
          is_near ? formatted("did you mean \"{}\"?", near[0]) : formatted("the keys are {}", list)};
}

diagnostic wrong_json(const json_document& document) {
  using state = json_document::state;
  switch (document.is()) {
    case state::too_deep: return {"the lists and objects of this line are nested too deep"};
    case state::too_many_values: return {"this line has too many values"};
    case state::key_twice:
      return {formatted("the key \"{}\" occurs twice", printable(document.key_twice().substr(0, 40)))};
    default: break;
  }
  location where;
  where.column = static_cast<std::uint32_t>(std::max<std::size_t>(1, document.wrong_at()));
  return {"the JSON is invalid at this place", where, "each line is one object, such as {\"file\": \"gemm.cubin\"}"};
}

}  // namespace

bool is_flag_of_lines(std::string_view flag) {
  return !flag.empty() && std::any_of(std::begin(batch_keys), std::end(batch_keys),
                                      [&](const batch_key& one) { return one.flag == flag; });
}

result<double> read_microseconds(const std::string& text, const std::string& of) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double most = 1e12;
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0 && value <= most))
    return diagnostic{formatted("{} {}: expected {}", of, printable(text), expected_of(batch_value::microseconds))};
  return value;
}

result<batch_line> read_batch_line(std::string_view text, const arguments& defaults, double stop_above,
                                   std::string& name) {
  if (text.size() > most_batch_line_bytes)
    return diagnostic{
        formatted("this line has {} bytes, and the limit is {}", grouped(text.size()), grouped(most_batch_line_bytes)),
        {},
        "pass large data as files: \"f32[]=file:data.npy\""};
  const json_document document(text);
  if (document.is() != json_document::state::valid) return wrong_json(document);
  const parsed_json& all = document.root();
  if (!all.is_object()) return diagnostic{"this line is not an object, such as {\"file\": \"gemm.cubin\"}"};
  batch_line line{{}, defaults, stop_above};
  if (const parsed_json* const given = all.find("name"); given != nullptr && given->is_string())
    line.name = name = std::string(given->text());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* const k = std::find_if(std::begin(batch_keys), std::end(batch_keys),
                                       [&](const batch_key& one) { return one.key == all.key(i); });
    if (k == std::end(batch_keys)) return unknown_key(all.key(i));
    const parsed_json& value = all.member(i);
    auto words = words_of(*k, value);
    if (!words) return diagnostic{formatted("\"{}\": expected {}", k->key, expected_of(k->is))};
    if (k->key == "file") line.args.positional = std::move(*words);
    if (k->is == batch_value::microseconds) {
      const auto limit = read_microseconds(words->front(), formatted("\"{}\"", k->key));
      if (!limit) return limit.error();
      line.stop_above = *limit;
    } else if (k->is == batch_value::flag && !value.flag()) {
      line.args.values.erase(std::string(k->flag));
    } else if (!k->flag.empty()) {
      line.args.values[std::string(k->flag)] = std::move(*words);
    }
  }
  if (line.args.positional.empty() || line.args.positional[0].empty())
    return diagnostic{"the key \"file\" is missing", {}, "it names a .cubin, .fatbin, .ptx or .cu file"};
  return line;
}

}  // namespace bankwise::cli
