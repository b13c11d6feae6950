// The result of a search as JSON, which bankwise also reads: to merge shards, and to show a saved result again.
//
//     {"schema": "bankwise.tune/1", "names": ["TILE"], "gpus": ["H100 SXM"],
//      "configurations": [{"index": 0, "values": {"TILE": "16"}, "outcome": "ranked", "times": [...]}],
//      "rankings": [{"gpu": "H100 SXM", "order": [0], "like_best": [0], "short_list": [0]}]}
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "tune/tuned.hpp"

namespace bankwise::tune {

std::string to_json(const tuned& t);
result<tuned> read_tuned(std::string_view text, const std::string& file);
// Whether a JSON text is the result of a search. Looks only at its beginning.
bool is_tuned(std::string_view text);

}  // namespace bankwise::tune
