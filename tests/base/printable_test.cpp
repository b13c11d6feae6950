// Tests how text from files and programs is made printable.
#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

TEST(Printable, WhatTerminalsObeyIsSpelledOut) {
  EXPECT_EQ(printable("tr_pad\x1b[2J"), "tr_pad\\x1b[2J");
  EXPECT_EQ(printable("a\x07\x7f\r\n\tb"), "a\\x07\\x7f\\r\\n\\tb");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // U+009B means the same as ESC [
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202eb");  // U+202E makes the following text run from right to left
  EXPECT_EQ(printable("\xef\xbf\xbf\xef\xbb\xbf"), "\\uffff\\ufeff");
}

TEST(Printable, WhatIsNoUtf8IsSpelledOutByteByByte) {
  EXPECT_EQ(printable("\xff\xc3("), "\\xff\\xc3(");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // an invalid encoding of a slash in two bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair, which UTF-8 does not allow
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");
}

TEST(Printable, NamesOfAllLanguagesStay) {
  for (const char* name : {"", "void tr_pad<0>(float*)", "größe", "转置", "C:\\a\\b", "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(printable(name), name);
    EXPECT_TRUE(is_printable(name));
  }
}

TEST(Printable, NothingIsLeftToSpellOut) {
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second) {
      const std::string name{static_cast<char>(first), static_cast<char>(second), 'x'};
      ASSERT_TRUE(is_printable(printable(name))) << first << " " << second;
      ASSERT_EQ(is_printable(name), printable(name) == name);
    }
}

TEST(Printable, LinesOfOursStayLines) {
  EXPECT_EQ(printable_lines("a\tb\nc\n"), "a\tb\nc\n");
  EXPECT_EQ(printable_lines("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable_lines("\x1b[1;31mb\x1b[0m", colors::kept), "\x1b[1;31mb\x1b[0m");
  EXPECT_EQ(printable_lines("\x1b[2J", colors::kept), "\\x1b[2J");
}

TEST(Printable, TextForAPageKeepsItsLines) {
  EXPECT_EQ(printable_text("a\tb\r\n  ::error::c\n"), "a\tb\r\n  ::error::c\n");
  EXPECT_EQ(printable_text("\xc3\xa9 \xe2\x80\xae \x1b[31m \xff"), "\xc3\xa9 \\u202e \\x1b[31m \\xff");
  EXPECT_EQ(printable_text(""), "");
}

TEST(Printable, NoLineIsACommandToACi) {
  EXPECT_EQ(printable_lines("::error::no"), "\\x3a:error::no");
  EXPECT_EQ(printable_lines("help: a::b\n  ::set-output name=x::y\n##[error]"),
            "help: a::b\n  \\x3a:set-output name=x::y\n\\x23#[error]");
}

}  // namespace
}  // namespace bankwise
