// The one report value: what each shared-memory instruction of each launch cost. Made from the emulator's events and
// the rule; every renderer reads it and nothing else.
//
//     report
//       launch   tr_pad, grid 32x32, 4,352 bytes of shared memory
//         site   pc 0x1d0  LDS R7, [R8]   transpose.cu:114   executed 8,192   wavefronts 262,144   worst access: ...
//         site   ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankwise/asynchronous_cost.hpp"
#include "bankwise/wavefronts.hpp"
#include "base/diagnostic.hpp"
#include "base/text_change.hpp"
#include "expr/machine_names.hpp"
#include "expr/operation_names.hpp"
#include "profile/counts.hpp"
#include "sass/inputs.hpp"

namespace bankwise {

// An access that was executed `count` times. Addresses from the start of the kernel's own shared memory; 0 for lanes that
// do not take part.
struct recorded_access {
  access what{};
  std::uint64_t count = 0;
};

// How many values of 4 bytes go from one instruction through shared memory, where the accesses are kept (value_flow.hpp).
struct passed_values {
  std::uint64_t words = 0;           // that it stored, and lanes loaded
  std::uint64_t to_other_warps = 0;  // of these, values that a lane of another warp loaded
  // Of a load: for each of its words one for each register, of each store that was executed, that has some lane's; 0: what it loaded
  // is not its own warp's alone.
  std::uint64_t shuffles = 0;
};

// All accesses that one machine instruction made in one launch, added up. Or what else it did with shared memory: `async` says
// what, there is no worst access, and nothing that another layout could win. Of wgmma `passes` are clocks of the tensor
// cores, and `cycles` the longer of those and of its wavefronts.
struct site : counts {
  std::uint64_t pc = 0;  // byte offset in the kernel
  std::string function;  // the device function that it is in; empty: the kernel itself
  std::string sass;
  named_operation op;                 // of an access
  async_operation async{};            // without its bytes, which are in the counts
  bool generic = false;               // LD, ST, ATOM: shared_executed and shared_lanes say what was in shared memory
  retries again{};                    // of a compare-and-swap
  std::uint64_t span_bytes = 0;       // of an atomic: from the lowest byte that it touched to the highest
  std::uint64_t warp_span_bytes = 0;  // the most that one warp of a block touched; 0: not known
  bool executed_at_least = false;     // of a recording: `executed` and `lanes` may be more
  std::string file;                   // as it was compiled; empty: no line table
  std::uint32_t line = 0;
  std::string text;        // of the line when the report was made, trimmed; empty: the source was not found
  std::string outer_file;  // of an inlined function: the line of the kernel's own code that led there
  std::uint32_t outer_line = 0;
  std::uint32_t ptx_line = 0;
  access worst{};            // addresses from the start of the kernel's own shared memory
  copy_source worst_from{};  // of a cp.async: addresses from the beginning of the first line that is read
  cost worst_cost{};
  rule_source rule{};
  sass::dependence depends;      // what its addresses depend on, and whether it is executed
  std::vector<interval> within;  // of a sample: of the counts of total_rows; else empty
  passed_values passed{};
  std::vector<recorded_access> accesses;  // if they were asked for: distinct, the most frequent first
};

inline bool is_access(const site& s) { return s.async.kind == async_kind::none; }
inline bool is_mbarrier(const site& s) {
  return s.async.kind == async_kind::barrier || s.async.kind == async_kind::barrier_init;
}
// For which other runs its counts are the same, if the grid, the block and the shared memory are.
enum class validity : std::uint8_t {
  unknown,          // the code calls functions, or is not the kernel's own
  this_run,         // it depends on data, or on what happens first
  these_arguments,  // whatever the data
  every_launch,
};
validity validity_of(const site& s);
const char* name_of(validity v);   // "unknown", "this_run", "these_arguments", "every_launch"
const char* words_of(validity v);  // "all data, with these arguments"; nothing of what is not known

// Its addresses do: another input has others, and a layout that suits these is chance.
bool depends_on_data(const site& s);

inline bool goes_round(const site& s) { return s.again.rounds > s.again.entries; }

inline std::uint64_t blocks_of(const std::array<std::uint32_t, 3>& grid) {
  return std::uint64_t{grid[0]} * grid[1] * grid[2];
}

// Where an instruction stands.
struct code_place {
  std::uint64_t pc = 0;  // as of a site
  std::string function;  // the device function that it is in; empty: the kernel itself
  std::string sass;
  std::string file;  // as it was compiled; empty: no line table
  std::uint32_t line = 0;
  std::string text = {};  // of the line when the report was made, trimmed, where somebody asked

  friend bool operator==(const code_place&, const code_place&) = default;
};

// A piece of a block's shared memory that belongs together. Bytes count from the start of the kernel's own.
struct shared_array {
  std::string name;  // as declared; empty: not known
  std::uint64_t begin = 0, end = 0;
  bool dynamic = false;
  std::uint64_t declared_bytes = 0;  // 0: not known
  std::vector<std::size_t> sites;    // that touch it: indices into launch_report::sites
  // Of a declared one those of its sites that use the same values, where they are several sets: it may be memory that arrays
  // take turns in, as a union is.
  std::vector<std::vector<std::size_t>> phases;
};

// The edit of a source that gives an array another layout (advise/source_edit.hpp).
struct layout_edit {
  std::string file;                  // as sites have it
  std::string words;                 // "tile[TILE][TILE + 1]"
  std::uint64_t wavefronts = 0;      // of the array's accesses, behind it
  std::vector<text_change> changes;  // in order; bytes of the source, behind its byte order mark
};

// What a search found for an array of the kernel (advise/), in words.
struct known_fix {
  std::string array;    // "tile"
  std::string verdict;  // a sentence
  std::string code;     // CUDA, of the best layout; empty: nothing is better than it is
  std::vector<std::pair<std::string, std::uint64_t>> sites;  // function and pc of each instruction that it changes
  std::optional<layout_edit> edit = {};
  std::string json = {};    // all of it, if it was read from a report
  std::uint64_t saved = 0;  // wavefronts of all accesses of the array
};

// Other instructions for those of a line (advise/other_instructions.hpp), in words. The layout may stay as it is.
struct known_move {
  std::string kernel;  // its bare name
  std::string file;    // empty: not known
  std::uint32_t line = 0;
  std::string text;                  // of the line, if it is known
  std::string before, after, swaps;  // "st.b32", "st.b128", "1 st.b128 in place of 4 st.b32"
  std::string verdict;               // the same with what it saves
  std::string needs;                 // what must hold for it
  std::uint64_t wavefronts_before = 0, wavefronts_after = 0;
  std::vector<std::pair<std::string, std::uint64_t>> sites;  // function and pc of each instruction that is replaced
  std::string json;                                          // all of it

  std::uint64_t saved() const { return wavefronts_before - wavefronts_after; }
};

// And the thread that came there.
struct thread_place : code_place {
  std::array<std::uint32_t, 3> thread{};

  friend bool operator==(const thread_place&, const thread_place&) = default;
};

enum class hazard_kind : std::uint8_t { uninitialised, read_after_write, write_after_read, write_after_write };

// Two accesses of a block's shared memory that nothing orders, or a read of what nobody wrote (both places are the read's).
struct hazard {
  hazard_kind kind = hazard_kind::uninitialised;
  thread_place first, second;  // in the order of this run, the first time, as what follows the count
  std::uint64_t count = 0;     // warp instructions of the second that came upon it
  std::array<std::uint32_t, 3> block{};
  std::uint64_t offset = 0;  // from the start of the kernel's own shared memory
  std::string array;         // that lies there; empty: not known

  friend bool operator==(const hazard&, const hazard&) = default;
};

// Two instructions of blocks that are resident together, on the same words of global memory: counts depend on which block comes
// first.
struct block_race {
  hazard_kind kind = hazard_kind::read_after_write;
  code_place first, second;  // in the order of this run, whose blocks were interleaved
  std::uint64_t count = 0;   // words that the second came upon

  friend bool operator==(const block_race&, const block_race&) = default;
};

// What an instruction did to global memory that belongs to nobody, but in a page with an allocation, so that a GPU lets it pass.
enum class access_direction : std::uint8_t { read, write, update };
std::string_view name_of(access_direction d);  // "read", ...
bool parse_direction(std::string_view name, access_direction& d);
struct out_of_bounds_access {
  access_direction direction = access_direction::read;
  code_place place;
  std::uint32_t bytes = 0;             // of a lane
  std::uint64_t count = 0, lanes = 0;  // warp instructions with such a lane; these lanes
  // The first time:
  std::array<std::uint32_t, 3> block{}, thread{};
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t address = 0;
  std::string nearest;             // "right behind the end of argument 1 (128 bytes at 0x700000000000)"
  std::vector<std::string> trail;  // how execution came there, and where the nearest allocation was made: lines
};

// What was looked for beside the costs.
struct checks {
  bool uninitialised = false, races = false;

  bool any() const { return uninitialised || races; }
  friend bool operator==(const checks&, const checks&) = default;
};

// Why a launch, or the program that made it, did not come to its end.
struct early_end {
  enum class reason : std::uint8_t {
    none,         // it did
    interrupted,  // by a signal, to bankwise or to the program
    budget,
    total_budget,  // of all launches of the program
    time,          // its share of it was over before it was a sample
    fault,         // of a kernel: nothing behind it was executed
    full,          // the report: it has no room for launches that were executed
  };
  reason why = reason::none;
  std::string signal;  // that interrupted it: "SIGTERM"; empty: not known

  explicit operator bool() const { return why != reason::none; }
  friend bool operator==(const early_end&, const early_end&) = default;
};
// "interrupted", "budget", "total_budget", "time", "fault"; "full" is written nowhere: it is said of what was left out
const char* name_of(early_end::reason r);
// "stopped by SIGTERM", "stopped by --budget", "stopped by a fault"
std::string words_of(const early_end& c);

struct launch_report {
  std::string kernel;  // demangled
  std::string name;    // bare
  std::string mangled;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint32_t registers = 0;
  std::uint64_t count = 1;          // launches that were equal in everything
  std::uint64_t ctas_executed = 0;  // to their end
  bool scaled = false;              // a sample of the blocks ran, and all counts are estimated from it
  bool counted_alone = false;       // what nothing on shared memory depends on was left out (emulate/counting.hpp)
  bool after_sample = false;        // what it read may be what a sample of another launch left
  std::uint64_t assumed = 0;        // of `count`: not executed, since the time was over, and taken for equal to this
  bool timed = false;               // by --time: how many ran depends on the machine
  std::vector<interval> within;     // of a sample, if it is known: of the sums of total_rows, and of warp_instructions
  early_end partial{};              // counts are those of what was executed until then
  std::uint64_t ctas_begun = 0;     // of a partial launch: more than ctas_executed are counted in part
  diagnostic stopped_at{};          // of one that was just executed: what is said of its end, and where it was
  // Of a recording:
  std::uint64_t launches_seen = 0;  // of this kernel with this grid and block; more than were recorded
  std::uint64_t block_period = 1;   // one of so many blocks was recorded
  std::uint64_t lost_accesses = 0;  // that are in no site
  std::vector<site> sites;          // by pc
  totals sum;
  std::vector<known_fix> fixes;   // if they were asked for
  std::vector<known_move> moves;  // the same; what saves most wavefronts comes first
  checks checked;
  std::vector<hazard> hazards;                      // uninitialised reads first, then by place
  std::vector<out_of_bounds_access> out_of_bounds;  // by place
  std::vector<block_race> block_races;              // by kind and place
  // If the accesses were asked for:
  bool has_accesses = false;
  std::uint64_t accesses_seen = 0;   // executed, with an active lane
  std::uint64_t accesses_kept = 0;   // of them, those that stand in the sites: less if only a sample was kept
  std::vector<shared_array> arrays;  // that a site touches, by address
  std::vector<code_place>
      not_executed;  // of the kernel's own code, that would touch shared memory; a generic address does not tell
};

// A machine instruction with the lines that it comes from.
struct code_line {
  std::uint64_t pc = 0;
  std::string sass;
  std::int32_t file = -1;  // index into kernel_code::files; -1: no line table
  std::uint32_t line = 0;
  std::uint32_t ptx_line = 0;  // 0: unknown
};

struct function_code {
  std::string name;  // as site::function has it
  std::vector<code_line> instructions;
};

// What a kernel consists of, for those who read it beside its costs.
struct kernel_code {
  std::string mangled;
  std::vector<std::string> files;  // as they were compiled
  std::vector<code_line> instructions;
  std::vector<function_code> functions;  // outside the kernel's own code
  std::vector<std::string> ptx;          // line n is ptx[n - 1]; lines of other kernels are empty
};

// A kernel of a recorded program, with a grid and a block of which no launch was recorded.
struct unrecorded_launches {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint64_t launches = 0;
  bool without_accesses = false;  // its code touches no shared memory
};

// Launches of a kernel that failed behind a sample: the memory that they found was not what the kernels before would have written.
struct failed_launches {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint64_t launches = 0;
  std::string why;  // of the first
};

// A function of a library for mathematics, cuBLAS's, that the host computed: its kernels are NVIDIA's, and nobody counted them.
struct library_use {
  std::string function;
  std::uint64_t calls = 0;
  std::string computed_by;  // "OpenBLAS"
};

inline constexpr std::size_t most_launches = std::size_t{1} << 16;  // of a report, different ones

struct report {
  std::string arch;
  std::string origin;  // of the accesses: "emulated", "recorded"
  machine on;
  std::vector<launch_report> launches;  // by first occurrence
  // Only filled for a renderer that shows them:
  std::vector<kernel_code> code;                  // of each kernel of the launches
  std::map<std::string, std::string> sources;     // the text of each file of the code that was found
  std::vector<unrecorded_launches> not_recorded;  // of a recording
  std::vector<failed_launches> failed = {};       // after a sample
  std::vector<library_use> library_calls = {};    // by first occurrence
  early_end partial{};                            // of the program, or of its one launch
};

// How far its counts can be trusted: the words of all output.
enum class exactness : std::uint8_t {
  exact,      // every block was executed
  estimated,  // from a sample
  partial,    // it was stopped: counts are those of what was executed until then
};
exactness exactness_of(const launch_report& l);
// Of 100 intervals of estimated counts so many hold.
inline constexpr unsigned confidence_percent = 90;
const char* name_of(exactness e);

// Whether the number of executions is that of those that a recording heard of.
bool is_lower_bound(const launch_report& l);

// Why a report is not whole: its own early end, or that of a launch.
early_end early_end_of(const report& r);
exactness exactness_of(const report& r);  // of its launch that can be trusted least

// One multiprocessor's time, were nothing else in the way: its shared pipe passes a wavefront a clock, and its four
// schedulers issue a warp instruction each.
struct time_bound {
  std::uint64_t shared_cycles = 0;  // without those in which wgmma multiplies and reads nothing
  std::uint64_t issue_cycles = 0;
  std::uint64_t shared_cycles_reachable = 0;  // with every wavefront gone that a layout can remove
  std::uint64_t tensor_cycles = 0;            // of the tensor cores, for wgmma alone
  bool by_data = false;                       // some of what is removable the data cause: no layout removes it
};
time_bound bound_of(const launch_report& l);

// A source line with the indices of its sites in launch_report::sites, and their sums.
struct source_line {
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::size_t> sites;
  totals sum;
};
// Lines in the order of files and lines; sites without a line come last, as file "" line 0.
std::vector<source_line> by_line(const launch_report& l);

// A source line with wavefronts above what is reachable: the indices of its sites that have some, the worst first.
struct costly_line {
  std::vector<std::size_t> sites;
  std::uint64_t removable = 0, queued = 0;
};
// The largest number first. A site without a line stands for itself.
std::vector<costly_line> costly_lines(const launch_report& l);

// Launches of one kernel with one shape that differ only in their data, added up: 50 steps of a loop are read as one thing.
struct added_launches {
  launch_report all;      // of several: the counts of all of them together, and `count` is how many there were
  std::size_t kinds = 1;  // launches of the report that it is made of; 1: that launch as it is
};
// In the order of first occurrence. Launches of which more is said than counts stand for themselves.
std::vector<added_launches> add_up(const std::vector<launch_report>& launches);

}  // namespace bankwise
