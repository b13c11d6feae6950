// The fields of the JSON of a report, a row each: key, type, meaning, and how it is got from a value and put into one. Writer,
// reader, JSON schema, the reference page and the page's types all come from these rows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/report.hpp"
#include "report/advice_report.hpp"
#include "report/json_reader.hpp"

namespace bankwise {

// What a field may depend on beside its own value. Null: that is not known, or there is none.
struct beside {
  const report* whole = nullptr;
  const launch_report* launch = nullptr;
  const std::vector<advice_report>* fixes = nullptr;  // of the launch
};

// What is known while a report is read.
struct report_reader : json_reader {
  using json_reader::json_reader;
  machine on;
  const launch_report* launch = nullptr;
  const std::vector<std::string_view>* launches = nullptr;  // their texts, in place of the list (report_parts.hpp)
  bool broken = false;                                      // one of them is no JSON
};

enum class need : std::uint8_t {
  always,   // written, and an error where it is missing
  since,    // written; reports of before do not have it
  given,    // written where `there` holds
  exactly,  // where `there` holds it is written, and an error where it is missing
};

// A function of a row. What it captures is kept to the end, as the tables are: std::function, which could also copy and free it, takes
// the compiler seconds for all rows.
template <class Signature>
class row_function;
template <class R, class... Parameters>
class row_function<R(Parameters...)> {
 public:
  row_function() = default;
  template <class F>
    requires(!std::is_same_v<F, row_function>)
  row_function(F f)
      : captured_(new F(std::move(f))),
        call_([](const void* captured, Parameters... p) -> R { return (*static_cast<const F*>(captured))(p...); }) {}

  R operator()(Parameters... p) const { return call_(captured_, p...); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  const void* captured_ = nullptr;
  R (*call_)(const void*, Parameters...) = nullptr;
};

template <class T>
struct field {
  const char* key;
  std::string type;  // in JSON schema
  std::string meaning;
  row_function<nlohmann::ordered_json(const T&, const beside&)> get;
  row_function<void(report_reader&, const node& parent, T&)> set;  // empty: it follows from others, or is read with one
  need when = need::always;
  row_function<bool(const T&, const beside&)> there = {};
  row_function<void(T&)> missing =
      {};  // what it is where a report does not have it, if that is not what a new value has

  field since() && {
    when = need::since;
    return std::move(*this);
  }
  template <class F>
  field given(F condition) && {
    return std::move(*this).where(need::given, condition);
  }
  template <class F>
  field exactly(F condition) && {
    return std::move(*this).where(need::exactly, condition);
  }

 private:
  template <class F>
  field where(need n, F condition) && {
    when = n;
    there = [condition](const T& t, const beside& b) {
      if constexpr (std::is_invocable_v<F, const T&>)
        return static_cast<bool>(condition(t));
      else
        return static_cast<bool>(condition(t, b));
    };
    return std::move(*this);
  }
};
template <class T>
using fields = std::vector<field<T>>;

// A table of fields that is there to the end: what programs load writes its last report when others are gone.
template <class T>
const fields<T>& kept(fields<T> all) {
  return *new fields<T>(std::move(all));
}

template <class T>
void append(fields<T>& to, fields<T> more) {
  for (field<T>& f : more) to.push_back(std::move(f));
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
inline std::string object_type(const std::string& definition) {
  return R"({"$ref": "#/definitions/)" + definition + "\"}";
}
inline std::string list_type(const std::string& items) { return R"({"type": "array", "items": )" + items + "}"; }

// --- rows

// A field that follows from others.
template <class T, class F>
field<T> derived(const char* key, std::string type, std::string meaning, F get) {
  return {key,
          std::move(type),
          std::move(meaning),
          [get](const T& t, const beside& b) {
            if constexpr (std::is_invocable_v<F, const T&>)
              return nlohmann::ordered_json(get(t));
            else
              return nlohmann::ordered_json(get(t, b));
          },
          {}};
}

// One that is a member.
template <class T, class C, class M>
field<T> plain(const char* key, M C::*m, std::string meaning, std::uint64_t least = 0, std::uint64_t most = 0) {
  const char* type = text_type;
  if constexpr (std::is_same_v<M, bool>)
    type = flag_type;
  else if constexpr (std::is_integral_v<M>)
    type = least == 0 ? count_type : positive_type;
  else if constexpr (!std::is_same_v<M, std::string>)
    type = triple_type;
  field<T> f{
      key, type, std::move(meaning), [m](const T& t, const beside&) { return nlohmann::ordered_json(t.*m); }, {}};
  f.set = [=](report_reader& r, const node& n, T& t) {
    if constexpr (std::is_same_v<M, bool>)
      t.*m = r.flag(n, key);
    else if constexpr (std::is_same_v<M, std::string>)
      t.*m = r.text(n, key);
    else if constexpr (std::is_integral_v<M>)
      t.*m = static_cast<M>(r.number(n, key, most != 0 ? most : sizeof(M) == 8 ? most_counted : most_u32, least));
    else
      t.*m = r.triple(n, key);
  };
  return f;
}

// An index of x, y and z, from 0.
template <class T, class C>
field<T> index(const char* key, std::array<std::uint32_t, 3> C::*m, std::string meaning) {
  return {key, index_type, std::move(meaning), [m](const T& t, const beside&) { return nlohmann::ordered_json(t.*m); },
          [=](report_reader& r, const node& n, T& t) { t.*m = r.triple(n, key, 0); }};
}

// --- all fields of a value

template <class T>
nlohmann::ordered_json write_fields(const fields<T>& all, const T& t, const beside& b) {
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  for (const field<T>& f : all)
    if (!f.there || f.there(t, b)) j[f.key] = f.get(t, b);
  return j;
}

// The same of each of a list.
template <class T>
nlohmann::ordered_json write_all(const fields<T>& all, const std::vector<T>& list, const beside& b) {
  nlohmann::ordered_json j = nlohmann::ordered_json::array();
  for (const T& t : list) j.push_back(write_fields(all, t, b));
  return j;
}

// Up to the first error.
template <class T>
void read_fields(const fields<T>& all, report_reader& r, const node& n, T& t) {
  for (const field<T>& f : all) {
    if (r.wrong()) return;
    if (!f.set) continue;
    const bool may = f.when != need::exactly || f.there(t, {nullptr, r.launch, nullptr});
    if (!may) continue;
    if (f.when == need::always || f.when == need::exactly || r.has(n, f.key))
      f.set(r, n, t);
    else if (f.missing)
      f.missing(t);
  }
}

template <class T>
void read_all(const fields<T>& all, report_reader& r, const node& parent, const char* key, std::vector<T>& list,
              std::size_t most = most_in_list) {
  const node n = r.list(parent, key, most);
  for (std::size_t i = 0; i < r.size(n); ++i) read_fields(all, r, r.item(n, i), list.emplace_back());
}

// A list of values with fields of their own, which are `definition` of the schema.
template <class T, class E>
field<T> list_of(const char* key, std::vector<E> T::*m, const fields<E>& (*of)(), const char* definition,
                 std::string meaning, std::size_t most = most_in_list) {
  return {key, list_type(object_type(definition)), std::move(meaning),
          [=](const T& t, const beside& b) { return write_all(of(), t.*m, b); },
          [=](report_reader& r, const node& n, T& t) { read_all(of(), r, n, key, t.*m, most); }};
}

// A value with fields of its own.
template <class T, class E>
field<T> object(const char* key, E T::*m, const fields<E>& (*of)(), const char* definition, std::string meaning) {
  return {key, object_type(definition), std::move(meaning),
          [=](const T& t, const beside& b) { return write_fields(of(), t.*m, b); },
          [=](report_reader& r, const node& n, T& t) { read_fields(of(), r, r.at(n, key), t.*m); }};
}

// Fields of a part, as fields of the whole. `part_of` gives a reference to the part.
template <class T, class E, class F>
fields<T> within(const fields<E>& rows, F part_of) {
  fields<T> all;
  for (const field<E>& f : rows) {
    field<T> g{f.key,     f.type,
               f.meaning, [get = f.get, part_of](const T& t, const beside& b) { return get(part_of(t), b); },
               {},        f.when};
    if (f.set) g.set = [set = f.set, part_of](report_reader& r, const node& n, T& t) { set(r, n, part_of(t)); };
    if (f.missing) g.missing = [missing = f.missing, part_of](T& t) { missing(part_of(t)); };
    if (f.there) g.there = [there = f.there, part_of](const T& t, const beside& b) { return there(part_of(t), b); };
    all.push_back(std::move(g));
  }
  return all;
}

// --- what is said of them

struct described_field {
  std::string key, type, meaning;
  bool required = false;  // of every report
  bool optional = false;  // not in every report that is written today
};
struct described_object {
  std::string name, meaning;
  std::vector<described_field> fields;
};

template <class T>
described_object describe(const char* name, const char* meaning, const fields<T>& all) {
  described_object o{name, meaning, {}};
  for (const field<T>& f : all)
    o.fields.push_back(
        {f.key, f.type, f.meaning, f.when == need::always, f.when == need::given || f.when == need::exactly});
  return o;
}

}  // namespace bankwise
