#include "kernel_machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bankwise::fuzz {

namespace {

const kernel_type* pick(const kernel_type* had, const kernel_type& t) { return had == nullptr ? &t : had; }

}  // namespace

kernel_machine::kernel_machine(const kernel_source& of, const kernel_launch& by) : source(of), launch(by) {
  for (const kernel_type& t : of.types) {
    if (t.is == kernel_type::integer && t.bytes == 4)
      (t.is_signed ? int_type : unsigned_type) = pick(t.is_signed ? int_type : unsigned_type, t);
    if (t.is == kernel_type::integer && t.bytes == 8)
      (t.is_signed ? long_type : size_type) = pick(t.is_signed ? long_type : size_type, t);
    if (t.is == kernel_type::real)
      (t.bytes == 4 ? float_type : double_type) = pick(t.bytes == 4 ? float_type : double_type, t);
  }
}

void kernel_machine::undefined(const std::string& why) {
  if (!made.wrong.empty()) return;
  made.wrong = "line " + std::to_string(line) + ": " + why;
  made.is_undefined = true;
}

void kernel_machine::unknown(const std::string& why) {
  if (made.wrong.empty()) made.wrong = "line " + std::to_string(line) + ": " + why;
}

bool kernel_machine::is_over() {
  if (++steps > most_steps) unknown("too many steps");
  return !made.wrong.empty();
}

void kernel_machine::add_region(u64 base, u64 bytes, const std::string& name, bool is_shared) {
  kernel_region r;
  r.base = base;
  r.bytes.resize(bytes);
  r.written.resize(bytes);
  r.name = name;
  r.is_shared = is_shared;
  regions.push_back(std::move(r));
}

kernel_region* kernel_machine::region_at(u64 address, u64 bytes) {
  // The order of the regions is: out, in, the local memory of each thread, the shared arrays.
  const u64 threads = u64{launch.block[0]} * launch.block[1] * launch.block[2];
  const u64 n = address >= in_base      ? 1
                : address >= out_base   ? 0
                : address >= local_base ? 2 + (address - local_base) / local_step
                                        : 2 + threads + (address - std::min(address, shared_base)) / shared_step;
  if (n >= regions.size()) return nullptr;
  kernel_region& r = regions[n];
  return address >= r.base && address + bytes <= r.base + r.bytes.size() ? &r : nullptr;
}

u8* kernel_machine::access(thread& t, u64 address, const kernel_type* type, u64 bytes, bool is_store) {
  kernel_region* r = region_at(address, bytes);
  if (r == nullptr) {
    undefined("an address is in no array");
    return nullptr;
  }
  const u64 unit = std::min<u64>(type->alignment, 16);
  if (address % std::max<u64>(unit, 1) != 0) {
    undefined("an address is not aligned");
    return nullptr;
  }
  const u64 at = address - r->base;
  for (u64 i = at; i < at + bytes; ++i) {
    if (is_store)
      r->written[i] = true;
    else if (!r->written[i]) {
      undefined("what was never written is read of " + r->name);
      return nullptr;
    }
  }
  if (r->is_shared && r->name == launch.array)
    made.accesses.push_back({at, bytes, static_cast<std::uint32_t>(t.index), line, is_store});
  return &r->bytes[at];
}

value kernel_machine::load(thread& t, const value& v) {
  if (!v.is_place) return v;
  value x;
  x.type = v.type;
  if (v.type->is == kernel_type::array) {
    pointers.push_back({kernel_type::pointer, 8, false, v.type->of, 0, {}, 8});
    x.type = &pointers.back();
    x.address = v.address;
    return x;
  }
  const u8* at = access(t, v.address, v.type, v.type->bytes, false);
  if (at == nullptr) return zero();
  switch (v.type->is) {
    case kernel_type::integer: x.integer = integer_at(at, v.type); break;
    case kernel_type::real:
      if (v.type->bytes == 4) {
        float f = 0;
        std::memcpy(&f, at, 4);
        x.real = static_cast<double>(f);
      } else {
        std::memcpy(&x.real, at, 8);
      }
      break;
    case kernel_type::pointer: std::memcpy(&x.address, at, 8); break;
    default: x.bytes.assign(at, at + v.type->bytes);
  }
  return x;
}

void kernel_machine::store(thread& t, u64 address, const kernel_type* type, const value& v) {
  const value x = converted(load(t, v), type);
  if (!made.wrong.empty()) return;
  u8* at = access(t, address, type, type->bytes, true);
  if (at == nullptr) return;
  if (type->is == kernel_type::integer)
    std::memcpy(at, &x.integer, type->bytes);
  else if (type->is == kernel_type::pointer)
    std::memcpy(at, &x.address, 8);
  else if (type->is == kernel_type::real && type->bytes == 4) {
    const float f = static_cast<float>(x.real);
    std::memcpy(at, &f, 4);
  } else if (type->is == kernel_type::real)
    std::memcpy(at, &x.real, 8);
  else if (x.bytes.size() == type->bytes)
    std::memcpy(at, x.bytes.data(), type->bytes);
  else
    unknown("a record is stored in another way");
}

u64 kernel_machine::allocate(thread& t, u64 bytes, u64 alignment) {
  t.stack = (t.stack + alignment - 1) / alignment * alignment;
  const u64 at = t.stack;
  t.stack += bytes;
  if (t.stack > local_base + (t.index + 1) * local_step) unknown("too many locals");
  return at;
}

void kernel_machine::declare(thread& t, const std::string& name, const kernel_type* type, const value* v) {
  const u64 at = allocate(t, type->bytes, type->alignment);
  // The bytes of a new variable count as not written.
  if (kernel_region* r = region_at(at, type->bytes))
    std::fill(r->written.begin() + static_cast<std::ptrdiff_t>(at - r->base),
              r->written.begin() + static_cast<std::ptrdiff_t>(at - r->base + type->bytes), false);
  t.scopes.back()[name] = {at, type, nullptr};
  if (v != nullptr) store(t, at, type, *v);
}

value kernel_machine::zero() const {
  value v;
  v.type = int_type;
  return v;
}

value kernel_machine::number(i64 n, const kernel_type* type) const {
  value v;
  v.type = type;
  v.integer = wrapped(n, type);
  return v;
}

value kernel_machine::converted(const value& v, const kernel_type* type) {
  value x = v;
  x.type = type;
  const auto from = v.type->is, to = type->is;
  if (to == kernel_type::integer) {
    const i64 n = from == kernel_type::real      ? (std::abs(v.real) < 9e18 ? static_cast<i64>(v.real) : 0)
                  : from == kernel_type::pointer ? static_cast<i64>(v.address)
                                                 : v.integer;
    x.integer = wrapped(n, type);
  } else if (to == kernel_type::real) {
    if (from == kernel_type::integer)
      x.real = v.type->is_signed || v.type->bytes < 8 ? static_cast<double>(v.integer)
                                                      : static_cast<double>(static_cast<u64>(v.integer));
    if (type->bytes == 4) x.real = static_cast<double>(static_cast<float>(x.real));
  } else if (to == kernel_type::pointer && from == kernel_type::integer) {
    x.address = static_cast<u64>(v.integer);
  } else if (to == kernel_type::record && from == kernel_type::record && v.bytes.size() != type->bytes) {
    unknown("a record becomes another");
  }
  return x;
}

i64 integer_at(const u8* at, const kernel_type* type) {
  i64 n = 0;
  std::memcpy(&n, at, type->bytes);
  return wrapped(n, type);
}

i64 wrapped(i64 n, const kernel_type* type) {
  if (type->bytes >= 8) return n;
  const int unused = 64 - static_cast<int>(type->bytes) * 8;
  const u64 up = static_cast<u64>(n) << unused;
  return type->is_signed ? static_cast<i64>(up) >> unused : static_cast<i64>(up >> unused);
}

const variable* find_variable(const thread& t, const std::string& name) {
  for (auto s = t.scopes.rbegin(); s != t.scopes.rend(); ++s)
    if (const auto at = s->find(name); at != s->end()) return &at->second;
  return nullptr;
}

}  // namespace bankwise::fuzz
