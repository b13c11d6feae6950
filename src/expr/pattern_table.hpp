// Reads tables of accesses, such as data/sm_90/wavefronts.csv and cycles.csv.zst:
//
//     op,mask,source_stride,a0,...,a31
//     ld.b64,ffffffff,,0,8,16,...
//     cp.async.ca.8,0000ffff,8,0,8,16,...        source_stride: bytes between the lanes' global addresses
//
// Instead of source_stride, the columns s0,...,s31 may contain the source address of each lane. Without any of these
// columns, the source is contiguous.
//
// Columns are found by name, and unknown columns are ignored. An address column may be missing or empty for lanes that
// are not in the mask.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bankwise/source_page.hpp"
#include "bankwise/wavefronts.hpp"
#include "base/csv.hpp"
#include "base/result.hpp"
#include "expr/names/operation_names.hpp"

namespace bankwise {

struct pattern {
  named_operation op;
  access what{};
  copy_source from{};  // source of a cp.async

  cost value(const bank_model& m) const { return analyze(what, from, m); }
  page_count page(const bank_model& m) const { return source_page(what, from, m); }
};

class pattern_table {
 public:
  // Reads the header. `text` must exist as long as the table.
  static result<pattern_table> open(std::string_view text, std::string name);
  // Returns the next row, or nothing at the end. Errors contain the line and the column.
  result<std::optional<pattern>> next();
  // Returns the field in this column of the latest row from next(). Returns nothing if the table has no such column.
  std::optional<std::string_view> field(std::string_view column) const;
  // Returns an error about the latest row, in the same form as the errors of next().
  diagnostic error(std::string message, std::string hint = {}) const {
    return csv_.error(std::move(message), std::move(hint));
  }

 private:
  explicit pattern_table(csv_reader csv) : csv_(std::move(csv)) {}

  csv_reader csv_;
  std::vector<std::string> columns_;
  std::vector<csv_field> row_;
  int op_ = -1, mask_ = -1, source_stride_ = -1;
  std::array<int, 32> address_{}, source_{};
};

}  // namespace bankwise
