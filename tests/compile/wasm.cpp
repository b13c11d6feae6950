// Compiles the rule for WebAssembly without any library.
#include <bankwise/bankwise.hpp>

extern "C" bankwise::u32 wavefronts_of(const bankwise::access* a) { return bankwise::wavefronts(*a); }
static_assert(bankwise::wavefronts(bankwise::make_access(bankwise::ld(4), bankwise::swizzle{0, 0, 0})) == 1, "");
