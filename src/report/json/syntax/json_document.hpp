// The values of a JSON text. nlohmann-json reads the text; its own values would need several times the memory, because
// large reports have many millions of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

class parsed_json {
 public:
  bool is_null() const { return kind_ == kind::null; }
  bool is_boolean() const { return kind_ == kind::flag; }
  bool is_number_unsigned() const { return kind_ == kind::natural; }
  bool is_number() const { return kind_ >= kind::natural && kind_ <= kind::real; }
  bool is_string() const { return kind_ == kind::text; }
  bool is_array() const { return kind_ == kind::list; }
  bool is_object() const { return kind_ == kind::object; }

  // Each function needs a value of the right kind.
  bool flag() const { return natural_ != 0; }
  std::uint64_t number() const { return natural_; }
  double real() const;
  std::string_view text() const { return {characters_, size_}; }

  std::size_t size() const { return size_; }                                    // of a list or an object
  const parsed_json& operator[](std::size_t i) const { return inner_[i]; }      // of a list
  std::string_view key(std::size_t i) const { return inner_[2 * i].text(); }    // of an object
  const parsed_json& member(std::size_t i) const { return inner_[2 * i + 1]; }  // of an object
  // Returns the member of an object, or null. If a key occurs twice, its last value counts.
  const parsed_json* find(std::string_view key) const;

 private:
  friend class json_document;
  friend class json_builder;
  friend struct json_conversion;
  enum class kind : std::uint8_t { null, flag, natural, negative, real, text, list, object };

  kind kind_ = kind::null;
  std::uint32_t size_ = 0;
  union {
    std::uint64_t natural_ = 0;
    std::int64_t negative_;
    double real_;
    const char* characters_;
    const parsed_json* inner_;  // the elements of a list, or the keys of an object, each followed by its value
  };
};

// Returns a value as text in one line. The members of objects are sorted by key.
std::string text_of(const parsed_json& j, bool only_ascii = false);

// What the caller does with the elements of one list of the outermost object while the text is read. Such a list may be
// nearly the whole text, and only one of its elements is then in memory.
struct element_reader {
  std::string_view key;
  // Called at the beginning of the list. `before`: the outermost object up to here. If the function returns false, the
  // elements stay in the document.
  std::function<bool(const parsed_json& before)> begins;
  std::function<bool(const parsed_json& element)> reads;  // returns false to stop
};

class json_document {
 public:
  enum class state : std::uint8_t { valid, invalid, too_many_values, too_deep, key_twice, stopped };

  // Reads a JSON text of less than 4 GiB. A key may not occur twice in the outermost object.
  explicit json_document(std::string_view text, const element_reader& elements = {});
  json_document(const json_document&) = delete;
  json_document& operator=(const json_document&) = delete;

  state is() const { return is_; }
  // Null if the text is invalid. If the reading was stopped, the outermost object up to there.
  const parsed_json& root() const { return root_; }
  std::size_t wrong_at() const { return wrong_at_; }  // if invalid: where reading the text ended
  const std::string& key_twice() const { return key_; }

 private:
  friend class json_builder;

  std::pmr::monotonic_buffer_resource kept_;
  parsed_json root_;
  std::size_t wrong_at_ = 0;
  std::string key_;
  state is_ = state::invalid;
};

inline constexpr std::size_t most_json_depth = 64;

}  // namespace bankwise
