#include "report/json/syntax/json_document.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace bankwise {

namespace {

// In memory, a value needs many times its bytes in a text such as [[],[], ... So a text may not have more values than a
// report of its length can have. For each of these values, a report has at least so many bytes.
struct crowd {
  std::size_t bytes_of_one, left = 0;
};
constexpr std::size_t free_values = 4096;
constexpr std::size_t room_for_elements = std::size_t{1} << 20;

}  // namespace

const parsed_json* parsed_json::find(std::string_view key) const {
  // Keys of a report often have the same length, but seldom the same last character.
  const auto is_key = [&](std::string_view k) {
    return k.size() == key.size() && (key.empty() || (k.back() == key.back() && k == key));
  };
  for (std::size_t i = size_; i-- > 0;)
    if (is_key(this->key(i))) return &member(i);
  return nullptr;
}

double parsed_json::real() const {
  return kind_ == kind::real       ? real_
         : kind_ == kind::negative ? static_cast<double>(negative_)
                                   : static_cast<double>(natural_);
}

// Receives the events of nlohmann-json's parser. `values_` contains the keys and values of the lists and objects that
// are still open.
class json_builder {
 public:
  using any_json = nlohmann::json;
  using kind = parsed_json::kind;
  using state = json_document::state;

  json_builder(std::size_t bytes, const element_reader& elements, json_document& to) : to_(to), elements_(elements) {
    for (crowd* c : {&values_left_, &texts_left_, &lists_left_}) c->left = free_values + bytes / c->bytes_of_one;
  }

  bool null() { return add({}); }
  bool boolean(bool flag) { return add(scalar(kind::flag, &parsed_json::natural_, std::uint64_t{flag})); }
  bool number_integer(any_json::number_integer_t n) { return add(scalar(kind::negative, &parsed_json::negative_, n)); }
  bool number_unsigned(any_json::number_unsigned_t n) { return add(scalar(kind::natural, &parsed_json::natural_, n)); }
  bool number_float(any_json::number_float_t n, const std::string&) {
    return add(scalar(kind::real, &parsed_json::real_, n));
  }
  bool string(std::string& s) { return take(texts_left_) && add(text(s)); }
  bool binary(any_json::binary_t&) { return false; }
  bool key(std::string& s) {
    if (open_.size() == 1 && so_far().find(s) != nullptr) {
      to_.key_ = s;
      return stop(state::key_twice);
    }
    values_.push_back(text(s));
    return take(texts_left_);
  }
  bool start_object(std::size_t) { return open(kind::object); }
  bool start_array(std::size_t) {
    if (open_.size() == 1 && elements_.begins && open_[0].is == kind::object && values_.back().text() == elements_.key)
      give_elements(elements_.begins(so_far()));
    return open(kind::list);
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  // Returns the outermost object up to the list whose elements are given one by one, and this list without elements.
  parsed_json object_so_far() {
    parsed_json list;
    list.kind_ = kind::list;
    give_elements(false);
    values_.push_back(list);
    return kept(kind::object, 0);
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) {
    to_.wrong_at_ = at;
    return false;
  }

 private:
  struct opened {
    kind is;
    std::size_t first;  // index of the first inner value
  };

  template <class T>
  static parsed_json scalar(kind is, T parsed_json::*member, std::type_identity_t<T> value) {
    parsed_json v;
    v.kind_ = is;
    v.*member = value;
    return v;
  }
  parsed_json text(const std::string& s) {
    parsed_json v;
    v.kind_ = kind::text;
    v.size_ = static_cast<std::uint32_t>(s.size());
    char* const copy = static_cast<char*>(memory_->allocate(s.size() + 1, 1));
    std::copy_n(s.data(), s.size(), copy);
    v.characters_ = copy;
    return v;
  }
  // The complete members of the outermost object. The key of the next member may follow.
  parsed_json so_far() const {
    parsed_json v;
    v.kind_ = kind::object;
    v.size_ = static_cast<std::uint32_t>(values_.size() / 2);
    v.inner_ = values_.data();
    return v;
  }
  bool stop(state why) {
    to_.is_ = why;
    return false;
  }
  bool take(crowd& c) { return c.left-- != 0 || stop(state::too_many_values); }

  void give_elements(bool gives) {
    gives_elements_ = gives;
    memory_ = gives ? &element_ : &to_.kept_;
  }
  bool open(kind is) {
    open_.push_back({is, values_.size()});
    return open_.size() <= most_json_depth ? take(lists_left_) : stop(state::too_deep);
  }
  bool close() {
    const auto [is, first] = open_.back();
    open_.pop_back();
    if (open_.size() == 1) give_elements(false);
    const parsed_json v = kept(is, first);
    values_.resize(first);
    return add(v);
  }
  parsed_json kept(kind is, std::size_t first) {
    const std::size_t n = values_.size() - first;
    parsed_json v;
    v.kind_ = is;
    v.size_ = static_cast<std::uint32_t>(is == kind::object ? n / 2 : n);
    auto* const inner = static_cast<parsed_json*>(memory_->allocate(n * sizeof(parsed_json) + 1, alignof(parsed_json)));
    std::uninitialized_copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first), n, inner);
    v.inner_ = inner;
    return v;
  }
  bool add(const parsed_json& v) {
    if (open_.empty()) to_.root_ = v;
    if (!gives_elements_ || open_.size() != 2) {
      values_.push_back(v);
      return take(values_left_);
    }
    const bool goes_on = elements_.reads(v);
    element_.release();
    return goes_on ? take(values_left_) : stop(state::stopped);
  }

  json_document& to_;
  const element_reader& elements_;
  crowd values_left_{3}, texts_left_{8}, lists_left_{8};
  std::vector<parsed_json> values_;
  std::vector<opened> open_;
  bool gives_elements_ = false;
  std::vector<std::byte> room_ = std::vector<std::byte>(room_for_elements);
  std::pmr::monotonic_buffer_resource element_{room_.data(), room_.size()};
  std::pmr::memory_resource* memory_ = &to_.kept_;
};

json_document::json_document(std::string_view text, const element_reader& elements) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) return;
  // The parser takes a null byte for the end of the text.
  if (const std::size_t null = text.find('\0'); null != text.npos) {
    wrong_at_ = null + 1;
    return;
  }
  json_builder builder(text.size(), elements, *this);
  if (nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &builder)) is_ = state::valid;
  if (is_ != state::valid) root_ = {};
  if (is_ == state::stopped) root_ = builder.object_so_far();
}

struct json_conversion {
  static nlohmann::json value_of(const parsed_json& j) {
    using kind = parsed_json::kind;
    switch (j.kind_) {
      case kind::null: break;
      case kind::flag: return j.flag();
      case kind::natural: return j.number();
      case kind::negative: return j.negative_;
      case kind::real: return j.real_;
      case kind::text: return std::string(j.text());
      case kind::list: {
        nlohmann::json all = nlohmann::json::array();
        for (std::size_t i = 0; i < j.size(); ++i) all.push_back(value_of(j[i]));
        return all;
      }
      case kind::object: {
        nlohmann::json all = nlohmann::json::object();
        for (std::size_t i = 0; i < j.size(); ++i) all[std::string(j.key(i))] = value_of(j.member(i));
        return all;
      }
    }
    return nullptr;
  }
};

std::string text_of(const parsed_json& j, bool only_ascii) {
  return json_conversion::value_of(j).dump(-1, ' ', only_ascii, nlohmann::json::error_handler_t::replace);
}

}  // namespace bankwise
