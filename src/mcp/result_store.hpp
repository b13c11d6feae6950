// The results of earlier calls, by their handles: "r1", "r2", ... The oldest results are dropped.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "mcp/folded.hpp"

namespace bankwise::mcp {

inline constexpr std::size_t most_results = 64;
// Most bytes of a result in a message: less than 2,000 tokens, with what is around it.
inline constexpr std::size_t most_result_bytes = 5500;

class result_store {
 public:
  // `folder` is where reports are written. `remove` deletes the file of a dropped result.
  result_store(std::string folder, std::function<void(const std::string& file)> remove);

  // A new handle for a result with a file, which the caller writes. The file may be missing.
  std::string add_file();
  std::string add(json value);
  // Returns the file of a result, or an empty text if there is no such result or it has no file.
  std::string file_of(const std::string& handle) const;
  // Whether a word has the form of a handle.
  static bool is_handle(const std::string& word);

  // Returns the part of a result at a JSON pointer, folded into most_result_bytes. It begins at number `from` of the
  // items of a list, the members of an object or the bytes of a text.
  // `read` returns the JSON in a file.
  result<json> part_of(const std::string& handle, const std::string& at, std::uint64_t from,
                       const std::function<std::optional<json>(const std::string& file)>& read) const;

 private:
  struct entry {
    std::string handle, file;  // without a file, `value` is the result
    json value;
  };
  std::string next(entry e);
  const entry* find(const std::string& handle) const;

  std::string folder_;
  std::function<void(const std::string&)> remove_;
  std::deque<entry> entries_;
  std::uint64_t made_ = 0;
};

}  // namespace bankwise::mcp
