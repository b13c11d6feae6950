#include "report/forms/site_table.hpp"

#include <algorithm>
#include <map>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "model/shared_traffic.hpp"
#include "report/table/estimate_report.hpp"

namespace bankwise {

namespace {

std::string source_of(const instruction_place& s) {
  return s.file.empty() ? "" : formatted("{}:{}", s.file.substr(s.file.find_last_of('/') + 1), s.line);
}
std::string by(const std::array<std::uint32_t, 3>& t) { return formatted("{}x{}x{}", t[0], t[1], t[2]); }

// Returns the low or high end of an interval, or an empty string if there is no interval.
std::string end_cell(const site* s, std::string_view count, std::uint64_t interval::*end) {
  const interval* const i = s == nullptr ? nullptr : interval_of(s->within, count);
  return i == nullptr ? "" : std::to_string(i->*end);
}

// A column that is not a count. In the row of an instruction on global memory, `s` is null.
struct csv_column {
  unsigned place;  // position of the column, from 1, as in counts.def
  const char* name;
  std::string (*cell)(const launch_report& l, std::size_t number, const instruction_place& at, const site* s);
};

constexpr csv_column plain_columns[] = {
    {1, "kernel",
     [](const launch_report& l, std::size_t, const instruction_place&, const site*) { return csv_text(l.kernel); }},
    {2, "pc",
     [](const launch_report&, std::size_t, const instruction_place& at, const site*) {
       return formatted("0x{}", hex(at.pc));
     }},
    {3, "sass",
     [](const launch_report&, std::size_t, const instruction_place& at, const site*) { return csv_text(at.sass); }},
    {4, "source",
     [](const launch_report&, std::size_t, const instruction_place& at, const site*) {
       return csv_text(source_of(at));
     }},
    {13, "launch",
     [](const launch_report&, std::size_t number, const instruction_place&, const site*) {
       return std::to_string(number);
     }},
    {14, "grid", [](const launch_report& l, std::size_t, const instruction_place&, const site*) { return by(l.grid); }},
    {15, "block",
     [](const launch_report& l, std::size_t, const instruction_place&, const site*) { return by(l.block); }},
    {16, "count",
     [](const launch_report& l, std::size_t, const instruction_place&, const site*) {
       return std::to_string(l.count);
     }},
    {17, "executed_at_least",
     [](const launch_report&, std::size_t, const instruction_place&, const site* s) {
       return std::string(s != nullptr && s->executed_at_least ? "1" : "0");
     }},
    {18, "partial",
     [](const launch_report& l, std::size_t, const instruction_place&, const site*) {
       return std::string(l.partial ? "1" : "0");
     }},
    {24, "exactness",
     [](const launch_report& l, std::size_t, const instruction_place&, const site*) {
       return std::string(name_of(exactness_of(l)));
     }},
    {25, "wavefronts_low",
     [](const launch_report&, std::size_t, const instruction_place&, const site* s) {
       return end_cell(s, "wavefronts", &interval::low);
     }},
    {26, "wavefronts_high",
     [](const launch_report&, std::size_t, const instruction_place&, const site* s) {
       return end_cell(s, "wavefronts", &interval::high);
     }},
    {27, "removable_low",
     [](const launch_report&, std::size_t, const instruction_place&, const site* s) {
       return end_cell(s, "removable", &interval::low);
     }},
    {28, "removable_high",
     [](const launch_report&, std::size_t, const instruction_place&, const site* s) {
       return end_cell(s, "removable", &interval::high);
     }},
};

// Whether a count of global memory has its own column in the table. If not, the count shares the column of the same
// count of shared memory.
bool names_own_column(const global_count_row& c) {
  return c.member != &global_counts::executed && c.member != &global_counts::lanes;
}

// Returns the name of the column. If a count of shared memory has the same name, such as "bytes", the name gets the
// prefix "global_".
std::string column_name(const global_count_row& c) {
  const bool is_taken = std::any_of(std::begin(count_rows), std::end(count_rows),
                                    [&](const count_row& o) { return std::string_view(o.name) == c.name; });
  return is_taken ? formatted("global_{}", c.name) : c.name;
}

std::string count_cell(const count_row& c, const site& s) {
  if (c.when == count_when::of_generic && !s.generic) return {};
  if (c.when == count_when::of_asynchronous && is_access(s)) return {};
  return std::to_string(c.value(s));
}

// The columns about the whole launch are after the columns of counts.
unsigned place_of(const whole_row& w) { return 29 + static_cast<unsigned>(&w - whole_rows); }

// The next columns are the kind of memory and the counts of global memory.
constexpr unsigned place_of_space = 29 + std::size(whole_rows);
unsigned place_of(const global_count_row& c) { return place_of_space + c.column; }

// The next columns are the intervals of a sample.
constexpr const char* global_interval_columns[] = {"requests", "sectors", "excess_sectors", "tag_requests", "bytes"};
constexpr unsigned place_of_global_intervals = place_of_space + 100;

void add_global_intervals(std::map<unsigned, std::string>& row, const global_site* s) {
  unsigned place = place_of_global_intervals;
  for (const char* count : global_interval_columns) {
    const interval* const i = s == nullptr ? nullptr : global_interval_of(s->within, count);
    row[place++] = i == nullptr ? "" : std::to_string(i->low);
    row[place++] = i == nullptr ? "" : std::to_string(i->high);
  }
}

using cells = std::map<unsigned, std::string>;

// The last columns are the bytes that asynchronous operations move through shared memory, by launch.
constexpr unsigned place_of_traffic = 1100;
void add_traffic_names(cells& row) {
  unsigned place = place_of_traffic;
  for (const char* name : {"launch_asynchronous_bytes", "launch_byte_passes", "launch_tensor_cycles"})
    row[place++] = name;
}
void add_traffic(cells& row, const launch_report& l) {
  const shared_traffic sum = sum_of(traffic_of(l));
  unsigned place = place_of_traffic;
  for (const std::uint64_t n : {sum.bytes, sum.byte_passes, sum.tensor_cycles}) row[place++] = std::to_string(n);
}

std::string row_of(const cells& row) {
  std::string text;
  for (const auto& [place, content] : row) text += (text.empty() ? "" : ",") + content;
  return formatted("{}\n", text);
}

}  // namespace

std::string to_csv(const report& r) {
  cells names;
  for (const csv_column& c : plain_columns) names[c.place] = c.name;
  for (const count_row& c : count_rows)
    if (c.column != 0) names[c.column] = c.name;
  for (const whole_row& w : whole_rows) names[place_of(w)] = formatted("launch_{}", w.name);
  names[place_of_space] = "space";
  for (const global_count_row& c : global_count_rows)
    if (names_own_column(c)) names[place_of(c)] = column_name(c);
  for (unsigned n = 0; n < std::size(global_interval_columns); ++n) {
    const std::string name = column_name(global_count_row_of(global_interval_columns[n]));
    names[place_of_global_intervals + 2 * n] = formatted("{}_low", name);
    names[place_of_global_intervals + 2 * n + 1] = formatted("{}_high", name);
  }
  add_traffic_names(names);
  std::string text = row_of(names);
  std::size_t number = 0;
  for (const launch_report& l : r.launches) {
    for (const site& s : l.sites) {
      cells row;
      for (const csv_column& c : plain_columns) row[c.place] = c.cell(l, number, s, &s);
      for (const count_row& c : count_rows)
        if (c.column != 0) row[c.column] = count_cell(c, s);
      for (const whole_row& w : whole_rows) row[place_of(w)] = std::to_string(l.sum.*w.member);
      row[place_of_space] = "shared";
      for (const global_count_row& c : global_count_rows)
        if (names_own_column(c)) row[place_of(c)];
      add_global_intervals(row, nullptr);
      add_traffic(row, l);
      text += row_of(row);
    }
    for (const global_site& s : l.global_sites) {
      cells row;
      for (const auto& [place, name] : names) row[place];
      for (const csv_column& c : plain_columns) row[c.place] = c.cell(l, number, s, nullptr);
      for (const count_row& c : count_rows)
        if (c.column != 0 && (c.member == &counts::executed || c.member == &counts::lanes))
          row[c.column] = std::to_string(c.member == &counts::executed ? s.executed : s.lanes);
      for (const whole_row& w : whole_rows) row[place_of(w)] = std::to_string(l.sum.*w.member);
      row[place_of_space] = std::string(name_of(memory_of(s.kind)));
      for (const global_count_row& c : global_count_rows)
        if (names_own_column(c)) row[place_of(c)] = std::to_string(c.value(s));
      add_global_intervals(row, &s);
      add_traffic(row, l);
      text += row_of(row);
    }
    ++number;
  }
  return text;
}

}  // namespace bankwise
