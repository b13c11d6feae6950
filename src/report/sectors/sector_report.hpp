// The answer of `bankwise explain --space global` about one access: its sectors and lines, the reasons for their
// number, and what reduces their number.
//
//     8 sectors: 128 of the 256 bytes that they move are asked for; 4 would do
//
//       requests    1
//       sectors     8   ideal 4, excess 4; used in part 8
//       ...         the picture of sector_picture.hpp, and the remedies
#pragma once

#include <string>
#include <vector>

#include "advise/sectors/global_remedies.hpp"
#include "bankwise/global_explanation.hpp"
#include "expr/global_question.hpp"
#include "report/table/style.hpp"

namespace bankwise {

struct sector_report : named_global_access {
  global_explanation why{};
  std::vector<advise::global_remedy> remedies;
};

// `flags` are the flags of the question. Remedies are commands with these flags.
sector_report report_sectors(const flag_values& flags, const std::string& text, const std::string& list_name,
                             named_global_access q);

// Returns the reasons why the access touches more sectors than its bytes fill, one sentence for each.
std::vector<std::string> reasons_of(const sector_report& r);
// Returns a sentence with the number of sectors and the used part of their bytes.
std::string verdict(const sector_report& r);
// Return the evidence for the counts, such as "measured", and its source.
const char* evidence_of(const sector_report& r);
const char* evidence_source_of(const sector_report& r);

// With `all`, lists every line and sector. Otherwise, lists only the first ones.
std::string to_text(const sector_report& r, const style& s, bool all);
// Writes the answer as JSON. Its schema is bankwise.explain-global/1, docs/reference/explain-global.schema.json.
std::string to_json(const sector_report& r);
// Returns C++ code that does not compile if the access touches more sectors.
std::string to_cpp(const sector_report& r);

}  // namespace bankwise
