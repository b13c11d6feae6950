// The measures, as listed in measures.def: what is counted and can be wasted, and the keys of budgets that limit it.
//
//     row_of(measure::removable).of(s)     the removable wavefronts of an instruction
//     row_of(measure::sectors).many        "sectors"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/launch.hpp"

namespace bankwise {

enum class measure : std::uint8_t {
#define MEASURE(name, record, count, ideal, excess, waste, table, diff, head, one, many) name,
#include "model/measures.def"
  none
};
inline constexpr std::size_t measures = static_cast<std::size_t>(measure::none);

// Where the numbers of a measure are: in the sites or the loops of sites, in the global sites of one kind of memory
// (textures and surfaces are one kind), or in the predicted time of the launch.
enum class measure_record : std::uint8_t { shared, retried, global, local, texel, time };
enum class measure_table : std::uint8_t {
  never,
  number,
  dash,       // instead of 0, the table shows a dash
  where_any,  // the same, and there is only a column if any number is not 0
};
// Where a diff shows a measure. Each value includes the values from `side` to itself.
enum class measure_diff : std::uint8_t {
  never,
  verdict,    // only in the verdict, if the total changed
  where_any,  // in the verdict, and as `ranked` if any number is not 0
  side,       // in the JSON, as a number of each report
  change,     // in the JSON and the CSV, as a difference
  column,     // in tables
  ranked,     // in the order of lines
  estimated,  // with its possible error if a report is an estimate
};

constexpr measure_record record_of(memory_kind m) {
  return m == memory_kind::global  ? measure_record::global
         : m == memory_kind::local ? measure_record::local
                                   : measure_record::texel;
}

struct measure_row {
  measure is;
  const char* name;
  measure_record record;
  const char* count;
  measure ideal, excess, waste;
  measure_table table;
  measure_diff diff;
  const char *head, *one, *many;
  // The rows with the name in `count`; null if they are not for this record. `of_sum` is also null if samples have no
  // interval for the count.
  const count_row* of_site;
  const total_row* of_sum;
  const retry_row* of_loop;
  const global_count_row* of_global;

  bool is_of_sectors() const { return of_global != nullptr; }
  // Return the number of an instruction. If the measure is in another record, the number is 0.
  std::uint64_t of(const site& s) const {
    return of_site != nullptr ? of_site->value(s) : of_loop != nullptr ? s.again.*of_loop->member : 0;
  }
  std::uint64_t of(const global_site& s) const {
    return record_of(memory_of(s.kind)) == record ? of_global->value(s) : 0;
  }
  std::uint64_t of(const predicted_time& t) const {
    return record != measure_record::time ? 0 : is == measure::nanoseconds ? t.nanoseconds : t.cycles;
  }
  // Returns the interval of a sample, or null if it is unknown. `within` belongs to a site, a global site or a launch.
  const interval* in(const std::vector<interval>& within) const {
    if (!is_sampled()) return nullptr;
    const auto at = static_cast<std::size_t>(of_sum != nullptr ? of_sum - total_rows : of_global - global_count_rows);
    return at < within.size() ? &within[at] : nullptr;
  }
  bool is_sampled() const { return of_global != nullptr || of_sum != nullptr; }
};

namespace measures_detail {
template <class Row, std::size_t N>
constexpr const Row* find(bool applies, const Row (&rows)[N], std::string_view name) {
  for (const Row& r : rows)
    if (applies && name == r.name) return &r;
  return nullptr;
}
constexpr measure_row complete(measure_row m) {
  const bool is_shared = m.record == measure_record::shared;
  m.of_site = find(is_shared, count_rows, m.count);
  m.of_sum = find(is_shared, total_rows, m.count);
  m.of_loop = find(m.record == measure_record::retried, retry_rows, m.count);
  m.of_global =
      find(m.record >= measure_record::global && m.record <= measure_record::texel, global_count_rows, m.count);
  return m;
}
}  // namespace measures_detail

inline constexpr measure_row measure_rows[] = {
#define MEASURE(name, record, count, ideal, excess, waste, table, diff, head, one, many)                            \
  measures_detail::complete({measure::name, #name, measure_record::record, #count, measure::ideal, measure::excess, \
                             measure::waste, measure_table::table, measure_diff::diff, head, one, many, nullptr,    \
                             nullptr, nullptr, nullptr}),
#include "model/measures.def"
};
constexpr const measure_row& row_of(measure m) { return measure_rows[static_cast<std::size_t>(m)]; }

// --- limits of budgets

enum class limit_form : std::uint8_t {
  number,        // the number itself
  ratio,         // the number divided by its ideal: 1 or more
  microseconds,  // nanoseconds, written as microseconds
};

struct limit_row {
  const char* key;
  measure of;
  limit_form form;
  measure worst;
  bool init;
};

inline constexpr limit_row limit_rows[] = {
#define LIMIT(key, of, form, worst, init) {key, measure::of, limit_form::form, measure::worst, init},
#include "model/measures.def"
};

}  // namespace bankwise
