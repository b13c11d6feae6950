// Predicts the times of launches whose traces were kept (BANKWISE_TRACES), a CSV row for each: for scripts/compare-times.
//
//     predict_traces [--shares] [--set parameter=value]... [file.trace [instructions of the launch]]...
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "timing/launch_time.hpp"
#include "timing/trace_file.hpp"

using namespace bankwise::timing;

namespace {

bool set_parameter(gpu_parameters& gpu, const std::string& text) {
  const std::size_t equal = text.find('=');
  for (const parameter_row& r : parameter_rows())
    if (equal != std::string::npos && r.name == text.substr(0, equal)) {
      gpu.*r.value = std::atof(text.c_str() + equal + 1);
      return true;
    }
  return false;
}

void predict(const std::string& file, std::uint64_t instructions, const gpu_parameters& gpu, bool shares) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  auto t = trace_of(bytes);
  if (!t) {
    std::printf("%s,0,0,0,0,\n", file.c_str());
    return;
  }
  if (instructions != 0) t->instructions = instructions;
  const auto begin = std::chrono::steady_clock::now();
  std::string text;
  double cycles = 0;
  if (shares && std::getenv("BUSY") != nullptr) {
    cycles = predict_cycles(*t, gpu);
    text = busy_text(*t, gpu);
  } else if (shares) {
    const launch_time time = predict_time(*t, gpu);
    cycles = time.cycles;
    for (const resource_share& s : time.shares)
      if (s.share > 0.01)
        text += std::string(name_of(s.what)) + " " + std::to_string(static_cast<int>(s.share * 100)) + " ";
  } else {
    cycles = predict_cycles(*t, gpu);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::uint64_t traced = 0;
  for (const traced_block& b : t->blocks) traced += b.instructions;
  std::printf("%s,%.0f,%.3f,%llu,%zu,%s\n", file.c_str(), cycles, took.count(), static_cast<unsigned long long>(traced),
              t->blocks.size(), text.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  gpu_parameters gpu;
  bool shares = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--shares") {
      shares = true;
    } else if (word == "--set" && i + 1 < count) {
      if (!set_parameter(gpu, words[++i])) return std::fprintf(stderr, "no parameter: %s\n", words[i]), 2;
    } else {
      const bool has_count = i + 1 < count && words[i + 1][0] >= '0' && words[i + 1][0] <= '9';
      predict(word, has_count ? std::strtoull(words[i + 1], nullptr, 10) : 0, gpu, shares);
      i += has_count;
    }
  }
  return 0;
}
