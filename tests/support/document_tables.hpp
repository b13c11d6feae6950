// Compares tables in documents with tables that a test computes. Each of these tables is between two comments of the
// document.
//
//     <!-- table: fixes_test -->
//     | kernel | wavefronts |
//     <!-- end of table -->
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

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

}  // namespace bankwise::test
