// Code for integers: moves, sums, products, comparisons, logic, shifts.
#if defined(BANKWISE_HAS_PIECES)
#include "emulate/jit/piece_code.hpp"

#include <bit>

namespace bankwise::emulate::jit {

// A sum of words, and its carries.
class piece_code::sum {
 public:
  sum(piece_code& c, unsigned home, bool carries) : c_(c), d_(c.v(home)), carries_(carries) {}
  void add(const vec& x) {
    if (empty_) {
      c_.copy(d_, x);
      empty_ = false;
      return;
    }
    if (!carries_) return c_.vpaddd(d_, d_, x);
    c_.vpaddd(d_, d_, x);
    c_.vpcmpud(c_.k6, d_, x, 1);  // if the sum is smaller than an addend, there was a carry
    over();
  }
  // Adds one in the lanes whose bits in edx are set (AVX-512 only).
  void add_bits() {
    c_.kmovw(c_.k5, c_.edx);
    c_.vpaddd(d_ | c_.k5, d_, c_.word_vector(1));
    if (!carries_) return;
    c_.vptestnmd(c_.k6 | c_.k5, d_, d_);
    over();
  }
  unsigned times() const { return times_; }

 private:
  // Counts a carry. k3: lanes with at least one carry. k4: lanes with at least two carries.
  void over() {
    if (times_ == 0) {
      c_.kmovw(c_.k3, c_.k6);
    } else if (times_ == 1) {
      c_.kandw(c_.k4, c_.k3, c_.k6);
      c_.korw(c_.k3, c_.k3, c_.k6);
    } else {
      c_.kandw(c_.k5, c_.k6, c_.k3);
      c_.korw(c_.k4, c_.k4, c_.k5);
      c_.korw(c_.k3, c_.k3, c_.k6);
    }
    ++times_;
  }
  piece_code& c_;
  vec d_;
  bool carries_, empty_ = true;
  unsigned times_ = 0;
};

bool piece_code::move(const micro_op& u, bool makes) {
  if (u.as<sass::wide_move>().wide) return false;
  if (!makes) return true;
  const vec x = read(u.b);
  const unsigned h = result();
  copy(v(h), x);
  put(h, u.d);
  return true;
}

bool piece_code::select(const micro_op& u, bool makes) {
  if (!makes) return true;
  const vec x = read(u.a), y = read(u.b);
  load_predicate(edx, u.q0, u.q0_flip);
  const unsigned h = result();
  blend(v(h), y, x, edx);
  put(h, u.d);
  return true;
}

piece_code::vec piece_code::complemented(const source& s, u32 flip, unsigned n) {
  const vec x = read(s);
  if (flip == 0) return x;
  xor_words(scratch(n), x, word_vector(flip));
  return scratch(n);
}

bool piece_code::iadd3(const micro_op& u, bool makes) {
  const bool extended = u.as<sass::carry_add>().extended, carries = u.p0 != 7 || u.p1 != 7;
  if ((extended || carries) && !wide_) return false;
  if (!makes) return true;
  const source* const operands[] = {&u.a, &u.b, &u.c};
  const u32 flips[] = {u.flip_a, u.flip_b, u.flip_c};
  u32 ones = 0;
  vec x[3];
  bool is_zero[3];
  unsigned left = 0;
  for (unsigned n = 0; n < 3; ++n) {
    ones += extended ? 0 : flips[n] & 1;
    is_zero[n] = flips[n] == 0 && word_of(*operands[n]) == 0u;
    if (is_zero[n]) continue;
    x[n] = complemented(*operands[n], flips[n], n);
    ++left;
  }
  const unsigned h = result();
  sum s(*this, h, carries);
  for (unsigned n = 0; n < 3; ++n)
    if (!is_zero[n]) s.add(x[n]);
  if (left == 0) s.add(word_vector(0));
  if (ones != 0) s.add(word_vector(ones));
  const auto carry = [&](unsigned n, u32 flip) {
    if (n == 7 && flip != 0) return;
    load_predicate(edx, n, flip);
    s.add_bits();
  };
  if (extended) carry(u.q0, u.q0_flip), carry(u.q1, u.q1_flip);
  put(h, u.d);
  put_carry(u.p0, s.times() > 0, k3);
  put_carry(u.p1, s.times() > 1, k4);
  return true;
}

// Compiles only sums of whole words. The instruction can also add halves and bytes.
bool piece_code::word_sum(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::packed_add>();
  if (f.saturates || f.type == sass::sum_type::u16x2 || f.type == sass::sum_type::u8x4) return false;
  if (!makes) return true;
  const vec x = complemented(u.a, u.flip_a, 0), y = complemented(u.b, u.flip_b, 1);
  const u32 ones = (u.flip_a & 1) + (u.flip_b & 1);
  const unsigned h = result();
  vpaddd(v(h), x, y);
  if (ones != 0) vpaddd(v(h), v(h), word_vector(ones));
  put(h, u.d);
  return true;
}

bool piece_code::vimnmx(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::integer_extreme>();
  const bool is_signed = f.type == sass::extreme_type::s32;
  if ((!is_signed && f.type != sass::extreme_type::u32) || f.relu || u.q0 != 7 || u.p0 != 7 || u.p1 != 7) return false;
  if (!makes) return true;
  const vec x = read(u.a), y = read(u.b);
  const unsigned h = result();
  if (u.q0_flip == 0)
    is_signed ? vpminsd(v(h), x, y) : vpminud(v(h), x, y);
  else
    is_signed ? vpmaxsd(v(h), x, y) : vpmaxud(v(h), x, y);
  put(h, u.d);
  return true;
}

void piece_code::put_carry(unsigned predicate, bool may, const Xbyak::Opmask& k) {
  if (predicate == 7) return;
  may ? kmovw(edx, k) : xor_(edx, edx);
  put_predicate(predicate, edx);
}

bool piece_code::scaled_add(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::scaled_add>();
  const bool carries = u.p0 != 7;
  if ((carries || f.extended) && !wide_) return false;
  if (f.shift > 31) return false;
  if (!makes) return true;
  const vec a = read(u.a);
  vec x = scratch(0);
  if (f.high) {
    if (f.sign_extends) vpsrad(scratch(1), a, 31);
    const vec above = f.sign_extends ? scratch(1) : read(u.c);
    vpslld(x, above, f.shift);
    vpsrld(scratch(1), a, 32 - f.shift);
    or_words(x, x, scratch(1));
  } else {
    vpslld(x, a, f.shift);
  }
  if (u.flip_a != 0) xor_words(x, x, word_vector(u.flip_a));
  const vec y = complemented(u.b, u.flip_b, 1);
  const unsigned h = result();
  sum s(*this, h, carries);
  s.add(x);
  s.add(y);
  const u32 ones = f.extended ? 0 : (u.flip_a & 1) + (u.flip_b & 1);
  if (ones != 0) s.add(word_vector(ones));
  if (f.extended && !(u.q0 == 7 && u.q0_flip != 0)) {
    load_predicate(edx, u.q0, u.q0_flip);
    s.add_bits();
  }
  put(h, u.d);
  put_carry(u.p0, s.times() > 0, k3);
  return true;
}

bool piece_code::imad(const micro_op& u, bool makes) {
  const bool extended = u.as<sass::carry_add>().extended;
  if (extended && !wide_) return false;
  if (!makes) return true;
  const std::optional<u32> wa = word_of(u.a), wb = word_of(u.b), wc = word_of(u.c);
  const bool adds = u.flip_c != 0 || wc != 0u;
  const auto product = [&](const vec& d) {
    if (wa == 0u || wb == 0u) return xor_words(d, d, d);
    if (wb == 1u) return copy(d, read(u.a));
    if (wa == 1u) return copy(d, read(u.b));
    if (wb && std::has_single_bit(*wb)) return vpslld(d, read(u.a), static_cast<u8>(std::countr_zero(*wb)));
    const vec x = read(u.a), y = read(u.b);
    vpmulld(d, x, y);
  };
  const vec z = adds ? complemented(u.c, u.flip_c, 2) : vec();
  const unsigned h = result();
  if (adds && (wa == 0u || wb == 0u)) {
    copy(v(h), z);
  } else {
    product(v(h));
    if (adds) vpaddd(v(h), v(h), z);
  }
  if (extended) {
    load_predicate(edx, u.q0, u.q0_flip);
    kmovw(k5, edx);
    vpaddd(v(h) | k5, v(h), word_vector(1));
  } else if ((u.flip_c & 1) != 0) {
    vpaddd(v(h), v(h), word_vector(1));
  }
  put(h, u.d);
  return true;
}

bool piece_code::imad_wide(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::wide_multiply>();
  if (u.p0 != 7 || u.flip_c != 0 || f.extended) return false;
  if (!makes) return true;
  const vec a = read(u.a), b = read(u.b), low = read(u.c), high = read(u.c_high);
  const vec even = scratch(0), odd = scratch(1), t = scratch(2), w = scratch(3);
  const auto multiply = [&](const vec& d, const vec& x, const vec& y) {
    f.is_signed ? vpmuldq(d, x, y) : vpmuludq(d, x, y);
  };
  multiply(even, a, b);
  vpsrlq(odd, a, 32);
  vpsrlq(t, b, 32);
  multiply(odd, odd, t);
  if (word_of(u.c) != 0u || word_of(u.c_high) != 0u) {
    vpsllq(t, high, 32);
    upper_words(t, low, t);
    vpaddq(even, even, t);
    vpsrlq(w, low, 32);
    upper_words(w, w, high);
    vpaddq(odd, odd, w);
  }
  if (!f.high) {
    vpsllq(t, odd, 32);
    const unsigned h = result();
    upper_words(v(h), even, t);
    vpsrlq(t, even, 32);
    upper_words(t, t, odd);
    put(h, u.d);
    const unsigned upper = result();
    copy(v(upper), t);
    put(upper, u.d_high);
    return true;
  }
  const unsigned h = result();
  vpsrlq(t, even, 32);
  upper_words(v(h), t, odd);
  put(h, u.d);
  return true;
}

void piece_code::upper_words(const vec& d, const vec& even, const vec& odd) {
  if (wide_) {
    mov(ecx, 0xaaaa);
    kmovw(k6, ecx);
    vpblendmd(d | k6, even, odd);
  } else {
    vpblendd(d, even, odd, 0xaa);
  }
}

bool piece_code::isetp(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::integer_comparison>();
  if (f.wide || (f.extended && !wide_)) return false;
  if (!makes) return true;
  vec x = read(u.a), y = read(u.b);
  const auto compare = [&](unsigned how) {
    f.is_signed ? vpcmpd(k6, x, y, static_cast<u8>(how)) : vpcmpud(k6, x, y, static_cast<u8>(how));
  };
  using relation = sass::integer_relation;
  constexpr unsigned equal = 0, less = 1, less_equal = 2, not_equal = 4, not_less = 5, greater = 6;
  if (f.extended) {
    // If the upper words are equal, the lower words decide.
    if (f.relation == relation::never || f.relation == relation::always) {
      mov(edx, f.relation == relation::never ? 0 : 0xffff);
    } else {
      compare(equal);
      kmovw(edx, k6);
      load_predicate(ecx, u.q1, u.q1_flip);
      if (f.relation == relation::not_equal) {
        not_(edx);
        or_(edx, ecx);
      } else {
        and_(edx, ecx);
        if (f.relation != relation::equal) {
          compare(f.relation == relation::less || f.relation == relation::less_equal ? less : greater);
          kmovw(ecx, k6);
          or_(edx, ecx);
        }
      }
    }
  } else if (f.relation == relation::never || f.relation == relation::always) {
    mov(edx, f.relation == relation::never ? 0 : 0xffff);
  } else if (wide_) {
    static constexpr unsigned how[] = {0, less, equal, less_equal, greater, not_equal, not_less, 0};
    compare(how[static_cast<unsigned>(f.relation) & 7]);
    bits_of(k6);
  } else {
    if (!f.is_signed && f.relation != relation::equal && f.relation != relation::not_equal) {
      xor_words(scratch(0), x, word_vector(0x80000000u)), x = scratch(0);
      xor_words(scratch(1), y, word_vector(0x80000000u)), y = scratch(1);
    }
    const vec r = scratch(2);
    switch (f.relation) {
      case relation::equal:
      case relation::not_equal: vpcmpeqd(r, x, y); break;
      case relation::less:
      case relation::greater_equal: vpcmpgtd(r, y, x); break;
      default: vpcmpgtd(r, x, y); break;
    }
    bits_of(r);
    if (f.relation == relation::not_equal || f.relation == relation::greater_equal ||
        f.relation == relation::less_equal)
      not_(edx);
  }
  put_comparison(u, f.combine);
  return true;
}

bool piece_code::lop3(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::bitwise>();
  const unsigned table = f.table;
  const bool simple = table == 0xc0 || table == 0xfc || table == 0x3c;
  if (!wide_ && !simple && table != 0xf0 && table != 0xcc && table != 0xaa && table != 0x33 && table != 0x0f)
    return false;
  if (!makes) return true;
  const unsigned h = [&] {
    if (simple) {
      const vec x = read(u.a), y = read(u.b);
      const unsigned r = result();
      if (table == 0xc0) and_words(v(r), x, y);
      if (table == 0xfc) or_words(v(r), x, y);
      if (table == 0x3c) xor_words(v(r), x, y);
      return r;
    }
    if (!wide_) {
      const vec x = read(table == 0xf0 || table == 0x0f ? u.a : table == 0xaa ? u.c : u.b);
      const unsigned r = result();
      if (table == 0x33 || table == 0x0f)
        xor_words(v(r), x, word_vector(~0u));
      else
        copy(v(r), x);
      return r;
    }
    const vec x = read(u.a), y = read(u.b), z = read(u.c);
    const unsigned r = result();
    copy(v(r), x);
    vpternlogd(v(r), y, z, static_cast<u8>(table));
    return r;
  }();
  if (u.p0 != 7) {
    if (wide_) {
      vptestmd(k6, v(h), v(h));
      bits_of(k6);
    } else {
      vpcmpeqd(scratch(0), v(h), word_vector(0));
      bits_of(scratch(0));
      not_(edx);
    }
    load_predicate(ecx, u.q0, u.q0_flip);
    f.all ? and_(edx, ecx) : or_(edx, ecx);
    put_predicate(u.p0, edx);
  }
  put(h, u.d);
  return true;
}

bool piece_code::shf(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::funnel_shift>();
  const bool left = !f.right && !f.high, right = f.right && f.high && !f.wide();
  const std::optional<u32> by = word_of(u.b);
  const u32 bits = f.wide() ? 64 : 32;
  const u32 n = by ? (f.wraps ? *by & (bits - 1) : std::min(*by, bits)) : 0;
  const bool both = !left && !right;
  const bool pair_right = both && !by && f.right && !f.high && f.wide() && !f.is_signed() && wide_;
  if (both && !pair_right && (!by || n > 31)) return false;
  if (!makes) return true;
  if (pair_right) {
    shift_pair_right(u);
    return true;
  }
  if (both) {
    // Shifts two words. Bits that leave one word enter the other word.
    const bool upper_alone = f.right && f.high;
    const vec low = read(u.a), high = read(u.c);
    const unsigned h = result();
    if (upper_alone) {
      f.is_signed() ? vpsrad(v(h), high, static_cast<u8>(n)) : vpsrld(v(h), high, static_cast<u8>(n));
    } else if (f.right) {
      vpslld(scratch(0), high, static_cast<u8>(32 - n));
      vpsrld(v(h), low, static_cast<u8>(n));
      or_words(v(h), v(h), scratch(0));
    } else {
      vpsrld(scratch(0), low, static_cast<u8>(32 - n));
      vpslld(v(h), high, static_cast<u8>(n));
      or_words(v(h), v(h), scratch(0));
    }
    put(h, u.d);
    return true;
  }
  const vec x = read(left ? u.a : u.c);
  if (by) {
    const unsigned h = result();
    const bool is_signed = right && f.is_signed();
    // A shift by 32 or more gives 0, or copies the sign to all bits.
    const auto count = static_cast<u8>(right && f.wraps ? *by & 31 : std::min(left ? n : *by, 32u));
    if (left)
      vpslld(v(h), x, count);
    else
      is_signed ? vpsrad(v(h), x, count) : vpsrld(v(h), x, count);
    put(h, u.d);
    return true;
  }
  vec y = read(u.b);
  if (f.wraps) {
    and_words(scratch(0), y, word_vector(left && f.wide() ? 63 : 31));
    y = scratch(0);
  }
  const unsigned h = result();
  if (left)
    vpsllvd(v(h), x, y);
  else
    f.is_signed() ? vpsravd(v(h), x, y) : vpsrlvd(v(h), x, y);
  put(h, u.d);
  return true;
}

void piece_code::shift_pair_right(const micro_op& u) {
  const vec low = read(u.a), high = read(u.c), n = scratch(0), t = scratch(1);
  if (u.as<sass::funnel_shift>().wraps)
    and_words(n, read(u.b), word_vector(63));
  else
    vpminud(n, read(u.b), word_vector(64));
  const unsigned h = result();
  // A count over 31 gives 0. Negative counts also give 0, because they are large as unsigned numbers.
  vpsrlvd(v(h), low, n);
  vpsubd(t, word_vector(32), n);
  vpsllvd(t, high, t);
  or_words(v(h), v(h), t);
  vpsubd(t, n, word_vector(32));
  vpsrlvd(t, high, t);
  or_words(v(h), v(h), t);
  put(h, u.d);
}

bool piece_code::constant_result(const micro_op& u, bool makes) {
  for (const source* s : {&u.a, &u.b, &u.c})
    if (!word_of(*s)) return false;
  if (!makes) return true;
  worker m;
  warp w;
  w.registers.resize(register_rows);
  m.w = &w;
  micro_op alone = u;
  alone.d = 0;
  alone.run(m, alone, ~0u);
  write_word(u.d, w.reg(0)[0]);
  return true;
}

bool piece_code::zeros(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::special_register_read>();
  if (f.number != sass::register_zero) return false;
  if (!makes) return true;
  write_word(u.d, 0);
  if (f.pair) write_word(u.d_high, 0);
  return true;
}

void piece_code::write_word(unsigned row, u32 value) {
  const vec x = word_vector(value);
  const unsigned h = result();
  copy(v(h), x);
  put(h, row);
}

}  // namespace bankwise::emulate::jit
#endif
