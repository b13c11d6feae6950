#include "cli/line/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/line/completion.hpp"
#include "cli/line/flags.hpp"
#include "cli/line/manual.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "cli/run/nvcc.hpp"
#include "expr/names/gpu_names.hpp"
#include "report/text/text_table.hpp"

namespace bankwise::cli {

namespace {

std::string overview() {
  std::string s = "bankwise " BANKWISE_VERSION
                  ": prints what every shared-memory access of a CUDA kernel costs, and "
                  "why\n\n";
  const auto synopsis = [](const verb& v) { return formatted("{} {}", v.name, v.usage); };
  std::size_t width = 0;
  for (const verb& v : verbs()) width = std::max(width, synopsis(v).size() + 2);
  for (const verb& v : verbs()) s += formatted("  bankwise {}{}\n", pad_right(synopsis(v), width), v.summary);
  s += "\nexamples\n";
  for (const verb& v : verbs()) s += formatted("  {}\n", v.example);
  return formatted(
      "{}\nbankwise VERB --help lists the flags of a verb. bankwise --version prints the version, --man prints the "
      "manual\npage, and --completion bash|zsh|fish prints a completion script.\n"
      "Exit status: 0 if bankwise ran, 1 if it has findings (--fail-on), 2 if it could not run.\n",
      s);
}

constexpr unsigned width_without_terminal = 100;

// Breaks a text into lines, and indents each line by `indent` columns.
std::string in_column(std::string_view text, std::size_t indent, std::size_t width) {
  std::string s;
  const std::size_t room = std::max<std::size_t>(width > indent ? width - indent : 0, 16);
  while (text.size() > room) {
    std::size_t cut = text.rfind(' ', room);
    if (cut == text.npos) cut = text.find(' ');
    if (cut == text.npos) break;
    s += formatted("{}\n{}", text.substr(0, cut), std::string(indent, ' '));
    text.remove_prefix(cut + 1);
  }
  return formatted("{}{}\n", s, text);
}

std::string help_of(const verb& v) {
  constexpr std::size_t column = 24;
  const std::size_t width = output_width().value_or(width_without_terminal);
  std::string s = formatted("bankwise {} {}\n  {}\n\n", v.name, v.usage, v.summary);
  if (!v.details.empty()) s += formatted("{}\n\n", v.details);
  s = wrapped(s, width);
  for (const flag_group& g : groups_of(v.name)) {
    if (!g.title.empty()) s += formatted("{}\n", g.title);
    for (const flag* f : g.flags) {
      const std::string left = formatted("  {}{}", f->name, f->value.empty() ? "" : formatted(" {}", f->value));
      s += left.size() < column ? pad_right(left, column) : formatted("{}\n{}", left, std::string(column, ' '));
      s += in_column(std::string(f->help) + (f->count == arity::many ? " (repeatable)" : ""), column, width);
    }
    if (!g.title.empty()) s += "\n";
  }
  if (!s.ends_with("\n\n")) s += "\n";
  return formatted("{}example\n  {}\n", s, v.example);
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

constexpr std::string_view first_flags[] = {"--help", "--version", "--man", "--completion"};

// Returns the error for an unknown flag before the verb.
diagnostic unknown_first_flag(const std::string& name) {
  const std::vector<std::string> near = nearest(name, {std::begin(first_flags), std::end(first_flags)}, 1);
  return {formatted("{} is not a flag of bankwise", name),
          {},
          near.empty() ? "write the verb first, and the flags after the verb. bankwise --help lists the verbs"
                       : formatted("did you mean bankwise {}?", near[0])};
}

diagnostic unknown_verb(std::string_view name) {
  std::vector<std::string> known;
  for (const verb& v : verbs()) known.emplace_back(v.name);
  const std::vector<std::string> near = nearest(name, known, 1);
  return {formatted("unknown verb '{}'", name),
          {},
          near.empty() ? "bankwise --help lists the verbs" : formatted("did you mean bankwise {}?", near[0])};
}

diagnostic unknown_flag(std::string_view name, std::string_view verb) {
  std::vector<std::string> known;
  for (const flag& f : flags())
    if (takes(f, verb)) known.push_back(formatted("--{}", long_name(f)));
  const std::vector<std::string> near = nearest(name.substr(0, name.find('=')), known, 1);
  return {
      formatted("bankwise {} does not have the flag {}", verb, name),
      {},
      near.empty() ? formatted("bankwise {} --help lists the flags", verb) : formatted("did you mean {}?", near[0])};
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

// Joins the words "--trace accel-sim DIR" into one flag with the value "accel-sim=DIR".
void join_trace_words(std::vector<std::string>& words, const verb& v) {
  for (std::size_t i = 0; i + 2 < words.size() && words[i] != "--"; ++i) {
    if (words[i] != "--trace" || words[i + 1] != "accel-sim" || v.name != std::string_view("run")) continue;
    words[i + 1] += formatted("={}", words[i + 2]);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    return;
  }
}

// Handles a first word that is not a verb: help, the version, the manual or a completion script. Returns nothing if the
// word is a verb.
std::optional<result<command>> parse_first_word(const std::string& first, const char* second) {
  command c;
  if (first == "--help" || first == "-h" || first == "help") {
    const verb* v = first == "help" && second != nullptr ? find_verb(second) : nullptr;
    if (first == "help" && second != nullptr && v == nullptr) return unknown_verb(second);
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
        app.add_option(std::string(f.name) + (f.also.empty() ? "" : formatted(",{}", f.also)),
                       given[std::string(long_name(f))])
            ->allow_extra_args(false)
            ->type_size(1);
      }
    }
  }
};

// Returns the error for words that the verb does not accept, as flags or as arguments.
diagnostic explain_extras(const std::vector<std::string>& extras, const verb& v, const program_words& parted) {
  for (const std::string& extra : extras)
    if (extra.starts_with("-")) {
      diagnostic d = unknown_flag(extra, v.name);
      if (takes_nvcc(v.name) && is_flag_of_nvcc(extra))
        d.hint = formatted("if this is a flag of nvcc, put --nvcc before it: bankwise {} --nvcc {} -- {}.", v.name,
                           extra, parted.input.empty() ? "FILE.cu" : parted.input);
      if (parted.input.ends_with(".cu") && std::count(parted.after.begin(), parted.after.end(), extra) != 0)
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
    c.text = overview();
    return c;
  }
  const std::string first = argv[1];
  if (auto other = parse_first_word(first, argc > 2 ? argv[2] : nullptr)) return std::move(*other);
  c.args.words.assign(argv + 1, argv + argc);
  const verb* v = find_verb(first);
  if (v == nullptr) return first.starts_with("-") ? unknown_first_flag(first) : unknown_verb(first);
  c.args.asked = v;

  flag_reader reader(*v);
  std::vector<std::string> words(argv + 2, argv + argc);
  join_trace_words(words, *v);
  program_words parted;
  const bool may_be_program = v->words_are == verb_words::accesses_or_program;
  c.args.names_program = may_be_program && names_program(words, *v);
  if (may_be_program ? c.args.names_program : v->words_are != verb_words::ours) {
    parted = part_words(words, *v);
    words = std::move(parted.ours);
    if (!parted.input.empty()) c.args.positional = {parted.input};
    std::vector<std::string>& to = may_be_program ? c.args.positional : c.args.of_program;
    to.insert(to.end(), parted.its.begin(), parted.its.end());
    if (!parted.mistaken.empty())
      c.note = formatted(
          "bankwise passed {} to {}, because the flag is after the program's name. Write flags of bankwise before "
          "the program's name. To pass {} to the program without this note: bankwise {} -- {} ...",
          parted.mistaken, parted.input, parted.mistaken, first, parted.input);
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
