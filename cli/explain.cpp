#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "expr/expression.hpp"
#include "expr/names.hpp"
#include "files.hpp"
#include "report/access_report.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace {

struct question {
  std::string title;
  access what{};
  std::vector<std::string> notes;
};

result<expr::scope> read_scope(const arguments& args) {
  expr::scope names;
  const auto block = triple(args, "block", {32, 1, 1});
  if (!block) return block.error();
  const std::uint64_t threads = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  if (threads > 1024) return diagnostic{"--block: " + std::to_string(threads) + " threads; a block has at most 1024"};
  names.block = *block;
  const auto warp = number(args, "warp", 0, 0, 31);
  if (!warp) return warp.error();
  if (*warp * 32 >= threads)
    return diagnostic{"--warp " + std::to_string(*warp) + ": a block of " + std::to_string(threads) + " threads has " +
                      std::to_string((threads + 31) / 32) + " warps, counted from 0"};
  names.warp = static_cast<std::uint32_t>(*warp);
  for (const std::string& text : args.all("let")) {
    auto constant = expr::parse_constant(text, names);
    if (!constant) return constant.error();
    if (constant->first == "t" || names.constants.contains(constant->first))
      return diagnostic{"--let " + text + ": " + constant->first +
                        (constant->first == "t" ? " is the lane" : " has a value already")};
    names.constants[constant->first] = constant->second;
  }
  for (const std::string& text : args.all("array")) {
    auto array = expr::parse_array(text, names);
    if (!array) return array.error();
    expr::add_array(names, std::move(*array));
  }
  return names;
}

result<u32> read_mask(const arguments& args, const expr::scope& names) {
  u32 mask = full_mask;
  const std::uint64_t threads = std::uint64_t{names.block[0]} * names.block[1] * names.block[2];
  if (const std::uint64_t left = threads - std::uint64_t{names.warp} * 32; left < 32) mask = (1u << left) - 1;
  if (const auto text = args.value("mask")) {
    const auto given = parse_u64(*text);
    if (!given || *given > full_mask)
      return diagnostic{"--mask " + *text + ": expected 32 bits", {}, "write it as 0xffff or 0b1010, or use --where"};
    mask &= static_cast<u32>(*given);
  }
  if (const auto text = args.value("where")) {
    const auto condition = expr::parse(*text, names, "--where");
    if (!condition) return condition.error();
    for (u32 lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const auto v = condition->evaluate(lane);
      if (!v) return v.error();
      if (v->number == 0) mask &= ~(1u << lane);
    }
  }
  return mask;
}

// "0, 128, 256" or the words of a file: an address a lane; - or x for a lane that takes no part.
result<question> read_addresses(const std::string& text, const std::string& name, u32 mask, operation op) {
  question q{"", {op, 0, {}}, {}};
  u32 lane = 0;
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  bool after_comma = true;  // an address must come: ",," leaves out one that somebody meant
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ',' && after_comma)
      return diagnostic{"an address is missing before this comma",
                        {.file = name,
                         .line = line,
                         .column = static_cast<std::uint32_t>(at - line_begin + 1),
                         .length = 1,
                         .source_line = text.substr(
                             line_begin, std::min<std::size_t>(text.find('\n', line_begin) - line_begin, 200))},
                        "- leaves a lane out"};
    after_comma = c == ',' || (after_comma && (c == ' ' || c == '\n' || c == '\t' || c == '\r'));
    if (c == '\n') ++line, line_begin = at + 1;
    if (c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ,\n\t\r", at), text.size());
    const std::string word = text.substr(at, end - at);
    const auto bad = [&](const std::string& message) {
      const std::size_t line_end = std::min(text.find('\n', line_begin), text.size());
      return diagnostic{message,
                        {.file = name,
                         .line = line,
                         .column = static_cast<std::uint32_t>(at - line_begin + 1),
                         .length = static_cast<std::uint32_t>(word.size()),
                         .source_line = text.substr(line_begin, std::min<std::size_t>(line_end - line_begin, 200))},
                        "a list holds up to 32 byte addresses, one a lane; - leaves a lane out"};
    };
    if (lane == 32) return bad("more than 32 addresses");
    if (word != "-" && word != "x") {
      const auto address = parse_u64(word);
      if (!address || *address > 0xffffffffu) return bad("'" + word + "' is not a byte address");
      q.what.address[lane] = static_cast<u32>(*address);
      q.what.mask |= 1u << lane;
    }
    ++lane;
    at = end;
  }
  if (lane == 0) return diagnostic{name + " holds no address"};
  q.what.mask &= mask;
  q.title = std::to_string(lane) + (lane == 1 ? " address" : " addresses") + " of " + name;
  return q;
}

// A list is what starts with a number, - or x and has a comma before anything else.
bool is_list(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789abcdefABCDEFx-, \t");
  return end == std::string_view::npos && text.find(',') != std::string_view::npos;
}

struct chosen_width {
  std::uint32_t unit = 1;   // bytes that EXPR counts
  std::uint32_t width = 4;  // bytes a lane
  bool given = false;
};

result<chosen_width> read_width(const arguments& args) {
  chosen_width w;
  if (const auto type = args.value("type")) {
    const auto bytes = type_bytes(*type);
    if (!bytes) {
      const auto near = nearest(*type, type_names(), 1);
      return diagnostic{
          "--type " + *type + ": unknown type",
          {},
          near.empty() ? "types are CUDA's: float, half2, float4, double" : "did you mean " + near[0] + "?"};
    }
    w = {*bytes, *bytes, true};
  }
  if (args.has("width")) {
    const auto bytes = number(args, "width", 4, 1, 16);
    if (!bytes) return bytes.error();
    if ((*bytes & (*bytes - 1)) != 0)
      return diagnostic{"--width " + std::to_string(*bytes) + ": a lane moves 1, 2, 4, 8 or 16 bytes"};
    w.width = static_cast<std::uint32_t>(*bytes);
    w.given = true;
  }
  return w;
}

// The address of every active lane. Elements of arrays set the width unless a flag did.
result<question> read_expression(const std::string& text, const expr::scope& names, u32 mask, chosen_width& width) {
  const auto e = expr::parse(text, names);
  if (!e) return e.error();
  question q{text, {ld(4), mask, {}}, {}};
  u32 outside = 0;
  for (u32 lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto v = e->evaluate(lane);
    if (!v) return v.error();
    const bool element = v->element_bytes != 0;
    if (element && !width.given) width.width = v->element_bytes;
    std::int64_t address = 0;
    const bool overflow = __builtin_mul_overflow(v->number, element ? 1 : std::int64_t{width.unit}, &address);
    if (overflow || address < 0 || address > 0xffffffffll)
      return diagnostic{"lane " + std::to_string(lane) + ": the byte address " +
                            (overflow ? "overflows" : std::to_string(address) + " is not in 0 .. 2^32 - 1"),
                        {.file = "expression",
                         .line = 1,
                         .column = 1,
                         .length = static_cast<std::uint32_t>(text.size()),
                         .source_line = text},
                        "--where leaves lanes out, such as --where 't > 0'"};
    if (v->out_of_bounds) outside |= 1u << lane;
    q.what.address[lane] = static_cast<u32>(address);
  }
  if (outside != 0) {
    const bool one = (outside & (outside - 1)) == 0;
    q.notes.push_back(std::string(one ? "lane " : "lanes ") + lane_list(outside) + (one ? " indexes" : " index") +
                      " past the declared extents");
  }
  return q;
}

}  // namespace

result<int> explain(const arguments& args) {
  const auto format = choice(args, "format", "text", {"text", "json"});
  if (!format) return format.error();
  const auto on = parse_machine(args.value("arch").value_or("sm_90"));
  if (!on) return on.error();
  const auto names = read_scope(args);
  if (!names) return names.error();
  const auto mask = read_mask(args, *names);
  if (!mask) return mask.error();
  auto width = read_width(args);
  if (!width) return width.error();
  if (args.positional.size() > 1)
    return diagnostic{"more than one expression", {}, "quote it: bankwise explain '(t % 8) * 128'"};
  if (args.positional.empty() == !args.has("addresses"))
    return diagnostic{"expected one expression, one list of addresses, or --addresses FILE",
                      {},
                      "bankwise explain 't * 132', bankwise explain '0,128,256', bankwise explain --help"};

  const std::string op_name = args.value("op").value_or("ld");
  const auto named = parse_operation(op_name, width->width);
  if (!named) return named.error();
  if (named->width_given) {
    // A matrix row and an asynchronous copy are wider than the elements they move: --type only says what EXPR counts.
    const bool of_elements = named->op.matrices != 0 || named->op.kind == op_kind::copy_async;
    const bool asked = of_elements ? args.has("width") : width->given;
    if (asked && width->width != named->op.width_bytes)
      return diagnostic{"--op " + op_name + " and --width or --type ask for different widths"};
    width->width = named->op.width_bytes;
    width->given = true;
  }
  result<question> q = diagnostic{};
  if (args.has("addresses")) {
    const std::string path = *args.value("addresses");
    const auto text = read_file(path);
    if (!text) return text.error();
    q = read_addresses(*text, path == "-" ? "standard input" : path, *mask, named->op);
  } else if (is_list(args.positional[0])) {
    q = read_addresses(args.positional[0], "the list", *mask, named->op);
  } else {
    q = read_expression(args.positional[0], *names, *mask, *width);
  }
  if (!q) return q.error();
  const auto op = parse_operation(op_name, width->width);
  if (!op) return op.error();
  q->what.op = op->op;

  if (const u32 lane = first_misaligned_lane(q->what); lane < 32)
    return diagnostic{"lane " + std::to_string(lane) + ": byte address " + std::to_string(q->what.address[lane]) +
                          " is not a multiple of " + std::to_string(q->what.op.width_bytes) + ", the width of " +
                          op->spelling,
                      {},
                      "the hardware faults here; is EXPR in bytes? --type float makes it count elements"};
  if (auto missing = unsupported(*on, q->what.op)) return *missing;
  for (const std::string& note : q->notes) std::fprintf(stderr, "bankwise: note: %s\n", note.c_str());
  if (op->bypasses_l1)
    std::fprintf(
        stderr,
        "bankwise: note: cp.async.cg has no known rule yet; these are the numbers of .ca with a contiguous source\n");

  const access_report report = report_access(q->title, *op, *on, q->what);
  const auto look = output_style(args);
  if (!look) return look.error();
  const std::string text = *format == "json" ? to_json(report) : to_text(report, *look, args.has("all"));
  const auto written = write_file(args.value("output").value_or(""), text);
  if (!written) return written.error();
  return exit_clean;
}

}  // namespace bankwise::cli
