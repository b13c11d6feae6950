#include "lsp/inbox.hpp"

#include <algorithm>

namespace bankwise::lsp {

void inbox::put(const frame& f) {
  if (f.what != frame::kind::message) {
    const fault code = f.what == frame::kind::too_large ? fault::invalid_request : fault::parse_error;
    entries_.push_back({{}, error_to(nullptr, code, f.text), false, f.what == frame::kind::broken});
    return;
  }
  parsed_message parsed = parse_message(f.text);
  if (parsed.what && parsed.what->method == "$/cancelRequest") {
    const json* id = member(&parsed.what->params, "id");
    const auto asked = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) {
      return id != nullptr && e.what && e.what->is_request() && e.what->id == *id;
    });
    if (asked != entries_.end()) {
      asked->cancelled = true;
      return;
    }
  }
  entries_.push_back({std::move(parsed.what), std::move(parsed.answer)});
}

std::optional<inbox::entry> inbox::take() {
  if (entries_.empty()) return std::nullopt;
  entry e = std::move(entries_.front());
  entries_.pop_front();
  return e;
}

}  // namespace bankwise::lsp
