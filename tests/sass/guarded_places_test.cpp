// Tests facts about registers that are only true in lanes with a certain value of a predicate.
#include "sass/flow/guarded_places.hpp"

#include <gtest/gtest.h>

namespace bankwise::sass {
namespace {

constexpr guard p0 = guard_of(false, 0, false), not_p0 = guard_of(false, 0, true), p1 = guard_of(false, 1, false);

places registers(std::initializer_list<unsigned> numbers) {
  places p;
  for (const unsigned n : numbers) p.set(first_place(file::vector) + n);
  return p;
}
guarded_places with(std::initializer_list<unsigned> numbers) {
  guarded_places p;
  p.put(no_guard, registers(numbers));
  return p;
}

TEST(GuardedPlaces, AreGoneWhereTheGuardHolds) {
  guarded_places p = with({0, 1});
  p.remove(p0, registers({0}));
  EXPECT_EQ(p.where(p0), registers({1}));
  EXPECT_EQ(p.where(not_p0), registers({0, 1}));
  EXPECT_EQ(p.where(p1), registers({0, 1}));
  EXPECT_EQ(p.all(), registers({0, 1}));
}
TEST(GuardedPlaces, AreGoneForGoodUnderBothGuards) {
  guarded_places p = with({0, 1});
  p.remove(p0, registers({0}));
  p.remove(not_p0, registers({0}));
  EXPECT_EQ(p.all(), registers({1}));
  EXPECT_EQ(p.where(p1), registers({1}));
}
TEST(GuardedPlaces, OfAPredicateThatIsWrittenNothingIsKnown) {
  guarded_places p = with({0});
  p.remove(p0, registers({0}));
  p.forget(places().set(place_of(p0)));
  EXPECT_EQ(p.where(p0), registers({0}));
  // The predicate has a new value, so facts about the old value no longer apply.
  p.remove(not_p0, registers({0}));
  EXPECT_EQ(p.all(), registers({0}));
}
TEST(GuardedPlaces, ThatAreWrittenUnderAGuardAreNotInOtherLanes) {
  guarded_places p;
  p.put(p0, registers({2}));
  EXPECT_EQ(p.where(p0), registers({2}));
  EXPECT_EQ(p.where(not_p0), registers({}));
  EXPECT_EQ(p.where(p1), registers({2}));
  EXPECT_EQ(p.all(), registers({2}));
}
TEST(GuardedPlaces, TellWhichLanesWereWritten) {
  guarded_places p = with({0});
  p.hide(p0, registers({0}));
  p.mark(p0, registers({3}));
  EXPECT_EQ(p.where(p0), registers({}));
  EXPECT_EQ(p.where(not_p0), registers({0}));
  EXPECT_EQ(p.all(), registers({0, 3}));
  EXPECT_EQ(p.where(p1), registers({0, 3}));
  p.hide(not_p0, registers({0}));
  EXPECT_EQ(p.all(), registers({0, 3}));
}
TEST(GuardedPlaces, AreThoseOfTheLanesThatComeThisWay) {
  guarded_places stayed = with({0, 1}), jumped = stayed;
  stayed.remove(p0, registers({0}));
  jumped = stayed;
  stayed.assume(p0);
  EXPECT_EQ(stayed.all(), registers({1}));
  EXPECT_EQ(stayed.where(not_p0), registers({}));
  jumped.assume(not_p0);
  EXPECT_EQ(jumped.all(), registers({0, 1}));
  // After the paths join, each lane still has its own value.
  stayed.put(no_guard, registers({5}));
  EXPECT_TRUE(jumped.add(stayed));
  EXPECT_EQ(jumped.all(), registers({0, 1, 5}));
  EXPECT_EQ(jumped.where(p0), registers({1, 5}));
  EXPECT_EQ(jumped.where(not_p0), registers({0, 1, 5}));  // at this place, it is unknown which lanes wrote the register
  EXPECT_FALSE(jumped.add(stayed));
}
TEST(GuardedPlaces, KeepsWhatOneWayKnowsNothingOf) {
  guarded_places a = with({0});
  a.remove(p0, registers({0}));
  guarded_places b = with({0});
  EXPECT_TRUE(a.add(b));
  EXPECT_EQ(a.where(p0), registers({0}));
}

}  // namespace
}  // namespace bankwise::sass
