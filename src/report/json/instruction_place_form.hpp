// Reads and writes the keys of instruction_place.def. Every kind of site has these keys.
#pragma once

#include "base/text.hpp"
#include "report/json/report_fields.hpp"
#include "report/json/time_fields.hpp"

namespace bankwise::instruction_place_form {

template <class T>
bool is_inlined(const T& s) {
  return s.outer_line != s.line || s.outer_file != s.file;
}

template <class T>
field<T> file() {
  return form<T>(text_type, [](const T& s) { return base_name(s.file); })
      .read([](report_reader& r, const node& n, T& s) {
        s.outer_file = s.file = r.text(n, r.has(n, "path") ? "path" : "file");
        s.outer_line = s.line = r.number_32(n, "line");
        if (s.file.empty() && s.line != 0) r.fail(r.value_at(n, "line"), "the place has a line but no file");
      });
}
template <class T>
field<T> path() {
  return form<T>(text_type, [](const T& s) { return s.file; });
}
template <class T>
field<T> line() {
  return form<T>(integer_type, [](const T& s) { return s.line; });
}

template <class T>
field<T> outer_file() {
  return form<T>(text_type, [](const T& s) { return base_name(s.outer_file); })
      .read([](report_reader& r, const node& n, T& s) {
        s.outer_file = r.text(n, r.has(n, "outer_path") ? "outer_path" : "outer_file");
        s.outer_line = r.number_32(n, "outer_line");
      })
      .given([](const T& s) { return is_inlined(s); });
}
template <class T>
field<T> outer_path() {
  return form<T>(text_type, [](const T& s) { return s.outer_file; }).given([](const T& s) { return is_inlined(s); });
}
template <class T>
field<T> outer_line() {
  return form<T>(integer_type, [](const T& s) { return s.outer_line; }).given([](const T& s) { return is_inlined(s); });
}

template <class T>
field<T> ptx_line() {
  return form<T>(integer_type, [](const T& s) { return s.ptx_line; }).read([](report_reader& r, const node& n, T& s) {
    s.ptx_line = r.number_32(n, "ptx_line");
  });
}

// Makes a field that every kind of site has in addition to the place.
template <class T>
field<T> stall_cycles() {
  return form<T>(stall_cycles_type, [](const T& s) { return stalls_json(s.stalls); })
      .read([](report_reader& r, const node& n, T& s) { s.stalls = read_stalls(r, n, "stall_cycles"); });
}

}  // namespace bankwise::instruction_place_form

// Defines the functions of the keys, by name, for sites of type T.
#define INSTRUCTION_PLACE_FORMS(T)                                   \
  constexpr auto file = instruction_place_form::file<T>;             \
  constexpr auto path = instruction_place_form::path<T>;             \
  constexpr auto line = instruction_place_form::line<T>;             \
  constexpr auto outer_file = instruction_place_form::outer_file<T>; \
  constexpr auto outer_path = instruction_place_form::outer_path<T>; \
  constexpr auto outer_line = instruction_place_form::outer_line<T>; \
  constexpr auto ptx_line = instruction_place_form::ptx_line<T>;     \
  constexpr auto stall_cycles = instruction_place_form::stall_cycles<T>;
