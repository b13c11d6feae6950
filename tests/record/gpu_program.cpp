// A program for tests/record/record_program.test that simulates a GPU. It loads the library in CUDA_INJECTION64_PATH,
// as the driver does at its first call. It launches through the library of sanitizer.cpp. The arguments select what
// else the program does.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "gpu/record/environment.hpp"
#include "sanitizer.hpp"
#include "sass/fields/shared_operation.hpp"
#include "support/files.hpp"
#ifdef BANKWISE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

using namespace bankwise;

namespace {

play_load_function load;
play_unload_function unload;
play_destroy_function destroy;
play_end_function end;
play_launch_function launch_it;
std::string cubin;
std::uint32_t first_access;
constexpr const char* kernel = "_Z15transpose_plainPfPKfi";

void* as_handle(std::uintptr_t n) { return reinterpret_cast<void*>(n); }
void launch(std::uint32_t blocks, std::uintptr_t context = 1, std::uintptr_t module = 2) {
  if (launch_it == nullptr) return;
  const played_launch l{as_handle(context), as_handle(module), kernel, blocks, first_access};
  launch_it(&l);
}
void load_module(std::uintptr_t context = 1, std::uintptr_t module = 2) {
  if (load != nullptr) load(as_handle(context), as_handle(module), cubin.data(), cubin.size());
}
void unload_module(std::uintptr_t context = 1, std::uintptr_t module = 2) {
  if (unload != nullptr) unload(as_handle(context), as_handle(module));
}

// Loads the recorder and the simulated device. A real program does this at the first call of CUDA, which loads the
// injected library.
void start_cuda() {
  cubin = test::read_text(test::source_path("examples/transpose.cubin"));
  const auto p = cubin::load_cubin(bytes_of(cubin), "transpose");
  for (const cubin::kernel& k : p->kernels)
    if (k.mangled == kernel) {
      const auto all = sass::shared_operations(p->sections[k.section].bytes, sass::isa_of(p->sm));
      while (!valid(all[first_access / 16])) first_access += 16;
    }
  const char* const injected = std::getenv("CUDA_INJECTION64_PATH");
  void* const library = injected != nullptr ? dlopen(injected, RTLD_NOW) : nullptr;
  if (library == nullptr) {
    std::puts("no library is injected through CUDA_INJECTION64_PATH");
    return;
  }
  reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
  const char* const api = std::getenv(record::library_variable);
  void* const device = api != nullptr ? dlopen(api, RTLD_NOW) : nullptr;
  if (device == nullptr) return;
  load = reinterpret_cast<play_load_function>(dlsym(device, "play_load"));
  unload = reinterpret_cast<play_unload_function>(dlsym(device, "play_unload"));
  destroy = reinterpret_cast<play_destroy_function>(dlsym(device, "play_destroy"));
  end = reinterpret_cast<play_end_function>(dlsym(device, "play_end"));
  launch_it = reinterpret_cast<play_launch_function>(dlsym(device, "play_launch"));
  load_module();
}

// Some programs free resources or launch kernels in destructors at exit.
struct late {
  bool launches = false;
  ~late() {
    if (!launches) return;
    if (end != nullptr) end();
    launch(9);
    load_module(1, 3);
    launch(10, 1, 3);
    unload_module();
    if (destroy != nullptr) destroy(as_handle(1));
  }
} at_the_end;

int run_child(const std::function<int()>& what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) std::exit(what());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void launch_from_threads() {
  std::vector<std::thread> threads;
  for (std::uintptr_t n = 0; n < 4; ++n)
    threads.emplace_back([n] {
      const std::uintptr_t context = 10 + n, module = 100 + n;
      for (std::uint32_t turn = 0; turn < 50; ++turn) {
        load_module(context, module);
        for (std::uint32_t blocks = 1; blocks <= 4; ++blocks) launch(blocks, context, module);
        unload_module(context, module);
        if (turn % 10 == 9 && destroy != nullptr) destroy(as_handle(context));
      }
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1] != nullptr ? argv[1] : "";
  if (how == "fork first") {
    const int status = run_child([] { return start_cuda(), launch(5), 0; });
    start_cuda();
    launch(6);
    return status;
  }
  if (how == "go on") {  // the parent process ends, and the program continues in its child process
    int started[2];
    char byte = 0;
    if (pipe(started) != 0) return 1;
    if (fork() != 0) return read(started[0], &byte, 1) == 1 ? 0 : 1;
    start_cuda();
    launch(4);
    if (write(started[1], &byte, 1) != 1) return 1;
    for (const int file : {0, 1, 2}) close(file);
    sleep(20);  // longer than the recorder takes on a busy machine
    return 0;
  }
#ifdef BANKWISE_NVTX
  if (how == "ranges") {
    nvtxRangePushA("other");
    start_cuda();
    launch(1);
    nvtxRangePushA("wanted");
    launch(2);
    nvtxRangePushW(L"inner");
    launch(3);
    nvtxRangePop();
    launch(4);
    nvtxRangePop();
    launch(5);
    nvtxRangePop();
    nvtxRangePushW(L"wanted");
    launch(6);
    nvtxRangePop();
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    nvtxEventAttributes_t named{};
    named.version = NVTX_VERSION;
    named.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    named.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    named.message.registered = nvtxDomainRegisterStringA(domain, "wanted");
    nvtxDomainRangePushEx(domain, &named);
    launch(7);
    nvtxDomainRangePop(domain);
    named.messageType = NVTX_MESSAGE_TYPE_ASCII;
    named.message.ascii = "unwanted";
    nvtxDomainRangePushEx(domain, &named);
    launch(8);
    nvtxDomainRangePop(domain);
    return 0;
  }
#endif
  if (how == "no CUDA") return 0;
  start_cuda();
  launch(4);
  launch(4);
  if (how == "seven") return 7;
  if (how == "_exit") _exit(5);
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "abort") std::abort();
  if (how == "late") at_the_end.launches = true;
  if (how == "threads") launch_from_threads();
  if (how == "exit while others launch") {
    std::vector<std::thread> threads;
    for (std::uint32_t n = 0; n < 4; ++n)
      std::thread([n] {
        for (;;) launch(1 + n);
      }).detach();
    usleep(20000);
    std::exit(3);
  }
  if (how == "fork") {
    // After a process has used CUDA, its child process cannot use CUDA. If the child process tries to use CUDA, nothing
    // is recorded.
    const int status = run_child([] { return launch(5), launch_from_threads(), 6; });
    launch(8);
    return status;
  }
  if (how == "exec") {
    std::fflush(stdout);
    launch(7);
    execl("/proc/self/exe", argv[0], "again", nullptr);
  }
  if (how == "close") {
    // Closes every file, and then opens a file that gets the descriptor of the recorder's file.
    for (int file = 3; file < 64; ++file) close(file);
    std::vector<int> mine;
    for (int n = 0; n < 16; ++n) mine.push_back(memfd_create("mine", 0));
    launch(5);
    for (const int file : mine)
      if (lseek(file, 0, SEEK_END) != 0) std::puts("somebody wrote to our file");
  }
  if (how == "folder") {
    if (chdir("/") != 0) return 1;
    launch(5);
  }
  if (how == "reload") {
    // Loads the same code at a different address, with the old handle.
    unload_module();
    load_module(1, 2);
    launch(5);
    unload_module();
    load_module(1, 7);
    launch(6, 1, 7);
  }
  if (how == "many")
    for (std::uint32_t blocks = 1; blocks < 8000; ++blocks) launch(blocks);
  return 0;
}
