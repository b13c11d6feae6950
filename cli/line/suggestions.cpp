#include "cli/line/suggestions.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cli/line/flags.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/verbs.hpp"

namespace bankwise::cli {

namespace {

constexpr std::string_view first_flags[] = {"--help", "--version", "--man", "--completion"};

// Words of other tools, and what bankwise has instead.
struct synonym_row {
  std::string_view words, instead;
};
constexpr synonym_row verb_synonyms[] = {
    {"profile prof ncu nsys nvprof exec execute launch start emulate simulate analyze analyse", "run"},
    {"show view render convert print export html", "report"},
    {"test lint ci verify", "check"},
    {"cost count wavefronts conflicts", "explain"},
    {"repair apply optimize optimise advise layout layouts", "fix"},
    {"rules finding findings", "rule"},
    {"archs architectures gpus gpu machines", "arch"},
    {"server serve lsp-server language-server", "lsp"},
    {"combine join", "merge"},
    {"measure", "probe"},
};
constexpr synonym_row flag_synonyms[] = {
    {"--jobs --parallel --cores --cpus", "--threads"},
    {"--gpu --device --machine --target --sm --compute-capability", "--arch"},
    {"--gpus --gpu-name", "--gpu"},
    {"--kernels --kernel-regex --kernel-id --filter", "--kernel"},
    {"--out --output-file --export --log-file --save", "--output"},
    {"--json", "--format json"},
    {"--html", "--format html"},
    {"--csv", "--format csv"},
    {"--sarif", "--format sarif"},
    {"--race --races --racecheck", "--check race"},
    {"--initcheck --uninit --uninitialized", "--check init"},
    {"--memcheck --bounds --leak-check", "--check memory"},
    {"--synccheck", "--check sync"},
    {"--blocks --max-blocks", "--ctas"},
    {"--timeout --time-limit", "--time"},
    {"--args --argument", "--arg"},
    {"--smem --shared-memory --dynamic-shared", "--shared"},
    {"--block-size --block-dim --threads-per-block", "--block"},
    {"--grid-size --grid-dim", "--grid"},
    {"--colour --colors", "--color"},
    {"--name --kernel-names", "--kernel"},
};

// Returns what bankwise has instead of a word, or an empty text.
template <std::size_t n>
std::string_view instead_of(std::string_view word, const synonym_row (&rows)[n]) {
  for (const synonym_row& row : rows)
    for (const std::string_view one : split(row.words, ' '))
      if (one == word) return row.instead;
  return {};
}

// Whether the verb has the flag in a text such as "--format json", with this value.
bool verb_takes(std::string_view verb, std::string_view text) {
  const std::size_t blank = text.find(' ');
  return std::any_of(flags().begin(), flags().end(), [&](const flag& f) {
    if (!takes(f, verb) || formatted("--{}", long_name(f)) != text.substr(0, blank)) return false;
    const auto values = values_of(f);
    return blank == text.npos || std::find(values.begin(), values.end(), text.substr(blank + 1)) != values.end();
  });
}

// Whether a word is a program, or a file that `bankwise run` accepts.
bool can_run(const std::string& word) {
  std::error_code ec;
  if (word.find('/') != std::string::npos || std::filesystem::exists(word, ec))
    return !std::filesystem::is_directory(word, ec);
  return word.ends_with(".cu") || word.ends_with(".ptx") || word.ends_with(".cubin") || word.ends_with(".fatbin");
}

// Returns the command that the user may have meant with a file instead of a verb, or an empty text.
std::string command_for_file(const std::string& word, const std::vector<std::string>& rest) {
  if (!can_run(word)) return "";
  std::string command = formatted("bankwise {} {}", word.ends_with(".json") ? "report" : "run", shell_word(word));
  for (const std::string& one : rest) command += formatted(" {}", shell_word(one));
  return command;
}

}  // namespace

diagnostic unknown_first_flag(const std::string& name) {
  const std::vector<std::string> near = nearest(name, {std::begin(first_flags), std::end(first_flags)}, 1);
  return {formatted("{} is not a flag of bankwise", name),
          {},
          near.empty() ? "write the verb first, and the flags after the verb. bankwise --help lists the verbs"
                       : formatted("did you mean bankwise {}?", near[0])};
}

diagnostic unknown_verb(std::string_view name, const std::vector<std::string>& rest) {
  diagnostic d{formatted("unknown verb '{}'", name), {}, "bankwise --help lists the verbs"};
  if (const std::string command = command_for_file(std::string(name), rest); !command.empty()) {
    d.hint = formatted("did you mean {}?", command);
    return d;
  }
  std::string_view instead = instead_of(name, verb_synonyms);
  std::vector<std::string> known;
  for (const verb& v : verbs()) known.emplace_back(v.name);
  const std::vector<std::string> near = nearest(name, known, 1);
  if (instead.empty() && !near.empty()) instead = near[0];
  if (!instead.empty()) d.hint = formatted("did you mean bankwise {}?", instead);
  return d;
}

diagnostic unknown_flag(std::string_view name, std::string_view verb) {
  diagnostic d{formatted("bankwise {} does not have the flag {}", verb, name),
               {},
               formatted("bankwise {} --help lists the flags", verb)};
  const std::string_view word = name.substr(0, name.find('='));
  if (const std::string_view instead = instead_of(word, flag_synonyms); !instead.empty() && verb_takes(verb, instead)) {
    d.hint = formatted("did you mean {}?", instead);
    return d;
  }
  std::vector<std::string> known;
  for (const flag& f : flags())
    if (takes(f, verb)) known.push_back(formatted("--{}", long_name(f)));
  if (const std::vector<std::string> near = nearest(word, known, 1); !near.empty())
    d.hint = formatted("did you mean {}?", near[0]);
  return d;
}

}  // namespace bankwise::cli
