#include "kernels.hpp"
#include "base/format.hpp"

namespace bankwise::probe {

namespace {

constexpr unsigned unrolled = 16;
static_assert(timed_instructions % unrolled == 0 && chained_instructions % unrolled == 0);

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Returns the instruction for an access `offset` bytes after the lane's address. An offset is a multiple of a row of
// banks, so it does not change the cost. The offsets differ, so that the compiler cannot merge repeated accesses.
std::string instruction(const probed_operation& p, unsigned offset) {
  std::string s = "    " + replaced(p.ptx, "ADDRESS", "[%a+" + std::to_string(offset) + "]") + "\n";
  for (unsigned i = 0; i < p.results; ++i) s += "    xor.b32 %sum, %sum, %x" + std::to_string(i) + ";\n";
  return s;
}

std::string head(const std::string& name) {
  return ".visible .entry " + name +
         R"((.param .u64 patterns, .param .u64 results, .param .u32 nothing) {
  .reg .pred %on, %go;
  .reg .b16 %h;
  .reg .b32 %x<4>, %a, %t, %lane, %zero, %mask, %sum, %i, %r, %base, %block;
  .reg .b64 %p, %o, %d, %e, %c, %from;
  ld.param.u64 %p, [patterns];
  ld.param.u64 %o, [results];
  ld.param.u32 %zero, [nothing];
  mov.u32 %t, %tid.x;
  and.b32 %lane, %t, 31;
  mov.u32 %block, %ctaid.x;
  mul.wide.u32 %from, %block, )" +
         std::to_string(4 * pattern_words) + R"(;
  add.u64 %p, %p, %from;
  ld.global.u32 %mask, [%p];
  mul.wide.u32 %from, %lane, 4;
  add.u64 %from, %from, %p;
  ld.global.u32 %a, [%from+4];
  mov.u32 %base, shared;
  add.u32 %a, %a, %base;
  mov.u32 %sum, %zero;
  cvt.u16.u32 %h, %lane;
  cvt.u64.u32 %e, %lane;
  shr.u32 %mask, %mask, %lane;
  and.b32 %mask, %mask, 1;
  setp.ne.u32 %on, %mask, 0;
)";
}

// Uses the loaded values, so that the compiler does not remove the loads.
constexpr const char* tail = R"(  setp.ne.u32 %go, %sum, 305419896;
  @%go bra END;
  st.global.u32 [%o], %sum;
END:
  ret;
}
)";

// Returns code that clears shared memory. In each step, each thread clears 16 bytes.
std::string clear(unsigned threads) {
  return formatted(
      "  shl.b32 %i, %t, 4;\nCLEAR:\n  add.u32 %r, %base, %i;\n  st.shared.v4.u32 [%r], {{%zero, "
      "%zero, %zero, %zero}};\n  add.u32 %i, %i, {};\n  setp.lt.u32 %go, %i, {};\n  @%go bra CLEAR;\n",
      threads * 16, shared_bytes);
}

// Returns code that executes `body` between two readings of the clock, `repetitions` times. The first thread writes the
// difference of the two readings.
std::string timed(const std::string& body) {
  return R"(  mul.wide.u32 %from, %block, )" + std::to_string(8 * repetitions) + R"(;
  add.u64 %o, %o, %from;
  mov.u32 %r, 0;
AGAIN:
  bar.sync 0;
  mov.u64 %c, %clock64;
  @!%on bra DONE;
  mov.u32 %i, 0;
LOOP:
)" + body +
         R"(
  add.u32 %i, %i, 1;
  setp.lt.u32 %go, %i, )" +
         std::to_string(timed_instructions / unrolled) + R"(;
  @%go bra LOOP;
DONE:
  bar.sync 0;
  mov.u64 %d, %clock64;
  sub.u64 %c, %d, %c;
  setp.ne.u32 %go, %t, 0;
  @%go bra NEXT;
  st.global.u64 [%o], %c;
NEXT:
  add.u64 %o, %o, 8;
  add.u32 %r, %r, 1;
  setp.lt.u32 %go, %r, )" +
         std::to_string(repetitions) + ";\n  @%go bra AGAIN;\n";
}

std::string cycles_body(const probed_operation& p) {
  std::string s;
  for (unsigned i = 0; i < unrolled; ++i) s += instruction(p, 128 * i);
  // The next iteration accesses other rows, so that the compiler cannot move matrix loads out of the loop.
  return s + "    xor.b32 %a, %a, 2048;\n";
}

// Returns a chain in which the address of each access depends on the result of the previous access. This result is
// always zero, because the memory is zero at first and all operands of atomics are %zero.
std::string chain_body(const probed_operation* p) {
  std::string s;
  for (unsigned i = 0; i < unrolled; ++i) {
    if (p != nullptr) {
      std::string access = replaced(p->ptx, "ADDRESS", "[%a]");
      access = replaced(replaced(access, "%lane", "%zero"), "%e", "%c0");
      s += "    " + access + "\n";
    } else {
      s += "    mov.u32 %x0, %a;\n";
    }
    s += "    and.b32 %x0, %x0, %zero;\n    add.u32 %a, %a, %x0;\n";
  }
  return s;
}

// The oldest target whose PTX has all instructions of an architecture. PTX for this target runs on every later GPU.
// Instructions that are new in sm_100 exist only on some architectures. So each of these architectures has its own
// target, with a PTX version that supports it.
struct target {
  unsigned sm;
  const char* version;
  bool alone = false;
};
constexpr target targets[] = {{121, "8.8", true}, {120, "8.7", true}, {110, "9.0", true}, {103, "8.8", true},
                              {100, "8.6", true}, {90, "7.8"},        {80, "7.0"},        {75, "6.5"},
                              {70, "6.0"},        {oldest_sm, "5.0"}};

target target_of(unsigned sm) {
  for (const target& t : targets)
    if (t.alone ? t.sm == sm : t.sm <= sm) return t;
  return {oldest_sm, "5.0"};
}

}  // namespace

bool is_probed_on(const probed_operation& p, unsigned sm) { return p.first_sm <= target_of(sm).sm; }

std::string target_name(unsigned sm) {
  const target to = target_of(sm);
  return formatted("sm_{}{}", to.sm, to.alone ? "a" : "");
}

bool has_latency(const probed_operation& p) { return p.results != 0; }

std::string kernel_name(kernel_kind kind, std::size_t operation) {
  const char* what = kind == kernel_kind::cycles ? "cycles_" : kind == kernel_kind::latency ? "latency_" : "count_";
  return what + std::to_string(operation);
}

std::string kernel_text(unsigned sm) {
  const target to = target_of(sm);
  std::string s = formatted(".version {}\n.target {}\n.address_size 64\n.extern .shared .align 1024 .b8 shared[];\n",
                            to.version, target_name(sm));
  const auto chain = [&](const std::string& name, const probed_operation* p) {
    // The code of the chain may use %c0, a 64-bit zero.
    std::string k = formatted("{}  .reg .b64 %c0;\n  mov.u64 %c0, 0;\n{}{}  mov.u32 %sum, %a;\n{}", head(name),
                              clear(32), timed(chain_body(p)), tail);
    s += k;
  };
  const std::span<const probed_operation> all = probed_operations();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_probed_on(all[i], sm)) continue;
    s += head(kernel_name(kernel_kind::cycles, i)) + clear(32 * timed_warps) + timed(cycles_body(all[i])) + tail;
    s += formatted("{}  @!%on bra DONE;\n{}DONE:\n{}", head(kernel_name(kernel_kind::count, i)), instruction(all[i], 0),
                   tail);
    if (has_latency(all[i])) chain(kernel_name(kernel_kind::latency, i), &all[i]);
  }
  chain(empty_chain, nullptr);
  return s;
}

}  // namespace bankwise::probe
