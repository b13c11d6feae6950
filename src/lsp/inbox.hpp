// The messages without an answer. If the client cancels a request before the answer, the request is marked.
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
    json answer;  // error to send, if `what` is empty
    bool cancelled = false;
    bool last = false;  // whether the input ends after this entry
  };

  void put(const frame& f);
  std::optional<entry> take();
  bool is_empty() const { return entries_.empty(); }

 private:
  std::deque<entry> entries_;
};

}  // namespace bankwise::lsp
