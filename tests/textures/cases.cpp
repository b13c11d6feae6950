// Reads the table cases.txt, which lists the textures to read, and the surfaces to read and write.
#include "cases.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace bankwise::textures {
namespace {

using std::string_view;

std::vector<string_view> split(string_view text, char mark) {
  std::vector<string_view> all;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(std::min(text.size(), end + 1)))
    end = text.find(mark), all.push_back(text.substr(0, end));
  return all;
}
unsigned number(string_view text) { return static_cast<unsigned>(std::strtoul(std::string(text).c_str(), nullptr, 0)); }
// Returns the index of `name` in the list `names`, whose order is that of an enum.
unsigned place_of(string_view name, string_view names) {
  const auto all = split(names, ' ');
  const auto at = std::find(all.begin(), all.end(), name);
  if (at == all.end()) throw std::runtime_error("cases.txt: no such name: " + std::string(name));
  return static_cast<unsigned>(at - all.begin());
}

template <auto member>
void set_number(texture_case& c, string_view value) {
  c.*member = static_cast<std::remove_reference_t<decltype(c.*member)>>(number(value));
}
template <auto member>
void set_real(texture_case& c, string_view value) {
  c.*member = std::strtof(std::string(value).c_str(), nullptr);
}
template <auto first, auto last>
void set_range(texture_case& c, string_view value) {
  const auto ends = split(value, '-');
  c.*first = number(ends.at(0)), c.*last = number(ends.at(1));
}
void set_size(texture_case& c, string_view value) {
  auto sizes = split(value, 'x');
  sizes.resize(3, "0");
  c.width = number(sizes[0]), c.height = number(sizes[1]), c.depth = number(sizes[2]);
}
void set_format(texture_case& c, string_view value) {
  using enum cuda::array_format;
  constexpr cuda::array_format formats[] = {unsigned_8, unsigned_16, unsigned_32, signed_8,
                                            signed_16,  signed_32,   half_float,  float_32};
  c.format = formats[place_of(value, "u8 u16 u32 s8 s16 s32 f16 f32")];
}
void set_flags(texture_case& c, string_view value) {
  constexpr unsigned flags[] = {0,
                                cuda::normalized_coordinates,
                                cuda::reads_integers,
                                cuda::is_srgb,
                                cuda::is_seamless,
                                cuda::no_trilinear_optimization};
  c.flags = 0;
  for (const string_view flag : split(value, '|')) c.flags |= flags[place_of(flag, "0 norm int srgb seamless no_tri")];
}

using each = texture_case;
constexpr struct {
  string_view name;
  void (*set)(texture_case& c, string_view value);
} fields[] = {
    {"kernel", [](each& c, string_view v) { c.kernel = v; }},
    {"size", set_size},
    {"form",
     [](each& c, string_view v) {
       c.form = static_cast<shape>(place_of(v, "linear pitch_2d array layered cube layered_cube"));
     }},
    {"levels", set_number<&each::levels>},
    {"format", set_format},
    {"channels", set_number<&each::channels>},
    {"linear", set_number<&each::linear>},
    {"between", set_number<&each::between>},
    {"address",
     [](each& c, string_view v) {
       for (int axis = 0; axis < 3; ++axis) c.address[axis] = v.at(static_cast<std::size_t>(axis)) - '0';
     }},
    {"flags", set_flags},
    {"holds",
     [](each& c, string_view v) {
       c.holds =
           static_cast<content>(place_of(v, "plain wide single bits steps counting levels ramp corners each impulse"));
     }},
    {"bias", set_real<&each::bias>},
    {"first", set_real<&each::first>},
    {"last", set_real<&each::last>},
    {"anisotropy", set_number<&each::anisotropy>},
    {"view", set_number<&each::view>},
    {"view_levels", set_range<&each::first_level, &each::last_level>},
    {"view_layers", set_range<&each::first_layer, &each::last_layer>},
    {"threads", set_number<&each::threads>},
    {"at", [](each& c, string_view v) { c.at = static_cast<places>(place_of(v, "any inside centres edges shifts")); }},
    {"part", set_number<&each::part>},
    {"border", set_number<&each::border>},
};

// Combines each of `cases` with each value in `word`, such as "tex_1d,tex_2d" or "format+flags=s32+int,f16+0".
std::vector<texture_case> with_values(const std::vector<texture_case>& cases, string_view word) {
  const std::size_t equals = word.find('=');
  const auto names = split(equals == word.npos ? "kernel" : word.substr(0, equals), '+');
  std::vector<texture_case> all;
  for (const texture_case& c : cases)
    for (const string_view value : split(word.substr(equals + 1), ',')) {
      const auto values = split(value, '+');
      all.push_back(c);
      for (std::size_t n = 0; n < names.size(); ++n) {
        const auto* field =
            std::find_if(std::begin(fields), std::end(fields), [&](auto& f) { return f.name == names[n]; });
        if (field == std::end(fields)) throw std::runtime_error("cases.txt: no such field: " + std::string(names[n]));
        field->set(all.back(), values.at(n));
      }
    }
  return all;
}

}  // namespace

std::vector<texture_case> read_cases(std::string table) {
  // Joins a row that continues in the next line, within a list of values or between two fields.
  for (std::size_t at = 0; (at = table.find("\n  ", at)) != table.npos;)
    table.replace(at, 3, table[at - 1] == ',' ? "" : " ");
  std::vector<texture_case> all;
  for (const string_view row : split(table, '\n')) {
    if (row.empty() || row[0] == '#') continue;
    std::vector<texture_case> cases(1);
    for (const string_view word : split(row, ' ')) cases = with_values(cases, word);
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace bankwise::textures
