// Estimates for all blocks of a launch from a sample of them: counts, and intervals that are right in nine of ten
// cases.
//
// Each class of blocks (emulate/counting/block_order.hpp) is a stratum. Its mean is weighted with its number of blocks;
// a class without executed blocks gets the mean of the others. The variance is that of stratified sampling without
// replacement. For each class, the variance of all classes is one more observation, because a few equal blocks prove
// nothing. There may also be blocks of kinds that are not in the sample. Their assumed number is the number that a
// sample of n blocks misses in one of ten cases. Each of these is assumed to cost nothing, or twice as much as the
// largest in the sample. If all blocks of the sample behaved alike, this is the whole interval.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulate/counting/block_order.hpp"
#include "emulate/launch/launch.hpp"
#include "model/counts.hpp"

namespace bankwise {

// Numbers are for clusters, which are mostly one block.
struct block_strata {
  std::array<std::uint64_t, emulate::most_block_classes> sizes{}, ran{};
};

// By class. All blocks of a missing class have 0.
using class_sums = std::map<unsigned, emulate::block_sum>;

struct estimate {
  std::uint64_t value = 0;
  interval within;
};
estimate estimate_of(const block_strata& strata, const class_sums& sums);

// The value that Student's t with this number of degrees of freedom exceeds in five of a hundred cases.
double students_t(std::uint64_t degrees);

}  // namespace bankwise
