// Decoded and compiled code, kept for the next launch: a program that launches a kernel a thousand times decodes it
// once.
//
//     step<<<>>>(b, a)       decoded with c[0x0][0x210] = b, c[0x0][0x218] = a
//     step<<<>>>(a, b)       other constants, which are operands of its code: decoded again
//     step<<<>>>(b, a)       the code of the first launch
//
// If several launches of one kernel run at a time, each has its own code.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "emulate/block/spare_blocks.hpp"
#include "emulate/code/decode.hpp"

namespace bankwise::emulate {

class kept_code {
 public:
  // The source of code, and the parts made from it.
  struct origin {
    const cubin::program* program = nullptr;
    std::size_t section = 0;
    std::shared_ptr<const counting_code> counting;
    const std::vector<followed>* follows = nullptr;
    instruction_use use = instruction_use::best;
    std::uint32_t compile_after = 0;
    friend bool operator==(const origin&, const origin&) = default;
  };
  using constants = std::array<std::vector<std::byte>, constant_banks>;

  struct entry {
    origin from;
    std::unique_ptr<code_cache> code;
    std::unique_ptr<spare_blocks> spare = std::make_unique<spare_blocks>();
  };
  using one_entry = std::list<entry>;  // null if there is none

  // Nothing if there is none, or if its operands differ.
  one_entry take(const origin& from, const constants& banks);
  void give_back(one_entry code) noexcept;
  // Call it before the program is destroyed.
  void forget(const cubin::program* program);

 private:
  std::mutex mutex_;
  std::list<entry> all_;  // last used first
};

}  // namespace bankwise::emulate
