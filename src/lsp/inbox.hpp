// Messages that are not answered yet. A request is marked if it was cancelled before it was answered.
//
//     hover 7, definition 8, $/cancelRequest 8       hover 7, definition 8 (cancelled)
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "lsp/framing.hpp"
#include "lsp/message.hpp"

namespace bankwise::lsp {

class inbox {
 public:
  struct entry {
    std::optional<message> what;
    json answer;  // set if it is not a message: the error
    bool cancelled = false;
    bool last = false;  // whether nothing can be read after it
  };

  void put(const frame& f);
  std::optional<entry> take();
  bool is_empty() const { return entries_.empty(); }

 private:
  std::deque<entry> entries_;
};

}  // namespace bankwise::lsp
