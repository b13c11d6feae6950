// A space: the configurations that are compared, from dimensions and constraints, or from a file that lists them.
//
//     TILE=16,32  STAGES=2..3  where TILE*STAGES<=64      16 2, 16 3, 32 2
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tune/configuration.hpp"
#include "tune/dimension.hpp"

namespace bankwise::tune {

struct space {
  std::vector<std::string> names;
  std::vector<configuration> configurations;  // the last name changes fastest
};

// Returns all combinations of the values for which every constraint is true. Fails if a name occurs twice, if no
// combination is left, or if there are too many.
result<space> combine(const std::vector<dimension>& dimensions, const std::vector<std::string>& constraints,
                      const std::map<std::string, std::int64_t, std::less<>>& constants);

// Reads a list of configurations. A CSV file has a column for each name. A TOML file has a table for each configuration:
//
//     TILE,STAGES        [[configuration]]
//     16,2               TILE = 16
//     32,3               STAGES = 2
result<space> read_configurations(std::string_view text, const std::string& file);

// Removes the configurations for which a constraint is false.
result<space> constrain(space all, const std::vector<std::string>& constraints,
                        const std::map<std::string, std::int64_t, std::less<>>& constants);

// One of the parts into which several machines divide a space: number 2 of 3 has the configurations 1, 4, 7, ...,
// counted from 0.
struct shard {
  std::size_t number = 1, of = 1;
  bool has(std::size_t index) const { return index % of == number - 1; }
  bool operator==(const shard&) const = default;
};
result<shard> parse_shard(std::string_view text, std::string_view what);

}  // namespace bankwise::tune
