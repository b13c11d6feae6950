// Compares the formulas of other tools with counts that were measured on an H200. If a tool can be called, its answers
// are also compared.
//
//     build/release/bench/peers                          prints the tables of docs/peers.md; README.md has some rows
//     build/release/bench/peers --check README.md ...    fails if a row is different or missing in one of the files
//
// The compared accesses are the rows of data/sm_90/wavefronts.csv and sparse.csv whose rule is known. Clocks come from
// cycles.csv.zst. A prediction counts as equal to the measured clocks if they differ by at most 0.45 clocks or 12 %,
// whichever is larger. The tables also show how long each formula takes, relative to bankwise's rule on the same
// machine. These times are not checked.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "expr/pattern_table.hpp"
#include "support/files.hpp"
#include "support/peer_formulas.hpp"

namespace bankwise::test {
namespace {

struct row {
  access what{};
  std::string group;
  double measured = 0;  // measured wavefronts or clocks
};

// A row of the table by operation. `family` is the column of the table by family that includes this row's accesses.
struct group {
  const char* name;
  const char* family;
};
constexpr group groups[] = {
    {"ld, 8 to 32 bits", "loads"},
    {"ld.b64", "loads"},
    {"ld.b128", "loads"},
    {"ld.b64, few lanes", "loads"},
    {"ld.b128, few lanes", "loads"},
    {"st, 8 to 32 bits", "stores"},
    {"st.b64", "stores"},
    {"st.b128", "stores"},
    {"ldmatrix", "matrices"},
    {"stmatrix", "matrices"},
    {"atom, red", "atomics"},
    {"atom.cas", "atomics"},
    {"cp.async.ca", "cp.async"},
};
constexpr const char* families[] = {"loads", "stores", "matrices", "atomics", "cp.async"};

std::string group_of(operation op, bool few_lanes) {
  const std::string bits = op.width_bytes <= 4 ? ", 8 to 32 bits" : ".b" + std::to_string(op.width_bytes * 8);
  switch (op.kind) {
    case op_kind::load: return "ld" + bits + (few_lanes ? ", few lanes" : "");
    case op_kind::store: return "st" + bits;
    case op_kind::ldmatrix: return "ldmatrix";
    case op_kind::stmatrix: return "stmatrix";
    case op_kind::compare_and_swap: return "atom.cas";
    case op_kind::copy_async: return "cp.async.ca";
    case op_kind::copy_async_cg: return "cp.async.cg";
    default: return "atom, red";
  }
}

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "peers: %s\n", message.c_str());
  std::exit(2);
}

std::vector<row> read_rows(const std::string& text, const std::string& name, std::string_view measured) {
  auto table = pattern_table::open(text, name);
  if (!table) fail(to_text(table.error()));
  std::vector<row> rows;
  for (;;) {
    auto next = table->next();
    if (!next) fail(to_text(next.error()));
    if (!*next) return rows;
    const pattern& p = **next;
    // Copies that bypass L1, and copies whose sources are not contiguous, are not compared. These rows were measured
    // with empty caches.
    if (p.what.op.kind == op_kind::copy_async_cg ||
        (p.what.op.kind == op_kind::copy_async && p.from.address[1] != p.what.op.width_bytes))
      continue;
    rows.push_back({p.what, group_of(p.op.op, name == "sparse.csv"), std::stod(std::string(*table->field(measured)))});
  }
}

std::vector<row> counted_rows() {
  std::vector<row> rows;
  for (const std::string name : {"wavefronts.csv", "sparse.csv"}) {
    const auto more = read_rows(read_text(source_path("data/sm_90/" + name)), name, "wavefronts");
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

struct share {
  std::uint64_t equal = 0, of = 0;

  void add(bool right) {
    equal += right;
    ++of;
  }
  share& operator+=(const share& s) {
    equal += s.equal;
    of += s.of;
    return *this;
  }
};
// Rounds so that "100 %" only appears if all rows agree.
std::string percent(const share& s) {
  if (s.equal == s.of) return "100 %";
  return fixed(std::min(99.9, 100.0 * static_cast<double>(s.equal) / static_cast<double>(s.of)), 1) + " %";
}
std::string count(const share& s) { return grouped(s.equal) + " of " + grouped(s.of); }

using shares = std::map<std::string, share>;

shares score(const std::vector<row>& rows, const peer_formula& f) {
  shares by_group;
  for (const row& r : rows) by_group[r.group].add(f.wavefronts(r.what) == r.measured);
  return by_group;
}

// Compares the measured clocks with a formula's wavefronts, because the formulas do not predict clocks. The rule
// predicts clocks, so its clocks are compared.
share score_clocks(const std::vector<row>& rows, const peer_formula& f, bool is_the_rule) {
  share all;
  for (const row& r : rows) {
    const double ours = is_the_rule ? analyze(r.what).cycles : f.wavefronts(r.what);
    all.add(std::fabs(r.measured - ours) <= std::max(0.45, 0.12 * ours));
  }
  return all;
}

double nanoseconds(const std::vector<row>& rows, const peer_formula& f) {
  using clock = std::chrono::steady_clock;
  double best = 1e30;
  u32 sink = 0;
  for (int round = 0; round < 9; ++round) {
    const auto begin = clock::now();
    for (const row& r : rows) sink += f.wavefronts(r.what);
    best = std::min(best, std::chrono::duration<double, std::nano>(clock::now() - begin).count());
  }
  if (sink == 0) fail("a formula gives zero wavefronts for all rows");
  return best / static_cast<double>(rows.size());
}

// A line of a table. Numbers that depend on the machine are in the last cell.
struct line {
  std::string cells;
  std::string time;

  std::string text() const { return cells + (time.empty() ? "" : " " + time + " |"); }
};

std::string cells(const std::vector<std::string>& all) {
  std::string s = "|";
  for (const std::string& c : all) s += " " + c + " |";
  return s;
}

std::string ratio(double times) { return fixed(times, times < 10 ? 1 : 0) + " x"; }

std::vector<line> family_table(const std::vector<row>& counted, const std::vector<row>& clocked) {
  std::vector<line> table;
  double rule_time = 0;
  for (const peer_formula& f : peer_formulas()) {
    const bool is_the_rule = &f == peer_formulas().data();
    const shares by_group = score(counted, f);
    std::vector<std::string> c{std::string(f.used_by) + ": " + f.name};
    share all;
    for (const char* family : families) {
      share of_family;
      for (const group& g : groups)
        if (std::strcmp(g.family, family) == 0) of_family += by_group.at(g.name);
      all += of_family;
      c.push_back(percent(of_family));
    }
    c.push_back(count(all));
    c.push_back(percent(score_clocks(clocked, f, is_the_rule)));
    const double time = nanoseconds(counted, f);
    if (is_the_rule) rule_time = time;
    table.push_back({cells(c), ratio(time / rule_time)});
  }
  return table;
}

std::vector<line> group_table(const std::vector<row>& counted) {
  std::vector<shares> all;
  std::vector<std::string> head{"operation", "rows"};
  for (const peer_formula& f : peer_formulas()) {
    all.push_back(score(counted, f));
    head.push_back(f.name);
  }
  std::vector<line> table{{cells(head), {}}};
  for (const group& g : groups) {
    std::vector<std::string> c{g.name, grouped(all.front().at(g.name).of)};
    for (const shares& s : all) c.push_back(grouped(s.at(g.name).equal));
    table.push_back({cells(c), {}});
  }
  return table;
}

// Makes the table of peers whose own functions were called (data/peers).
std::vector<line> peer_table(const std::vector<row>& counted) {
  const std::string answers = read_zstd(source_path("data/peers/answers.csv.zst"));
  const std::string list = read_text(source_path("data/peers/peers.csv"));
  csv_reader answer_rows(answers, "answers.csv"), peer_rows(list, "peers.csv");
  std::vector<std::vector<std::string>> peers;
  for (auto r = peer_rows.next(); r && *r; r = peer_rows.next()) {
    peers.emplace_back();
    for (const csv_field& f : **r) peers.back().emplace_back(f.text);
    if (peers.back().size() != 5) fail("peers.csv: each row must have five fields");
  }
  auto next = answer_rows.next();  // the header
  if (!next || !*next || peers.size() != (*next)->size() + 1) fail("peers.csv and answers.csv name different peers");
  std::vector<share> right((*next)->size()), same(right.size());
  const auto formula_of = [&](std::size_t peer) -> const peer_formula& {
    for (const peer_formula& f : peer_formulas())
      if (peers[peer + 1][3] == f.name) return f;
    fail("peers.csv: no formula is called '" + peers[peer + 1][3] + "'");
  };
  for (const row& r : counted) {
    // The table of answers has a line for every row. If no peer could answer a row, the fields of its line are empty.
    next = answer_rows.next();
    if (!next || !*next || (*next)->size() != right.size()) fail("answers.csv does not have a line for every row");
    for (std::size_t peer = 0; peer < right.size(); ++peer) {
      const auto answer = parse_u64((**next)[peer].text);
      if (!answer) continue;
      right[peer].add(static_cast<double>(*answer) == r.measured);
      same[peer].add(*answer == formula_of(peer).wavefronts(r.what));
    }
  }
  std::vector<line> table;
  for (std::size_t peer = 0; peer < right.size(); ++peer) {
    const auto& p = peers[peer + 1];
    table.push_back({cells({p[0] + ", " + p[1], p[2], count(right[peer]), count(same[peer]) + " (*" + p[3] + "*)"}),
                     ratio(std::stod(p[4]))});
  }
  return table;
}

int run(const std::vector<std::string>& files) {
  const auto counted = counted_rows();
  const auto clocked = read_rows(read_zstd(source_path("data/sm_90/cycles.csv.zst")), "cycles.csv", "cycles");
  const std::vector<std::vector<line>> tables{family_table(counted, clocked), peer_table(counted),
                                              group_table(counted)};
  if (files.empty()) {
    for (const auto& table : tables) {
      for (const line& l : table) std::printf("%s\n", l.text().c_str());
      std::printf("\n");
    }
    std::printf("the rule: %s ns per access\n", fixed(nanoseconds(counted, peer_formulas().front()), 1).c_str());
    return 0;
  }
  std::string text;
  for (const std::string& file : files) text += "\n" + read_text(file);
  int wrong = 0;
  for (const auto& table : tables)
    for (const line& l : table) {
      if (text.find("\n" + l.cells) == std::string::npos) {
        std::printf("not in these files: %s\n", l.text().c_str());
        ++wrong;
      }
      // Another file may have the same row with fewer columns. The cells of these columns must be equal. The only
      // exception is the last cell, which is a time.
      const std::string name = "\n" + l.cells.substr(0, l.cells.find(" |", 2) + 2);
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        std::string row = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        if (row.starts_with(l.cells)) continue;
        for (std::size_t end = row.find(" |", 2), next = 0; (next = row.find(" |", end + 2)) != std::string::npos;
             end = next) {
          const bool is_time = next + 2 == row.size();
          if (is_time || l.cells.find(row.substr(end + 1, next + 1 - end)) != std::string::npos) continue;
          std::printf("should be a part of %s: %s\n", l.cells.c_str(), row.c_str());
          ++wrong;
          break;
        }
      }
    }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bankwise::test

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  if (!files.empty() && (files.front() != "--check" || files.size() == 1)) {
    std::fprintf(stderr, "usage: peers [--check FILE...]\n");
    return 2;
  }
  if (!files.empty()) files.erase(files.begin());
  return bankwise::test::run(files);
}
