// Whether a fact of a report differs from its default.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "model/launch.hpp"

namespace bankwise {

template <std::integral T>
bool is_set(T n) {
  return n != 0;
}
inline bool is_set(const std::string& text) { return !text.empty(); }
inline bool is_set(const early_end& e) { return static_cast<bool>(e); }
inline bool is_set(const checks& c) { return c.any(); }
inline bool is_set(const code_meaning& m) { return static_cast<bool>(m); }
inline bool is_set(const predicted_time& t) { return static_cast<bool>(t); }
inline bool is_set(const global_sample& s) { return s.mask != 0; }
inline bool is_set(const sector_group& g) { return !g.pcs.empty(); }
inline bool is_set(unpredicted why) { return why != unpredicted::none; }
inline bool is_set(const stall_cycles& s) { return !s.by_reason.empty(); }
template <class T>
bool is_set(const std::vector<T>& list) {
  return !list.empty();
}

}  // namespace bankwise
