// The memory of one multiprocessor: the L1, and a share of L2 and DRAM. All multiprocessors have equal shares.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/multiprocessor/free_resources.hpp"
#include "timing/multiprocessor/sector_cache.hpp"
#include "timing/trace/line_sharing.hpp"

namespace bankwise::timing {

// The data that one multiprocessor sends and receives.
struct memory_traffic {
  double read_sectors = 0, read_lines = 0;  // read from L2
  double stored_sectors = 0, stored_lines = 0;
  double stored_in_part = 0;               // sectors of stores that do not write all of their bytes
  double updated_sectors = 0;              // sectors that atomics update
  double dram_read = 0, dram_written = 0;  // in bytes
  // Bytes that DRAM sends again, although L2 had them: L2 certainly replaced them, because much more data were read
  // since. By the instruction that loads them.
  std::map<std::uint32_t, double> dram_again;
};

class memory_system {
 public:
  memory_system(const gpu_parameters& p, const line_sharing& sharing, double l1_bytes, double active,
                const free_resources& free);

  struct answer {
    double done = 0;     // time at which the data of a load arrive
    double accepts = 0;  // time from which later accesses can pass
    double filled = 0;   // bytes that arrive in L1
  };
  struct asked {
    bool past_l1 = false;
    bool adds_floats = false, swaps = false, retries = false;  // the kind of an update
    unsigned lanes = 32;
    std::uint32_t copy = 0;  // 0, or the number of a copy of a traced block; each copy accesses its own lines
    // The number of the warp in the multiprocessor, and the numbers of instructions and loads that the warp executed
    // before the access.
    std::uint64_t warp = 0, step = 0, loads = 0;
    unsigned lines = 1;  // number of lines that the access touches
    // Clocks for which the shares of L2 and DRAM may have been saved while the multiprocessor did not use them. The other
    // multiprocessors use them at other times, so a long copy after a pause is faster than the share of a multiprocessor.
    double saved = 0;
    bool copies = false;  // whether the data go to shared memory without passing L1 and registers
    // Clocks by which a changed source requests the data of a load before the time of the access. This hides latency,
    // but needs as many transfers, so the data do not arrive before L2 and DRAM have sent what was requested earlier.
    double earlier = 0;
    float part = 1;         // of the data that L2 sends, because a changed source uses the rest for another product
    bool is_later = false;  // whether the block began after others had ended
    bool is_bulk = false;   // whether it is a bulk copy or a tensor copy
  };
  // Serves an access that passes the data stage at the time `at`.
  answer access(const launch_trace& t, const traced_access& a, const asked& by, double at);

  // Returns the time at which the last update and the last store to memory of the host have ended. A launch waits until
  // this time.
  double updated() const { return updated_; }
  // When the port to L2 has taken all stores.
  double sent() const { return sent_; }

  // clocks for which this multiprocessor's shares of L2, DRAM and stores are busy
  double l2_busy = 0, dram_busy = 0, store_busy = 0;
  std::uint64_t l1_sectors = 0, l1_hits = 0;
  memory_traffic traffic;

 private:
  // When data arrive, and when they would arrive without latency.
  struct arrival {
    double done = 0, sent = 0;
    double again = 0;  // bytes that DRAM has sent before
    double when(const asked& by) const { return by.earlier == 0 ? done : std::max(done - by.earlier, sent); }
  };
  double look_up(double steps, double at);
  arrival from_l2(line_sectors l, unsigned sectors, double at, const asked& by);
  void prefetch(line_sectors l, double at);
  double merged_requests(line_sectors l, unsigned sectors) const;
  double slowed() const;
  arrival from_dram(line_sectors l, unsigned sectors, double at, double saved = 0, bool is_later = false,
                    double earlier = 0);
  double to_l2(line_sectors l, bool in_part, const asked& by, double at);
  answer access_host(const launch_trace& t, const traced_access& a, const asked& by, double at);
  double swap(const launch_trace& t, const traced_access& a, const asked& by, double at);
  double update(const launch_trace& t, const traced_access& a, const asked& by, double at);

  const gpu_parameters& p_;
  const line_sharing& sharing_;
  const free_resources free_;
  const double active_;
  sector_cache l1_;
  double l2_rate_, store_rate_, partial_rate_, dram_rate_;
  double alone_;  // clocks by which DRAM answers earlier, because few multiprocessors send requests
  double sent_ = 0;
  double port_free_ = 0, l2_free_ = 0, dram_free_ = 0, store_free_ = 0, look_up_free_ = 0;
  double cold_ = 1;  // share of the accessed lines that L2 lacks when the launch begins
  // Additional bytes of DRAM traffic for each stored byte. They occur if stores write sectors only in part.
  double fill_ = 0;
  double write_back_ = 0;  // share of the stored bytes that L2 writes to DRAM during the launch
  struct brought_line {
    unsigned sectors = 0;
    double at = 0;       // value of kept_bytes_ at the last access
    arrival prefetched;  // when the sectors of a prefetch arrive
  };
  // Lines that are in L2 because this multiprocessor accessed them.
  std::unordered_map<std::uint64_t, brought_line> brought_;
  double kept_bytes_ = 0;                               // bytes of L2 for lines that this multiprocessor loaded
  std::unordered_map<std::uint64_t, unsigned> stored_;  // sectors that this multiprocessor stored, by line
  struct pending_store {
    std::uint64_t warp = ~std::uint64_t{0}, step = 0, loads = 0;
    unsigned sectors = 0;
  };
  std::unordered_map<std::uint64_t, pending_store> pending_;  // last store to each line
  std::unordered_map<std::uint64_t, double> added_;           // time at which L2 has added floats to each line
  double updated_ = 0;
  struct swapped_word {
    double until = 0;             // time of the last success
    std::vector<double> waiting;  // times at which the waiting warps of this multiprocessor succeed
  };
  std::unordered_map<std::uint64_t, swapped_word> swapped_;
  double host_read_free_ = 0, host_write_free_ = 0;
  // time at which the updates of each word of the host have ended
  std::unordered_map<std::uint64_t, double> host_words_;
  std::vector<double> slices_;       // time at which each slice of L2 is free again
  std::vector<double> slice_parts_;  // share of all updates that goes to each slice
};

}  // namespace bankwise::timing
