// Tests lines and columns in the units of the protocol, names of files, and the ends of messages.
#include "lsp/document.hpp"

#include <gtest/gtest.h>

#include "lsp/uri.hpp"

namespace bankwise::lsp {
namespace {

TEST(Document, ColumnsAreUnitsOfUtf16) {
  EXPECT_EQ(utf16_length("abc"), 3u);
  EXPECT_EQ(utf16_length("größe"), 5u);
  EXPECT_EQ(utf16_length("𝄞x"), 3u);        // a character outside of the 16-bit range counts as two
  EXPECT_EQ(utf16_length("\xff\xc3"), 2u);  // each byte of invalid UTF-8 counts as one
  const document d("a\ngröße 𝄞 x\n");
  const std::size_t x = d.text().find('x');
  EXPECT_EQ(d.position_at(x), (position{1, 9}));
  EXPECT_EQ(d.offset({1, 9}), x);
  EXPECT_EQ(d.offset({1, 7}), d.text().find(" x") - 4);  // a column inside a surrogate pair means its start
}

TEST(Document, EndsOfLinesAreOfEveryKind) {
  const document d("one\r\ntwo\rthree\n\nfive");
  ASSERT_EQ(d.lines(), 5u);
  EXPECT_EQ(d.line(0), "one");
  EXPECT_EQ(d.line(1), "two");
  EXPECT_EQ(d.line(2), "three");
  EXPECT_EQ(d.line(3), "");
  EXPECT_EQ(d.line(4), "five");
  EXPECT_EQ(d.line(5), "");
}

TEST(Document, WhatIsBehindTheEndStandsThere) {
  const document d("one\ntwo");
  EXPECT_EQ(d.offset({0, most_position}), 3u);
  EXPECT_EQ(d.offset({most_position, 0}), 7u);
  EXPECT_EQ(d.position_at(1000), (position{1, 3}));
  EXPECT_EQ(document("").lines(), 1u);
  EXPECT_EQ(document("").position_at(0), (position{0, 0}));
}

TEST(Document, ALineIsWrittenBetweenItsBlanks) {
  EXPECT_EQ(document("  a b \t").written(0), (range{{0, 2}, {0, 5}}));
  EXPECT_EQ(document(" \t").written(0), (range{{0, 0}, {0, 2}}));
}

TEST(Uri, IsTheNameOfAFile) {
  EXPECT_EQ(path_of_uri("file:///a/my%20tile%2Ecu"), "/a/my tile.cu");
  EXPECT_EQ(path_of_uri("file://localhost/a"), "/a");
  EXPECT_EQ(path_of_uri("file:///a#L3"), "/a");
  for (const char* other : {"", "/a", "untitled:one", "http://a/b", "file:", "file://host/a", "file:///%", "file:///%0",
                            "file:///%zz", "file:///%00"})
    EXPECT_EQ(path_of_uri(other), std::nullopt) << other;
  for (const std::string path : {"/a/b.cu", "/größe", "/a b#?%", "/\xff"}) EXPECT_EQ(path_of_uri(file_uri(path)), path);
  EXPECT_EQ(file_uri("/a b"), "file:///a%20b");
}

}  // namespace
}  // namespace bankwise::lsp
