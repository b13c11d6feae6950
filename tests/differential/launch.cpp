// Runs the programs in a file that generate.py made, on the GPU or under bankwise run. Prints a digest of the memory
// after each program.
//
//     launch FOLDER FILE[,FILE...] FIRST     skips the first FIRST programs of FOLDER/FILE.cubin; for each later one,
//                                            prints a line with its name and the digest of `out` and `sums`
//     launch FOLDER FILE FIRST KERNEL        prints the words of one program, one word on each line
//
// Loads the driver at run time, so that one binary works on a GPU and under bankwise run.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "inputs.hpp"

namespace {

using handle = void*;
using address = unsigned long long;

template <class... T>
void call(handle driver, const char* name, T... arguments) {
  const auto function = reinterpret_cast<int (*)(T...)>(dlsym(driver, name));
  const int status = function == nullptr ? -1 : function(arguments...);
  if (status == 0) return;
  std::printf("%s: error %d\n", name, status);
  std::fflush(stdout);
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string folder = argv[1];
  unsigned skip = static_cast<unsigned>(std::atoi(argv[3]));
  const handle d = dlopen("libcuda.so.1", RTLD_NOW);
  if (d == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  int device = 0;
  handle context = nullptr, module = nullptr, none = nullptr;
  call(d, "cuInit", 0u);
  call(d, "cuDeviceGet", &device, 0);
  call(d, "cuDevicePrimaryCtxRetain", &context, device);
  call(d, "cuCtxSetCurrent", context);
  const auto inputs = differential::make_inputs();
  address out = 0, given = 0, sums = 0;
  constexpr std::size_t most = 1 << 20;
  call(d, "cuMemAlloc_v2", &out, most);
  call(d, "cuMemAlloc_v2", &given, inputs.size() * 4);
  call(d, "cuMemAlloc_v2", &sums, differential::sums * 4);
  call(d, "cuMemcpyHtoD_v2", given, static_cast<const void*>(inputs.data()), inputs.size() * 4);
  std::istringstream files(argv[2]);
  for (std::string file; std::getline(files, file, ',');) {
    std::ifstream in(folder + "/" + file + ".cubin", std::ios::binary);
    const std::string cubin{std::istreambuf_iterator<char>(in), {}};
    call(d, "cuModuleLoadData", &module, static_cast<const void*>(cubin.data()));
    std::ifstream list(folder + "/programs.list");
    for (std::string line; std::getline(list, line);) {
      std::istringstream row(line);
      std::string of, kernel;
      unsigned blocks = 0, x = 0, y = 0, words = 0;
      row >> of >> kernel >> blocks >> x >> y >> words;
      if (of != file || (argc > 4 && kernel != argv[4])) continue;
      if (skip != 0 && skip-- != 0) continue;
      if (words * std::size_t{4} > most) return 2;
      handle function = nullptr;
      call(d, "cuModuleGetFunction", &function, module, kernel.c_str());
      call(d, "cuMemsetD32_v2", out, 0u, std::size_t{words});
      call(d, "cuMemsetD32_v2", sums, 0u, differential::sums);
      void* arguments[] = {&out, &given, &sums};
      call(d, "cuLaunchKernel", function, blocks, 1u, 1u, x, y, 1u, 0u, none, arguments, static_cast<void**>(nullptr));
      std::vector<std::uint32_t> got(words + differential::sums);
      call(d, "cuMemcpyDtoH_v2", static_cast<void*>(got.data()), out, words * std::size_t{4});
      call(d, "cuMemcpyDtoH_v2", static_cast<void*>(got.data() + words), sums, differential::sums * 4);
      if (argc == 4)
        std::printf("%s %016llx\n", kernel.c_str(), static_cast<unsigned long long>(differential::digest_of(got)));
      for (std::size_t i = 0; argc > 4 && i < got.size(); ++i) std::printf("%08x\n", got[i]);
      std::fflush(stdout);
    }
    call(d, "cuModuleUnload", module);
  }
  return 0;
}
