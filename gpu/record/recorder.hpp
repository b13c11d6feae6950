// The part of bankwise that is in a recorded program. The Compute Sanitizer API reports modules and launches to it. The
// recorder patches modules whose launches are recorded, and writes the counts of each launch to the spool (spool.hpp).
//
// Launches are recorded one at a time. The table is read after the end of the launch, before the program continues. So
// a fault loses only the launch that faulted, and no table is read while a context is destroyed.
//
// Patches are only added and removed when a module is loaded, and before a call that launches. At these times, the API
// can wait for the device. During a launch, the API would wait forever for the end of this launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cubin/program.hpp"
#include "sanitizer_abi.hpp"
#include "schedule.hpp"
#include "spool.hpp"

namespace bankwise::record {

class recorder {
 public:
  // `patch` is the fatbin of patch.cu. `in_range` returns whether the calling thread is in the requested NVTX range.
  // `is_capturing` returns true if launches in the stream are captured for a graph instead of executed.
  recorder(const sanitizer_api& api, spool_writer& out, const schedule_options& options, kernel_filter filter,
           std::string_view patch, std::function<bool()> in_range, std::function<bool(handle stream)> is_capturing);

  // Handles an event of the API. Events of several threads are handled one at a time.
  void on_event(domain in, std::uint32_t event, const void* data);

  // Call this at the end of the process. After this call, launches are still recorded, but no device memory is freed.
  // The library that frees memory may already be unloaded, and the end of the process releases the memory.
  void process_ends() { ends_.store(true, std::memory_order_relaxed); }

 private:
  // Facts about the instructions of a kernel, and their copy on the device.
  struct kernel_code {
    std::uint64_t pc = 0;
    u32 accesses = 0, instructions = 0;
    bool copies = false;  // whether the kernel uses cp.async
    operation* operations = nullptr;
  };
  struct module_state {
    handle context = nullptr;
    std::uint32_t id = 0;
    bool is_patched = false, is_wanted = false;
    bool is_ready = false;  // whether bankwise has tried to load `program`
    std::string cubin;
    std::set<std::string, std::less<>> kernels;  // mangled names
    std::optional<cubin::program> program;
    bool may_access = true;                   // whether any instruction can access shared memory
    bool calls = false;                       // whether any function that is not a kernel can access shared memory
    std::map<std::string, kernel_code> code;  // key: mangled name of the kernel
  };
  struct kernel_state {
    bool matches = false;
    std::uint64_t shapes = 0;
  };
  // The state of a kernel that was launched with one grid and block.
  struct config_state {
    std::uint32_t id = 0;
    std::uint64_t shape = 0;
    const kernel_state* kernel = nullptr;
    config_counts* counts = nullptr;
    std::uint64_t chosen = 0;
  };
  using config_key = std::pair<std::string, std::array<std::uint32_t, 6>>;
  struct pending_launch {
    config_state* config = nullptr;
    handle context = nullptr, stream = nullptr, module = nullptr;
    launch_table* table = nullptr;  // address of the table on the device
    table_head head{};
    bool copies = false;
  };

  bool is_wanted(const std::string& kernel) const;
  void load_module(const module_data& m);
  void unload_module(handle module);
  void free(handle context, void* pointer);
  void forget_functions(handle module);
  void free_context(handle context);
  void before_call(driver_call call, const call_data& c);
  void begin_launch(const launch_data& l, handle graph);
  void end_launch(const pending_launch& p);
  config_state* find_config(const launch_data& l, const module_state& m);
  void patch(module_state& m, handle module, bool wanted);
  const cubin::program* program_of(module_state& m);
  void describe_functions(const launch_data& l, module_state& m);
  const kernel_code* code_of(const launch_data& l, module_state& m);
  std::optional<pending_launch> prepare_table(const launch_data& l, module_state& m);
  bool read_table(const pending_launch& p, launch_table& to);
  bool worked(std::uint32_t result, const char* what);

  sanitizer_api api_;
  spool_writer& out_;
  schedule_options options_;
  schedule schedule_;
  kernel_filter filter_;
  std::string_view patch_;
  std::function<bool()> in_range_;
  std::function<bool(handle stream)> is_capturing_;

  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::map<handle, module_state> modules_;
  std::map<std::size_t, std::uint32_t> module_ids_;  // key: hash of the cubin
  std::map<std::string, kernel_state> kernels_;      // key: mangled name of the kernel
  std::map<config_key, config_state> configs_;
  std::set<std::pair<handle, std::string>> described_;      // functions whose addresses are written to the spool
  std::set<handle> with_patches_;                           // contexts in which patches were added
  std::map<handle, std::vector<launch_table*>> tables_;     // key: context; value: unused tables
  std::map<handle, pending_launch> in_flight_;              // key: handle of the launch
  std::map<handle, std::vector<pending_launch>> in_graph_;  // key: handle of the executable graph
  std::map<handle, launch_table*> read_;                    // key: context; value: pinned memory for copies of tables
  std::set<std::string> told_;                              // failures that were already reported
};

}  // namespace bankwise::record
