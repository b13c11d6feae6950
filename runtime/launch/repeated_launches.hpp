// Launches that repeat an earlier launch and are not executed, as in a program that measures time.
//
//     for (int i = 0; i < 1000; ++i) add<<<4096, 256>>>(c, a, b);
//
//     launch 1        is executed: it uses a, b and c
//     launch 2        is executed: a, b and c had these contents before it, and have these contents after it
//     launches 3...   a, b and c still have the contents that they had before launch 2, so nothing is executed
//
// A launch does the same as an earlier launch if the kernel, the shape, the parameters and the constants are equal, and
// if all allocations that the earlier launch used have the contents that they had then. The emulator notes the
// allocations that a launch uses (memory_uses), and digests show whether their contents are equal. If the
// earlier launch changed contents, the changes are kept and written again. So a launch is also found equal if the
// program restores the input of each launch.
//
// The checks of --check find in such a launch what they found in the earlier launch. So a launch that follows one
// without findings is left out, unless bytes have become unwritten since. All other launches are checked.
//
// A launch with another effect is always executed: it prints, fails, launches kernels, uses the heap, waits for the
// host, accesses memory just outside allocations or memory that other processes share. The number of executed
// instructions limits how many bytes may be read for digests, so that launches with ever new contents hardly take
// longer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/system/digest.hpp"
#include "emulate/launch/launch.hpp"
#include "emulate/memory/memory_uses.hpp"
#include "model/time/predicted_time.hpp"
#include "runtime/launch/byte_touches.hpp"
#include "runtime/launch/launch.hpp"

namespace bankwise::cuda {

struct state;

// What a launch adds to the report and to the state, apart from its results in memory.
struct launch_effect {
  std::uint64_t instructions = 0;               // number of executed warp instructions
  std::optional<std::size_t> in_report;         // entry of the report that counts the launch
  time_in_program time;                         // on the device's clock
  std::shared_ptr<const byte_touches> touches;  // null unless they are noted (operation_races.hpp)
};

class repeated_launches {
 public:
  // Returns the effect of the earlier launch that this launch repeats, after it has changed memory as the launch would.
  // Returns null if the launch must be executed. `counts`: whether the launch is executed for its counts and results,
  // and not only for its results.
  const launch_effect* repeat(state& s, const call& c, const emulate::launch& l, bool counts);
  // Must be called when an operation other than a launch has changed, or may have changed, bytes of the device.
  void note_change(const state& s, std::uint64_t address, std::uint64_t bytes);
  // Call this when a function is about to be removed.
  void forget(const function& f);
  // Call this when textures or surfaces are destroyed. Launches that use them must be executed, because they fail.
  void forget_all();
  // Call this when anything may have changed.
  void note_changes() { versions_.clear(); }

 private:
  friend class watched_launch;
  struct contents {
    std::uint64_t address = 0, bytes = 0;
    // A version of the allocation that has these contents. 0 if the host can change the memory at any time, so that
    // only digests show what it contains.
    std::uint64_t version = 0;
    std::vector<digest> pieces;
    std::uint64_t cleared = 0;  // emulate::written_bytes::cleared_at() after the launch, if written bytes are followed
  };
  struct piece {
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
  };
  struct record {
    std::vector<contents> before;
    std::vector<piece> changed;
    std::vector<contents> after;  // of the changed allocations, without digests
    std::string constants;
    launch_effect effect;
  };
  // The launches with equal kernel, shape and parameters.
  struct known_launch {
    // First addresses of the allocations that the last executed launch used. Nothing if it had other effects.
    std::optional<std::vector<std::uint64_t>> uses;
    std::uint64_t instructions = 0;  // number of warp instructions of the last executed launch
    std::uint64_t executed = 0;      // number of executed launches since the last record was made
    std::uint64_t least = 1;         // number of executed launches before the next record is made
    std::optional<record> last;
    unsigned misses = 0;  // number of launches since the record was made, or was last of use, that had another input
  };
  using key = std::string;  // bytes of everything that must be equal
  static key key_of(const call& c, const emulate::launch& l, bool counts);
  known_launch& at(const call& c, const emulate::launch& l, bool counts);
  bool is_same_input(const state& s, record& r, std::uint64_t instructions);
  // Returns the version of the allocation's contents, or 0 if the host can change them at any time. Different contents
  // have different versions.
  std::uint64_t version_of(const state& s, const emulate::region& r);
  void drop(known_launch& k);

  std::map<const function*, std::map<key, known_launch>> all_;
  std::uint64_t kept_bytes_ = 0;  // bytes of changes in all records
  std::map<std::uint64_t, std::uint64_t> versions_;
  std::uint64_t last_version_ = 0;
  emulate::memory_uses uses_;
};

// Watches one execution of a launch: notes which memory it uses and changes, and makes a record of it if this is worth
// its time.
class watched_launch {
 public:
  // What the record of the launch is for.
  enum class use : std::uint8_t {
    none,    // equal launches are executed
    later,   // no record is made now, but perhaps one of a later launch
    repeats  // equal launches may be left out
  };
  // Adds to the hooks, so that other effects are noticed.
  watched_launch(state& s, const call& c, const emulate::launch& l, emulate::launch_hooks& hooks, bool counts, use u);
  ~watched_launch();
  watched_launch(const watched_launch&) = delete;
  watched_launch& operator=(const watched_launch&) = delete;

  // Call this when the execution has ended, before anything else changes memory. `is_plain`: whether the launch ended
  // without anything that a later launch would have to repeat.
  void end(bool is_plain);
  // Stores the record, if there is one.
  void keep(const launch_effect& effect);

 private:
  using contents = repeated_launches::contents;
  void begin_record(const call& c);
  std::vector<const emulate::region*> used() const;
  void find_changes(const std::vector<const emulate::region*>& used);
  bool keep_piece(std::uint64_t address, std::span<const std::byte> bytes);

  state& s_;
  repeated_launches::known_launch* known_ = nullptr;  // null if an equal launch must be executed
  bool records_ = false, ended_ = false;
  bool other_effects_ = false, waited_ = false;
  std::uint64_t instructions_before_ = 0;
  std::optional<repeated_launches::record> made_;
};

repeated_launches& the_repeated_launches();

// Whether launches may be left out, with the options of the run and in the current state.
bool may_repeat_launches(const state& s);

}  // namespace bankwise::cuda
