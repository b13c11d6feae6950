// Tests the texture unit of a multiprocessor.
#include "timing/multiprocessor/texture_unit.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(TextureUnit, HasOneUnitForTextures) {
  small_launch l;
  l.add({.stall = 1, .pipe = pipe::texture, .interval = 8});
  EXPECT_NEAR(l.run(16, 100), 16 * 100 * 8, 300);
}

}  // namespace
}  // namespace bankwise::timing
