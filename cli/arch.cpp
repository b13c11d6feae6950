// bankwise arch: prints what is known about each GPU, with the evidence.
#include <algorithm>

#include "bankwise/ability.hpp"
#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/line/output.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "expr/names/machine_names.hpp"
#include "expr/published.hpp"
#include "gpu/probe/contribution.hpp"
#include "gpu/probe/timing/timing_contribution.hpp"
#include "report/table/text_table.hpp"

namespace bankwise::cli {

namespace {

constexpr std::string_view group_names[rule_groups] = {"loads up to 32 bits",
                                                       "loads of 64, 128",
                                                       "stores up to 32 bits",
                                                       "stores of 64, 128",
                                                       "ldmatrix",
                                                       "stmatrix",
                                                       "atomics",
                                                       "cp.async.ca",
                                                       "cp.async.cg"};
static_assert(!group_names[rule_groups - 1].empty());
constexpr std::string_view async_group_names[async_groups] = {"wgmma operands", "bulk copies, TMA", "mbarriers",
                                                              "cluster memory"};

std::string painted(evidence level, const style& s) {
  const std::string name = pad_right(name_of(level), 10);
  return level == evidence::measured  ? s.good(name)
         : level == evidence::assumed ? s.warn(name)
         : level == evidence::none    ? s.dim(name)
                                      : name;
}

std::string rule_line(std::string_view group, const rule_source& rule, const std::string& basis, const style& s) {
  return formatted("  {} {} {}\n", pad_right(group, 20), painted(rule.level, s), basis);
}

const char* order_text(load_order o) {
  switch (o) {
    case load_order::neighbours: break;
    case load_order::eights:
      return " (a load serves lanes 0-3 and 20-23 together, then 4-7 and 16-19, 8-11 and 28-31, 12-15 and 24-27)";
    case load_order::sixteens:
      return " (a load serves lanes 0-3, 12-15 and 20-27 together, then lanes 4-11, 16-19 and 28-31)";
  }
  return "";
}

std::string number(double value) {
  return value == static_cast<double>(static_cast<std::uint64_t>(value)) ? grouped(static_cast<std::uint64_t>(value))
                                                                         : fixed(value, 2);
}

// Returns a table of all published numbers for this architecture. The table shows each number next to the number that
// the rule computes.
std::string published_rows(const published_table& t, const std::string& arch, const style& s) {
  text_table table{{{"counted", "published", "the rule", "", "GPU", "access"}}, 1, 4};
  std::string notes;
  std::vector<std::size_t> sources;
  for (const published_access& p : t.rows) {
    if (p.arch != arch) continue;
    if (std::find(sources.begin(), sources.end(), p.source) == sources.end()) sources.push_back(p.source);
    const agreement a = p.holds();
    std::string access;
    for (const named_access& n : p.accesses)
      access += formatted("{}{} {}", access.empty() ? "" : "; ", n.op.spelling, n.title);
    if (lanes_used(p.accesses[0].what) != full_mask)
      access += formatted(" of lanes {}", lane_list(lanes_used(p.accesses[0].what)));
    table.rows.push_back({p.counted == published_quantity::wavefronts  ? "wavefronts"
                          : p.counted == published_quantity::conflicts ? "conflicts"
                          : p.counted == published_quantity::latency   ? "latency"
                                                                       : "milliseconds",
                          number(p.published), number(p.rule()),
                          a == agreement::equal      ? "equal"
                          : a == agreement::near     ? "near"
                          : a == agreement::in_order ? "in order"
                                                     : "differs",
                          p.gpu, access});
    if (a == agreement::differs) notes += formatted("  {}, {}: {}\n", number(p.published), access, p.note);
  }
  if (table.rows.empty()) return formatted("no published numbers are known for {}\n", arch);
  std::string text =
      formatted("{}: {}\n{}", s.strong(formatted("Published counts of {}", arch)), summary(t, arch), table.text(s));
  if (!notes.empty()) text += formatted("why these counts differ from the rule\n{}", notes);
  text += "from\n";
  for (const std::size_t i : sources)
    text += formatted("  {}{}\n{}", t.sources[i].title,
                      t.sources[i].date.empty() ? "" : formatted(", {}", t.sources[i].date),
                      t.sources[i].url.empty() ? "" : formatted("    {}\n", t.sources[i].url));
  return text;
}

std::string one(const machine& m, const published_table& published, const std::vector<probe::contribution>& contributed,
                const style& s) {
  std::string text = formatted("{} {}: {} banks, each {} bytes wide; a wavefront moves up to {} bytes per bank\n",
                               s.strong(m.name), m.family, m.model.banks, m.model.bank_bytes, m.model.row_bytes);
  const auto served = [&](u32 i) { return m.phase_lanes[i] != 0 ? m.phase_lanes[i] : m.model.phase_lanes[i]; };
  text += formatted(
      "  lanes that are served together (phase), for accesses of up to 4, 8 and 16 bytes per lane: {}, {}, {}{}{}\n",
      served(0), served(1), served(2), order_text(m.model.wide_loads),
      m.model.merges_loads ? "; in loads, two neighbouring phases may be served together"
                           : "; two phases are never served together");
  if (m.model.clocks_per_wavefront != 1)
    text += formatted("  a wavefront takes {} clocks\n", m.model.clocks_per_wavefront);
  for (u32 g = 0; g < rule_groups; ++g) {
    const rule_source& rule = m.rules->by_group[g];
    text += rule_line(group_names[g], rule, basis_of(published, m.name, static_cast<rule_group>(g), rule), s);
  }
  for (u32 g = 0; g < async_groups; ++g)
    if (const rule_source& rule = m.async_rules->by_group[g]; rule.source != std::string_view(no_instruction))
      text += rule_line(async_group_names[g], rule, rule.source, s);
  std::string has;
  for (const ability_row& row : ability_table)
    if (can(number_of(m.name.c_str()), row.what))
      has += (has.empty() ? "" : ", ") + std::string(row.name) + (row.accelerated ? formatted(" ({}a)", m.name) : "");
  if (!has.empty()) text += formatted("  {} {}\n", pad_right("has", 20), has);
  for (const probe::contribution& c : contributed) {
    if (c.arch != m.name) continue;
    if (c.parameters != 0) {
      text += formatted("  {} {}: {} parameters of the model of time (--gpu {})\n", pad_right("timed", 20), c.gpu,
                        c.parameters, c.file);
      continue;
    }
    text += formatted("  {} {}: the rule holds on {} of {} timed accesses", pad_right("probed", 20), c.gpu,
                      grouped(c.timed_holds), grouped(c.timed));
    if (c.counted != 0)
      text += formatted(", and on {} of {} counted accesses", grouped(c.counted_holds), grouped(c.counted));
    text += "\n";
  }
  if (const std::string rows = summary(published, m.name); !rows.empty())
    text += formatted("  {} {}\n", pad_right("published", 20), rows);
  return text;
}

}  // namespace

result<int> arch(const arguments& args) {
  const auto s = output_style(args);
  if (!s) return s.error();
  std::string text;
  if (args.positional.size() > 1) return diagnostic{"bankwise arch takes at most one architecture"};
  const auto published = published_table_of_this();
  if (!published) return published.error();
  const auto contributed = probe::contributions_of_this();
  if (!contributed) return contributed.error();
  const auto is_file = [&](const char* ending) {
    return !args.positional.empty() && args.positional[0].ends_with(ending);
  };
  if (args.has("contribution") && !is_file(".json") && !is_file(".csv"))
    return diagnostic{"--contribution needs a file from bankwise contribute or bankwise probe --contribute",
                      {},
                      "bankwise arch --contribution evidence.json"};
  if (args.has("published") && (args.positional.empty() || args.positional[0].ends_with(".json")))
    return diagnostic{"--published needs an architecture", {}, "bankwise arch --published sm_80"};
  if (args.positional.size() == 1) {
    if (args.has("contribution") && is_file(".csv")) {
      const auto file = read_file(args.positional[0]);
      if (!file) return file.error();
      const auto packed = probe::read_packed_parameters(*file, args.positional[0]);
      if (!packed) return packed.error();
      text = probe::to_csv({probe::contribution_of(*packed, args.positional[0])});
    } else if (is_file(".json")) {
      const auto file = read_file(args.positional[0]);
      if (!file) return file.error();
      const bool strange = args.has("contribution");
      const auto seen = strange ? probe::read_contribution(*file, args.positional[0])
                                : probe::read_evidence(*file, args.positional[0]);
      if (!seen) return seen.error();
      text = strange ? probe::to_csv({probe::contribution_of(*seen, args.positional[0])}) : probe::to_text(*seen, *s);
    } else {
      const auto m = find_machine(args.positional[0]);
      if (!m) return m.error();
      text = args.has("published") ? published_rows(*published, m->name, *s) : one(*m, *published, *contributed, *s);
    }
  } else {
    text = formatted(
        "{}\n", s->strong("name     family                banks  KiB/SM  loads <=32 bits  wide loads  wide stores"));
    const auto row = [&](const bankwise::arch& a) {
      const auto level = [&](rule_group g) { return a.rules->by_group[static_cast<u32>(g)].level; };
      text += formatted("{} {} {}  {}  {}       {}  {}\n", pad_right(a.name, 8), pad_right(a.family, 21),
                        pad_right(formatted("{}x{}", a.model.banks, a.model.bank_bytes), 5),
                        pad_left(std::to_string(a.shared_kib_per_sm), 6), painted(level(rule_group::narrow_load), *s),
                        painted(level(rule_group::wide_load), *s), trim(painted(level(rule_group::wide_store), *s)));
    };
    for (const bankwise::arch& a : archs) row(a);
    for (const bankwise::arch& a : other_archs) row(a);
    text +=
        "\n"
        "bankwise arch NAME shows where each rule comes from. NxM (10x4) means a machine with N banks of M "
        "bytes.\n";
  }
  const auto written = write_plain("", text, *s);
  if (!written) return written.error();
  return exit_clean;
}

}  // namespace bankwise::cli
