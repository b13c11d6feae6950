// Parses a list of addresses, which are separated by commas or blanks. Two successive commas are an error, because an
// address is missing between them.
#include "expr/address_list.hpp"

#include <algorithm>
#include <cstdint>

#include "base/flag_values.hpp"
#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

result<address_list> read_addresses(const std::string& text, const std::string& name, u32 most, u64 most_address) {
  address_list list;
  u32& lane = list.count;
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  const auto bad = [&](std::size_t at, std::size_t length, const std::string& message, const std::string& hint) {
    const std::size_t line_end = std::min(text.find('\n', line_begin), text.size());
    return diagnostic{message,
                      {.file = name,
                       .line = line,
                       .column = static_cast<std::uint32_t>(at - line_begin + 1),
                       .length = static_cast<std::uint32_t>(length),
                       .source_line = text.substr(line_begin, std::min<std::size_t>(line_end - line_begin, 200))},
                      hint,
                      "addresses"};
  };
  bool after_comma = true;  // whether an address must follow; a second comma is then an error
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ',' && after_comma)
      return bad(at, 1, "there is no address before this comma", "for a lane without an address, write '-'");
    after_comma = c == ',' || (after_comma && (c == ' ' || c == '\n' || c == '\t' || c == '\r'));
    if (c == '\n') ++line, line_begin = at + 1;
    if (c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ,\n\t\r", at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::string hint = formatted(
        "a list has up to {} byte addresses, one for each lane. For a lane without an address, write '-'", most);
    if (lane == most) return bad(at, word.size(), formatted("the list has more than {} addresses", most), hint);
    if (word != "-" && word != "x") {
      const auto address = parse_u64(word);
      if (!address || *address > most_address)
        return bad(at, word.size(), formatted("'{}' is not a byte address", word), hint);
      list.address[lane] = *address;
      list.lanes |= u64{1} << lane;
    }
    ++lane;
    at = end;
  }
  if (lane == 0) return about("addresses", {formatted("{} does not contain an address", name)});
  return list;
}

bool is_address_list(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789abcdefABCDEFx-, \t");
  return end == std::string_view::npos && text.find(',') != std::string_view::npos;
}

}  // namespace bankwise
