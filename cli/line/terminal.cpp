#include "cli/line/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

constexpr unsigned least_columns = 40, most_columns = 10'000;

bool is_set(const char* name) {
  const char* v = std::getenv(name);
  return v != nullptr && *v != '\0';
}

bool is_terminal(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) != 0 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

}  // namespace

std::optional<diagnostic> refuse_terminal(const arguments& args, const std::string& name) {
  const std::string output = args.value("output").value_or("-");
  if ((!output.empty() && output != "-") || isatty(STDOUT_FILENO) == 0) return std::nullopt;
  return diagnostic{"--format html: the output would be an HTML page, which a terminal cannot show",
                    {},
                    formatted("write the page to a file with -o {}, or into a pipe", name)};
}

std::optional<unsigned> output_width() {
  winsize size{};
  const char* columns = std::getenv("COLUMNS");
  const std::uint64_t said = columns == nullptr ? 0 : parse_u64(columns).value_or(0);
  if (said >= least_columns && said <= most_columns) return static_cast<unsigned>(said);
  if (is_terminal(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= least_columns)
    return size.ws_col;
  return std::nullopt;
}

result<style> output_style(const arguments& args) {
  const auto when = choice(args, "color", "auto", {"auto", "always", "never"});
  if (!when) return when.error();
  style s;
  if (*when == "auto") {
    const char* force = std::getenv("CLICOLOR_FORCE");
    s.color = is_set("NO_COLOR")                                 ? false
              : is_set("FORCE_COLOR")                            ? true
              : force != nullptr && std::strcmp(force, "0") != 0 ? true
                                                                 : is_terminal(STDOUT_FILENO) && !args.has("output");
  } else {
    s.color = *when == "always";
  }
  if (const auto width = output_width()) s.width = *width, s.fits = true;
  if (args.value("output").value_or("-") != "-") s.fits = false;
  return s;
}

}  // namespace bankwise::cli
