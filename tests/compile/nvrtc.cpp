// Compiles a source with NVRTC. The only include path is the folder with our headers. Arguments: the include folder,
// the source.
#include <nvrtc.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ostringstream source;
  source << std::ifstream(argv[2]).rdbuf();
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, source.str().c_str(), "kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return 2;
  const std::string include = std::string("-I") + argv[1];
  const char* options[] = {include.c_str(), "-std=c++17", "-arch=sm_90"};
  const nvrtcResult r = nvrtcCompileProgram(program, 3, options);
  std::size_t bytes = 0;
  nvrtcGetProgramLogSize(program, &bytes);
  std::string log(bytes, '\0');
  nvrtcGetProgramLog(program, log.data());
  std::fputs(log.c_str(), stderr);
  nvrtcDestroyProgram(&program);
  return r == NVRTC_SUCCESS ? 0 : 1;
}
