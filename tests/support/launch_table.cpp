#include "support/launch_table.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/csv.hpp"
#include "base/flag_values.hpp"
#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise::test {

std::vector<launch_row> read_launches(const std::string& folder) {
  const std::string path = source_path(folder + "/launches.csv"), text = read_text(path);
  csv_reader reader(text, path);
  std::vector<launch_row> all;
  auto row = reader.next();  // the header
  for (row = reader.next(); row && *row; row = reader.next()) {
    const std::vector<csv_field>& f = **row;
    if (f.size() < 6) break;
    const flag_values values{{{"grid", {std::string(f[2].text)}}, {"block", {std::string(f[3].text)}}}};
    const auto grid = triple(values, "grid", {}), block = triple(values, "block", {});
    const auto shared = parse_u64(f[4].text);
    if (!grid || !block || !shared) break;
    launch_row l{std::string(f[0].text), {}, {}};
    l.launch.cubin = folder + "/" + l.program + ".cubin";
    l.launch.kernel = f[1].text;
    l.launch.grid = *grid;
    l.launch.block = *block;
    l.launch.shared = static_cast<std::uint32_t>(*shared);
    for (const std::string_view word : split(f[5].text, ' ')) l.launch.arguments.emplace_back(word);
    for (std::size_t i = 6; i < f.size(); ++i) l.more.emplace_back(f[i].text);
    all.push_back(std::move(l));
  }
  if (!row || *row) {
    std::fprintf(stderr, "%s:%u: this line is not a row of launches\n", path.c_str(), reader.line());
    std::abort();
  }
  return all;
}

}  // namespace bankwise::test
