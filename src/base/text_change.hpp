// Changes of a text: applied, or written as a patch for `git apply` and `patch -p1`.
//
//     A source, at bytes 40 to 42, "32" becomes "32 + 1"         --- a/NAME
//                                                                +++ b/NAME
//                                                                @@ -1,3 +1,3 @@
//                                                                -__shared__ float tile[32][32];
//                                                                +__shared__ float tile[32][32 + 1];
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

struct text_change {
  std::size_t begin = 0, end = 0;  // range that is replaced; if it is empty, text is inserted there
  std::string text;

  friend bool operator==(const text_change&, const text_change&) = default;
};

// Sorts them by position. False if two of them change the same bytes differently.
bool in_order(std::vector<text_change>& changes);

// The changes are in order.
std::string changed(std::string_view text, const std::vector<text_change>& changes);
// Empty if nothing changes. `path`: relative to the folder that the patch is for.
std::string unified_patch(std::string_view path, std::string_view text, const std::vector<text_change>& changes);

}  // namespace bankwise
