#include "profile/delays.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "cubin/occupancy.hpp"
#include "profile/place.hpp"
#include "sass/fields/fields.hpp"
#include "sass/flow/basic_blocks.hpp"
#include "sass/operand/operands.hpp"

namespace bankwise {

namespace {

constexpr double least_saving = 0.03;     // of the time; smaller savings are within the error of a replay
constexpr std::size_t most_loops = 4;     // loops whose loads get a replay each
constexpr std::uint64_t warp_lanes = 32;  // lanes of a warp

using change_list = std::vector<timing::changed_instruction>;

// How often the traced blocks executed an instruction, and with how many lanes in all.
struct executions {
  std::uint64_t times = 0, lanes = 0;
};

class search {
 public:
  search(const launch_report& r, const timing::launch_trace& t, const timing::gpu_parameters& gpu,
         const cubin::program& p, const cubin::kernel& k, replays& again)
      : r_(r), t_(t), gpu_(gpu), program_(p), kernel_(k), again_(again), executed_(t.code.size()) {
    count_executions();
    for (const timing::traced_code& c : t.code) code_.push_back({c.low, c.high, sass::isa_of(t.sm)});
  }

  std::vector<delay> all() {
    find_few_blocks();
    find_uneven_blocks();
    find_low_occupancy();
    find_late_loads();
    find_double_arithmetic();
    find_integer_division();
    find_few_lanes();
    find_barriers_of_one_warp();
    find_repeated_updates();
    sort_delays(found_);
    return std::move(found_);
  }

 private:
  void count_executions() {
    std::vector<std::int64_t> times(t_.code.size() + 1), lanes(t_.code.size() + 1);
    for (const timing::traced_block& b : t_.blocks)
      for (const timing::traced_warp& w : b.warps) {
        warps_ += !w.runs.empty();
        for (const timing::traced_run& one : w.runs) {
          ++times[one.code];
          --times[one.code + one.count];
          lanes[one.code] += one.lanes;
          lanes[one.code + one.count] -= one.lanes;
        }
      }
    std::int64_t n = 0, all_lanes = 0;
    for (std::size_t i = 0; i < executed_.size(); ++i) {
      n += times[i];
      all_lanes += lanes[i];
      executed_[i] = {static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(all_lanes)};
      instructions_ += executed_[i].times;
    }
  }

  sass::opcode opcode_at(std::size_t code) const {
    const sass::opcode_info* const info = code_[code].info();
    return info != nullptr ? info->op : sass::opcode::NOP;
  }
  bool is_executed(std::size_t code) const { return executed_[code].times != 0; }
  bool is_enough(std::uint64_t saved) const {
    return static_cast<double>(saved) >= least_saving * static_cast<double>(r_.time.cycles);
  }
  void add(delay d, std::uint64_t saved) {
    if (!is_enough(saved)) return;
    d.saved_cycles = std::min(saved, r_.time.cycles);
    found_.push_back(std::move(d));
  }
  delay delay_at(delay_kind k, std::size_t code) const {
    delay d;
    d.is = k;
    set_place(d.place, program_, kernel_, t_.code[code].pc);
    return d;
  }
  // The instructions of each source line, of those for which `is_wanted` is true and that were executed. Instructions
  // without a line are one group.
  template <class Wanted>
  std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>> by_line(Wanted is_wanted) const {
    std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>> lines;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (!is_executed(i) || !is_wanted(i)) continue;
      instruction_place at;
      set_place(at, program_, kernel_, t_.code[i].pc);
      lines[{at.file, at.line}].push_back(i);
    }
    return lines;
  }

  // --- the grid

  void find_few_blocks() {
    constexpr unsigned most_of_launch = 50;  // percent of the time that the launch itself takes in short launches
    delay d;
    d.is = delay_kind::few_blocks;
    d.now = t_.grid_blocks();
    d.then = static_cast<std::uint64_t>(gpu_.multiprocessors);
    if (d.now * 4 <= d.then * 3 && percent_of(r_.time.shares, "launch") < most_of_launch)
      found_.push_back(std::move(d));
  }
  void find_uneven_blocks() {
    const double even = timing::predict_even_cycles(t_, gpu_);
    if (even == 0) return;
    constexpr std::uint64_t least_of_uneven = 20;  // one in 20 of the cycles; blocks seldom take equally long
    ++again_.count;
    delay d;
    d.is = delay_kind::uneven_blocks;
    d.then = static_cast<std::uint64_t>(gpu_.multiprocessors);
    d.now = (t_.grid_blocks() + d.then - 1) / d.then;
    const std::uint64_t saved = r_.time.cycles - std::min(r_.time.cycles, static_cast<std::uint64_t>(even));
    if (saved >= r_.time.cycles / least_of_uneven) add(std::move(d), saved);
  }
  void find_low_occupancy() {
    const cubin::multiprocessor* const on = cubin::find_multiprocessor(formatted("sm_{}", t_.sm));
    if (on == nullptr) return;
    const cubin::resources block{t_.threads(), t_.registers, t_.shared_bytes};
    const cubin::occupancy now = cubin::blocks_per_multiprocessor(*on, block);
    if (now.by == cubin::limit::threads || now.blocks == 0) return;
    const std::uint32_t warps = (t_.threads() + 31) / 32;
    const auto own = static_cast<std::uint32_t>(t_.grid_blocks() / static_cast<std::uint64_t>(gpu_.multiprocessors));
    const std::uint32_t most = std::min(own, on->warps / warps);
    delay best;
    std::uint64_t saved = 0;
    for (const std::uint32_t then : {now.blocks + 1, now.blocks * 2}) {
      if (then > most || (then == now.blocks + 1 && then == best.then)) continue;
      delay d;
      d.is = delay_kind::low_occupancy;
      d.now = now.blocks;
      d.then = then;
      d.limit = cubin::name_of(now.by);
      d.allowed = allowed_for(*on, block, now.by, then);
      if (d.allowed == 0) continue;
      const std::uint64_t s = again_.saved_with({}, then);
      if (s > saved + saved / 10) {
        saved = s;
        best = std::move(d);
      }
    }
    if (saved != 0) add(std::move(best), saved);
  }
  // Returns the registers of a thread or the shared bytes of a block with which `blocks` fit. Returns 0 if nothing fits.
  static std::uint64_t allowed_for(const cubin::multiprocessor& on, cubin::resources block, cubin::limit by,
                                   std::uint32_t blocks) {
    if (by == cubin::limit::blocks) return blocks;
    std::uint32_t& amount = by == cubin::limit::registers ? block.registers_a_thread : block.shared_bytes;
    const std::uint32_t step = by == cubin::limit::registers ? 8 : 128;
    for (amount -= amount % step; amount >= step; amount -= step)
      if (cubin::blocks_per_multiprocessor(on, block).blocks >= blocks) return amount;
    return 0;
  }

  // --- loads

  // Whether the address of a load depends on a value that the loop loads. Such a load cannot be requested earlier.
  bool follows_loads(std::uint32_t first, std::uint32_t last, std::uint32_t load) const {
    sass::register_set wanted = sass::reads_and_writes_of(code_[load]).reads;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::uint32_t i = first; i <= last; ++i) {
        const sass::reads_and_writes io = sass::reads_and_writes_of(code_[i]);
        if (!sass::overlap(io.writes, wanted)) continue;
        const sass::opcode_traits traits = sass::traits_of(opcode_at(i));
        if (traits.unit == sass::unit::memory && traits.action != sass::action::store) return true;
        const sass::register_set before = wanted;
        sass::join(wanted, io.reads);
        grows |= before != wanted;
      }
    }
    return false;
  }
  // Whether an instruction is a plain load from global memory.
  bool is_plain_load(std::uint32_t code) const {
    const sass::opcode_traits traits = sass::traits_of(opcode_at(code));
    if (traits.unit != sass::unit::memory || traits.action != sass::action::load || traits.space != sass::space::global)
      return false;
    const sass::fields f = sass::fields_of(code_[code]);
    const auto* const m = std::get_if<sass::memory_access>(&f);
    return m != nullptr && !m->strong;
  }
  void find_late_loads() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> loops;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (executed_[i].times < 2 * warps_ || !is_plain_load(i)) continue;
      instruction_place at;
      const auto where = set_place(at, program_, kernel_, t_.code[i].pc);
      if (!where) continue;
      const auto loop = sass::loop_around(where->first, code_[i].set, where->second);
      if (!loop) continue;
      const auto index = [&](std::uint64_t offset) {
        return static_cast<std::uint32_t>(i + offset / sass::instruction_bytes -
                                          where->second / sass::instruction_bytes);
      };
      const std::uint32_t first = index(loop->first), last = index(loop->second);
      if (first > i || last >= code_.size() || follows_loads(first, last, i)) continue;
      loops[{first, last}].push_back(i);
    }
    change_list all;
    for (const auto& [range, loads] : loops)
      for (const std::uint32_t i : loads) all.push_back(timing::made_early(i));
    if (all.empty()) return;
    const std::uint64_t together = again_.saved_with(all);
    if (!is_enough(together)) return;
    std::vector<std::vector<std::uint32_t>> list;
    for (const auto& [range, loads] : loops) list.push_back(loads);
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
      return executed_[a[0]].times * a.size() > executed_[b[0]].times * b.size();
    });
    if (list.size() > most_loops) list.resize(most_loops);
    for (const std::vector<std::uint32_t>& loads : list) {
      change_list early;
      for (const std::uint32_t i : loads) early.push_back(timing::made_early(i));
      add(delay_at(delay_kind::late_loads, loads[0]),
          list.size() == 1 && loops.size() == 1 ? together : again_.saved_with(early));
    }
  }

  // --- arithmetic

  // The formats of a conversion between floats.
  bool converts(std::uint32_t code, std::uint64_t from, std::uint64_t to) const {
    return opcode_at(code) == sass::opcode::F2F64 && code_[code].bits(84, 3) == from && code_[code].bits(75, 3) == to;
  }
  void find_double_arithmetic() {
    constexpr std::uint64_t single = 2, twice = 3;
    const auto lines = by_line([&](std::uint32_t i) { return opcode_at(i) == sass::opcode::F2F64; });
    for (const auto& [line, codes] : lines) {
      const auto any = [&](std::uint64_t from, std::uint64_t to) {
        return std::any_of(codes.begin(), codes.end(), [&](std::uint32_t i) { return converts(i, from, to); });
      };
      if (!any(single, twice) || !any(twice, single)) continue;
      change_list out;
      for (const std::uint32_t i : codes) out.push_back(timing::left_out(i));
      add(delay_at(delay_kind::double_arithmetic, codes[0]), again_.saved_with(out));
    }
  }
  // ptxas divides integers by a variable with a rounded-up reciprocal (I2F.RP, MUFU.RCP, F2I), which it may compute before
  // a loop, a product (IMAD.HI), and corrections that comparisons guard.
  void find_integer_division() {
    using op = sass::opcode;
    const auto is_rounded_up = [&](std::uint32_t i) { return opcode_at(i) == op::I2F && code_[i].bits(78, 2) == 2; };
    const auto is_reciprocal = [&](std::uint32_t i) { return opcode_at(i) == op::MUFU && code_[i].bits(74, 4) == 4; };
    const auto is_back = [&](std::uint32_t i) { return opcode_at(i) == op::F2I; };
    const auto is_product = [&](std::uint32_t i) { return opcode_at(i) == op::IMAD_HI; };
    const auto is_step = [&](std::uint32_t i) {
      const bool is_guarded = code_[i].bits(12, 3) != sass::predicate_true;
      return is_rounded_up(i) || is_reciprocal(i) || is_back(i) || is_product(i) || opcode_at(i) == op::IABS ||
             opcode_at(i) == op::ISETP || (is_guarded && sass::traits_of(opcode_at(i)).unit == sass::unit::lanes);
    };
    for (const auto& [line, codes] : by_line(is_step)) {
      const auto any = [&](auto is) { return std::any_of(codes.begin(), codes.end(), is); };
      if (!any(is_rounded_up) || !any(is_reciprocal) || !any(is_back) || !any(is_product)) continue;
      change_list out;
      for (const std::uint32_t i : codes) out.push_back(timing::left_out(i));
      add(delay_at(delay_kind::integer_division, codes[0]), again_.saved_with(out));
    }
  }

  // --- lanes and warps

  void find_few_lanes() {
    constexpr std::uint64_t few = 16;         // active lanes
    constexpr std::uint64_t least_part = 20;  // one in 20 of the executed instructions
    std::uint64_t times = 0, lanes = 0, most = 0;
    std::uint32_t worst = 0;
    change_list together;
    for (const auto& [line, codes] :
         by_line([&](std::uint32_t i) { return executed_[i].lanes <= few * executed_[i].times; })) {
      std::uint64_t idle = 0;
      for (const std::uint32_t i : codes) {
        const executions& e = executed_[i];
        times += e.times;
        lanes += e.lanes;
        idle += e.times * warp_lanes - e.lanes;
        together.push_back(
            timing::left_out(i, static_cast<double>(e.lanes) / static_cast<double>(e.times * warp_lanes)));
      }
      if (idle <= most) continue;
      most = idle;
      worst = codes[0];
    }
    if (times * least_part < instructions_ || times == 0) return;
    delay d = delay_at(delay_kind::few_lanes, worst);
    d.now = std::max<std::uint64_t>(1, (lanes + times / 2) / times);
    add(std::move(d), again_.saved_with(together));
  }
  bool is_barrier(std::uint32_t code) const {
    using op = sass::opcode;
    const op o = opcode_at(code);
    return o == op::BAR_II || o == op::BAR_IR || o == op::BAR_RI || o == op::BAR_RR;
  }
  void find_barriers_of_one_warp() {
    if (t_.threads() > warp_lanes) return;
    change_list out;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (is_executed(i) && is_barrier(i)) out.push_back(timing::left_out(i));
    if (!out.empty()) add(delay_at(delay_kind::barrier_of_one_warp, out[0].code), again_.saved_with(out));
  }

  // --- updates of global memory

  void find_repeated_updates() {
    constexpr std::uint64_t often = 4;  // updates of the same sector in a block
    struct touched {
      std::uint64_t all = 0, different = 0;
    };
    std::map<std::uint32_t, touched> updates;
    for (const timing::traced_block& b : t_.blocks) {
      std::map<std::uint32_t, std::map<std::uint64_t, unsigned>> lines;
      for (const timing::traced_warp& w : b.warps)
        for (const timing::traced_run& one : w.runs)
          for (std::uint32_t n = 0; n < one.accesses; ++n) {
            const timing::traced_access& a = t_.accesses[one.first_access + n];
            if (a.space != timing::memory_space::global || a.does != timing::memory_action::update) continue;
            for (std::uint32_t l = 0; l < a.lines; ++l) {
              const timing::line_sectors what = t_.lines[a.first_line + l];
              updates[a.code].all += static_cast<std::uint64_t>(std::popcount(timing::sectors_of(what)));
              lines[a.code][timing::line_number(what)] |= timing::sectors_of(what);
            }
          }
      for (const auto& [code, of_code] : lines)
        for (const auto& [line, sectors] : of_code)
          updates[code].different += static_cast<std::uint64_t>(std::popcount(sectors));
    }
    for (const auto& [code, seen] : updates) {
      if (seen.different * often > seen.all || !is_added(code)) continue;
      delay d = delay_at(delay_kind::repeated_updates, code);
      d.now = seen.all / t_.blocks.size();
      d.then = std::max<std::uint64_t>(1, seen.different / t_.blocks.size());
      add(std::move(d), again_.saved_with({timing::left_out(
                            code, static_cast<double>(seen.different) / static_cast<double>(seen.all))}));
    }
  }
  // Whether several updates can be joined to one: sums, minima, maxima and so on, but not exchanges.
  bool is_added(std::uint32_t code) const {
    const sass::fields f = sass::fields_of(code_[code]);
    const auto* const m = std::get_if<sass::memory_access>(&f);
    return m != nullptr && !m->is_swap && m->operation != sass::atomic_op::exchange;
  }

  const launch_report& r_;
  const timing::launch_trace& t_;
  const timing::gpu_parameters& gpu_;
  const cubin::program& program_;
  const cubin::kernel& kernel_;
  replays& again_;
  std::vector<executions> executed_;
  std::vector<sass::instruction> code_;
  std::uint64_t warps_ = 0, instructions_ = 0;
  std::vector<delay> found_;
};

}  // namespace

std::vector<delay> delays_of(const launch_report& r, const timing::launch_trace& t, const timing::gpu_parameters& gpu,
                             const cubin::program& p, const cubin::kernel& k, replays& again) {
  if (t.blocks.empty()) return {};
  return search(r, t, gpu, p, k, again).all();
}

}  // namespace bankwise
