// Keeps decoded and compiled code for the next launch. A kernel that is launched a thousand times is decoded once.
//
//     step<<<>>>(b, a)       decoded with c[0x0][0x210] = b, c[0x0][0x218] = a
//     step<<<>>>(a, b)       other constants, which are operands of the code: decoded again
//     step<<<>>>(b, a)       uses the code of the first launch
//
// Launches of the same kernel that run at the same time do not share code.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "emulate/block/spare_blocks.hpp"
#include "emulate/decode/decode.hpp"

namespace bankwise::emulate {

class kept_code {
 public:
  // The inputs of decoding. Code can be reused if all members are equal.
  struct origin {
    const cubin::program* program = nullptr;
    std::size_t section = 0;
    std::shared_ptr<const counting_code> counting;
    const std::vector<followed>* follows = nullptr;
    instruction_use use = instruction_use::best;
    std::uint32_t compile_after = 0;
    bool tells_order = false;
    bool checks_synchronisation = false;
    friend bool operator==(const origin&, const origin&) = default;
  };
  using constants = std::array<std::vector<std::byte>, constant_banks>;

  struct entry {
    origin from;
    std::unique_ptr<code_cache> code;
    std::unique_ptr<spare_blocks> spare = std::make_unique<spare_blocks>();
  };
  using one_entry = std::list<entry>;  // a list with at most one element

  // Removes and returns the code of `from`. Returns nothing if there is no such code, or if different constants change
  // the operands of its instructions.
  one_entry take(const origin& from, const constants& banks);
  void give_back(one_entry code) noexcept;
  // Must be called before the program is destroyed.
  void forget(const cubin::program* program);

 private:
  std::mutex mutex_;
  std::list<entry> all_;  // in the order of last use; the first entry is the latest
};

}  // namespace bankwise::emulate
