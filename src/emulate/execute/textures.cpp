// Reads textures, and reads, writes and reduces surfaces.

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/atomic.hpp"
#include "emulate/execute/places.hpp"
#include "emulate/texture/texel_places.hpp"
#include "emulate/texture/texture.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::handle_place;
using sass::texture_level_use;

// The operands of a texture instruction, numbered in sequence. The registers of the first vector (bit 24 of the
// encoding) are followed by the registers of the second vector (bit 32).
class asked {
 public:
  asked(worker& m, const sass::texture_access& f) : m_(m), f_(f) {}
  u32 at(unsigned n, int lane) const {
    return n < f_.form.first ? data_row(m_, f_.first, n)[lane] : data_row(m_, f_.second, n - f_.form.first)[lane];
  }
  float number(unsigned n, int lane) const { return std::bit_cast<float>(at(n, lane)); }

 private:
  worker& m_;
  const sass::texture_access& f_;
};

u32 handle_of(worker& m, const sass::texture_handle& h, const u32* in_register, int lane) {
  switch (h.where) {
    case handle_place::uniform: return h.number < sass::uniform_register_zero ? m.w->uniform[h.number] : 0;
    case handle_place::constant: {
      if (h.number >= constant_banks) return ~0u;
      const auto& bank = m.s->banks[h.number];
      return h.offset + sizeof(u32) <= bank.size() ? read<u32>(bank.data() + h.offset) : ~0u;
    }
    default: return in_register[lane];
  }
}

// Finds the texture or surface of a handle, and its bytes. Remembers the last handle.
class object_table {
 public:
  // Receives the texels that are read. May be null.
  explicit object_table(worker& m, std::vector<touched_texel>* touched = nullptr) : m_(m) { found_.touched = touched; }

  const texture_bytes* find(u32 handle) {
    if (known_ && handle == handle_) return &found_;
    const auto it = m_.s->memory->textures.find(handle);
    if (it == m_.s->memory->textures.end()) return nullptr;
    found_.what = &it->second;
    found_.levels.clear();
    for (const texture_level& l : it->second.levels) {
      found_.levels.push_back(m_.s->memory->bytes_at(l.address, l.bytes(it->second.format.bytes())));
      if (found_.levels.back() == nullptr) return nullptr;
    }
    handle_ = handle;
    known_ = true;
    return &found_;
  }

 private:
  worker& m_;
  bool known_ = false;
  u32 handle_ = 0;
  texture_bytes found_;
};

// Collects the texels of an instruction's lanes, and reports them.
class texel_log {
 public:
  std::vector<touched_texel> touched;  // texels that the current lane touched

  // Adds the texels that a lane touched in a texture.
  void add(int lane, const texture& t) {
    for (const touched_texel& one : touched) texels_.push_back(place_of(t, static_cast<u32>(lane), one));
    if (!touched.empty()) lanes_with_texels_ |= lane_bit[lane];
    touched.clear();
    note(t, t.format.bytes());
  }
  // Adds an access to a surface at byte `offset`.
  void add(int lane, const texture& t, u64 offset, unsigned bytes) {
    texels_.push_back(place_of(t, static_cast<u32>(lane), offset));
    note(t, bytes);
  }

  // Reports the texels. `is_fetch`: whether coordinates are integers. If so, texels outside the texture are not
  // accessed.
  void tell(worker& m, const micro_op& u, u32 mask, global_kind kind, bool is_fetch = false) {
    if (is_fetch) mask &= lanes_with_texels_;
    if (last_ != nullptr && kind == global_kind::texture_read && !is_fetch) divide_into_passes(*last_, texels_);
    const u32 lanes = last_ == nullptr ? 4 : lanes_of_request(*last_, width_bytes_, is_fetch);
    if (kind == global_kind::surface_reduction) divide_by_texel(texels_, lanes);
    texture_access_event e{.pc = m.pc_of(u),
                           .kind = kind,
                           .mask = mask,
                           .lanes = static_cast<u32>(std::popcount(m.p->mask)),
                           .width_bytes = width_bytes_,
                           .lanes_of_request = lanes,
                           .texels = texels_.data(),
                           .texel_count = static_cast<u32>(texels_.size())};
    if (m.w->arrivals.empty()) return m.global->on_texture(e);
    for (const u32 path : m.w->arrivals) {
      e.mask = mask & path;
      e.lanes = static_cast<u32>(std::popcount(path));
      m.global->on_texture(e);
    }
  }

 private:
  void note(const texture& t, unsigned bytes) {
    width_bytes_ = std::max(width_bytes_, bytes);
    last_ = &t;
  }

  std::vector<lane_texel> texels_;
  u32 width_bytes_ = 0, lanes_with_texels_ = 0;
  const texture* last_ = nullptr;  // only one texture, because lanes rarely read different textures
};

step bad_handle(worker& m, const char* what, u32 handle, int lane) {
  return m.fail(fault_kind::illegal_address,
                formatted("uses the handle 0x{}, but no {} object has this handle, or the memory of the object was "
                          "freed",
                          hex(handle), what),
                lane,
                formatted("create the object with cudaCreate{}Object, and destroy the object and its array only "
                          "after the kernel",
                          what[0] == 't' ? "Texture" : "Surface"));
}

// Returns the signed offset for coordinate n. An offset has four bits. The offset of a gather has six bits: the low
// bits of byte n.
i32 offset_of(u32 word, unsigned n, bool is_gather) {
  return is_gather ? static_cast<i32>(word << (26 - 8 * n)) >> 26 : static_cast<i32>(word << (28 - 4 * n)) >> 28;
}

enum class way : std::uint8_t { sample, fetch, gather };

texture_read read_of(const asked& from, const sass::texture_form& form, int lane, way how, i32& level) {
  const bool whole = how == way::fetch;
  texture_read r;
  unsigned n = 0;
  // The layer precedes the coordinates. But if there are derivatives, the layer follows the coordinates.
  const bool layer_first = form.has_layer && !form.has_derivatives;
  if (layer_first) r.layer = from.at(n++, lane);
  for (unsigned a = 0; a < form.coordinates; ++a, ++n) {
    if (whole)
      r.index[a] = static_cast<i32>(from.at(n, lane));
    else
      r.at[a] = from.number(n, lane);
  }
  if (form.has_layer && !layer_first) r.layer = from.at(n++, lane);
  n += form.has_handle ? 1 : 0;
  if (form.has_derivatives) {
    r.has_gradient = true;
    for (unsigned a = 0; a < form.coordinates; ++a) {
      r.across[a] = from.number(n++, lane);
      r.down[a] = from.number(n++, lane);
    }
  }
  if (form.has_level) {
    if (whole)
      level = static_cast<i32>(from.at(n, lane));
    else
      r.level = from.number(n, lane);
    ++n;
  }
  r.is_base = form.level == sass::texture_level_use::zero;
  // The register contains three offsets, even if there are fewer coordinates. In a texture of one row, an offset of the
  // second coordinate leads outside the texture.
  if (form.has_offset)
    for (unsigned a = 0; a < 3; ++a) r.offset[a] = offset_of(from.at(n, lane), a, how == way::gather);
  return r;
}

template <way how>
step read_texture(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::texture_access>();
  const asked from(m, f);
  std::optional<texel_log> log;
  if (m.global != nullptr) log.emplace();
  object_table objects(m, log ? &log->touched : nullptr);
  const unsigned handle_at = f.form.coordinates + (f.form.has_layer ? 1u : 0u);
  texel found[32];
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const u32 handle =
        f.handle.where == handle_place::vector ? from.at(handle_at, i) : handle_of(m, f.handle, nullptr, i);
    if (handle == 0) {
      found[i] = {};
      continue;
    }
    const texture_bytes* t = objects.find(handle);
    if (t == nullptr || t->what->is_surface) return bad_handle(m, "texture", handle, i);
    i32 level = 0;
    const texture_read r = read_of(from, f.form, i, how, level);
    found[i] = how == way::sample ? sample(*t, r) : how == way::fetch ? fetch(*t, r, level) : gather(*t, r, f.channel);
    if (log) log->add(i, *t->what);
  }
  if (log) log->tell(m, u, mask, global_kind::texture_read, how == way::fetch);
  unsigned n = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if ((f.form.channels >> k & 1) == 0) continue;
    u32* d = m.w->reg(n < 2 ? written_row(f.low, n) : written_row(f.high, n - 2));
    each_lane(mask, [&](int i) { d[i] = found[i][k]; });
    ++n;
  }
  m.set_predicate(u.p0, mask, mask);  // true, because all texels are resident
  return step::next;
}

// The memory that a lane accesses in a surface. `at` is null if the access causes a fault, or if it is outside the
// surface and must be ignored.
struct surface_place {
  std::byte* at = nullptr;
  bool is_fault = false;
  step fault = step::next;
};
surface_place place_of(worker& m, const sass::surface_access& f, const texture_bytes& t, u32 handle, int lane) {
  const texture& what = *t.what;
  const texture_level& l = what.levels[0];
  const unsigned texel_bytes = what.format.bytes();
  const u32* x = data_row(m, f.place, 0);
  i64 at[3] = {static_cast<i32>(x[lane]), 0, 0};
  unsigned n = 1;
  if (f.dimensions > 1) at[1] = static_cast<i32>(data_row(m, f.place, n++)[lane]);
  if (f.dimensions > 2 || f.has_layer) at[2] = static_cast<i32>(data_row(m, f.place, n)[lane]);
  if (f.has_layer) at[2] &= 0xffff;
  const i64 row = i64{l.width} * texel_bytes;
  const unsigned bytes = f.is_formatted ? texel_bytes : f.bytes;
  if (f.is_formatted) at[0] *= texel_bytes;
  const i64 last[3] = {row - bytes, i64{l.height} - 1, i64{l.depth} - 1};
  bool inside = true;
  for (unsigned a = 0; a < 3; ++a) inside &= at[a] >= 0 && at[a] <= last[a];
  if (!inside && f.outside == sass::beyond_surface::trap)
    return {
        nullptr, true,
        m.fail(fault_kind::illegal_address,
               formatted("accesses a surface (handle 0x{}) outside its bounds: byte {} of a row of {} bytes, row {} "
                         "of {} rows, slice {} of {} slices",
                         hex(handle), at[0], row, at[1], l.height, at[2], l.depth),
               lane,
               "the coordinate x counts bytes. cudaBoundaryModeZero and cudaBoundaryModeClamp allow accesses "
               "outside the bounds")};
  if (!inside && f.outside == sass::beyond_surface::ignored) return {};
  for (unsigned a = 0; a < 3; ++a) at[a] = std::clamp<i64>(at[a], 0, std::max<i64>(last[a], 0));
  if (at[0] % bytes != 0 || bytes > row)
    return {nullptr, true,
            m.fail(fault_kind::misaligned_address,
                   formatted("makes a surface access at byte {} of a row, with a width of {} bytes", at[0], bytes),
                   lane, "the coordinate x counts bytes, and must be a multiple of the size of the access")};
  return {const_cast<std::byte*>(t.levels[0]) + at[2] * static_cast<i64>(l.slice) + at[1] * static_cast<i64>(l.pitch) +
              at[0],
          false, step::next};
}

// Converts a number to the format of a channel. Integers are clamped. Floats are converted to halves and rounded toward
// zero.
u32 stored(const texel_format& f, u32 value) {
  if (f.bits == 32) return value;
  if (f.kind == texel_kind::floating) {
    const u32 sign = value >> 16 & 0x8000;
    if (value << 1 > 0xff000000) return sign | 0x7c00 | (value >> 13 & 0x3ff);
    return half_of_double(static_cast<double>(float_of_bits(value)), rounding::toward_zero);
  }
  const u32 all = ~0u >> (32 - f.bits);
  if (f.kind == texel_kind::unsigned_integer) return std::min(value, all);
  return static_cast<u32>(
      std::clamp(static_cast<i32>(value), -static_cast<i32>(all / 2) - 1, static_cast<i32>(all / 2)));
}
void store_formatted(worker& m, const sass::surface_access& f, const texel_format& format, std::byte* to, int lane) {
  const unsigned given = static_cast<unsigned>(std::popcount(f.channels));
  for (unsigned k = 0; k < format.channels; ++k) {
    const u32 value = stored(format, k < given ? data_row(m, f.data, k)[lane] : 0);
    std::memcpy(to + k * (format.bits / 8u), &value, format.bits / 8u);
  }
}

void reduce(worker& m, const sass::surface_access& f, const texel_format& format, std::byte* at, int lane) {
  const u32 low = data_row(m, f.data)[lane];
  if (f.bytes == 8) {
    const u64 value = u64{data_row(m, f.data, 1)[lane]} << 32 | low;
    return write(at, read<u64>(at) + value);
  }
  if (!f.is_formatted) return write(at, combined<u32, i32>(f.operation, read<u32>(at), low, f.is_signed));
  // A reduction changes the first channel. The result is undefined for channels of fewer than 32 bits.
  const bool is_signed = format.kind == texel_kind::signed_integer;
  u32 old = 0;
  std::memcpy(&old, at, format.bits / 8u);
  const unsigned shift = 32u - format.bits;
  if (is_signed) old = static_cast<u32>(static_cast<i32>(old << shift) >> shift);
  const u32 sum = combined<u32, i32>(f.operation, old, low, is_signed);
  std::memcpy(at, &sum, format.bits / 8u);
}

enum class deed : std::uint8_t { load, store, store_formatted, reduce };

global_kind surface_kind(deed what) {
  return what == deed::load     ? global_kind::surface_load
         : what == deed::reduce ? global_kind::surface_reduction
                                : global_kind::surface_store;
}

template <deed what>
step access_surface(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::surface_access>();
  object_table objects(m);
  surface_place at[32];
  texel_format format[32];
  std::optional<texel_log> log;
  if (m.global != nullptr) log.emplace();
  const u32* handles = f.handle.where == handle_place::vector ? data_row(m, f.handle.number) : nullptr;
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const u32 handle = handle_of(m, f.handle, handles, i);
    const texture_bytes* t = objects.find(handle);
    if (t == nullptr || !t->what->is_surface) return bad_handle(m, "surface", handle, i);
    format[i] = t->what->format;
    at[i] = place_of(m, f, *t, handle, i);
    if (at[i].is_fault) return at[i].fault;
    if (log && at[i].at != nullptr)
      log->add(i, *t->what, static_cast<u64>(at[i].at - t->levels[0]), f.is_formatted ? format[i].bytes() : f.bytes);
  }
  if (log) log->tell(m, u, mask, surface_kind(what));
  if (what != deed::load && mask != 0) ++m.effects;
  each_lane(mask, [&](int i) {
    std::byte* const p = at[i].at;
    if (what != deed::load && p != nullptr) m.keep_bytes(p, f.is_formatted ? format[i].bytes() : f.bytes);
    if (what == deed::reduce || what == deed::store_formatted) {
      if (p == nullptr) return;
      what == deed::reduce ? reduce(m, f, format[i], p, i) : store_formatted(m, f, format[i], p, i);
      return;
    }
    for (unsigned k = 0; k < std::max(1u, f.bytes / 4u); ++k) {
      const unsigned bytes = std::min<unsigned>(f.bytes, 4);
      if (what == deed::store) {
        if (p != nullptr) std::memcpy(p + 4 * k, &data_row(m, f.data, k)[i], bytes);
        continue;
      }
      u32 value = 0;
      if (p != nullptr) std::memcpy(&value, p + 4 * k, bytes);
      if (f.is_signed && bytes < 4)
        value = static_cast<u32>(static_cast<i32>(value << (32 - 8 * bytes)) >> (32 - 8 * bytes));
      m.w->reg(written_row(f.result, k))[i] = value;
    }
  });
  if (what == deed::load) m.set_predicate(u.p0, mask, mask);
  return step::next;
}

// Returns the width and height of a level, and its depth (or its number of layers or cubes). Returns zeros if the level
// does not exist.
std::array<u32, 3> sizes_of(const texture& t, u32 level) {
  if (level >= t.levels.size()) return {};
  const texture_level& l = t.levels[level];
  const bool is_cube = t.shape == texture_shape::cube;
  const u32 depth = t.layered ? (is_cube ? l.depth / 6 : l.depth) : t.shape == texture_shape::three ? l.depth : 0;
  return {l.width, t.is_linear_memory ? 0 : l.height, depth};
}

step query_texture(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::texture_access>();
  object_table objects(m);
  std::array<u32, 3> found[32];
  for (u32 left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const u32 handle = handle_of(m, f.handle, nullptr, i);
    const texture_bytes* t = objects.find(handle);
    if (t == nullptr) return bad_handle(m, "texture", handle, i);
    found[i] = sizes_of(*t->what, data_row(m, f.first)[i]);
  }
  unsigned n = 0;
  for (unsigned k = 0; k < 3; ++k) {
    if ((f.form.channels >> k & 1) == 0) continue;
    u32* d = m.w->reg(n < 2 ? written_row(f.low, n) : written_row(f.high, n - 2));
    each_lane(mask, [&](int i) { d[i] = found[i][k]; });
    ++n;
  }
  return step::next;
}

}  // namespace

void add_textures(handler_table& t) {
  using sass::opcode;
  const auto set = [&](handler run, std::initializer_list<opcode> all) {
    for (const opcode op : all) t[static_cast<std::size_t>(op)] = run;
  };
  set(read_texture<way::sample>,
      {opcode::TEX, opcode::TEX_B, opcode::TEX_C, opcode::TXD, opcode::TXD_B, opcode::TXD_C});
  set(read_texture<way::fetch>, {opcode::TLD, opcode::TLD_B, opcode::TLD_C});
  set(read_texture<way::gather>, {opcode::TLD4, opcode::TLD4_B, opcode::TLD4_C});
  set(access_surface<deed::load>, {opcode::SULD, opcode::SULD_B, opcode::SULD_C});
  set(access_surface<deed::store>, {opcode::SUST, opcode::SUST_B, opcode::SUST_C});
  set(access_surface<deed::store_formatted>, {opcode::SUST_P, opcode::SUST_P_C});
  set(query_texture, {opcode::TXQ, opcode::TXQ_C});
  set(access_surface<deed::reduce>, {opcode::SURED, opcode::SURED_C});
}

}  // namespace bankwise::emulate::BANKWISE_ISA
