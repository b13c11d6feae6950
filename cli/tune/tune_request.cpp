#include "cli/tune/tune_request.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/line/program_words.hpp"
#include "cli/run/kernel_arguments.hpp"
#include "cli/run/run_program.hpp"
#include "cli/tune/tune_cache.hpp"
#include "timing/timed_gpu.hpp"

namespace bankwise::cli {

namespace {

constexpr const char* usage =
    "bankwise tune kernel.cu -k KERNEL -D TILE=16,32 --grid N/TILE --block TILE --let N=1024 --arg ..., or "
    "bankwise tune app.cu -D TILE=16,32 -- ARGUMENTS";
// Flags that are passed to `run` with their values evaluated as numbers or lists of numbers.
constexpr const char* evaluated_flags[] = {"grid", "block", "cluster", "shared", "stack"};
// Flags that are passed to `run` unchanged.
constexpr const char* passed_flags[] = {"arch", "caches", "budget"};
// Flags on which the results do not depend, or which are part of the key in another form.
constexpr std::string_view unkeyed_flags[] = {"jobs",  "shard", "cache",   "output", "format",
                                              "color", "all",   "configs", "list"};

result<std::map<std::string, std::int64_t, std::less<>>> read_constants(const arguments& args) {
  std::map<std::string, std::int64_t, std::less<>> constants;
  for (const std::string& text : args.all("let")) {
    const std::size_t equals = text.find('=');
    const std::string name(trim(text.substr(0, equals)));
    if (equals == std::string::npos || !tune::is_dimension_name(name))
      return diagnostic{formatted("--let {}: expected NAME=N", text), {}, "for example: --let N=1024"};
    const auto number = tune::evaluate(text.substr(equals + 1), {constants, {}}, formatted("--let {}", name));
    if (!number) return number.error();
    constants[name] = *number;
  }
  return constants;
}

result<std::vector<tune::dimension>> read_dimensions(const arguments& args) {
  std::vector<tune::dimension> dimensions;
  for (const auto& [flag, what] : {std::pair{"define", "-D"}, std::pair{"set", "--set"}})
    for (const std::string& text : args.all(flag)) {
      auto d = tune::parse_dimension(text, what);
      if (!d) return d.error();
      dimensions.push_back(std::move(*d));
    }
  if (const auto flags = args.value("flags")) {
    tune::dimension d{flags_dimension, {}};
    for (const std::string_view one : split(*flags, '|')) {
      if (std::find(d.values.begin(), d.values.end(), trim(one)) != d.values.end())
        return diagnostic{formatted("--flags {}: '{}' is listed twice", *flags, trim(one))};
      d.values.emplace_back(trim(one));
    }
    dimensions.push_back(std::move(d));
  }
  return dimensions;
}

diagnostic refuse_flags_name(const std::string& what) {
  return {formatted("{} has the name {}, which is that of --flags in the result", what, flags_dimension),
          {},
          "use another name"};
}

result<tune::space> read_space(const arguments& args,
                               const std::map<std::string, std::int64_t, std::less<>>& constants) {
  const auto dimensions = read_dimensions(args);
  if (!dimensions) return dimensions.error();
  if (!args.has("flags"))
    for (const tune::dimension& d : *dimensions)
      if (d.name == flags_dimension) return refuse_flags_name("a dimension");
  const auto file = args.value("configs");
  if (!file) {
    if (dimensions->empty())
      return diagnostic{"there is nothing to choose from: -D is missing", {}, formatted("usage: {}", usage)};
    return tune::combine(*dimensions, args.all("where"), constants);
  }
  if (!dimensions->empty())
    return diagnostic{"--configs already lists the configurations, so leave out -D, --set and --flags"};
  const auto text = read_file(*file);
  if (!text) return text.error();
  auto listed = tune::read_configurations(*text, *file);
  if (!listed) return listed;
  if (std::find(listed->names.begin(), listed->names.end(), flags_dimension) != listed->names.end())
    return refuse_flags_name(*file);
  return tune::constrain(std::move(*listed), args.all("where"), constants);
}

result<std::vector<asked_gpu>> read_gpus(const arguments& args) {
  std::vector<asked_gpu> gpus;
  std::vector<std::string> words = args.all("gpu");
  if (words.empty()) words.emplace_back("");
  for (const std::string& list : words)
    for (const std::string_view word : split(list, ',')) {
      const auto gpu = timing::read_timed_gpu(std::string(trim(word)));
      if (!gpu) return about("gpu", gpu.error());
      if (std::any_of(gpus.begin(), gpus.end(), [&](const asked_gpu& g) { return g.title == gpu->title; })) continue;
      gpus.push_back({std::string(trim(word)), gpu->title});
    }
  return gpus;
}

result<std::optional<double>> read_tolerance(const arguments& args) {
  const auto text = args.value("tolerance");
  if (!text) return std::optional<double>();
  double number = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  if (read.ec != std::errc{} || read.ptr != text->data() + text->size() || !(number >= 0) || number > 1)
    return diagnostic{formatted("--tolerance {}: expected a number from 0 to 1", *text),
                      {},
                      "--tolerance 0.001 allows differences of 0.1% of the largest value"};
  return std::optional(number);
}

// Returns an error if the flags do not fit a program, or a kernel.
std::optional<diagnostic> refuse_flags(const tune_request& r) {
  if (!r.build.empty() && !r.is_program)
    return diagnostic{"--build is for programs, but --grid or --arg asks for one kernel",
                      {},
                      "pass a .cu file, which nvcc compiles for each configuration, or leave out the launch"};
  if (!r.build.empty() && r.is_compiled)
    return diagnostic{"--build and a .cu file exclude each other: name the program that the command builds"};
  if (!r.is_compiled && (r.given.has("nvcc") || r.given.has("flags")))
    return diagnostic{"--nvcc and --flags are only for .cu files"};
  if (!r.is_program && !r.given.has("grid"))
    return diagnostic{"--grid is missing: a single kernel needs its launch", {}, formatted("usage: {}", usage)};
  if (!r.is_program && !r.words.empty())
    return diagnostic{formatted("'{}' follows {}, but a single kernel takes no program arguments", r.words[0], r.input),
                      {},
                      "pass the arguments of a kernel with --arg"};
  return std::nullopt;
}

// Finds mistakes in expressions and arguments before the search begins, with the first configuration.
std::optional<diagnostic> refuse_words(const tune_request& r) {
  const tune::configuration& first = r.all.configurations[0];
  const auto words = launch_words(r, first);
  if (!words) return words.error();
  const auto list = argument_words(r, first);
  if (!list) return list.error();
  for (std::size_t i = 0; i < list->size(); ++i)
    if (const auto a = parse_argument((*list)[i], i + 1); !a) return a.error();
  return std::nullopt;
}

// Returns an error if a value changes nothing: the input is machine code, and no expression uses the name.
std::optional<diagnostic> refuse_unused_names(const tune_request& r) {
  if (r.is_program || r.is_compiled) return std::nullopt;
  std::vector<std::string> texts = r.given.all("arg");
  texts.push_back(r.given.value("kernel").value_or(""));
  for (const char* flag : evaluated_flags) texts.push_back(r.given.value(flag).value_or(""));
  for (const std::string& name : r.all.names) {
    const tune::named_values only{{}, {{name, ""}}};
    if (std::none_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return tune::replace_names(text, only) != text; }))
      return diagnostic{formatted("{} changes nothing: nvcc does not compile {}, and the launch does not use the name",
                                  name, r.input),
                        {},
                        formatted("pass the .cu file, or use {} in --kernel, --grid, --block or --arg", name)};
  }
  return std::nullopt;
}

std::string key_of(const tune_request& r) {
  // A build changes the program, and a program may be a name on the PATH.
  const std::string program = r.is_program && !r.is_compiled ? find_program(r.input) : r.input;
  std::vector<std::string> parts{r.input, r.build.empty() ? file_key(program) : ""};
  for (const auto& [name, values] : r.given.values) {
    if (std::find(std::begin(unkeyed_flags), std::end(unkeyed_flags), name) != std::end(unkeyed_flags)) continue;
    parts.push_back("--" + name);
    parts.insert(parts.end(), values.begin(), values.end());
  }
  parts.emplace_back("words");
  parts.insert(parts.end(), r.words.begin(), r.words.end());
  parts.emplace_back(BANKWISE_VERSION);
  for (const asked_gpu& g : r.gpus) {
    parts.push_back(g.title);
    if (timing::is_parameter_file(g.word)) parts.push_back(file_key(g.word));
  }
  for (const tune::configuration& c : r.all.configurations) parts.push_back(tune::text_of(r.all.names, c));
  return content_key(parts);
}

}  // namespace

result<tune_request> read_tune_request(const arguments& args) {
  if (args.positional.empty())
    return diagnostic{"bankwise tune needs a file or a program", {}, formatted("usage: {}", usage)};
  if (args.positional[0] == "-")
    return diagnostic{"bankwise tune reads its input several times, so it cannot be standard input"};
  tune_request r;
  r.given = args;
  auto constants = read_constants(args);
  if (!constants) return constants.error();
  r.constants = std::move(*constants);
  auto all = read_space(args, r.constants);
  if (!all) return all.error();
  r.all = std::move(*all);
  for (const std::string& text : args.all("set")) r.plain_names.emplace_back(trim(text.substr(0, text.find('='))));
  r.input = args.positional[0];
  r.words = args.of_program;
  r.build = args.value("build").value_or("");
  r.is_program = !r.build.empty() ? !args.has("grid") && !args.has("arg") : runs_program(args);
  r.is_compiled = r.input.ends_with(".cu");
  r.subject = printable(r.is_program ? base_name(r.input) : args.value("kernel").value_or(base_name(r.input)));
  auto gpus = read_gpus(args);
  if (!gpus) return gpus.error();
  r.gpus = std::move(*gpus);
  const auto verify = choice(args, "verify", "on", {"on", "off"});
  if (!verify) return verify.error();
  r.compares = *verify == "on";
  const auto tolerance = read_tolerance(args);
  if (!tolerance) return tolerance.error();
  r.tolerance = *tolerance;
  const auto jobs =
      number(args, "jobs", std::max(1U, std::min(most_jobs, std::thread::hardware_concurrency())), 1, most_jobs);
  if (!jobs) return jobs.error();
  r.jobs = static_cast<unsigned>(*jobs);
  if (const auto part = args.value("shard")) {
    const auto read = tune::parse_shard(*part, "--shard");
    if (!read) return read.error();
    r.part = *read;
  }
  if (const auto caches = choice(args, "caches", "cold", {"cold", "warm"}); !caches) return caches.error();
  if (r.build.empty() && !(r.is_program && !r.is_compiled)) {
    const auto contents = read_file(r.input);
    if (!contents) return contents.error();
  }
  if (const auto wrong = refuse_flags(r)) return *wrong;
  if (const auto wrong = refuse_words(r)) return *wrong;
  if (const auto wrong = refuse_unused_names(r)) return *wrong;
  r.key = key_of(r);
  return r;
}

result<std::vector<std::string>> argument_words(const tune_request& r, const tune::configuration& c) {
  const tune::named_values known = tune::values_of(r.all.names, c, r.constants);
  std::vector<std::string> list;
  for (const std::string& text : r.given.all("arg")) {
    auto word = tune::evaluate_argument(text, known, "--arg");
    if (!word) return word.error();
    list.push_back(std::move(*word));
  }
  return list;
}

result<std::vector<std::string>> launch_words(const tune_request& r, const tune::configuration& c) {
  const tune::named_values known = tune::values_of(r.all.names, c, r.constants);
  std::vector<std::string> words;
  if (const auto kernel = r.given.value("kernel")) {
    auto filled = tune::fill_braces(*kernel, known, "--kernel");
    if (!filled) return filled.error();
    words.insert(words.end(), {"--kernel", tune::replace_names(*filled, known)});
  }
  for (const char* flag : passed_flags)
    if (const auto value = r.given.value(flag)) words.insert(words.end(), {formatted("--{}", flag), *value});
  if (r.is_program) {
    words.emplace_back("--");
    words.emplace_back();  // the program, which the caller knows
    for (const std::string& text : r.words) {
      auto word = tune::fill_braces(text, known, text);
      if (!word) return word.error();
      words.push_back(std::move(*word));
    }
    return words;
  }
  for (const char* flag : evaluated_flags)
    if (const auto value = r.given.value(flag)) {
      const std::string name = formatted("--{}", flag);
      auto list = tune::evaluate_list(*value, known, name);
      if (!list) return list.error();
      words.insert(words.end(), {name, std::move(*list)});
    }
  if (r.given.has("cooperative")) words.emplace_back("--cooperative");
  const auto list = argument_words(r, c);
  if (!list) return list.error();
  for (const std::string& word : *list) words.insert(words.end(), {"--arg", word});
  return words;
}

std::vector<std::string> compiler_flags(const tune_request& r, const tune::configuration& c) {
  std::vector<std::string> flags = r.given.all("nvcc");
  for (std::size_t i = 0; i < r.all.names.size(); ++i) {
    if (std::find(r.plain_names.begin(), r.plain_names.end(), r.all.names[i]) != r.plain_names.end()) continue;
    if (r.all.names[i] != flags_dimension) {
      flags.push_back(formatted("-D{}={}", r.all.names[i], c.values[i]));
      continue;
    }
    for (const std::string_view word : split(c.values[i], ' '))
      if (!trim(word).empty()) flags.emplace_back(trim(word));
  }
  return flags;
}

std::vector<std::pair<std::string, std::string>> variables_of(const tune_request& r, const tune::configuration& c) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (std::size_t i = 0; i < r.all.names.size(); ++i) variables.emplace_back(r.all.names[i], c.values[i]);
  return variables;
}

}  // namespace bankwise::cli
