#include "timing/instruction_cost.hpp"

#include <algorithm>
#include <variant>

#include "bankwise/asynchronous_cost.hpp"
#include "sass/fields/constant_operands.hpp"
#include "sass/fields/fields.hpp"
#include "sass/operand/operands.hpp"
#include "sass/operand/tensor_shape.hpp"

namespace bankwise::timing {

namespace {

struct opcode_pipe {
  sass::opcode op;
  timing::pipe pipe;
  std::uint8_t interval;
  std::uint16_t latency;
};
constexpr opcode_pipe opcode_pipes[] = {
#define OPCODE_PIPE(name, way, clocks, done) {sass::opcode::name, timing::pipe::way, clocks, done},
#include "timing/opcode_pipes.def"
};

// Rates of mma.sync on an H100, in multiply-adds per clock of a quarter.
constexpr auto halves_a_clock = static_cast<unsigned>(gpu_parameters{}.tensor_halves);
constexpr unsigned doubles_a_clock = 32;  // NVIDIA: 67 TFLOP/s with tensor cores
// The smallest product, m8n8k4, takes as long as a product of twice its size. unit_times, dmma: with 512 instead of 256
// threads, each quarter executes 512 more products in 8,124 more clocks.
constexpr unsigned least_of_doubles = 16;
constexpr unsigned least_of_product = 2, most_of_product = 64;  // assumed: limits for shapes that were not measured
constexpr unsigned unknown_product = 16;                        // assumed

// Returns the clocks for which a product occupies the tensor core of a quarter.
std::uint8_t tensor_interval(const sass::instruction& i, sass::opcode op) {
  const auto shape = sass::tensor_shape_of(i);
  if (!shape) return unknown_product;
  const sass::tensor_shape& s = *shape;
  if (op == sass::opcode::DMMA)
    return static_cast<std::uint8_t>(std::max(least_of_doubles, s.rows * 8 * s.k / doubles_a_clock));
  const unsigned products = std::max(1u, s.rows * 8 * s.a_columns());
  const unsigned bits = std::max(1u, s.element_bits);
  return static_cast<std::uint8_t>(
      std::clamp(products * bits / 16 / halves_a_clock, least_of_product, most_of_product));
}

// The clocks of a texture instruction in the texture unit. An access that returns four channels takes twice as long.
// unit_times: 8.1 clocks for each read of tex_plane, and 14.8 clocks for each read of tex_plane4.
constexpr std::uint8_t texture_interval = 8, texture_interval_of_four = 16;

// Adds the cost of a product of a warp group (wgmma). The tensor cores of the four quarters work together.
void add_group_product(instruction_cost& c, const sass::instruction& i) {
  c.pipe = pipe::tensor;
  c.does = behaviour::matrix_group;
  const sass::fields f = sass::fields_of(i);
  const auto* const g = std::get_if<sass::group_product>(&f);
  if (g == nullptr) return;
  constexpr unsigned last_of_none = 7;
  c.ends_group = i.bits(84, 3) != last_of_none;
  const async_cost cost = analyze(wgmma(g->columns, g->a_in_shared, g->sparse));
  c.operand_wavefronts = static_cast<std::uint8_t>(cost.wavefronts);
  c.interval = static_cast<std::uint8_t>(cost.cycles);
}

void add_unit(instruction_cost& c, const sass::opcode_traits& t) {
  switch (t.unit) {
    case sass::unit::lanes:
      c.pipe = pipe::alu;
      c.interval = 2;
      break;
    case sass::unit::uniform:
      c.pipe = pipe::uniform;
      c.interval = 1;
      c.latency = 12;
      break;
    case sass::unit::tensor: c.pipe = pipe::tensor; break;
    case sass::unit::memory:
    case sass::unit::asynchronous:
      c.pipe = pipe::memory;
      c.does = behaviour::memory;
      break;
    case sass::unit::texture:
      c.pipe = pipe::texture;
      c.interval = texture_interval;
      break;
    case sass::unit::control: c.pipe = pipe::none; break;
  }
  if (t.flow == sass::flow::ends || t.flow == sass::flow::anywhere || t.names_place || t.calls_or_returns)
    c.does = behaviour::jump;
}

void add_opcode(instruction_cost& c, const sass::instruction& i) {
  using op = sass::opcode;
  switch (c.op) {
    case op::SHFL_RR:
    case op::SHFL_RI:
    case op::SHFL_IR:
    case op::SHFL_II:
      c.pipe = pipe::memory;
      c.does = behaviour::shuffle;
      break;
    case op::MATCH:
    case op::REDUX:
    case op::MOVM: c.does = behaviour::shuffle; break;
    case op::LDC:
    case op::ULDC:
    case op::ULDC_U:
      c.does = behaviour::constant_load;
      c.pipe = c.op == op::LDC ? pipe::memory : pipe::uniform;
      break;
    case op::BAR_RR:
    case op::BAR_RI:
    case op::BAR_IR:
    case op::BAR_II:
      c.pipe = pipe::none;
      c.does = i.bits(77, 2) == 1 ? behaviour::arrival : behaviour::barrier;
      c.number =
          c.op == op::BAR_II || c.op == op::BAR_IR ? static_cast<std::uint8_t>(i.bits(54, 4)) : named_by_register;
      c.remaining = c.op == op::BAR_II || c.op == op::BAR_RI ? static_cast<std::uint16_t>(i.bits(42, 12)) : 0;
      break;
    case op::DEPBAR:
      c.does = behaviour::scoreboard;
      c.number = static_cast<std::uint8_t>(i.bits(44, 3));
      c.remaining = static_cast<std::uint16_t>(i.bits(38, 6));
      break;
    case op::LDGDEPBAR: c.does = behaviour::commit; break;
    case op::PREEXIT:
      // A trace does not tell whether a guarded one is executed.
      if (i.guard() == sass::predicate_true) c.does = behaviour::trigger;
      break;
    case op::ACQBULK: c.does = behaviour::launch_wait; break;
    case op::MEMBAR:
      c.does = behaviour::fence;
      c.number = static_cast<std::uint8_t>(i.bits(76, 3));
      c.remaining = i.bit(79);
      break;
    case op::UCGABAR_WAIT: c.does = behaviour::cluster_wait; break;
    case op::UTMACMDFLUSH: c.does = behaviour::bulk_commit; break;
    case op::FENCE: c.does = behaviour::fence; break;
    case op::YIELD: c.does = behaviour::yield; break;
    case op::WARPGROUP: {
      const sass::fields f = sass::fields_of(i);
      const auto* const meeting = std::get_if<sass::group_meeting>(&f);
      if (meeting == nullptr || meeting->step == sass::group_step::wait) break;
      c.does = behaviour::group_start;
      if (meeting->step == sass::group_step::arrive) break;
      c.does = behaviour::group_wait;
      c.remaining = static_cast<std::uint16_t>(meeting->pending);
      break;
    }
    case op::NANOSLEEP_R: c.does = behaviour::sleep; break;
    case op::NANOSLEEP_I:
      c.does = behaviour::sleep;
      // With .SYNCS, the warp also wakes when the phase of its mbarrier completes. The number is then only a limit.
      if (!i.bit(84)) c.sleeps = static_cast<std::uint32_t>(i.bits(32, 32));
      break;
    case op::EXIT: c.does = behaviour::exit; break;
    case op::CCTL:
      if (std::holds_alternative<sass::line_prefetch>(sass::fields_of(i))) {
        c.pipe = pipe::memory;
        c.does = behaviour::memory;
      }
      break;
    case op::UBLKPF:
    case op::UTMAPF:
    case op::UTMAPF_U:
    case op::UBLKCP:
    case op::UBLKRED:
    case op::UTMALDG:
    case op::UTMALDG_U:
    case op::UTMASTG:
    case op::UTMAREDG:
      c.pipe = pipe::memory;
      c.does = behaviour::memory;
      break;
    case op::BRX:
    case op::BRXU: c.does = behaviour::indirect; break;
    case op::HGMMA:
    case op::IGMMA:
    case op::BGMMA:
    case op::QGMMA: add_group_product(c, i); break;
    case op::HMMA:
    case op::IMMA:
    case op::BMMA:
    case op::DMMA:
      c.interval = tensor_interval(i, c.op);
      if (const auto shape = sass::tensor_shape_of(i)) c.sums_to_floats = c.op == op::HMMA && shape->result_bits == 32;
      break;
    default: break;
  }
}

// Adds each register that the instruction reads once. If the cache of operands keeps a register, sets its bit in
// `keeps`.
void add_reads(instruction_cost& c, const sass::instruction& i) {
  if (sass::traits_of(c.op).unit != sass::unit::lanes) return;
  constexpr unsigned places[] = {24, 32, 64};
  const sass::register_set read = sass::reads_and_writes_of(i).reads;
  for (unsigned n = 0; n < 3; ++n) {
    const auto number = static_cast<std::uint8_t>(i.bits(places[n], 8));
    bool again = false;
    for (unsigned m = 0; m < n; ++m) again |= c.reads[m] == number;
    if (number == sass::register_zero || !read.vector[number] || again) continue;
    c.reads[n] = number;
    if (i.bit(122 + n)) c.keeps |= static_cast<std::uint8_t>(1u << n);
  }
}

}  // namespace

instruction_cost cost_of(const sass::instruction& i) {
  instruction_cost c;
  c.stall = static_cast<std::uint8_t>(std::max<std::uint64_t>(1, i.bits(105, 4)));
  c.may_stay = i.bit(109);
  c.write_barrier = static_cast<std::uint8_t>(i.bits(110, 3));
  c.read_barrier = static_cast<std::uint8_t>(i.bits(113, 3));
  c.wait_mask = static_cast<std::uint8_t>(i.bits(116, 6));
  const sass::opcode_info* info = i.info();
  if (info == nullptr) return c;
  c.op = info->op;
  add_unit(c, sass::traits_of(c.op));
  add_opcode(c, i);
  add_reads(c, i);
  for (const opcode_pipe& r : opcode_pipes)
    if (r.op == c.op) {
      c.pipe = r.pipe;
      c.interval = r.interval;
      c.latency = r.latency;
    }
  const sass::fields f = sass::fields_of(i);
  if (const auto* m = std::get_if<sass::memory_access>(&f)) {
    c.registers = static_cast<std::uint8_t>(std::max(1, m->bytes / 4));
    c.past_l1 = m->strong;
    c.adds_floats = m->is_float && m->operation == sass::atomic_op::add;
    c.swaps = m->is_swap;
  }
  if (const auto* m = std::get_if<sass::texture_access>(&f))
    if (m->low != sass::register_zero && m->high != sass::register_zero)
      c.interval = texture_interval_of_four;  // both destinations are used
  if (const auto* m = std::get_if<sass::copy_access>(&f)) c.past_l1 = !m->through_l1;
  if (const auto* m = std::get_if<sass::matrix_access>(&f)) c.registers = m->matrices;
  for (const sass::constant_operand& o : sass::constant_operands_of(i))
    if (!o.is_described) {
      c.reads_constants = true;
      const unsigned bytes = o.bank == 0 ? 64 : 256;
      c.constant_line = static_cast<std::uint16_t>(o.bank * constant_lines + o.offset / bytes);
    }
  return c;
}

void find_retries(const std::vector<sass::instruction>& code, std::vector<instruction_cost>& costs) {
  constexpr std::size_t longest = 64;  // limit of instructions from the swap to the jump back
  const auto is_atomic = [&](std::size_t i) {
    return costs[i].does == behaviour::memory && sass::traits_of(costs[i].op).action == sass::action::update;
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!costs[i].swaps) continue;
    for (std::size_t j = i + 1; j < code.size() && j < i + longest && !is_atomic(j); ++j) {
      if (costs[j].op != sass::opcode::BRA) continue;
      const std::int64_t to = static_cast<std::int64_t>(j) + 1 + code[j].distance() / 4;
      if (to < 0 || to > static_cast<std::int64_t>(i)) continue;
      auto first = static_cast<std::size_t>(to);
      while (first < i && !is_atomic(first)) ++first;
      costs[i].retries = first == i;
      break;
    }
  }
}

}  // namespace bankwise::timing
