// Values of an untrusted JSON document, each with its position, so that errors can name it.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace bankwise {

using parsed_json = nlohmann::json;

// The limit of the size: a million instructions are 875 MB. check/saturate.hpp adds counts.
inline constexpr std::size_t most_text_bytes = std::size_t{1} << 30;
inline constexpr std::size_t most_in_list = (std::size_t{1} << 16) - 1;
inline constexpr std::uint64_t most_counted = std::uint64_t{1} << 48;
inline constexpr std::uint64_t most_u32 = 0xffffffff;

// A value and its place.
struct node {
  const parsed_json* value = nullptr;
  const node* parent = nullptr;
  const char* key = nullptr;  // key in an object; null: `index` in a list
  std::size_t index = 0;
};
// "launches[0].sites[3].worst.mask"
std::string path_of(const node& n);

class json_reader {
 public:
  // `name`: the document's, for errors.
  explicit json_reader(const std::string& name) : name_(name) {}

  // The first error is kept.
  const std::optional<diagnostic>& wrong() const { return wrong_; }
  void fail(const node& n, const std::string& message, const std::string& hint = {});
  void refuse(const node& n, const std::string& expected);

  static bool has(const node& parent, const char* key) {
    return parent.value->is_object() && parent.value->contains(key);
  }
  // A member; null, with an error, if it is missing. `parent` must outlive it.
  node value_at(const node& parent, const char* key);
  static node item(const node& parent, std::size_t index) { return {&(*parent.value)[index], &parent, nullptr, index}; }
  node list(const node& parent, const char* key, std::size_t most = most_in_list);
  // The size of a list; 0 after an error, so that nothing is read.
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
  std::string code(const node& parent, const char* key);  // of several lines
  bool flag(const node& parent, const char* key);
  std::uint64_t pc(const node& parent);
  std::array<std::uint32_t, 3> triple(const node& parent, const char* key, std::uint64_t least = 1);

 private:
  const std::string& name_;
  std::optional<diagnostic> wrong_;
};

// The place where the text stops being JSON.
diagnostic syntax_error(std::string_view text, const std::string& name);

}  // namespace bankwise
