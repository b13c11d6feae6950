#include "cli/line/help/completion.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "cli/line/flags.hpp"
#include "cli/line/verbs.hpp"

namespace bankwise::cli {

namespace {

std::string join(const std::vector<std::string_view>& words) {
  std::string s;
  for (const std::string_view w : words) s += (s.empty() ? "" : " ") + std::string(w);
  return s;
}

bool is_kernel(const flag& f) { return f.value == "NAME" && short_name(f) == 'k'; }
bool is_file(const flag& f) { return f.value == "FILE"; }
// Whether the words after the verb can be files.
bool takes_files(const verb& v) {
  return v.usage.find("FILE") != v.usage.npos || v.usage.find(".csv") != v.usage.npos ||
         v.usage.find(".json") != v.usage.npos;
}
std::vector<std::string_view> words_of(const verb& v) {
  return v.words != nullptr ? v.words() : std::vector<std::string_view>{};
}

// Returns `text` with `before` inserted before each character that occurs in `which`.
std::string escaped(std::string_view text, std::string_view which, std::string_view before) {
  std::string s;
  for (const char c : text) {
    if (which.find(c) != which.npos) s += before;
    s += c;
  }
  return s;
}
std::string dashed(const flag& f) {
  const char c = short_name(f);
  return formatted("{}--{}", c != '\0' ? formatted("-{} ", c) : "", long_name(f));
}

std::string bash() {
  std::string verb_words, cases;
  for (const verb& v : verbs()) {
    verb_words += formatted("{} ", v.name);
    std::string values, flag_words, files, kernels, others;
    for (const flag& f : flags()) {
      if (!takes(f, v.name)) continue;
      flag_words += formatted("{} ", dashed(f));
      if (f.count == arity::none) continue;
      std::string pattern = dashed(f);
      if (const std::size_t blank = pattern.find(' '); blank != pattern.npos) pattern.replace(blank, 1, " | ");
      if (const std::string words = join(values_of(f)); !words.empty())
        values += formatted("        {}) words='{}' ;;\n", pattern, words);
      else if (is_file(f))
        files += (files.empty() ? "" : " | ") + pattern;
      else if (is_kernel(f))
        kernels += (kernels.empty() ? "" : " | ") + pattern;
      else
        others += (others.empty() ? "" : " | ") + pattern;
    }
    cases += formatted("    {})\n      case $previous in\n{}", v.name, values);
    if (!files.empty()) cases += formatted("        {}) files=1 ;;\n", files);
    if (!kernels.empty()) cases += formatted("        {}) words=$(_bankwise_kernels) ;;\n", kernels);
    if (!others.empty()) cases += formatted("        {}) return ;;\n", others);
    cases += formatted("        *) words='{}--help", flag_words);
    if (const std::string own = join(words_of(v)); !own.empty()) cases += formatted(" {}", own);
    cases += formatted("'{} ;;\n      esac ;;\n", takes_files(v) ? " files=1" : "");
  }
  return R"(# Completion of bankwise for bash, written by bankwise --completion bash.
# The kernels of the files on the command line.
_bankwise_kernels() { "${COMP_WORDS[0]}" --completion kernels "${COMP_WORDS[@]:1}" 2>/dev/null; }
_bankwise() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words='' files=''
  # --format=json comes as three words.
  if [[ $word == = ]]; then
    word=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words=')" +
         verb_words + R"(help --help --version'
  else
    case ${COMP_WORDS[1]} in
)" + cases +
         R"(    help) words=')" + std::string(trim(verb_words)) + R"(' ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _bankwise bankwise
)";
}

std::string zsh() {
  // In zsh's tables, a colon ends a field and a bracket ends a description, so both are escaped.
  const auto described = [](std::string_view text) { return escaped(text, ":[]\\", "\\"); };
  std::string s =
      "#compdef bankwise\n# Completion of bankwise for zsh, written by bankwise --completion zsh.\n\n"
      "# The kernels of the files on the command line.\n"
      "_bankwise_kernels() {\n  local -a kernels=(${(f)\"$(bankwise --completion kernels ${(Q)words} 2>/dev/null)\"})\n"
      "  compadd -a kernels\n}\n\n"
      "_bankwise() {\n  local -a verbs=(\n";
  for (const verb& v : verbs())
    s += formatted("    {}\n", shell_quoted(formatted("{}:{}", v.name, described(v.summary))));
  s += "  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n  shift words\n  ((CURRENT--))\n"
       "  case $words[1] in\n";
  for (const verb& v : verbs()) {
    s += formatted("    {})\n      _arguments \\\n", v.name);
    for (const flag& f : flags()) {
      if (!takes(f, v.name)) continue;
      std::string value;
      if (f.count != arity::none) {
        const std::string words = join(values_of(f));
        value = formatted(":{}:{}", described(f.value),
                          !words.empty() ? formatted("({})", words)
                          : is_file(f)   ? std::string("_files")
                          : is_kernel(f) ? std::string("_bankwise_kernels")
                                         : std::string(" "));
      }
      const std::string many = f.count == arity::many ? "*" : "";
      const std::string rest = formatted("[{}]{}", described(f.help), value);
      const std::string name = formatted("--{}{}", long_name(f), f.count != arity::none ? "=" : "");
      if (const char c = short_name(f); c != '\0')
        s += formatted("        {} \\\n", shell_quoted(formatted("{}-{}{}", many, c, rest)));
      s += formatted("        {} \\\n", shell_quoted(many + name + rest));
    }
    const std::string own = join(words_of(v));
    s += formatted("        '--help[the flags of {}]' \\\n", v.name);
    s += formatted("        {} ;;\n", shell_quoted(formatted("*:{}:{}", described(v.usage),
                                                             !own.empty()     ? formatted("({})", own)
                                                             : takes_files(v) ? std::string("_files")
                                                                              : std::string(" "))));
  }
  return formatted("{}  esac\n}}\n\n_bankwise \"$@\"\n", s);
}

std::string fish() {
  const auto described = [](std::string_view text) { return formatted("'{}'", escaped(text, "'\\", "\\")); };
  std::string s =
      "# Completion of bankwise for fish, written by bankwise --completion fish.\ncomplete -c bankwise -f\n";
  for (const verb& v : verbs())
    s += formatted("complete -c bankwise -n __fish_use_subcommand -a {} -d {}\n", v.name, described(v.summary));
  for (const verb& v : verbs()) {
    const std::string begin = formatted("complete -c bankwise -n '__fish_seen_subcommand_from {}'", v.name);
    if (takes_files(v)) s += formatted("{} -F\n", begin);
    if (const std::string own = join(words_of(v)); !own.empty()) s += formatted("{} -a '{}'\n", begin, own);
    for (const flag& f : flags()) {
      if (!takes(f, v.name)) continue;
      s += begin;
      if (const char c = short_name(f); c != '\0') s += formatted(" -s {}", c);
      s += formatted(" -l {}", long_name(f));
      if (f.count != arity::none) {
        const std::string words = join(values_of(f));
        s += !words.empty() ? formatted(" -x -a '{}'", words)
             : is_file(f)   ? std::string(" -r -F")
             : is_kernel(f) ? std::string(" -x -a '(bankwise --completion kernels (commandline -opc) 2>/dev/null)'")
                            : std::string(" -x");
      }
      s += formatted(" -d {}\n", described(f.help));
    }
    s += formatted("{} -l help -d 'the flags of {}'\n", begin, v.name);
  }
  return s;
}

}  // namespace

result<std::string> completion(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return diagnostic{
      shell.empty() ? std::string("--completion needs a shell") : formatted("--completion {}: unknown shell", shell),
      {},
      "bash, zsh or fish; or kernels and files, for the names of the kernels in the files"};
}

}  // namespace bankwise::cli
