#include "cli/line/help/manual.hpp"

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "cli/line/flags.hpp"
#include "cli/line/help/help.hpp"
#include "cli/line/verbs.hpp"

namespace bankwise::cli {

namespace {

// Escapes a text for roff, so that hyphens and quotes do not change, and no line becomes a request.
std::string literal(std::string_view text) {
  std::string s;
  for (const char c : text) {
    const bool at_start = s.empty() || s.back() == '\n';
    if (at_start && (c == '.' || c == '\'')) s += "\\&";
    if (c == '\\')
      s += "\\e";
    else if (c == '-')
      s += "\\-";
    else if (c == '\'')
      s += "\\(aq";
    else if (c == '`')
      s += "\\(ga";
    else if (c == '^')
      s += "\\(ha";
    else if (c == '~')
      s += "\\(ti";
    else
      s += c;
  }
  return s;
}

std::string bold(std::string_view text) { return formatted("\\fB{}\\fR", literal(text)); }
std::string italic(std::string_view text) { return formatted("\\fI{}\\fR", literal(text)); }

std::string names(const flag& f) {
  std::string s;
  for (const std::string_view name : split(f.name, ','))
    s += (s.empty() ? "" : ", ") + bold(name) + (f.value.empty() ? "" : formatted(" {}", italic(f.value)));
  return s;
}

std::string example(std::string_view text) { return formatted(".PP\n.nf\n.RS 4\n{}\n.RE\n.fi\n", literal(text)); }

struct paragraph {
  std::string_view term, text;
};
constexpr paragraph general[] = {
    {"--help", "Lists the verbs. bankwise VERB --help lists the flags of a verb."},
    {"--version", "Prints the version of bankwise, and the path of the nvcc that compiles .cu files."},
    {"--man", "Prints this page in roff format. --man markdown prints it in Markdown."},
    {"--completion SHELL",
     "Prints a completion script for bash, zsh or fish. --completion kernels FILE... prints the names of the kernels in "
     "the files, which the scripts complete after -k."},
};
constexpr paragraph environment_variables[] = {
    {"CUDA_HOME",
     "The folder of the CUDA toolkit. If the variable is not set, bankwise looks for nvcc on the PATH and in "
     "/usr/local/cuda/bin."},
    {"NO_COLOR, FORCE_COLOR",
     "NO_COLOR turns colours off. FORCE_COLOR turns colours on even if the output is not a terminal. If both "
     "variables are set, NO_COLOR applies."},
    {"TMPDIR", "The folder for temporary files."},
};
constexpr paragraph statuses[] = {
    {"0", "bankwise ran, and the report has no finding that --fail-on selects."},
    {"1", "bankwise ran, and the report has a finding that --fail-on selects."},
    {"2", "bankwise could not run. The reason is on standard error."},
};

constexpr std::string_view description =
    "Counts the wavefronts of shared-memory accesses exactly as the hardware counts them, names the lanes and banks "
    "that "
    "collide, and finds the paddings and swizzles that remove the conflicts. No GPU is needed: a kernel's machine code "
    "is "
    "executed on the CPU.";

template <std::size_t n>
std::string list(const paragraph (&entries)[n]) {
  std::string s;
  for (const paragraph& p : entries) s += formatted(".TP\n{}\n{}\n", bold(p.term), literal(p.text));
  return s;
}

// Returns paragraphs for man, which breaks them into lines. It does not break indented lines, which are examples.
std::string paragraphs_of(std::string_view details) {
  std::string s;
  bool in_example = false;
  for (const std::string_view line : split(details, '\n')) {
    const bool is_example = line.starts_with(' ') || (line.empty() && in_example);
    if (is_example != in_example) s += is_example ? ".PP\n.nf\n" : ".fi\n";
    if (!is_example) s += ".PP\n";
    s += formatted("{}\n", literal(line));
    in_example = is_example;
  }
  return in_example ? formatted("{}.fi\n", s) : s;
}

// --- the manual in Markdown

constexpr std::size_t width_of_blocks = 118;

std::string code(std::string_view text) { return formatted("`{}`", text); }

// Escapes characters that have a meaning in a table of Markdown. Entities work in every Markdown reader.
std::string cell(std::string_view text) {
  std::string s;
  for (const char c : text) s += c == '|' ? "&#124;" : c == '<' ? "&lt;" : c == '*' ? "\\*" : std::string(1, c);
  return s;
}
std::string code_cell(std::string_view text) {
  return text.find('|') == text.npos ? code(text) : formatted("<code>{}</code>", cell(text));
}

std::string code_block(std::string_view text) { return formatted("```text\n{}\n```\n", text); }

template <std::size_t n>
std::string table(std::string_view head, const paragraph (&entries)[n]) {
  std::string s = formatted("| {} | |\n|---|---|\n", head);
  for (const paragraph& p : entries) s += formatted("| {} | {} |\n", code_cell(p.term), cell(p.text));
  return s;
}

std::string rows_of(const flag_group& g) {
  std::string s = formatted("| {} | |\n|---|---|\n", g.title.empty() ? "flag" : g.title);
  for (const flag* f : g.flags) {
    std::string names;
    for (const std::string_view name : split(f->name, ','))
      names += (names.empty() ? "" : ", ") +
               code_cell(std::string(name) + (f->value.empty() ? "" : formatted(" {}", f->value)));
    s += formatted("| {} | {}{} |\n", names, cell(f->help), f->count == arity::many ? " (repeatable)" : "");
  }
  return formatted("{}\n", s);
}

}  // namespace

std::string manual_in_markdown() {
  std::string s = formatted("# Command line\n\n{}\n\n", description);
  s += "This page lists all flags of each command. `bankwise --man markdown` writes this page from the same table of "
       "flags that the program uses to parse its command line.\n\n";
  s += "| command | |\n|---|---|\n";
  for (const verb& v : verbs())
    s += formatted("| [{}](#bankwise-{}) {} | {} |\n", v.name, v.name, code_cell(v.usage), cell(v.summary));
  s += formatted("\n{}", table("without a command", general));
  for (const verb& v : verbs()) {
    s += formatted("\n## bankwise {}\n\n{}: {}.\n\n", v.name, code(formatted("bankwise {} {}", v.name, v.usage)),
                   v.summary);
    if (!v.details.empty()) s += formatted("{}\n", code_block(details_of(v, width_of_blocks)));
    for (const flag_group& g : groups_of(v.name)) s += rows_of(g);
    s += formatted("For example {}\n", code(v.example));
  }
  return formatted("{}\n## Exit status\n\n{}\n## Environment\n\n{}", s, table("status", statuses),
                   table("variable", environment_variables));
}

std::string manual() {
  std::string s = ".TH BANKWISE 1 \"\" \"bankwise " BANKWISE_VERSION
                  "\" \"User Commands\"\n"
                  ".SH NAME\nbankwise \\- what every shared\\-memory access of a CUDA kernel costs, and why\n"
                  ".SH SYNOPSIS\n";
  bool first = true;
  for (const verb& v : verbs()) {
    s += formatted("{}{} [{}] {}\n", first ? "" : ".br\n", bold(formatted("bankwise {}", v.name)), italic("flags"),
                   italic(v.usage));
    first = false;
  }
  s += formatted(".SH DESCRIPTION\n{}\n", literal(description));
  s += list(general);
  s += ".SH COMMANDS\n";
  for (const verb& v : verbs()) {
    s += formatted(".SS \"bankwise {}\"\n{} {}\n.PP\n{}.\n", v.name, bold(formatted("bankwise {}", v.name)),
                   italic(v.usage), literal(v.summary));
    if (!v.details.empty()) s += paragraphs_of(v.details);
    for (const flag_group& g : groups_of(v.name)) {
      if (!g.title.empty()) s += formatted(".PP\n{}\n", bold(g.title));
      for (const flag* f : g.flags)
        s += formatted(".TP\n{}\n{}{}\n", names(*f), literal(f->help), f->count == arity::many ? " (repeatable)" : "");
    }
    s += example(v.example);
  }
  return formatted("{}.SH \"EXIT STATUS\"\n{}.SH ENVIRONMENT\n{}", s, list(statuses), list(environment_variables));
}

}  // namespace bankwise::cli
