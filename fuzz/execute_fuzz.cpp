// Fuzzes the execution of machine code: the first kernel of a cubin or, if the input is not ELF, the input as code. Any
// code must end with a result or an error, within its budget and its memory. A run that only counts must have the same
// counts as a complete run.
#include <algorithm>
#include <memory>

#include "cubin/elf_image.hpp"
#include "cubin/load.hpp"
#include "cubin/program.hpp"
#include "emulate/counting/counting.hpp"
#include "profile/profile_launch.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

namespace {

constexpr std::size_t most_code_bytes = 64 * 1024;

// Makes a program from this code. The parameters of its kernel are three pointers and a number.
cubin::program program_of(byte_span code) {
  cubin::program p;
  p.file = "fuzz";
  p.sm = 90;
  const std::size_t whole = code.size() / 16 * 16;
  p.sections.push_back({".text.kernel", 1, cubin::code_base, {code.begin(), code.begin() + whole}});
  p.banks.push_back({3, std::vector<std::byte>(64)});
  p.externals = {"vprintf"};
  cubin::kernel k;
  k.mangled = k.full_name = k.name = "kernel";
  k.code_bytes = static_cast<std::uint32_t>(whole);
  k.registers = 255;
  k.static_shared_bytes = 4096;
  k.reserved_shared_bytes = 1024;
  k.param_base = 0x210;
  k.params = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
  p.kernels.push_back(std::move(k));
  return p;
}

// A parameter of 8 bytes is a pointer, any other parameter has the value 17.
result<std::vector<std::byte>> parameters_of(const cubin::kernel& k, emulate::device_memory& memory) {
  std::vector<std::byte> bytes;
  for (const cubin::parameter& p : k.params) {
    bytes.resize(std::max<std::size_t>(bytes.size(), std::size_t{p.offset} + p.bytes));
    std::uint64_t value = 17;
    if (p.bytes == 8) {
      const auto address = memory.allocate(4096, "argument");
      if (!address) return address.error();
      value = *address;
    }
    if (p.bytes != 0) std::memcpy(bytes.data() + p.offset, &value, std::min<std::size_t>(p.bytes, sizeof value));
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const byte_span bytes = fuzz::bytes_of(data, size);
  if (size > most_code_bytes) return 0;
  const auto p = cubin::is_elf(bytes) ? cubin::load(bytes, "fuzz.cubin", 0) : program_of(bytes);
  if (!succeeded(p) || p->kernels.empty()) return 0;
  const cubin::kernel& k = p->kernels[0];
  static const machine on = *parse_machine("sm_90");
  emulate::launch l;
  l.program = &*p;
  l.kernel = &k;
  l.grid = {2, 1, 1};
  l.block = {std::min(48u, k.max_threads), 1, 1};
  l.dynamic_shared_bytes = 1024;
  l.budget = 4000;
  l.threads = 1;
  const auto run = [&]() -> result<launch_report> {
    emulate::device_memory memory;
    if (const auto loaded = emulate::load_variables(*p, memory); !succeeded(loaded)) return loaded.error();
    auto parameters = parameters_of(k, memory);
    if (!succeeded(parameters)) return parameters.error();
    l.parameters = std::move(*parameters);
    return profile_launch(l, memory, on);
  };
  auto report = run();
  if (!succeeded(report)) return 0;
  // A warp executes up to 8192 instructions before the budget is checked again. So each of the two blocks can exceed
  // the budget by this number.
  BANKWISE_REQUIRE(report->sum.warp_instructions <= 2 * (l.budget + 8192));
  for (const site& s : report->sites) BANKWISE_REQUIRE(s.wavefronts >= s.reachable && !s.sass.empty());
  // A run that computes no results must have the same counts as a run that computes results.
  l.counting = std::make_shared<emulate::counting_code>(emulate::code_to_count(*p, k));
  if (!l.counting->possible || report->partial) return 0;
  const auto alone = run();
  if (!succeeded(alone) || alone->partial) return 0;
  BANKWISE_REQUIRE(alone->sum.wavefronts == report->sum.wavefronts && alone->sum.executed == report->sum.executed &&
                   alone->sites.size() == report->sites.size());
  return 0;
}
