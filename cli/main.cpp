// The main function: calls the function of the verb, and returns the exit status.
#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/setting.hpp"
#include "base/system/files.hpp"
#include "cli/command_line.hpp"
#include "cli/line/error_form.hpp"
#include "cli/line/output.hpp"
#include "cli/line/verbs.hpp"

namespace bankwise::cli {
namespace {

int fail(const diagnostic& d) {
  tell_error(d);
  return exit_failed;
}

int run_command(int argc, char** argv) {
  // The Python package sets this variable. Messages then name parameters of Python, because users of the package do not
  // know the flags.
  if (const char* words = std::getenv("BANKWISE_WORDS"); words != nullptr && std::string_view(words) == "python")
    speak(wording::python);
  const auto command = parse_command_line(argc, argv);
  if (!command) return fail(command.error());
  if (command->text) {
    const auto written = write_file("", *command->text);
    return written ? exit_clean : fail(written.error());
  }
  if (!command->note.empty()) tell(formatted("note: {}", command->note));
  if (const auto refused = refuse_outputs(command->args)) return fail(*refused);
  const auto status = command->args.asked->run(command->args);
  return status ? *status : fail(status.error());
}

}  // namespace
}  // namespace bankwise::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a closed pipe then returns an error, which write_file ignores
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit then returns an error
  // If a standard stream is closed, the next opened file would get the stream's number, and output would go to this
  // file. So this number is given to /dev/null, in a mode in which reads and writes fail.
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return 2;
  try {
    return bankwise::cli::run_command(argc, argv);
  } catch (const std::bad_alloc&) {
    return bankwise::cli::fail({"bankwise has no memory left"});
  } catch (const std::exception& e) {
    return bankwise::cli::fail(
        {bankwise::formatted("internal error: {}. Please report this message to the project", e.what())});
  }
}
