// Defines when two values of a report are equal. Most values are compared by operator ==. This file has functions for
// types without this operator, and for types of which only some members are compared.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "model/fix.hpp"
#include "model/launch.hpp"

namespace bankwise {

template <class T>
bool same_value(const T& a, const T& b, tells) {
  return a == b;
}

inline bool same_value(const access& a, const access& b, tells) {
  return a.op == b.op && a.mask == b.mask && std::equal(std::begin(a.address), std::end(a.address), b.address);
}
inline bool same_value(const copy_source& a, const copy_source& b, tells) {
  return a.reads == b.reads && a.may_fill == b.may_fill &&
         std::equal(std::begin(a.address), std::end(a.address), b.address);
}
// Compares only the members that a report contains.
inline bool same_value(const cost& a, const cost& b, tells) {
  return a.wavefronts == b.wavefronts && a.reachable == b.reachable;
}
inline bool same_value(const rule_source& a, const rule_source& b, tells) {
  return a.level == b.level && (a.source == b.source ||
                                (a.source != nullptr && b.source != nullptr && std::string_view(a.source) == b.source));
}
inline bool same_value(const named_operation& a, const named_operation& b, tells) {
  return a.op == b.op && a.spelling == b.spelling;
}
inline bool same_value(const sass::dependence& a, const sass::dependence& b, tells) {
  return a.known == b.known && (!a.known || (a.address == b.address && a.execution == b.execution));
}
inline bool same_value(const recorded_access& a, const recorded_access& b, tells least) {
  return a.count == b.count && same_value(a.what, b.what, least);
}
inline bool same_value(const out_of_bounds_access& a, const out_of_bounds_access& b, tells least) {
  return least <= tells::saved ? a == b : same_but_for_memory(a, b);
}
inline bool same_value(const known_fix& a, const known_fix& b, tells) { return a.json == b.json; }
inline bool same_value(const known_move& a, const known_move& b, tells) { return a.json == b.json; }
inline bool same_value(const site& a, const site& b, tells least) { return same(a, b, least); }
inline bool same_value(const global_site& a, const global_site& b, tells least) { return same(a, b, least); }
template <class T>
bool same_value(const std::vector<T>& a, const std::vector<T>& b, tells least) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const T& x, const T& y) { return same_value(x, y, least); });
}

// Whether the member is equal in two objects. If the level in the member's row is below `least`, the member is not
// compared.
template <tells Tells, class T>
bool same_member(const T& a, const T& b, tells least) {
  if constexpr (Tells > tells::summed)
    return Tells < least || same_value(a, b, least);
  else
    return true;
}

}  // namespace bankwise
