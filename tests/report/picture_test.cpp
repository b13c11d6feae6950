// Tests that pictures agree with the rule. A picture has as many rows as wavefronts. Every lane gets all its words, and
// no bank serves two rows in one wavefront. Uses random accesses on every machine. Also tests that the SVG is valid.
#include "report/picture/picture.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "expr/question.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

access_report ask(flag_values flags, const std::string& text) {
  const auto q = read_question(flags, text);
  EXPECT_TRUE(q) << (q ? "" : to_text(q.error()));
  return report_access(q ? *q : named_access{});
}

std::vector<machine> machines() {
  std::vector<machine> list;
  for (const arch& a : archs) list.push_back(*parse_machine(a.name));
  for (const char* name : {"10x4", "7x16", "128x1", "1x4", "32x8", "32x4:32,16,8", "10x4:2,2,2", "cdna3", "rdna3"})
    list.push_back(*parse_machine(name));
  return list;
}

std::vector<operation> operations() {
  std::vector<operation> list;
  for (const u32 width : {1, 2, 4, 8, 16}) list.insert(list.end(), {ld(width), st(width)});
  for (const u32 count : {1, 2, 4}) list.insert(list.end(), {ldmatrix(count), stmatrix(count)});
  for (const u32 width : {4, 8}) list.insert(list.end(), {atom(width), red(width), cas(width), cas_spin(width)});
  for (const u32 width : {4, 8, 16}) list.push_back(cp_async(width));
  list.push_back(popc_inc());
  list.push_back(cp_async_cg());
  return list;
}

access random_access(operation op, std::mt19937& engine) {
  const auto random = [&] { return static_cast<u32>(engine()); };
  access a{op, full_mask, {}};
  const u32 spread = 1u << random() % 8, step = 1 + random() % 40, shape = random() % 3;
  if (random() % 2 == 0) a.mask = random();
  for (u32 lane = 0; lane < 32; ++lane)
    a.address[lane] = op.width_bytes * (shape == 0   ? random() % (spread * 8)
                                        : shape == 1 ? lane * step
                                                     : lane / spread * step);
  return a;
}

TEST(picture, has_a_row_for_every_wavefront_and_serves_every_lane) {
  std::mt19937 random(1);
  std::size_t drawn = 0;
  for (const machine& on : machines())
    for (const operation op : operations()) {
      if (unsupported(on, op)) continue;
      for (int n = 0; n < 40; ++n) {
        const access_report r = report_access({"", {op, spell(op), true}, on, random_access(op, random), {}});
        const picture p = draw(r);
        const std::string what = on.name + " " + spell(op) + " " + std::to_string(n);
        ASSERT_EQ(p.waves.size(), r.why.total.wavefronts) << what;

        // A lane's words are the words that contain its bytes.
        std::set<std::pair<u32, u32>> wanted, served;
        const u32 lanes = lanes_served(r.what, on.model);
        for (u32 lane = 0; lane < 32; ++lane)
          if ((lanes >> lane & 1) != 0)
            for (u32 byte = 0; byte < op.width_bytes; ++byte)
              wanted.insert({lane, (r.what.address[lane] + byte) / on.model.bank_bytes});
        for (const picture_row& row : p.rows)
          for (const picture_word& w : row.words) {
            ASSERT_FALSE(w.waves.empty()) << what;
            for (const u32 wave : w.waves) ASSERT_LT(wave, p.waves.size()) << what;
            for (u32 lane = 0; lane < 32; ++lane)
              if ((w.lanes >> lane & 1) != 0) served.insert({lane, w.word});
          }
        ASSERT_EQ(served, wanted) << what;

        // In a wavefront, a bank serves one row of words. The picture of a 128-bit access on Fermi cannot guarantee
        // this, because Fermi's quarters run in parallel.
        const u32 words_a_row = on.model.row_bytes / on.model.bank_bytes;
        for (const picture_wave& wave : p.waves) {
          u32 last = 0;
          for (const picture_cell& c : wave.cells) {
            ASSERT_TRUE(&c == &wave.cells.front() || c.bank > last) << what;
            last = c.bank;
            ASSERT_TRUE(p.overlapping || c.words <= words_a_row) << what;
          }
        }
        ++drawn;
      }
    }
  EXPECT_GT(drawn, 10'000u);
}

TEST(picture, marks_as_many_excess_wavefronts_as_are_removable) {
  std::mt19937 random(2);
  for (int n = 0; n < 2000; ++n) {
    const operation op = operations()[random() % operations().size()];
    const access_report r =
        report_access({"", {op, spell(op), true}, *parse_machine("sm_90"), random_access(op, random), {}});
    std::size_t excess_waves = 0;
    for (const picture_wave& w : draw(r).waves) excess_waves += w.excess;
    ASSERT_EQ(excess_waves, r.why.total.wavefronts - r.why.total.reachable) << spell(op);
  }
}

TEST(picture, of_a_padded_column_is_one_full_row) {
  const picture p = draw(ask({{{"array", {"float tile[32][33]"}}}}, "tile[t][0]"));
  ASSERT_EQ(p.waves.size(), 1u);
  ASSERT_EQ(p.waves[0].cells.size(), 32u);
  for (u32 bank = 0; bank < 32; ++bank) EXPECT_EQ(p.waves[0].cells[bank].lanes, 1u << bank);  // lane t accesses bank t
  EXPECT_EQ(p.rows.size(), 32u);
}

TEST(picture, joins_the_two_words_of_a_kepler_row) {
  const picture p = draw(ask({{{"arch", {"sm_35"}}, {"type", {"float"}}}}, "t * 2"));
  ASSERT_EQ(p.waves.size(), 1u);
  EXPECT_EQ(p.waves[0].cells[0].words, 2u);
  EXPECT_EQ(p.waves[0].cells[0].lanes, 0x10001u);
}

TEST(picture, writes_svg_that_is_well_formed_and_fits_a_phone) {
  for (const char* arch : {"sm_90", "sm_13", "sm_35.8", "10x4", "128x4"})
    for (const char* text : {"t * 2 % 64", "t / 4 * 32"}) {
      const access_report r = ask({{{"arch", {arch}}, {"type", {"double"}}}}, text);
      for (const svg_form form : {svg_form::wide, svg_form::narrow, svg_form::beside, svg_form::file}) {
        const std::string svg = to_svg(draw(r), r, form);
        // Counts the opened and the closed elements by name. The numbers must be equal.
        std::size_t open = 0, closed = 0;
        for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos; ++at) {
          const std::size_t end = svg.find('>', at);
          ASSERT_NE(end, std::string::npos);
          if (svg[at + 1] == '/')
            ++closed;
          else if (svg[end - 1] != '/')
            ++open;
        }
        EXPECT_EQ(open, closed);
        EXPECT_EQ(form == svg_form::file, svg.find("<style>") != std::string::npos);
        const bool fits = svg.find("viewBox=\"0 0 360 ") != std::string::npos;
        EXPECT_EQ(fits, form == svg_form::narrow && r.on.model.banks <= 32) << arch;
      }
    }
}

TEST(picture, puts_words_beside_wavefronts_of_up_to_32_banks) {
  const access_report r = ask({{{"type", {"float"}}}}, "t * 32");
  const std::string below = to_svg(draw(r), r, svg_form::wide), beside = to_svg(draw(r), r, svg_form::beside);
  const auto height = [](const std::string& svg) {
    const std::size_t at = svg.find(" height=\"") + 9;
    return std::stoi(svg.substr(at));
  };
  EXPECT_LT(height(beside), 500) << "the picture shows 32 wavefronts and 32 rows of words next to each other";
  EXPECT_GT(height(below), 2 * height(beside));
  const access_report wider = ask({{{"arch", {"128x4"}}, {"type", {"float"}}}}, "t * 32");
  EXPECT_EQ(to_svg(draw(wider), wider, svg_form::beside), to_svg(draw(wider), wider, svg_form::wide));
}

TEST(picture, escapes_what_was_asked) {
  const access_report r = ask({{{"let", {"n=3"}}}}, "t < n && t > 0 ? 4 : 0");
  const std::string svg = to_svg(draw(r), r, svg_form::file);
  EXPECT_NE(svg.find("t &lt; n &amp;&amp; t &gt; 0 ? 4 : 0"), std::string::npos);
  EXPECT_EQ(svg.find("t < n"), std::string::npos);
}

}  // namespace
}  // namespace bankwise
