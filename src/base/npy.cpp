#include "base/npy.hpp"

#include <charconv>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

// Returns the value of 'key' in the dictionary of the header: the text up to the next comma outside of parentheses.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(formatted("'{}'", key));
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size() + 2);
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return {};
  rest.remove_prefix(colon + 1);
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    if (rest[end] == '(') ++depth;
    if (rest[end] == ')') --depth;
    if (depth == 0 && (rest[end] == ',' || rest[end] == '}')) break;
  }
  return trim(rest.substr(0, end));
}

}  // namespace

bool is_npy(byte_span bytes) {
  return bytes.size() >= magic.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), magic.size()) == magic;
}

result<npy_array> read_npy(byte_span bytes, const std::string& name) {
  const auto fail = [&](std::string message, std::uint64_t at,
                        std::string hint =
                            "numpy.save(file, numpy.ascontiguousarray(a)) writes a file that bankwise reads") {
    return diagnostic{formatted("{}: {}", name, std::move(message)), {.file = name, .byte = at}, std::move(hint)};
  };
  if (!is_npy(bytes)) return fail("this is not a .npy file", 0);
  byte_reader r(bytes, magic.size());
  const std::uint8_t version = r.u8();
  r.u8();
  const std::uint64_t length = version == 1 ? r.u16() : r.u32();
  const byte_span text = r.take(length);
  if (r.failed() || version < 1 || version > 3) return fail("the header of the .npy file is damaged", magic.size());
  const std::string_view header(reinterpret_cast<const char*>(text.data()), text.size());
  npy_array a;
  const std::string_view descr = value_of(header, "descr"), order = value_of(header, "fortran_order"),
                         shape = value_of(header, "shape");
  if (descr.size() >= 4 && descr[1] == '>')
    return fail(formatted("the elements of the file have the type {}, which is big-endian", descr), magic.size(),
                "numpy.save(file, a.astype(a.dtype.newbyteorder('<'))) writes a file that bankwise reads");
  if (descr.size() < 4 || descr.front() != '\'' || (descr[1] != '<' && descr[1] != '|'))
    return fail(formatted("the elements of the file have the type {}, but bankwise reads only plain little-endian "
                          "numbers",
                          descr),
                magic.size());
  a.type = std::string(descr.substr(2, descr.size() - 3));
  if (order != "False") return fail("the array is in Fortran order", magic.size());
  std::uint64_t count = 1;
  for (const std::string_view part : split(shape.size() >= 2 ? shape.substr(1, shape.size() - 2) : shape, ',')) {
    if (trim(part).empty()) continue;
    const auto n = parse_u64(trim(part));
    if (!n || (*n != 0 && count > (std::uint64_t{1} << 40) / *n))
      return fail(formatted("the shape {} in the file's header is not possible", shape), magic.size());
    a.shape.push_back(*n);
    count *= *n;
  }
  std::uint64_t element = 0;
  const std::string_view digits = std::string_view(a.type).substr(1);
  std::from_chars(digits.data(), digits.data() + digits.size(), element);
  if (element == 0 || element > 16)
    return fail(formatted("the elements of the array have the type {}, which bankwise does not read", a.type),
                magic.size());
  const std::uint64_t begin = r.at();
  a.data = r.take(count * element);
  if (r.failed())
    return fail(formatted("the file has fewer numbers than the shape {} in its header needs", shape), begin);
  return a;
}

std::string npy_header(std::string_view type, std::uint64_t count) {
  std::string text = formatted("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({},), }}",
                               type.ends_with("1") ? "|" : "<", type, count);
  const std::size_t before = magic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string out(magic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(text.size() & 0xff);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

}  // namespace bankwise
