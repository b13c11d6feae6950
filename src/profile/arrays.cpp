#include "profile/arrays.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "cubin/kernel_names.hpp"

namespace bankwise {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;  // largest size of an array; the hardware has less memory

std::uint64_t align_up(std::uint64_t n, std::uint64_t a) { return (n + a - 1) / a * a; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

// --- the declarations in PTX text

struct declaration {
  std::string_view symbol;
  std::uint64_t align = 1, bytes = 0;
  bool is_extern = false;
};

struct function_text {
  std::string_view symbol;
  bool is_entry = false;
  std::vector<declaration> own;
  std::set<std::string_view> words;  // all words of the function's body; they include every name that the body uses
};

struct module_text {
  std::vector<function_text> functions;
  std::vector<declaration> shared;  // declarations outside of functions
  bool understood = true;
};

std::string_view next_word(std::string_view& s) {
  s = trim(s);
  std::size_t n = s.starts_with('.') ? 1 : 0;
  while (n < s.size() && is_word(s[n])) ++n;
  const std::string_view word = s.substr(0, n);
  s.remove_prefix(n);
  return word;
}

std::uint64_t type_size(std::string_view type) {
  static constexpr std::pair<std::string_view, std::uint64_t> types[] = {
      {".b8", 1},   {".u8", 1},  {".s8", 1},  {".b16", 2}, {".u16", 2},  {".s16", 2},   {".f16", 2},
      {".bf16", 2}, {".b32", 4}, {".u32", 4}, {".s32", 4}, {".f32", 4},  {".f16x2", 4}, {".bf16x2", 4},
      {".b64", 8},  {".u64", 8}, {".s64", 8}, {".f64", 8}, {".b128", 16}};
  for (const auto& [name, bytes] : types)
    if (name == type) return bytes;
  return 0;
}

// Parses a declaration such as ".shared .align 16 .b8 _ZZ4gemmE6a_tile[4096];". Returns nothing for other statements.
// If a declaration cannot be parsed, sets `understood` to false.
std::optional<declaration> read_declaration(std::string_view line, bool& understood) {
  declaration d;
  std::string_view rest = line;
  std::string_view word = next_word(rest);
  for (; word == ".extern" || word == ".visible" || word == ".weak"; word = next_word(rest))
    d.is_extern |= word == ".extern";
  if (word != ".shared") return std::nullopt;
  understood = false;
  std::uint64_t element = 1, align = 0;
  bool has_type = false;
  for (word = next_word(rest); word.starts_with('.'); word = next_word(rest)) {
    if (word == ".align") {
      const auto n = parse_u64(next_word(rest));
      if (!n || *n == 0 || *n > most_bytes || (*n & (*n - 1)) != 0) return std::nullopt;
      align = *n;
    } else if (word == ".v2" || word == ".v4") {
      element *= word == ".v2" ? 2 : 4;
    } else if (const std::uint64_t bytes = type_size(word); bytes != 0 && !has_type) {
      element *= bytes;
      has_type = true;
    } else {
      return std::nullopt;
    }
  }
  if (word.empty() || !has_type) return std::nullopt;
  d.symbol = word;
  d.bytes = element;
  d.align = align != 0 ? align : element;
  for (rest = trim(rest); rest.starts_with('['); rest = trim(rest)) {
    rest.remove_prefix(1);
    const std::string_view count = next_word(rest);
    if (count.empty() && !d.is_extern) return std::nullopt;
    const auto n = count.empty() ? std::optional<std::uint64_t>(0) : parse_u64(count);
    rest = trim(rest);
    if (!n || *n > most_bytes || d.bytes * *n > most_bytes || !rest.starts_with(']')) return std::nullopt;
    d.bytes *= *n;
    rest.remove_prefix(1);
  }
  if (!rest.starts_with(';')) return std::nullopt;
  understood = true;
  return d;
}

// Returns the text of a line without its comment.
std::string_view code_of(std::string_view line) { return trim(line.substr(0, line.find("//"))); }

class module_reader {
 public:
  module_text read(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) add(code_of(lines[i]));
    return std::move(text_);
  }

 private:
  void add(std::string_view line) {
    if (depth_ == 0) {
      const std::size_t entry = line.find(".entry "), func = line.find(".func ");
      if (line.starts_with('.') && (entry != std::string_view::npos || func != std::string_view::npos)) {
        is_entry_ = entry != std::string_view::npos;
        symbol_ = {};
        std::string_view rest = line.substr(is_entry_ ? entry + 6 : func + 5);
        if (trim(rest).starts_with('('))
          rest = rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1);  // skips the function's results
        symbol_ = next_word(rest);
        is_open_ = true;
      }
    }
    bool understood = true;
    const auto d = read_declaration(line, understood);
    text_.understood &= understood;
    if (d && depth_ == 0)
      text_.shared.push_back(*d);
    else if (d && !text_.functions.empty())
      text_.functions.back().own.push_back(*d);
    walk(line);
  }

  // Counts braces to find the end of a body. Also collects the words of the body.
  void walk(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '{' && depth_++ == 0) {
        text_.functions.push_back({is_open_ ? symbol_ : std::string_view{}, is_open_ && is_entry_, {}, {}});
        is_open_ = false;
      }
      if (c == '}' && depth_ > 0) --depth_;
      if (c == ';' && depth_ == 0) is_open_ = false;
      if (!is_word(c)) continue;
      std::size_t n = 1;
      while (i + n < line.size() && is_word(line[i + n])) ++n;
      if (depth_ > 0 && c != '%' && (c < '0' || c > '9')) text_.functions.back().words.insert(line.substr(i, n));
      i += n - 1;
    }
  }

  module_text text_;
  unsigned depth_ = 0;
  bool is_open_ = false;  // whether the head of a function was read, but its body has not begun
  bool is_entry_ = false;
  std::string_view symbol_;
};

// Returns the variable's own name, such as "a_tile" for "_ZZ4gemmPfPKfS1_iiiE6a_tile".
std::string variable_name(std::string_view symbol) {
  const std::string full = cubin::demangle(std::string(symbol));
  const std::size_t colons = full.rfind("::");
  return colons == std::string::npos ? full : full.substr(colons + 2);
}

// Collects the indices of the functions that `from` calls, directly or indirectly.
void find_called(const module_text& m, std::size_t from, std::set<std::size_t>& called) {
  std::vector<std::size_t> open{from};
  while (!open.empty()) {
    const function_text& f = m.functions[open.back()];
    open.pop_back();
    for (std::size_t i = 0; i < m.functions.size(); ++i)
      if (!m.functions[i].is_entry && f.words.contains(m.functions[i].symbol) && called.insert(i).second)
        open.push_back(i);
  }
}

// --- the arrays that instructions access

// Returns the index of the array that contains all of [begin, end), or -1.
std::ptrdiff_t holder(const std::vector<shared_array>& arrays, std::uint64_t begin, std::uint64_t end) {
  const auto after = std::upper_bound(arrays.begin(), arrays.end(), begin,
                                      [](std::uint64_t at, const shared_array& a) { return at < a.begin; });
  if (after == arrays.begin() || end > std::prev(after)->end) return -1;
  return after - arrays.begin() - 1;
}

void add_site(shared_array& a, std::size_t site_index) {
  if (a.sites.empty() || a.sites.back() != site_index) a.sites.push_back(site_index);
}

// Returns the sites of each web, in the order of the first site. Returns an empty list if there is only one web.
std::vector<std::vector<std::size_t>> phases_of(const std::vector<std::size_t>& sites,
                                                const std::vector<std::uint32_t>& webs) {
  std::vector<std::vector<std::size_t>> phases;
  std::map<std::uint32_t, std::size_t> numbers;
  for (const std::size_t i : sites) {
    const auto [at, is_new] = numbers.try_emplace(webs[i], phases.size());
    if (is_new) phases.emplace_back();
    phases[at->second].push_back(i);
  }
  if (phases.size() < 2) phases.clear();
  return phases;
}

// Returns the declared arrays with their sites. Returns nothing if an access is not inside exactly one array.
std::optional<std::vector<shared_array>> by_name(const ptx_arrays& declared, std::uint64_t static_bytes,
                                                 const std::vector<site>& sites,
                                                 const std::vector<touched_bytes>& touched,
                                                 const std::vector<std::uint32_t>& webs) {
  if (!declared.is_placed) return std::nullopt;
  // ptxas sometimes rounds the size of the memory up to a multiple of 16 bytes.
  if (declared.fixed_bytes > static_bytes || align_up(declared.fixed_bytes, 16) < static_bytes) return std::nullopt;
  std::vector<shared_array> arrays;
  for (const ptx_array& d : declared.fixed)
    if (d.bytes != 0) arrays.push_back({d.name, d.begin, d.begin + d.bytes, false, d.bytes, {}, {}});
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (touched[i].in_static.empty()) continue;
    for (const recorded_access& r : sites[i].accesses) {
      byte_range bytes;
      const u32 used = lanes_used(r.what);
      for (u32 lane = 0; lane < lanes_per_warp; ++lane)
        if ((used >> lane & 1) != 0 && r.what.address[lane] < static_bytes)
          bytes.add(r.what.address[lane], r.what.address[lane] + r.what.op.width_bytes);
      if (bytes.empty()) continue;
      const std::ptrdiff_t in = holder(arrays, bytes.begin, bytes.end);
      if (in < 0) return std::nullopt;
      add_site(arrays[static_cast<std::size_t>(in)], i);
    }
    // The kept accesses may be only a sample, so the ends of the range of all accesses are also checked.
    for (const std::uint64_t at : {touched[i].in_static.begin, touched[i].in_static.end - 1}) {
      const std::ptrdiff_t in = holder(arrays, at, at + 1);
      if (in < 0) return std::nullopt;
      add_site(arrays[static_cast<std::size_t>(in)], i);
    }
  }
  for (shared_array& a : arrays) {
    std::sort(a.sites.begin(), a.sites.end());
    a.sites.erase(std::unique(a.sites.begin(), a.sites.end()), a.sites.end());
    a.phases = phases_of(a.sites, webs);
  }
  std::erase_if(arrays, [](const shared_array& a) { return a.sites.empty(); });
  return arrays;
}

void add_by_use(std::vector<shared_array>& arrays, bool dynamic, const std::vector<touched_bytes>& touched,
                const std::vector<std::uint32_t>& webs) {
  std::map<std::uint32_t, shared_array> by_web;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const byte_range r = dynamic ? touched[i].in_dynamic : touched[i].in_static;
    if (r.empty()) continue;
    const auto [at, is_new] = by_web.try_emplace(webs[i], shared_array{"", r.begin, r.end, dynamic, 0, {}, {}});
    shared_array& a = at->second;
    a.begin = std::min<std::uint64_t>(a.begin, r.begin);
    a.end = std::max<std::uint64_t>(a.end, r.end);
    a.sites.push_back(i);
  }
  std::vector<shared_array> found;
  for (auto& [web, a] : by_web) found.push_back(std::move(a));
  std::sort(found.begin(), found.end(), [](const shared_array& a, const shared_array& b) {
    return std::tie(a.begin, a.end, a.sites) < std::tie(b.begin, b.end, b.sites);
  });
  arrays.insert(arrays.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

}  // namespace

std::optional<ptx_arrays> read_declarations(const std::vector<std::string_view>& ptx, const std::string& mangled) {
  // A linked cubin contains several PTX texts. Each text begins with its version. Uses the text that contains the
  // kernel.
  for (std::size_t begin = 0, end = 0; begin < ptx.size(); begin = end) {
    end = begin + 1;
    while (end < ptx.size() && !code_of(ptx[end]).starts_with(".version ")) ++end;
    if (std::none_of(ptx.begin() + static_cast<std::ptrdiff_t>(begin), ptx.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::string_view line) {
                       return line.find(".entry ") != std::string_view::npos &&
                              line.find(mangled) != std::string_view::npos;
                     }))
      continue;
    const module_text m = module_reader().read(ptx, begin, end);
    const auto kernel = std::find_if(m.functions.begin(), m.functions.end(),
                                     [&](const function_text& f) { return f.is_entry && f.symbol == mangled; });
    if (kernel == m.functions.end()) continue;
    if (!m.understood) return std::nullopt;
    std::set<std::size_t> called;
    find_called(m, static_cast<std::size_t>(kernel - m.functions.begin()), called);

    ptx_arrays list;
    const auto place = [&](const declaration& d) {
      if (d.is_extern) {
        list.dynamic.push_back(variable_name(d.symbol));
        return;
      }
      const std::uint64_t at = align_up(list.fixed_bytes, d.align);
      list.fixed.push_back({variable_name(d.symbol), at, d.bytes});
      list.fixed_bytes = at + d.bytes;
    };
    for (const declaration& d : kernel->own) place(d);
    for (const declaration& d : m.shared)
      if (kernel->words.contains(d.symbol) || std::any_of(called.begin(), called.end(), [&](std::size_t i) {
            return m.functions[i].words.contains(d.symbol);
          }))
        place(d);
    for (const std::size_t i : called)
      for (const declaration& d : m.functions[i].own) place(d);
    return list;
  }
  return std::nullopt;
}

std::optional<ptx_arrays> read_declarations(const cubin::program& p, const std::string& mangled) {
  auto declared = read_declarations(p.ptx_lines(), mangled);
  if (declared) declared->is_placed = !p.linked || declared->fixed.size() <= 1;
  return declared;
}

std::vector<shared_array> find_arrays(const std::optional<ptx_arrays>& declared, std::uint64_t static_bytes,
                                      const std::vector<site>& sites, const std::vector<touched_bytes>& touched,
                                      const std::vector<std::uint32_t>& webs) {
  std::vector<shared_array> arrays;
  if (auto named = declared ? by_name(*declared, static_bytes, sites, touched, webs) : std::nullopt)
    arrays = std::move(*named);
  else
    add_by_use(arrays, false, touched, webs);
  std::vector<shared_array> dynamic;
  add_by_use(dynamic, true, touched, webs);
  // The declared name is the name of the whole dynamic memory, and is not used for one of several arrays.
  if (declared && declared->dynamic.size() == 1 && dynamic.size() == 1) dynamic[0].name = declared->dynamic[0];
  arrays.insert(arrays.end(), dynamic.begin(), dynamic.end());
  return arrays;
}

}  // namespace bankwise
