// Prints the answers of this machine's driver and runtime to each descriptor:
//
//     ask_descriptors >data/sm_90/texture_descriptors.csv
#include <csetjmp>
#include <csignal>
#include <cstdio>

#include "descriptors.hpp"

namespace {
sigjmp_buf back;
void on_crash(int signal) {
  std::signal(signal, on_crash);
  siglongjmp(back, 1);
}
}  // namespace

int main() {
  using namespace bankwise::textures;
  std::signal(SIGSEGV, on_crash);
  start();
  std::puts("case,answer");
  for (const descriptor_case& c : all_descriptors()) {
    // A driver may crash if a pointer for its answer is null.
    std::string answer = "crashes";
    if (sigsetjmp(back, 1) == 0) answer = c.answer();
    std::printf("\"%s\",%s\n", c.name.c_str(), answer.c_str());
    std::fflush(stdout);
  }
}
