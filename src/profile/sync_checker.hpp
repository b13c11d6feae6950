// Collects wrong uses of barriers, shuffles and votes (misuse in emulate/listener.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "emulate/launch/launch.hpp"
#include "model/parts/hazard.hpp"
#include "profile/code/loaded_values.hpp"

namespace bankwise {

class sync_checker : public emulate::listener {
 public:
  emulate::wanted_events wants() const override { return {.accesses = false, .asynchronous = false, .misuses = true}; }
  void on_block(std::uint64_t block) override { block_ = block; }
  void on_misuse(const emulate::misuse& u) override;

  using key = std::tuple<hazard_kind, std::uint64_t, std::uint64_t>;  // device addresses of both places
  struct seen {
    std::uint64_t count = 0;
    std::uint64_t block = 0;  // the lowest block; `first` is its first misuse
    emulate::misuse first;

    void add(const seen& more);
  };
  void add(const sync_checker& other);
  // The misuses, without shuffles whose results some lanes may not need. If lanes of a mask have ended in code that the
  // other lanes come to after the call, they went around the call, and did not return early.
  std::map<key, seen> found(loaded_values& code) const;

 private:
  std::uint64_t block_ = 0;
  std::map<key, seen> found_;
};

}  // namespace bankwise
