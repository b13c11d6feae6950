// Measures the clocks of an instruction for different banks and reuse flags of its registers. The program patches the
// loop of a cubin of issue_times.cu, and executes the loop with one, two and four warps in each quarter of a
// multiprocessor.
//
//     nvcc -arch=sm_90 -cubin -DOP=0 -o LOOP.cubin bench/issue_times.cu
//     g++ -std=c++17 bench/issue_times.cpp -o issue_times -lcuda
//     ./issue_times 223 LOOP.cubin
//
// The first argument is the opcode of the loop: 223 (FFMA), 224 (IMAD) or 212 (LOP3). The results are in
// data/sm_90/issue_times.csv.
#include <cuda.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
using u64 = uint64_t;
struct word {
  u64 lo, hi;
};
struct one {
  unsigned d, a, b, c, reuse, stall, stay;
};
static std::vector<char> load(const char* f) {
  FILE* h = fopen(f, "rb");
  fseek(h, 0, SEEK_END);
  std::vector<char> d(ftell(h));
  rewind(h);
  if (fread(d.data(), 1, d.size(), h) != d.size()) exit(1);
  return d;
}
int main(int, char** v) {
  const unsigned op = strtoul(v[1], 0, 16);
  auto base = load(v[2]);
  cuInit(0);
  CUdevice dev;
  cuDeviceGet(&dev, 0);
  CUcontext c;
  cuDevicePrimaryCtxRetain(&c, dev);
  cuCtxSetCurrent(c);
  u64 shoff;
  memcpy(&shoff, &base[40], 8);
  uint16_t n;
  memcpy(&n, &base[60], 2);
  size_t off = 0, count = 0;
  for (int i = 0; i < n; ++i) {
    u64 fl, o, s;
    memcpy(&fl, &base[shoff + 64 * i + 8], 8);
    memcpy(&o, &base[shoff + 64 * i + 24], 8);
    memcpy(&s, &base[shoff + 64 * i + 32], 8);
    if (fl & 4) off = o, count = s / 16;
  }
  std::vector<size_t> at;
  std::vector<unsigned> even, odd;
  for (size_t j = 0; j < count; ++j) {
    word w;
    memcpy(&w, &base[off + 16 * j], 16);
    if ((w.lo & 0xfff) == op) {
      at.push_back(j);
      unsigned d = w.lo >> 16 & 255;
      (d % 2 ? odd : even).push_back(d);
    }
  }
  std::sort(even.begin(), even.end());
  std::sort(odd.begin(), odd.end());
  auto uniq = [](std::vector<unsigned>& x) { x.erase(std::unique(x.begin(), x.end()), x.end()); };
  uniq(even);
  uniq(odd);
  fprintf(stderr, "%zu instructions, even %zu odd %zu\n", at.size(), even.size(), odd.size());
  auto E = [&](unsigned i) { return even[i % even.size()]; };
  auto O = [&](unsigned i) { return odd[i % odd.size()]; };
  std::vector<unsigned> m[4];
  for (unsigned x : even) m[x % 4].push_back(x);
  for (unsigned x : odd) m[x % 4].push_back(x);
  auto M = [&](unsigned k, unsigned i) { return m[k % 4][i % m[k % 4].size()]; };
  CUdeviceptr out, in;
  cuMemAlloc(&out, 4096);
  cuMemAlloc(&in, 1 << 16);
  cuMemsetD8(in, 0, 1 << 16);
  auto run = [&](const std::string& name, std::function<one(unsigned)> f) {
    auto d = base;
    for (unsigned j = 0; j < at.size(); ++j) {
      one o = f(j);
      word w;
      memcpy(&w, &d[off + 16 * at[j]], 16);
      const u64 wait = w.hi >> 52 & 63;
      w.lo = (w.lo & 0xffffull) | u64(o.d) << 16 | u64(o.a) << 24 | u64(o.b) << 32;
      w.hi = (w.hi & ~0xffull & ((1ull << 41) - 1)) | o.c | u64(o.stall) << 41 | u64(o.stay) << 45 | 7ull << 46 |
             7ull << 49 | wait << 52 | u64(o.reuse) << 58;
      memcpy(&d[off + 16 * at[j]], &w, 16);
    }
    CUmodule mod;
    if (int e = cuModuleLoadData(&mod, d.data())) {
      printf("%s,load %d\n", name.c_str(), e);
      return;
    }
    CUfunction k;
    cuModuleGetFunction(&k, mod, "k");
    printf("%x,%s", op, name.c_str());
    for (int t : {128, 256, 512}) {
      int rounds = 200;
      void* a[] = {&out, &in, &rounds};
      long long best = 1ll << 60;
      for (int r = 0; r < 3; ++r) {
        cuMemsetD8(out, 0, 4096);
        if (int e = cuLaunchKernel(k, 1, 1, 1, t, 1, 1, 0, 0, a, 0)) printf("launch %d", e);
        if (int e = cuCtxSynchronize()) {
          printf(",error %d\n", e);
          exit(1);
        }
        std::vector<long long> h(t / 32);
        cuMemcpyDtoH(h.data(), out, 8 * h.size());
        best = std::min(best, *std::max_element(h.begin(), h.end()));
      }
      printf(",%.3f", double(best) / rounds / at.size() / (t / 128));
    }
    printf("\n");
    cuModuleUnload(mod);
  };
  const unsigned S = 1, Y = 1;
  // Operands d and c are the accumulator. The letters of a name are the parities (E: even, O: odd) of registers a, b
  // and c. Each instruction uses different registers than the previous instruction.
  const char* names[] = {"EEE", "EEO", "EOE", "EOO", "OEE", "OEO", "OOE", "OOO"};
  auto P = [&](int odd_, unsigned i) { return odd_ ? O(i) : E(i); };
  for (unsigned stay : {1u, 0u})
    for (int k = 0; k < 8; ++k)
      run(std::string(names[k]) + (stay ? "" : " yield"), [&](unsigned j) {
        return one{P(k & 1, j), P(k >> 2 & 1, j + 7), P(k >> 1 & 1, j + 13), P(k & 1, j), 0, S, stay};
      });
  run("EEE stall2", [&](unsigned j) { return one{E(j), E(j + 7), E(j + 13), E(j), 0, 2, Y}; });
  run("OEE stall2", [&](unsigned j) { return one{E(j), O(j + 7), E(j + 13), E(j), 0, 2, Y}; });
  // only two different sources: a == c or a == b
  run("E E same a b", [&](unsigned j) { return one{E(j), E(j + 7), E(j + 7), E(j), 0, S, Y}; });
  run("square O acc E", [&](unsigned j) { return one{E(j), O(j + 7), O(j + 7), E(j), 0, S, Y}; });
  run("acc only E", [&](unsigned j) { return one{E(j), E(j), E(j), E(j), 0, S, Y}; });
  // the destination is in a different bank than the sources
  run("d O from EEE", [&](unsigned j) { return one{O(j), E(j + 7), E(j + 13), E(j), 0, S, Y}; });
  run("d O from OOE", [&](unsigned j) { return one{O(j), O(j + 7), O(j + 13), E(j), 0, S, Y}; });
  run("d E from OOE", [&](unsigned j) { return one{E(j), O(j + 7), O(j + 13), E(j + 9), 0, S, Y}; });
  // four banks?
  for (unsigned a : {0u, 2u})
    for (unsigned b : {0u, 2u})
      run("mod4 " + std::to_string(a) + std::to_string(b) + "0",
          [&](unsigned j) { return one{M(0, j), M(a, j + 3), M(b, j + 6), M(0, j), 0, S, Y}; });
  for (unsigned a : {0u, 1u, 2u, 3u})
    run("mod4 " + std::to_string(a) + " 1 0",
        [&](unsigned j) { return one{M(0, j), M(a, j + 3), M(1, j + 6), M(0, j), 0, S, Y}; });
  // Groups of 8 instructions read the same register as operand a, for each combination of parities.
  for (int k = 0; k < 8; ++k)
    for (unsigned flag : {0u, 1u})
      run(std::string("a kept 8 ") + names[k] + (flag ? " reuse" : ""), [&](unsigned j) {
        return one{P(k & 1, j),
                   P(k >> 2 & 1, j / 8 + 40),
                   P(k >> 1 & 1, j + 13),
                   P(k & 1, j),
                   flag && j % 8 != 7 ? 1u : 0u,
                   S,
                   Y};
      });
  for (int k = 0; k < 8; ++k)
    run(std::string("b kept 8 ") + names[k] + " reuse", [&](unsigned j) {
      return one{
          P(k & 1, j), P(k >> 2 & 1, j + 13), P(k >> 1 & 1, j / 8 + 40), P(k & 1, j), j % 8 != 7 ? 2u : 0u, S, Y};
    });
  for (int k = 0; k < 8; ++k)
    run(std::string("a and b kept 8 ") + names[k] + " reuse", [&](unsigned j) {
      return one{
          P(k & 1, j), P(k >> 2 & 1, j / 8 + 40), P(k >> 1 & 1, j / 8 + 44), P(k & 1, j), j % 8 != 7 ? 3u : 0u, S, Y};
    });
  // the flag keeps operand a for two instructions, as in tiles that are traversed in a snake order
  run("a kept 2 EEE reuse",
      [&](unsigned j) { return one{E(j), E(j / 2 + 40), E(j + 13), E(j), j % 2 == 0 ? 1u : 0u, S, Y}; });
  run("a kept 2 OEE reuse",
      [&](unsigned j) { return one{E(j), O(j / 2 + 40), E(j + 13), E(j), j % 2 == 0 ? 1u : 0u, S, Y}; });
  run("a kept 2 OOE reuse",
      [&](unsigned j) { return one{E(j), O(j / 2 + 40), O(j + 13), E(j), j % 2 == 0 ? 1u : 0u, S, Y}; });
  // The reuse flag is set, but the next instruction reads a different register. The third instruction reads the first
  // register again. This shows whether the hardware keeps one register for each bank and operand.
  run("a reuse two later EEE", [&](unsigned j) { return one{E(j), j % 2 ? O(40) : E(40), E(j + 13), E(j), 1u, S, Y}; });
  run("a reuse two later, other E",
      [&](unsigned j) { return one{E(j), j % 2 ? E(41) : E(40), E(j + 13), E(j), 1u, S, Y}; });
  // the kept register moves to another operand
  run("kept a to b",
      [&](unsigned j) { return one{E(j), j % 2 ? E(j + 13) : E(40), j % 2 ? E(40) : E(j + 13), E(j), 3u, S, Y}; });
  // with stalls or yields between the instructions
  run("a kept 8 EEE reuse yield",
      [&](unsigned j) { return one{E(j), E(j / 8 + 40), E(j + 13), E(j), j % 8 != 7 ? 1u : 0u, S, 0}; });
  run("a kept 8 EEE reuse stall2",
      [&](unsigned j) { return one{E(j), E(j / 8 + 40), E(j + 13), E(j), j % 8 != 7 ? 1u : 0u, 2, Y}; });
  run("a kept 8 OEE reuse yield",
      [&](unsigned j) { return one{E(j), O(j / 8 + 40), E(j + 13), E(j), j % 8 != 7 ? 1u : 0u, S, 0}; });
  // every nth instruction reads three registers of one bank; this shows whether the cost is hidden
  for (unsigned every : {2u, 3u, 4u, 6u, 8u})
    run("EEE every " + std::to_string(every) + " of OOE... OEO", [&](unsigned j) {
      return j % every == 0 ? one{E(j), E(j + 7), E(j + 13), E(j), 0, S, Y}
                            : one{E(j), O(j + 7), O(j + 13), E(j), 0, S, Y};
    });
  for (unsigned every : {2u, 4u, 8u})
    run("EEE, then OOO every " + std::to_string(every) + " of OEE", [&](unsigned j) {
      return j % every == 0   ? one{E(j), E(j + 7), E(j + 13), E(j), 0, S, Y}
             : j % every == 1 ? one{O(j), O(j + 7), O(j + 13), O(j), 0, S, Y}
                              : one{E(j), O(j + 7), E(j + 13), E(j), 0, S, Y};
    });
  run("alternating EEE OOO", [&](unsigned j) {
    return j % 2 ? one{O(j), O(j + 7), O(j + 13), O(j), 0, S, Y} : one{E(j), E(j + 7), E(j + 13), E(j), 0, S, Y};
  });
  run("alternating OEE EOO", [&](unsigned j) {
    return j % 2 ? one{O(j), E(j + 7), O(j + 13), O(j), 0, S, Y} : one{E(j), O(j + 7), E(j + 13), E(j), 0, S, Y};
  });
}
