// Delays from paths that few lanes of a warp take. The replay gives the lanes of several warps to one warp: some warps
// execute a whole path, and the others none of it.
//
//     if (mask[i])                     4 of 32 lanes on average: one in eight warps executes all rounds of the loop
//       for (k = 0; k < 128; ++k) ...
//     for (k = 0; k < steps[i]; ++k)   the lanes leave the loop one by one: each warp executes a part of the rounds
//     if (threadIdx.x == 0)            one lane works for the block: the lanes of its warp divide the rounds, and combine
//       for (k = 0; k < 256; ++k) ...  what they have found
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/joined_sets.hpp"
#include "profile/delays/traced_launch.hpp"
#include "sass/operand/branch.hpp"

namespace bankwise {

namespace {

using op = sass::opcode;
using executions = traced_launch::executions;

constexpr std::uint64_t few = 24;  // active lanes

// How often instructions were reached, and by how many lanes. An indirect branch, as of a switch, is issued again for
// each of its targets, but warps reach it once.
std::vector<executions> first_turns(const traced_launch& l) {
  std::vector<executions> all = l.executed;
  const auto is_indirect = [&](std::uint32_t i) { return l.opcode_at(i) == op::BRX; };
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (is_indirect(i)) all[i] = {};
  for (const timing::traced_block& b : l.trace.blocks)
    for (const timing::traced_warp& w : b.warps)
      for (std::size_t n = 0; n < w.runs.size(); ++n) {
        const timing::traced_run& r = w.runs[n];
        const std::uint32_t last = r.code + r.count - 1;
        if (!is_indirect(last)) continue;
        if (r.count == 1 && n != 0 && w.runs[n - 1].code + w.runs[n - 1].count != r.code) continue;
        ++all[last].times;
        all[last].lanes += r.lanes;
      }
  return all;
}

// Returns the conditional branch before an instruction that more lanes reached, or the instruction itself.
std::uint32_t branch_before(const traced_launch& l, const std::vector<executions>& reached, std::uint32_t at) {
  constexpr std::uint32_t farthest = 2048;  // instructions; the cases of a switch can be long
  const std::uint32_t end = std::max(l.section_begin(at), at > farthest ? at - farthest : 0);
  for (std::uint32_t i = at + 1; i-- > end;) {
    const auto& e = reached[i];
    if (e.times == 0 || e.lanes <= few * e.times) continue;
    const sass::flow flow = l.traits_at(i).flow;
    if (flow == sass::flow::anywhere || (flow == sass::flow::ends && l.code[i].guard() != sass::predicate_true))
      return i;
  }
  return at;
}

// The instructions that compute the condition of a branch, without the last comparison. Nothing if the condition depends
// on data: then each lane has to find out whether it takes the path. Otherwise, threads with consecutive numbers can
// take it, and know this by one comparison.
std::optional<std::vector<std::uint32_t>> condition_of(const traced_launch& l, std::uint32_t branch) {
  const std::uint32_t begin = l.section_begin(branch);
  auto [first, last] = l.loop_around(branch);
  const bool is_in_loop = first <= last;
  if (!is_in_loop) first = begin, last = branch;
  sass::register_set wanted;
  wanted.predicates = l.registers_of(branch).reads.predicates;
  if (wanted.predicates.none()) return std::nullopt;
  std::vector<std::uint32_t> found;  // from the last to the first
  bool depends = false;
  const auto follow = [&](std::uint32_t i, bool collects) {
    const sass::reads_and_writes& io = l.registers_of(i);
    if (depends || !l.is_executed(i) || !sass::overlap(io.writes, wanted)) return;
    depends = l.reads_memory(i) || l.traits_at(i).calls_or_returns;
    if (collects && std::find(found.begin(), found.end(), i) == found.end()) found.push_back(i);
    if (l.code[i].guard() == sass::predicate_true) sass::remove(wanted, io.writes);
    sass::join(wanted, io.reads);
  };
  for (std::uint32_t i = branch; i-- > first;) follow(i, true);
  for (std::uint32_t i = last + 1; i-- > branch + 1;) follow(i, false);
  for (std::uint32_t i = first; i-- > begin;) follow(i, false);
  if (depends || found.empty()) return std::nullopt;
  // Other instructions may also read the values.
  std::vector<std::uint32_t> only;
  const auto is_read_elsewhere = [&](std::uint32_t of) {
    sass::register_set open = l.registers_of(of).writes;
    const auto look = [&](std::uint32_t i) {
      const sass::reads_and_writes& io = l.registers_of(i);
      if (!l.is_executed(i)) return false;
      const bool is_known = i == branch || i == found[0] || std::find(only.begin(), only.end(), i) != only.end();
      if (!is_known && sass::overlap(io.reads, open)) return true;
      if (l.code[i].guard() == sass::predicate_true) sass::remove(open, io.writes);
      return false;
    };
    const std::uint32_t end = is_in_loop ? last + 1 : static_cast<std::uint32_t>(l.code.size());
    for (std::uint32_t i = of + 1; i < end; ++i)
      if (look(i)) return true;
    for (std::uint32_t i = first; is_in_loop && i < of; ++i)
      if (look(i)) return true;
    return false;
  };
  for (const std::uint32_t i : found)
    if (i != found[0] && !is_read_elsewhere(i)) only.push_back(i);
  return only;
}

// Whether values that a loop loads decide when its lanes leave it at its end. Follows the condition of the last jump
// backwards, for several rounds.
bool loads_decide(const traced_launch& l, const std::pair<std::uint32_t, std::uint32_t>& loop) {
  constexpr unsigned rounds = 3;  // values pass through at most a few registers from round to round
  sass::register_set wanted;
  wanted.predicates = l.registers_of(loop.second).reads.predicates;
  for (unsigned n = 0; n < rounds; ++n)
    if (l.come_from_memory(wanted, loop.first, loop.second)) return true;
  return false;
}

// Instructions between which a warp can go without meeting other lanes.
struct lane_path {
  std::vector<std::uint32_t> codes;
  std::uint64_t times = 0, lanes = 0;

  std::uint64_t idle() const { return times * warp_lanes - lanes; }
};

class path_finder {
 public:
  explicit path_finder(const traced_launch& l) : reached(first_turns(l)), l_(l), sets_(l.code.size()) {
    for (const timing::traced_section& s : l.trace.sections)
      for (std::uint32_t i = s.first; i < s.first + s.count; ++i) join_next(i, s);
  }
  // One lane often updates memory for its warp or block. Full warps would not make fewer updates.
  bool has_few_lanes(std::uint32_t i) const {
    return l_.is_executed(i) && l_.traits_at(i).action != sass::action::update &&
           reached[i].lanes <= few * l_.executed[i].times;
  }
  std::vector<lane_path> paths() {
    std::map<std::size_t, lane_path> all;
    for (std::uint32_t i = 0; i < l_.code.size(); ++i) {
      if (!has_few_lanes(i)) continue;
      lane_path& p = all[sets_.root(i)];
      p.codes.push_back(i);
      p.times += l_.executed[i].times;
      p.lanes += reached[i].lanes;
    }
    std::vector<lane_path> list;
    for (auto& [root, p] : all) list.push_back(std::move(p));
    return list;
  }

  const std::vector<executions> reached;

 private:
  // Where lanes of different paths meet, each path executes the instruction, and all together the next one.
  bool is_inside(std::uint32_t i) const {
    if (!has_few_lanes(i)) return false;
    return l_.traits_at(i).flow != sass::flow::meets ||
           (i + 1 < l_.code.size() && l_.executed[i].times == l_.executed[i + 1].times);
  }
  void join_next(std::uint32_t i, const timing::traced_section& s) {
    if (!is_inside(i)) return;
    const sass::flow flow = l_.traits_at(i).flow;
    const bool always =
        l_.registers_of(i).reads.predicates.none() && l_.registers_of(i).reads.uniform_predicates.none();
    if (flow == sass::flow::next || flow == sass::flow::meets || (flow == sass::flow::ends && !always))
      if (i + 1 < s.first + s.count) join(i, i + 1);
    if (flow != sass::flow::ends || !l_.traits_at(i).names_place) return;
    const std::uint64_t at = std::uint64_t{i - s.first} * sass::instruction_bytes;
    const std::uint64_t target = sass::branch_target(l_.code[i], at) / sass::instruction_bytes;
    if (target < s.count) join(i, s.first + static_cast<std::uint32_t>(target));
  }
  void join(std::uint32_t a, std::uint32_t b) {
    if (is_inside(b)) sets_.join(a, b);
  }

  const traced_launch& l_;
  joined_sets sets_;
};

// Returns the outermost loop whose rounds decide whether a warp takes the path of an instruction: few lanes enter all
// loops inside of it. The range is empty (first > last) if a warp decides once.
std::pair<std::uint32_t, std::uint32_t> deciding_loop(const traced_launch& l, const path_finder& of, std::uint32_t i) {
  auto in = l.loop_around(i);
  while (in.first <= in.second && in.first != l.section_begin(in.first) && of.has_few_lanes(in.first - 1))
    in = l.loop_around(in.first - 1);
  return in;
}

// Returns how many lanes of each traced block execute an instruction, without the blocks that do not.
std::vector<std::uint64_t> lanes_of_blocks(const timing::launch_trace& t, std::uint32_t code) {
  std::vector<std::uint64_t> list;
  for (const timing::traced_block& b : t.blocks) {
    std::uint64_t lanes = 0;
    for (const timing::traced_warp& w : b.warps)
      for (const timing::traced_run& r : w.runs)
        if (code >= r.code && code < r.code + r.count) lanes += r.lanes;
    if (lanes != 0) list.push_back(lanes);
  }
  return list;
}

// By how much more warps execute a path than its lanes would fill, because the last warp of each block is not full.
double rounded_up(const traced_launch& l, const lane_path& p) {
  std::uint64_t lanes = 0, warps = 0;
  if (l.executed[p.codes[0]].times > l.warps) return 1;
  for (const std::uint64_t n : lanes_of_blocks(l.trace, p.codes[0])) {
    lanes += n;
    warps += (n + warp_lanes - 1) / warp_lanes;
  }
  return lanes == 0 ? 1 : static_cast<double>(warps * warp_lanes) / static_cast<double>(lanes);
}

// Adds the changes of full warps on a path.
class full_warps {
 public:
  full_warps(const traced_launch& l, const path_finder& f, const std::vector<lane_path>& paths) : l_(l), finder_(f) {
    for (const lane_path& p : paths) ++paths_of_[branch_before(l, f.reached, p.codes[0])];
  }

  void add(const lane_path& p) {
    const std::uint32_t branch = branch_before(l_, finder_.reached, p.codes[0]);
    const auto condition = condition_of(l_, branch);
    const bool is_divided = condition && p.lanes <= one_lane * p.times;
    const double more = is_divided ? 1 : rounded_up(l_, p);
    for (const std::uint32_t i : p.codes) change(i, more, is_divided);
    for (const std::uint32_t i : condition ? *condition : std::vector<std::uint32_t>()) changes_[i].executed = 0;
    if (is_divided) changes_[p.codes[0]].added = combining;
    // If all lanes have work, a host can sort it. If not, the block collects the lanes that do. If only the loop itself
    // finds out how many rounds a lane needs, as in a search, lanes without work look for more of it each time.
    const bool collects = !condition && paths_of_[branch] == 1 && changes_[p.codes[0]].rounds_of != 0;
    if (collects || is_search_of_lanes(p)) changes_[branch].added = collecting;
    shift_ += static_cast<double>(p.lanes) / static_cast<double>(p.times * warp_lanes);
    shift_ -= std::floor(shift_);
  }
  change_list list() const {
    change_list all;
    for (const auto& [code, change] : changes_) all.push_back({code, change});
    return all;
  }

 private:
  // Whether the path has a whole loop whose rounds depend on what it loads.
  bool is_search_of_lanes(const lane_path& p) const {
    return std::any_of(p.codes.begin(), p.codes.end(), [&](std::uint32_t i) {
      const auto in = l_.loop_around(i);
      return in.first <= in.second && in.second == i && loads_decide(l_, in);
    });
  }

  static constexpr std::uint64_t one_lane = 2;  // lanes of a path that works for the others, at most
  // integer instructions that take as long as five shuffles, and as an atomic counter in shared memory and a barrier
  static constexpr std::uint8_t combining = 30, collecting = 30;

  void change(std::uint32_t i, double more, bool is_divided) {
    timing::code_change& c = changes_[i];
    const double lanes = static_cast<double>(finder_.reached[i].lanes),
                 all = static_cast<double>(l_.executed[i].times * warp_lanes);
    c.executed = static_cast<float>(std::min(1.0, more * lanes / all));
    c.shift = static_cast<float>(shift_);
    const auto in = deciding_loop(l_, finder_, i);
    const bool decides_here = is_divided || (in == l_.loop_around(i) && in.first <= in.second);
    c.skips_jumps = !decides_here || l_.opcode_at(i) == op::BRX;
    if (decides_here) return;
    c.rounds_of = loops_.try_emplace(in, static_cast<std::uint16_t>(loops_.size() + 1)).first->second;
    if (in.first <= in.second) changes_[in.first].begins_round_of = c.rounds_of;
  }

  const traced_launch& l_;
  const path_finder& finder_;
  std::map<std::uint32_t, unsigned> paths_of_;  // the number of paths after each branch
  std::map<std::uint32_t, timing::code_change> changes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint16_t> loops_;  // numbers of the deciding loops
  double shift_ = 0;                                                        // different paths remain in different warps
};

}  // namespace

void find_lane_delays(traced_launch& l) {
  constexpr std::uint64_t least_part = 20;  // one in 20 of the executed instructions
  path_finder finder(l);
  const std::vector<lane_path> paths = finder.paths();
  std::uint64_t times = 0, active = 0;
  for (const lane_path& p : paths) times += p.times, active += p.lanes;
  if (times * least_part < l.instructions || times == 0) return;
  full_warps changes(l, finder, paths);
  for (const lane_path& p : paths) changes.add(p);
  const std::uint64_t saved = l.again.saved_with(changes.list());
  if (!l.is_enough(saved)) return;
  const auto worst = std::max_element(paths.begin(), paths.end(),
                                      [](const lane_path& a, const lane_path& b) { return a.idle() < b.idle(); });
  delay d = l.delay_at(delay_kind::few_lanes, branch_before(l, finder.reached, worst->codes[0]));
  d.now = std::max<std::uint64_t>(1, (active + times / 2) / times);
  l.add(std::move(d), saved);
}

}  // namespace bankwise
