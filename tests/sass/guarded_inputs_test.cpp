// Compares two representations of register dependences: guarded_inputs.hpp, and a separate set of places for each input
// (guarded_places.hpp).
#include "sass/flow/guarded_inputs.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/random_numbers.hpp"
#include "sass/flow/guarded_places.hpp"

namespace bankwise::sass {
namespace {

constexpr std::size_t registers = 6, inputs = 3;
constexpr guard p0 = guard_of(false, 0, false), p1 = guard_of(false, 1, false), up0 = guard_of(true, 0, false);
constexpr guard guards[] = {p0, opposite(p0), p1, opposite(p1), up0, opposite(up0), no_guard};

// The two representations. Both get the same updates.
struct both {
  guarded_inputs together{registers};
  std::array<guarded_places, inputs> each;

  void write(const std::vector<guarded_write::place>& places_written, guard under, bool kills, std::uint8_t value,
             std::uint8_t by_guard) {
    together.write({places_written, under, kills, value, by_guard});
    for (std::size_t k = 0; k < inputs; ++k) {
      guarded_places& p = each[k];
      places gone, written;
      for (const guarded_write::place& w : places_written) {
        if (!w.keeps) gone.set(w.number);
        if ((w.mask >> k & 1) != 0) written.set(w.number);
      }
      const bool decides = (by_guard >> k & 1) != 0;
      if (kills || (under != no_guard && !decides))
        p.remove(under, gone);
      else
        p.hide(under, gone);
      if ((value >> k & 1) != 0) p.put(under, written);
      if (decides && under != no_guard) p.mark(under, written);
    }
  }
  void forget(guard g) {
    together.forget(g);
    for (guarded_places& p : each) p.forget(places().set(place_of(g)));
  }
  void assume(guard g) {
    together.assume(g);
    for (guarded_places& p : each) p.assume(g);
  }
  bool add(const both& other) {
    const bool grew = together.add(other.together);
    bool any = false;
    for (std::size_t k = 0; k < inputs; ++k) any |= each[k].add(other.each[k]);
    EXPECT_EQ(grew, any);
    return grew;
  }
  void add(const guarded_inputs::row& more) {
    const bool grew = together.add(more);
    bool any = false;
    for (std::size_t k = 0; k < inputs; ++k) {
      places set;
      for (std::size_t p = 0; p < registers; ++p) set[p] = (more[p] >> k & 1) != 0;
      any |= each[k].add(set);
    }
    EXPECT_EQ(grew, any);
  }
  void expect_same() const {
    for (const guard g : guards)
      for (std::size_t p = 0; p < registers; ++p)
        for (std::size_t k = 0; k < inputs; ++k)
          ASSERT_EQ((together.where(g)[p] >> k & 1) != 0, each[k].where(g)[p]) << "guard " << int{g} << " place " << p;
  }
};

void do_something(both& b, random_numbers& random) {
  const auto any_guard = [&] { return guards[random.below(std::size(guards))]; };
  const auto any_inputs = [&] { return static_cast<std::uint8_t>(random.below(1u << inputs)); };
  switch (random.below(6)) {
    case 0: return b.forget(guards[random.below(std::size(guards) - 1)]);
    case 1: return b.assume(any_guard());
    case 2: {
      guarded_inputs::row more(registers);
      more[random.below(registers)] = any_inputs();
      return b.add(more);
    }
    default: {
      std::vector<guarded_write::place> written;
      for (std::uint16_t p = 0; p < registers; ++p)
        if (random.below(2) != 0)
          written.push_back({p, random.below(4) == 0, random.below(4) == 0 ? any_inputs() : std::uint8_t{0xff}});
      const guard under = any_guard();
      return b.write(written, under, under == no_guard && random.below(2) != 0, any_inputs(), any_inputs());
    }
  }
}

TEST(GuardedInputs, AreASetOfPlacesForEachInput) {
  random_numbers random(1);
  std::size_t grown = 0;
  for (int round = 0; round < 2000; ++round) {
    std::array<both, 2> ways;
    for (int n = 0; n < 12; ++n) {
      both& way = ways[random.below(2)];
      do_something(way, random);
      way.expect_same();
      if (n % 4 != 3) continue;
      both& other = ways[random.below(2)];
      grown += other.add(way) ? 1 : 0;
      other.expect_same();
      EXPECT_FALSE(other.add(way));
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(grown, 1000u);
}
TEST(GuardedInputs, AreThoseOfTheLanesThatWroteThem) {
  guarded_inputs at(1);
  at.write({std::array{guarded_write::place{0}}, no_guard, true, 1, 0});
  at.write({std::array{guarded_write::place{0}}, p0, false, 2, 0});
  EXPECT_EQ(at.where(p0)[0], 2);
  EXPECT_EQ(at.where(opposite(p0))[0], 1);
  EXPECT_EQ(at.all()[0], 3);
  EXPECT_EQ(at.where(p1)[0], 3);
  at.forget(p0);
  EXPECT_EQ(at.where(p0)[0], 3);
}

}  // namespace
}  // namespace bankwise::sass
