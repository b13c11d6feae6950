#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/text.hpp"
#include "emulate/decode.hpp"
#include "sass/print.hpp"

namespace bankwise::emulate {

namespace {

constexpr std::uint64_t quantum = 8192;              // instructions of a path before others get their turn
constexpr std::uint32_t default_stack_bytes = 1024;  // what CUDA gives a thread unless it is told otherwise
constexpr std::uint32_t most_local_bytes = 512u << 10;
constexpr std::uint32_t most_shared_bytes = 227u << 10;  // of a block, by sm_90
constexpr std::uint32_t multiprocessors = 132;           // of an H200
constexpr std::uint64_t most_local_total = std::uint64_t{4} << 30;

std::string triple(const std::array<std::uint32_t, 3>& t) {
  return std::to_string(t[0]) + "," + std::to_string(t[1]) + "," + std::to_string(t[2]);
}

template <class T>
void put(std::vector<std::byte>& bank, std::size_t offset, T value) {
  if (bank.size() < offset + sizeof value) bank.resize(offset + sizeof value);
  std::memcpy(bank.data() + offset, &value, sizeof value);
}

// Constant bank 0, as the driver fills it for sm_90.
std::vector<std::byte> launch_constants(const launch& l, std::uint32_t local_bytes) {
  std::vector<std::byte> bank(l.kernel->param_base + l.parameters.size());
  for (unsigned i = 0; i < 3; ++i) {
    put(bank, 4 * i, l.block[i]);
    put(bank, 12 + 4 * i, l.grid[i]);
  }
  put(bank, 0x20, local_window);
  put(bank, 0x28, local_bytes);  // the stack grows down from here
  put(bank, 0x10c, multiprocessors);
  put(bank, 0x188, std::uint32_t{1});  // blocks of a cluster
  for (unsigned i = 0; i < 3; ++i) {   // its extent, the reciprocal of that, and the clusters of the grid
    put(bank, 0x144 + 4 * i, std::uint32_t{1});
    put(bank, 0x150 + 4 * i, 1.0f);
    put(bank, 0x15c + 4 * i, l.grid[i]);
  }
  put(bank, 0x208, std::uint64_t{0});  // a memory descriptor, which plain accesses do not need
  std::copy(l.parameters.begin(), l.parameters.end(), bank.begin() + l.kernel->param_base);
  return bank;
}

// --- checks

result<done> check(const launch& l) {
  const cubin::kernel& k = *l.kernel;
  const auto wrong = [&](std::string message, std::string hint = {}) {
    return diagnostic{"kernel " + k.name + ": " + std::move(message), {}, std::move(hint)};
  };
  if (l.program->sm != 90)
    return wrong("the code is for sm_" + std::to_string(l.program->sm) + "; bankwise executes sm_90",
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
  if (shared > most_shared_bytes)
    return wrong(grouped(shared) + " bytes of shared memory for a block (" + grouped(k.static_shared_bytes) +
                 " static, " + grouped(l.dynamic_shared_bytes) + " dynamic) are more than the " +
                 grouped(most_shared_bytes) + " of sm_90");
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
bool blocks_are_independent(const decoded_section& code) {
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
      case op::REDG_F:
      // Functions elsewhere may do anything.
      case op::CALL_ABS:
      case op::CALL_ABS_R:
      case op::CALL_REL_R: return false;
      case op::CALL_REL:
        if (u.target < code.begin || u.target >= code.end) return false;
        break;
      // .STRONG and .MMIO: made to be seen by others.
      case op::LDG:
      case op::LDG_R:
      case op::LD:
      case op::STG:
      case op::STG_R:
      case op::ST:
      case op::ST_R: {
        const auto order = u.ins.bits(77, 4);
        if (order >= 5 && order != 9 && order != 11 && order < 13) return false;
        break;
      }
      default: break;
    }
  }
  return true;
}

// --- a block

class worker {
 public:
  worker(const launch_state& s, listener* events) : s_(s) {
    m_.s = &s;
    m_.events = events;
  }

  // False: the block failed, and `error` says why.
  bool run_block(std::uint64_t linear) {
    start(linear);
    if (m_.events != nullptr) m_.events->on_block(linear);
    for (;;) {
      bool any_alive = false, any_ran = false;
      for (warp& w : block_.warps) {
        if (w.alive == 0) continue;
        any_alive = true;
        if (!has_ready(w)) continue;
        any_ran = true;
        if (!run_warp(w)) return false;
      }
      if (!any_alive) return true;
      if (!any_ran) {
        error = deadlock();
        return false;
      }
    }
  }

  diagnostic error;
  fault_kind kind = fault_kind::launch_failure;  // of the error
  std::uint64_t instructions() const { return m_.block_instructions; }
  std::uint64_t thread_instructions() const { return m_.thread_instructions; }

 private:
  static bool has_ready(const warp& w) {
    return std::any_of(w.paths.begin(), w.paths.end(), [](const path& p) { return p.state == path_state::ready; });
  }

  void start(std::uint64_t linear) {
    const launch& l = *s_.l;
    block_.linear = linear;
    block_.index = {static_cast<std::uint32_t>(linear % l.grid[0]),
                    static_cast<std::uint32_t>(linear / l.grid[0] % l.grid[1]),
                    static_cast<std::uint32_t>(linear / l.grid[0] / l.grid[1])};
    block_.shared.assign(s_.shared_bytes, std::byte{0});
    block_.barriers = {};
    block_.warps.resize((s_.threads + 31) / 32);
    const std::uint64_t entry = l.program->sections[l.kernel->section].address + l.kernel->offset;
    for (std::uint32_t id = 0; id < block_.warps.size(); ++id) {
      warp& w = block_.warps[id];
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
    m_.block = &block_;
    m_.block_instructions = 0;
    m_.section = nullptr;
  }

  // Runs the warp until it waits, ends, or has had its turn.
  bool run_warp(warp& w) {
    m_.w = &w;
    std::uint64_t left = quantum;
    while (left != 0) {
      // The youngest path first: the deepest branch reaches its barrier, and the others are waiting there.
      std::size_t chosen = w.paths.size();
      for (std::size_t i = 0; i < w.paths.size(); ++i)
        if (w.paths[i].state == path_state::ready) chosen = i;
      if (chosen == w.paths.size()) return true;
      m_.p = &w.paths[chosen];
      m_.yielded = false;
      if (!run_path(left)) return false;
      if (s_.l->budget < m_.block_instructions) return out_of_budget();
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
      m_.block_instructions += ran;
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

  // --- errors ---

  std::string where_in_grid(std::uint64_t pc, int lane) {
    const launch& l = *s_.l;
    std::string s;
    if (m_.section != nullptr && pc >= m_.section->begin && pc < m_.section->end) {
      const std::uint64_t offset = pc - m_.section->begin;
      s = "at pc 0x" + hex(offset) + ", " + sass::to_text(m_.section->ops[offset / 16].ins, offset) + "; ";
    }
    s += "block (" + triple(block_.index) + "), warp " + std::to_string(m_.w->id);
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
  bool fail(std::uint64_t pc, const std::string& message, int lane, std::string hint) {
    error = {"kernel " + s_.l->kernel->name + ": " + message + "\n  " + where_in_grid(pc, lane), source_at(pc),
             std::move(hint)};
    return false;
  }
  bool fault_at(std::uint64_t pc) {
    kind = m_.fault_is;
    return fail(pc, m_.fault, m_.fault_lane, m_.fault_hint);
  }
  bool jumped_outside(std::uint64_t pc) {
    const std::uint64_t external = s_.l->program->bases.external, n = pc - external;
    if (pc >= external && n % 16 == 0 && n / 16 < s_.l->program->externals.size())
      return fail(pc,
                  "it calls " + s_.l->program->externals[n / 16] +
                      ", which the CUDA driver supplies and bankwise does not have yet",
                  -1, "take device printf, assert and malloc out of the kernel for this run");
    return fail(pc, "execution left the kernel's code, for address 0x" + hex(pc), -1,
                "the cubin is damaged, or a function pointer is wrong");
  }
  bool out_of_budget() {
    kind = fault_kind::timeout;
    m_.section = s_.code->at(m_.p->pc);
    return fail(m_.p->pc, "a block executed " + grouped(s_.l->budget) + " warp instructions and has not ended", -1,
                "an endless loop? If not, raise --budget");
  }

  diagnostic deadlock() {
    kind = fault_kind::deadlock;
    // One waiting path of each kind is enough to tell the story.
    const path* shown = nullptr;
    std::uint32_t waiting = 0, alive = 0;
    for (warp& w : block_.warps) {
      alive += static_cast<unsigned>(std::popcount(w.alive));
      for (const path& p : w.paths)
        if (p.state == path_state::at_block && shown == nullptr) shown = &p, m_.w = &w;
    }
    if (shown == nullptr) {
      for (warp& w : block_.warps)
        if (shown == nullptr && !w.paths.empty()) shown = &w.paths.front(), m_.w = &w;
      m_.section = s_.code->at(shown->pc);
      fail(shown->pc, "lanes " + lane_list(shown->mask) + " wait for lanes of their warp that never come",
           std::countr_zero(shown->mask), "a __syncwarp() or a shuffle whose mask names lanes that take another path");
      return error;
    }
    const unsigned n = shown->barrier;
    for (std::size_t i = 0; i < block_.warps.size(); ++i)
      waiting += static_cast<unsigned>(std::popcount(block_.barriers[n].arrived[i]));
    const std::uint32_t expected = block_.barriers[n].expected == 0 ? alive : block_.barriers[n].expected;
    m_.section = s_.code->at(shown->pc);
    fail(shown->pc,
         "barrier " + std::to_string(n) + " can never complete: " + std::to_string(waiting) + " of " +
             std::to_string(expected) + " threads are there" + elsewhere(n),
         std::countr_zero(shown->mask),
         "a __syncthreads() that some threads never reach, or a named barrier with a wrong thread count");
    return error;
  }
  // ", and warp 1 lanes 0-15 wait at pc 0x120": where a thread is that is missed at barrier n.
  std::string elsewhere(unsigned n) const {
    for (const warp& w : block_.warps)
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
  block_state block_;
};

}  // namespace

result<launch_result> run(const launch& l, device_memory& memory, const launch_hooks& hooks) {
  if (l.fault != nullptr) *l.fault = fault_kind::launch_failure;
  if (const auto checked = check(l); !checked) return checked.error();
  const cubin::kernel& k = *l.kernel;
  launch_state s;
  s.l = &l;
  s.memory = &memory;
  s.threads = l.block[0] * l.block[1] * l.block[2];
  s.shared_bytes = k.reserved_shared_bytes + k.static_shared_bytes + l.dynamic_shared_bytes;
  s.local_bytes = (std::max(k.frame_bytes + default_stack_bytes, k.stack_bytes) + 15) / 16 * 16;
  for (const auto& [number, bytes] : l.program->banks)
    if (number < constant_banks) s.banks[number] = bytes;
  for (const auto& [number, bytes] : k.banks)
    if (number < constant_banks) s.banks[number] = bytes;
  s.banks[0] = launch_constants(l, s.local_bytes);
  code_cache code(*l.program, s.banks);
  s.code = &code;

  const decoded_section* entry = code.at(l.program->sections[k.section].address + k.offset);
  if (entry == nullptr) return diagnostic{"kernel " + k.name + " has no code"};
  const std::uint64_t total = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  unsigned workers = l.threads != 0 ? l.threads : std::max(1u, std::thread::hardware_concurrency());
  if (!blocks_are_independent(*entry)) workers = 1;
  workers = static_cast<unsigned>(std::min<std::uint64_t>(workers, total));
  const std::uint64_t local_total = std::uint64_t{s.local_bytes} * 1024 * workers;
  if (local_total > most_local_total)
    workers =
        static_cast<unsigned>(std::max<std::uint64_t>(1, most_local_total / (std::uint64_t{s.local_bytes} * 1024)));

  std::atomic<std::uint64_t> next{0}, finished{0}, instructions{0}, threads{0};
  std::atomic<std::uint64_t> stop_at{
      total};  // blocks before the first that failed still run: the same error every time
  std::mutex mutex;
  std::condition_variable changed;
  unsigned running = workers;
  std::uint64_t failed_block = ~std::uint64_t{0};
  diagnostic failure;

  const auto work = [&](listener* events) {
    worker one(s, events);
    for (;;) {
      const std::uint64_t block = next.fetch_add(1);
      if (block >= stop_at.load()) break;
      const bool ok = one.run_block(block);
      const std::uint64_t sum = instructions.fetch_add(one.instructions()) + one.instructions();
      finished.fetch_add(1);
      if (ok && sum <= l.budget) continue;
      const std::lock_guard lock(mutex);
      if (block < failed_block) {
        failed_block = block;
        if (l.fault != nullptr) *l.fault = ok ? fault_kind::timeout : one.kind;
        failure = ok ? diagnostic{"kernel " + k.name + ": the launch needs more than " + grouped(l.budget) +
                                      " warp instructions",
                                  {},
                                  "raise --budget, or launch a smaller --grid: blocks that do the same cost the same"}
                     : one.error;
      }
      stop_at.store(std::min(stop_at.load(), block));
    }
    threads.fetch_add(one.thread_instructions());
    const std::lock_guard lock(mutex);
    --running;
    changed.notify_all();
  };

  {
    std::vector<std::jthread> pool;
    for (unsigned i = 0; i < workers; ++i)
      pool.emplace_back(work, hooks.make_listener ? hooks.make_listener(i) : nullptr);
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; }))
      if (hooks.progress) hooks.progress(finished.load(), total);
  }
  if (failed_block != ~std::uint64_t{0}) return failure;
  return launch_result{total, instructions.load(), threads.load()};
}

result<done> load_variables(const cubin::program& p, device_memory& memory) {
  for (const cubin::data_segment& d : p.data) {
    if (const auto placed = memory.place(d.address, d.bytes, "__device__ variables"); !placed) return placed.error();
    if (!d.init.empty()) std::memcpy(memory.at(d.address, d.init.size()), d.init.data(), d.init.size());
  }
  return done{};
}

}  // namespace bankwise::emulate
