// NVIDIA's driver, which is loaded on first use: the file in BANKWISE_LIBCUDA, or libcuda.so.1.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::probe {

// Our own declarations for the driver functions that the probe uses. driver_abi_test compares them with NVIDIA's
// header.
namespace cuda {
using device = int;
using context = struct context_st*;
using module = struct module_st*;
using function = struct function_st*;
using pointer = std::uint64_t;
using status = int;
enum device_attribute {
  multiprocessors = 16,
  clock_khz = 13,
  memory_khz = 36,
  memory_bits = 37,
  l2_bytes = 38,
  major = 75,
  minor = 76,
  shared_per_block_optin = 97,
};
inline constexpr unsigned host_mapped = 2;         // flag for host memory that kernels can access
inline constexpr int max_dynamic_shared_size = 8;  // number of a function attribute
}  // namespace cuda

struct gpu_facts {
  unsigned index = 0;  // index in the list of the machine's GPUs
  std::string name;
  unsigned sm = 0;  // architecture of the GPU, such as 90
  unsigned multiprocessors = 0;
  unsigned clock_khz = 0;
  unsigned shared_bytes_per_block = 0;
  unsigned memory_khz = 0, memory_bits = 0;  // clock and width of the DRAM bus; 0 if they are unknown
  unsigned l2_bytes = 0;
  unsigned driver = 0;  // version of the driver as cuDriverGetVersion returns it, such as 13000
};

// A GPU with a context and a module of kernels. The destructor releases the context and the module.
class gpu {
 public:
  // Opens a GPU. The error names what is missing: the driver, any GPU, or the GPU with this index.
  static result<std::unique_ptr<gpu>> open(unsigned index);
  virtual ~gpu() = default;

  virtual const gpu_facts& facts() const = 0;
  virtual cuda::context context() const = 0;
  // Compiles PTX. The kernels may use `shared_bytes` bytes of dynamic shared memory.
  virtual result<done> load(const std::string& ptx, unsigned shared_bytes) = 0;
  virtual result<cuda::pointer> allocate(std::size_t bytes) = 0;
  // Allocates host memory that kernels can read and write. Returns the address that kernels use.
  virtual result<cuda::pointer> allocate_host(std::size_t bytes) = 0;
  virtual result<done> write(cuda::pointer to, const void* from, std::size_t bytes) = 0;
  virtual result<done> read(void* to, cuda::pointer from, std::size_t bytes) = 0;
  // Starts the kernel of the module that has this name. Returns before the kernel ends. Each parameter has at most 8
  // bytes.
  virtual result<done> launch(const std::string& name, unsigned blocks, unsigned threads, unsigned shared_bytes,
                              const std::vector<std::uint64_t>& parameters) = 0;
  virtual result<done> wait() = 0;
};

}  // namespace bankwise::probe
