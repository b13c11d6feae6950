#include "profile/trusted_time.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/text.hpp"
#include "sass/meaning.hpp"
#include "sass/opcode.hpp"
#include "timing/gpu.hpp"
#include "timing/instruction_cost.hpp"

namespace bankwise {

namespace {

constexpr unsigned few_launches = 10;   // a bound with fewer compared launches tells little
constexpr double wide_interval = 2.5;   // the highest time divided by the lowest time
constexpr double different_work = 2.0;  // the most instructions of a block divided by the fewest

// A kind of instruction whose time was not compared with a GPU, or is often wrong.
struct uncompared_kind {
  bool (*is)(const timing::instruction_cost& c, const launch_report& r);
  std::string_view why;
};
constexpr uncompared_kind uncompared_kinds[] = {
    {[](const timing::instruction_cost& c, const launch_report&) { return c.pipe == timing::pipe::texture; },
     "it uses textures, whose cache is not modelled"},
    {[](const timing::instruction_cost& c, const launch_report&) {
       return c.retries && sass::touches(sass::traits_of(c.op).space, sass::space::global);
     },
     "it repeats a compare-and-swap until it succeeds, and how often depends on the GPU"},
    {[](const timing::instruction_cost& c, const launch_report& r) {
       constexpr std::uint32_t most_threads = 512;
       return c.does == timing::behaviour::cluster_wait && r.block[0] * r.block[1] * r.block[2] >= most_threads;
     },
     "its clusters have barriers of 16 or more warps, which take longer than predicted"},
};

std::vector<timing::instruction_cost> doubted_costs(const timing::launch_trace& t) {
  std::vector<sass::instruction> code;
  std::vector<timing::instruction_cost> costs;
  for (const timing::traced_code& c : t.code) {
    code.push_back({c.low, c.high, sass::isa_of(t.sm)});
    costs.push_back(timing::cost_of(code.back()));
  }
  timing::find_retries(code, costs);
  return costs;
}

void doubt_gpu(std::vector<std::string>& to, const predicted_time& time, std::uint32_t sm) {
  if (time.is_assumed) to.push_back(formatted("no {} was measured: its time is scaled from an H100 SXM", time.gpu));
  const timing::gpu_description* const gpu = timing::find_gpu(time.gpu);
  if (gpu != nullptr && gpu->sm != sm)
    to.push_back(formatted("the code is for sm_{}, and this GPU runs code for sm_{}", sm, gpu->sm));
}

void doubt_trace(std::vector<std::string>& to, const launch_report& r, const timing::launch_trace& t) {
  if (r.partial) to.push_back(formatted("the launch was {}", words_of(r.partial)));
  if (r.time.traced_in_part) {
    double traced = 0;
    for (const timing::traced_block& b : t.blocks) traced += static_cast<double>(b.instructions);
    const double of_blocks = static_cast<double>(t.instructions) * static_cast<double>(t.blocks.size()) /
                             std::max(1.0, static_cast<double>(t.grid_blocks()));
    to.push_back(of_blocks <= traced ? std::string("its blocks were traced only in part")
                                     : formatted("its blocks were traced only in part, {}% of their instructions",
                                                 static_cast<unsigned>(100 * traced / of_blocks)));
  }
  const auto [least, most] = std::minmax_element(
      t.blocks.begin(), t.blocks.end(), [](const auto& a, const auto& b) { return a.instructions < b.instructions; });
  if (t.blocks.size() < t.grid_blocks() &&
      static_cast<double>(most->instructions) > different_work * static_cast<double>(least->instructions))
    to.push_back(formatted("its blocks do different work ({} to {} instructions), and {} of {} were traced",
                           grouped(least->instructions), grouped(most->instructions), t.blocks.size(),
                           grouped(t.grid_blocks())));
}

void doubt_code(std::vector<std::string>& to, const launch_report& r, const timing::launch_trace& t) {
  const std::vector<timing::instruction_cost> costs = doubted_costs(t);
  for (const uncompared_kind& k : uncompared_kinds)
    if (std::any_of(costs.begin(), costs.end(), [&](const auto& c) { return k.is(c, r); })) to.emplace_back(k.why);
  std::set<std::string> unknown;
  for (const timing::instruction_cost& c : costs)
    if (sass::meaning_of(c.op) == sass::meaning::assumed)
      unknown.insert(std::string(sass::mnemonic(sass::info_of(c.op))));
  for (const std::string& name : unknown) to.push_back(formatted("the meaning of its instruction {} is assumed", name));
}

void doubt_interval(std::vector<std::string>& to, const timing::launch_time& time) {
  const unsigned launches = timing::launches_compared(time.bound);
  if (launches < few_launches)
    to.push_back(formatted("of launches bound by {}, {} were compared with a GPU", timing::words_of(time.bound),
                           launches == 0 ? "none" : formatted("only {}", launches)));
  if (time.cycles_high > wide_interval * time.cycles_low)
    to.push_back(formatted("its interval is wide: the highest time is {} times the lowest",
                           fixed(time.cycles_high / time.cycles_low, 1)));
}

}  // namespace

std::vector<std::string> doubts_about(const launch_report& r, const timing::launch_trace& t,
                                      const timing::launch_time& time) {
  std::vector<std::string> doubts;
  doubt_gpu(doubts, r.time, t.sm);
  doubt_trace(doubts, r, t);
  doubt_code(doubts, r, t);
  doubt_interval(doubts, time);
  return doubts;
}

}  // namespace bankwise
