// Lines of kernels: if (...), declarations, assignments, atomic functions. Only what is in shared memory has to be understood;
// of all else it is enough that it is a value.
#include <algorithm>

#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/parser.hpp"

namespace bankwise::expr {

namespace {

constexpr std::size_t most_accesses = 64;

struct assignment {
  std::size_t at = std::string_view::npos, length = 0;  // of the operator
  bool compound = false;                                // += and the like, which load first
};

// The first = outside of all brackets.
assignment find_assignment(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != '=' || depth != 0 || i == 0) continue;
    const char before = text[i - 1], after = i + 1 < text.size() ? text[i + 1] : '\0';
    if (after == '=') {
      ++i;
      continue;
    }
    if (before == '!') continue;
    if (before == '<' || before == '>') {
      if (i >= 2 && text[i - 2] == before) return {i - 2, 3, true};
      continue;
    }
    if (std::string_view("+-*/%&|^").find(before) != std::string_view::npos) return {i - 1, 2, true};
    return {i, 1, false};
  }
  return {};
}

// The ; that ends the statement.
std::size_t find_end(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (text[i] == ';' && depth == 0) return i;
  }
  return std::string_view::npos;
}

// "float4 v", "const int x", "auto& y", "float v[4]": two words in a row declare something of registers.
bool is_declaration(std::string_view left) {
  std::size_t i = 0;
  const auto word = [&] {
    while (i < left.size() && left[i] == ' ') ++i;
    const std::size_t begin = i;
    while (i < left.size() && (is_name(left[i]) || left[i] == ':')) ++i;
    if (i > begin && i < left.size() && left[i] == '<') {
      const std::size_t close = left.find('>', i);
      if (close != std::string_view::npos) i = close + 1;
    }
    return i > begin && !is_digit(left[begin]);
  };
  if (!word()) return false;
  while (i < left.size() && (left[i] == ' ' || left[i] == '*' || left[i] == '&')) ++i;
  return i < left.size() && is_name_start(left[i]) && word();
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

// The PTX name of what an atomic function does.
struct atomic_row {
  std::string_view function, op;
};
constexpr atomic_row atomic_functions[] = {
    {"atomicAdd", "add"}, {"atomicSub", "add"}, {"atomicMin", "min"}, {"atomicMax", "max"},
    {"atomicAnd", "and"}, {"atomicOr", "or"},   {"atomicXor", "xor"}, {"atomicExch", "exch"},
    {"atomicCAS", "cas"}, {"atomicInc", "inc"}, {"atomicDec", "dec"},
};

}  // namespace

void parser::record(const operand& o, std::string_view op, atomic_use atomic) {
  if (error_) return;
  if (accesses_.size() == most_accesses) {
    fail(o.at, 1, "more than " + std::to_string(most_accesses) + " accesses in one line");
    return;
  }
  const std::uint32_t root = access_node(o);
  accesses_.push_back(
      {root, std::string(op), std::string(trim(std::string_view(text_).substr(o.at, o.end - o.at))), atomic});
}

parser::operand parser::atomic_call(std::size_t at, std::string_view word) {
  std::string_view plain = word;
  for (const std::string_view ending : {"_block", "_system"})
    if (plain.ends_with(ending)) plain.remove_suffix(ending.size());
  const atomic_row* row = nullptr;
  for (const atomic_row& r : atomic_functions)
    if (r.function == plain) row = &r;
  if (row == nullptr)
    return fail(at, word.size(), "unknown function '" + std::string(word) + "'",
                "atomicAdd, Sub, Min, Max, And, Or, Xor, Exch, CAS, Inc and Dec are known");
  const std::size_t before = accesses_.size();
  const std::vector<operand> given = arguments();
  if (error_) return {};
  if (given.size() < 2) return fail(at, word.size(), std::string(word) + " takes the address and a value");
  operand where = given[0];
  if (where.is == form::unknown) return where;  // of global memory
  if (where.is == form::element && !where.extents.empty()) where = as_pointer(where);
  if (where.is != form::pointer)
    return fail(where.at, std::max<std::size_t>(where.end - where.at, 1), std::string(word) + " takes an address",
                "write & before the element: " + std::string(word) + "(&s[t], 1)");
  where = dereferenced(where, where.at);
  atomic_use use;
  use.is_function = true;
  for (std::size_t i = 1; i < given.size(); ++i) {
    const operand value = number_only(given[i]);
    if (error_) return {};
    if (value.is == form::number && i + 1 == given.size()) {
      const node& n = nodes_[value.node];
      if (n.code == op::number) use.constant = n.number;
      if (n.code == op::negate && nodes_[n.a].code == op::number) use.constant = -nodes_[n.a].number;
      use.same_in_all_lanes = use.constant.has_value();
    }
  }
  if (plain == "atomicSub" && use.constant) use.constant = -*use.constant;  // it is added
  skip_blanks();
  use.result_used = before != accesses_.size() ||
                    (at != 0 && trim(std::string_view(text_).substr(0, at)) != "" && !where_) ||
                    (at_ < end_ && trim(rest()) != "" && trim(rest()) != ";");
  where.end = at_;
  record(where, std::string("atom.") + std::string(row->op), use);
  if (!accesses_.empty() && !error_) accesses_.back().text = text_.substr(at, at_ - at);
  return unknown(at, at_ - at,
                 "the value that " + std::string(word) + " returns is data: an address cannot depend on it here");
}

parser::operand parser::copy_call(std::size_t at) {
  const std::vector<operand> given = arguments();
  if (error_) return {};
  if (given.size() < 3) return fail(at, 3, "__pipeline_memcpy_async takes destination, source and bytes");
  operand to = given[0];
  if (to.is == form::element && !to.extents.empty()) to = as_pointer(to);
  const std::uint32_t size = index_of(given[2]);
  if (error_) return {};
  if (to.is != form::pointer || nodes_[size].code != op::number)
    return fail(at, 3, "the destination must be an address of a declared array, and the size a number");
  const std::int64_t bytes = nodes_[size].number;
  if (bytes != 4 && bytes != 8 && bytes != 16) return fail(given[2].at, 1, "cp.async copies 4, 8 or 16 bytes");
  to = dereferenced(to, to.at);
  to.type = {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes), 0, {}};
  record(to, bytes == 16 ? std::string("cp.async.cg.16") : "cp.async.ca." + std::to_string(bytes));
  return unknown(at, at_ - at, "__pipeline_memcpy_async returns nothing");
}

void parser::statement() {
  skip_blanks();
  if (eat("#pragma")) {  // #pragma unroll N, in the same line
    eat_word("unroll");
    skip_blanks();
    while (is_digit(peek())) ++at_;
    skip_blanks();
  }
  if (eat_word("for") || eat_word("while")) {
    fail(0, 3, "a loop is more than one access",
         "ask about one turn: give its variable a value, as " + worded(setting::let, "k=0") +
             "; bankwise fix takes loops");
    return;
  }
  if (eat_word("if")) {
    expect('(', "after if");
    const operand condition = number_only(ternary());
    expect(')', "after the condition");
    skip_blanks();
    // The condition's own loads are made by all lanes.
    if (!error_ && !accesses_.empty()) at_ = end_;
    if (error_ || !accesses_.empty()) return;
    if (condition.is == form::unknown) error_ = unknowns_[condition.node];
    if (error_) return;
    where_ = condition.node;
    if (eat('{')) skip_blanks();
  }
  const std::size_t begin = at_;
  const assignment a = find_assignment(rest());
  if (a.at == std::string_view::npos) {
    const bool steps_before = eat("++") || eat("--");
    operand o = ternary();
    const bool steps = !error_ && (eat("++") || eat("--") || steps_before);
    if (error_) return;
    if (steps && o.is == form::element) {
      record(o, "ld");
      record(o, "st");
    } else if (steps && o.is == form::unknown && accesses_.empty()) {
      error_ = unknowns_[o.node];
    } else {
      value_ = o;
    }
    return;
  }
  const std::size_t end = end_, left_end = begin + a.at;
  const std::string_view left = trim(std::string_view(text_).substr(begin, a.at));
  bool names_array = false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!is_name_start(left[i]) || (i != 0 && is_name(left[i - 1]))) continue;
    std::size_t to = i;
    while (to < left.size() && is_name(left[to])) ++to;
    for (const array_decl& array : names_.arrays) names_array = names_array || array.name == left.substr(i, to - i);
  }
  const bool declares = is_declaration(left) && left.find("_cast") == std::string_view::npos;
  const bool is_name_alone = std::all_of(left.begin(), left.end(), is_name);
  if (left.empty()) {
    fail(begin, 1, "expected what is assigned to before =");
    return;
  }
  operand target;
  const std::size_t first_of_left = accesses_.size();
  if (declares || is_name_alone) {
    target.is = form::unknown;
    target.node =
        unknown(begin, left.size(), "'" + std::string(left) + "' is not in shared memory",
                !a.compound ? "as a variable: " +
                                  worded(setting::let, std::string(last_word(left)) + "=" +
                                                           std::string(trim(std::string_view(text_).substr(
                                                               left_end + a.length, end - left_end - a.length))))
                            : "the line has no element of a declared array; declare it: " +
                                  worded(setting::array, "float s[32][32]"))
            .node;
  } else {
    end_ = left_end;
    target = ternary();
    skip_blanks();
    if (!error_ && at_ < end_) fail(at_, 1, "unexpected '" + character_at(text_, at_) + "' before the assignment");
    end_ = end;
    if (error_) return;
  }
  const std::vector<seen_access> of_left(accesses_.begin() + static_cast<std::ptrdiff_t>(first_of_left),
                                         accesses_.end());
  at_ = left_end + a.length;
  skip_blanks();
  operand value;
  if (peek() == '{') {  // float4 v = {s[t], s[t + 1]};
    ++at_;
    if (!eat('}')) {
      do {
        if (!error_) number_only(ternary());
      } while (!error_ && eat(','));
      expect('}', "after the values");
    }
  } else {
    // An element that is cast to a pointer or named without an index is no load: float* p = s;
    value = ternary();
    // a = s[t] = v
    if (!error_ && value.is == form::element && peek() == '=' && peek(1) != '=') {
      record(value, "st");
      ++at_;
      number_only(ternary());
    } else if (value.is == form::element && value.extents.empty()) {
      number_only(value);
    }
  }
  if (error_) return;
  if (target.is == form::element && names_array) {
    if (a.compound) record(target, "ld");
    record(target, "st");
  } else if (target.is == form::element) {
    record(target, "st");  // through a pointer that a cast makes
  } else if (accesses_.empty()) {
    if (target.is == form::unknown)
      error_ = unknowns_[target.node];
    else
      fail(begin, left.size(), "assignment is not part of the lane language",
           "a store is written to an element of a declared array: s[t] = v");
  }
}

result<line> parser::run_line() {
  if (text_.size() > most_text)
    return diagnostic{std::string(what_) + " is longer than " + std::to_string(most_text) + " characters"};
  in_line_ = true;
  // One statement: what follows its ; may be a comment or a brace.
  if (const std::size_t end = find_end(text_); end != std::string_view::npos) {
    const std::string_view after = trim(std::string_view(text_).substr(end + 1));
    if (!after.empty() && !after.starts_with("//") && !after.starts_with("/*") && after != "}" &&
        !text_.starts_with("for"))
      return error_at(what_, text_, end + 2, 1, "more than one statement", "ask about one line at a time");
    end_ = end;
  }
  statement();
  skip_blanks();
  if (!error_ && at_ < end_) {
    const bool comma = text_[at_] == ',';
    fail(at_, 1, "unexpected '" + character_at(text_, at_) + "' after the end of the expression",
         comma ? "a list of addresses holds numbers only: 0, 4, 8" : "");
  }
  if (error_) return *error_;
  line l;
  if (value_ && value_->is == form::element && !accesses_.empty() && value_->extents.empty()) record(*value_, "ld");
  if (value_ && value_->is == form::element && accesses_.empty()) record(*value_, "");
  if (!error_ && accesses_.empty()) {
    if (!value_) return diagnostic{std::string(what_) + " makes no access"};
    if (value_->is == form::unknown) return unknowns_[value_->node];
    auto number = finish(value_->is == form::pointer ? value_->in_bytes : value_->node, {});
    if (!number) return number.error();
    l.number = std::move(*number);
  }
  if (where_) {
    auto where = finish(*where_, {});
    if (!where) return where.error();
    l.where = std::move(*where);
  }
  for (const seen_access& a : accesses_) {
    auto address = finish(a.root, {});
    if (!address) return address.error();
    l.accesses.push_back({std::move(*address), a.op, a.text, a.atomic});
  }
  if (error_) return *error_;
  l.uses_block_index = uses_block_index_;
  return l;
}

}  // namespace bankwise::expr
