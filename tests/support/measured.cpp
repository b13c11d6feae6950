#include "support/measured.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise::test {

namespace {

enum column { program, launch, kernel, grid, block, pc, sass, source, executed, lanes, wavefronts, ideal, columns };

std::string nvdisasm_spelling(std::string text) {
  while (text.find("  ") != std::string::npos) text.erase(text.find("  "), 1);
  const auto operands = text.find(" desc["), comma = text.find(", [");
  if (text.find("LDGSTS") == std::string::npos || operands == std::string::npos || comma == std::string::npos)
    return text;
  return text.substr(0, operands + 1) + text.substr(comma + 2) + ", " + text.substr(operands + 1, comma - operands - 1);
}

std::string triple(const std::array<std::uint32_t, 3>& v) {
  return std::to_string(v[0]) + "x" + std::to_string(v[1]) + "x" + std::to_string(v[2]);
}

}  // namespace

std::vector<measured_launch> read_measured(const std::string& path) {
  const std::string text = read_text(path);
  csv_reader reader(text, path);
  std::vector<measured_launch> all;
  std::string current;
  auto row = reader.next();  // the header
  for (row = reader.next(); row && *row; row = reader.next()) {
    const std::vector<csv_field>& f = **row;
    if (f.size() != columns) break;
    if (f[sass].text.find("REDG") != std::string_view::npos || f[sass].text.find("REDUX") != std::string_view::npos)
      continue;
    const std::string id = std::string(f[program].text) + "," + std::string(f[launch].text);
    if (id != current || all.empty()) all.push_back({std::string(f[program].text), std::string(f[kernel].text), {}});
    current = id;
    std::string line;
    for (int i = kernel; i < columns; ++i)
      line += (i == kernel ? "" : ",") + (i == sass ? nvdisasm_spelling(std::string(f[sass].text))
                                                    : std::string(f[static_cast<unsigned>(i)].text));
    all.back().rows.push_back(line);
  }
  if (!row || *row) {
    std::fprintf(stderr, "%s:%u: this line is not a row of measured counts\n", path.c_str(), reader.line());
    std::abort();
  }
  return all;
}

std::map<std::string, timed_kernel> read_timed(const std::string& path) {
  const std::string whole = source_path(path), text = read_text(whole);
  csv_reader reader(text, whole);
  reader.next().value();
  std::map<std::string, timed_kernel> all;
  for (auto row = reader.next(); row && *row; row = reader.next())
    all[std::string((**row)[0].text)] = {parse_u64((**row)[1].text).value(), std::string((**row)[2].text)};
  return all;
}

std::vector<std::string> rows_of(const launch_report& l) {
  std::vector<std::string> rows;
  for (const site& s : l.sites) {
    std::string row = l.name + "," + triple(l.grid) + "," + triple(l.block) + ",0x" + hex(s.pc) + "," + s.sass + "," +
                      s.file.substr(s.file.find_last_of('/') + 1) + ":" + std::to_string(s.line);
    for (const std::uint64_t n : {s.executed, s.lanes, s.ncu_wavefronts, s.ncu_ideal}) row += "," + std::to_string(n);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace bankwise::test
