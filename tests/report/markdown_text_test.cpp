// Tests that text from outside cannot act as markup in Markdown.
#include "report/forms/markdown_text.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

TEST(MarkdownText, CodeKeepsItsCharacters) {
  EXPECT_EQ(code_span("tile[t][0]"), "`tile[t][0]`");
  EXPECT_EQ(code_span("  add<float*>(a, b)  "), "`add<float*>(a, b)`");
  EXPECT_EQ(code_span("a || b"), "`a \\|\\| b`") << "a bare | would end the cell";
  EXPECT_EQ(code_span("a `b` c"), "`` a `b` c ``");
  EXPECT_EQ(code_span("c == '\\n'"), "<code>c &#61;&#61; &#39;&#92;n&#39;</code>");
  EXPECT_EQ(code_span("  "), "");
  EXPECT_EQ(code_span("abcdefghij", 6), "`abc...`");
}

TEST(MarkdownText, SentencesHaveNoMarkup) {
  EXPECT_EQ(escaped_sentence("saves 18% of kernel_a's time: about 2.93 us."),
            "saves 18% of kernel_a's time: about 2.93 us.");
  EXPECT_EQ(escaped_sentence("_a_ <b> | `c` [d](e) @f *g*"),
            "&#95;a&#95; &#60;b&#62; &#124; &#96;c&#96; &#91;d&#93;(e) &#64;f &#42;g&#42;");
  EXPECT_EQ(escaped_sentence("a\nb"), "a b");
}

TEST(MarkdownText, NamesWithMarkupAreCode) {
  EXPECT_EQ(plain_or_code("RTX 4090"), "RTX 4090");
  EXPECT_EQ(plain_or_code("<b>|x"), "`<b>\\|x`");
}

}  // namespace
}  // namespace bankwise
