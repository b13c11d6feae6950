// Executes the kernels of small_kernel.hpp. Every variable has an address; undefined behaviour ends the run.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "small_kernel.hpp"

namespace bankwise::fuzz {

namespace {

using node = kernel_node;
using u8 = std::uint8_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

// So far apart that no index of 32 bits leads from one to another.
constexpr u64 shared_base = 0x10000, shared_step = 0x100000, local_base = u64{1} << 42, local_step = 0x1000,
              out_base = u64{1} << 44, in_base = u64{1} << 45;
constexpr u64 most_steps = 3'000'000;

struct region {
  u64 base = 0;
  std::vector<u8> bytes;
  std::vector<bool> written;
  bool is_shared = false;
  std::string name;
};

struct variable {
  u64 address = 0;
  const kernel_type* type = nullptr;
  const node* lambda = nullptr;
};

struct value {
  const kernel_type* type = nullptr;
  bool is_place = false;
  u64 address = 0;  // of a place, or what a pointer is
  i64 integer = 0;
  double real = 0;
  std::vector<u8> bytes;  // of a record
};

struct thread {
  u64 index = 0, x = 0, y = 0, z = 0, stack = 0;
  std::vector<std::map<std::string, variable>> scopes;
  enum { goes_on, leaves, goes_next, has_returned } flow = goes_on;
  value given;
};

class machine {
 public:
  machine(const kernel_source& s, const kernel_launch& l) : s_(s), l_(l) {
    for (const kernel_type& t : s.types) {
      if (t.is == kernel_type::integer && t.bytes == 4)
        (t.is_signed ? int_ : unsigned_) = pick(t.is_signed ? int_ : unsigned_, t);
      if (t.is == kernel_type::integer && t.bytes == 8)
        (t.is_signed ? long_ : size_) = pick(t.is_signed ? long_ : size_, t);
      if (t.is == kernel_type::real) (t.bytes == 4 ? float_ : double_) = pick(t.bytes == 4 ? float_ : double_, t);
    }
  }

  kernel_run run() {
    const kernel_function* kernel = nullptr;
    for (const auto& [name, f] : s_.functions)
      if (f.is_kernel) kernel = &f;
    if (kernel == nullptr || kernel->parameters.size() < 2) {
      unknown("there is no kernel");
      return std::move(r_);
    }
    const u64 threads = u64{l_.block[0]} * l_.block[1] * l_.block[2];
    add_region(out_base, 1 << 16, "out", false);
    std::fill(regions_.back().written.begin(), regions_.back().written.end(), true);
    add_region(in_base, 1 << 16, "in", false);
    region& in = regions_.back();
    for (u64 i = 0; i < in.bytes.size(); i += 4) {
      const float f = static_cast<float>(i / 4 % 8191);
      const std::uint32_t n = static_cast<std::uint32_t>(i / 4 % 8191);
      if (points_to_real(kernel->parameters[1].type))
        std::memcpy(&in.bytes[i], &f, 4);
      else
        std::memcpy(&in.bytes[i], &n, 4);
    }
    std::fill(in.written.begin(), in.written.end(), true);
    for (u64 t = 0; t < threads; ++t) add_region(local_base + t * local_step, local_step, "local", false);
    std::vector<thread> all(threads);
    for (u64 t = 0; t < threads; ++t) {
      all[t].index = t;
      all[t].x = t % l_.block[0];
      all[t].y = t / l_.block[0] % l_.block[1];
      all[t].z = t / l_.block[0] / l_.block[1];
      all[t].stack = local_base + t * local_step;
      all[t].scopes.resize(1);
    }
    for (thread& t : all) {
      for (const auto& c : s_.constants) execute(t, *c);
      for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
        const auto& p = kernel->parameters[i];
        value v;
        v.type = p.type;
        v.address = i == 0 ? out_base : i == 1 ? in_base : 0;
        if (i >= 2) v.integer = i - 2 < l_.words.size() ? l_.words[i - 2] : 0;
        declare(t, p.name, p.type, &v);
      }
    }
    together(all, *kernel->body);
    if (r_.wrong.empty()) r_.out = regions_[0].bytes;
    return std::move(r_);
  }

 private:
  static const kernel_type* pick(const kernel_type* had, const kernel_type& t) { return had == nullptr ? &t : had; }
  static bool points_to_real(const kernel_type* t) {
    return t->of != nullptr &&
           (t->of->is == kernel_type::real || (t->of->is == kernel_type::record && !t->of->fields.empty() &&
                                               t->of->fields[0].type->is == kernel_type::real));
  }

  void undefined(const std::string& why) {
    if (!r_.wrong.empty()) return;
    r_.wrong = "line " + std::to_string(line_) + ": " + why;
    r_.is_undefined = true;
  }
  void unknown(const std::string& why) {
    if (r_.wrong.empty()) r_.wrong = "line " + std::to_string(line_) + ": " + why;
  }
  bool is_over() {
    if (++steps_ > most_steps) unknown("too many steps");
    return !r_.wrong.empty();
  }

  void add_region(u64 base, u64 bytes, const std::string& name, bool is_shared) {
    region r;
    r.base = base;
    r.bytes.resize(bytes);
    r.written.resize(bytes);
    r.name = name;
    r.is_shared = is_shared;
    regions_.push_back(std::move(r));
  }
  region* region_at(u64 address, u64 bytes) {
    // out, in, the threads' own, shared arrays
    const u64 threads = u64{l_.block[0]} * l_.block[1] * l_.block[2];
    const u64 n = address >= in_base      ? 1
                  : address >= out_base   ? 0
                  : address >= local_base ? 2 + (address - local_base) / local_step
                                          : 2 + threads + (address - std::min(address, shared_base)) / shared_step;
    if (n >= regions_.size()) return nullptr;
    region& r = regions_[n];
    return address >= r.base && address + bytes <= r.base + r.bytes.size() ? &r : nullptr;
  }

  u8* access(thread& t, u64 address, const kernel_type* type, u64 bytes, bool is_store) {
    region* r = region_at(address, bytes);
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
    if (r->is_shared && r->name == l_.array)
      r_.accesses.push_back({at, bytes, static_cast<std::uint32_t>(t.index), line_, is_store});
    return &r->bytes[at];
  }

  value load(thread& t, const value& v) {
    if (!v.is_place) return v;
    value x;
    x.type = v.type;
    if (v.type->is == kernel_type::array) {
      pointers_.push_back({kernel_type::pointer, 8, false, v.type->of, 0, {}, 8});
      x.type = &pointers_.back();
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
  static i64 integer_at(const u8* at, const kernel_type* type) {
    i64 n = 0;
    std::memcpy(&n, at, type->bytes);
    return wrapped(n, type);
  }
  static i64 wrapped(i64 n, const kernel_type* type) {
    if (type->bytes >= 8) return n;
    const int unused = 64 - static_cast<int>(type->bytes) * 8;
    const u64 up = static_cast<u64>(n) << unused;
    return type->is_signed ? static_cast<i64>(up) >> unused : static_cast<i64>(up >> unused);
  }
  value zero() const {
    value v;
    v.type = int_;
    return v;
  }
  value number(i64 n, const kernel_type* type) const {
    value v;
    v.type = type;
    v.integer = wrapped(n, type);
    return v;
  }

  void store(thread& t, u64 address, const kernel_type* type, const value& v) {
    const value x = converted(load(t, v), type);
    if (!r_.wrong.empty()) return;
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

  value converted(const value& v, const kernel_type* type) {
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

  u64 allocate(thread& t, u64 bytes, u64 alignment) {
    t.stack = (t.stack + alignment - 1) / alignment * alignment;
    const u64 at = t.stack;
    t.stack += bytes;
    if (t.stack > local_base + (t.index + 1) * local_step) unknown("too many locals");
    return at;
  }
  void declare(thread& t, const std::string& name, const kernel_type* type, const value* v) {
    const u64 at = allocate(t, type->bytes, type->alignment);
    // The new variable does not have the bytes that were there before.
    if (region* r = region_at(at, type->bytes))
      std::fill(r->written.begin() + static_cast<std::ptrdiff_t>(at - r->base),
                r->written.begin() + static_cast<std::ptrdiff_t>(at - r->base + type->bytes), false);
    t.scopes.back()[name] = {at, type, nullptr};
    if (v != nullptr) store(t, at, type, *v);
  }
  static const variable* find(const thread& t, const std::string& name) {
    for (auto s = t.scopes.rbegin(); s != t.scopes.rend(); ++s)
      if (const auto at = s->find(name); at != s->end()) return &at->second;
    return nullptr;
  }

  // All threads, statement by statement where a barrier is inside.
  void together(std::vector<thread>& all, const node& n) {
    if (is_over()) return;
    if (n.is == node::block && (n.has_barrier || all[0].scopes.size() == 1)) {
      for (thread& t : all) t.scopes.emplace_back();
      for (const auto& k : n.kids) together(all, *k);
      for (thread& t : all) t.scopes.pop_back();
      return;
    }
    if (!n.has_barrier) {
      for (thread& t : all)
        if (t.flow == thread::goes_on) execute(t, n);
      return;
    }
    const auto all_say = [&](const node& condition) {
      std::optional<bool> says;
      for (thread& t : all) {
        const bool one = truth(load(t, evaluate(t, condition)));
        if (says && *says != one) undefined("a barrier that some threads do not reach");
        says = one;
      }
      return says.value_or(false);
    };
    if (n.is == node::loop) {
      for (thread& t : all) {
        t.scopes.emplace_back();
        execute(t, *n.kids[0]);
      }
      while (r_.wrong.empty() && (n.kids[1] == nullptr || all_say(*n.kids[1]))) {
        together(all, *n.kids[3]);
        if (n.kids[2] != nullptr)
          for (thread& t : all) evaluate(t, *n.kids[2]);
        if (is_over()) return;
      }
      for (thread& t : all) t.scopes.pop_back();
    } else if (n.is == node::branch) {
      if (all_say(*n.kids[0]))
        together(all, *n.kids[1]);
      else if (n.kids.size() > 2)
        together(all, *n.kids[2]);
    } else if (n.is != node::expression) {
      unknown("a barrier in a loop of another kind");
    }
  }

  void execute(thread& t, const node& n) {
    if (is_over()) return;
    line_ = n.line;
    switch (n.is) {
      case node::block: {
        t.scopes.emplace_back();
        const u64 stack = t.stack;
        for (const auto& k : n.kids) {
          execute(t, *k);
          if (t.flow != thread::goes_on) break;
        }
        t.stack = stack;
        t.scopes.pop_back();
        break;
      }
      case node::expression: evaluate(t, *n.kids[0]); break;
      case node::declare:
        if (n.type == nullptr)
          for (const auto& k : n.kids) execute(t, *k);
        else
          declaration(t, n);
        break;
      case node::branch:
        if (truth(load(t, evaluate(t, *n.kids[0]))))
          execute(t, *n.kids[1]);
        else if (n.kids.size() > 2)
          execute(t, *n.kids[2]);
        break;
      case node::loop: {
        t.scopes.emplace_back();
        const u64 stack = t.stack;
        execute(t, *n.kids[0]);
        while (r_.wrong.empty() && (n.kids[1] == nullptr || truth(load(t, evaluate(t, *n.kids[1]))))) {
          execute(t, *n.kids[3]);
          if (t.flow == thread::leaves || t.flow == thread::has_returned) break;
          t.flow = thread::goes_on;
          if (n.kids[2] != nullptr) evaluate(t, *n.kids[2]);
        }
        if (t.flow == thread::leaves) t.flow = thread::goes_on;
        t.stack = stack;
        t.scopes.pop_back();
        break;
      }
      case node::repeat:
        while (r_.wrong.empty() && truth(load(t, evaluate(t, *n.kids[0])))) {
          execute(t, *n.kids[1]);
          if (t.flow == thread::leaves || t.flow == thread::has_returned) break;
          t.flow = thread::goes_on;
        }
        if (t.flow == thread::leaves) t.flow = thread::goes_on;
        break;
      case node::give:
        t.given = n.kids.empty() ? zero() : load(t, evaluate(t, *n.kids[0]));
        t.flow = thread::has_returned;
        break;
      case node::leave: t.flow = thread::leaves; break;
      case node::next: t.flow = thread::goes_next; break;
      case node::assembly: assembly(t, n); break;
      default: break;
    }
  }

  void assembly(thread& t, const node& n) {
    const bool loads = n.text.find("ld.shared") != std::string::npos;
    if ((!loads && n.text.find("st.shared") == std::string::npos) || n.kids.size() != 2) return unknown("asm");
    value first = evaluate(t, *n.kids[0]), second = evaluate(t, *n.kids[1]);
    value place;
    place.is_place = true;
    place.type = loads ? first.type : load(t, second).type;
    place.address = static_cast<u64>(load(t, loads ? second : first).integer);
    // ld.shared.f32 %0, [%1 + 64];
    if (const auto plus = n.text.find("+ "); plus != std::string::npos)
      place.address += static_cast<u64>(std::atoi(n.text.c_str() + plus + 2));
    if (loads)
      store(t, first.address, first.type, place);
    else
      store(t, place.address, place.type, second);
  }

  void declaration(thread& t, const node& n) {
    if (n.is_shared) {
      const kernel_type* type = n.type;
      const u64 bytes = type->is == kernel_type::array && type->count == 0 ? l_.dynamic_bytes : type->bytes;
      auto at = shared_.find(&n);
      if (at == shared_.end()) {
        at = shared_.emplace(&n, shared_base + shared_step * shared_.size()).first;
        add_region(at->second, bytes, n.text, true);
      }
      t.scopes.back()[n.text] = {at->second, type, nullptr};
      return;
    }
    if (n.kids.size() == 1 && n.kids[0]->is == node::lambda) {
      t.scopes.back()[n.text] = {0, int_, n.kids[0].get()};
      return;
    }
    if (n.kids.empty()) {
      declare(t, n.text, n.type, nullptr);
      return;
    }
    value v = n.kids[0]->is == node::block ? value() : evaluate(t, *n.kids[0]);
    if (!r_.wrong.empty()) return;
    if (n.is_reference) {
      if (!v.is_place) {  // const int& x = 3
        declare(t, n.text, v.type, &v);
        return;
      }
      t.scopes.back()[n.text] = {v.address, n.is_auto ? v.type : n.type, nullptr};
      return;
    }
    if (n.kids[0]->is == node::block) {
      declare(t, n.text, n.type, nullptr);
      const variable* where = find(t, n.text);
      const u64 address = where->address;
      for (std::size_t i = 0; i < n.kids[0]->kids.size(); ++i) {
        const bool is_array = n.type->is == kernel_type::array;
        if (!is_array && i >= n.type->fields.size()) return unknown("too many initialisers");
        const kernel_type* part = is_array ? n.type->of : n.type->fields[i].type;
        store(t, address + (is_array ? i * part->bytes : n.type->fields[i].at), part, evaluate(t, *n.kids[0]->kids[i]));
      }
      return;
    }
    v = load(t, v);
    // "auto* p" is what it points to.
    declare(t, n.text, n.is_auto ? v.type : n.type, &v);
  }

  static bool truth(const value& v) {
    return v.type == nullptr                    ? false
           : v.type->is == kernel_type::real    ? v.real != 0
           : v.type->is == kernel_type::pointer ? v.address != 0
                                                : v.integer != 0;
  }

  const kernel_type* promoted(const kernel_type* t) const {
    return t->is == kernel_type::integer && t->bytes < 4 ? int_ : t;
  }

  value evaluate(thread& t, const node& n) {
    if (is_over()) return zero();
    if (n.line != 0 && n.is != node::lambda) line_ = n.line;
    switch (n.is) {
      case node::number: {
        value v;
        v.type = n.type;
        v.real = n.value;
        v.integer = static_cast<i64>(n.value);
        return v;
      }
      case node::name: return named(t, n.text);
      case node::member:
        if (n.kids[0]->is == node::name)
          if (const auto side = built_in(t, n.kids[0]->text, n.text)) return number(*side, unsigned_);
        return member(t, evaluate(t, *n.kids[0]), n.text);
      case node::arrow: {
        const value p = load(t, evaluate(t, *n.kids[0]));
        return member(t, place_of(p.address, p.type), n.text);
      }
      case node::index: {
        value a = load(t, evaluate(t, *n.kids[0])), i = load(t, evaluate(t, *n.kids[1]));
        if (i.type->is == kernel_type::pointer) std::swap(a, i);
        if (a.type->is != kernel_type::pointer) {
          unknown("an index of what is not a pointer");
          return zero();
        }
        return place_of(a.address + static_cast<u64>(i.integer) * a.type->of->bytes, a.type);
      }
      case node::size_of: {
        if (n.type != nullptr) return number(static_cast<i64>(n.type->bytes), size_);
        return number(static_cast<i64>(evaluate(t, *n.kids[0]).type->bytes), size_);
      }
      case node::cast: {
        const value v = evaluate(t, *n.kids[0]);
        if (n.is_reference && v.is_place) {
          value x = v;
          x.type = n.type;
          return x;
        }
        return converted(load(t, v), n.type);
      }
      case node::prefix: return prefix(t, n);
      case node::postfix: {
        const value p = evaluate(t, *n.kids[0]);
        const value old = load(t, p);
        store(t, p.address, p.type, arithmetic(n.text.substr(1), old, number(1, int_)));
        return old;
      }
      case node::assign: {
        // The right operand first, as in C++17.
        value right = load(t, evaluate(t, *n.kids[1]));
        const value left = evaluate(t, *n.kids[0]);
        if (!left.is_place) unknown("what is not a place is assigned to");
        if (!r_.wrong.empty()) return zero();
        if (n.text != "=") right = arithmetic(n.text.substr(0, n.text.size() - 1), load(t, left), right);
        store(t, left.address, left.type, right);
        return left;
      }
      case node::conditional:
        return truth(load(t, evaluate(t, *n.kids[0]))) ? evaluate(t, *n.kids[1]) : evaluate(t, *n.kids[2]);
      case node::binary: {
        const value a = load(t, evaluate(t, *n.kids[0]));
        if (n.text == ",") return evaluate(t, *n.kids[1]);
        if (n.text == "&&") return number(truth(a) && truth(load(t, evaluate(t, *n.kids[1]))) ? 1 : 0, int_);
        if (n.text == "||") return number(truth(a) || truth(load(t, evaluate(t, *n.kids[1]))) ? 1 : 0, int_);
        return arithmetic(n.text, a, load(t, evaluate(t, *n.kids[1])));
      }
      case node::call: return call(t, n);
      default: unknown("an expression"); return zero();
    }
  }

  value place_of(u64 address, const kernel_type* pointer) {
    value v;
    if (pointer->is != kernel_type::pointer) {
      unknown("what is not a pointer is followed");
      return zero();
    }
    v.is_place = true;
    v.address = address;
    v.type = pointer->of;
    if (v.type->is == kernel_type::record && address % v.type->alignment != 0) undefined("an address is not aligned");
    return v;
  }

  value member(thread&, const value& v, const std::string& name) {
    for (const auto& f : v.type->fields)
      if (f.name == name) {
        value x = v;
        x.type = f.type;
        x.address = v.address + f.at;
        if (v.is_place) return x;
        if (f.type->is == kernel_type::integer) x.integer = integer_at(&v.bytes[f.at], f.type);
        if (f.type->is == kernel_type::real && f.type->bytes == 4) {
          float one = 0;
          std::memcpy(&one, &v.bytes[f.at], 4);
          x.real = static_cast<double>(one);
        }
        return x;
      }
    unknown("a member " + name);
    return zero();
  }

  std::optional<i64> built_in(const thread& t, const std::string& name, const std::string& side) const {
    const std::size_t s = side == "x" ? 0 : side == "y" ? 1 : 2;
    if (name == "threadIdx") return static_cast<i64>(s == 0 ? t.x : s == 1 ? t.y : t.z);
    if (name == "blockDim") return l_.block[s];
    if (name == "blockIdx") return 0;
    if (name == "gridDim") return 1;
    return std::nullopt;
  }

  value named(thread& t, const std::string& name) {
    const variable* v = find(t, name);
    if (v == nullptr) {
      const auto at = s_.numbers.find(name);
      if (at != s_.numbers.end()) return number(at->second, int_);
      if (name == "warpSize") return number(32, int_);
      if (name == "true" || name == "false") return number(name == "true" ? 1 : 0, int_);
      unknown("a name, " + name);
      return zero();
    }
    value x;
    x.is_place = true;
    x.address = v->address;
    x.type = v->type;
    return x;
  }

  value prefix(thread& t, const node& n) {
    if (n.text == "&") {
      const value p = evaluate(t, *n.kids[0]);
      if (!p.is_place) unknown("the address of a value");
      pointers_.push_back({kernel_type::pointer, 8, false, p.type, 0, {}, 8});
      value x;
      x.type = &pointers_.back();
      x.address = p.address;
      return x;
    }
    if (n.text == "++" || n.text == "--") {
      const value p = evaluate(t, *n.kids[0]);
      store(t, p.address, p.type, arithmetic(n.text.substr(1), load(t, p), number(1, int_)));
      return p;
    }
    value a = load(t, evaluate(t, *n.kids[0]));
    if (n.text == "*") return place_of(a.address, a.type);
    if (n.text == "!") return number(truth(a) ? 0 : 1, int_);
    if (n.text == "+") return a;
    if (n.text == "-")
      return arithmetic("-", number(0, promoted(a.type)->is == kernel_type::integer ? promoted(a.type) : int_), a);
    return number(~a.integer, promoted(a.type));
  }

  value arithmetic(const std::string& sign, const value& a, const value& b) {
    if (!r_.wrong.empty()) return zero();
    const bool points = a.type->is == kernel_type::pointer, too = b.type->is == kernel_type::pointer;
    if (points || too) return of_pointers(sign, a, b);
    if (a.type->is == kernel_type::record || b.type->is == kernel_type::record) {
      unknown("arithmetic of records");
      return zero();
    }
    const bool compares = sign == "<" || sign == ">" || sign == "<=" || sign == ">=" || sign == "==" || sign == "!=";
    if (a.type->is == kernel_type::real || b.type->is == kernel_type::real) {
      const bool wide = (a.type->is == kernel_type::real && a.type->bytes == 8) ||
                        (b.type->is == kernel_type::real && b.type->bytes == 8);
      const kernel_type* type = wide ? double_ : float_;
      const double x = converted(a, type).real, y = converted(b, type).real;
      if (compares) return number(compared(sign, x, y), int_);
      value v;
      v.type = type;
      v.real = sign == "+" ? x + y : sign == "-" ? x - y : sign == "*" ? x * y : sign == "/" && y != 0 ? x / y : 0;
      if (!wide) v.real = static_cast<double>(static_cast<float>(v.real));
      return v;
    }
    const kernel_type *p = promoted(a.type), *q = promoted(b.type);
    const bool shifts = sign == "<<" || sign == ">>";
    const kernel_type* type = shifts                         ? p
                              : p->bytes != q->bytes         ? (p->bytes > q->bytes ? p : q)
                              : p->is_signed && q->is_signed ? p
                              : !p->is_signed                ? p
                                                             : q;
    const i64 x = wrapped(a.integer, type), y = shifts ? b.integer : wrapped(b.integer, type);
    if (compares)
      return number(type->is_signed || type->bytes < 8 ? compared(sign, x, y)
                                                       : compared(sign, static_cast<u64>(x), static_cast<u64>(y)),
                    int_);
    const u64 l = static_cast<u64>(x), r = static_cast<u64>(y);
    if ((sign == "/" || sign == "%") && y == 0) {
      undefined("a division by zero");
      return zero();
    }
    if (shifts && (y < 0 || y >= static_cast<i64>(type->bytes) * 8)) {
      undefined("a shift by too many bits");
      return zero();
    }
    const bool is_unsigned = !type->is_signed;
    const u64 z = sign == "+"    ? l + r
                  : sign == "-"  ? l - r
                  : sign == "*"  ? l * r
                  : sign == "/"  ? (is_unsigned ? l / r : static_cast<u64>(x / y))
                  : sign == "%"  ? (is_unsigned ? l % r : static_cast<u64>(x % y))
                  : sign == "<<" ? l << y
                  : sign == ">>" ? (is_unsigned ? l >> y : static_cast<u64>(x >> y))
                  : sign == "&"  ? l & r
                  : sign == "|"  ? l | r
                                 : l ^ r;
    return number(static_cast<i64>(z), type);
  }
  template <class T>
  static i64 compared(const std::string& sign, T x, T y) {
    const bool so = sign == "<"    ? x < y
                    : sign == ">"  ? x > y
                    : sign == "<=" ? x <= y
                    : sign == ">=" ? x >= y
                    : sign == "==" ? x == y
                                   : x != y;
    return so ? 1 : 0;
  }
  value of_pointers(const std::string& sign, const value& a, const value& b) {
    if (sign == "-" && b.type->is == kernel_type::pointer && a.type->is == kernel_type::pointer)
      return number(static_cast<i64>(a.address - b.address) / static_cast<i64>(a.type->of->bytes), long_);
    if (sign == "+" || sign == "-") {
      value p = a.type->is == kernel_type::pointer ? a : b;
      const i64 n = a.type->is == kernel_type::pointer ? b.integer : a.integer;
      const u64 bytes = static_cast<u64>(n) * p.type->of->bytes;
      p.address = sign == "+" ? p.address + bytes : p.address - bytes;
      return p;
    }
    return number(compared(sign, a.type->is == kernel_type::pointer ? a.address : static_cast<u64>(a.integer),
                           b.type->is == kernel_type::pointer ? b.address : static_cast<u64>(b.integer)),
                  int_);
  }

  value call(thread& t, const node& n) {
    const std::string& name = n.kids[0]->text;
    std::vector<value> given;
    const auto argument = [&](std::size_t i) { return load(t, given.at(i)); };
    for (std::size_t i = 1; i < n.kids.size(); ++i) given.push_back(evaluate(t, *n.kids[i]));
    if (!r_.wrong.empty()) return zero();
    if (const variable* v = find(t, name); v != nullptr && v->lambda != nullptr) {
      const node& l = *v->lambda;
      t.scopes.emplace_back();
      const u64 stack = t.stack;
      for (std::size_t i = 0; i < l.names.size() && i < given.size(); ++i) {
        if (l.references[i] && given[i].is_place) {
          t.scopes.back()[l.names[i]] = {given[i].address, l.types[i], nullptr};
          continue;
        }
        const value x = argument(i);
        declare(t, l.names[i], l.types[i], &x);
      }
      return body_of(t, *l.kids[0], stack, nullptr);
    }
    if (const auto f = s_.functions.find(name); f != s_.functions.end()) {
      if (given.size() != f->second.parameters.size() || ++calls_ > 30) {
        unknown("a call of " + name);
        return zero();
      }
      const u64 stack = t.stack;
      std::map<std::string, variable> own;
      std::swap(own, t.scopes.emplace_back());
      for (std::size_t i = 0; i < given.size(); ++i) {
        const auto& p = f->second.parameters[i];
        if (p.is_reference && given[i].is_place) {
          t.scopes.back()[p.name] = {given[i].address, p.type, nullptr};
          continue;
        }
        const value x = argument(i);
        declare(t, p.name, p.type, &x);
      }
      // The function does not see the caller's names.
      std::vector<std::map<std::string, variable>> outside;
      outside.assign(t.scopes.begin(), t.scopes.begin() + 1);
      outside.push_back(t.scopes.back());
      std::swap(outside, t.scopes);
      value v = body_of(t, *f->second.body, stack, &outside);
      --calls_;
      return v;
    }
    if (name == "__syncwarp" || name == "__syncthreads" || name == "__pipeline_commit" ||
        name == "__pipeline_wait_prior")
      return zero();
    if ((name == "min" || name == "max") && given.size() == 2) {
      const value a = argument(0), b = argument(1);
      return truth(arithmetic("<", a, b)) == (name == "min") ? a : b;
    }
    if (name == "__cvta_generic_to_shared" && given.size() == 1)
      return number(static_cast<i64>(argument(0).address), size_);
    if (name == "atomicAdd" && given.size() == 2) {
      const value p = argument(0);
      value place = place_of(p.address, p.type);
      const value old = load(t, place);
      store(t, place.address, place.type, arithmetic("+", old, argument(1)));
      return old;
    }
    if ((name == "memcpy" || name == "__pipeline_memcpy_async") && given.size() == 3) {
      const u64 to = argument(0).address, from = argument(1).address;
      const i64 bytes = argument(2).integer;
      for (i64 i = 0; i < bytes && r_.wrong.empty(); i += 4) {
        value v;
        v.is_place = true;
        v.type = unsigned_;
        v.address = from + static_cast<u64>(i);
        store(t, to + static_cast<u64>(i), unsigned_, v);
      }
      return zero();
    }
    if (name == "make_float4" && given.size() == 4) {
      for (const kernel_type& type : s_.types) {
        if (type.is != kernel_type::record || type.fields.size() != 4 || type.fields[0].type != float_) continue;
        value v;
        v.type = &type;
        v.bytes.resize(16);
        for (std::size_t i = 0; i < 4; ++i) {
          const float f = static_cast<float>(converted(argument(i), float_).real);
          std::memcpy(&v.bytes[4 * i], &f, 4);
        }
        return v;
      }
    }
    unknown("a function, " + name);
    return zero();
  }

  value body_of(thread& t, const node& body, u64 stack, std::vector<std::map<std::string, variable>>* outside) {
    t.given = zero();
    const auto flow = t.flow;
    t.flow = thread::goes_on;
    execute(t, body);
    t.flow = flow;
    if (outside != nullptr) std::swap(*outside, t.scopes);
    t.scopes.pop_back();
    t.stack = stack;
    return t.given;
  }

  const kernel_source& s_;
  const kernel_launch& l_;
  kernel_run r_;
  std::deque<region> regions_;
  std::map<const node*, u64> shared_;
  std::deque<kernel_type> pointers_;
  const kernel_type *int_ = nullptr, *unsigned_ = nullptr, *long_ = nullptr, *size_ = nullptr, *float_ = nullptr,
                    *double_ = nullptr;
  u64 steps_ = 0;
  int calls_ = 0;
  std::uint32_t line_ = 0;
};

}  // namespace

kernel_run run_kernel(const kernel_source& source, const kernel_launch& launch) {
  return machine(source, launch).run();
}

}  // namespace bankwise::fuzz
