// Computes the offsets of a struct's members. The members keep their order, and each offset is a multiple of the
// member's alignment.
#include "expr/parse/structures.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/declaration.hpp"
#include "expr/parse/expression_tree.hpp"

namespace bankwise::expr {

namespace {

constexpr std::size_t most_members = 256, most_structures = 64;
constexpr std::uint64_t most_struct_bytes = 1u << 16;

std::uint64_t rounded_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

// Returns the position of a name as a whole word, or npos if the text does not contain it.
std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_name(text[at - 1])) && (at + word.size() == text.size() || !is_name(text[at + word.size()])))
      return at;
  return std::string_view::npos;
}

}  // namespace

result<std::string> take_structure(const std::string& text, scope& names) {
  const std::size_t open = text.find('{');
  if (open == std::string::npos) return text;
  const auto bad = [&](std::string message, std::size_t at, std::size_t length) {
    return error_at(worded(setting::array), text, at + 1, std::max<std::size_t>(length, 1), std::move(message),
                    formatted("for example {}", worded(setting::array, "struct P { float x, y; char c[4]; } p[256]")));
  };
  std::string_view head = trim(std::string_view(text).substr(0, open));
  const std::size_t word = std::min(find_word(head, "struct"), find_word(head, "union"));
  if (word == std::string_view::npos) return bad("write struct before {", 0, open);
  if (find_word(head, "union") == word) return bad("unions are not supported here", word, 5);
  const std::size_t close = text.find('}', open);
  if (close == std::string::npos) return bad("expected '}' after the members", text.size() - 1, 1);
  if (const std::size_t inner = text.find('{', open + 1); inner < close)
    return bad("declare an inner struct before the outer one", inner, 1);
  auto made = std::make_shared<structure>();
  std::uint64_t least_align = 1;
  head = trim(head.substr(word + 6));
  for (const std::string_view prefix : {"__align__", "alignas"})
    if (const std::size_t at = find_word(head, prefix); at != std::string_view::npos) {
      const std::size_t from = head.find('(', at), to = head.find(')', at);
      const auto n = from < to && to != std::string_view::npos ? parse_u64(trim(head.substr(from + 1, to - from - 1)))
                                                               : std::nullopt;
      if (!n || *n < 1 || *n > 1024 || (*n & (*n - 1)) != 0) return bad("an alignment must be a power of two", 0, open);
      least_align = *n;
      head = trim(at == 0 ? head.substr(to + 1) : head.substr(0, at));
    }
  made->name = std::string(head);
  const std::string_view rest = trim(std::string_view(text).substr(close + 1));
  if (made->name.empty()) made->name = "(unnamed)";
  for (const char c : head)
    if (!is_name(c)) return bad(formatted("'{}' is not the name of a struct", head), 0, open);

  std::uint64_t bytes = 0, align = 1;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(text.find(';', at), close);
    std::string_view member = trim(std::string_view(text).substr(at, end - at));
    if (!member.empty()) {
      // The type is the text before the name of the first member, as in "unsigned int a, b[4]".
      std::size_t name_end = 0;
      for (std::size_t comma = 0;;) {
        name_end = std::min(member.find_first_of(",[", comma), member.size());
        break;
      }
      std::size_t cut = trim(member.substr(0, name_end)).size();
      while (cut > 0 && is_name(member[cut - 1])) --cut;
      const std::string type(trim(member.substr(0, cut)));
      std::string_view list = member.substr(cut);
      while (!list.empty()) {
        std::size_t to = 0;
        int depth = 0;
        for (; to < list.size() && (list[to] != ',' || depth != 0); ++to)
          depth += list[to] == '[' ? 1 : list[to] == ']' ? -1 : 0;
        const std::string one(trim(list.substr(0, to)));
        list = to < list.size() ? list.substr(to + 1) : std::string_view{};
        const bool array = one.find('[') != std::string::npos;
        auto read = parse_array(formatted("{} {}{}", type, one, array ? "" : "[1]"), names);
        if (!read) {
          diagnostic d = read.error();
          return bad(d.message, at, end - at);
        }
        structure_member m{read->name, type_of(*read), array ? read->extents : std::vector<std::uint64_t>{}, 0};
        std::uint64_t size = m.type.bytes;
        for (const std::uint64_t n : m.extents) size *= n;
        bytes = rounded_up(bytes, m.type.align);
        m.offset = bytes;
        bytes += size;
        align = std::max<std::uint64_t>(align, m.type.align);
        made->members.push_back(std::move(m));
        if (made->members.size() > most_members || bytes > most_struct_bytes)
          return bad("the struct has more than 256 members or 64 KiB", at, end - at);
      }
    }
    at = end + 1;
  }
  if (made->members.empty()) return bad("the struct has no members", open, close + 1 - open);
  align = std::max(align, least_align);
  made->align = static_cast<std::uint32_t>(align);
  made->bytes = static_cast<std::uint32_t>(rounded_up(bytes, align));
  if (names.structures.size() == most_structures) return bad("the declarations have more than 64 structs", 0, open);
  std::erase_if(names.structures, [&](const auto& s) { return s->name == made->name; });
  const std::string name = made->name;
  names.structures.push_back(std::move(made));
  const std::string left(rest.starts_with(';') ? trim(rest.substr(1)) : rest);
  if (left.empty() || rest.starts_with(';')) return left;
  // Specifiers before `struct` belong to the array, and are ignored.
  return formatted("{} {}", name, left);
}

}  // namespace bankwise::expr
