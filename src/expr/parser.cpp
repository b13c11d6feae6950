// From text to the tree of an expression.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "expr/expression.hpp"
#include "expr/expression_tree.hpp"

namespace bankwise::expr {

namespace {

struct binary_operator {
  std::string_view text;
  int precedence;  // higher binds tighter
  op code;
};

// C's table. Longer spellings stand before their prefixes.
constexpr binary_operator binary_operators[] = {
    {"<<", 8, op::shift_left}, {">>", 8, op::shift_right}, {"<=", 7, op::less_equal},  {">=", 7, op::greater_equal},
    {"==", 6, op::equal},      {"!=", 6, op::not_equal},   {"&&", 2, op::logical_and}, {"||", 1, op::logical_or},
    {"<", 7, op::less},        {">", 7, op::greater},      {"*", 10, op::multiply},    {"/", 10, op::divide},
    {"%", 10, op::remainder},  {"+", 9, op::add},          {"-", 9, op::subtract},     {"&", 5, op::bit_and},
    {"^", 4, op::bit_xor},     {"|", 3, op::bit_or},
};

}  // namespace

// Recursive descent with precedence climbing. On the first error `error_` is set and everything returns 0.
class parser {
 public:
  parser(std::string_view text, const scope& names, std::string_view what) : text_(text), names_(names), what_(what) {}

  result<expression> run() {
    if (text_.size() > most_text)
      return diagnostic{std::string(what_) + " is longer than " + std::to_string(most_text) + " characters"};
    const std::uint32_t root = ternary();
    skip_blanks();
    if (!error_ && at_ < text_.size()) {
      const bool comma = text_[at_] == ',';
      fail(at_, 1, "unexpected '" + character_at(text_, at_) + "' after the end of the expression",
           comma ? "a list of addresses holds numbers only: 0, 4, 8" : "");
    }
    if (error_) return *error_;
    expression e;
    e.text_ = text_;
    e.scope_ = names_;
    e.what_ = what_;
    e.nodes_ = std::make_shared<const std::vector<node>>(std::move(nodes_));
    e.root_ = root;
    return e;
  }

 private:
  // --- characters ---------------------------------------------------------------------------------------------------
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool eat(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* after) {
    if (error_ || eat(c)) return;
    fail(at_, 1, std::string("expected '") + c + "' " + after);
  }
  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }

  // --- nodes --------------------------------------------------------------------------------------------------------
  std::uint32_t fail(std::size_t at, std::size_t length, std::string message, std::string hint = {}) {
    if (!error_) error_ = error_at(what_, text_, at + 1, length, std::move(message), std::move(hint));
    return 0;
  }
  std::uint32_t push(node n) {
    if (n.code > op::tid) {
      n.height = 1 + std::max({nodes_[n.a].height, nodes_[n.b].height, nodes_[n.c].height});
      if (n.height > most_height) return fail(n.column - 1, 1, "the expression is too long");
    }
    nodes_.push_back(n);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  struct deeper {
    parser& p;
    explicit deeper(parser& q) : p(q) {
      if (++p.depth_ > most_depth) p.fail(p.at_, 1, "nested deeper than " + std::to_string(most_depth) + " levels");
    }
    deeper(const deeper&) = delete;
    deeper& operator=(const deeper&) = delete;
    ~deeper() { --p.depth_; }
  };
  // An element used in arithmetic stands for its address; that is almost never meant.
  std::uint32_t number_only(std::uint32_t n, std::size_t at) {
    if (!error_ && nodes_[n].element_bytes != 0)
      return fail(at, 1, "an array element stands for its address here, not for a number",
                  "the whole expression must be one element, such as tile[t][0]; put the arithmetic in its index, or "
                  "write & before the element");
    return n;
  }

  // --- grammar ------------------------------------------------------------------------------------------------------
  std::uint32_t ternary() {
    const deeper level(*this);
    if (error_) return 0;
    skip_blanks();
    const std::size_t begin = at_;
    const std::uint32_t condition = binary(1);
    skip_blanks();
    const std::size_t at = at_;
    if (error_ || !eat('?')) return condition;
    number_only(condition, begin);
    const std::uint32_t yes = ternary();
    expect(':', "between the two values of ?:");
    const std::uint32_t no = ternary();
    if (error_) return 0;
    if (nodes_[yes].element_bytes != nodes_[no].element_bytes)
      return fail(at, 1, "the two values of ?: are elements of different sizes");
    return push({.code = op::choose,
                 .column = column(at),
                 .a = condition,
                 .b = yes,
                 .c = no,
                 .element_bytes = nodes_[yes].element_bytes});
  }

  const binary_operator* peek_binary() {
    skip_blanks();
    const std::string_view rest = std::string_view(text_).substr(std::min(at_, text_.size()));
    for (const binary_operator& o : binary_operators)
      if (rest.starts_with(o.text)) return &o;
    return nullptr;
  }

  std::uint32_t binary(int least) {
    skip_blanks();
    const std::size_t begin = at_;
    std::uint32_t left = unary();
    for (;;) {
      const binary_operator* o = error_ ? nullptr : peek_binary();
      if (o == nullptr || o->precedence < least) return left;
      const std::size_t at = at_;
      at_ += o->text.size();
      if (at_ < text_.size() && text_[at_] == '=' && o->precedence != 6 && o->precedence != 7)
        return fail(at, o->text.size() + 1, "assignment is not part of the lane language");
      number_only(left, begin);
      skip_blanks();
      const std::size_t right_at = at_;
      const std::uint32_t right = number_only(binary(o->precedence + 1), right_at);
      if (error_) return 0;
      left = push({.code = o->code, .column = column(at), .a = left, .b = right});
    }
  }

  std::uint32_t unary() {
    const deeper level(*this);
    if (error_) return 0;
    skip_blanks();
    const std::size_t at = at_;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '-' || c == '+' || c == '~' || c == '!') {
      ++at_;
      skip_blanks();
      const std::size_t operand_at = at_;
      const std::uint32_t operand = number_only(unary(), operand_at);
      if (error_ || c == '+') return operand;
      const op code = c == '-' ? op::negate : c == '~' ? op::complement : op::logical_not;
      return push({.code = code, .column = column(at), .a = operand});
    }
    if (c == '&') {
      ++at_;
      const std::uint32_t operand = unary();
      if (error_) return 0;
      if (nodes_[operand].element_bytes == 0) return fail(at, 1, "& needs an array element, such as &tile[t][0]");
      // An address: a number from here on.
      const std::uint32_t zero = push({.code = op::number});
      return push({.code = op::add, .column = column(at), .a = operand, .b = zero});
    }
    return primary();
  }

  std::uint32_t primary() {
    skip_blanks();
    const std::size_t at = at_;
    if (at_ >= text_.size()) return fail(at, 1, text_.empty() ? "the expression is empty" : "the expression ends here");
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      const std::uint32_t inner = ternary();
      expect(')', "to close this expression");
      return inner;
    }
    if (is_digit(c)) return literal();
    if (is_name_start(c)) return named();
    return fail(at, 1, "unexpected '" + character_at(text_, at) + "'", "expected a number, a name or '('");
  }

  std::uint32_t literal() {
    const std::size_t at = at_;
    const std::string_view word = name();
    std::string_view digits = word;
    while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
      digits.remove_suffix(1);
    if (at_ < text_.size() && text_[at_] == '.') return fail(at, at_ + 1 - at, "only whole numbers are allowed here");
    const auto number = parse_u64(digits);
    if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return fail(at, word.size(), "'" + std::string(word) + "' is not a number of 63 bits");
    if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]) && *number != 0)
      return fail(at, word.size(), "a number that starts with 0 would be octal in C", "write it without the 0");
    return push({.code = op::number, .column = column(at), .number = static_cast<std::int64_t>(*number)});
  }

  std::uint32_t call(op code, std::size_t at, std::size_t least, std::size_t most) {
    std::vector<std::uint32_t> arguments;
    do {
      skip_blanks();
      const std::size_t argument_at = at_;
      arguments.push_back(number_only(ternary(), argument_at));
    } while (!error_ && eat(','));
    expect(')', "after the arguments");
    if (error_) return 0;
    if (arguments.size() < least || arguments.size() > most)
      return fail(at, 3, "wrong number of arguments: " + std::to_string(arguments.size()));
    if (code == op::absolute) return push({.code = code, .column = column(at), .a = arguments[0]});
    std::uint32_t left = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i)
      left = push({.code = code, .column = column(at), .a = left, .b = arguments[i]});
    return left;
  }

  std::uint32_t dimension(std::size_t at, std::string_view word) {
    if (!eat('.')) return fail(at, word.size(), std::string(word) + " needs .x, .y or .z");
    const std::string_view axis = name();
    const int index = axis == "x" ? 0 : axis == "y" ? 1 : axis == "z" ? 2 : -1;
    if (index < 0) return fail(at, at_ - at, std::string(word) + " has .x, .y and .z");
    if (word == "threadIdx") return push({.code = op::thread, .column = column(at), .number = index});
    return push({.code = op::number, .column = column(at), .number = names_.block[static_cast<std::size_t>(index)]});
  }

  std::uint32_t named() {
    const std::size_t at = at_;
    const std::string_view word = name();
    skip_blanks();
    for (const array_decl& a : names_.arrays)
      if (a.name == word && !a.modes.empty()) return element(a, at, word);
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      if (word == "min") return call(op::minimum, at, 2, 64);
      if (word == "max") return call(op::maximum, at, 2, 64);
      if (word == "abs") return call(op::absolute, at, 1, 1);
      return fail(at, word.size(), "unknown function '" + std::string(word) + "'", "there are min, max and abs");
    }
    for (const array_decl& a : names_.arrays)
      if (a.name == word) return element(a, at, word);
    if (const auto it = names_.constants.find(word); it != names_.constants.end())
      return push({.code = op::number, .column = column(at), .number = it->second});
    if (word == "t" || word == "lane") return push({.code = op::lane, .column = column(at)});
    if (word == "tid") return push({.code = op::tid, .column = column(at)});
    if (word == "warp") return push({.code = op::warp, .column = column(at)});
    if (word == "threadIdx" || word == "blockDim") return dimension(at, word);
    std::vector<std::string> known{"t",           "lane",        "tid",         "warp",
                                   "threadIdx.x", "threadIdx.y", "threadIdx.z", "blockDim.x"};
    for (const array_decl& a : names_.arrays) known.push_back(a.name);
    for (const auto& [constant, number] : names_.constants) known.push_back(constant);
    const std::vector<std::string> near = nearest(word, known, 1);
    if (at_ < text_.size() && text_[at_] == '[') {
      for (const array_decl& a : names_.arrays)
        if (!near.empty() && near[0] == a.name)
          return fail(at, word.size(), "unknown array '" + std::string(word) + "'", "did you mean " + a.name + "?");
      return fail(at, word.size(), "unknown array '" + std::string(word) + "'",
                  "declare it as the kernel does: --array 'float " + std::string(word) + "[32][32]'");
    }
    return fail(at, word.size(), "unknown name '" + std::string(word) + "'",
                near.empty() ? "a constant gets its value by --let " + std::string(word) + "=32; the lane is called t"
                             : "did you mean " + near[0] + "?");
  }

  std::uint32_t element(const array_decl& array, std::size_t at, std::string_view word) {
    // Address as a chain: base, then one `element` node an index.
    if (!array.modes.empty()) return laid_out(array, at, word);
    std::uint32_t address =
        push({.code = op::number, .column = column(at), .number = static_cast<std::int64_t>(array.offset)});
    std::uint64_t stride = array.element_bytes;
    for (const std::uint64_t extent : array.extents) stride *= extent;
    std::size_t indices = 0;
    while (!error_) {
      skip_blanks();
      const std::size_t bracket = at_;
      if (!eat('[')) break;
      if (indices == array.extents.size())
        return fail(bracket, 1,
                    std::string(word) + " has only " + std::to_string(array.extents.size()) + " dimension" +
                        (array.extents.size() == 1 ? "" : "s"));
      skip_blanks();
      const std::size_t index_at = at_;
      const std::uint32_t index = number_only(ternary(), index_at);
      expect(']', "after the index");
      if (error_) return 0;
      const std::uint64_t extent = array.extents[indices++];
      stride /= extent;
      address = push({.code = op::element,
                      .column = column(index_at),
                      .number = static_cast<std::int64_t>(stride),
                      .a = address,
                      .b = index,
                      .extent = extent});
    }
    if (error_) return 0;
    nodes_[address].element_bytes = array.element_bytes;
    return address;
  }

  std::uint32_t number(std::uint64_t n, std::uint32_t where) {
    return push({.code = op::number, .column = where, .number = static_cast<std::int64_t>(n)});
  }

  // An element of an array with a CuTe layout: tile[row][column] or tile(row, column).
  std::uint32_t laid_out(const array_decl& array, std::size_t at, std::string_view word) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> indices;  // with their columns
    skip_blanks();
    const bool called = eat('(');
    while (!error_ && (called || eat('['))) {
      skip_blanks();
      const std::size_t index_at = at_;
      indices.emplace_back(number_only(ternary(), index_at), column(index_at));
      if (called && eat(',')) continue;
      expect(called ? ')' : ']', "after the index");
      if (called) break;
      skip_blanks();
    }
    if (error_) return 0;
    if (indices.size() != array.modes.size())
      return fail(at, word.size(),
                  std::string(word) + " takes " + std::to_string(array.modes.size()) +
                      (array.modes.size() == 1 ? " index" : " indices"));
    const std::uint32_t where = column(at);
    std::uint32_t offset = number(0, where);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto [index, index_column] = indices[i];
      std::uint64_t before = 1;
      for (std::size_t p = 0; p < array.modes[i].size(); ++p) {
        const index_part& part = array.modes[i][p];
        std::uint32_t own = index;
        if (before != 1)
          own = push({.code = op::divide, .column = index_column, .a = own, .b = number(before, index_column)});
        // The last may be out of bounds, and is then said to be.
        if (p + 1 != array.modes[i].size())
          own = push({.code = op::remainder, .column = index_column, .a = own, .b = number(part.size, index_column)});
        offset = push({.code = op::element,
                       .column = index_column,
                       .number = static_cast<std::int64_t>(part.stride),
                       .a = offset,
                       .b = own,
                       .extent = part.size});
        before *= part.size;
      }
    }
    if (const auto& s = array.permute) {
      const std::uint32_t high =
          push({.code = op::shift_right, .column = where, .a = offset, .b = number(s->shift, where)});
      const std::uint32_t changing = push({.code = op::bit_and,
                                           .column = where,
                                           .a = high,
                                           .b = number(((std::uint64_t{1} << s->bits) - 1) << s->base, where)});
      offset = push({.code = op::bit_xor, .column = where, .a = offset, .b = changing});
    }
    const std::uint32_t bytes =
        push({.code = op::multiply, .column = where, .a = offset, .b = number(array.element_bytes, where)});
    const std::uint32_t address =
        push({.code = op::add, .column = where, .a = bytes, .b = number(array.offset, where)});
    if (error_) return 0;
    nodes_[address].element_bytes = array.element_bytes;
    return address;
  }

  static std::uint32_t column(std::size_t at) { return static_cast<std::uint32_t>(at + 1); }

  std::string text_;
  const scope& names_;
  std::string_view what_;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
  std::vector<node> nodes_;
  std::optional<diagnostic> error_;
};

result<expression> parse(std::string_view text, const scope& names, std::string_view what) {
  return parser(text, names, what).run();
}

}  // namespace bankwise::expr
