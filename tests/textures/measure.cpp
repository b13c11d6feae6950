// Reads textures and writes surfaces as listed in cases.txt, and records the results:
//
//     measure textures.cubin cases.txt results.bin [FIRST [LAST]] >CASES
//
// Keeps the results of kept_threads threads for each case. A row of CASES has a case, its status (0 or the driver's
// error) and the number of its words in results.bin.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

#include "run_case.hpp"

namespace bankwise::textures {

std::string text_of(const texture_case& c) {
  char text[400];
  std::snprintf(text, sizeof text, "%s,%d,%u,%u,%u,%u,%u,%u,%d,%d,%d%d%d,%u,%d,%g,%g,%g,%u,%d,%u,%u,%u,%u,%u",
                c.kernel.c_str(), static_cast<int>(c.form), c.width, c.height, c.depth, c.levels,
                static_cast<unsigned>(c.format), c.channels, c.linear, c.between, c.address[0], c.address[1],
                c.address[2], c.flags, static_cast<int>(c.holds), static_cast<double>(c.bias),
                static_cast<double>(c.first), static_cast<double>(c.last), c.anisotropy, c.view, c.first_level,
                c.last_level, c.first_layer, c.last_layer, c.threads);
  return text;
}

}  // namespace bankwise::textures

int main(int count, char** words) {
  using namespace bankwise::textures;
  if (count < 4) return 2;
  std::ifstream file(words[1], std::ios::binary), table(words[2]);
  const std::vector<char> cubin{std::istreambuf_iterator<char>(file), {}};
  bankwise::cuda::module* module = nullptr;
  try {
    module = load(cubin);
  } catch (const failure& why) {
    std::printf("no device: %d\n", why.status);
    return 1;
  }
  std::puts(
      "kernel,form,width,height,depth,levels,format,channels,linear,between,address,flags,holds,bias,first,last,anisotropy,view,first_level,last_level,first_layer,last_layer,threads,status,words");
  const int first = count > 4 ? std::atoi(words[4]) : 0,
            last = count > 5 ? std::atoi(words[5]) : std::numeric_limits<int>::max();
  std::ofstream to(words[3], std::ios::binary);
  int number = -1;
  for (texture_case c : read_cases({std::istreambuf_iterator<char>(table), {}})) {
    c.threads = kept_threads(c);
    if (++number < first || number > last) continue;
    int status = 0;
    std::vector<std::uint32_t> words_out;
    try {
      words_out = results(module, c);
    } catch (const failure& why) {
      status = why.status;
    }
    to.write(reinterpret_cast<const char*>(words_out.data()), static_cast<std::streamsize>(words_out.size() * 4));
    std::printf("%s,%d,%zu\n", text_of(c).c_str(), status, words_out.size());
    std::fflush(stdout);
  }
}
