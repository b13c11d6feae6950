#include "cli/run/nvcc.hpp"

#include <cstdio>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/line/stop_signals.hpp"

namespace bankwise::cli {

std::string nvcc_version(const std::string& nvcc) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return "";
  const std::string heard = formatted("{}/heard", scratch.path());
  const auto status = run_and_hear({nvcc, "--version"}, heard);
  if (!status || *status != 0) return "";
  // An example of nvcc's output is "Cuda compilation tools, release 13.0, V13.0.88".
  const auto said = read_file(heard);
  const std::size_t at = said ? said->find(", V") : std::string::npos;
  if (at == std::string::npos) return "";
  const std::size_t first = at + 3;
  return said->substr(first, said->find_first_not_of("0123456789.", first) - first);
}

namespace {

// Runs nvcc. The warnings of nvcc are printed on standard error, and its errors become the error of bankwise. If nvcc
// is missing, the error suggests compiling on another machine. `made` contains the command for the other machine, and
// what to do with its output.
result<done> run_nvcc(const std::string& source, std::vector<std::string> words, const std::string& heard,
                      const std::string& made) {
  const std::string nvcc = find_tool("nvcc");
  if (nvcc.empty())
    return diagnostic{"a .cu file needs nvcc, which was not found",
                      {},
                      formatted("add nvcc to the PATH, set CUDA_HOME, or compile on another machine with {}", made)};
  // nvcc passes file names in double quotes to a shell.
  if (const std::size_t at = source.find_first_of("$`\"\\\n"); at != std::string::npos)
    return diagnostic{formatted("{}: nvcc passes this name to a shell, which would interpret the character '{}'",
                                source, source.substr(at, 1)),
                      {},
                      "rename the file"};
  words.insert(words.begin(), nvcc);
  words.push_back(source);
  const auto status = run_and_hear(words, heard, &stop_signal());
  if (!status) return status.error();
  const auto heard_text = read_file(heard);
  const std::string said = heard_text ? std::string(trim(*heard_text)) : "";
  if (const auto signal = stop_signal().load(); signal != 0)
    return diagnostic{formatted("nvcc was stopped by {}", signal_name(static_cast<int>(signal)))};
  if (*status != 0)
    return diagnostic{
        formatted("nvcc could not compile {}\n{}", source, said), {}, "pass more flags to nvcc after --nvcc"};
  if (!said.empty()) std::fprintf(stderr, "%s\n", printable_lines(said).c_str());  // only warnings
  return done{};
}

}  // namespace

result<std::string> compile_cubin(const std::string& source, const std::string& arch,
                                  const std::vector<std::string>& flags) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string cubin = formatted("{}/kernel.cubin", scratch.path());
  std::vector<std::string> words{"-cubin", "-lineinfo", formatted("-arch={}", arch), "-o", cubin};
  words.insert(words.end(), flags.begin(), flags.end());
  const auto compiled = run_nvcc(source, std::move(words), formatted("{}/heard", scratch.path()),
                                 formatted("nvcc -cubin -lineinfo -arch={}, and pass the .cubin to bankwise", arch));
  if (!compiled) return compiled.error();
  return read_file(cubin);
}

result<done> compile_program(const std::string& source, const std::string& arch, const std::vector<std::string>& flags,
                             const std::string& program) {
  std::vector<std::string> words{"-cudart", "shared", "-lineinfo", formatted("-arch={}", arch), "-o", program};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_nvcc(source, std::move(words), formatted("{}.heard", program),
                  formatted("nvcc -cudart shared -lineinfo -arch={}, and pass the program to bankwise", arch));
}

}  // namespace bankwise::cli
