// Parses --arg: buffers, their contents and the bytes of parameters.
#include "cli/run/kernel_arguments.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/format.hpp"
#include "base/npy.hpp"
#include "base/text.hpp"
#include "cli/run/buffer_contents.hpp"
#include "expr/parse/expression.hpp"

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

constexpr const char* forms =
    "possible forms are i32=1024, f32=0.5, f32[1M]=zero|iota|random:SEED|file:NAME|NUMBER, out:f32[1M], 1024, "
    "arg:1+256, {f32[64]=iota, i32=64} and bytes=HEX";
constexpr std::size_t shown_length = 200;        // largest number of characters of an argument in an error
constexpr std::size_t most_struct_bytes = 4096;  // size limit of a kernel's parameters

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
    const argument_type* type = find_argument_type(type_name);
    if (type == nullptr) {
      std::vector<std::string> names;
      for (const argument_type& t : types) names.emplace_back(t.name);
      const auto near = nearest(type_name, names, 1);
      return fail(formatted("'{}' is not the name of a type", type_name), type_name,
                  (near.empty() ? std::string() : formatted("did you mean {}? ", near[0])) + forms);
    }
    a.type = *type;
    if (bracket == std::string_view::npos) {
      if (is_output) return fail("an output is a buffer, so it needs a length, as in out:f32[1024]", left, forms);
      if (!has_value)
        return fail("the argument has no value", left,
                    formatted("pass a number such as {}=1, or a buffer such as {}[1024]=zero", type_name, type_name));
      return number(std::move(a), right);
    }
    if (left.back() != ']') return fail("the length has no closing ]", left.substr(bracket), forms);
    a.is_buffer = true;
    const std::string_view length = trim(left.substr(bracket + 1, left.size() - bracket - 2));
    if (!length.empty()) {
      if (const auto wrong = read_length(length, a.count)) return *wrong;
    } else if (!right.starts_with("file:")) {
      return fail("the buffer has no length", left.substr(bracket),
                  formatted("leave the length out only for a file, as in {}[]=file:a.npy", type_name));
    }
    if (!has_value) {
      if (!is_output)
        return fail("the buffer has no value", left,
                    formatted("pass {}=zero, =iota, =random:1, =file:a.npy or =1.5, or pass out:{}", left, left));
      return a;
    }
    return fill(std::move(a), right);
  }

 private:
  // Returns the position of the '=' after the type and the length.
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
            {.file = formatted("argument {}", number_),
             .line = 1,
             .column = static_cast<std::uint32_t>(column + 1),
             .length = static_cast<std::uint32_t>(
                 std::clamp<std::size_t>(at.size(), 1, std::max(shown_length, column + 1) - column)),
             .source_line = std::string(text_.substr(0, shown_length))},
            std::move(hint)};
  }

  std::optional<diagnostic> read_length(std::string_view text, std::uint64_t& count) const {
    if (const auto n = parse_size(text)) {
      count = *n;
    } else {
      const auto e = expr::parse(text, {}, "length");
      if (!e)
        return fail(formatted("the length '{}' is not a number: {}", text, e.error().message), text,
                    "pass a number, 1K, 1M or an expression such as 64*65");
      const auto v = e->evaluate(0);
      if (!v) return fail(formatted("the length '{}' is not a number: {}", text, v.error().message), text);
      count = v->number < 0 ? 0 : static_cast<std::uint64_t>(v->number);
    }
    if (count == 0 || count > emulate::most_device_bytes)
      return fail(
          formatted("the length {} is not possible", text), text,
          formatted("a buffer has at least 1 element and at most {} bytes", grouped(emulate::most_device_bytes)));
    return std::nullopt;
  }

  result<kernel_argument> number(kernel_argument a, std::string_view text) const {
    if (a.type.kind == integer || a.type.kind == natural) {
      const bool negative = text.starts_with('-');
      const auto magnitude = parse_u64(negative ? text.substr(1) : text);
      if (!magnitude) return fail(formatted("'{}' is not an integer", text), text, forms);
      const unsigned bits = a.type.bytes * 8;
      const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      const std::uint64_t most_positive = a.type.kind == integer ? most >> 1 : most;
      if (negative ? a.type.kind == natural ? *magnitude != 0 : *magnitude > most_positive + 1
                   : *magnitude > most_positive)
        return fail(formatted("{} is outside the range of {}", text, a.type.name), text);
      a.integer = negative ? 0 - *magnitude : *magnitude;
      return a;
    }
    const std::string copy(text);
    char* end = nullptr;
    a.real = std::strtod(copy.c_str(), &end);
    if (copy.empty() || (*end != 0 && std::string_view(end) != "f"))
      return fail(formatted("'{}' is not a number", copy), text, forms);
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
      if (!seed) return fail(formatted("'{}' has no seed", text), text, "add a number, such as random:1");
      a.seed = *seed;
      return a;
    }
    if (text.starts_with("file:")) {
      a.fill = kernel_argument::fill_kind::file;
      a.file = std::string(text.substr(5));
      if (a.file.empty())
        return fail("the form file:NAME needs the name of a file", text,
                    "name a .npy file, such as file:a.npy, or a raw file of the right size");
      return a;
    }
    a.fill = kernel_argument::fill_kind::same;
    auto filled = number(std::move(a), text);
    if (!filled) return fail(formatted("'{}' is not a value for a buffer", text), text, forms);
    return filled;
  }

  result<kernel_argument> address_within(kernel_argument a, std::string_view text) const {
    const std::size_t plus = text.find('+');
    const auto [other, field] = parse_place(text.substr(0, plus));
    const auto byte =
        plus == std::string_view::npos ? std::optional<std::uint64_t>(0) : parse_u64(text.substr(plus + 1));
    if (!other || !field || !byte)
      return fail("the argument must have the form arg:N or arg:N.FIELD, with or without +BYTES", text, forms);
    if (*other < 1 || *other >= number_)
      return fail(formatted("there is no argument {} before this argument", *other), text,
                  "arguments are counted from 1");
    a.type = *find_argument_type("u64");
    a.within = static_cast<std::size_t>(*other);
    a.field = static_cast<std::size_t>(*field);
    a.integer = *byte;
    return a;
  }

  // Parses a struct such as "{f32[64]=iota, i32=64}".
  result<kernel_argument> struct_fields(kernel_argument a, std::string_view text) const {
    if (!text.ends_with('}') || text.size() < 3) return fail("a struct needs a field and a closing }", text, forms);
    for (const std::string_view part : split(text.substr(1, text.size() - 2), ',')) {
      const std::string_view word = trim(part);
      if (word.find_first_of("{}") != std::string_view::npos)
        return fail("a struct cannot contain another struct", word,
                    "list the fields of the inner struct in the outer struct");
      auto field = argument_reader(word, number_).run();
      if (!field) {
        diagnostic d = field.error();  // the error describes the field, but quotes the whole argument
        d.where.column += static_cast<std::uint32_t>(word.data() - text_.data());
        d.where.source_line = std::string(text_.substr(0, 200));
        return d;
      }
      if (!field->is_typed || !field->bytes.empty())
        return fail("the field has no type", word,
                    formatted("add a type, such as i32={}", field->is_typed ? "1" : std::string(word)));
      a.fields.push_back(std::move(*field));
      if (a.fields.size() > most_struct_bytes)
        return fail("the struct has too many fields for the parameters of a kernel", word);
    }
    return a;
  }

  result<kernel_argument> struct_bytes(kernel_argument a, std::string_view text) const {
    if (text.empty() || text.size() % 2 != 0)
      return fail("bytes= needs two hexadecimal digits for each byte", text,
                  "write the bytes in the order of memory: bytes=00000080 is 0x80000000");
    if (text.size() > 2 * most_struct_bytes)
      return fail(formatted("{} bytes are more than the {} bytes that a kernel takes by value",
                            grouped(text.size() / 2), grouped(most_struct_bytes)),
                  text, "for a buffer of bytes, pass u8[N]=file:NAME");
    for (std::size_t i = 0; i < text.size(); i += 2) {
      const auto byte = parse_u64(formatted("0x{}", text.substr(i, 2)));
      if (!byte)
        return fail(formatted("'{}' is not two hexadecimal digits", std::string(text.substr(i, 2))), text.substr(i, 2));
      a.bytes.push_back(static_cast<std::byte>(*byte));
    }
    return a;
  }

  std::string_view text_;
  std::size_t number_;
};

}  // namespace

const argument_type* find_argument_type(std::string_view name) {
  for (const auto& [other, own] : other_names)
    if (name == other) name = own;
  for (const argument_type& t : types)
    if (t.name == name) return &t;
  return nullptr;
}

result<kernel_argument> parse_argument(std::string_view text, std::size_t number) {
  return argument_reader(text, number).run();
}

std::vector<std::string> files_of(const kernel_argument& a) {
  std::vector<std::string> files;
  if (!a.file.empty()) files.push_back(a.file);
  for (const kernel_argument& field : a.fields) {
    const auto more = files_of(field);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

argument_place parse_place(std::string_view text) {
  const std::size_t dot = text.find('.');
  argument_place place{parse_u64(text.substr(0, dot)), 0};
  if (dot != std::string_view::npos) {
    place.field = parse_u64(text.substr(dot + 1));
    if (place.field == 0) place.field.reset();  // 0 is not a field, because fields are numbered from 1
  }
  return place;
}

}  // namespace bankwise
