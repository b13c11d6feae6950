// Finds statements by the characters at their ends, and skips everything else.
#include "source/shared_pointers.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/parse/declaration.hpp"
#include "expr/parse/type_names.hpp"
#include "source/declaration.hpp"
#include "source/text.hpp"
#include "source/union_members.hpp"

namespace bankwise::source {

namespace {

// NVIDIA's samples declare their shared memory in this class.
constexpr std::string_view memory_class = "SharedMemory";

// The text between the previous statement and a brace.
std::string_view head_of(std::string_view code, std::size_t brace) {
  std::size_t from = brace;
  while (from > 0 && code[from - 1] != ';' && code[from - 1] != '{' && code[from - 1] != '}') --from;
  return code.substr(from, brace - from);
}

// Whether the braces after this text contain functions.
bool holds_functions(std::string_view head) {
  for (const std::string_view name : names_in(head))
    if (name == "namespace" || name == "struct" || name == "class" || name == "union") return true;
  return head.find("extern \"C\"") != std::string_view::npos && head.find('(') == std::string_view::npos;
}

// Returns the outermost braces around `at` that belong to a function. The range includes the head of the function. If
// `at` is not in a function, both numbers are the end of the code.
std::pair<std::size_t, std::size_t> function_around(std::string_view code, std::size_t at) {
  std::vector<bool> open;  // whether each open brace belongs to a function
  std::size_t begin = code.size();
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool inside = std::find(open.begin(), open.end(), true) != open.end();
    if (code[i] == '{') {
      const bool of_function = !inside && !holds_functions(head_of(code, i));
      if (of_function) begin = i - head_of(code, i).size();
      open.push_back(of_function);
    } else if (code[i] == '}' && !open.empty()) {
      const bool of_function = open.back();
      open.pop_back();
      if (of_function && begin <= at && at <= i) return {begin, i};
    }
  }
  return {code.size(), code.size()};
}

std::string on_one_line(std::string_view text) {
  std::string s(text);
  std::replace_if(
      s.begin(), s.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return s;
}

// Returns the position of the '=' in an assignment or a declaration. Ignores a '=' in brackets.
std::size_t assignment_in(std::string_view s) {
  int depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == ')' || s[i] == ']') --depth;
    const bool compares = i + 1 < s.size() && s[i + 1] == '=';
    const bool changes = i > 0 && std::string_view("=!<>+-*/%&|^").find(s[i - 1]) != std::string_view::npos;
    if (s[i] == '=' && depth == 0 && !compares && !changes) return i;
  }
  return std::string_view::npos;
}

// Whether the text declares bytes, as in "__shared__ unsigned char bytes[N]". Pointers into these bytes determine their
// types.
bool is_bytes(std::string_view declaration) {
  const std::string_view head = declaration.substr(0, declaration.find('['));
  for (const std::string_view name : names_in(head.substr(0, head.size() - last_name(head).size())))
    if (name == "char" || name == "uint8_t" || name == "int8_t" || name == "byte" || name == "uchar") return true;
  return false;
}

// Returns the type before a name: "const unsigned char* __restrict__ " -> "unsigned char".
std::string type_before(std::string_view left) {
  std::string text;
  for (const std::string_view word : names_in(left.substr(0, left.find('*'))))
    if (word != "const" && word != "volatile" && word != "static" && word != "constexpr" && word != "__restrict__" &&
        word != "extern" && word != "__shared__")
      text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

}  // namespace

shared_pointers::shared_pointers(std::string_view source, std::uint32_t line, const std::string& kernel)
    : code_(without_comments(source)), kernel_(kernel) {
  std::tie(begin_, end_) = function_around(code_, begin_of_line(code_, line));
  // Reads the declarations outside of functions, which apply to all functions.
  for (std::size_t at = code_.find("__shared__"); at < begin_; at = code_.find("__shared__", at + 1))
    if (const auto in = function_around(code_, at); in.first == code_.size()) {
      const std::size_t stop = std::min(code_.find(';', at), code_.size());
      const std::string head(head_of(code_, at));
      if (stop - at < most_statement) read_statement(on_one_line(head + code_.substr(at, stop - at)), at);
    }
  read_unions();
  read(begin_, end_);
}

void shared_pointers::read(std::size_t begin, std::size_t end) {
  std::size_t from = begin;
  for (std::size_t i = begin; i < end; ++i) {
    // Splits the head of a loop into statements.
    if (code_[i] != ';' && code_[i] != '{' && code_[i] != '}') continue;
    if (i - from < most_statement) read_statement(on_one_line(std::string_view(code_).substr(from, i - from)), from);
    from = i + 1;
  }
}

bool shared_pointers::varies(std::string_view expression) const {
  for (const std::string_view name : names_in(expression))
    if (name == "threadIdx" || varying_.count(std::string(name)) != 0) return true;
  return false;
}
// Whether the address changes only with the iteration of a loop: "smem + stage * STAGE". All these addresses have one
// name.
bool shared_pointers::varies_by_round_only(std::string_view expression) const {
  for (const std::string_view name : names_in(expression)) {
    if (name == "threadIdx") return false;
    if (const auto at = varying_.find(std::string(name)); at != varying_.end() && !at->second) return false;
  }
  return true;
}

std::string shared_pointers::part_in(std::string_view expression) const {
  for (const std::string_view name : names_in(expression)) {
    if (const auto at = alias_.find(std::string(name)); at != alias_.end()) return at->second;
    if (name == memory_class) return std::string(memory_class);
  }
  return {};
}

void shared_pointers::read_statement(std::string_view statement, std::size_t at) {
  const std::string_view words = trim(statement);
  if (words.empty()) return;
  if (words.find("__shared__") != std::string_view::npos) {
    if (words.find("extern") != std::string_view::npos)
      read_memory(std::string(words), at, false);
    else if (is_bytes(words))
      read_memory(std::string(words), at, true);
    return;
  }
  std::string_view rest = words;
  const bool loop = stands_at(rest, 0, "for");
  if (loop) rest = trim(rest.substr(std::min(rest.find('(') + 1, rest.size())));
  const auto parts = split_outside(rest);
  std::string type;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t equals = assignment_in(parts[k]);
    const std::string_view left = trim(parts[k].substr(0, equals));
    if (k == 0) type = type_before(left.substr(0, left.size() - last_name(left).size()));
    if (equals == std::string_view::npos) {
      // In "float *a, *b;", the pointers get their values later.
      const std::string_view name = last_name(left);
      if (left.find('*') != std::string_view::npos && left.find('(') == std::string_view::npos && !name.empty() &&
          name.data() + name.size() == left.data() + left.size())
        waiting_[std::string(name)] = type;
      continue;
    }
    const std::string_view right = parts[k].substr(equals + 1);
    if (loop) varying_[std::string(last_name(left))] = varies_by_round_only(right);
    assign(left, right, type, at);
  }
}

// Reads the members of unions, if the union is global or belongs to this function.
void shared_pointers::read_unions() {
  const auto tokens = tokens_of(code_);
  for (const union_member& m : union_members(tokens)) {
    const std::size_t at = tokens[m.word].at;
    const bool is_own = begin_ <= at && at <= end_;
    if (!is_own && function_around(code_, at).first != code_.size()) continue;
    const std::size_t from = tokens[m.type].at, type_end = tokens[m.type_end - 1].end(), name = tokens[m.name].at,
                      to = tokens[m.extent.back().second + 1].end();
    const constants names = constants_before(code_, at, kernel_);
    shared_pointer p;
    p.name = tokens[m.name].spelled;
    p.memory = tokens[m.variable].spelled;
    const std::string type = names.type_of(trim(std::string_view(code_).substr(from, type_end - from)));
    if (const auto a = expr::parse_array(
            formatted("{} {}", type, on_one_line(std::string_view(code_).substr(name, to - name))), names.scope)) {
      p.type = a->type;
      p.element_bytes = a->element_bytes;
      p.first_extent = a->extents.front();
      p.inner.assign(a->extents.begin() + 1, a->extents.end());
    }
    alias_[p.name] = p.name;
    parts_.push_back(std::move(p));
  }
}

void shared_pointers::read_memory(const std::string& statement, std::size_t at, bool is_static) {
  const std::size_t open = statement.find('[');
  const std::string_view name = last_name(std::string_view(statement).substr(0, open));
  if (name.empty()) return;
  const constants names = constants_before(code_, at, kernel_);
  shared_pointer p;
  p.name = std::string(name);
  p.is_memory = true;
  if (is_static) p.memory = p.name;
  std::string whole = statement;
  // The launch determines the size of the array, so there is no extent.
  const std::size_t close = statement.find(']', open);
  if (open != std::string::npos && close != std::string::npos) whole.replace(open, close + 1 - open, "[1]");
  const std::string_view head = trim(std::string_view(whole).substr(0, whole.find(name)));
  const std::string_view type = last_name(head);
  if (!type.empty() && open != std::string::npos) {
    whole.replace(static_cast<std::size_t>(type.data() - whole.data()), type.size(), names.type_of(type));
    if (const auto a = expr::parse_array(whole, names.scope)) {
      p.type = a->type;
      p.element_bytes = a->element_bytes;
      p.inner.assign(a->extents.begin() + 1, a->extents.end());
    }
  }
  alias_[p.name] = p.name;
  parts_.push_back(std::move(p));
}

void shared_pointers::assign(std::string_view left, std::string_view right, std::string_view first_type,
                             std::size_t at) {
  // an array of rows: "half (*A)[LDA]"
  std::string name(last_name(left));
  std::string_view rows;
  if (left.ends_with(']')) {
    const std::size_t star = left.find("(*"), close = left.find(')', star);
    if (star == std::string_view::npos || close == std::string_view::npos) return;
    name = std::string(last_name(left.substr(0, close)));
    rows = left.substr(close + 1);
  }
  if (name.empty()) return;
  const bool declares = name.size() != left.size();
  const bool is_auto = stands_at(left, 0, "auto") || left.find(" auto") != std::string_view::npos;
  const bool is_pointer = left.find('*') != std::string_view::npos || is_auto;
  const auto waits = waiting_.find(name);
  const std::string from = part_in(right);
  if (from.empty() || (!is_pointer && waits == waiting_.end())) {
    if (varies(right) && declares && !is_pointer) varying_[name] = varies_by_round_only(right);
    return;
  }
  // The value may be an element instead of a pointer, as in "float* p = table[As[i]]". Treating the element as a
  // pointer does no harm.
  const shared_pointer* const base = find(from);
  const bool is_stage = base != nullptr && base->is_memory && varies_by_round_only(right);
  const std::string memory = base != nullptr ? base->memory : std::string();
  const bool is_member = !memory.empty() && !base->is_memory;
  if (is_member || (varies(right) && from != memory_class && !is_stage)) {
    alias_[name] = from;
    return;
  }
  if (!declares && waits == waiting_.end()) return;
  shared_pointer p;
  p.name = name;
  p.memory = memory;
  p.type = is_auto ? std::string() : waits != waiting_.end() && !declares ? waits->second : std::string(first_type);
  // The type may come from a cast: "reinterpret_cast<half*>(smem)".
  if (is_auto)
    if (const std::size_t open = right.find('<'); open != std::string_view::npos)
      p.type = type_before(right.substr(open + 1));
  const constants names = constants_before(code_, at, kernel_);
  p.type = names.type_of(p.type);
  if (const auto bytes = type_bytes(p.type)) p.element_bytes = *bytes;
  if (!rows.empty() && p.element_bytes != 0)
    if (const auto a = expr::parse_array(formatted("{} {}{}", p.type, name, rows), names.scope)) p.inner = a->extents;
  alias_[name] = name;
  if (const auto old = std::find_if(parts_.begin(), parts_.end(), [&](const auto& x) { return x.name == name; });
      old != parts_.end())
    *old = std::move(p);
  else
    parts_.push_back(std::move(p));
}

std::vector<std::string> shared_pointers::used_in(std::string_view code) const {
  std::vector<std::string> used;
  for (const std::string_view name : names_in(code))
    if (const auto at = alias_.find(std::string(name));
        at != alias_.end() && std::find(used.begin(), used.end(), at->second) == used.end())
      used.push_back(at->second);
  return used;
}

std::vector<std::string> shared_pointers::on_line(std::uint32_t line) const {
  std::size_t from = begin_of_line(code_, line), to = std::min(code_.find('\n', from), code_.size());
  if (line == 0 || !covers(line)) return {};
  auto used = used_in(std::string_view(code_).substr(from, to - from));
  if (!used.empty()) return used;
  while (from > begin_ && std::string_view(";{}").find(code_[from - 1]) == std::string_view::npos) --from;
  to = std::min(code_.find_first_of(";{}", to), code_.size());
  return to - from < most_statement ? used_in(std::string_view(code_).substr(from, to - from)) : used;
}

bool shared_pointers::covers(std::uint32_t line) const {
  const std::size_t at = begin_of_line(code_, line);
  return begin_ <= at && at <= end_;
}

const shared_pointer* shared_pointers::find(const std::string& name) const {
  const auto at = std::find_if(parts_.begin(), parts_.end(), [&](const auto& p) { return p.name == name; });
  return at == parts_.end() ? nullptr : &*at;
}

}  // namespace bankwise::source
