// The memory of one multiprocessor: its L1, and its share of L2 and DRAM. All multiprocessors have equal shares.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/sector_cache.hpp"
#include "timing/trace/line_sharing.hpp"

namespace bankwise::timing {

// Resources that cost nothing in a prediction. This shows how much time each of them takes.
struct free_resources {
  bool conflicts = false;  // every access to shared memory has one wavefront
  bool data_stage = false;
  bool l2 = false, dram = false;
  bool latency = false;  // latency of L2 and DRAM
  bool pipes = false;
  bool issue = false;
  bool barriers = false;
  bool launch = false;
  bool fetch = false;  // fetching instructions and constants
};

// The data that one multiprocessor sends and receives.
struct memory_traffic {
  double read_sectors = 0, read_lines = 0;  // read from L2
  double stored_sectors = 0, stored_lines = 0;
  double stored_in_part = 0;               // sectors
  double updated_sectors = 0;              // sectors that atomics update
  double dram_read = 0, dram_written = 0;  // in bytes
};

class memory_system {
 public:
  memory_system(const gpu_parameters& p, const line_sharing& sharing, double l1_bytes, double active,
                const free_resources& free);

  struct answer {
    double done = 0;     // time at which the data of a load arrive
    double accepts = 0;  // time from which the access does not delay later ones
    double filled = 0;   // bytes that arrive in L1
  };
  struct asked {
    bool past_l1 = false;
    bool adds_floats = false, swaps = false, retries = false;  // for an update: its kind
    unsigned lanes = 32;
    std::uint32_t copy = 0;  // if not 0: number of a copy of a traced block, which accesses other lines
    // The warp of the multiprocessor, and its instructions and loads before the access.
    std::uint64_t warp = 0, step = 0, loads = 0;
    unsigned lines = 1;  // number of lines that the access touches
  };
  // Serves an access, which passes the data stage at `at`.
  answer access(const launch_trace& t, const traced_access& a, const asked& by, double at);

  // When the last update has ended, and the last store to memory of the host. A launch waits for both.
  double updated() const { return updated_; }

  double l2_busy = 0, dram_busy = 0, store_busy = 0;  // clocks for which this multiprocessor's shares are busy
  std::uint64_t l1_sectors = 0, l1_hits = 0;
  memory_traffic traffic;

 private:
  double look_up(double steps, double at);
  double from_l2(line_sectors l, unsigned sectors, double at);
  double from_dram(line_sectors l, unsigned sectors, double at);
  double to_l2(line_sectors l, bool in_part, const asked& by, double at);
  answer access_host(const launch_trace& t, const traced_access& a, const asked& by, double at);
  void keep_in_l1(sector_cache::entry* e, line_sectors l, unsigned sectors, double arrives);
  double swap(const launch_trace& t, const traced_access& a, const asked& by, double at);
  double update(const launch_trace& t, const traced_access& a, const asked& by, double at);

  const gpu_parameters& p_;
  const line_sharing& sharing_;
  const free_resources free_;
  const double active_;
  sector_cache l1_;
  double l2_rate_, store_rate_, partial_rate_, dram_rate_;
  double alone_;  // clocks by which DRAM answers earlier, because few multiprocessors ask
  double l2_free_ = 0, dram_free_ = 0, store_free_ = 0, look_up_free_ = 0;
  double cold_ = 1;        // share of the lines that L2 does not contain when the launch begins
  double fill_ = 0;        // bytes from DRAM for each partially stored byte
  double write_back_ = 0;  // share of the stored bytes that L2 writes to DRAM during the launch
  struct brought_line {
    unsigned sectors = 0;
    double at = 0;  // kept_bytes_ at the last access
  };
  // Lines that are in L2 because this multiprocessor accessed them.
  std::unordered_map<std::uint64_t, brought_line> brought_;
  double kept_bytes_ = 0;                               // bytes of L2 that contain lines which this multiprocessor brought
  std::unordered_map<std::uint64_t, unsigned> stored_;  // sectors that this multiprocessor stored, by line
  struct pending_store {
    std::uint64_t warp = ~std::uint64_t{0}, step = 0, loads = 0;
    unsigned sectors = 0;
  };
  std::unordered_map<std::uint64_t, pending_store> pending_;  // last store to each line
  std::unordered_map<std::uint64_t, double> added_;           // time at which L2 has added floats to a line
  double updated_ = 0;
  struct swapped_word {
    double until = 0;             // time of the last success
    std::vector<double> waiting;  // times at which the waiting warps of this multiprocessor succeed
  };
  std::unordered_map<std::uint64_t, swapped_word> swapped_;
  double host_read_free_ = 0, host_write_free_ = 0;
  std::unordered_map<std::uint64_t, double> host_words_;  // time at which the updates of each word have ended
  std::vector<double> slices_;                            // time at which each slice of L2 is free again
  std::vector<double> slice_parts_;                       // share of all updates that goes to each slice
};

}  // namespace bankwise::timing
