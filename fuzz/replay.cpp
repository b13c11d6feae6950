// Passes every file of the given folders to a target, without libFuzzer, so that faults found once are found again.
//     NAME_replay FOLDER...
//     NAME_replay --seeds FIRST COUNT     passes numbers of 8 bytes, from which some targets make their input
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

int feed_seeds(unsigned long long first, unsigned long long count) {
  for (unsigned long long seed = first; seed < first + count; ++seed) {
    std::uint8_t bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(seed >> 8 * i);
    std::printf("seed %llu\n", seed);
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, sizeof bytes);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--seeds")
    return feed_seeds(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // if the target crashes, its input is the last printed name
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  LLVMFuzzerTestOneInput(nullptr, 0);
  if (files.empty()) std::fputs("no corpus\n", stderr);
  return files.empty() ? 1 : 0;
}
