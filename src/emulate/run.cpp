#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "base/text.hpp"
#include "cubin/occupancy.hpp"
#include "emulate/decode.hpp"
#include "sass/print.hpp"

namespace bankwise::emulate {

namespace {

constexpr std::uint64_t quantum = 8192;              // instructions of a path before others get their turn
constexpr std::uint32_t default_stack_bytes = 1024;  // what CUDA gives a thread unless it is told otherwise
constexpr std::uint32_t most_local_bytes = 512u << 10;
constexpr std::uint32_t multiprocessors = 132;  // of an H200
constexpr std::uint64_t most_local_total = std::uint64_t{4} << 30;
constexpr std::uint64_t most_resident_total = std::uint64_t{4} << 30;  // bytes of blocks that take turns
// A block that changes no global memory for so many instructions, or so many rounds in which all of its warps ask to let
// others run, may be waiting for another block. Once it has waited, fewer are enough.
constexpr std::uint64_t first_patience = 1u << 16, later_patience = 1u << 10;
constexpr unsigned patient_rounds = 4;
constexpr std::uint64_t longest_turn = 1u << 24;

// Those that nvcc 13 makes code for and that have a rule (bankwise/arch.hpp).
constexpr std::uint32_t executable[] = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};

std::string triple(const std::array<std::uint32_t, 3>& t) {
  return std::to_string(t[0]) + "," + std::to_string(t[1]) + "," + std::to_string(t[2]);
}

template <class T>
void put(std::vector<std::byte>& bank, std::size_t offset, T value) {
  if (bank.size() < offset + sizeof value) bank.resize(offset + sizeof value);
  std::memcpy(bank.data() + offset, &value, sizeof value);
}

// Where constant bank 0 has what the driver says of a launch, by instruction set. 0: nowhere, or not known. Read off code
// that asks for each; what stands between is zero.
struct constant_places {
  std::uint16_t block, grid;
  std::uint16_t shared_window, local_window;
  std::uint16_t stack;           // the end of a thread's local memory, which it grows down from
  std::uint16_t dynamic_shared;  // bytes
  std::uint16_t multiprocessors;
  std::uint16_t descriptor;                                    // of memory, which plain accesses do not need
  std::uint16_t cluster_extent, cluster_reciprocal, clusters;  // extent and its reciprocal; clusters of the grid
  std::uint16_t cluster_blocks;
  std::uint16_t grid_workspace_high, grid_workspace_low;  // of a cooperative launch
  std::uint16_t constants;                                // where pointers find constant bank 3
};
// clang-format off
constexpr constant_places places_table[sass::isa_count] = {
    {0x000, 0x00c, 0x18, 0x020, 0x028, 0x02c, 0x10c, 0x000, 0x000, 0x000, 0x000, 0x000,
     0x000, 0x000, 0x000},  // turing
    {0x000, 0x00c, 0x18, 0x020, 0x028, 0x02c, 0x10c, 0x118, 0x000, 0x000, 0x000, 0x000,
     0x000, 0x000, 0x000},  // ampere
    {0x000, 0x00c, 0x18, 0x020, 0x028, 0x02c, 0x10c, 0x118, 0x000, 0x000, 0x000, 0x000,
     0x000, 0x000, 0x000},  // ada
    {0x000, 0x00c, 0x00, 0x020, 0x028, 0x02c, 0x10c, 0x208, 0x144, 0x150, 0x15c, 0x188,
     0x044, 0x048, 0x0d0},  // hopper
    {0x360, 0x370, 0x00, 0x2f8, 0x37c, 0x2ac, 0x2d0, 0x358, 0x2a0, 0x2b0, 0x2c0, 0x000,
     0x000, 0x000, 0x000},  // blackwell
    {0x360, 0x370, 0x00, 0x2f8, 0x37c, 0x2ac, 0x2d0, 0x358, 0x2a0, 0x2b0, 0x2c0, 0x000,
     0x000, 0x000, 0x000},  // rtx
};
// clang-format on

// Constant bank 0, as the driver fills it.
std::vector<std::byte> launch_constants(const launch& l, std::uint32_t local_bytes, std::uint64_t grid_workspace,
                                        std::uint64_t constants) {
  const constant_places& at = places_table[static_cast<unsigned>(sass::isa_of(l.program->sm))];
  std::vector<std::byte> bank(l.kernel->param_base + l.parameters.size());
  for (unsigned i = 0; i < 3; ++i) {
    put(bank, at.block + 4 * i, l.block[i]);
    put(bank, at.grid + 4 * i, l.grid[i]);
  }
  if (at.shared_window != 0) put(bank, at.shared_window, shared_window);
  put(bank, at.local_window, local_window);
  put(bank, at.stack, local_bytes);
  put(bank, at.dynamic_shared, l.dynamic_shared_bytes);
  put(bank, at.multiprocessors, multiprocessors);
  if (at.grid_workspace_high != 0) {
    put(bank, at.grid_workspace_high, static_cast<std::uint32_t>(grid_workspace >> 32));
    put(bank, at.grid_workspace_low, static_cast<std::uint32_t>(grid_workspace));
  }
  if (at.constants != 0) put(bank, at.constants, constants);
  if (at.cluster_blocks != 0) put(bank, at.cluster_blocks, std::uint32_t{1});
  for (unsigned i = 0; i < 3 && at.cluster_extent != 0; ++i) {
    put(bank, at.cluster_extent + 4 * i, std::uint32_t{1});
    put(bank, at.cluster_reciprocal + 4 * i, 1.0f);
    put(bank, at.clusters + 4 * i, l.grid[i]);
  }
  if (at.descriptor != 0) put(bank, at.descriptor, std::uint64_t{0});
  std::copy(l.parameters.begin(), l.parameters.end(), bank.begin() + l.kernel->param_base);
  return bank;
}

// --- checks

result<done> check(const launch& l) {
  const cubin::kernel& k = *l.kernel;
  const auto wrong = [&](std::string message, std::string hint = {}) {
    return diagnostic{"kernel " + k.name + ": " + std::move(message), {}, std::move(hint)};
  };
  if (!can_execute(l.program->sm))
    return wrong("the code is for sm_" + std::to_string(l.program->sm) + "; bankwise executes " + executable_list(),
                 "compile with -arch=sm_90");
  static constexpr std::uint32_t most_grid[] = {0x7fffffff, 65535, 65535}, most_block[] = {1024, 1024, 64};
  for (unsigned i = 0; i < 3; ++i) {
    if (l.grid[i] == 0 || l.grid[i] > most_grid[i])
      return wrong("a grid of " + triple(l.grid) + " is not possible",
                   "each of --grid X,Y,Z is at least 1; at most 2147483647, 65535, 65535");
    if (l.block[i] == 0 || l.block[i] > most_block[i])
      return wrong("a block of " + triple(l.block) + " is not possible",
                   "each of --block X,Y,Z is at least 1; at most 1024, 1024, 64");
  }
  const std::uint64_t threads = std::uint64_t{l.block[0]} * l.block[1] * l.block[2];
  if (threads > 1024)
    return wrong("a block of " + triple(l.block) + " has " + std::to_string(threads) +
                 " threads; at most 1024 are possible");
  if (threads > k.max_threads)
    return wrong("a block of " + triple(l.block) + " has " + std::to_string(threads) +
                     " threads, but the kernel was compiled for at most " + std::to_string(k.max_threads),
                 "__launch_bounds__ in the source says so");
  if (k.cluster_blocks > 1)
    return wrong(
        "it runs in clusters of " + std::to_string(k.cluster_blocks) + " blocks, which bankwise does not have yet",
        "take __cluster_dims__ out for this run, if the kernel does not need its neighbours");
  const std::uint64_t shared = std::uint64_t{k.static_shared_bytes} + l.dynamic_shared_bytes;
  const std::string arch = "sm_" + std::to_string(l.program->sm);
  const cubin::multiprocessor* on = cubin::find_multiprocessor(arch);
  if (on != nullptr && shared > on->shared_a_block_optin)
    return wrong(grouped(shared) + " bytes of shared memory for a block (" + grouped(k.static_shared_bytes) +
                 " static, " + grouped(l.dynamic_shared_bytes) + " dynamic) are more than the " +
                 grouped(on->shared_a_block_optin) + " of " + arch);
  std::uint64_t parameter_bytes = 0;
  for (const cubin::parameter& p : k.params)
    parameter_bytes = std::max<std::uint64_t>(parameter_bytes, std::uint64_t{p.offset} + p.bytes);
  if (l.parameters.size() != parameter_bytes)
    return wrong("its parameters are " + std::to_string(parameter_bytes) + " bytes, not " +
                 std::to_string(l.parameters.size()));
  if (k.frame_bytes > most_local_bytes || k.stack_bytes > most_local_bytes)
    return wrong("it asks for more than " + grouped(most_local_bytes) + " bytes of local memory for a thread");
  return done{};
}

// Blocks run side by side only if they cannot talk to each other: results would depend on who comes first.
bool is_independent(const decoded_section& code, bool calls_are) {
  using op = sass::opcode;
  for (const micro_op& u : code.ops) {
    switch (u.op) {
      case op::ATOM:
      case op::ATOM_R:
      case op::ATOM_CAS:
      case op::ATOM_F:
      case op::ATOMG:
      case op::ATOMG_R:
      case op::ATOMG_CAS:
      case op::ATOMG_F:
      case op::REDG:
      case op::REDG_F: return false;
      case op::CALL_ABS:
      case op::CALL_ABS_R:
      case op::CALL_REL_R:
        if (!calls_are) return false;
        break;
      case op::CALL_REL:
        if (!calls_are && (u.target < code.begin || u.target >= code.end)) return false;
        break;
      // .STRONG and .MMIO: made to be seen by others.
      case op::LDG:
      case op::LDG_R:
      case op::LD:
      case op::STG:
      case op::STG_R:
      case op::ST:
      case op::ST_R:
        if (u.ins.is_strong()) return false;
        break;
      default: break;
    }
  }
  return true;
}

// Functions elsewhere may do anything: all code that is not a kernel counts.
bool blocks_are_independent(const decoded_section& kernel, const cubin::program& p, code_cache& code) {
  if (is_independent(kernel, false)) return true;
  if (!is_independent(kernel, true)) return false;
  for (const std::string& name : p.externals)
    if (is_supplied(name) && !changes_nothing_shared(name)) return false;
  std::vector<bool> holds_kernel(p.sections.size());
  for (const cubin::kernel& k : p.kernels) holds_kernel[k.section] = true;
  for (std::size_t n = 0; n < p.sections.size(); ++n) {
    if (holds_kernel[n]) continue;
    const decoded_section* section = code.at(p.sections[n].address);
    if (section != nullptr && !is_independent(*section, true)) return false;
  }
  return true;
}

// --- what blocks print: handed on in the order of the blocks

class output {
 public:
  explicit output(const launch_hooks& hooks) : hooks_(hooks) {}

  void add(const block_state& block, bool failed) {
    const std::lock_guard lock(mutex_);
    if (failed) last_ = std::min(last_, block.linear);
    waiting_[block.linear] = block.printed;
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_ && next_ <= last_; ++next_)
      it = hand_on(it);
  }
  // Blocks that took turns and did not end stand between those that did.
  void finish() {
    for (auto it = waiting_.begin(); it != waiting_.end();) it = hand_on(it);
  }

 private:
  using texts = std::map<std::uint64_t, std::vector<printed_text>>;
  texts::iterator hand_on(texts::iterator it) {
    for (const printed_text& t : it->second) {
      const auto& to = t.is_error ? hooks_.print_error : hooks_.print;
      if (to) to(t.text);
    }
    return waiting_.erase(it);
  }

  const launch_hooks& hooks_;
  std::mutex mutex_;
  texts waiting_;
  std::uint64_t next_ = 0, last_ = ~std::uint64_t{0};
};

// --- a block

class worker {
 public:
  worker(const launch_state& s, listener* events) : s_(s) {
    m_.s = &s;
    m_.events = events;
  }

  // False: the block failed, and `error` says why.
  bool run_block(std::uint64_t linear) {
    start(own_, linear);
    return run_turn(false) == turn::ended;
  }

  // Runs blocks in turns, since they may wait for each other: a block that seems to wait lets the others go on, and one
  // more begin. A launch whose blocks do not wait runs them one after another. False: one failed.
  bool run_in_turns(std::uint64_t total, std::uint64_t most_resident, bool all_at_once, output& out,
                    const std::function<void()>& on_end) {
    std::deque<std::unique_ptr<block_state>> resident;
    std::vector<std::unique_ptr<block_state>> spare;
    std::uint64_t next = 0;
    const auto begin = [&] {
      if (spare.empty()) spare.push_back(std::make_unique<block_state>());
      start(*spare.back(), next++);
      resident.push_back(std::move(spare.back()));
      spare.pop_back();
    };
    while (all_at_once && next < total) begin();
    while (next < total || !resident.empty()) {
      if (resident.empty()) begin();
      block_ = resident.front().get();
      const std::uint64_t before = block_->instructions;
      const turn t = run_turn(true);
      instructions_ += block_->instructions - before;
      const bool spent = instructions_ > s_.l->budget;
      if (t == turn::failed || spent) {
        if (t != turn::failed) over_budget();
        for (const auto& b : resident) out.add(*b, false);
        out.finish();
        return false;
      }
      if (t == turn::ended) {
        out.add(*block_, false);
        spare.push_back(std::move(resident.front()));
        resident.pop_front();
        on_end();
      } else if (next < total && resident.size() < most_resident) {
        // The new one first, then those that have waited longest.
        std::rotate(resident.begin(), resident.begin() + 1, resident.end());
        begin();
        std::rotate(resident.begin(), resident.end() - 1, resident.end());
      } else {
        std::rotate(resident.begin(), resident.begin() + 1, resident.end());
      }
    }
    return true;
  }

  void over_budget() {
    kind = fault_kind::timeout;
    error = {
        "kernel " + s_.l->kernel->name + ": the launch needs more than " + grouped(s_.l->budget) + " warp instructions",
        {},
        "raise --budget, or launch a smaller --grid: blocks that do the same cost the same"};
  }

  diagnostic error;
  fault_kind kind = fault_kind::none;
  const block_state& block() const { return *block_; }
  std::uint64_t instructions() const { return instructions_; }  // of all blocks that took turns
  std::uint64_t thread_instructions() const { return m_.thread_instructions; }

 private:
  enum class turn : std::uint8_t { ended, waits, failed };

  turn run_turn(bool in_turns) {
    block_state& block = *block_;
    m_.block = &block;
    m_.section = nullptr;
    if (m_.events != nullptr) m_.events->on_block(block.linear);
    const std::uint64_t begin = block.instructions;
    std::uint64_t effects = m_.effects, since = begin, patience = block.has_waited ? later_patience : first_patience;
    quantum_ = in_turns ? std::min(quantum, patience) : quantum;
    unsigned idle_rounds = 0;
    for (;;) {
      bool any_alive = false, any_ran = false, all_yielded = true;
      for (warp& w : block.warps) {
        if (w.alive == 0) continue;
        any_alive = true;
        if (!has_ready(w)) continue;
        any_ran = true;
        if (!run_warp(w)) return turn::failed;
        all_yielded &= m_.yielded;
      }
      if (!any_alive) return turn::ended;
      if (!any_ran) {
        error = deadlock();
        return turn::failed;
      }
      if (!in_turns) continue;
      if (m_.effects != effects) {
        effects = m_.effects;
        since = block.instructions;
        patience = first_patience;
        quantum_ = quantum;
        idle_rounds = 0;
      } else {
        idle_rounds = all_yielded ? idle_rounds + 1 : 0;
      }
      if (idle_rounds >= patient_rounds || block.instructions - since > patience ||
          block.instructions - begin > longest_turn) {
        block.has_waited = true;
        return turn::waits;
      }
    }
  }

  static bool has_ready(const warp& w) {
    return std::any_of(w.paths.begin(), w.paths.end(), [](const path& p) { return p.state == path_state::ready; });
  }

  void start(block_state& block, std::uint64_t linear) {
    const launch& l = *s_.l;
    block_ = &block;
    block.linear = linear;
    block.index = {static_cast<std::uint32_t>(linear % l.grid[0]),
                   static_cast<std::uint32_t>(linear / l.grid[0] % l.grid[1]),
                   static_cast<std::uint32_t>(linear / l.grid[0] / l.grid[1])};
    block.instructions = 0;
    block.has_waited = false;
    block.printed.clear();
    block.printed_bytes = 0;
    block.shared.assign(s_.shared_bytes, std::byte{0});
    block.barriers = {};
    block.warps.resize((s_.threads + 31) / 32);
    const std::uint64_t entry = l.program->sections[l.kernel->section].address + l.kernel->offset;
    for (std::uint32_t id = 0; id < block.warps.size(); ++id) {
      warp& w = block.warps[id];
      w.registers.assign(register_rows, lane_row{});
      w.predicates = {};
      w.predicates[7] = ~0u;
      w.uniform = {};
      w.uniform_predicates = 0x80;
      std::memset(w.convergence, 0, sizeof w.convergence);
      const std::uint32_t lanes = std::min(32u, s_.threads - id * 32);
      w.alive = lanes == 32 ? ~0u : (1u << lanes) - 1;
      w.paths.clear();
      w.paths.reserve(40);  // one for each lane at most: never reallocated
      w.paths.push_back({entry, w.alive});
      w.id = id;
      w.bar_count = 0;
      w.bar_flag = false;
      w.local.assign(std::size_t{s_.local_bytes} * 32, std::byte{0});
    }
  }

  // Runs the warp until it waits, ends, or has had its turn.
  bool run_warp(warp& w) {
    m_.w = &w;
    std::uint64_t left = quantum_;
    while (left != 0) {
      // The youngest path first: the deepest branch reaches its barrier, and the others are waiting there.
      std::size_t chosen = w.paths.size();
      for (std::size_t i = 0; i < w.paths.size(); ++i)
        if (w.paths[i].state == path_state::ready) chosen = i;
      m_.yielded = false;
      if (chosen == w.paths.size()) return true;
      m_.p = &w.paths[chosen];
      if (!run_path(left)) return false;
      if (s_.l->budget < block_->instructions) return out_of_budget();
      if (left == 0 || m_.yielded) {
        const bool there = m_.p >= w.paths.data() && m_.p < w.paths.data() + w.paths.size();
        if (there && m_.p->exclusive && m_.p->state == path_state::ready) {
          left = 1;  // the uniform registers that it uses are everybody's
          continue;
        }
        // Others first, next time.
        if (there) {
          const auto at = w.paths.begin() + (m_.p - w.paths.data());
          std::rotate(w.paths.begin(), at, at + 1);
        }
        return true;
      }
    }
    return true;
  }

  // Runs the path until it waits, ends, splits from others that are ready, or `left` instructions are spent.
  bool run_path(std::uint64_t& left) {
    for (;;) {
      const std::uint64_t pc = m_.p->pc;
      if (m_.section == nullptr || pc < m_.section->begin || pc >= m_.section->end) m_.section = s_.code->at(pc);
      if (m_.section == nullptr && supplied(pc) != nullptr) return call(*supplied(pc), left);
      if (m_.section == nullptr || (pc - m_.section->begin) % 16 != 0) return jumped_outside(pc);
      const micro_op* const first = m_.section->ops.data();
      const micro_op* const last = first + m_.section->ops.size();
      const micro_op* u = first + (pc - m_.section->begin) / 16;
      const micro_op* const begin = u;
      const std::uint32_t lanes = m_.p->mask;
      warp& w = *m_.w;
      const micro_op* const limit = static_cast<std::uint64_t>(last - u) > left ? u + left : last;
      std::uint64_t threads = 0;
      step s = step::next;
      while (u != limit) {
        std::uint32_t mask = 0;
        if (!u->uniform_guard)
          mask = lanes & (w.predicates[u->guard] ^ u->guard_flip);
        else
          mask = m_.uniform_predicate(u->guard, u->guard_flip) ? lanes : 0;
        threads += mask == ~0u ? 32u : static_cast<unsigned>(std::popcount(mask));
        if (mask != 0 || u->always) {
          s = u->run(m_, *u, mask);
          if (s != step::next) break;
        }
        ++u;
      }
      const auto ran = static_cast<std::uint64_t>(u - begin) + (s != step::next ? 1 : 0);
      block_->instructions += ran;
      m_.thread_instructions += threads;
      left -= ran;
      if (s == step::fault) return fault_at(m_.section->begin + static_cast<std::uint64_t>(u - first) * 16);
      if (s == step::next) {
        m_.p->pc = m_.section->begin + static_cast<std::uint64_t>(u - first) * 16;
        if (left == 0) return true;
        return jumped_outside(m_.p->pc);  // past the end of the code
      }
      if (s == step::moved || left == 0 || m_.yielded) return true;
    }
  }

  // The name of the driver's function at this address, if it is one that is here.
  const std::string* supplied(std::uint64_t pc) const {
    const std::vector<std::string>& names = s_.l->program->externals;
    const std::uint64_t base = s_.l->program->bases.external, n = (pc - base) / 16;
    return pc >= base && pc % 16 == 0 && n < names.size() && is_supplied(names[n]) ? &names[n] : nullptr;
  }
  // Counts as an instruction.
  bool call(const std::string& name, std::uint64_t& left) {
    const std::uint64_t back = m_.p->pc = return_address(m_);
    m_.section = s_.code->at(back - 16);
    ++block_->instructions;
    --left;
    return call_supplied(m_, name) != step::fault || fault_at(back - 16);
  }

  // --- errors ---

  std::string where_in_grid(std::uint64_t pc, int lane) {
    const launch& l = *s_.l;
    std::string s;
    if (m_.section != nullptr && pc >= m_.section->begin && pc < m_.section->end) {
      const std::uint64_t offset = pc - m_.section->begin;
      s = "at pc 0x" + hex(offset) + ", " + sass::to_text(m_.section->ops[offset / 16].ins, offset) + "; ";
    }
    s += "block (" + triple(block_->index) + "), warp " + std::to_string(m_.w->id);
    if (lane >= 0) {
      const std::uint32_t t = m_.w->id * 32 + static_cast<std::uint32_t>(lane);
      s += ", lane " + std::to_string(lane) + ", thread (" +
           triple({t % l.block[0], t / l.block[0] % l.block[1], t / l.block[0] / l.block[1]}) + ")";
    }
    return s;
  }
  location source_at(std::uint64_t pc) {
    location where;
    const std::vector<cubin::code_section>& sections = s_.l->program->sections;
    for (std::uint32_t n = 0; n < sections.size(); ++n) {
      if (pc < sections[n].address || pc >= sections[n].address + sections[n].bytes.size()) continue;
      if (const auto place = s_.l->program->source_of(n, pc - sections[n].address)) {
        where.file = place->file;
        where.line = place->line;
      }
    }
    return where;
  }
  bool fail(std::uint64_t pc, const std::string& message, int lane, std::string hint, fault_kind what) {
    kind = what;
    error = {"kernel " + s_.l->kernel->name + ": " + message + "\n  " + where_in_grid(pc, lane), source_at(pc),
             std::move(hint)};
    return false;
  }
  bool fault_at(std::uint64_t pc) { return fail(pc, m_.fault, m_.fault_lane, m_.fault_hint, m_.fault_is); }
  bool jumped_outside(std::uint64_t pc) {
    const std::uint64_t external = s_.l->program->bases.external, n = pc - external;
    if (pc >= external && n % 16 == 0 && n / 16 < s_.l->program->externals.size())
      return fail(pc,
                  "it calls " + s_.l->program->externals[n / 16] +
                      ", which the CUDA driver supplies and bankwise does not have yet",
                  -1, "printf, assert, malloc and free are there; take other calls out of the kernel for this run",
                  fault_kind::illegal_instruction);
    return fail(pc, "execution left the kernel's code, for address 0x" + hex(pc), -1,
                "the cubin is damaged, or a function pointer is wrong", fault_kind::invalid_pc);
  }
  bool out_of_budget() {
    kind = fault_kind::timeout;
    m_.section = s_.code->at(m_.p->pc);
    return fail(m_.p->pc, "a block executed " + grouped(s_.l->budget) + " warp instructions and has not ended", -1,
                "an endless loop? If not, raise --budget", fault_kind::timeout);
  }

  diagnostic deadlock() {
    kind = fault_kind::deadlock;
    // One waiting path of each kind is enough to tell the story.
    const path* shown = nullptr;
    std::uint32_t waiting = 0, alive = 0;
    for (warp& w : block_->warps) {
      alive += static_cast<unsigned>(std::popcount(w.alive));
      for (const path& p : w.paths)
        if (p.state == path_state::at_block && shown == nullptr) shown = &p, m_.w = &w;
    }
    if (shown == nullptr) {
      for (warp& w : block_->warps)
        if (shown == nullptr && !w.paths.empty()) shown = &w.paths.front(), m_.w = &w;
      m_.section = s_.code->at(shown->pc);
      fail(shown->pc, "lanes " + lane_list(shown->mask) + " wait for lanes of their warp that never come",
           std::countr_zero(shown->mask), "a __syncwarp() or a shuffle whose mask names lanes that take another path",
           fault_kind::deadlock);
      return error;
    }
    const unsigned n = shown->barrier;
    for (std::size_t i = 0; i < block_->warps.size(); ++i)
      waiting += static_cast<unsigned>(std::popcount(block_->barriers[n].arrived[i]));
    const std::uint32_t expected = block_->barriers[n].expected == 0 ? alive : block_->barriers[n].expected;
    m_.section = s_.code->at(shown->pc);
    fail(shown->pc,
         "barrier " + std::to_string(n) + " can never complete: " + std::to_string(waiting) + " of " +
             std::to_string(expected) + " threads are there" + elsewhere(n),
         std::countr_zero(shown->mask),
         "a __syncthreads() that some threads never reach, or a named barrier with a wrong thread count",
         fault_kind::deadlock);
    return error;
  }
  // ", and warp 1 lanes 0-15 wait at pc 0x120": where a thread is that is missed at barrier n.
  std::string elsewhere(unsigned n) const {
    for (const warp& w : block_->warps)
      for (const path& p : w.paths) {
        if (p.state == path_state::at_block && p.barrier == n) continue;
        const std::string at = " wait at pc 0x" + hex(p.pc - s_.l->program->sections[s_.l->kernel->section].address);
        return ", and warp " + std::to_string(w.id) + " lanes " + lane_list(p.mask) + at +
               (p.state == path_state::at_block ? " for barrier " + std::to_string(p.barrier) : " for their warp");
      }
    return {};
  }

  const launch_state& s_;
  machine m_;
  block_state own_;
  block_state* block_ = &own_;
  std::uint64_t instructions_ = 0;
  std::uint64_t quantum_ = quantum;
};

// A block's registers, local and shared memory.
std::uint64_t bytes_of_block(const launch_state& s) {
  return (s.threads + 31) / 32 * (sizeof(lane_row) * register_rows + std::uint64_t{s.local_bytes} * 32) +
         s.shared_bytes;
}

result<launch_result> run_checked(const launch& l, device_memory& memory, const launch_hooks& hooks, fault_kind& kind) {
  kind = fault_kind::invalid_launch;
  if (const auto checked = check(l); !checked) return checked.error();
  const cubin::kernel& k = *l.kernel;
  launch_state s;
  s.l = &l;
  s.memory = &memory;
  s.threads = l.block[0] * l.block[1] * l.block[2];
  s.shared_bytes = k.reserved_shared_bytes + k.static_shared_bytes + l.dynamic_shared_bytes;
  s.local_bytes = (std::max(k.frame_bytes + default_stack_bytes, k.stack_bytes) + 15) / 16 * 16;
  std::mutex heap;
  s.heap = &heap;
  s.prints = hooks.print || hooks.print_error;
  for (const auto& [number, bytes] : l.program->banks)
    if (number < constant_banks) s.banks[number] = bytes;
  for (const auto& [number, bytes] : k.banks)
    if (number < constant_banks) s.banks[number] = bytes;

  const std::uint64_t total = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  const auto fits = cubin::blocks_per_multiprocessor(
      "sm_" + std::to_string(l.program->sm), {s.threads, k.registers, k.static_shared_bytes + l.dynamic_shared_bytes});
  std::uint64_t resident = std::max<std::uint64_t>(1, fits ? fits->blocks : 1) * multiprocessors;
  if (l.cooperative && places_table[static_cast<unsigned>(sass::isa_of(l.program->sm))].grid_workspace_high == 0)
    return diagnostic{"kernel " + k.name + ": where sm_" + std::to_string(l.program->sm) +
                          " code finds the workspace of a cooperative launch is not known",
                      {},
                      "compile it with -arch=sm_90"};
  if (l.cooperative && total > resident) {
    kind = fault_kind::cooperative_too_large;
    return diagnostic{"kernel " + k.name + ": a cooperative launch of " + grouped(total) + " blocks, but only " +
                          grouped(resident) + " are resident together",
                      {},
                      "launch at most as many as cudaOccupancyMaxActiveBlocksPerMultiprocessor says, for each of " +
                          std::to_string(multiprocessors) + " multiprocessors"};
  }
  kind = fault_kind::out_of_memory;
  const std::uint64_t room = std::max<std::uint64_t>(1, most_resident_total / bytes_of_block(s));
  if (l.cooperative && total > room)
    return diagnostic{"kernel " + k.name + ": the registers and local memory of " + grouped(total) +
                      " blocks at a time are more than " + grouped(most_resident_total) + " bytes"};
  resident = std::min(resident, room);
  std::uint64_t workspace = 0;
  if (l.cooperative) {
    const auto at = memory.grid_workspace();
    if (!at) return at.error();
    workspace = *at;
  }
  const std::vector<std::string>& externals = l.program->externals;
  if (std::find(externals.begin(), externals.end(), "malloc") != externals.end())
    if (const auto made = memory.make_heap(); !made) return made.error();

  const auto constants = memory.place_constants(l.program, s.banks[cubin::variable_bank]);
  if (!constants) return constants.error();
  s.banks[0] = launch_constants(l, s.local_bytes, workspace, *constants);
  code_cache code(*l.program, s.banks);
  s.code = &code;
  kind = fault_kind::invalid_launch;
  const decoded_section* entry = code.at(l.program->sections[k.section].address + k.offset);
  if (entry == nullptr) return diagnostic{"kernel " + k.name + " has no code"};
  unsigned workers = l.threads != 0 ? l.threads : std::max(1u, std::thread::hardware_concurrency());
  const bool in_turns = l.cooperative || !blocks_are_independent(*entry, *l.program, code);
  if (in_turns) workers = 1;
  workers = static_cast<unsigned>(std::min<std::uint64_t>(workers, total));
  const std::uint64_t local_total = std::uint64_t{s.local_bytes} * 1024 * workers;
  if (local_total > most_local_total)
    workers =
        static_cast<unsigned>(std::max<std::uint64_t>(1, most_local_total / (std::uint64_t{s.local_bytes} * 1024)));

  std::atomic<std::uint64_t> next{0}, finished{0}, instructions{0}, threads{0};
  std::atomic<std::uint64_t> stop_at{
      total};  // blocks before the first that failed still run: the same error every time
  output out(hooks);
  std::mutex mutex;
  std::condition_variable changed;
  unsigned running = workers;
  std::uint64_t failed_block = ~std::uint64_t{0};
  diagnostic failure;

  const auto end_worker = [&](const worker& one) {
    threads.fetch_add(one.thread_instructions());
    const std::lock_guard lock(mutex);
    --running;
    changed.notify_all();
  };
  const auto work = [&](listener* events) {
    worker one(s, events);
    for (;;) {
      const std::uint64_t block = next.fetch_add(1);
      if (block >= stop_at.load()) break;
      const bool ok = one.run_block(block);
      const std::uint64_t ran = one.block().instructions, sum = instructions.fetch_add(ran) + ran;
      finished.fetch_add(1);
      const bool spent = ok && sum > l.budget;
      out.add(one.block(), !ok || spent);
      if (ok && !spent) continue;
      const std::lock_guard lock(mutex);
      if (block < failed_block) {
        if (spent) one.over_budget();
        failed_block = block;
        failure = one.error;
        kind = one.kind;
      }
      stop_at.store(std::min(stop_at.load(), block));
    }
    end_worker(one);
  };
  const auto work_in_turns = [&](listener* events) {
    worker one(s, events);
    if (!one.run_in_turns(total, resident, l.cooperative, out, [&] { finished.fetch_add(1); })) {
      failed_block = one.block().linear;
      failure = one.error;
      kind = one.kind;
    }
    instructions.store(one.instructions());
    end_worker(one);
  };

  {
    std::vector<std::jthread> pool;
    for (unsigned i = 0; i < workers; ++i) {
      listener* events = hooks.make_listener ? hooks.make_listener(i) : nullptr;
      if (in_turns)
        pool.emplace_back(work_in_turns, events);
      else
        pool.emplace_back(work, events);
    }
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; }))
      if (hooks.progress) hooks.progress(finished.load(), total);
  }
  if (failed_block != ~std::uint64_t{0}) return failure;
  return launch_result{total, instructions.load(), threads.load()};
}

}  // namespace

bool can_execute(std::uint32_t sm) {
  return std::find(std::begin(executable), std::end(executable), sm) != std::end(executable);
}

std::string executable_list() {
  std::string s;
  for (const std::uint32_t sm : executable) s += (s.empty() ? "sm_" : ", sm_") + std::to_string(sm);
  return s;
}

result<launch_result> run(const launch& l, device_memory& memory, const launch_hooks& hooks) {
  fault_kind kind = fault_kind::none;
  auto ran = run_checked(l, memory, hooks, kind);
  if (!ran && l.fault != nullptr) *l.fault = kind;
  return ran;
}

result<done> load_variables(const cubin::program& p, device_memory& memory) {
  for (const cubin::data_segment& d : p.data) {
    if (const auto placed = memory.place(d.address, d.bytes, "__device__ variables"); !placed) return placed.error();
    if (!d.init.empty()) std::memcpy(memory.at(d.address, d.init.size()), d.init.data(), d.init.size());
  }
  return done{};
}

}  // namespace bankwise::emulate
