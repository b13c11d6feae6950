// One of two source files that include all headers. If a definition occurs twice, the linker reports an error.
#include <bankwise/bankwise.hpp>

bankwise::u32 row_wavefronts(bankwise::u32 pitch_words);  // other.cpp

namespace {

constexpr auto column = bankwise::make_access(bankwise::ld(4), [](bankwise::u32 t) { return t * 33 * 4; });
BANKWISE_ASSERT_WAVEFRONTS(column, 1);

bankwise::u32 column_wavefronts(bankwise::u32 pitch_words) {
  return bankwise::wavefronts(
      bankwise::make_access(bankwise::ld(4), [=](bankwise::u32 t) { return t * pitch_words * 4; }));
}

}  // namespace

int main() {
  const bool right = column_wavefronts(32) == 32 && column_wavefronts(33) == 1 && row_wavefronts(32) == 1;
  return right ? 0 : 1;
}
