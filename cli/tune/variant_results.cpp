#include "cli/tune/variant_results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/float_bits.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "cli/fix/run_comparison.hpp"

namespace bankwise::cli {

namespace {

bool is_real(const argument_type& t) { return t.kind == number_kind::floating || t.kind == number_kind::bfloat; }

double usual_tolerance(const argument_type& t) { return t.bytes == 8 ? 1e-9 : t.bytes == 4 ? 1e-4 : 1e-2; }

template <class Number>
Number number_at(const std::string& bytes, std::size_t at) {
  Number n;
  std::memcpy(&n, bytes.data() + at * sizeof n, sizeof n);
  return n;
}

double real_at(const argument_type& t, const std::string& bytes, std::size_t at) {
  if (t.bytes == 8) return number_at<double>(bytes, at);
  if (t.bytes == 4) return number_at<float>(bytes, at);
  const auto half = number_at<std::uint16_t>(bytes, at);
  return t.kind == number_kind::bfloat ? float_of_bfloat16(half) : float_of_half(half);
}

std::string text_at(const argument_type& t, const std::string& bytes, std::size_t at) {
  if (is_real(t)) {
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, real_at(t, bytes, at), std::chars_format::general, 6);
    return {buffer, end.ptr};
  }
  std::uint64_t n = 0;
  std::memcpy(&n, bytes.data() + at * t.bytes, t.bytes);
  if (t.kind == number_kind::unsigned_integer) return std::to_string(n);
  const unsigned shift = 64 - 8 * t.bytes;
  return std::to_string(static_cast<std::int64_t>(n << shift) >> shift);
}

std::string compare_buffers(const result_place& of, const std::string& first, const std::string& other,
                            const std::optional<double>& tolerance) {
  if (first.size() != other.size())
    return formatted("argument {} has {} instead of {}", of.place, count_of(other.size() / of.type.bytes, "element"),
                     grouped(first.size() / of.type.bytes));
  if (first == other) return "";
  const std::size_t count = first.size() / of.type.bytes;
  double largest = 0;
  if (is_real(of.type))
    for (std::size_t i = 0; i < count; ++i)
      if (const double size = std::abs(real_at(of.type, first, i)); std::isfinite(size))
        largest = std::max(largest, size);
  const double allowed = tolerance.value_or(usual_tolerance(of.type)) * largest;
  std::size_t differing = 0, at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(first.data() + i * of.type.bytes, other.data() + i * of.type.bytes, of.type.bytes) == 0) continue;
    if (is_real(of.type)) {
      const double a = real_at(of.type, first, i), b = real_at(of.type, other, i);
      if ((std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= allowed) continue;
    }
    if (differing++ == 0) at = i;
  }
  if (differing == 0) return "";
  return formatted("argument {}: element {} is {} instead of {}{}", of.place, grouped(at), text_at(of.type, other, at),
                   text_at(of.type, first, at),
                   differing == 1 ? "" : formatted(", and {} more differ", grouped(differing - 1)));
}

std::optional<double> printed_number(std::string_view word) {
  double number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_whole = read.ec == std::errc{} && read.ptr == word.data() + word.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// Replaces numbers in `text` by those of `first` at the same place, if they differ by at most the tolerance.
std::string with_near_numbers(const std::string& first, const std::string& text, double tolerance) {
  const auto a = split(first, '\n'), b = split(text, '\n');
  if (a.size() != b.size()) return text;
  std::string out;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto was = split(a[i], ' '), is = split(b[i], ' ');
    if (i != 0) out += '\n';
    for (std::size_t k = 0; k < is.size(); ++k) {
      const auto x = was.size() == is.size() ? printed_number(was[k]) : std::nullopt,
                 y = x ? printed_number(is[k]) : std::nullopt;
      const bool near = x && y && std::abs(*x - *y) <= tolerance * std::max(std::abs(*x), std::abs(*y));
      out += formatted("{}{}", k == 0 ? "" : " ", near ? was[k] : is[k]);
    }
  }
  return out;
}

}  // namespace

std::vector<result_place> result_places(const std::vector<std::string>& arguments) {
  std::vector<result_place> places;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto a = parse_argument(arguments[i], i + 1);
    if (!a) continue;
    if (a->is_buffer && trim(arguments[i]).starts_with("out:")) places.push_back({std::to_string(i + 1), a->type});
    for (std::size_t k = 0; k < a->fields.size(); ++k)
      if (a->fields[k].is_buffer && trim(a->fields[k].text).starts_with("out:"))
        places.push_back({formatted("{}.{}", i + 1, k + 1), a->fields[k].type});
  }
  return places;
}

std::string compare_results(const variant_results& first, const variant_results& other,
                            const std::optional<double>& tolerance) {
  for (std::size_t i = 0; i < first.places.size(); ++i) {
    if (i >= first.bytes.size() || i >= other.bytes.size())
      return formatted("argument {} has no contents", first.places[i].place);
    if (std::string difference = compare_buffers(first.places[i], first.bytes[i], other.bytes[i], tolerance);
        !difference.empty())
      return difference;
  }
  const std::string printed = tolerance ? with_near_numbers(first.printed, other.printed, *tolerance) : other.printed;
  const std::string difference = compare_texts(first.printed, printed, printed).difference;
  return difference.empty() ? "" : formatted("its output: {}", difference);
}

}  // namespace bankwise::cli
