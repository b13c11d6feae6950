// Compares tables that a test computes with tables in documents and in CSV files. A table in a document is between two
// comments.
//
//     <!-- table: fixes_test -->
//     | kernel | wavefronts |
//     <!-- end of table -->
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise::test {

// Expects this text between the two comments of a document. `document` is a path below the source folder. With
// BANKWISE_REBASE, writes the text between the comments.
inline void expect_in_document(const std::string& document, const std::string& begin, const std::string& end,
                               const std::string& text) {
  const std::string path = source_path(document), page = read_text(path);
  const std::size_t from = page.find(begin) + begin.size(), to = page.find(end);
  ASSERT_TRUE(to != std::string::npos && from <= to);
  if (std::getenv("BANKWISE_REBASE") != nullptr)
    std::ofstream(path, std::ios::binary) << page.substr(0, from) + text + page.substr(to);
  else
    EXPECT_EQ(page.substr(from, to - from), text)
        << "the table in the document is out of date: run this test with BANKWISE_REBASE=1";
}

// Returns the rows of a Markdown table as CSV.
inline std::string rows_as_csv(const std::string& table) {
  std::string csv;
  for (const std::string_view line : split(table, '\n')) {
    if (!line.starts_with("| ")) continue;  // the line below the header, and the end
    std::string_view left = line.substr(2, line.size() - 4);
    for (bool more = true; more;) {
      const std::size_t end = left.find(" | ");
      more = end != std::string_view::npos;
      const std::string_view cell = left.substr(0, end);
      csv += (cell.find(',') == std::string_view::npos ? std::string(cell) : '"' + std::string(cell) + '"') +
             (more ? "," : "\n");
      left.remove_prefix(more ? end + 3 : left.size());
    }
  }
  return csv;
}

// Expects this Markdown table as a CSV file. `file` is a path below the source folder. With BANKWISE_REBASE, writes the
// file.
inline void expect_as_csv(const std::string& file, const std::string& table) {
  const std::string path = source_path(file), csv = rows_as_csv(table);
  if (std::getenv("BANKWISE_REBASE") != nullptr)
    std::ofstream(path, std::ios::binary) << csv;
  else
    EXPECT_EQ(read_text(path), csv) << file << " is out of date: run this test with BANKWISE_REBASE=1";
}

}  // namespace bankwise::test
