// The numbers of cuRAND's generators, in the order in which the library returns them. A generator consists of many
// parallel sequences, which are parts of one long sequence. An array gets one number from each sequence in turn:
//
//     XORWOW      4096 sequences, 2^67 numbers apart             MRG32k3a     81920 (legacy 4096), 2^76 apart
//     Philox      65536 sequences, 4 numbers of each at a time   Sobol        one for each dimension, in turn
//
// A number of single precision needs one number of a sequence. A double of XORWOW and Philox needs two numbers. A pair
// of normal numbers needs two or four numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace bankwise::math {

enum generator_type : int {
  default_pseudo = 100,
  xorwow = 101,
  mrg32k3a = 121,
  mtgp32 = 141,
  mt19937 = 142,
  philox = 161,
  default_quasi = 200,
  sobol32 = 201,
  scrambled_sobol32 = 202,
  sobol64 = 203,
  scrambled_sobol64 = 204,
};
enum number_order : int {
  best_order = 100,
  default_order,
  seeded_order,
  legacy_order,
  dynamic_order,
  quasi_order = 201
};

// A position in a generator. Each call of the library begins where the previous call ended.
class random_stream {
 public:
  // Returns nothing if there is no generator with this type and order.
  static std::optional<random_stream> make(int type, int order, std::uint64_t seed, std::uint64_t offset,
                                           unsigned dimensions = 1);

  // Writes the next numbers. For quasirandom numbers, `count` must be a multiple of the number of dimensions. All
  // numbers of the first dimension are first, followed by the numbers of the second dimension, and so on.
  void words(std::uint32_t* to, std::size_t count);
  void long_words(std::uint64_t* to, std::size_t count);  // only for sobol64
  void uniform(float* to, std::size_t count);
  void uniform(double* to, std::size_t count);
  // Writes normal numbers. The numbers are computed in pairs, so the count must be even. For quasirandom numbers, the
  // count may be odd.
  void normal(float* to, std::size_t count, float mean, float deviation, bool logarithmic);
  void normal(double* to, std::size_t count, double mean, double deviation, bool logarithmic);

 private:
  struct xorwow_state {
    std::array<std::uint32_t, 5> v;
    std::uint32_t d;
    std::uint32_t next();
  };
  struct mrg_state {
    std::array<std::uint64_t, 3> a, b;
    double next();  // returns a number from 1 to 4294967087
  };
  std::array<std::uint32_t, 4> block(std::uint64_t sequence, std::uint64_t number) const;
  // Takes four results at a time from each Philox sequence in turn. Four results are made from `each` blocks of a
  // sequence. Calls use(i, index of the result, blocks).
  template <class Use>
  void for_blocks(std::size_t count, unsigned each, Use use);
  std::size_t take_sequence();
  // Calls put(i, number) for each number. The numbers have `bits` bits.
  template <class Put>
  void take_quasi(std::size_t count, unsigned bits, Put put);

  int type_ = xorwow;
  std::uint64_t seed_ = 0;
  std::uint64_t at_ = 0;  // Sobol: index of the next number; Philox: index of the next number in the sequence
  std::size_t next_ = 0;  // index of the next sequence
  std::vector<xorwow_state> xorwows_;
  std::vector<mrg_state> mrgs_;
  unsigned dimensions_ = 1;
  std::vector<std::uint64_t> blocks_;  // Philox: how many numbers each sequence has returned
};

}  // namespace bankwise::math
