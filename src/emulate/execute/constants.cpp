// Loads from constant banks.
#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/places.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

bool read_constant(worker& m, const micro_op& u, std::int64_t offset, u64& value) {
  const auto& f = u.as<sass::memory_access>();
  if (f.address.bank >= constant_banks) return false;
  const auto& bank = m.s->banks[f.address.bank];
  if (offset < 0 || static_cast<u64>(offset) + f.bytes > bank.size()) return false;
  const std::byte* p = bank.data() + offset;
  switch (f.bytes) {
    case 1:
      value = f.is_signed ? static_cast<u64>(static_cast<i64>(read<std::int8_t>(p))) : read<std::uint8_t>(p);
      break;
    case 2:
      value = f.is_signed ? static_cast<u64>(static_cast<i64>(read<std::int16_t>(p))) : read<std::uint16_t>(p);
      break;
    case 4: value = read<u32>(p); break;
    default: value = read<u64>(p); break;
  }
  return true;
}
step constant_fault(worker& m, const micro_op& u, std::int64_t offset, int lane) {
  const auto& f = u.as<sass::memory_access>();
  return m.fail(fault_kind::illegal_address,
                formatted("{} at offset {} of constant bank {}, which has {} bytes",
                          bytes_at(access_direction::read, f.bytes), offset, f.address.bank,
                          grouped(f.address.bank < constant_banks ? m.s->banks[f.address.bank].size() : 0)),
                lane, {});
}
step ldc(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* a = m.operand_row(u.a, 0);
  u32 *d = m.w->reg(written_row(f.result)), *d_high = m.w->reg(written_row(f.result, 1));
  step status = step::next;
  if (u.a.kind == source_kind::reg && u.a.index == zero_row) {  // all lanes read the same word
    u64 value = 0;
    if (mask == 0) return step::next;
    if (!read_constant(m, u, f.address.offset, value))
      return constant_fault(m, u, f.address.offset, std::countr_zero(mask));
    map1(d, d, mask, [=](u32) { return static_cast<u32>(value); });
    if (f.bytes == 8) map1(d_high, d_high, mask, [=](u32) { return static_cast<u32>(value >> 32); });
    return step::next;
  }
  each_lane(mask, [&](int i) {
    const std::int64_t offset = f.address.offset + static_cast<i32>(a[i]);
    u64 value = 0;
    if (status != step::next) return;
    if (!read_constant(m, u, offset, value)) {
      status = constant_fault(m, u, offset, i);
      return;
    }
    d[i] = static_cast<u32>(value);
    if (f.bytes == 8) d_high[i] = static_cast<u32>(value >> 32);
  });
  return status;
}
step uldc(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  if (mask == 0) return step::next;
  const std::int64_t offset =
      f.address.offset + (u.a.kind == source_kind::uniform ? static_cast<i32>(m.w->uniform[u.a.index]) : 0);
  u64 value = 0;
  if (!read_constant(m, u, offset, value)) return constant_fault(m, u, offset, -1);
  m.set_uniform(f.result, static_cast<u32>(value));
  if (f.bytes >= 8) m.set_uniform(f.result + 1u, static_cast<u32>(value >> 32));
  if (f.bytes == 16) {
    value = read<u64>(m.s->banks[f.address.bank].data() + offset + 8);
    m.set_uniform(f.result + 2u, static_cast<u32>(value));
    m.set_uniform(f.result + 3u, static_cast<u32>(value >> 32));
  }
  return step::next;
}

}  // namespace

void add_constants(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::LDC, ldc);
  set(op::ULDC, uldc);
  set(op::ULDC_U, uldc);
  set(op::LDCU, uldc);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
