// Determines the number of bytes of an access from the size field of its instruction.
#include "sass/operand/access_bytes.hpp"

namespace bankwise::sass {

bool arrives_at_mbarrier(const row_fields& f) { return f.has("operation") && f.value("operation") == 9; }

unsigned access_bytes(const row_fields& f) {
  if (f.has("kept") || f.has("l2_eviction")) return bytes_of_256_bits;
  if (f.has("atom_float")) {
    static constexpr std::uint8_t bytes[] = {4, 8, 16, 4, 8, 16, 0, 0, 0, 4, 8, 16, 4, 8, 16, 8};
    return bytes[f.value("atom_float") & 15];
  }
  if (f.has("atoms_size")) {
    static constexpr std::uint8_t bytes[] = {4, 4, 8, 8, 0, 0, 0, 0};
    return bytes[f.value("atoms_size") & 7];
  }
  if (f.has("atom_size")) {
    static constexpr std::uint8_t bytes[] = {4, 4, 8, 8, 16, 0, 0, 0}, typed[] = {4, 4, 8, 4, 4, 8, 8, 0};
    return (traits_of(f.bits().set).float_atomics_typed ? typed : bytes)[f.value("atom_size") & 7];
  }
  static constexpr std::uint8_t bytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
  const auto size = f.has("ldc_size")    ? f.value("ldc_size")
                    : f.has("ldcu_size") ? f.value("ldcu_size")
                                         : f.value("mem_size");
  return bytes[size & 7];
}

unsigned kept_words(const row_fields& f) { return static_cast<unsigned>(f.value("kept") | f.value("keeps_last") << 7); }

}  // namespace bankwise::sass
