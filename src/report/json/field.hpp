// The fields of a report's JSON. Each row has a key, a type, a meaning, and functions that convert the value to JSON
// and back. These rows define the writer, the reader, the JSON schema, the reference page and the types of the page.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/is_set.hpp"
#include "model/report.hpp"
#include "report/json/syntax/json_reader.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/text/advice_report.hpp"

namespace bankwise {

// Data that a field may need in addition to its own value. A pointer is null if its data are missing or unknown.
struct beside {
  const report* whole = nullptr;
  const launch_report* launch = nullptr;
  const std::vector<advice_report>* fixes = nullptr;  // fixes that were found for the launch
};

// The state of a reader while it reads a report.
struct report_reader : json_reader {
  using json_reader::json_reader;
  machine on;
  const launch_report* launch = nullptr;
  parsed_json header;  // the report without its launches
};

enum class need : std::uint8_t {
  always,   // always written, and required by the reader
  since,    // always written, but older reports lack the field
  given,    // written if `there` returns true; the reader does not require it
  exactly,  // written and required if `there` returns true
};

template <class T>
struct field;

// A function of a row, made from a lambda without captures. It owns nothing, so tables of such functions are valid
// until the program ends. If a lambda needs the key or the limits, its first parameter is the row. A lambda may omit
// unused parameters.
template <class T, class Signature>
class row_function;
template <class T, class R, class First, class... Rest>
class row_function<T, R(First, Rest...)> {
 public:
  constexpr row_function() = default;
  template <class F>
    requires(std::is_empty_v<F> && std::is_default_constructible_v<F> && !std::is_same_v<F, row_function>)
  [[gnu::always_inline]] constexpr row_function(F) : call_(&call<F>) {}

  R operator()(const field<T>& row, First first, Rest... rest) const { return call_(row, first, rest...); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  template <class F>
  static R call(const field<T>& row, First first, Rest... rest) {
    if constexpr (std::is_invocable_v<F, const field<T>&, First, Rest...>)
      return static_cast<R>(F{}(row, first, rest...));
    else if constexpr (std::is_invocable_v<F, First, Rest...>)
      return static_cast<R>(F{}(first, rest...));
    else
      return static_cast<R>(F{}(first));
  }

  R (*call_)(const field<T>&, First, Rest...) = nullptr;
};

// A type in the JSON schema: its text, or a definition by name.
struct json_type {
  enum class form : std::uint8_t { schema, defined, list_of_defined };

  constexpr json_type(const char* schema = "") : text(schema) {}
  constexpr json_type(form f, const char* definition) : is(f), text(definition) {}

  form is = form::schema;
  const char* text;
};
std::string to_text(const json_type& t);
constexpr json_type object_type(const char* definition) { return {json_type::form::defined, definition}; }
constexpr json_type list_of_type(const char* definition) { return {json_type::form::list_of_defined, definition}; }

template <class T>
struct field {
  const char* key = "";
  json_type type;
  const char* meaning = "";
  row_function<T, nlohmann::ordered_json(const T&, const beside&)> get;
  // Appends the text of the value. If null, the text is that of `get`. Lists have this function, so that a report needs no
  // JSON value with all of its instructions.
  row_function<T, void(const T&, const beside&, std::size_t indent, std::string& out)> append = {};
  row_function<T, void(report_reader&, const node& parent, T&)> set;  // reads the value; null if other fields give it
  need when = need::always;
  row_function<T, bool(const T&, const beside&)> there = {};
  row_function<T, void(T&)> missing = {};  // sets the value if a report lacks the field
  std::uint64_t least = 0, most = 0;       // limits of a number; if `most` is 0, the limit is that of the number's type
  const void* of = nullptr;
  // The end of `meaning`. It states the condition under which the field is written, and the name of the field that the
  // condition compares.
  const char* when_in_words = "";
  const char* when_in_words_of = "";

  field named(const char* its_key, const char* its_meaning) && {
    key = its_key;
    meaning = its_meaning;
    return *this;
  }
  template <class F>
  field appended(F how) && {
    append = how;
    return *this;
  }
  template <class F>
  field read(F how) && {
    set = how;
    return *this;
  }
  field since() && {
    when = need::since;
    return *this;
  }
  template <class F>
  field given(F condition) && {
    when = need::given;
    there = condition;
    return *this;
  }
  template <class F>
  field exactly(F condition) && {
    when = need::exactly;
    there = condition;
    return *this;
  }
};

// A table of fields. It owns nothing, because a library may write its last report while objects are destroyed.
template <class T>
class fields {
 public:
  fields() = default;
  fields(std::initializer_list<field<T>> all) {
    for (const field<T>& f : all) push_back(f);
  }
  void push_back(const field<T>& f) {
    // If the array is too small, every test that builds the table stops here.
    if (size_ == std::size(all_)) std::abort();
    all_[size_++] = f;
  }
  const field<T>* begin() const { return all_; }
  const field<T>* end() const { return all_ + size_; }

 private:
  field<T> all_[80];
  std::size_t size_ = 0;
};

template <class T>
void append(fields<T>& to, const fields<T>& more) {
  for (const field<T>& f : more) to.push_back(f);
}

// --- types

inline constexpr const char* count_type = R"({"$ref": "#/definitions/count"})";
inline constexpr const char* positive_type = R"({"type": "integer", "minimum": 1})";
inline constexpr const char* integer_type = R"({"type": "integer", "minimum": 0})";
inline constexpr const char* pc_type = R"({"type": "integer", "minimum": 0, "multipleOf": 16})";
inline constexpr const char* text_type = R"({"type": "string"})";
inline constexpr const char* texts_type = R"({"type": "array", "items": {"type": "string"}})";
inline constexpr const char* flag_type = R"({"type": "boolean"})";
inline constexpr const char* triple_type = R"({"$ref": "#/definitions/triple"})";
inline constexpr const char* index_type = R"({"$ref": "#/definitions/index"})";
// --- rows

// Makes a field that is not read, because its value follows from other fields.
template <class T, class F>
field<T> derived(const char* key, json_type type, const char* meaning, F get) {
  field<T> f;
  f.key = key;
  f.type = type;
  f.meaning = meaning;
  f.get = get;
  return f;
}

// Makes a field without a key and a meaning. They come from a row of a table in src/model.
template <class T, class F>
field<T> form(json_type type, F get) {
  return derived<T>("", type, "", get);
}

// Makes the field of a member that is a text, a flag, a number or a triple.
template <class T, auto M>
field<T> plain(const char* key, const char* meaning, std::uint64_t least = 0, std::uint64_t most = 0) {
  using member = std::remove_cvref_t<decltype(std::declval<T>().*M)>;
  const char* type = text_type;
  if constexpr (std::is_same_v<member, bool>)
    type = flag_type;
  else if constexpr (std::is_integral_v<member>)
    type = least == 0 ? count_type : positive_type;
  else if constexpr (!std::is_same_v<member, std::string>)
    type = triple_type;
  field<T> f = derived<T>(key, type, meaning, [](const T& t) { return nlohmann::ordered_json(t.*M); });
  f.least = least;
  f.most = most != 0 ? most : sizeof(member) == 8 ? most_counted : most_u32;
  f.set = [](const field<T>& row, report_reader& r, const node& n, T& t) {
    if constexpr (std::is_same_v<member, bool>)
      t.*M = r.flag(n, row.key);
    else if constexpr (std::is_same_v<member, std::string>)
      t.*M = r.text(n, row.key);
    else if constexpr (std::is_integral_v<member>)
      t.*M = static_cast<member>(r.number(n, row.key, row.most, row.least));
    else
      t.*M = r.triple(n, row.key);
  };
  return f;
}

// Makes the field of an index with the numbers x, y and z. Each number may be 0.
template <class T, auto M>
field<T> index(const char* key, const char* meaning) {
  field<T> f = derived<T>(key, index_type, meaning, [](const T& t) { return nlohmann::ordered_json(t.*M); });
  f.set = [](const field<T>& row, report_reader& r, const node& n, T& t) { t.*M = r.triple(n, row.key, 0); };
  return f;
}

// --- conditions under which a field is present

inline bool keeps_accesses(const launch_report& l, const beside&) { return l.has_accesses; }
inline bool keeps_accesses(const site&, const beside& b) { return b.launch != nullptr && b.launch->has_accesses; }

// Adds the condition `When` to a field. `M` is the field's member, or null if the field has no member.
template <fact_when When, auto M = nullptr, class T>
field<T> where(field<T> f) {
  if constexpr (When == fact_when::added_later)
    return std::move(f).since();
  else if constexpr (When == fact_when::where_set)
    return std::move(f).given([](const T& t) { return is_set(t.*M); });
  else if constexpr (When == fact_when::of_recordings)
    return std::move(f).given(
        [](const T&, const beside& b) { return b.whole != nullptr && b.whole->origin == "recorded"; });
  else if constexpr (When == fact_when::of_partial)
    return std::move(f).exactly([](const T& t) { return is_set(t.partial); });
  else if constexpr (When == fact_when::of_checked)
    return std::move(f).given([](const T& t) { return is_set(t.checked) || is_set(t.*M); });
  else if constexpr (When == fact_when::with_accesses)
    return std::move(f).exactly([](const T& t, const beside& b) { return keeps_accesses(t, b); });
  else
    return f;
}

// Makes the field of a plain member. The smallest valid number is the member's value in a new object.
template <class T, auto M, fact_when When>
field<T> fact(const char* key, const char* meaning) {
  std::uint64_t least = 0;
  if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(std::declval<T>().*M)>>)
    least = static_cast<std::uint64_t>(T().*M);
  return where<When, M>(plain<T, M>(key, meaning, least));
}

// --- functions that read and write all fields

template <class T>
nlohmann::ordered_json write_fields(const fields<T>& all, const T& t, const beside& b) {
  nlohmann::ordered_json j = object_with_room(static_cast<std::size_t>(all.end() - all.begin()));
  for (const field<T>& f : all)
    if (!f.there || f.there(f, t, b)) add_member(j, f.key, f.get(f, t, b));
  return j;
}

// Writes a list. Each element is an object.
template <class T>
nlohmann::ordered_json write_all(const fields<T>& all, const std::vector<T>& list, const beside& b) {
  nlohmann::ordered_json j = list_with_room(list.size());
  for (const T& t : list) j.push_back(write_fields(all, t, b));
  return j;
}

// Appends the text of write_fields(all, t, b).
template <class T>
void append_fields(const fields<T>& all, const T& t, const beside& b, std::size_t indent, std::string& out) {
  std::vector<const field<T>*> present;
  for (const field<T>& f : all)
    if (!f.there || f.there(f, t, b)) present.push_back(&f);
  const bool has_list = std::any_of(present.begin(), present.end(), [](const field<T>* f) { return bool(f->append); });
  if (present.size() <= most_in_line && !has_list) return append_json(write_fields(all, t, b), indent, out);
  for (const field<T>* f : present) {
    append_key(f == present.front() ? '{' : ',', f->key, indent + 2, out);
    if (f->append)
      f->append(*f, t, b, indent + 2, out);
    else
      append_json(f->get(*f, t, b), indent + 2, out);
  }
  append_end('}', indent, out);
}

// Appends the text of write_all(all, list, b).
template <class T>
void append_all(const fields<T>& all, const std::vector<T>& list, const beside& b, std::size_t indent,
                std::string& out) {
  if (list.empty()) {
    out += "[]";
    return;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    append_item(i == 0 ? '[' : ',', indent + 2, out);
    append_fields(all, list[i], b, indent + 2, out);
  }
  append_end(']', indent, out);
}

// Reads all fields until the first error.
template <class T>
void read_fields(const fields<T>& all, report_reader& r, const node& n, T& t) {
  for (const field<T>& f : all) {
    if (r.wrong()) return;
    if (!f.set) continue;
    const bool may = f.when != need::exactly || f.there(f, t, {nullptr, r.launch, nullptr});
    if (!may) continue;
    if (f.when == need::always || f.when == need::exactly || r.has(n, f.key))
      f.set(f, r, n, t);
    else if (f.missing)
      f.missing(f, t);
  }
}

template <class T>
void read_all(const fields<T>& all, report_reader& r, const node& parent, const char* key, std::vector<T>& list,
              std::size_t most = most_in_list) {
  const node n = r.list(parent, key, most);
  for (std::size_t i = 0; i < r.size(n); ++i) read_fields(all, r, r.item(n, i), list.emplace_back());
}

// Makes the field of a list of objects. The objects have the fields `Of`, and the name `definition` in the schema.
template <class T, auto M, auto Of>
field<T> list_of(const char* key, const char* definition, const char* meaning, std::size_t most = most_in_list) {
  field<T> f = derived<T>(key, list_of_type(definition), meaning,
                          [](const T& t, const beside& b) { return write_all(Of(), t.*M, b); });
  f.append = [](const T& t, const beside& b, std::size_t indent, std::string& out) {
    append_all(Of(), t.*M, b, indent, out);
  };
  f.most = most;
  f.set = [](const field<T>& row, report_reader& r, const node& n, T& t) {
    read_all(Of(), r, n, row.key, t.*M, row.most);
  };
  return f;
}

// Makes the field of an object with fields `Of`.
template <class T, auto M, auto Of>
field<T> object(const char* key, const char* definition, const char* meaning) {
  field<T> f = derived<T>(key, object_type(definition), meaning,
                          [](const T& t, const beside& b) { return write_fields(Of(), t.*M, b); });
  f.set = [](const field<T>& row, report_reader& r, const node& n, T& t) {
    read_fields(Of(), r, r.value_at(n, row.key), t.*M);
  };
  return f;
}

template <class E, class T>
const field<E>& inner(const field<T>& row) {
  return *static_cast<const field<E>*>(row.of);
}

// Makes fields of an object from the fields of a part of the object. The given function returns a reference to this
// part, which must stay valid.
template <class T, class E, class F>
fields<T> within(const fields<E>& rows, F) {
  fields<T> all;
  for (const field<E>& part : rows) {
    field<T> f = derived<T>(part.key, part.type, part.meaning, [](const field<T>& row, const T& t, const beside& b) {
      return inner<E>(row).get(inner<E>(row), F{}(t), b);
    });
    f.when = part.when;
    f.of = &part;
    if (part.append)
      f.append = [](const field<T>& row, const T& t, const beside& b, std::size_t indent, std::string& out) {
        inner<E>(row).append(inner<E>(row), F{}(t), b, indent, out);
      };
    if (part.set)
      f.set = [](const field<T>& row, report_reader& r, const node& n, T& t) {
        inner<E>(row).set(inner<E>(row), r, n, F{}(t));
      };
    if (part.missing) f.missing = [](const field<T>& row, T& t) { inner<E>(row).missing(inner<E>(row), F{}(t)); };
    if (part.there)
      f.there = [](const field<T>& row, const T& t, const beside& b) {
        return inner<E>(row).there(inner<E>(row), F{}(t), b);
      };
    all.push_back(f);
  }
  return all;
}

// --- descriptions of fields

struct described_field {
  std::string key, type, meaning;
  bool required = false;  // whether every report must have the field
  bool optional = false;  // whether new reports may lack the field
};
struct described_object {
  std::string name, meaning;
  std::vector<described_field> fields;
};

template <class T>
described_object describe(const char* name, const char* meaning, const fields<T>& all) {
  described_object o{name, meaning, {}};
  for (const field<T>& f : all)
    o.fields.push_back({f.key, to_text(f.type),
                        std::string(f.meaning) + f.when_in_words +
                            (*f.when_in_words_of == '\0' ? "" : formatted("`{}`", f.when_in_words_of)),
                        f.when == need::always, f.when == need::given || f.when == need::exactly});
  return o;
}

}  // namespace bankwise
