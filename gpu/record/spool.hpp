// The records of a recorded process. Records are written while the process runs, so that nothing is lost if the process
// crashes. In the file, each record follows its length. The last record may be incomplete.
//
//     spool.PID          process  module  function  config  table  failure  ...
//     spool.PID.counts   for each config: launches seen, recorded, failed; at the end: number of unwritten records.
//                        This file is mapped memory, so it survives a crash.
//
// If exec starts another program in the same process, this program writes spool.PID.1, and so on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "launch_table.hpp"

namespace bankwise::record {

inline constexpr char spool_magic[8] = {'b', 'w', 's', 'p', 'o', 'o', 'l', '1'};

enum class record_kind : std::uint32_t { process = 1, module, function, config, table, failure };

struct record_header {
  record_kind kind;
  std::uint32_t padding;
  std::uint64_t bytes;  // number of bytes that follow the header
};

inline constexpr std::uint32_t most_configs = 1u << 16;
struct config_counts {
  std::uint64_t seen, recorded, failed;
};

// The record of a kernel that was launched with one grid and block.
struct config_record {
  std::uint32_t module = 0;
  std::uint32_t device = 0;
  std::array<std::uint32_t, 3> grid{}, block{}, cluster{};
  std::string mangled;
};

struct function_record {
  std::uint32_t module = 0;
  std::uint64_t pc = 0, bytes = 0;  // address and size of the function in the process
  std::string mangled;
};

struct seen_pattern {
  std::uint32_t pc = 0;  // lower half of the pc
  std::uint64_t count = 0;
  // The first access, without its operation. Every other access of the pattern equals the first access, except for a
  // shift by whole words.
  access first{};
  std::array<u32, lanes_per_warp> source{};  // lower halves of the global addresses, only for cp.async
};
struct seen_example {
  std::uint32_t pc = 0;
  access what{};
};

struct table_record {
  std::uint32_t config = 0;
  std::uint32_t skip_blocks = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t strays_seen = 0, examples_seen = 0;
  std::uint64_t lost = 0;              // number of missing accesses; strays that are missing do not count here
  std::vector<seen_pattern> patterns;  // patterns of the launch, including strays
  std::vector<other> others;
  std::vector<seen_example> examples;
};
// Returns the number of accesses of the launch that are not in its record.
inline std::uint64_t lost_accesses(const table_record& t) {
  return t.lost + (t.strays_seen > most_strays ? t.strays_seen - most_strays : 0);
}

struct spool {
  std::uint32_t pid = 0;
  std::string program, host, rank;
  std::map<std::uint32_t, std::string> modules;  // key: number of the module; value: its cubin
  std::vector<function_record> functions;
  std::vector<config_record> configs;
  std::vector<config_counts> counts;  // counts of each element of `configs`
  std::vector<table_record> tables;
  std::vector<std::string> failures;
  std::uint64_t unwritten = 0;  // number of records that could not be written
  bool is_cut = false;          // whether the last record is incomplete
};

// Converts the table of a launch, after its copy from the device, to the payload of a record.
std::string table_payload(std::uint32_t config, const launch_table& t);

// Writes records. Each call writes one complete record with one system call.
class spool_writer {
 public:
  spool_writer() = default;
  spool_writer(const spool_writer&) = delete;
  spool_writer& operator=(const spool_writer&) = delete;
  ~spool_writer();

  // Makes the file PATH (or PATH.N if PATH exists), and the file of counts.
  result<done> open(const std::string& path);
  void process(std::uint32_t pid, const std::string& program, const std::string& host, const std::string& rank);
  void module(std::uint32_t id, const void* cubin, std::size_t bytes);
  void function(const function_record& f);
  void config(std::uint32_t id, const config_record& c);
  // Writes the table of a launch. Returns false if this fails.
  bool table(std::uint32_t config, const launch_table& t);
  bool failure(const std::string& text);
  // Returns the counts of a config, or null if there are too many configs.
  config_counts* counts(std::uint32_t id) { return counts_ != nullptr && id < most_configs ? counts_ + id : nullptr; }

 private:
  bool write(record_kind kind, const std::string& head, const void* tail = nullptr, std::size_t bytes = 0);
  bool is_ours() const;

  std::string path_;
  int file_ = -1;
  std::uint64_t device_ = 0, inode_ = 0;  // device and inode, which identify the file
  bool is_full_ = false;                  // whether a record could not be written; later records would be unreadable
  config_counts* counts_ = nullptr;
};

// Reads the records of a process. `counts` has the contents of the file of counts. This file may be too short. Fails if
// the file is not a spool, or is damaged before its end.
result<spool> read_spool(byte_span bytes, byte_span counts, const std::string& name);

}  // namespace bankwise::record
