#include "driver.hpp"
#include "base/format.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <map>

namespace bankwise::probe {

namespace {

struct driver_functions {
  cuda::status (*cuInit)(unsigned) = nullptr;
  cuda::status (*cuDriverGetVersion)(int*) = nullptr;
  cuda::status (*cuDeviceGetCount)(int*) = nullptr;
  cuda::status (*cuDeviceGet)(cuda::device*, int) = nullptr;
  cuda::status (*cuDeviceGetName)(char*, int, cuda::device) = nullptr;
  cuda::status (*cuDeviceGetAttribute)(int*, int, cuda::device) = nullptr;
  cuda::status (*cuDevicePrimaryCtxRetain)(cuda::context*, cuda::device) = nullptr;
  cuda::status (*cuDevicePrimaryCtxRelease_v2)(cuda::device) = nullptr;
  cuda::status (*cuCtxSetCurrent)(cuda::context) = nullptr;
  cuda::status (*cuCtxSynchronize)() = nullptr;
  cuda::status (*cuModuleLoadData)(cuda::module*, const void*) = nullptr;
  cuda::status (*cuModuleUnload)(cuda::module) = nullptr;
  cuda::status (*cuModuleGetFunction)(cuda::function*, cuda::module, const char*) = nullptr;
  cuda::status (*cuFuncSetAttribute)(cuda::function, int, int) = nullptr;
  cuda::status (*cuMemAlloc_v2)(cuda::pointer*, std::size_t) = nullptr;
  cuda::status (*cuMemFree_v2)(cuda::pointer) = nullptr;
  cuda::status (*cuMemHostAlloc)(void**, std::size_t, unsigned) = nullptr;
  cuda::status (*cuMemHostGetDevicePointer_v2)(cuda::pointer*, void*, unsigned) = nullptr;
  cuda::status (*cuMemFreeHost)(void*) = nullptr;
  cuda::status (*cuMemcpyHtoD_v2)(cuda::pointer, const void*, std::size_t) = nullptr;
  cuda::status (*cuMemcpyDtoH_v2)(void*, cuda::pointer, std::size_t) = nullptr;
  cuda::status (*cuLaunchKernel)(cuda::function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 void*, void**, void**) = nullptr;
  cuda::status (*cuGetErrorString)(cuda::status, const char**) = nullptr;
};

result<driver_functions> load_driver() {
  const char* named = std::getenv("BANKWISE_LIBCUDA");
  const std::string path = named != nullptr && *named != '\0' ? named : "libcuda.so.1";
  // The library is never closed, because threads of the driver may run until the process ends.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return diagnostic{
        formatted("the NVIDIA driver was not found: {} cannot be loaded", path),
        {},
        "bankwise probe measures the GPU of this machine. All other commands except record work without a GPU"};
  driver_functions f;
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
#define FIND(name) find(f.name, #name)
  FIND(cuInit);
  FIND(cuDriverGetVersion);
  FIND(cuDeviceGetCount);
  FIND(cuDeviceGet);
  FIND(cuDeviceGetName);
  FIND(cuDeviceGetAttribute);
  FIND(cuDevicePrimaryCtxRetain);
  FIND(cuDevicePrimaryCtxRelease_v2);
  FIND(cuCtxSetCurrent);
  FIND(cuCtxSynchronize);
  FIND(cuModuleLoadData);
  FIND(cuModuleUnload);
  FIND(cuModuleGetFunction);
  FIND(cuFuncSetAttribute);
  FIND(cuMemAlloc_v2);
  FIND(cuMemFree_v2);
  FIND(cuMemHostAlloc);
  FIND(cuMemHostGetDevicePointer_v2);
  FIND(cuMemFreeHost);
  FIND(cuMemcpyHtoD_v2);
  FIND(cuMemcpyDtoH_v2);
  FIND(cuLaunchKernel);
  FIND(cuGetErrorString);
#undef FIND
  if (missing != nullptr)
    return diagnostic{formatted("{} does not have the function {}", path, missing),
                      {},
                      "install an NVIDIA driver for CUDA 11 or later"};
  return f;
}

class driver_gpu final : public gpu {
 public:
  explicit driver_gpu(const driver_functions& f) : f_(f) {}
  ~driver_gpu() override {
    for (const cuda::pointer p : buffers_) f_.cuMemFree_v2(p);
    for (void* const p : host_buffers_) f_.cuMemFreeHost(p);
    if (module_ != nullptr) f_.cuModuleUnload(module_);
    if (context_ != nullptr) f_.cuDevicePrimaryCtxRelease_v2(device_);
  }
  driver_gpu(const driver_gpu&) = delete;
  driver_gpu& operator=(const driver_gpu&) = delete;

  result<done> begin(unsigned index) {
    if (const cuda::status s = f_.cuInit(0); s != 0) return failed("the driver does not start", s);
    int count = 0;
    if (const cuda::status s = f_.cuDeviceGetCount(&count); s != 0)
      return failed("the driver cannot count the GPUs", s);
    if (count == 0)
      return diagnostic{"no GPU was found", {}, "the environment variable CUDA_VISIBLE_DEVICES may hide the GPU"};
    if (index >= static_cast<unsigned>(count))
      return diagnostic{formatted("there is no GPU with the number {}, because this machine has {} GPUs", index, count),
                        {},
                        "GPUs are counted from 0"};
    char name[256] = {};
    int version = 0;
    if (const cuda::status s = f_.cuDeviceGet(&device_, static_cast<int>(index)); s != 0)
      return failed("the GPU cannot be opened", s);
    f_.cuDeviceGetName(name, sizeof name - 1, device_);
    f_.cuDriverGetVersion(&version);
    facts_.index = index;
    facts_.name = name;
    facts_.driver = static_cast<unsigned>(version);
    facts_.sm = attribute(cuda::major) * 10 + attribute(cuda::minor);
    facts_.multiprocessors = attribute(cuda::multiprocessors);
    facts_.clock_khz = attribute(cuda::clock_khz);
    facts_.memory_khz = attribute(cuda::memory_khz);
    facts_.memory_bits = attribute(cuda::memory_bits);
    facts_.l2_bytes = attribute(cuda::l2_bytes);
    facts_.shared_bytes_per_block = attribute(cuda::shared_per_block_optin);
    if (const cuda::status s = f_.cuDevicePrimaryCtxRetain(&context_, device_); s != 0)
      return failed("the driver cannot create a context", s);
    if (const cuda::status s = f_.cuCtxSetCurrent(context_); s != 0) return failed("the context cannot be used", s);
    return done{};
  }

  const gpu_facts& facts() const override { return facts_; }
  cuda::context context() const override { return context_; }

  result<done> load(const std::string& ptx, unsigned shared_bytes) override {
    shared_bytes_ = shared_bytes;
    if (const cuda::status s = f_.cuModuleLoadData(&module_, ptx.c_str()); s != 0)
      return failed("the driver cannot compile the kernels of the probe", s);
    return done{};
  }
  result<cuda::pointer> allocate(std::size_t bytes) override {
    cuda::pointer p = 0;
    if (const cuda::status s = f_.cuMemAlloc_v2(&p, bytes); s != 0)
      return failed(formatted("cannot allocate {} bytes of GPU memory", bytes), s);
    buffers_.push_back(p);
    return p;
  }
  result<cuda::pointer> allocate_host(std::size_t bytes) override {
    void* host = nullptr;
    if (const cuda::status s = f_.cuMemHostAlloc(&host, bytes, cuda::host_mapped); s != 0)
      return failed(formatted("cannot allocate {} bytes of host memory that the GPU can access", bytes), s);
    host_buffers_.push_back(host);
    cuda::pointer p = 0;
    if (const cuda::status s = f_.cuMemHostGetDevicePointer_v2(&p, host, 0); s != 0)
      return failed("the GPU cannot access the host's memory", s);
    return p;
  }
  result<done> write(cuda::pointer to, const void* from, std::size_t bytes) override {
    const cuda::status s = f_.cuMemcpyHtoD_v2(to, from, bytes);
    return s == 0 ? result<done>(done{}) : failed("patterns cannot be copied to the GPU", s);
  }
  result<done> read(void* to, cuda::pointer from, std::size_t bytes) override {
    const cuda::status s = f_.cuMemcpyDtoH_v2(to, from, bytes);
    return s == 0 ? result<done>(done{}) : failed("results cannot be copied from the GPU", s);
  }
  result<done> launch(const std::string& name, unsigned blocks, unsigned threads, unsigned shared_bytes,
                      const std::vector<std::uint64_t>& parameters) override {
    cuda::function& f = functions_[name];
    if (f == nullptr) {
      if (const cuda::status s = f_.cuModuleGetFunction(&f, module_, name.c_str()); s != 0)
        return failed(formatted("there is no kernel {}", name), s);
      if (const cuda::status s =
              f_.cuFuncSetAttribute(f, cuda::max_dynamic_shared_size, static_cast<int>(shared_bytes_));
          s != 0)
        return failed(formatted("cannot get {} bytes of shared memory for a block", shared_bytes_), s);
    }
    std::vector<std::uint64_t> values = parameters;
    std::vector<void*> addresses;
    for (std::uint64_t& v : values) addresses.push_back(&v);
    const cuda::status s =
        f_.cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared_bytes, nullptr, addresses.data(), nullptr);
    return s == 0 ? result<done>(done{}) : failed(formatted("kernel {} does not start", name), s);
  }
  result<done> wait() override {
    const cuda::status s = f_.cuCtxSynchronize();
    return s == 0 ? result<done>(done{}) : failed("a kernel of the probe failed", s);
  }

 private:
  diagnostic failed(const std::string& what, cuda::status s) const {
    const char* text = nullptr;
    f_.cuGetErrorString(s, &text);
    return {formatted("{}: {}", what, text != nullptr ? text : formatted("error {}", s)),
            {},
            "run nvidia-smi to see the state of the GPU"};
  }
  unsigned attribute(int which) const {
    int value = 0;
    f_.cuDeviceGetAttribute(&value, which, device_);
    return value < 0 ? 0u : static_cast<unsigned>(value);
  }

  driver_functions f_;
  gpu_facts facts_;
  cuda::device device_ = 0;
  cuda::context context_ = nullptr;
  cuda::module module_ = nullptr;
  unsigned shared_bytes_ = 0;
  std::vector<cuda::pointer> buffers_;
  std::vector<void*> host_buffers_;
  std::map<std::string, cuda::function> functions_;
};

}  // namespace

result<std::unique_ptr<gpu>> gpu::open(unsigned index) {
  const auto functions = load_driver();
  if (!functions) return functions.error();
  auto opened = std::make_unique<driver_gpu>(*functions);
  if (const auto began = opened->begin(index); !began) return began.error();
  return std::unique_ptr<gpu>(std::move(opened));
}

}  // namespace bankwise::probe
