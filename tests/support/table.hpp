// A table whose fields are found by the names of their columns.
//
//     loop,warps,clocks
//     cas,4,8038            {{"loop", "cas"}, {"warps", "4"}, {"clocks", "8038"}}
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::test {

using table_row = std::map<std::string, std::string>;
// Reads the text of a CSV with a header. `name` is for errors, which end the test program.
std::vector<table_row> read_table(std::string_view text, const std::string& name);
std::uint64_t number_in(const table_row& row, const std::string& column);

}  // namespace bankwise::test
