#include "cli/tune/tune_list.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

using line_json = nlohmann::ordered_json;

// Flags of a launch that are numbers in a line, or lists of numbers.
constexpr std::string_view numbers[] = {"shared", "stack", "budget"};
constexpr std::string_view sizes[] = {"grid", "block", "cluster"};

bool is_one_of(std::string_view name, auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

result<line_json> number_of(std::string_view text, std::string_view flag) {
  std::uint64_t n = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size())
    return diagnostic{formatted("--{} {}: expected a number that is not negative", flag, text)};
  return line_json(n);
}

constexpr std::uint64_t most_of_size = 0xffffffff;  // as run --batch accepts

result<line_json> size_of(std::string_view text, std::string_view flag) {
  line_json list = line_json::array();
  for (const std::string_view one : split(text, ',')) {
    auto n = number_of(trim(one), flag);
    if (!n) return n;
    if (*n < 1 || *n > most_of_size)
      return diagnostic{formatted("--{} {}: expected numbers from 1 to {}", flag, text, most_of_size)};
    list.push_back(std::move(*n));
  }
  if (list.size() > 3) return diagnostic{formatted("--{} {}: expected at most 3 numbers", flag, text)};
  return list;
}

result<line_json> line_of(const tune_request& r, const tune::configuration& c) {
  const auto words = launch_words(r, c);
  if (!words) return words.error();
  line_json line{{"name", tune::text_of(r.all.names, c)}, {"file", r.input}};
  line_json arguments = line_json::array();
  for (std::size_t i = 0; i < words->size(); ++i) {
    const std::string flag = (*words)[i].substr(2);  // every flag has a value, except --cooperative
    if (flag == "cooperative") {
      line[flag] = true;
      continue;
    }
    const std::string& value = (*words)[++i];
    if (flag == "arg") {
      arguments.push_back(value);
    } else if (is_one_of(flag, sizes) || is_one_of(flag, numbers)) {
      auto read = is_one_of(flag, sizes) ? size_of(value, flag) : number_of(value, flag);
      if (!read) return read;
      line[flag] = std::move(*read);
    } else {
      line[flag] = value;
    }
  }
  line["args"] = std::move(arguments);
  if (!r.gpus[0].word.empty()) line["gpu"] = r.gpus[0].word;
  if (r.is_compiled) line["nvcc"] = compiler_flags(r, c);
  return line;
}

}  // namespace

result<std::string> list_launches(const tune_request& r) {
  if (r.is_program)
    return diagnostic{"--list is for one kernel, but without --grid and --arg a whole program runs",
                      {},
                      "add the launch: --grid, --block and --arg"};
  if (r.gpus.size() > 1)
    return diagnostic{"--list writes a list for one GPU", {}, "make a list for each GPU, or leave --gpu out"};
  std::string text;
  for (std::size_t i = 0; i < r.all.configurations.size(); ++i) {
    if (!r.part.has(i)) continue;
    const auto line = line_of(r, r.all.configurations[i]);
    if (!line) return line.error();
    text += line->dump(-1, ' ', false, line_json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace bankwise::cli
