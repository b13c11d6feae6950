// Tests the reader of comma-separated values: quoted and unquoted fields, and the line and column of each field.
#include "base/csv.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

std::string fields_of(const std::vector<csv_field>& fields) {
  std::string s;
  for (const csv_field& f : fields) s += "[" + std::string(f.text) + "]@" + std::to_string(f.column);
  return s;
}

TEST(Csv, FieldsHaveTheirPlace) {
  csv_reader r("a, b ,c\r\n\n\"x, \"\"y\"\"\",2\n", "t.csv");
  EXPECT_EQ(fields_of(**r.next()), "[a]@1[b]@3[c]@7");
  EXPECT_EQ(r.line(), 1u);
  EXPECT_EQ(fields_of(**r.next()), "[x, \"y\"]@1[2]@12");
  EXPECT_EQ(r.line(), 3u);  // the empty line counts as a line, but is not a row
  EXPECT_FALSE(r.next()->has_value());
}

TEST(Csv, AQuoteMayGoOverLines) {
  csv_reader r("\"a\nb\",1\nc,2\n", "t.csv");
  EXPECT_EQ(fields_of(**r.next()), "[a\nb]@1[1]@7");
  EXPECT_EQ(fields_of(**r.next()), "[c]@1[2]@3");
  EXPECT_EQ(r.line(), 3u);
}

TEST(Csv, AQuoteThatNeverClosesIsAnError) {
  csv_reader r(
      "\xef\xbb\xbf"
      "a,\"b\n",
      "t.csv");
  const auto row = r.next();
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().message, "the quote that opens here has no closing quote");
  EXPECT_EQ(row.error().where.column, 3u);  // columns are counted without the byte order mark
}

TEST(Csv, QuotesWhereTheyAreNeeded) {
  EXPECT_EQ(csv_quote("plain"), "plain");
  for (const char* text : {"a,b", "a\"b", "a\nb"}) {
    const std::string line = csv_quote(text) + "\n";
    csv_reader r(line, "t.csv");
    EXPECT_EQ((**r.next())[0].text, text);
  }
}

TEST(Csv, ALineOfCommasIsRefusedSoon) {
  const std::string commas(5'000'000, ','), most(most_csv_fields - 1, ',');
  csv_reader r(commas, "t.csv"), fits(most, "t.csv");
  EXPECT_EQ(r.next().error().message, "the line has more than 4,096 fields");
  EXPECT_EQ((**fits.next()).size(), most_csv_fields);
}

// A spreadsheet evaluates cells that begin with these characters, also after blanks.
TEST(Csv, NoTextIsAFormula) {
  EXPECT_EQ(csv_text("=HYPERLINK(0)"), "'=HYPERLINK(0)");
  for (const char* text : {"+1", "-1", "@sum", " =1", "\t=1"}) EXPECT_EQ(csv_text(text)[0], '\'') << text;
  EXPECT_EQ(csv_text("=a,b"), "\"'=a,b\"");
  EXPECT_EQ(csv_text("a\nb\x1b"), "a\\nb\\x1b");
  EXPECT_EQ(csv_text("void k(int*)"), "void k(int*)");
}

}  // namespace
}  // namespace bankwise
