#include "gpu/probe/timing/timing_kernels.hpp"

#include <string_view>

#include "base/format.hpp"

namespace bankwise::probe {

namespace {

std::string repeated(std::string_view text, unsigned times) {
  std::string all;
  for (unsigned i = 0; i < times; ++i) all += text;
  return all;
}

// Repeats a text. In each repetition, replaces '#' by the index of the repetition modulo `numbers`.
std::string numbered(std::string_view text, unsigned times, unsigned numbers) {
  std::string all;
  for (unsigned i = 0; i < times; ++i)
    for (const char c : text) all += c == '#' ? std::to_string(i % numbers) : std::string(1, c);
  return all;
}

// Declares registers and sets the values that bodies use. %zero is 0, but the compiler does not know this.
constexpr const char* declarations =
    R"((.param .u64 data, .param .u64 results, .param .u32 count, .param .u32 a, .param .u32 b, .param .u32 nothing) {
  .reg .pred %go, %wraps, %first, %some;
  .reg .b16 %h;
  .reg .b32 %n, %a, %b, %zero, %t, %lane, %block, %threads, %global, %total, %i, %sum, %x, %y, %z, %w, %s, %size, %step;
  .reg .b32 %v<32>, %e<8>;
  .reg .f32 %f<8>;
  .reg .f64 %d<8>;
  .reg .b64 %data, %out, %p, %q, %offset, %c0, %c1, %g0, %g1, %wide;
  ld.param.u64 %data, [data];
  ld.param.u64 %out, [results];
  ld.param.u32 %n, [count];
  ld.param.u32 %a, [a];
  ld.param.u32 %b, [b];
  ld.param.u32 %zero, [nothing];
  mov.u32 %t, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %x, %nctaid.x;
  mul.lo.u32 %total, %x, %threads;
  mad.lo.u32 %global, %block, %threads, %t;
  and.b32 %lane, %t, 31;
  setp.eq.u32 %first, %t, 0;
  mul.wide.u32 %wide, %block, 32;
  add.u64 %out, %out, %wide;
  mov.u32 %sum, 0;
  mov.u32 %i, 0;
)";

// The first warp reads the clocks before the barrier, so that no other warp delays this reading.
constexpr const char* begin_clock = R"(  mov.u64 %g0, %globaltimer;
  mov.u64 %c0, %clock64;
  bar.sync 0;
)";

// Uses the sum before the second reading of the clock. The compiler might otherwise move the computation of the sum
// after this reading.
constexpr const char* end_clock = R"(  setp.eq.u32 %go, %sum, 305419896;
  @%go st.global.u32 [%out], %sum;
  bar.sync 0;
  mov.u64 %c1, %clock64;
  mov.u64 %g1, %globaltimer;
  @!%first bra END;
  st.global.u64 [%out], %c0;
  st.global.u64 [%out+8], %c1;
  st.global.u64 [%out+16], %g0;
  st.global.u64 [%out+24], %g1;
END:
  ret;
}
)";

std::string kernel(std::string_view name, const std::string& before, const std::string& body,
                   const std::string& after = "") {
  return formatted(
      ".visible .entry {}{}{}{}LOOP:\n{}  add.u32 %i, %i, 1;\n  setp.lt.u32 %go, %i, %n;\n  @%go bra LOOP;\n{}{}", name,
      declarations, before, begin_clock, body, after, end_clock);
}

// Computes random bits in %y from %x.
constexpr const char* mix = R"(  shr.u32 %y, %x, 16;
  xor.b32 %y, %y, %x;
  mul.lo.u32 %y, %y, 2146121005;
  shr.u32 %z, %y, 15;
  xor.b32 %y, %y, %z;
  mul.lo.u32 %y, %y, 2221713035;
  shr.u32 %z, %y, 16;
  xor.b32 %y, %y, %z;
)";

// --- latencies: each instruction needs the result of the previous instruction

std::string chains() {
  // `data` is the address of the chain. `a` is the number of bytes between the starts of consecutive blocks.
  const auto chase = [](std::string_view name, std::string_view how) {
    return kernel(name, "  mul.lo.u32 %x, %block, %a;\n  cvt.u64.u32 %offset, %x;\n  add.u64 %p, %data, %offset;\n",
                  repeated(formatted("  ld.global.{}.u64 %p, [%p];\n", how), chained), "  cvt.u32.u64 %sum, %p;\n");
  };
  std::string s = ".const .align 4 .b32 zeros[64];\n";
  s += chase("chase_l1", "ca") + chase("chase_l2", "cg");
  s += kernel("chain_shuffle", "  mov.u32 %x, %t;\n", repeated("  shfl.sync.bfly.b32 %x, %x, 1, 31, -1;\n", chained),
              "  mov.u32 %sum, %x;\n");
  s += kernel("chain_constant", "  mov.u32 %x, %zero;\n  mov.u32 %y, zeros;\n",
              repeated("  add.u32 %z, %x, %y;\n  ld.const.u32 %x, [%z];\n", chained), "  mov.u32 %sum, %x;\n");
  s += kernel("barriers", "", repeated("  bar.sync 0;\n", chained));
  return s;
}

// Returns the kernel that writes a chain through all lines of a region, in a pseudo-random order. Line (x * b + 12345)
// % a follows line x: a linear congruential generator with full period. `a` is the number of lines, a power of two, and
// `b` is the factor.
std::string make_chain() {
  return kernel("make_chain", "  sub.u32 %s, %a, 1;\n  mov.u32 %x, %global;\n", R"(  setp.ge.u32 %wraps, %x, %a;
  @%wraps bra PAST;
  mad.lo.u32 %y, %x, %b, 12345;
  and.b32 %y, %y, %s;
  mul.wide.u32 %offset, %y, 128;
  add.u64 %q, %data, %offset;
  mul.wide.u32 %offset, %x, 128;
  add.u64 %p, %data, %offset;
  st.global.u64 [%p], %q;
  add.u32 %x, %x, %total;
PAST:
)");
}

// --- rates of pipes: independent instructions of many warps

std::string pipes(unsigned sm) {
  std::string floats, doubles, words;
  for (unsigned i = 0; i < 4; ++i) {
    floats += formatted("  cvt.rn.f32.u32 %f{}, %t;\n", i);
    doubles += formatted("  cvt.rn.f64.u32 %d{}, %t;\n", i);
    words += formatted("  add.u32 %v{}, %t, {};\n", i, i);
  }
  floats += "  cvt.rn.f32.u32 %f4, %a;\n  cvt.rn.f32.u32 %f5, %b;\n";
  doubles += "  cvt.rn.f64.u32 %d4, %a;\n  cvt.rn.f64.u32 %d5, %b;\n";
  const std::string use_words = numbered("  xor.b32 %sum, %sum, %v#;\n", 4, 4);
  const std::string use_floats = numbered("  mov.b32 %x, %f#;\n  xor.b32 %sum, %sum, %x;\n", 4, 4);
  std::string s;
  s += kernel("pipe_float", floats, numbered("  fma.rn.f32 %f#, %f#, %f4, %f5;\n", piped, 4), use_floats);
  s += kernel("pipe_double", doubles, numbered("  fma.rn.f64 %d#, %d#, %d4, %d5;\n", piped, 4),
              "  add.f64 %d0, %d0, %d1;\n  add.f64 %d2, %d2, %d3;\n  add.f64 %d0, %d0, %d2;\n"
              "  cvt.rn.f32.f64 %f0, %d0;\n  mov.b32 %sum, %f0;\n");
  s += kernel("pipe_integer", words, numbered("  prmt.b32 %v#, %v#, %a, %b;\n", piped, 4), use_words);
  s += kernel("pipe_special", floats, numbered("  ex2.approx.ftz.f32 %f#, %f#;\n", piped, 4), use_floats);
  s += kernel("pipe_shuffle", words, numbered("  shfl.sync.bfly.b32 %v#, %v#, 1, 31, -1;\n", piped, 4), use_words);
  const std::string shared = "  mov.u32 %x, shared;\n  mad.lo.u32 %x, %t, 4, %x;\n  st.shared.u32 [%x], %zero;\n";
  s += kernel(
      "pipe_address", shared,
      numbered("  ld.volatile.shared.u32 %v#, [%x];\n", 16, 16) + numbered("  xor.b32 %sum, %sum, %v#;\n", 16, 16) +
          numbered("  ld.volatile.shared.u32 %v#, [%x];\n", 16, 16) + numbered("  xor.b32 %sum, %sum, %v#;\n", 16, 16));
  // Each lane has its own line and its own bank. The compiler does not know that all rounds read the same addresses.
  std::string tagged;
  for (unsigned i = 0; i < 16; ++i) tagged += formatted("  ld.global.ca.u32 %v{}, [%p+{}];\n", i, 4 * i);
  s += kernel("pipe_tags", "  mul.wide.u32 %offset, %lane, 132;\n  add.u64 %p, %data, %offset;\n",
              tagged + numbered("  xor.b32 %sum, %sum, %v#;\n", 16, 16) +
                  "  cvt.u64.u32 %wide, %zero;\n  add.u64 %p, %p, %wide;\n");
  // There are 16 values, each in two lanes, so there are also 16 different masks.
  s += kernel("pipe_match", numbered("  add.u32 %x, %lane, #;\n  and.b32 %v#, %x, 15;\n", 4, 4),
              numbered("  match.any.sync.b32 %v#, %v#, -1;\n", piped, 4), use_words);
  if (sm >= 80)
    s += kernel(
        "pipe_tensor", floats + numbered("  mov.u32 %e#, %zero;\n", 8, 8),
        repeated(
            "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%e0, %e1, %e2, %e3}, {%e4, "
            "%e5}, {%f0, %f1, %f2, %f3};\n"
            "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%e0, %e1, %e2, %e3}, {%e4, "
            "%e5}, {%f4, %f5, %f6, %f7};\n",
            piped / 2),
        numbered("  mov.b32 %x, %f#;\n  xor.b32 %sum, %sum, %x;\n", 8, 8));
  else if (sm >= 75)
    s += kernel(
        "pipe_tensor", floats + numbered("  mov.u32 %e#, %zero;\n", 8, 8),
        repeated(
            "  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%e0, %e1}, {%e4}, {%f0, %f1, "
            "%f2, %f3};\n"
            "  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%e0, %e1}, {%e4}, {%f4, %f5, "
            "%f6, %f7};\n",
            piped / 2),
        numbered("  mov.b32 %x, %f#;\n  xor.b32 %sum, %sum, %x;\n", 8, 8));
  return s;
}

// --- rates of L2 and DRAM: all multiprocessors read and write

std::string streams() {
  // All threads together read a region, and start again at its end. `a` is the number of bytes that a thread reads in a
  // step, and its first address is a multiple of this number. `b` is the size of the region in units of 4,096 bytes.
  const std::string place = R"(  mul.wide.u32 %offset, %global, %a;
  mul.wide.u32 %wide, %b, 4096;
  mul.wide.u32 %q, %total, %a;
)";
  const std::string step = R"(  add.u64 %offset, %offset, %q;
  setp.ge.u64 %wraps, %offset, %wide;
  @%wraps sub.u64 %offset, %offset, %wide;
)";
  const std::string address = "  add.u64 %p, %data, %offset;\n";
  std::string s;
  std::string reads;
  for (unsigned i = 0; i < streamed; ++i)
    reads +=
        address +
        formatted("  ld.global.cg.v4.u32 {{%v{}, %v{}, %v{}, %v{}}}, [%p];\n", 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3) +
        step;
  s += kernel("stream_read", place, reads + numbered("  xor.b32 %sum, %sum, %v#;\n", 4 * streamed, 4 * streamed));
  s += kernel("stream_write", place,
              repeated(address + "  st.global.v4.u32 [%p], {%zero, %zero, %zero, %zero};\n" + step, streamed));
  s += kernel("stream_write_word", place, repeated(address + "  st.global.u32 [%p], %zero;\n" + step, streamed));

  // Each lane accesses a word of a random sector. `a` is the number of sectors in the region.
  std::string gathers, adds;
  for (unsigned i = 0; i < gathered; ++i) {
    const std::string random = formatted("  add.u32 %x, %x, %total;\n{}  mul.hi.u32 %y, %y, %a;\n", mix);
    gathers += random + "  mul.wide.u32 %offset, %y, 32;\n  add.u64 %p, %data, %offset;\n" +
               formatted("  ld.global.cg.u32 %v{}, [%p];\n", i);
    adds +=
        random + "  mul.wide.u32 %offset, %y, 4;\n  add.u64 %p, %data, %offset;\n  red.global.add.u32 [%p], %lane;\n";
  }
  const std::string from = "  mad.lo.u32 %x, %global, 1, %b;\n";
  const std::string use = numbered("  xor.b32 %sum, %sum, %v#;\n", gathered, gathered);
  s += kernel("gather", from, gathers + use);
  // Each group of four threads accesses a random half of a line. `a` is the number of lines in the region.
  std::string halves;
  for (unsigned i = 0; i < gathered; ++i)
    halves += formatted("  add.u32 %x, %x, %total;\n{}  mul.hi.u32 %y, %y, %a;\n", mix) +
              "  mul.wide.u32 %offset, %y, 128;\n  add.u64 %offset, %offset, %q;\n  add.u64 %p, %data, %offset;\n" +
              formatted("  ld.global.cg.v2.u32 {{%v{}, %v{}}}, [%p];\n", 2 * i, 2 * i + 1);
  s += kernel("gather_halves",
              "  and.b32 %w, %t, 7;\n  mul.wide.u32 %q, %w, 8;\n  shr.u32 %x, %global, 3;\n  add.u32 %x, %x, %b;\n",
              halves + numbered("  xor.b32 %sum, %sum, %v#;\n", 2 * gathered, 2 * gathered));
  s += kernel("add_random", from, adds);
  return s;
}

// Returns the kernels with atomics. If `a` is 0, all lanes access one word. If `a` is 4, each lane accesses its own
// word.
std::string atomics() {
  const std::string place =
      "  mul.wide.u32 %offset, %lane, %a;\n  add.u64 %p, %data, %offset;\n  cvt.rn.f32.u32 %f0, %zero;\n";
  std::string s;
  s += kernel("add_same", place, repeated("  red.global.add.u32 [%p], %lane;\n", 16));
  s += kernel("add_same_float", place, repeated("  red.global.add.f32 [%p], %f0;\n", 16));
  s += kernel(
      "count_same", place,
      numbered("  atom.global.add.u32 %v#, [%p], %lane;\n", 16, 16) + numbered("  xor.b32 %sum, %sum, %v#;\n", 16, 16));
  // The first `a` lanes of each warp add 1 to the same word. Each of these lanes repeats its compare-and-swap until it
  // succeeds.
  s += kernel("swap_loop", "  mov.u64 %p, %data;\n  setp.lt.u32 %some, %lane, %a;\n", R"(  @!%some bra PAST;
  ld.volatile.global.u32 %x, [%p];
AGAIN:
  mov.u32 %y, %x;
  add.u32 %z, %y, 1;
  atom.global.cas.b32 %x, [%p], %y, %z;
  setp.ne.u32 %wraps, %x, %y;
  @%wraps bra AGAIN;
PAST:
)");
  s += kernel("swap_words", place,
              numbered("  atom.global.cas.b32 %v#, [%p], %lane, %zero;\n", 16, 16) +
                  numbered("  xor.b32 %sum, %sum, %v#;\n", 16, 16));
  return s;
}

}  // namespace

unsigned tensor_products(unsigned sm) { return sm >= 80 ? 16 * 8 * 16 : sm >= 75 ? 16 * 8 * 8 : 0; }

std::string timing_kernels(unsigned sm) {
  std::string s = chains() + make_chain() + pipes(sm) + streams() + atomics();
  s += ".visible .entry empty(.param .u64 data) { ret; }\n";
  return s;
}

}  // namespace bankwise::probe
