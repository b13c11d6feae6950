#include "expr/question.hpp"

#include <algorithm>
#include <optional>

#include "bankwise/swizzle.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

// The diagnostic, and which flag it is about.
diagnostic about(std::string_view flag, diagnostic d) {
  if (d.flag.empty()) d.flag = flag;
  return d;
}

result<u32> read_mask(const flag_values& flags, const expr::scope& names) {
  u32 mask = full_mask;
  const std::uint64_t threads = std::uint64_t{names.block[0]} * names.block[1] * names.block[2];
  if (const std::uint64_t left = threads - std::uint64_t{names.warp} * 32; left < 32) mask = (1u << left) - 1;
  if (const auto text = flags.value("mask")) {
    const auto given = parse_u64(*text);
    if (!given || *given > full_mask)
      return about("mask",
                   {"--mask " + *text + ": expected 32 bits", {}, "write it as 0xffff or 0b1010, or use --where"});
    mask &= static_cast<u32>(*given);
  }
  if (const auto text = flags.value("where")) {
    const auto condition = expr::parse(*text, names, "--where");
    if (!condition) return about("where", condition.error());
    for (u32 lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const auto v = condition->evaluate(lane);
      if (!v) return about("where", v.error());
      if (v->number == 0) mask &= ~(1u << lane);
    }
  }
  return mask;
}

// --- where an address comes to lie

struct layout_change {
  std::uint64_t every = 0, free_bytes = 0;  // every 0: no padding
  std::optional<swizzle> permute;

  // Nothing if it is beyond 32 bits.
  std::optional<u32> padded(u32 address) const {
    if (every == 0) return address;
    const std::uint64_t to = address + address / every * free_bytes;
    return to > 0xffffffffu ? std::nullopt : std::optional(static_cast<u32>(to));
  }
};

result<layout_change> read_layout(const flag_values& flags, std::string& title) {
  layout_change change;
  if (const auto text = flags.value("pad")) {
    const std::vector<std::string_view> parts = split(*text, ':');
    const auto every = parse_size(trim(parts[0])), free_bytes = parse_size(trim(parts.size() == 2 ? parts[1] : ""));
    if (!every || !free_bytes || *every < 1 || *every > 1u << 20 || *free_bytes > 1u << 20)
      return about("pad", {"--pad " + *text + ": expected EVERY:BYTES, each at most 1M",
                           {},
                           "--pad 128:4 leaves 4 bytes free behind every 128, as a row of 33 floats does"});
    change.every = *every;
    change.free_bytes = *free_bytes;
    title += ", padded " + std::to_string(*every) + ":" + std::to_string(*free_bytes);
  }
  if (const auto text = flags.value("swizzle")) {
    const std::vector<std::string_view> parts = split(*text, ',');
    std::array<std::uint32_t, 3> n{};
    bool good = parts.size() == 3;
    for (std::size_t i = 0; good && i < 3; ++i) {
      const auto value = parse_u64(trim(parts[i]));
      good = value && *value < 32;
      if (good) n[i] = static_cast<std::uint32_t>(*value);
    }
    const swizzle s{n[0], n[1], n[2]};
    if (!good || !is_bijective(s))
      return about("swizzle", {"--swizzle " + *text + ": expected B,M,S with S at least B and B + M + S at most 32" +
                                   (good ? "" : ", each below 32"),
                               {},
                               "--swizzle 3,4,3 is CuTe's Swizzle<3,4,3> over bytes: 16-byte chunks of eight rows of "
                               "128 bytes change places"});
    change.permute = s;
    title += ", swizzled " + std::to_string(n[0]) + "," + std::to_string(n[1]) + "," + std::to_string(n[2]);
  }
  return change;
}

// Moves every address to where the padding and the swizzle put it.
result<done> apply(const layout_change& change, named_access& q) {
  const u32 width = q.op.op.width_bytes;
  for (u32 lane = 0; lane < 32; ++lane) {
    if ((q.what.mask >> lane & 1) == 0) continue;
    const auto padded = change.padded(q.what.address[lane]);
    if (!padded) return about("pad", {"lane " + std::to_string(lane) + ": the padded address is beyond 2^32 - 1"});
    if (*padded % width != 0)
      return about("pad",
                   {"lane " + std::to_string(lane) + ": the padding moves it to byte " + std::to_string(*padded) +
                        ", which is not a multiple of " + std::to_string(width) + ", the width of " + q.op.spelling,
                    {},
                    "the hardware faults there; pad by a multiple of " + std::to_string(width)});
    q.what.address[lane] = *padded;
    if (!change.permute) continue;
    const u32 swizzled = (*change.permute)(*padded);
    if (swizzled % width != 0)
      return about("swizzle",
                   {"lane " + std::to_string(lane) + ": the swizzle moves it to byte " + std::to_string(swizzled) +
                        ", which is not a multiple of " + std::to_string(width) + ", the width of " + q.op.spelling,
                    {},
                    "the hardware faults there; M of at least " +
                        std::to_string(width == 16  ? 4
                                       : width == 8 ? 3
                                                    : width / 2) +
                        " leaves those low bits alone"});
    q.what.address[lane] = swizzled;
  }
  return done{};
}

// --- addresses

// "0, 128, 256" or the words of a file: an address a lane; - or x for a lane that takes no part.
result<done> read_addresses(const std::string& text, const std::string& name, u32 mask, named_access& q) {
  u32 lane = 0;
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
  bool after_comma = true;  // an address must come: ",," leaves out one that somebody meant
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ',' && after_comma) return bad(at, 1, "an address is missing before this comma", "- leaves a lane out");
    after_comma = c == ',' || (after_comma && (c == ' ' || c == '\n' || c == '\t' || c == '\r'));
    if (c == '\n') ++line, line_begin = at + 1;
    if (c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ,\n\t\r", at), text.size());
    const std::string word = text.substr(at, end - at);
    const char* hint = "a list holds up to 32 byte addresses, one a lane; - leaves a lane out";
    if (lane == 32) return bad(at, word.size(), "more than 32 addresses", hint);
    if (word != "-" && word != "x") {
      const auto address = parse_u64(word);
      if (!address || *address > 0xffffffffu) return bad(at, word.size(), "'" + word + "' is not a byte address", hint);
      q.what.address[lane] = static_cast<u32>(*address);
      q.what.mask |= 1u << lane;
    }
    ++lane;
    at = end;
  }
  if (lane == 0) return about("addresses", {name + " holds no address"});
  q.what.mask &= mask;
  q.title = std::to_string(lane) + (lane == 1 ? " address" : " addresses") + " of " + name;
  return done{};
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

result<chosen_width> read_width(const flag_values& flags) {
  chosen_width w;
  if (const auto type = flags.value("type")) {
    const auto bytes = type_bytes(*type);
    if (!bytes) {
      const auto near = nearest(*type, type_names(), 1);
      return about("type",
                   {"--type " + *type + ": unknown type",
                    {},
                    near.empty() ? "types are CUDA's: float, half2, float4, double" : "did you mean " + near[0] + "?"});
    }
    w = {*bytes, *bytes, true};
  }
  if (flags.has("width")) {
    const auto bytes = number(flags, "width", 4, 1, 16);
    if (!bytes) return bytes.error();
    if ((*bytes & (*bytes - 1)) != 0)
      return about("width", {"--width " + std::to_string(*bytes) + ": a lane moves 1, 2, 4, 8 or 16 bytes"});
    w.width = static_cast<std::uint32_t>(*bytes);
    w.given = true;
  }
  return w;
}

// The address of every active lane. Elements of arrays set the width unless a flag did.
result<done> read_expression(const std::string& text, const expr::scope& names, u32 mask, chosen_width& width,
                             named_access& q) {
  const auto e = expr::parse(text, names);
  if (!e) return about("expr", e.error());
  q.title = text;
  q.what.mask = mask;
  u32 outside = 0;
  for (u32 lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto v = e->evaluate(lane);
    if (!v) return about("expr", v.error());
    const bool element = v->element_bytes != 0;
    if (element && !width.given) width.width = v->element_bytes;
    std::int64_t address = 0;
    const bool overflow = __builtin_mul_overflow(v->number, element ? 1 : std::int64_t{width.unit}, &address);
    if (overflow || address < 0 || address > 0xffffffffll)
      return about("expr", {"lane " + std::to_string(lane) + ": the byte address " +
                                (overflow ? "overflows" : std::to_string(address) + " is not in 0 .. 2^32 - 1"),
                            {.file = "expression",
                             .line = 1,
                             .column = 1,
                             .length = static_cast<std::uint32_t>(text.size()),
                             .source_line = text},
                            "--where leaves lanes out, such as --where 't > 0'"});
    if (v->out_of_bounds) outside |= 1u << lane;
    q.what.address[lane] = static_cast<u32>(address);
  }
  if (outside != 0) {
    const bool one = (outside & (outside - 1)) == 0;
    q.notes.push_back(std::string(one ? "lane " : "lanes ") + lane_list(outside) + (one ? " indexes" : " index") +
                      " past the declared extents");
  }
  return done{};
}

// `list_name` empty: `text` is an expression.
result<named_access> read(const flag_values& flags, const std::string& text, const std::string& list_name) {
  named_access q;
  const auto on = parse_machine(flags.value("arch").value_or("sm_90"));
  if (!on) return about("arch", on.error());
  q.on = *on;
  const auto names = read_scope(flags);
  if (!names) return names.error();
  const auto mask = read_mask(flags, *names);
  if (!mask) return mask.error();
  auto width = read_width(flags);
  if (!width) return width.error();
  std::string layout_title;
  const auto change = read_layout(flags, layout_title);
  if (!change) return change.error();

  const std::string op_name = flags.value("op").value_or("ld");
  const auto named = parse_operation(op_name, width->width);
  if (!named) return about("op", named.error());
  if (named->width_given) {
    // A matrix row and an asynchronous copy are wider than the elements they move: --type only says what EXPR counts.
    const bool of_elements = named->op.matrices != 0 || is_copy(named->op.kind);
    const bool asked = of_elements ? flags.has("width") : width->given;
    if (asked && width->width != named->op.width_bytes)
      return about("width", {"--op " + op_name + " and --width or --type ask for different widths"});
    width->width = named->op.width_bytes;
    width->given = true;
  }
  const auto addressed =
      list_name.empty() ? read_expression(text, *names, *mask, *width, q) : read_addresses(text, list_name, *mask, q);
  if (!addressed) return addressed.error();
  const auto op = parse_operation(op_name, width->width);
  if (!op) return about(flags.has("type") && !flags.has("op") ? "type" : "op", op.error());
  q.op = *op;
  q.what.op = op->op;

  if (const u32 lane = first_misaligned_lane(q.what); lane < 32)
    return about(
        list_name.empty() ? "expr" : "addresses",
        {"lane " + std::to_string(lane) + ": byte address " + std::to_string(q.what.address[lane]) +
             " is not a multiple of " + std::to_string(q.what.op.width_bytes) + ", the width of " + op->spelling,
         {},
         "the hardware faults here; is EXPR in bytes? --type float makes it count elements"});
  q.title += layout_title;
  if (const auto moved = apply(*change, q); !moved) return moved.error();
  if (auto missing = unsupported(*on, q.what.op)) return about("arch", *missing);
  if (op->op.kind == op_kind::copy_async_cg)
    q.notes.push_back("cp.async.cg is counted as Nsight Compute's source page does; its clocks are not known");
  if (const auto text_of_source = flags.value("source")) {
    if (!is_copy(op->op.kind)) return about("source", {"--source belongs to --op cp.async.ca or cp.async.cg"});
    named_access from;
    from.what.op = op->op;
    const auto sources = is_list(*text_of_source) ? read_addresses(*text_of_source, "--source", *mask, from)
                                                  : read_expression(*text_of_source, *names, *mask, *width, from);
    if (!sources) return about("source", sources.error());
    if (const u32 lane = first_misaligned_lane(from.what); lane < 32)
      return about("source",
                   {"lane " + std::to_string(lane) + ": source address " + std::to_string(from.what.address[lane]) +
                    " is not a multiple of " + std::to_string(op->op.width_bytes) + ", the width of " + op->spelling});
    q.has_source = true;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) q.from.address[lane] = from.what.address[lane];
    if (is_list(*text_of_source)) q.from.reads = from.what.mask;  // the others get zeros
    q.title += " from " + *text_of_source;
  }
  if (flags.has("zfill")) {
    if (!is_copy(op->op.kind)) return about("zfill", {"--zfill belongs to --op cp.async.cg"});
    if (!q.has_source)
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) q.from.address[lane] = lane * op->op.width_bytes;
    q.has_source = true;
    q.from.may_fill = true;
    q.title += ", which may fill with zeros";
  }
  return q;
}

// In the order in which a person would write them.
constexpr std::string_view question_flags[] = {"arch", "op",   "type",  "width", "array",   "let",    "block",
                                               "warp", "mask", "where", "pad",   "swizzle", "source", "zfill"};

// As a word of a POSIX shell.
std::string quoted(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=") ==
          std::string::npos)
    return word;
  std::string s = "'";
  for (const char c : word) s += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return s + "'";
}

}  // namespace

result<expr::scope> read_scope(const flag_values& flags) {
  expr::scope names;
  const auto block = triple(flags, "block", {32, 1, 1});
  if (!block) return block.error();
  const std::uint64_t threads = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  if (threads > 1024)
    return about("block", {"--block: " + std::to_string(threads) + " threads; a block has at most 1024"});
  names.block = *block;
  const auto warp = number(flags, "warp", 0, 0, 31);
  if (!warp) return warp.error();
  const std::uint64_t warps = (threads + 31) / 32;
  if (*warp >= warps)
    return about("warp",
                 {"--warp " + std::to_string(*warp) + ": a block of " + std::to_string(threads) + " threads has " +
                  std::to_string(warps) + (warps == 1 ? " warp" : " warps") + ", counted from 0"});
  names.warp = static_cast<std::uint32_t>(*warp);
  for (const std::string& text : flags.all("let")) {
    auto constant = expr::parse_constant(text, names);
    if (!constant) return about("let", constant.error());
    if (constant->first == "t" || names.constants.contains(constant->first))
      return about("let", {"--let " + text + ": " + constant->first +
                           (constant->first == "t" ? " is the lane" : " has a value already")});
    names.constants[constant->first] = constant->second;
  }
  for (const std::string& text : flags.all("array")) {
    auto array = expr::parse_array(text, names);
    if (!array) return about("array", array.error());
    expr::add_array(names, std::move(*array));
  }
  return names;
}

result<named_access> read_question(const flag_values& flags, const std::string& text) {
  return read(flags, text, is_list(text) ? "the list" : "");
}

result<named_access> read_address_question(const flag_values& flags, const std::string& list, const std::string& name) {
  return read(flags, list, name);
}

bool is_question_flag(std::string_view name) {
  return std::find(std::begin(question_flags), std::end(question_flags), name) != std::end(question_flags);
}

std::vector<std::pair<std::string, std::string>> question_words(const flag_values& flags, const std::string& text,
                                                                bool is_addresses) {
  std::vector<std::pair<std::string, std::string>> words;
  if (flags.has("zfill")) words.emplace_back("zfill", "yes");  // a switch, which has no value
  for (const std::string_view flag : question_flags)
    if (flag != "zfill")
      for (const std::string& value : flags.all(flag)) words.emplace_back(flag, value);
  words.emplace_back(is_addresses || is_list(text) ? "addresses" : "expr", text);
  return words;
}

std::string command_line(const flag_values& flags, const std::string& text) {
  std::string s = "bankwise explain";
  for (const auto& [flag, value] : question_words(flags, text)) {
    if (flag == "zfill")
      s += " --zfill";
    else if (flag != "expr" && flag != "addresses")
      s += " --" + flag + " " + quoted(value);
  }
  // What starts with a dash must not be taken for a flag.
  return s + (text.starts_with('-') ? " -- " : " ") + quoted(text);
}

}  // namespace bankwise
