#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/line/flags.hpp"
#include "cli/line/help/completion.hpp"
#include "cli/line/help/help.hpp"
#include "cli/line/help/kernel_words.hpp"
#include "cli/line/help/manual.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/suggestions.hpp"
#include "cli/line/verbs.hpp"
#include "cli/nvcc/nvcc.hpp"
#include "expr/names/gpu_names.hpp"

namespace bankwise::cli {

namespace {

// Returns the names of a flag, separated by commas.
std::string names_of(const flag& f) {
  std::string names(f.name);
  for (const std::string_view other : split(f.also, ' '))
    if (!other.empty()) names += formatted(",{}", std::string(other));
  return names;
}

std::string version() {
  const std::string nvcc = find_tool("nvcc");
  if (nvcc.empty())
    return "bankwise " BANKWISE_VERSION
           "\nnvcc was not found, so bankwise run accepts cubins and fatbins, but not .cu files\n";
  const std::string number = nvcc_version(nvcc);
  return formatted("bankwise {}\nnvcc {}, {}\n", BANKWISE_VERSION, number.empty() ? "of unknown version" : number,
                   nvcc);
}

bool takes_nvcc(std::string_view verb) {
  for (const flag& f : flags())
    if (long_name(f) == "nvcc" && takes(f, verb)) return true;
  return false;
}

// Whether the word is a flag of nvcc. Users may write such flags after a .cu file.
bool is_flag_of_nvcc(std::string_view word) {
  constexpr std::string_view starts =
      "-O0 -O1 -O2 -O3 -std --std -D -I -L -l -X -arch -gencode --gencode -lineinfo --generate-line-info "
      "-use_fast_math --use_fast_math -maxrregcount --maxrregcount -ftz -fmad --expt -expt --extended "
      "-extended -rdc -dc -g -G --ptxas -restrict -code -ccbin";
  for (const std::string_view start : split(starts, ' '))
    if (word.starts_with(start)) return true;
  return false;
}

// Returns words as a line for a shell, with a blank before each word.
std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += formatted(" {}", shell_word(word));
  return line;
}

// Returns a note if words of the program look like flags of bankwise. The note is empty if there are none.
std::string note_on_mistaken(const program_words& parted, const verb& v) {
  std::vector<std::string> names;
  for (const std::string& word : parted.mistaken)
    if (word.starts_with('-')) names.push_back(word.substr(0, word.find('=')));
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  const std::string flags = enumerated(names);
  return formatted(
      "bankwise passed {} to {}, because the {} after the program's name. Write flags of bankwise before the program's "
      "name: bankwise {}{}{}{}. To pass {} to the program without this note: bankwise {} -- {} ...",
      flags, parted.input, one ? "flag is" : "flags are", v.name, shell_line(parted.mistaken),
      shell_line({parted.input}), shell_line(parted.others), flags, v.name, parted.input);
}

// Joins the words "--trace accel-sim DIR" into one flag with the value "accel-sim=DIR".
void join_trace_words(std::vector<std::string>& words, const verb& v) {
  for (std::size_t i = 0; i + 2 < words.size() && words[i] != "--"; ++i) {
    if (words[i] != "--trace" || words[i + 1] != "accel-sim" || v.name != std::string_view("run")) continue;
    words[i + 1] += formatted("={}", words[i + 2]);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    return;
  }
}

// Takes the words after -- from the command line of `diff --commits`. They are a program and its arguments.
void take_compared_program(std::vector<std::string>& words, const verb& v, std::vector<std::string>& program) {
  const auto end = std::find(words.begin(), words.end(), "--");
  if (v.name != "diff" ||
      std::none_of(words.begin(), end, [](const std::string& w) { return w.starts_with("--commits"); }))
    return;
  if (end == words.end()) return;
  program.assign(end + 1, words.end());
  words.erase(end, words.end());
}

// Handles a first word that is not a verb: help, the version, the manual or a completion script. Returns nothing if the
// word is a verb.
std::optional<result<command>> parse_first_word(const std::string& first, const char* second,
                                                const std::vector<std::string>& rest) {
  command c;
  if (first == "--help" || first == "-h" || first == "help") {
    const verb* v = first == "help" && second != nullptr ? find_verb(second) : nullptr;
    if (first == "help" && second != nullptr && v == nullptr) return unknown_verb(second, {});
    c.text = v != nullptr ? help_of(*v) : overview();
    return c;
  }
  if (first == "--version") {
    c.text = version();
    return c;
  }
  if (first == "--man") {
    const std::string_view as = second != nullptr ? second : "roff";
    if (as != "roff" && as != "markdown")
      return diagnostic{formatted("--man cannot write the format {}", as),
                        {},
                        "--man writes roff, and --man markdown writes Markdown"};
    c.text = as == "roff" ? manual() : manual_in_markdown();
    return c;
  }
  if (first == "--completion" && second != nullptr && second == std::string_view("kernels")) {
    c.text = kernel_words(rest);
    return c;
  }
  if (first == "--completion") {
    auto script = completion(second != nullptr ? second : "");
    if (!script) return script.error();
    c.text = std::move(*script);
    return c;
  }
  return std::nullopt;
}

// Reads the flags of a verb with CLI11.
struct flag_reader {
  CLI::App app;
  bool help = false;
  std::map<std::string, std::vector<std::string>> given;
  std::map<std::string, bool> switches;

  explicit flag_reader(const verb& v) {
    app.set_help_flag();
    app.allow_extras(false);
    app.add_flag("-h,--help", help);
    for (const flag& f : flags()) {
      if (!takes(f, v.name)) continue;
      if (f.count == arity::none) {
        app.add_flag(std::string(f.name), switches[std::string(long_name(f))]);
      } else {
        // With these settings, CLI11 reads one value for each use of the flag: "--arg a --arg b", not "--arg a b".
        app.add_option(names_of(f), given[std::string(long_name(f))])->allow_extra_args(false)->type_size(1);
      }
    }
  }
};

// Returns the error for a file or program that does not exist.
std::optional<diagnostic> missing_input(const program_words& parted) {
  if (parted.input.empty() || parted.input == "-" || !find_program(parted.input).empty()) return std::nullopt;
  const auto contents = read_file(parted.input);
  return contents ? std::nullopt : std::optional(contents.error());
}

// Returns the error for words that the verb does not accept, as flags or as arguments.
diagnostic explain_extras(const std::vector<std::string>& extras, const verb& v, const program_words& parted) {
  for (const std::string& extra : extras)
    if (extra.starts_with("-")) {
      // The flag may be one of a program whose name is mistyped. The name is then the mistake.
      const bool is_after = std::count(parted.after.begin(), parted.after.end(), extra) != 0;
      if (const auto missing = is_after ? missing_input(parted) : std::nullopt) return *missing;
      diagnostic d = unknown_flag(extra, v.name);
      if (takes_nvcc(v.name) && is_flag_of_nvcc(extra))
        d.hint = formatted("if this is a flag of nvcc, put --nvcc before it: bankwise {} --nvcc {} -- {}.", v.name,
                           extra, parted.input.empty() ? "FILE.cu" : parted.input);
      if (parted.input.ends_with(".cu") && is_after)
        d.hint += formatted(" If this is an argument of the program, put -- before it: bankwise run {} -- {}",
                            parted.input, extra);
      return d;
    }
  return diagnostic{"the command line has too many arguments", {}, formatted("usage: bankwise {} {}", v.name, v.usage)};
}

std::optional<diagnostic> read_flags(flag_reader& reader, std::vector<std::string> words, const verb& v,
                                     const program_words& parted) {
  try {
    std::reverse(words.begin(), words.end());  // CLI11 reads words from the end of the list
    reader.app.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    return explain_extras(reader.app.remaining(), v, parted);
  } catch (const CLI::ParseError& e) {
    std::string what = e.what();
    // `what` is a text such as "--kernel: 1 required TEXT".
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) != nullptr)
      what = formatted("{} needs a value", what.substr(0, what.find(':')));
    return diagnostic{what, {}, formatted("bankwise {} --help lists the flags", v.name)};
  }
  return std::nullopt;
}

}  // namespace

result<command> parse_command_line(int argc, const char* const* argv) {
  command c;
  if (argc < 2) {
    c.text = short_overview();
    return c;
  }
  const std::string first = argv[1];
  if (auto other = parse_first_word(first, argc > 2 ? argv[2] : nullptr,
                                    std::vector<std::string>(argv + std::min(argc, 3), argv + argc)))
    return std::move(*other);
  c.args.words.assign(argv + 1, argv + argc);
  const verb* v = find_verb(first);
  if (v == nullptr)
    return first.starts_with("-") ? unknown_first_flag(first) : unknown_verb(first, {argv + 2, argv + argc});
  c.args.asked = v;

  flag_reader reader(*v);
  std::vector<std::string> words(argv + 2, argv + argc);
  join_trace_words(words, *v);
  take_compared_program(words, *v, c.args.of_program);
  program_words parted;
  const bool may_be_program = v->words_are == verb_words::accesses_or_program;
  c.args.names_program = may_be_program && names_program(words, *v);
  // The words of `tune --merge` are files with results.
  const bool merges = v->name == "tune" && std::find(words.begin(), words.end(), "--merge") != words.end();
  if (may_be_program ? c.args.names_program : v->words_are != verb_words::ours && !merges) {
    parted = part_words(words, *v);
    words = std::move(parted.ours);
    if (!parted.input.empty()) c.args.positional = {parted.input};
    std::vector<std::string>& to = may_be_program ? c.args.positional : c.args.of_program;
    to.insert(to.end(), parted.its.begin(), parted.its.end());
    c.note = note_on_mistaken(parted, *v);
  } else {
    reader.app.add_option("positional", c.args.positional);
  }
  if (auto wrong = read_flags(reader, std::move(words), *v, parted)) return std::move(*wrong);
  if (reader.help) {
    c.text = help_of(*v);
    return c;
  }
  for (auto& [name, list] : reader.given)
    if (!list.empty()) c.args.values[name] = std::move(list);
  for (const auto& [name, on] : reader.switches)
    if (on) c.args.values[name] = {};
  if (const auto arch = c.args.value("arch"); arch && !parse_machine(*arch)) {
    const auto usual = usual_name(*arch);
    if (!usual) return about("arch", usual.error());
    if (*usual) c.args.values["arch"] = {**usual};
  }
  return c;
}

}  // namespace bankwise::cli
