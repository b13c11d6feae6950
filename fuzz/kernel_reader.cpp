#include "kernel_reader.hpp"

#include <algorithm>
#include <tuple>

namespace bankwise::fuzz {

kernel_reader::kernel_reader(std::string_view text, const std::map<std::string, std::int64_t>& given)
    : words(words_of(text)), constants(given) {
  for (int i = 0; i < 4; ++i) words.push_back({"", source::token::kind::mark, 0});
  for (const auto& [name, bytes, is_signed] :
       {std::tuple("int", 4, true), std::tuple("unsigned", 4, false), std::tuple("char", 1, true),
        std::tuple("bool", 1, false), std::tuple("short", 2, true), std::tuple("size_t", 8, false),
        std::tuple("long", 8, true), std::tuple("uint32_t", 4, false), std::tuple("int32_t", 4, true),
        std::tuple("uint8_t", 1, false), std::tuple("uint64_t", 8, false), std::tuple("uint16_t", 2, false)})
    types[name] = make({kernel_type::integer,
                        static_cast<std::uint64_t>(bytes),
                        is_signed,
                        nullptr,
                        0,
                        {},
                        static_cast<std::uint64_t>(bytes)});
  types["float"] = make({kernel_type::real, 4, true, nullptr, 0, {}, 4});
  types["double"] = make({kernel_type::real, 8, true, nullptr, 0, {}, 8});
  types["void"] = make({kernel_type::none, 1, false, nullptr, 0, {}, 1});
  for (const char* base : {"float", "int", "unsigned"})
    for (const std::uint64_t n : {2, 4}) {
      kernel_type v{kernel_type::record, 4 * n, false, nullptr, 0, {}, 4 * n};
      for (std::uint64_t k = 0; k < n; ++k) v.fields.push_back({std::string(1, "xyzw"[k]), types[base], 4 * k});
      types[(base == std::string("unsigned") ? "uint" : base) + std::to_string(n)] = make(v);
    }
}

const kernel_type* kernel_reader::make(kernel_type t) {
  made.types.push_back(std::move(t));
  return &made.types.back();
}

bool kernel_reader::take(std::string_view s) {
  if (!is(s)) return false;
  ++here;
  return true;
}

void kernel_reader::want(std::string_view s) {
  if (!take(s)) stop("expected " + std::string(s) + ", there is " + words[here].text);
}

void kernel_reader::stop(const std::string& why) {
  if (wrong.empty()) wrong = "line " + std::to_string(words[here].line) + ": " + why;
  here = words.size() - 4;
}

std::string kernel_reader::name() {
  if (words[here].is != source::token::kind::word) stop("expected a name, there is " + words[here].text);
  return words[here++].text;
}

node_pointer kernel_reader::make_node(node::kind_of k, std::string text) const {
  auto n = std::make_unique<node>();
  n->is = k;
  n->text = std::move(text);
  n->line = words[here].line;
  return n;
}

}  // namespace bankwise::fuzz
