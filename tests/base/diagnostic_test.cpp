// Tests how errors are printed.
#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// Tests the example in diagnostic.hpp.
TEST(Diagnostic, IsShownWithItsPlaceAndWhatToDo) {
  const diagnostic d{"unknown name 'tt'",
                     {.file = "expression", .line = 1, .column = 2, .length = 2, .source_line = "(tt % 8) * 128"},
                     "the lane is called t",
                     "expr",
                     {"called at main.cu:12"}};
  EXPECT_EQ(to_text(d),
            "error: unknown name 'tt'\n"
            "  --> expression:1:2\n"
            "   | (tt % 8) * 128\n"
            "   |  ^^\n"
            "      called at main.cu:12\n"
            "help: the lane is called t");
}

TEST(Diagnostic, SaysOnlyWhatIsKnown) {
  EXPECT_EQ(to_text({"no kernels"}), "error: no kernels");
  EXPECT_EQ(to_text({"damaged", {.file = "a.cubin", .byte = 64}}), "error: damaged\n  --> a.cubin: byte 64");
  EXPECT_EQ(to_text({"bad", {.line = 3}}), "error: bad\n  --> line 3");
}

TEST(Diagnostic, TheCaretStandsBelowATab) {
  const diagnostic d{"bad", {.line = 1, .column = 3, .length = 0, .source_line = "\tab"}};
  EXPECT_EQ(to_text(d), "error: bad\n  --> line 1:3\n   | \tab\n   | \t ^");
}

}  // namespace
}  // namespace bankwise
