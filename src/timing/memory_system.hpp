// The memory of one multiprocessor: its L1, and its part of L2 and DRAM, which all share equally.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/sector_cache.hpp"
#include "timing/trace/line_sharing.hpp"

namespace bankwise::timing {

// Parts that a prediction can ignore, to find their cost.
struct free_resources {
  bool conflicts = false;  // every access to shared memory has one wavefront
  bool data_stage = false;
  bool l2 = false, dram = false;
  bool latency = false;  // of L2 and DRAM
  bool pipes = false;
  bool issue = false;
  bool barriers = false;
  bool launch = false;
  bool fetch = false;  // of instructions and constants
};

// The data that one multiprocessor sends and receives.
struct memory_traffic {
  double read_sectors = 0, read_lines = 0;  // from L2
  double stored_sectors = 0, stored_lines = 0;
  double stored_in_part = 0;               // sectors
  double updated_sectors = 0;              // by atomics
  double dram_read = 0, dram_written = 0;  // bytes
};

class memory_system {
 public:
  memory_system(const gpu_parameters& p, const line_sharing& sharing, double l1_bytes, double active,
                const free_resources& free);

  struct answer {
    double done = 0;     // when a load has its data
    double accepts = 0;  // when the access no longer delays later ones
    double filled = 0;   // bytes that arrive in L1
  };
  struct asked {
    bool past_l1 = false;
    bool adds_floats = false, swaps = false, retries = false;  // what kind of update it is
    unsigned lanes = 32;
    std::uint32_t copy = 0;  // not 0: a copy of a traced block, with separate lines
    // The warp of the multiprocessor, and what it executed before the access: instructions and loads.
    std::uint64_t warp = 0, step = 0, loads = 0;
    unsigned lines = 1;  // that the access touches
  };
  // Serves an access that the data stage handles at `at`.
  answer access(const launch_trace& t, const traced_access& a, const asked& by, double at);

  // When the last update is done, and the last store to memory of the host: a launch waits for them.
  double updated() const { return updated_; }

  double l2_busy = 0, dram_busy = 0, store_busy = 0;  // clocks of this multiprocessor's parts
  std::uint64_t l1_sectors = 0, l1_hits = 0;
  memory_traffic traffic;

 private:
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
  double l2_free_ = 0, dram_free_ = 0, store_free_ = 0;
  double cold_ = 1;        // the part of the lines that L2 does not have when the launch begins
  double fill_ = 0;        // bytes from DRAM for each partially stored byte
  double write_back_ = 0;  // the part of stored bytes that L2 writes to DRAM during the launch
  struct brought_line {
    unsigned sectors = 0;
    double at = 0;  // kept_bytes_ at the last access
  };
  // lines that are in L2 because this multiprocessor accessed them
  std::unordered_map<std::uint64_t, brought_line> brought_;
  double kept_bytes_ = 0;                               // of L2, for lines that this multiprocessor brought
  std::unordered_map<std::uint64_t, unsigned> stored_;  // sectors that this multiprocessor stored
  struct pending_store {
    std::uint64_t warp = ~std::uint64_t{0}, step = 0, loads = 0;
    unsigned sectors = 0;
  };
  std::unordered_map<std::uint64_t, pending_store> pending_;  // the last store to each line
  std::unordered_map<std::uint64_t, double> added_;           // when L2 has finished adding floats to a line
  double updated_ = 0;
  struct swapped_word {
    double until = 0;             // the last success
    std::vector<double> waiting;  // when each waiting warp of this multiprocessor succeeds
  };
  std::unordered_map<std::uint64_t, swapped_word> swapped_;
  double host_read_free_ = 0, host_write_free_ = 0;
  std::unordered_map<std::uint64_t, double> host_words_;  // when the updates of each word are done
  std::vector<double> slices_;                            // when each slice of L2 is free again
  std::vector<double> slice_parts_;                       // the part of all updates that goes to each slice
};

}  // namespace bankwise::timing
