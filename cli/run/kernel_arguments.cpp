// What --arg words mean: buffers, their contents and the bytes of the parameters.
#include "cli/run/kernel_arguments.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/float_bits.hpp"
#include "base/format.hpp"
#include "base/npy.hpp"
#include "base/random_numbers.hpp"
#include "base/text.hpp"
#include "expr/expression.hpp"

namespace bankwise {

namespace {

constexpr auto integer = number_kind::signed_integer, natural = number_kind::unsigned_integer,
               floating = number_kind::floating;

constexpr argument_type types[] = {
    {"i8", "i1", 1, integer},   {"u8", "u1", 1, natural},   {"i16", "i2", 2, integer},
    {"u16", "u2", 2, natural},  {"i32", "i4", 4, integer},  {"u32", "u4", 4, natural},
    {"i64", "i8", 8, integer},  {"u64", "u8", 8, natural},  {"f16", "f2", 2, floating},
    {"f32", "f4", 4, floating}, {"f64", "f8", 8, floating}, {"bf16", "u2", 2, number_kind::bfloat},
};
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"char", "i8"},
    {"unsigned char", "u8"},
    {"short", "i16"},
    {"unsigned short", "u16"},
    {"int", "i32"},
    {"unsigned", "u32"},
    {"unsigned int", "u32"},
    {"long long", "i64"},
    {"unsigned long long", "u64"},
    {"size_t", "u64"},
    {"half", "f16"},
    {"float", "f32"},
    {"double", "f64"},
    {"bool", "u8"},
    {"int32_t", "i32"},
    {"uint32_t", "u32"},
    {"int64_t", "i64"},
    {"uint64_t", "u64"},
    {"__half", "f16"},
    {"__nv_bfloat16", "bf16"},
};

const argument_type* find_type(std::string_view name) {
  for (const auto& [other, own] : other_names)
    if (name == other) name = own;
  for (const argument_type& t : types)
    if (t.name == name) return &t;
  return nullptr;
}

constexpr const char* forms =
    "forms: i32=1024, f32=0.5, f32[1M]=zero|iota|random:SEED|file:NAME|NUMBER, out:f32[1M], 1024, arg:1+256, "
    "{f32[64]=iota, i32=64}, bytes=HEX";
constexpr std::size_t most_struct_bytes = 4096;  // and so of fields; what a kernel takes at most

bool begins_number(std::string_view s) {
  if (s.starts_with('-') || s.starts_with('.')) s.remove_prefix(1);
  return !s.empty() && s[0] >= '0' && s[0] <= '9';
}

class argument_reader {
 public:
  argument_reader(std::string_view text, std::size_t number) : text_(text), number_(number) {}

  result<kernel_argument> run() {
    kernel_argument a;
    a.text = std::string(text_);
    std::string_view rest = text_;
    if (rest.starts_with('{')) return struct_fields(std::move(a), rest);
    if (rest.starts_with("arg:")) return address_within(std::move(a), rest.substr(4));
    if (begins_number(rest) && rest.find_first_of("=[") == std::string_view::npos) {
      a.is_typed = false;
      return a;
    }
    const bool is_output = rest.starts_with("out:");
    if (is_output) rest.remove_prefix(4);
    const std::size_t equals = find_equals(rest);
    const std::string_view left = trim(rest.substr(0, equals));
    const bool has_value = equals != std::string_view::npos;
    const std::string_view right = has_value ? trim(rest.substr(equals + 1)) : std::string_view();
    if (left == "bytes") return struct_bytes(std::move(a), right);
    const std::size_t bracket = left.find('[');
    const std::string_view type_name = trim(left.substr(0, bracket));
    const argument_type* type = find_type(type_name);
    if (type == nullptr) {
      std::vector<std::string> names;
      for (const argument_type& t : types) names.emplace_back(t.name);
      const auto near = nearest(type_name, names, 1);
      return fail("'" + std::string(type_name) + "' is not a type", type_name,
                  (near.empty() ? std::string() : "did you mean " + near[0] + "? ") + forms);
    }
    a.type = *type;
    if (bracket == std::string_view::npos) {
      if (is_output) return fail("an output is a buffer: it needs a length, as in out:f32[1024]", left, forms);
      if (!has_value)
        return fail("the value is missing", left, formatted("{}=1, or a buffer: {}[1024]=zero", type_name, type_name));
      return number(std::move(a), right);
    }
    if (left.back() != ']') return fail("the length has no closing ]", left.substr(bracket), forms);
    a.is_buffer = true;
    const std::string_view length = trim(left.substr(bracket + 1, left.size() - bracket - 2));
    if (!length.empty()) {
      if (const auto wrong = read_length(length, a.count)) return *wrong;
    } else if (!right.starts_with("file:")) {
      return fail("the length is missing", left.substr(bracket),
                  "only a file sets the length itself: " + std::string(type_name) + "[]=file:a.npy");
    }
    if (!has_value) {
      if (!is_output)
        return fail("what the buffer holds is missing", left,
                    formatted("{}=zero, =iota, =random:1, =file:a.npy or =1.5; or out:{}", left, left));
      return a;
    }
    return fill(std::move(a), right);
  }

 private:
  // The '=' after the type and its length.
  static std::size_t find_equals(std::string_view s) {
    int depth = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] == '[') ++depth;
      if (s[i] == ']') --depth;
      if (s[i] == '=' && depth <= 0) return i;
    }
    return std::string_view::npos;
  }

  diagnostic fail(std::string message, std::string_view at, std::string hint = {}) const {
    const std::size_t column = at.data() >= text_.data() && at.data() <= text_.data() + text_.size()
                                   ? static_cast<std::size_t>(at.data() - text_.data())
                                   : 0;
    return {std::move(message),
            {.file = "argument " + std::to_string(number_),
             .line = 1,
             .column = static_cast<std::uint32_t>(column + 1),
             .length = static_cast<std::uint32_t>(std::max<std::size_t>(1, at.size())),
             .source_line = std::string(text_.substr(0, 200))},
            std::move(hint)};
  }

  std::optional<diagnostic> read_length(std::string_view text, std::uint64_t& count) const {
    if (const auto n = parse_size(text)) {
      count = *n;
    } else {
      const auto e = expr::parse(text, {}, "length");
      if (!e)
        return fail(formatted("the length '{}' is not a number: {}", text, e.error().message), text,
                    "a number, 1K, 1M or an expression such as 64*65");
      const auto v = e->evaluate(0);
      if (!v) return fail(formatted("the length '{}' is not a number: {}", text, v.error().message), text);
      count = v->number < 0 ? 0 : static_cast<std::uint64_t>(v->number);
    }
    if (count == 0 || count > emulate::most_device_bytes)
      return fail("a length of " + std::string(text) + " is not possible", text,
                  "from 1 on, " + grouped(emulate::most_device_bytes) + " bytes in all");
    return std::nullopt;
  }

  result<kernel_argument> number(kernel_argument a, std::string_view text) const {
    if (a.type.kind == integer || a.type.kind == natural) {
      const bool negative = text.starts_with('-');
      const auto magnitude = parse_u64(negative ? text.substr(1) : text);
      if (!magnitude) return fail("'" + std::string(text) + "' is not an integer", text, forms);
      const unsigned bits = a.type.bytes * 8;
      const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      const std::uint64_t most_positive = a.type.kind == integer ? most >> 1 : most;
      if (negative ? a.type.kind == natural ? *magnitude != 0 : *magnitude > most_positive + 1
                   : *magnitude > most_positive)
        return fail(formatted("{} does not fit {}", text, a.type.name), text);
      a.integer = negative ? 0 - *magnitude : *magnitude;
      return a;
    }
    const std::string copy(text);
    char* end = nullptr;
    a.real = std::strtod(copy.c_str(), &end);
    if (copy.empty() || (*end != 0 && std::string_view(end) != "f"))
      return fail("'" + copy + "' is not a number", text, forms);
    return a;
  }

  result<kernel_argument> fill(kernel_argument a, std::string_view text) const {
    if (text == "zero") return a;
    if (text == "iota") {
      a.fill = kernel_argument::fill_kind::iota;
      return a;
    }
    if (text == "random" || text.starts_with("random:")) {
      a.fill = kernel_argument::fill_kind::random;
      const auto seed =
          text.size() > 7
              ? parse_u64(text.substr(7))
              : std::optional<std::uint64_t>(text == "random" ? std::optional<std::uint64_t>(1) : std::nullopt);
      if (!seed)
        return fail("'" + std::string(text) + "' has no seed", text, "random:SEED with a number, such as random:1");
      a.seed = *seed;
      return a;
    }
    if (text.starts_with("file:")) {
      a.fill = kernel_argument::fill_kind::file;
      a.file = std::string(text.substr(5));
      if (a.file.empty())
        return fail("the file's name is missing", text, "file:a.npy, or a raw file of the right size");
      return a;
    }
    a.fill = kernel_argument::fill_kind::same;
    auto filled = number(std::move(a), text);
    if (!filled) return fail("'" + std::string(text) + "' does not say what the buffer holds", text, forms);
    return filled;
  }

  result<kernel_argument> address_within(kernel_argument a, std::string_view text) const {
    const std::size_t plus = text.find('+');
    const auto [other, field] = parse_place(text.substr(0, plus));
    const auto byte =
        plus == std::string_view::npos ? std::optional<std::uint64_t>(0) : parse_u64(text.substr(plus + 1));
    if (!other || !field || !byte) return fail("expected arg:N, arg:N.FIELD, or one of them with +BYTES", text, forms);
    if (*other < 1 || *other >= number_)
      return fail("there is no argument " + std::to_string(*other) + " before this one", text,
                  "they are counted from 1");
    a.type = *find_type("u64");
    a.within = static_cast<std::size_t>(*other);
    a.field = static_cast<std::size_t>(*field);
    a.integer = *byte;
    return a;
  }

  // "{f32[64]=iota, i32=64}"
  result<kernel_argument> struct_fields(kernel_argument a, std::string_view text) const {
    if (!text.ends_with('}') || text.size() < 3) return fail("a struct needs a field and a closing }", text, forms);
    for (const std::string_view part : split(text.substr(1, text.size() - 2), ',')) {
      const std::string_view word = trim(part);
      if (word.find_first_of("{}") != std::string_view::npos)
        return fail("a struct within a struct", word, "list its fields in the outer struct");
      auto field = argument_reader(word, number_).run();
      if (!field) {
        diagnostic d = field.error();  // of the word: shown in the whole
        d.where.column += static_cast<std::uint32_t>(word.data() - text_.data());
        d.where.source_line = std::string(text_.substr(0, 200));
        return d;
      }
      if (!field->is_typed || !field->bytes.empty())
        return fail("a field needs its type", word, "such as i32=" + (field->is_typed ? "1" : std::string(word)));
      a.fields.push_back(std::move(*field));
      if (a.fields.size() > most_struct_bytes) return fail("more fields than a kernel has bytes of parameters", word);
    }
    return a;
  }

  result<kernel_argument> struct_bytes(kernel_argument a, std::string_view text) const {
    if (text.empty() || text.size() % 2 != 0 || text.size() > 2 * most_struct_bytes)
      return fail("expected two hexadecimal digits for each byte", text,
                  "bytes=00000080 is 0x80000000 in the order of memory");
    for (std::size_t i = 0; i < text.size(); i += 2) {
      const auto byte = parse_u64("0x" + std::string(text.substr(i, 2)));
      if (!byte)
        return fail("'" + std::string(text.substr(i, 2)) + "' is not two hexadecimal digits", text.substr(i, 2));
      a.bytes.push_back(static_cast<std::byte>(*byte));
    }
    return a;
  }

  std::string_view text_;
  std::size_t number_;
};

// One element's bits.
std::uint64_t encode(const argument_type& t, double real, std::uint64_t whole) {
  switch (t.kind) {
    case number_kind::floating:
      return t.bytes == 8   ? bits_of_double(real)
             : t.bytes == 4 ? bits_of_float(static_cast<float>(real))
                            : half_of_double(real);
    case number_kind::bfloat: return bfloat16_of_double(real);
    default: return whole;
  }
}

// Any element can be computed on its own.
std::uint64_t random_at(std::uint64_t seed, std::uint64_t index) {
  return mixed_bits(seed * 0x2545f4914f6cdd1d + (index + 1) * random_step);
}

// What each element has, by its number.
template <class Bits>
void fill_each(const kernel_argument& a, std::byte* to, Bits bits_of) {
  const auto fill = [&](auto one) {
    for (std::uint64_t i = 0; i < a.count; ++i) {
      one = static_cast<decltype(one)>(bits_of(i));
      std::memcpy(to + i * sizeof one, &one, sizeof one);
    }
  };
  switch (a.type.bytes) {
    case 1: return fill(std::uint8_t{});
    case 2: return fill(std::uint16_t{});
    case 4: return fill(std::uint32_t{});
    default: return fill(std::uint64_t{});
  }
}

// From 0 to 1, exact in every type: halves have 11 bits.
void fill_randomly(const kernel_argument& a, std::byte* to) {
  const bool is_bfloat = a.type.kind == number_kind::bfloat;
  const unsigned digits = a.type.bytes == 8 ? 53 : a.type.bytes == 4 ? 24 : is_bfloat ? 8 : 11;
  const double unit = std::ldexp(1.0, -static_cast<int>(digits));
  const auto number = [seed = a.seed, digits](std::uint64_t i) {
    return static_cast<std::int64_t>(random_at(seed, i) >> (64 - digits));
  };
  const auto real = [&](std::uint64_t i) { return static_cast<double>(number(i)) * unit; };
  if (!is_bfloat && a.type.kind != number_kind::floating)
    return fill_each(a, to, [&](std::uint64_t i) { return random_at(a.seed, i); });
  if (a.type.bytes == 8) return fill_each(a, to, [&](std::uint64_t i) { return bits_of_double(real(i)); });
  const auto single = [&](std::uint64_t i) { return static_cast<float>(real(i)); };
  if (a.type.bytes == 4) return fill_each(a, to, [&](std::uint64_t i) { return bits_of_float(single(i)); });
  // There are so few of them that each is converted once.
  std::vector<std::uint16_t> all(std::size_t{1} << digits);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto value = static_cast<float>(static_cast<double>(n) * unit);
    all[n] = is_bfloat ? bfloat16_of_float(value) : half_of_float(value);
  }
  fill_each(a, to, [&](std::uint64_t i) { return all[static_cast<std::size_t>(number(i))]; });
}

void fill_buffer(const kernel_argument& a, std::byte* to) {
  switch (a.fill) {
    case kernel_argument::fill_kind::iota:
      return fill_each(a, to, [&](std::uint64_t i) { return encode(a.type, static_cast<double>(i), i); });
    case kernel_argument::fill_kind::same:
      return fill_each(a, to, [bits = encode(a.type, a.real, a.integer)](std::uint64_t) { return bits; });
    case kernel_argument::fill_kind::random: return fill_randomly(a, to);
    default: return;
  }
}

// "void k<3>(float*, unsigned int)" -> float*, unsigned int. Nothing where the name tells no types: extern "C".
std::vector<std::string_view> parameter_types(std::string_view full_name) {
  if (!full_name.ends_with(')')) return {};
  std::vector<std::string_view> found;
  int depth = 0;
  std::size_t end = full_name.size() - 1;
  for (std::size_t i = full_name.size(); i-- > 0;) {
    const char c = full_name[i];
    if (c == ')' || c == '>' || c == ']') ++depth;
    if (c == '(' || c == '<' || c == '[') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    found.push_back(trim(full_name.substr(i + 1, end - i - 1)));
    end = i;
    if (depth == 0) break;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

// Why a number of this type cannot be meant for a parameter of that type, though it has the same size.
bool mixes_up(const argument_type& number, std::string_view parameter) {
  constexpr std::string_view integers[] = {"bool",  "char",           "signed char", "unsigned char",
                                           "short", "unsigned short", "int",         "unsigned int",
                                           "long",  "unsigned long",  "long long",   "unsigned long long"};
  constexpr std::string_view reals[] = {"float", "double", "__half", "__nv_bfloat16"};
  const auto is_one_of = [&](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), parameter) != names.end();
  };
  const bool real = number.kind == number_kind::floating || number.kind == number_kind::bfloat;
  return real ? is_one_of(integers) || parameter.ends_with('*') : is_one_of(reals);
}

// A number without a type, as the parameter has it. `parameter_type`: empty where the kernel's name tells none.
result<kernel_argument> as_parameter(const kernel_argument& a, std::uint32_t bytes, std::string_view parameter_type,
                                     std::size_t number) {
  constexpr std::string_view reals[] = {"float", "double", "__half", "__nv_bfloat16"};
  const bool is_real = a.text.find_first_of(".en") != std::string::npos && !a.text.starts_with("0x");
  std::string type = is_real ? "f" : a.text.starts_with('-') ? "i" : "u";
  type += std::to_string(bytes * 8);
  if (std::find(std::begin(reals), std::end(reals), parameter_type) != std::end(reals)) type = parameter_type;
  if (find_type(type) == nullptr)
    return diagnostic{formatted("argument {} ({}): the parameter has {} bytes, and {} has", number, a.text, bytes,
                                is_real ? "no such real number" : "no integer"),
                      {},
                      "bytes=HEX sets them in the order of memory"};
  auto typed = parse_argument(formatted("{}={}", type, a.text), number);
  if (typed) typed->text = a.text;
  return typed;
}

std::string sizes_of(const cubin::kernel& k) {
  std::string s;
  for (const cubin::parameter& p : k.params) s += (s.empty() ? "" : ", ") + std::to_string(p.bytes);
  return s;
}

bool is_number(const kernel_argument& a) { return !a.is_buffer && a.bytes.empty() && a.fields.empty(); }

// Bytes of the value that is passed; for a field also its alignment.
std::uint64_t bytes_of(const kernel_argument& a) {
  if (!a.bytes.empty()) return a.bytes.size();
  if (a.fields.empty()) return a.is_buffer ? 8 : a.type.bytes;
  std::uint64_t end = 0, most = 1;
  for (const kernel_argument& field : a.fields) {
    const std::uint64_t n = bytes_of(field);
    end = (end + n - 1) / n * n + n;
    most = std::max(most, n);
  }
  return (end + most - 1) / most * most;
}

using file_reader = std::function<result<std::string>(const std::string& path)>;

// Puts arguments, whose sizes fit, into the parameters, and their buffers into memory.
class argument_placer {
 public:
  argument_placer(placed_arguments& placed, emulate::device_memory& memory, const file_reader& read)
      : placed_(placed), memory_(memory), read_(read) {}

  // `name`: "argument 2", for errors and for messages about the memory.
  result<done> put(kernel_argument a, const std::string& name, std::size_t offset, placed_argument& to) {
    if (!a.fields.empty()) {
      to.fields.resize(a.fields.size());
      std::size_t at = offset;
      for (std::size_t i = 0; i < a.fields.size(); ++i) {
        const std::size_t n = bytes_of(a.fields[i]);
        at = offset + (at - offset + n - 1) / n * n;
        if (auto wrong = put(a.fields[i], formatted("{}.{}", name, i + 1), at, to.fields[i]); !wrong) return wrong;
        at += n;
      }
      return done{};
    }
    if (!a.bytes.empty()) {
      std::memcpy(placed_.parameters.data() + offset, a.bytes.data(), a.bytes.size());
      return done{};
    }
    std::uint64_t bits = encode(a.type, a.real, a.integer);
    std::uint32_t bytes = a.type.bytes;
    if (a.within != 0) {
      const auto address = address_in_other(a, name);
      if (!address) return address.error();
      bits = *address;
    } else if (a.is_buffer) {
      if (auto wrong = make_buffer(a, name, to); !wrong) return wrong;
      bits = to.address;
      bytes = 8;
    }
    std::memcpy(placed_.parameters.data() + offset, &bits, bytes);
    return done{};
  }

 private:
  static diagnostic fail(const kernel_argument& a, const std::string& name, const std::string& message,
                         std::string hint = {}) {
    return {formatted("{} ({}): {}", name, a.text, message), {}, std::move(hint)};
  }

  result<std::uint64_t> address_in_other(const kernel_argument& a, const std::string& name) const {
    const placed_argument* other = &placed_.each[a.within - 1];
    std::string its_name = "argument " + std::to_string(a.within);
    if (a.field != 0) {
      its_name += "." + std::to_string(a.field);
      if (a.field > other->fields.size()) return fail(a, name, "there is no " + its_name);
      other = &other->fields[a.field - 1];
    }
    if (other->address == 0) return fail(a, name, its_name + " is passed by value");
    if (a.integer >= other->bytes) return fail(a, name, formatted("{} has {} bytes", its_name, grouped(other->bytes)));
    return other->address + a.integer;
  }

  result<done> make_buffer(kernel_argument& a, const std::string& name, placed_argument& to) {
    std::string contents;
    byte_span data;
    if (a.fill == kernel_argument::fill_kind::file) {
      auto text = read_(a.file);
      if (!text) return fail(a, name, text.error().message);
      if (a.file.ends_with(".npz"))
        return fail(a, name, "a .npz file is an archive of arrays",
                    "numpy.save('a.npy', numpy.load('" + a.file + "')['NAME']) writes one of them as .npy");
      contents = std::move(*text);
      data = byte_span(reinterpret_cast<const std::byte*>(contents.data()), contents.size());
      if (is_npy(data)) {
        const auto array = read_npy(data, a.file);
        if (!array) return array.error();
        if (array->type != a.type.numpy)
          return fail(a, name, formatted("the file holds {}, not {} ({})", array->type, a.type.numpy, a.type.name));
        data = array->data;
      }
      if (a.count == 0) a.count = data.size() / a.type.bytes;
      if (a.count == 0 || data.size() != a.count * a.type.bytes)
        return fail(a, name,
                    formatted("the file holds {} bytes of numbers, not {}", grouped(data.size()),
                              grouped(a.count * a.type.bytes)));
    }
    if (a.count > emulate::most_device_bytes / a.type.bytes)
      return fail(a, name, "it is larger than " + grouped(emulate::most_device_bytes) + " bytes");
    to.bytes = a.count * a.type.bytes;
    const auto address = memory_.allocate(to.bytes, name);
    if (!address) return address.error();
    to.address = *address;
    std::byte* const at = memory_.bytes_at(to.address, to.bytes);
    if (a.fill == kernel_argument::fill_kind::file)
      std::memcpy(at, data.data(), to.bytes);
    else
      fill_buffer(a, at);
    return done{};
  }

  placed_arguments& placed_;
  emulate::device_memory& memory_;
  const file_reader& read_;
};

}  // namespace

result<kernel_argument> parse_argument(std::string_view text, std::size_t number) {
  return argument_reader(text, number).run();
}

argument_place parse_place(std::string_view text) {
  const std::size_t dot = text.find('.');
  argument_place place{parse_u64(text.substr(0, dot)), 0};
  if (dot != std::string_view::npos) {
    place.field = parse_u64(text.substr(dot + 1));
    if (place.field == 0) place.field.reset();  // they count from 1
  }
  return place;
}

result<placed_arguments> place_arguments(const cubin::kernel& k, const std::vector<kernel_argument>& arguments,
                                         emulate::device_memory& memory,
                                         const std::function<result<std::string>(const std::string& path)>& read) {
  if (arguments.size() != k.params.size())
    return diagnostic{
        formatted("kernel {} takes {}{}{}", k.name, k.params.size(),
                  k.params.size() == 1 ? " parameter, not " : " parameters, not ", arguments.size()),
        {},
        k.full_name + (k.params.empty()
                           ? ""
                           : ": of " + sizes_of(k) +
                                 " bytes; pass one --arg for each, in order; a pointer is a buffer such as "
                                 "f32[1024]=iota")};
  const std::vector<std::string_view> parameter_type = parameter_types(k.full_name);
  placed_arguments placed;
  argument_placer places(placed, memory, read);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    kernel_argument a = arguments[i];
    const cubin::parameter& p = k.params[i];
    const std::string name = "argument " + std::to_string(i + 1);
    const auto wrong = [&](const std::string& message, std::string hint = {}) {
      return diagnostic{formatted("{} ({}): {}", name, a.text, message), {}, std::move(hint)};
    };
    if (!a.is_typed) {
      auto typed = as_parameter(a, p.bytes, parameter_type.size() == arguments.size() ? parameter_type[i] : "", i + 1);
      if (!typed) return typed.error();
      a = std::move(*typed);
    }
    const std::uint64_t size = bytes_of(a);
    if (size != p.bytes)
      return wrong(formatted("{}{} bytes, but the parameter has {}",
                             a.is_buffer ? "a buffer's address has " : "it has ", size, p.bytes),
                   formatted("{}: of {} bytes", k.full_name, sizes_of(k)));
    if (is_number(a) && parameter_type.size() == arguments.size() && mixes_up(a.type, parameter_type[i]))
      return wrong(formatted("the parameter is of type {}, not {}", parameter_type[i], a.type.name),
                   k.full_name + "; bytes=HEX sets the bits");
    if (placed.parameters.size() < std::size_t{p.offset} + p.bytes)
      placed.parameters.resize(std::size_t{p.offset} + p.bytes);
    placed_argument& to = placed.each.emplace_back();
    if (const auto put = places.put(std::move(a), name, p.offset, to); !put) return put.error();
  }
  return placed;
}

}  // namespace bankwise
