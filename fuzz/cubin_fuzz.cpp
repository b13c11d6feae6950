// Fuzzes a cubin, a fatbin or a host program: loads it, chooses a kernel, and prints the kernel's code with source
// lines.
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "cubin/program.hpp"
#include "profile/arrays.hpp"
#include "profile/code/code.hpp"
#include "require.hpp"
#include "sass/operand/branch.hpp"
#include "sass/print/print.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto p = cubin::load(fuzz::bytes_of(data, size), "fuzz.cubin", 0);
  if (!succeeded(p)) return 0;
  for (const char* pattern : {"", "kernel", "regex:.*l"}) succeeded(cubin::find_kernel(*p, pattern));
  for (const cubin::kernel& k : p->kernels) {
    BANKWISE_REQUIRE(k.section < p->sections.size());
    BANKWISE_REQUIRE(k.offset + std::uint64_t{k.code_bytes} <= p->sections[k.section].bytes.size());
    succeeded(cubin::find_kernel(*p, k.mangled));
    const kernel_code code = describe_code(*p, k, {});
    if (const auto declared = read_declarations(*p, k.mangled))
      for (const ptx_array& a : declared->fixed) BANKWISE_REQUIRE(a.begin + a.bytes <= declared->fixed_bytes);
    for (const code_line& l : code.instructions) {
      BANKWISE_REQUIRE(l.file < static_cast<std::int64_t>(code.files.size()));
      BANKWISE_REQUIRE(l.ptx_line <= code.ptx.size());
    }
  }
  for (std::uint32_t n = 0; n < p->sections.size(); ++n)
    for (std::uint64_t pc = 0; pc < p->sections[n].bytes.size(); pc += cubin::instruction_bytes) {
      const sass::instruction i = sass::load_instruction(p->sections[n].bytes.data() + pc, sass::isa_of(p->sm));
      BANKWISE_REQUIRE(!sass::to_text(i, pc).empty());
      BANKWISE_REQUIRE(!sass::to_text_with_reuse(i, pc).empty());
      sass::branch_target(i, pc);
      p->source_of(n, pc);
      p->ptx_line_of(n, pc);
    }
  return 0;
}
