#include "expr/parse/named_values.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/names/name_list.hpp"
#include "expr/parse/accesses.hpp"
#include "expr/parse/casts.hpp"
#include "expr/parse/elements.hpp"
#include "expr/parse/operators.hpp"

namespace bankwise::expr {

namespace {

struct machine_name {
  std::string_view names;
  op code;
  std::int64_t axis = 0;  // the axis of threadIdx
};
constexpr machine_name machine_names[] = {
    {"t lane lane_id laneid laneId lane_idx laneIdx lid LANE_ID", op::lane},
    {"tid thread_id threadId thread_idx", op::tid},
    {"warp warp_id warpid warpId warp_idx warpIdx wid WARP_ID wave_id", op::warp},
    {"tx tidx tid_x threadIdx_x hipThreadIdx_x", op::thread, 0},
    {"ty tidy tid_y threadIdx_y hipThreadIdx_y", op::thread, 1},
    {"tz tidz tid_z threadIdx_z hipThreadIdx_z", op::thread, 2},
};
constexpr std::string_view warp_sizes[] = {"warpSize",  "WARP_SIZE", "WARPSIZE",     "warp_size",
                                           "kWarpSize", "WarpSize",  "kWarpThreads", "THREADS_PER_WARP"};
constexpr std::string_view block_indices[] = {"bid", "block_id", "blockId", "bx", "by", "bz"};

struct function_row {
  std::string_view name;
  op code;
  std::size_t least, most;
};
constexpr function_row functions[] = {
    {"min", op::minimum, 2, 64},        {"max", op::maximum, 2, 64},        {"abs", op::absolute, 1, 1},
    {"umin", op::minimum, 2, 2},        {"umax", op::maximum, 2, 2},        {"MIN", op::minimum, 2, 64},
    {"MAX", op::maximum, 2, 64},        {"fminf", op::minimum, 2, 2},       {"fmaxf", op::maximum, 2, 2},
    {"__brev", op::reverse_bits, 1, 1}, {"brev", op::reverse_bits, 1, 1},   {"__ffs", op::first_set, 1, 1},
    {"ffs", op::first_set, 1, 1},       {"__ffsll", op::first_set, 1, 1},   {"__popc", op::count_ones, 1, 1},
    {"popc", op::count_ones, 1, 1},     {"popcount", op::count_ones, 1, 1}, {"__clz", op::leading_zeros, 1, 1},
    {"clz", op::leading_zeros, 1, 1},   {"__mul24", op::multiply, 2, 2},    {"__umul24", op::multiply, 2, 2},
    {"mul24", op::multiply, 2, 2},
};
// Functions that compute (a + b - 1) / b. They are not in `functions`, because this value needs several nodes.
constexpr std::string_view ceil_divides[] = {"ceilDiv", "ceil_div",   "ceildiv",      "CeilDiv",  "CEIL_DIV",
                                             "cdiv",    "CDIV",       "div_up",       "divUp",    "DivUp",
                                             "DIV_UP",  "DIVUP",      "iDivUp",       "divup",    "div_ceil",
                                             "divceil", "ceildivide", "round_up_div", "DIV_CEIL", "ceiling_div"};
// Functions that are replaced by their argument. Most of them convert a pointer to an address in shared memory.
constexpr std::string_view identities[] = {"__cvta_generic_to_shared",
                                           "cast_smem_ptr_to_uint",
                                           "smem_u32addr",
                                           "__builtin_assume_aligned",
                                           "__ldg",
                                           "to_shared"};
constexpr std::string_view lane_functions[] = {"lane_id",   "laneid", "get_lane_id",       "getLaneId",
                                               "__lane_id", "laneId", "canonical_lane_idx"};
constexpr std::string_view warp_functions[] = {
    "warp_id", "warpid", "get_warp_id", "getWarpId", "canonical_warp_idx", "canonical_warp_idx_sync"};

int axis_of(std::string_view word) { return word == "x" ? 0 : word == "y" ? 1 : word == "z" ? 2 : -1; }

operand parse_call(parser& p, op code, std::size_t at, std::size_t least, std::size_t most) {
  const std::vector<operand> given = parse_arguments(p);
  if (p.error) return {};
  if (given.size() < least || given.size() > most)
    return p.fail(at, 3,
                  formatted("wrong number of arguments: expected {}, found {}",
                            least == most ? std::to_string(least) : formatted("{} to {}", least, most), given.size()));
  std::vector<operand> numbers;
  for (const operand& o : given) numbers.push_back(number_only(p, o));
  if (p.error) return {};
  for (const operand& o : numbers)
    if (o.is == operand_form::unknown) return {.is = operand_form::unknown, .node = o.node, .at = at, .end = p.here};
  if (most == 1) return p.number_of(p.push({.code = code, .column = p.column(at), .a = numbers[0].node}), at);
  std::uint32_t left = numbers[0].node;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    left = p.push({.code = code, .column = p.column(at), .a = left, .b = numbers[i].node});
  return p.number_of(left, at);
}

operand parse_function(parser& p, std::size_t at, std::string_view word) {
  ++p.here;  // skips the parenthesis
  for (const function_row& f : functions)
    if (f.name == word) return parse_call(p, f.code, at, f.least, f.most);
  if (is_one_of(word, ceil_divides)) {
    const std::vector<operand> given = parse_arguments(p);
    if (p.error) return {};
    if (given.size() != 2)
      return p.fail(at, word.size(), formatted("wrong number of arguments: expected 2, found {}", given.size()));
    const operand a = number_only(p, given[0]), b = number_only(p, given[1]);
    for (const operand& o : {a, b})
      if (o.is == operand_form::unknown) return {.is = operand_form::unknown, .node = o.node, .at = at, .end = p.here};
    if (p.error) return {};
    const std::uint32_t where = p.column(at);
    const std::uint32_t sum = p.push({.code = op::add, .column = where, .a = a.node, .b = b.node});
    const std::uint32_t less = p.push({.code = op::subtract, .column = where, .a = sum, .b = p.constant(1, at)});
    return p.number_of(p.push({.code = op::divide, .column = where, .a = less, .b = b.node}), at);
  }
  if (is_one_of(word, lane_functions) || is_one_of(word, warp_functions)) {
    p.expect(')', "expected ')' after the arguments");
    if (p.error) return {};
    return p.number_of(p.push({.code = is_one_of(word, lane_functions) ? op::lane : op::warp, .column = p.column(at)}),
                       at);
  }
  if (is_one_of(word, identities)) {
    const std::vector<operand> given = parse_arguments(p);
    if (p.error || given.size() != 1)
      return p.error ? operand{} : p.fail(at, word.size(), "the function needs one argument");
    return given[0];
  }
  if (p.in_line && word.starts_with("atomic")) return parse_atomic_call(p, at, word);
  if (p.in_line && word == "__pipeline_memcpy_async") return parse_copy_call(p, at);
  if (const auto type = find_named_type(p, word); type && type->of == nullptr && type->component == 0) {
    operand o = parse_ternary(p);
    p.expect(')', "expected ')' after the operand of the cast");
    return p.error ? operand{} : cast_operand(p, {type, std::string(word), 0}, o, at);
  }
  if (p.in_line) {
    if (!p.eat(')'))
      for (const operand& o : parse_arguments(p))
        if (!p.error && (o.is != operand_form::element || o.extents.empty())) number_only(p, o);
  }
  return p.unknown(at, word.size(), formatted("unknown function '{}'", word),
                   formatted("bankwise knows the functions min, max, abs, __brev, __ffs, __popc, __clz, ceil_div and "
                             "sizeof. To use another function, set the value of the function with {}",
                             worded(setting::let)));
}

operand parse_dimension(parser& p, std::size_t at, std::string_view word) {
  if (!p.eat('.')) return p.fail(at, word.size(), formatted("{} needs .x, .y or .z", word));
  const std::string_view axis = p.name();
  const int index = axis_of(axis);
  if (index < 0) return p.fail(at, p.here - at, formatted("{} has .x, .y and .z", word));
  if (word == "threadIdx")
    return p.number_of(p.push({.code = op::thread, .column = p.column(at), .number = index}), at);
  if (word == "blockDim") return p.number_of(p.constant(p.names.block[static_cast<std::size_t>(index)], at), at);
  const std::string full = formatted("{}.{}", word, axis);
  if (const auto it = p.names.constants.find(full); it != p.names.constants.end())
    return p.number_of(p.constant(it->second, at), at);
  if (word == "gridDim")
    return p.unknown(at, full.size(), formatted("the name {} is not known", full),
                     formatted("set the value of a constant with {}", worded(setting::let, formatted("{}=64", full))));
  p.uses_block_index = true;
  return p.number_of(p.constant(0, at), at);
}

operand known_name(parser& p, std::size_t at, std::string_view word, bool& found) {
  found = true;
  if (const auto it = p.names.constants.find(word); it != p.names.constants.end())
    return p.number_of(p.constant(it->second, at), at);
  for (std::size_t i = 0; i < p.names.variables.size(); ++i)
    if (p.names.variables[i].name == word)
      return p.number_of(p.push({.code = op::variable, .column = p.column(at), .number = static_cast<std::int64_t>(i)}),
                         at);
  for (const machine_name& m : machine_names)
    if (lists(m.names, ' ', word))
      return p.number_of(p.push({.code = m.code, .column = p.column(at), .number = m.axis}), at);
  if (is_one_of(word, warp_sizes)) return p.number_of(p.constant(p.names.warp_lanes, at), at);
  if (word == "threadIdx" || word == "blockDim" || word == "blockIdx" || word == "gridDim")
    return parse_dimension(p, at, word);
  if (is_one_of(word, block_indices)) {
    p.uses_block_index = true;
    return p.number_of(p.constant(0, at), at);
  }
  if (word == "true" || word == "false") return p.number_of(p.constant(word == "true", at), at);
  found = false;
  return {};
}

operand unknown_name(parser& p, std::size_t at, std::string_view word) {
  std::vector<std::string> known{"t", "lane", "tid", "warp", "threadIdx.x", "threadIdx.y", "threadIdx.z", "blockDim.x"};
  for (const array_decl& a : p.names.arrays) known.push_back(a.name);
  for (const auto& [constant, number] : p.names.constants) known.push_back(constant);
  for (const variable& v : p.names.variables) known.push_back(v.name);
  const std::vector<std::string> near = nearest(word, known, 1);
  if (p.peek() == '[') {
    std::string hint = formatted("declare the array as in the kernel: {}",
                                 worded(setting::array, formatted("float {}[32][32]", word)));
    for (const array_decl& a : p.names.arrays)
      if (!near.empty() && near[0] == a.name) hint = formatted("did you mean {}?", a.name);
    return p.unknown(at, word.size(), formatted("unknown array '{}'", word), hint);
  }
  return p.unknown(at, word.size(), formatted("unknown name '{}'", word),
                   near.empty() ? formatted("set the value of a constant with {}. The name of the lane is t",
                                            worded(setting::let, formatted("{}=32", word)))
                                : formatted("did you mean {}?", near[0]));
}

}  // namespace

operand parse_literal(parser& p) {
  const std::size_t at = p.here;
  const std::string_view word = p.name();
  std::string_view digits = word;
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
    digits.remove_suffix(1);
  const bool is_hex = word.starts_with("0x") || word.starts_with("0X");
  const bool is_float = p.peek() == '.' || (!is_hex && !word.starts_with("0b") && word.size() > 1 &&
                                            word.find_first_of("eEf") != std::string_view::npos);
  if (is_float && (p.peek() == '.' || p.in_line)) {
    const std::size_t point = p.here;
    if (p.peek() == '.') ++p.here;
    p.name();
    if (p.in_line && (p.text[p.here - 1] == 'e' || p.text[p.here - 1] == 'E') && (p.peek() == '-' || p.peek() == '+'))
      ++p.here, p.name();
    return p.unknown(at, point + 1 - at, "only whole numbers are allowed in an expression");
  }
  const auto number = parse_u64(digits);
  if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return p.fail(at, word.size(), formatted("'{}' is not a number of up to 63 bits", word));
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]) && *number != 0)
    return p.fail(at, word.size(), "a number that starts with 0 would be octal in C", "write the number without the 0");
  return {.node = p.constant(static_cast<std::int64_t>(*number), at), .at = at, .end = p.here};
}

std::vector<operand> parse_arguments(parser& p) {
  std::vector<operand> list;
  do {
    p.skip_blanks();
    list.push_back(parse_ternary(p));
  } while (!p.error && list.size() < 256 && p.eat(','));
  p.expect(')', "expected ')' after the arguments");
  return list;
}

operand parse_name(parser& p) {
  const std::size_t at = p.here;
  // Ignores namespaces, as in std::min, cuda.threadIdx.x and cg::thread_rank().
  std::string_view word;
  for (;;) {
    if (p.peek() == ':' && p.peek(1) == ':') p.here += 2;
    word = p.name();
    const bool is_namespace = p.peek() == ':' && p.peek(1) == ':';
    const bool is_module = word == "cuda" && p.peek() == '.' && is_name_start(p.peek(1));
    if (word.empty() || (!is_namespace && !is_module)) break;
    p.here += is_namespace ? 2 : 1;
  }
  if (word.empty()) return p.fail(at, 1, "expected a name");
  p.skip_blanks();
  if (word == "sizeof") return parse_size_of(p, at);
  if (word == "static_cast" || word == "reinterpret_cast" || word == "const_cast") return parse_named_cast(p, at);
  for (const array_decl& a : p.names.arrays)
    if (a.name == word) return array_element(p, a, at);
  if (p.peek() == '(') {
    if (auto o = parse_vector_macro(p, at, word)) return *o;
    return parse_function(p, at, word);
  }
  bool found = false;
  operand o = known_name(p, at, word, found);
  if (!found) o = unknown_name(p, at, word);
  o.at = at, o.end = p.here;
  return o;
}

bool is_machine_name(std::string_view word) {
  return std::any_of(std::begin(machine_names), std::end(machine_names),
                     [&](const machine_name& m) { return lists(m.names, ' ', word); });
}

}  // namespace bankwise::expr
