#include "cli/run/kept_programs.hpp"

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/sha256.hpp"
#include "base/system/files.hpp"
#include "cli/nvcc/nvcc.hpp"
#include "cli/run/asked_architecture.hpp"
#include "cubin/load.hpp"

namespace bankwise::cli {

namespace {

// What determines the machine code, apart from the contents of files.
std::vector<std::string> code_words(const arguments& args) {
  std::vector<std::string> words{args.positional.at(0), args.value("arch").value_or("")};
  const auto& flags = args.all("nvcc");
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

}  // namespace

result<std::shared_ptr<kept_program>> kept_program::load(const arguments& args) {
  const std::string& file = args.positional.at(0);
  auto arch = args.value("arch");
  if (arch) arch = arch_as_nvcc_has_it(*arch);
  const auto sm = number_of(arch);
  if (!sm) return sm.error();
  auto contents = read_file(file);
  if (!contents) return contents.error();
  const bool is_source = file.ends_with(".cu") || file.ends_with(".ptx");
  if (!is_source && !args.all("nvcc").empty())
    return diagnostic{formatted("\"nvcc\" is only for .cu files, but {} is already compiled", file)};
  if (is_source) contents = compile_cubin({file, arch, args.all("nvcc")});
  if (!contents) return contents.error();
  auto program = cubin::load(bytes_of(*contents), file, *sm);
  if (!program) return program.error();
  auto kept = std::make_shared<kept_program>();
  kept->program_ = std::move(*program);
  sha256 hash;
  hash.add(*contents);
  kept->hash_ = hash.hexadecimal();
  return kept;
}

std::shared_ptr<const emulate::counting_code> kept_program::counting_of(const cubin::kernel& k) {
  const std::lock_guard lock(guard_);
  auto& kept = counting_[&k];
  if (!kept)
    kept = std::make_shared<const emulate::counting_code>(
        emulate::code_to_count(emulate::flow_of(program_, k), emulate::told_global::no));
  return kept;
}

void kept_programs::expect(const arguments& args) {
  auto& kept = all_[code_words(args)];
  if (!kept) kept = std::make_shared<entry>();
  ++kept->lines;
}

result<std::shared_ptr<kept_program>> kept_programs::get(const arguments& args) {
  std::shared_ptr<entry> of;
  {
    const std::lock_guard lock(guard_);
    of = all_.at(code_words(args));
  }
  const std::lock_guard lock(of->loading);
  if (!of->loaded) of->loaded = kept_program::load(args);
  return *of->loaded;
}

void kept_programs::release(const arguments& args) {
  const std::lock_guard lock(guard_);
  const auto at = all_.find(code_words(args));
  if (at != all_.end() && --at->second->lines == 0) all_.erase(at);
}

}  // namespace bankwise::cli
