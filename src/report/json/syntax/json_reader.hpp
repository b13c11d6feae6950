// Values of an untrusted JSON document. Each value has its position, so that an error can name the position.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "report/json/syntax/json_document.hpp"

namespace bankwise {

// Size in bytes of the largest accepted text. A report with a million instructions has 875 million bytes.
inline constexpr std::size_t most_text_bytes = std::size_t{1} << 30;
inline constexpr std::size_t most_in_list = (std::size_t{1} << 16) - 1;
inline constexpr std::uint64_t most_counted = std::uint64_t{1} << 48;
inline constexpr std::uint64_t most_u32 = 0xffffffff;

// A value and its position in the document.
struct node {
  const parsed_json* value = nullptr;
  const node* parent = nullptr;
  const char* key = nullptr;  // key of the value in an object; null for an element of a list, which has an `index`
  std::size_t index = 0;
};
// Returns the path of a value, such as "launches[0].sites[3].worst.mask".
std::string path_of(const node& n);

class json_reader {
 public:
  // Errors contain `name`, the name of the document. `name` must outlive the reader.
  explicit json_reader(const std::string& name) : name_(name) {}

  // The first error, if any. Later errors are dropped.
  const std::optional<diagnostic>& wrong() const { return wrong_; }
  void fail(const node& n, const std::string& message, const std::string& hint = {});
  void refuse(const node& n, const std::string& expected);
  void refuse_file(const std::string& message, const std::string& hint);

  static bool has(const node& parent, const char* key) {
    return parent.value->is_object() && parent.value->find(key) != nullptr;
  }
  // Returns a member. If there is no such member, stores an error and returns null. `parent` must outlive the result.
  node value_at(const node& parent, const char* key);
  static node item(const node& parent, std::size_t index) { return {&(*parent.value)[index], &parent, nullptr, index}; }
  node list(const node& parent, const char* key, std::size_t most = most_in_list);
  // Returns the size of a list. After an error, returns 0, so that no element is read.
  std::size_t size(const node& n) const { return wrong_ || !n.value->is_array() ? 0 : n.value->size(); }

  std::uint64_t number(const node& n, std::uint64_t most, std::uint64_t least = 0);
  std::uint64_t number(const node& parent, const char* key, std::uint64_t most, std::uint64_t least = 0) {
    return number(value_at(parent, key), most, least);
  }
  std::uint32_t number_32(const node& parent, const char* key) {
    return static_cast<std::uint32_t>(number(parent, key, most_u32));
  }
  std::string text(const node& n);
  std::string text(const node& parent, const char* key) { return text(value_at(parent, key)); }
  std::string code(const node& parent, const char* key);  // reads a text of several lines
  bool flag(const node& parent, const char* key);
  std::uint64_t pc(const node& parent);
  std::array<std::uint32_t, 3> triple(const node& parent, const char* key, std::uint64_t least = 1);

 private:
  bool is_fit(std::string_view s, const node& n);

  const std::string& name_;
  std::optional<diagnostic> wrong_;
};

}  // namespace bankwise
