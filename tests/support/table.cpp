#include "support/table.hpp"

#include "base/csv.hpp"
#include "base/text.hpp"

namespace bankwise::test {

std::vector<table_row> read_table(std::string_view text, const std::string& name) {
  csv_reader csv(text, name);
  std::vector<std::string> header;
  const auto first = csv.next().value().value();
  for (const csv_field& f : first) header.emplace_back(f.text);
  std::vector<table_row> rows;
  while (const auto fields = csv.next().value()) {
    table_row& r = rows.emplace_back();
    for (std::size_t i = 0; i < fields->size(); ++i) r[header.at(i)] = (*fields)[i].text;
  }
  return rows;
}

std::uint64_t number_in(const table_row& row, const std::string& column) { return parse_u64(row.at(column)).value(); }

}  // namespace bankwise::test
