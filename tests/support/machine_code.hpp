// Builds machine code of sm_90 for tests of control flow.
#pragma once

#include <cstdint>
#include <string>

#include "sass/instruction.hpp"

namespace bankwise::test {

enum class guard : std::uint8_t { none, p0, not_p0, never };

struct machine_code {
  std::string bytes;

  std::uint64_t here() const { return bytes.size(); }
  machine_code& add(std::uint64_t low, std::uint64_t high, guard g) {
    const std::uint64_t number = g == guard::none || g == guard::never ? sass::predicate_true : 0;
    low |= number << 12 | static_cast<std::uint64_t>(g == guard::not_p0 || g == guard::never) << 15;
    bytes.append(reinterpret_cast<const char*>(&low), sizeof low);
    bytes.append(reinterpret_cast<const char*>(&high), sizeof high);
    return *this;
  }
  machine_code& op(unsigned opcode, guard g = guard::none) {
    return add(opcode, std::uint64_t{sass::predicate_true} << (87 - 64), g);
  }
  machine_code& nop() { return op(0x918); }
  machine_code& exit(guard g = guard::none) { return op(0x94d, g); }
  machine_code& barrier() { return op(0xb1d); }
  machine_code& bsync() { return op(0x941); }
  machine_code& lds(guard g = guard::none) { return op(0x984, g); }
  machine_code& sts(guard g = guard::none) { return op(0x388, g); }
  machine_code& generic_load(guard g = guard::none) { return op(0x980, g); }
  machine_code& copy(guard g = guard::none) { return op(0xfae, g); }
  machine_code& mov(std::uint32_t value) { return add(0x802 | std::uint64_t{value} << 32, 0, guard::none); }
  // Adds a BRA, CALL.REL or BSSY to an address in the code.
  machine_code& jump(unsigned opcode, std::uint64_t to, guard g = guard::none) {
    const std::int64_t words = (static_cast<std::int64_t>(to) - static_cast<std::int64_t>(here()) - 16) / 4;
    if (opcode == 0x945)  // the low byte of BSSY is its barrier
      return add(opcode | static_cast<std::uint64_t>(words) << 34,
                 std::uint64_t{sass::predicate_true} << 23 | (words < 0 ? 0x3ffff : 0), g);
    const std::int64_t high = words >> 8;
    return add(opcode | static_cast<std::uint64_t>(words & 0xff) << 16 | static_cast<std::uint64_t>(high) << 34,
               std::uint64_t{sass::predicate_true} << 23 | (high < 0 ? 0x3ffff : 0), g);
  }
  machine_code& branch(std::uint64_t to, guard g = guard::none) { return jump(0x947, to, g); }
  machine_code& call(std::uint64_t to) { return jump(0x944, to); }
  machine_code& reconverge_at(std::uint64_t to) { return jump(0x945, to); }
};

}  // namespace bankwise::test
