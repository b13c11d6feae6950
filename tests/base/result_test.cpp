// Tests results: which of the two they have, and that copies and assignments keep it.
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

namespace bankwise {
namespace {

static_assert(std::is_copy_constructible_v<result<std::string>> && std::is_copy_assignable_v<result<std::string>>);
static_assert(!std::is_copy_constructible_v<result<std::unique_ptr<int>>>);
static_assert(std::is_nothrow_move_constructible_v<result<std::unique_ptr<int>>>);

TEST(Result, HasAValueOrAnError) {
  result<std::string> value(std::string("a text that is too long to be stored inside of the string"));
  ASSERT_TRUE(value);
  EXPECT_EQ(value->size(), 57u);
  const result<std::string> error(diagnostic{"why"});
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "why");
}

TEST(Result, IsAssignedFromEachToEach) {
  const std::string long_text(100, 'x');
  const result<std::string> values[] = {long_text, std::string("b"), diagnostic{long_text}, diagnostic{"d"}};
  for (const result<std::string>& from : values)
    for (const result<std::string>& to : values) {
      result<std::string> copied = to, moved = to;
      copied = from;
      result<std::string> source = from;
      moved = std::move(source);
      for (const result<std::string>* r : {&copied, &moved}) {
        ASSERT_EQ(bool(*r), bool(from));
        EXPECT_EQ(from ? r->value() : r->error().message, from ? from.value() : from.error().message);
      }
    }
}

TEST(Result, IsAssignedToItself) {
  result<std::string> r(std::string(100, 'x'));
  result<std::string>& same = r;
  r = same;
  r = std::move(same);
  ASSERT_TRUE(r);
  EXPECT_EQ(*r, std::string(100, 'x'));
}

TEST(Result, MovesWhatCannotBeCopied) {
  result<std::unique_ptr<int>> r(std::make_unique<int>(7));
  result<std::unique_ptr<int>> other(diagnostic{"why"});
  other = std::move(r);
  ASSERT_TRUE(other);
  EXPECT_EQ(**other, 7);
  EXPECT_EQ(*r, nullptr);  // a result whose value was moved still has a value
}

TEST(Result, DestroysItsValueOnce) {
  const auto counted = std::make_shared<int>(1);
  {
    result<std::shared_ptr<int>> r(counted);
    result<std::shared_ptr<int>> copy = r;
    EXPECT_EQ(counted.use_count(), 3);
    copy = diagnostic{"why"};
    EXPECT_EQ(counted.use_count(), 2);
    copy = r;
    EXPECT_EQ(counted.use_count(), 3);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace
}  // namespace bankwise
