// A form of tcgen05 that a kernel of tensor_forms.cubin executes: its operands and its results.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/kernel_run.hpp"
#include "support/tensor_operands.hpp"

namespace bankwise::test {

inline constexpr const char* forms_cubin = "tests/kernels/blackwell/tensor_forms.cubin";
inline constexpr unsigned image_bytes = 65536, table_columns = 32, lanes = 128;
inline constexpr unsigned a_at = 0, a_scales_at = 8, b_scales_at = 16, metadata_at = 24;
inline constexpr word to_f32 = 1 << 4;

inline word shape(unsigned rows, unsigned columns) { return columns / 8 << 17 | rows / 16 << 24; }

// The inputs of a form for one block or two blocks, and its results.
struct form {
  std::string kernel;
  unsigned blocks = 1, columns = 32;
  word type = to_f32;
  std::uint64_t a = 0, b = 0;
  bool adds = true;
  std::array<word, 8> lanes_off{};
  std::uint64_t zero_columns = 0;
  std::vector<std::string> images;
  std::vector<word> table;
  std::vector<word> out;

  explicit form(std::string k, unsigned count = 1)
      : kernel(std::move(k)),
        blocks(count),
        images(count, std::string(image_bytes, '\0')),
        table(count * lanes * table_columns) {}

  word& cell(unsigned block, unsigned lane, unsigned column) {
    return table[(block * lanes + lane) * table_columns + column];
  }
  static float before(unsigned lane, unsigned column) {
    return static_cast<float>(lane) + 0.25f * static_cast<float>(column);
  }
  word sum(unsigned block, unsigned lane, unsigned column) const {
    return out.at((block * lanes + lane) * (columns + table_columns) + column);
  }
  word after(unsigned block, unsigned lane, unsigned column) const { return sum(block, lane, columns + column); }

  result<kernel_run> launch() const {
    std::string image, words(reinterpret_cast<const char*>(table.data()), table.size() * 4),
        mask(reinterpret_cast<const char*>(lanes_off.data()), sizeof lanes_off);
    for (const std::string& i : images) image += i;
    const auto n = [](std::size_t x) { return std::to_string(x); };
    return run_kernel(
        {.cubin = forms_cubin,
         .kernel = kernel,
         .grid = {blocks, 1, 1},
         .block = {128, 1, 1},
         .shared = image_bytes,
         .arguments = {"u8[" + n(image.size()) + "]=file:image", "u32=" + n(image_bytes), "u32=" + n(type),
                       "u64=" + n(a), "u64=" + n(b), "u8[" + n(words.size()) + "]=file:table", adds ? "u32=1" : "u32=0",
                       "u32=" + n(columns), "u8[32]=file:mask", "u64=" + n(zero_columns),
                       "out:u32[" + n(blocks * lanes * (columns + table_columns)) + "]"},
         .files = {{"image", image}, {"table", words}, {"mask", mask}}});
  }
  void run() {
    const auto done = launch();
    ASSERT_TRUE(done) << kernel << to_text(done.error());
    out = done->buffer<word>(10);
  }
};

}  // namespace bankwise::test
