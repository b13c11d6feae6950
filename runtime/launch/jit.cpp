#include "runtime/launch/jit.hpp"

#include <link.h>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "runtime/device/device.hpp"

namespace bankwise::cuda {

namespace {

// Returns the files of all libraries that the program has loaded.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> files;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        if (info->dlpi_name != nullptr) static_cast<std::vector<std::string>*>(to)->emplace_back(info->dlpi_name);
        return 0;
      },
      &files);
  return files;
}

// Runs a tool that writes the file `made`. Returns the contents of this file.
result<std::vector<std::byte>> run_tool(const std::string& tool, std::vector<std::string> words,
                                        const std::string& made, const std::string& what, std::string& log) {
  std::string looked_in;
  const std::string path = find_tool(tool, loaded_libraries(), looked_in);
  if (path.empty())
    return diagnostic{formatted("{} needs the CUDA toolkit's {}, which was not found in {}", what, tool, looked_in),
                      {},
                      formatted("add {} to the PATH, set CUDA_HOME, or compile the program's code for {}", tool,
                                the_device().one.name)};
  words.insert(words.begin(), path);
  const std::string heard = formatted("{}.heard", made);
  const auto status = run_and_hear(words, heard);
  if (!status) return status.error();
  const auto said = read_file(heard);
  const std::string text = said ? std::string(trim(*said)) : std::string();
  log += text;
  if (!text.empty()) log += '\n';
  if (*status != 0) return diagnostic{formatted("{} could not compile {} to machine code\n{}", tool, what, text)};
  const auto bytes = read_file(made);
  if (!bytes) return bytes.error();
  const byte_span span = bytes_of(*bytes);
  return std::vector<std::byte>(span.begin(), span.end());
}

result<std::vector<std::byte>> compile(byte_span text, const std::string& name, const jit_options& options,
                                       bool relocatable, const std::string& folder, std::string& log) {
  const std::string source = formatted("{}/jit.ptx", folder), made = formatted("{}/jit.cubin", folder);
  // In fatbins and programs, zeros follow the PTX.
  const std::string_view padded(reinterpret_cast<const char*>(text.data()), text.size());
  if (const auto written = write_file(source, std::string(padded.substr(0, padded.find('\0')))); !written)
    return written.error();
  std::vector<std::string> words{"-arch", std::string(the_device().one.name), "-o", made};
  if (options.line_info) words.emplace_back("-lineinfo");
  if (relocatable) words.emplace_back("-c");
  if (options.most_registers != 0) words.push_back(formatted("-maxrregcount={}", options.most_registers));
  if (options.optimization >= 0) words.push_back(formatted("-O{}", options.optimization));
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  words.push_back(source);
  return run_tool("ptxas", std::move(words), made, name, log);
}

}  // namespace

result<std::vector<std::byte>> compile_ptx(byte_span text, const std::string& name, const jit_options& options,
                                           std::string& log) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  return compile(text, name, options, false, scratch.path(), log);
}

result<std::vector<std::byte>> link_images(const std::vector<link_input>& inputs, const jit_options& options,
                                           std::string& log) {
  if (inputs.size() == 1 && inputs[0].is_ptx) return compile_ptx(inputs[0].bytes, inputs[0].name, options, log);
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string made = formatted("{}/linked.cubin", scratch.path());
  std::vector<std::string> words{formatted("-arch={}", the_device().one.name), "-o", made};
  for (const link_input& input : inputs) {
    std::vector<std::byte> bytes = input.bytes;
    if (input.is_ptx) {
      auto compiled = compile(input.bytes, input.name, options, true, scratch.path(), log);
      if (!compiled) return compiled.error();
      bytes = std::move(*compiled);
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    // nvlink recognises the kind of a file by its extension.
    const char* end = text.starts_with("!<arch>\n") ? ".a"
                      : text.starts_with(
                            "\x7f"
                            "ELF")
                          ? ".cubin"
                          : ".fatbin";
    words.push_back(formatted("{}/input{}{}", scratch.path(), words.size(), end));
    if (const auto written = write_file(words.back(), std::string(text)); !written) return written.error();
  }
  return run_tool("nvlink", std::move(words), made, "a linked input", log);
}

}  // namespace bankwise::cuda
