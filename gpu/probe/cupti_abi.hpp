// The part of CUPTI's profiler interface that bankwise uses (CUDA 12.6 and later), in our own declarations. If NVIDIA's
// headers are installed, cupti_abi_test compares the declarations with them. The parameter of every call is a structure
// that begins with its size and a null pointer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver.hpp"

namespace bankwise::probe::cupti {

using status = int;
inline constexpr status not_permitted = 35;

inline constexpr int range_profiler = 0;  // value of CUPTI's enumerator for the range profiler
inline constexpr int auto_range = 1;      // value of CUPTI's enumerator for the mode in which each kernel is a range
inline constexpr int kernel_replay = 2;

struct sized {
  std::size_t size = 0;
  void* reserved = nullptr;
};

struct initialize : sized {};
struct chip_name : sized {
  std::size_t device = 0;
  const char* name = nullptr;
};
struct availability : sized {
  cuda::context context = nullptr;
  std::size_t image_bytes = 0;
  std::uint8_t* image = nullptr;
};

struct host_initialize : sized {
  int type = range_profiler;
  const char* chip = nullptr;
  const std::uint8_t* availability_image = nullptr;
  void* host = nullptr;
};
struct host_deinitialize : sized {
  void* host = nullptr;
};
struct add_metrics : sized {
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct config_size : sized {
  void* host = nullptr;
  std::size_t bytes = 0;
};
struct config_image : sized {
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct evaluate : sized {
  void* host = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t image_bytes = 0;
  std::size_t range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};

struct enable : sized {
  cuda::context context = nullptr;
  void* profiler = nullptr;
};
struct one_profiler : sized {  // parameter of the functions `start` and `disable`
  void* profiler = nullptr;
};
struct stop : sized {
  void* profiler = nullptr;
  std::size_t pass = 0;
  std::size_t nesting_level = 0;
  std::uint8_t all_passes = 0;
};
struct decode : sized {
  void* profiler = nullptr;
  std::size_t dropped = 0;
};
struct data_size : sized {
  void* profiler = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::size_t most_ranges = 0;
  std::uint32_t most_nodes = 0;
  std::size_t bytes = 0;
};
struct data_initialize : sized {
  void* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct data_info : sized {
  const std::uint8_t* image = nullptr;
  std::size_t image_bytes = 0;
  std::size_t ranges = 0;
};
struct set_config : sized {
  void* profiler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t image_bytes = 0;
  std::uint8_t* image = nullptr;
  int range = auto_range;
  int replay = kernel_replay;
  std::size_t ranges_a_pass = 0;
  std::uint16_t nesting_levels = 1;
  std::uint16_t least_nesting_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting_level = 0;
};

}  // namespace bankwise::probe::cupti
