// Compares compiled code with handlers, bit for bit, on random instructions and random registers.
#include <gtest/gtest.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "cubin/load_cubin.hpp"
#include "emulate/decode/decode.hpp"
#include "emulate/jit/piece_table.hpp"
#include "sass/operand/operands.hpp"
#include "sass/print/print.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise::emulate {
namespace {

using sass::opcode;
using u32 = std::uint32_t;
using random_numbers = std::mt19937_64;

// Most of these instructions are compiled. Handlers execute the rest.
const std::set<opcode> chosen{opcode::FADD,      opcode::FMUL,      opcode::FFMA,  opcode::FSETP, opcode::FSEL,
                              opcode::MOV,       opcode::SEL,       opcode::IADD3, opcode::LEA,   opcode::IMAD,
                              opcode::IMAD_WIDE, opcode::IMAD_HI,   opcode::ISETP, opcode::LOP3,  opcode::SHF,
                              opcode::PLOP3,     opcode::HFMA2_MMA, opcode::HFMA2, opcode::PRMT,  opcode::POPC,
                              opcode::FMNMX,     opcode::UIADD3,    opcode::DADD,  opcode::DMUL,  opcode::DFMA,
                              opcode::DSETP,     opcode::F2F,       opcode::F2F64, opcode::VIADD, opcode::SHFL_II,
                              opcode::SHFL_IR,   opcode::VIMNMX};

// Returns one instruction of each form in the probes, with different registers.
std::vector<sass::instruction> read_forms() {
  const std::string bytes = test::read_zstd(test::source_path("data/sm_90/probes.cubin.zst"));
  const auto p = cubin::load_cubin({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, "probes.cubin");
  if (!p) return {};
  std::map<std::pair<std::uint64_t, std::uint64_t>, sass::instruction> forms;
  for (const cubin::code_section& code : p->sections)
    for (std::size_t at = 0; at + cubin::instruction_bytes <= code.bytes.size(); at += cubin::instruction_bytes) {
      const sass::instruction i = sass::load_instruction(code.bytes.data() + at, sass::isa::hopper);
      if (i.info() == nullptr || !chosen.contains(i.info()->op)) continue;
      forms.try_emplace({i.low & 0xffffffff'00000fff, i.high & 0xffffff00}, i);
    }
  std::vector<sass::instruction> list;
  for (const auto& [key, i] : forms) list.push_back(i);
  return list;
}

bool same_but_for_registers(const sass::instruction& a, const sass::instruction& b) {
  const auto x = sass::operands_of(a), y = sass::operands_of(b);
  if (b.info() != a.info() || x.size() != y.size()) return false;
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (x[n].file != y[n].file || x[n].role != y[n].role || x[n].count != y[n].count) return false;
    if (x[n].file != sass::file::vector && x[n].first != y[n].first) return false;
  }
  return true;
}

constexpr u32 rows = 32, pairs = rows - 2;

// Returns the instruction with different registers and a different guard.
sass::instruction vary(sass::instruction i, random_numbers& next) {
  for (const unsigned at : {16u, 24u, 32u, 64u}) {
    sass::instruction other = i;
    const std::uint64_t n = next() % pairs / 2 * 2;
    std::uint64_t& half = at < 64 ? other.low : other.high;
    half = (half & ~(std::uint64_t{0xff} << at % 64)) | n << at % 64;
    if (sass::operands_of(other) != sass::operands_of(i) && same_but_for_registers(i, other)) i = other;
  }
  const std::uint64_t guard = next() % 3 != 0 ? 7 : next() % 16;
  i.low = (i.low & ~std::uint64_t{0xf000}) | guard << 12;
  return i;
}

u32 word(random_numbers& next) {
  static constexpr u32 special[] = {0,          1,          2,          31,         32,         0x7fffffff, 0x80000000,
                                    0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345,
                                    0x7f800001, 0x7ff00001, 0xfff00000, 0xfff80002, 0x7ff00000, 0x3ff00000, 0x00000001,
                                    0x807fffff, 0x00800000, 0x80800000, 0x00ffffff, 0x7f7fffff, 0x33800000, 0x0c000000,
                                    0x3c003c00, 0x7c00fc00, 0x7e00fe01, 0x00010001};
  const std::uint64_t r = next();
  if (r % 4 == 0) return static_cast<u32>(r >> 32);
  if (r % 4 == 1) return special[(r >> 8) % std::size(special)];
  // With exponents from 55 to 70, products are close to the smallest normal float.
  const u32 exponent = r % 8 < 4 ? 120 + (r >> 8) % 16 : 55 + (r >> 8) % 16;
  return static_cast<u32>(r >> 32 & 0x807fffff) | exponent << 23;
}

// Returns floats whose products and sums are close to the smallest normal float.
u32 small_word(random_numbers& next) {
  static constexpr u32 words[] = {0x00800000, 0x80800000, 0x00ffffff, 0x3f000000,
                                  0x0d000000, 0x8d000000, 0x007fffff, 0x3f7fffff};
  return words[next() % std::size(words)];
}

warp random_warp(random_numbers& next) {
  warp w;
  w.registers.resize(register_rows);
  for (u32 r = 0; r < rows; ++r) {
    const bool small = next() % 4 == 0;
    for (u32& lane : w.registers[r].at) lane = small ? small_word(next) : word(next);
  }
  for (u32 p = 0; p < 7; ++p) w.predicates[p] = next() % 4 == 0 ? 0 : static_cast<u32>(next());
  w.predicates[7] = ~0u;
  for (u32 r = 0; r < 255; ++r) w.uniform[r] = word(next);
  w.uniform_predicates = 0x80 | static_cast<u32>(next() & 0x7f);
  return w;
}

// Executes the code as block_runner does, but without compiled code.
void interpret(worker& m, const decoded_section& code, u32 lanes) {
  for (const micro_op& u : code.ops) {
    const u32 mask = !u.uniform_guard                             ? lanes & (m.w->predicates[u.guard] ^ u.guard_flip)
                     : m.uniform_predicate(u.guard, u.guard_flip) ? lanes
                                                                  : 0;
    if (mask != 0) {
      EXPECT_EQ(u.run(m, u, mask), step::next);
    }
  }
}

class CompiledPieces : public testing::TestWithParam<instruction_use> {};

TEST_P(CompiledPieces, ComputesWhatHandlersCompute) {
  if (best_vectors(GetParam()) == vector_kind::none) GTEST_SKIP() << "this CPU has no AVX2";
  const std::vector<sass::instruction> forms = read_forms();
  ASSERT_GT(forms.size(), 200u);
  random_numbers next(20261122);
  std::array<std::vector<std::byte>, constant_banks> banks;
  for (auto& bank : banks) bank.resize(1 << 16);
  std::size_t compiled = 0;
  for (int round = 0; round < 600; ++round) {
    cubin::program p;
    p.sm = 90;
    cubin::code_section code;
    code.address = cubin::code_base;
    const std::size_t count = 1 + next() % (round % 10 == 0 ? 400 : 40);
    std::vector<sass::instruction> list;
    for (std::size_t n = 0; n < count; ++n) {
      const sass::instruction i = vary(forms[next() % forms.size()], next);
      list.push_back(i);
      code.bytes.resize(code.bytes.size() + cubin::instruction_bytes);
      std::byte* const at = code.bytes.data() + n * cubin::instruction_bytes;
      std::memcpy(at, &i.low, 8);
      std::memcpy(at + 8, &i.high, 8);
    }
    for (auto& bank : banks)
      for (std::size_t at = 0; at < bank.size(); at += 4) {
        const u32 n = word(next);
        std::memcpy(bank.data() + at, &n, 4);
      }
    p.sections.push_back(code);
    code_cache cache(p, banks, false, {}, GetParam(), 0);
    const decoded_section* const section = cache.section_at(code.address);
    ASSERT_NE(section->pieces, nullptr);
    warp one = random_warp(next), other = one;
    const warp before = one;
    const u32 lanes = next() % 2 == 0 ? ~0u : next() % 2 == 0 ? static_cast<u32>(next()) | 1 : 0xffff;
    path at{code.address, lanes};
    worker m;
    m.section = section;
    m.p = &at;
    m.w = &one;
    interpret(m, *section, lanes);
    m.w = &other;
    section->pieces->enter(0, lanes == ~0u, turn_places::none);
    const piece* const made = section->pieces->enter(0, lanes == ~0u, turn_places::none);
    if (made == nullptr) continue;  // no instruction of this piece is compiled
    ++compiled;
    ASSERT_EQ(made->count, count);
    piece_frame frame{.m = &m,
                      .registers = other.reg(0),
                      .predicates = other.predicates.data(),
                      .uniform = other.uniform.data(),
                      .uniform_predicates = &other.uniform_predicates,
                      .lanes = lanes};
    const piece_end end = made->run(&frame);
    EXPECT_EQ(end.passed, count);
    EXPECT_EQ(end.last, static_cast<u32>(step::next));
    const auto text = [&] {
      std::string s = "round " + std::to_string(round) + "\n";
      for (std::size_t n = 0; n < count; ++n) s += sass::to_text(list[n], code.address + n * 16) + "\n";
      return s;
    };
    EXPECT_EQ(one.predicates, other.predicates) << text();
    EXPECT_EQ(one.uniform, other.uniform) << text();
    EXPECT_EQ(one.uniform_predicates, other.uniform_predicates) << text();
    for (u32 r = 0; r < 255; ++r)
      for (u32 lane = 0; lane < 32; ++lane)
        ASSERT_EQ(one.registers[r].at[lane], other.registers[r].at[lane])
            << "R" << r << " of lane " << lane << " in " << std::hex << lanes << ", which was "
            << before.registers[r].at[lane] << "\n"
            << text();
  }
  EXPECT_GT(compiled, 500u);
}

INSTANTIATE_TEST_SUITE_P(Cpus, CompiledPieces, testing::Values(instruction_use::best, instruction_use::avx2),
                         [](const auto& kind) { return kind.param == instruction_use::best ? "Best" : "Avx2"; });

// From here on, mprotect() and mmap() of memory for code fail in this process.
void refuse_executable_memory() {
  static sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  static sock_fprog program{std::size(rules), rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(3);
}

const test::kernel_launch gemm{
    .cubin = "examples/gemm.cubin",
    .kernel = "gemm",
    .grid = {2, 2, 1},
    .block = {16, 16, 1},
    .arguments = {"out:f32[128*128]", "f32[128*64]=random:1", "f32[64*128]=random:2", "i32=128", "i32=128", "i32=64"},
    .threads = 1};

TEST(CompiledCode, IsLeftToHandlersWhereMemoryMayNotBeExecuted) {
  const auto all = test::run_kernel(gemm);
  ASSERT_TRUE(all);
  const pid_t child = fork();
  if (child == 0) {
    refuse_executable_memory();
    if (executable_memory::make(std::vector<std::uint8_t>{0xc3})) _exit(4);
    const auto again = test::run_kernel(gemm);
    _exit(again && again->buffers == all->buffers && again->launch().sum == all->launch().sum ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3) GTEST_SKIP() << "this system has no seccomp";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "status 4: memory could be executed; status 5: the results differ";
}

// Compares two runs. The first run reports every access, and a handler executes every instruction. The second run
// counts repeated accesses and compiles code immediately.
TEST(CompiledCode, CountsAndStoresWhatHandlersDo) {
  const test::kernel_launch transposed{.cubin = "examples/transpose.cubin",
                                       .kernel = "transpose_plain",
                                       .grid = {4, 4, 1},
                                       .block = {32, 8, 1},
                                       .arguments = {"out:f32[128*128]", "f32[128*128]=iota", "i32=128"}};
  for (const test::kernel_launch& what : {gemm, transposed})
    for (const char* use : {"best", "avx2"}) {
      test::kernel_launch each = what;
      each.keep_accesses = 1 << 12;
      setenv("BANKWISE_TEST_USE", "interpret", 1);
      const auto handled = test::run_kernel(each);
      setenv("BANKWISE_TEST_USE", use, 1);
      const auto compiled = test::run_kernel(what), traced = test::run_kernel(each);
      unsetenv("BANKWISE_TEST_USE");
      ASSERT_TRUE(handled && compiled && traced) << what.kernel;
      for (const auto* run : {&*compiled, &*traced}) {
        EXPECT_EQ(run->buffers, handled->buffers) << what.kernel << use;
        ASSERT_EQ(run->launch().sites.size(), handled->launch().sites.size());
        for (std::size_t n = 0; n < run->launch().sites.size(); ++n) {
          const site &a = run->launch().sites[n], &b = handled->launch().sites[n];
          EXPECT_EQ(static_cast<const counts&>(a), static_cast<const counts&>(b)) << what.kernel << use << a.pc;
        }
      }
    }
}

TEST(CompiledCode, MemoryIsNeverWritableAndExecutable) {
  const auto code = executable_memory::make(std::vector<std::uint8_t>{0xc3});
  if (!code) GTEST_SKIP() << "this system refuses executable memory";
  const std::string maps = test::read_text("/proc/self/maps");
  EXPECT_EQ(maps.find("rwx"), std::string::npos);
}

}  // namespace
}  // namespace bankwise::emulate
