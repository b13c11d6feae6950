// The second source file that includes all headers. If a definition occurs twice, the linker reports an error.
#include <bankwise/bankwise.hpp>

bankwise::u32 row_wavefronts(bankwise::u32 pitch_words) {
  const bankwise::tile_layout tile{4, pitch_words * 4};
  return bankwise::explain(bankwise::make_access(bankwise::st(4), [&](bankwise::u32 t) { return tile(5, t); }))
      .total.wavefronts;
}
