// The values of a JSON text. A value refers to the text instead of copying it, because large reports have many millions
// of values. The text must therefore outlive the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

class parsed_json {
 public:
  bool is_null() const { return kind_ == kind::null; }
  bool is_boolean() const { return kind_ == kind::flag; }
  bool is_number_unsigned() const { return kind_ == kind::natural; }
  bool is_number() const { return kind_ == kind::natural || kind_ == kind::real; }
  bool is_string() const { return kind_ == kind::text; }
  bool is_array() const { return kind_ == kind::list; }
  bool is_object() const { return kind_ == kind::object; }

  // Each function needs a value of the right kind.
  bool flag() const { return natural_ != 0; }
  std::uint64_t number() const { return natural_; }
  double real() const { return kind_ == kind::natural ? static_cast<double>(natural_) : real_; }
  std::string_view text() const { return {characters_, size_}; }

  std::size_t size() const { return size_; }                                    // of a list or an object
  const parsed_json& operator[](std::size_t i) const { return inner_[i]; }      // of a list
  std::string_view key(std::size_t i) const { return inner_[2 * i].text(); }    // of an object
  const parsed_json& member(std::size_t i) const { return inner_[2 * i + 1]; }  // of an object
  // Returns the member of an object, or null. If a key occurs twice, its last value counts.
  const parsed_json* find(std::string_view key) const;

  std::string_view source() const { return {begin_, length_}; }  // the text of the value in the document

 private:
  friend class json_document_parser;
  enum class kind : std::uint8_t { null, flag, natural, real, text, list, object };

  const char* begin_ = nullptr;
  std::uint32_t length_ = 0;
  std::uint32_t size_ = 0;
  kind kind_ = kind::null;
  union {
    std::uint64_t natural_ = 0;
    double real_;
    const char* characters_;
    const parsed_json* inner_;  // the elements of a list, or the keys of an object, each followed by its value
  };
};

class json_document {
 public:
  // Reads a JSON text of less than 4 GiB. Accepts exactly what RFC 8259 permits, in valid UTF-8.
  explicit json_document(std::string_view text);
  json_document(const json_document&) = delete;
  json_document& operator=(const json_document&) = delete;

  bool is_valid() const { return valid_; }
  const parsed_json& root() const { return root_; }  // null if the text is invalid

 private:
  friend class json_document_parser;
  const parsed_json* keep(const parsed_json* values, std::size_t n);

  std::vector<std::unique_ptr<parsed_json[]>> blocks_;
  parsed_json* free_ = nullptr;  // room in the last block
  std::size_t room_ = 0;
  std::deque<std::string> texts_;  // texts with escape sequences, decoded
  parsed_json root_;
  bool valid_ = false;
};

}  // namespace bankwise
