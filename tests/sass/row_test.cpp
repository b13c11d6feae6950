// Tests the grammar of the formats in opcodes.def, and its error messages. print.cpp checks each row with this grammar
// at compile time.
#include "sass/row.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "emulate/decode/decode.hpp"

namespace bankwise {
namespace {

using sass::part;

part field(std::string_view text) {
  part p;
  const char* const error = sass::parse_field(text, p);
  EXPECT_EQ(error, nullptr) << text;
  return p;
}
std::string error_of(std::string_view text) {
  part p;
  const char* const error = sass::parse_field(text, p);
  return error == nullptr ? "" : error;
}

TEST(Rows, HaveFlagsWordsAndNumbers) {
  EXPECT_EQ(field(".FTZ:80").name, ".FTZ");
  EXPECT_EQ(field(".FTZ:80").at, 80);
  EXPECT_TRUE(field(".U32!73").inverted);
  EXPECT_EQ(field(".S:73=to_shared").name, "to_shared");
  const part rounding = field("%rnd:78:2");
  EXPECT_EQ(rounding.text, "rnd");
  EXPECT_EQ(rounding.count, 2);
  EXPECT_EQ(field("%float:84:3=from").name, "from");
  EXPECT_TRUE(field("s40:24").is_signed);
  EXPECT_TRUE(field("~x75:5=shift").silent);
}

TEST(Rows, HaveOperandsWithARoleAWidthAndConditions) {
  EXPECT_EQ(field("R16").role, sass::role::write);
  EXPECT_EQ(field("R24").role, sass::role::read);
  EXPECT_EQ(field("P81").role, sass::role::write);
  EXPECT_EQ(field("!P87").role, sass::role::read);
  EXPECT_EQ(field("B16").role, sass::role::read);
  EXPECT_EQ(field("=B16").role, sass::role::write);
  EXPECT_EQ(field("<P81").role, sass::role::read);
  EXPECT_EQ(field("R16*size").width, sass::width::size);
  EXPECT_EQ(field("c/x,?80!73").if_one, 80);
  EXPECT_EQ(field("c/x,?80!73").if_zero, 73);
  EXPECT_TRUE(field("P81,!79").comma_behind);
  EXPECT_EQ(field(",!P87?74").when, sass::when::comma);
}

TEST(Rows, RefuseWhatNobodyCanRead) {
  for (const char* text : {"", "FTZ", ".FTZ", ".FTZ:", ".FTZ:200", "%rnd", "%rnd:78", "R", "R300", "R16*sizes", "a/?",
                           "z/x", "x40", "[shared", "R16 ", "R40?", "!R"})
    EXPECT_NE(error_of(text), "") << text;
  const char* error = nullptr;
  std::string_view format = "{R16";
  sass::take_part(format, error);
  EXPECT_NE(error, nullptr);
  EXPECT_TRUE(format.empty());
}

// A repeated part would be printed twice. With a repeated name, only the first value would be returned.
TEST(Rows, NameEachFieldOnce) {
  for (const sass::opcode_info& row : sass::all_rows()) {
    std::map<std::string_view, int> names;
    for (const part& p : sass::parts_of(row))
      if (!p.name.empty()) ++names[p.name];
    for (const auto& [name, count] : names) {
      // HMMA.884 prints the types of D and C. QMMA prints the types of A and B. MEMBAR and UBLKCP have words that no
      // handler uses.
      static const std::set<std::string_view> printed_only = {"hmma_type", "major", "fp8", ".G"};
      EXPECT_TRUE(count == 1 || printed_only.contains(name)) << row.format << ": " << name;
    }
  }
}

TEST(Rows, OfTheUniformDatapathHaveATwinThatIsExecuted) {
  for (const sass::opcode_info& row : sass::all_rows()) {
    const sass::opcode twin = sass::traits_of(row.op).twin;
    if (twin == sass::opcode::count) continue;
    EXPECT_TRUE(sass::has_uniform_guard(row.op)) << row.format;
    EXPECT_FALSE(sass::has_uniform_guard(twin)) << row.format;
    EXPECT_NE(emulate::handlers()[static_cast<std::size_t>(twin)], nullptr) << row.format;
  }
}

TEST(Rows, TellWhatTouchesSharedMemory) {
  using op = sass::opcode;
  for (const op o : {op::LDS, op::STS_U, op::ATOMS_CAS, op::LDSM, op::LDGSTS, op::LD, op::ST_R, op::HGMMA, op::UTMALDG})
    EXPECT_TRUE(sass::may_touch_shared(o)) << sass::info_of(o).format;
  for (const op o : {op::LDG, op::STG, op::LDL, op::LDC, op::IMAD, op::BAR_II, op::UBLKPF})
    EXPECT_FALSE(sass::may_touch_shared(o)) << sass::info_of(o).format;
  EXPECT_TRUE(sass::is_generic(op::LD));
  EXPECT_FALSE(sass::is_generic(op::LDS));
}

}  // namespace
}  // namespace bankwise
