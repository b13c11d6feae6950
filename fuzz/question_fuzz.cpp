// Fuzzes questions in the form that the page sends. Each line has a flag and its value. Then the expression or the list
// of addresses follows. For a valid question, the picture must show the rule's wavefronts. The pictures of the best
// layout (given as flags) and of the whole array must also show the rule's wavefronts.
#include "advise/plain_layout.hpp"
#include "expr/question.hpp"
#include "expr/question_words.hpp"

#include "report/forms/access_code.hpp"
#include "report/picture/card.hpp"
#include "report/picture/picture.hpp"
#include "report/picture/tile_map.hpp"
#include "report/sectors/sector_picture.hpp"
#include "report/text/layout_code.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  flag_values flags;
  std::string_view rest = fuzz::text_of(data, size);
  for (std::size_t lines = 0; lines < 16; ++lines) {
    const std::size_t end = rest.find('\n'), blank = rest.find(' ');
    if (end == std::string_view::npos || blank == std::string_view::npos || blank > end) break;
    flags.values[std::string(rest.substr(0, blank))].emplace_back(rest.substr(blank + 1, end - blank - 1));
    rest.remove_prefix(end + 1);
  }
  const std::string text(rest);
  command_line(flags, text);
  for (const auto& q : {read_question(flags, text), read_question(flags, text, "the list")}) {
    if (!succeeded(q)) continue;
    const access_report r = report_access(*q);
    const picture p = draw(r);
    BANKWISE_REQUIRE(p.waves.size() == r.why.total.wavefronts);
    BANKWISE_REQUIRE(first_misaligned_lane(r.what) == lanes_per_warp);
    for (const svg_form form : {svg_form::narrow, svg_form::file}) {
      const std::string svg = to_svg(p, r, form);
      BANKWISE_REQUIRE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") &&
                       svg.find("<script") == std::string::npos);
    }
    BANKWISE_REQUIRE(!to_text(r, style{}, true).empty() && !to_cpp(r).empty());
  }
  for (const std::string list : {"", "the list"}) {
    succeeded(read_memory(flags));
    auto q = read_global_question(flags, text, list);
    if (!succeeded(q)) continue;
    const sector_report r = report_sectors(flags, text, list, std::move(*q));
    BANKWISE_REQUIRE(r.why.sectors == r.why.total.sectors && r.why.lines == r.why.total.tag_requests);
    for (const svg_form form : {svg_form::narrow, svg_form::file}) {
      const std::string svg = to_svg(draw_sectors(r), r, form);
      BANKWISE_REQUIRE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") &&
                       svg.find("<script") == std::string::npos);
    }
    for (const advise::global_remedy& m : r.remedies)
      BANKWISE_REQUIRE(m.after.sectors < m.before.sectors || m.after.requests < m.before.requests);
    BANKWISE_REQUIRE(!to_text(r, style{}, true).empty() && !to_cpp(r).empty() && to_json(r).starts_with("{"));
  }
  for (const std::string list : {"", "the list"}) {
    const auto tile = map_tile(flags, text, list);
    if (succeeded(tile)) {
      BANKWISE_REQUIRE(tile->bank.size() == tile->lanes.size() && tile->bank.size() <= most_tile_elements);
      BANKWISE_REQUIRE(to_json(*tile).starts_with("{"));
    }
    const auto best = advise::find_plain_layout(flags, text, list);
    if (!succeeded(best)) continue;
    BANKWISE_REQUIRE(best->best.wavefronts <= best->before);
    if (best->best.kind != advise::family::as_it_is)
      BANKWISE_REQUIRE(!code_of(best->array, best->what, best->best).cuda.empty());
    if (!best->applies) continue;
    flag_values with = without_change(flags);
    const layout_words words = words_of(best->change);
    if (!words.pad.empty()) with.values["pad"] = {words.pad};
    // The change moves addresses. Without the unit, the swizzle would permute the elements of a declared array.
    if (!words.swizzle.empty()) with.values["swizzle"] = {words.swizzle + ":bytes"};
    auto q = read_question(with, text, list);
    BANKWISE_REQUIRE(succeeded(q));
    const access_report r = report_access(std::move(*q));
    BANKWISE_REQUIRE(r.why.total.wavefronts == best->best.wavefronts);
    const auto c = read_card(with, r, text, list, "bankwise explain");
    BANKWISE_REQUIRE(succeeded(c) && to_svg(*c, card_form::loop).ends_with("</svg>\n"));
  }
  return 0;
}
