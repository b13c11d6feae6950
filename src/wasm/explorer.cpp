// The rule, the lane language and the pictures for the page. Three functions exchange bytes with the page.
// scripts/build-page builds this file together with sources of the command line.
//
//     bw_input(size)         returns room for a question. It contains the flags of `bankwise explain`, each as
//                            name \x1f value \x1e, and the expression as "expr", or a list of addresses as "addresses".
//                            An access may have a "title". For a card, "link" is shown instead of the command.
//     bw_answer(kind, size)  returns the length of the answer. If it is negative, the answer is an error as JSON.
//     bw_output()            returns the answer
#include <cstdint>
#include <string>
#include <string_view>

#include "advise/plain_layout.hpp"
#include "bankwise/arch.hpp"
#include "base/text.hpp"
#include "expr/global_question.hpp"
#include "expr/parse/type_names.hpp"
#include "expr/question.hpp"
#include "expr/question_words.hpp"
#include "report/forms/access_code.hpp"
#include "report/json/diagnostic_json.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/picture/access_report.hpp"
#include "report/picture/card.hpp"
#include "report/picture/picture.hpp"
#include "report/picture/tile_map.hpp"
#include "report/sectors/sector_picture.hpp"
#include "report/sectors/sector_report.hpp"
#include "report/text/layout_code.hpp"

#if defined(__wasm__)
#define BANKWISE_EXPORT(name) extern "C" __attribute__((export_name(#name)))
#else
#define BANKWISE_EXPORT(name) extern "C"
#endif

namespace bankwise {
namespace {

using json = nlohmann::ordered_json;

// The page's code also contains the numbers of the kinds.
enum kind : std::uint32_t {
  as_json,
  as_svg,
  as_narrow_svg,
  as_svg_file,
  as_cpp,
  as_command,
  as_text,
  vocabulary,
  as_beside_svg,
  best_layout,
  as_card,
  whole_tile,
};

constexpr std::uint32_t most_input = 1u << 20;

std::string input, output;

struct asked {
  flag_values flags;
  std::string text, title, link;
  bool is_list = false;

  std::string list_name() const { return is_list ? "the list" : ""; }
};

result<asked> read_input(std::string_view bytes) {
  asked a;
  std::size_t texts = 0;
  for (std::string_view pair : split(bytes, '\x1e')) {
    const std::size_t at = pair.find('\x1f');
    if (at == std::string_view::npos) continue;
    const std::string name(pair.substr(0, at)), value(pair.substr(at + 1));
    if (name == "expr" || name == "addresses") {
      a.text = value;
      a.is_list = name == "addresses";
      if (++texts > 1) return diagnostic{"there is more than one expression or list of addresses", {}, {}, name};
    } else if (name == "title") {
      a.title = value;
    } else if (name == "link") {
      a.link = value;
    } else if (!is_question_flag(name)) {
      return diagnostic{"unknown flag '" + name + "'", {}, {}, name};
    } else {
      a.flags.values[name].push_back(value);
    }
  }
  return a;
}

json words() {
  json machines = json::array(), operations = json::array(), on_global = json::array();
  const auto add = [&](const arch& a) {
    machines.push_back(
        {{"name", a.name}, {"family", a.family}, {"banks", a.model.banks}, {"bank_bytes", a.model.bank_bytes}});
  };
  for (const arch& a : archs) add(a);
  for (const arch& a : other_archs) add(a);
  for (const std::string& name : operation_names()) operations.push_back(name);
  for (const std::string& name : global_operation_names()) on_global.push_back(name);
  return {{"version", BANKWISE_VERSION},    {"archs", machines},
          {"types", type_names()},          {"operations", operations},
          {"global_operations", on_global}, {"style", svg_style() + sector_style()}};
}

result<named_access> read_asked(const asked& a) {
  auto q = read_question(a.flags, a.text, a.list_name());
  if (q && !a.title.empty()) q->title = a.title;
  return q;
}

// Returns the values of the page's sliders, and the source code of the layout.
// `has_array`: whether the question declares arrays, whose elements a swizzle would permute otherwise.
json layout_json(const advise::plain_layout& l, bool has_array) {
  const layout_words flags = words_of(l.change);
  const bool better = l.best.kind != advise::family::as_it_is;
  const layout_code code = better ? code_of(l.array, l.what, l.best) : layout_code{};
  return {{"before", l.before},
          {"wavefronts", l.best.wavefronts},
          {"floor", l.floor},
          {"tried", l.tried},
          {"bytes_more", l.best.bytes - l.what.bytes},
          {"applies", l.applies},
          {"pad", flags.pad},
          {"swizzle", flags.swizzle + (flags.swizzle.empty() || !has_array ? "" : ":bytes")},
          {"summary", code.summary},
          {"edit", code.edit.empty() ? code.cuda : code.edit},
          {"cute", code.cute}};
}

result<std::string> answer_global(std::uint32_t what, const asked& a) {
  auto q = read_global_question(a.flags, a.text, a.list_name());
  if (!q) return q.error();
  if (!a.title.empty()) q->title = a.title;
  const sector_report r = report_sectors(a.flags, a.text, a.list_name(), std::move(*q));
  switch (what) {
    case as_json: return to_json(r);
    case as_svg:
    case as_beside_svg: return to_svg(draw_sectors(r), r, svg_form::wide);
    case as_narrow_svg: return to_svg(draw_sectors(r), r, svg_form::narrow);
    case as_svg_file: return to_svg(draw_sectors(r), r, svg_form::file);
    case as_cpp: return to_cpp(r);
#if !defined(__wasm__)  // omitted from the page, because the code for texts would be a tenth of the WebAssembly module
    case as_text: return to_text(r, style{}, true);
#endif
    default: return diagnostic{"there is no answer of kind " + std::to_string(what) + " for global memory"};
  }
}

std::string answer(std::uint32_t what, std::string_view bytes, bool& failed) {
  if (what == vocabulary) return json_text(words());
  const auto wrong = [&](const diagnostic& d) {
    failed = true;
    return json_text(json_value(d));
  };
  const result<asked> a = read_input(bytes);
  if (!a) return wrong(a.error());
  if (what == as_command) return command_line(a->flags, a->text) + "\n";
  const auto memory = read_memory(a->flags);
  if (!memory) return wrong(memory.error());
  if (*memory == asked_memory::global) {
    const auto said = answer_global(what, *a);
    return said ? *said : wrong(said.error());
  }
  if (what == best_layout) {
    const auto found = advise::find_plain_layout(a->flags, a->text, a->list_name());
    return found ? json_text(layout_json(*found, a->flags.has("array"))) : wrong(found.error());
  }
  if (what == whole_tile) {
    const auto m = map_tile(a->flags, a->text, a->list_name());
    return m ? to_json(*m) : wrong(m.error());
  }
  const result<named_access> q = read_asked(*a);
  if (!q) return wrong(q.error());
  const access_report r = report_access(*q);
  if (what == as_card) {
    const auto c =
        read_card(a->flags, r, a->text, a->list_name(), a->link.empty() ? command_line(a->flags, a->text) : a->link);
    return c ? to_svg(*c, card_form::still) : wrong(c.error());
  }
  switch (what) {
    case as_json: return to_json(r);
    case as_svg: return to_svg(draw(r), r, svg_form::wide);
    case as_narrow_svg: return to_svg(draw(r), r, svg_form::narrow);
    case as_beside_svg: return to_svg(draw(r), r, svg_form::beside);
    case as_svg_file: return to_svg(draw(r), r, svg_form::file);
    case as_cpp: return to_cpp(r);
#if !defined(__wasm__)  // omitted from the page, because the code for texts would be a tenth of the WebAssembly module
    case as_text: return to_text(r, style{}, true);
#endif
    default: break;
  }
  return wrong({"there is no answer of kind " + std::to_string(what)});
}

}  // namespace
}  // namespace bankwise

BANKWISE_EXPORT(bw_input) char* bw_input(std::uint32_t size) {
  bankwise::input.resize(size < bankwise::most_input ? size : bankwise::most_input);
  return bankwise::input.data();
}

BANKWISE_EXPORT(bw_answer) std::int32_t bw_answer(std::uint32_t kind, std::uint32_t size) {
  bool failed = false;
  const std::string_view text = std::string_view(bankwise::input).substr(0, size);
  bankwise::output = bankwise::answer(kind, text, failed);
  const auto length = static_cast<std::int32_t>(bankwise::output.size());
  return failed ? -length : length;
}

BANKWISE_EXPORT(bw_output) const char* bw_output() { return bankwise::output.data(); }
