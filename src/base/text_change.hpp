// Changes of a text. They can be applied, or written as a patch for `git apply` and `patch -p1`.
//
//     In a source, "32" at bytes 40 to 42 becomes "32 + 1"         --- a/NAME
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
  std::size_t begin = 0, end = 0;  // the range that is replaced; if the range is empty, the text is inserted there
  std::string text;

  friend bool operator==(const text_change&, const text_change&) = default;
};

// Sorts changes by position. Returns false if two changes replace the same bytes with different texts.
bool in_order(std::vector<text_change>& changes);

// Applies changes, which must be sorted.
std::string changed(std::string_view text, const std::vector<text_change>& changes);
// Writes changes as a patch. Returns an empty text if nothing changes. `path` is relative to the folder in which the
// patch is applied.
std::string unified_patch(std::string_view path, std::string_view text, const std::vector<text_change>& changes);

}  // namespace bankwise
