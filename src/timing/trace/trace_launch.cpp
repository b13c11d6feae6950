#include "timing/trace/trace_launch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#if defined(__unix__)
#include <poll.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "base/format.hpp"
#include "cubin/names/kernel_names.hpp"
#include "cubin/occupancy.hpp"
#include "sass/instruction.hpp"
#include "timing/timed_gpu.hpp"
#include "timing/trace/trace_file.hpp"
#include "timing/trace/trace_recorder.hpp"

namespace bankwise::timing {

namespace {

constexpr std::uint64_t turns = 3;                      // limit of traced blocks, in multiples of the resident blocks
constexpr std::uint64_t most_alone = 32;                // limit of traced blocks if each has its own multiprocessor
constexpr std::uint64_t most_whole = 128;               // limit of completely traced blocks
constexpr std::uint64_t most_touching = 1200;           // limit of blocks for which only the accessed memory is traced
constexpr std::uint64_t most_instructions = 6'000'000;  // limit of instructions of completely traced blocks
constexpr std::uint64_t most_of_touching = 8'000'000;   // limit of instructions of other blocks
// Limit for a machine that is busy with other work. On an idle machine, the limits above end a trace after about 3 s.
constexpr std::chrono::seconds most_time{30};

const char* folder_of_traces() {
  const char* folder = std::getenv("BANKWISE_TRACES");
  return folder != nullptr && *folder != '\0' ? folder : nullptr;
}

std::uint64_t clusters_of(const emulate::launch& l) {
  const auto [x, y, z] = emulate::cluster_of(l);
  return std::uint64_t{x} * y * z;
}

std::uint32_t resident_blocks_of(const emulate::launch& l, std::uint32_t sm) {
  const cubin::resources block{l.block[0] * l.block[1] * l.block[2], l.kernel->registers,
                               l.kernel->static_shared_bytes + l.dynamic_shared_bytes};
  const auto fits = cubin::blocks_per_multiprocessor(formatted("sm_{}", sm), block);
  return fits ? std::max(1u, fits->blocks) : 1;
}

// Returns the sections that contain the traced code.
std::vector<traced_section> sections_of(const launch_trace& t, const cubin::program& p, const cubin::kernel& k) {
  std::vector<traced_section> list;
  for (std::size_t i = 0; i < t.code.size();) {
    const auto n = p.section_at(t.code[i].pc);
    if (!n) break;
    const cubin::code_section& in = p.sections[*n];
    const auto count = static_cast<std::uint32_t>(in.bytes.size() / sass::instruction_bytes);
    if (count == 0) break;
    const bool own = *n == k.section;
    list.push_back({own ? std::string() : cubin::function_of(in), own ? std::uint64_t{k.offset} : 0,
                    static_cast<std::uint32_t>(i), count});
    i += count;
  }
  return list;
}

// Traces the chosen blocks in this process.
launch_trace record(const emulate::launch& l, emulate::device_memory& memory, const bank_model& banks,
                    const traced_choice& chosen) {
  launch_trace t;
  t.kernel = l.kernel->full_name;
  t.sm = l.program->sm;
  t.grid = l.grid;
  t.block = l.block;
  t.cluster_blocks = static_cast<std::uint32_t>(clusters_of(l));
  t.registers = l.kernel->registers;
  t.shared_bytes = l.kernel->static_shared_bytes + l.dynamic_shared_bytes;
  t.blocks_per_multiprocessor = resident_blocks_of(l, t.sm);
  t.multiprocessors = chosen.multiprocessors;
  t.in_order = chosen.in_order;

  emulate::launch one = l;
  one.threads = 1;
  one.use = emulate::instruction_use::interpret;
  one.counting = nullptr;
  one.racing = nullptr;
  one.kept = nullptr;
  one.time.reset();
  one.fault = nullptr;
  one.executed = nullptr;
  one.strict_bounds = false;
  trace_limits limits{{chosen.whole.begin(), chosen.whole.end()}, chosen.instructions_a_block};
  trace_recorder recorder(*l.program, memory, banks, std::move(limits), t);
  emulate::launch_hooks hooks;
  hooks.listeners.emplace_back([&](unsigned) { return &recorder; });
  const auto ignore_text = [](std::string_view) {};
  hooks.print = hooks.print_error = ignore_text;
  hooks.launch = [](const emulate::child_launch&) { return true; };
  hooks.set_condition = [](std::uint64_t, std::uint32_t) { return true; };
  static std::atomic<std::uint32_t> stop{0};
  hooks.stop = &stop;
  // Ends the trace early. Keeps the blocks that are already traced.
  std::thread([] {
    std::this_thread::sleep_for(most_time * 2 / 3);
    stop.store(1);
  }).detach();
  if (!l.cooperative) {
    auto list = std::make_shared<std::vector<std::uint64_t>>(chosen.whole);
    list->insert(list->end(), chosen.touching.begin(), chosen.touching.end());
    if (chosen.in_order) std::sort(list->begin(), list->end());
    if (t.cluster_blocks > 1) {
      for (std::uint64_t& b : *list) b /= t.cluster_blocks;
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    one.most_blocks = list->size() * t.cluster_blocks;
    one.chosen = list;
  }
  // if a fault stops the launch, the trace up to the fault is used
  const auto ran = emulate::run_launch(one, memory, hooks);
  t.sections = sections_of(t, *l.program, *l.kernel);
  // Removes blocks that have not begun.
  std::erase_if(t.blocks, [](const traced_block& b) { return b.instructions == 0; });
  if (!t.blocks.empty() && (!ran || ran->stopped != emulate::stop_reason::none)) t.blocks.back().is_cut = true;
  return t;
}

// Writes the trace of each launch to a file. This environment variable contains the name of the folder. The files help
// to compare predictions with measurements.
void keep_trace(const std::string& bytes) {
  const char* const folder = folder_of_traces();
  if (folder == nullptr) return;
  static unsigned launches = 0;
  char name[32];
  std::snprintf(name, sizeof name, "/%06u.trace", launches++);
  const std::string path = folder + std::string(name), written = formatted("{}.part", path);
  if (std::FILE* f = std::fopen(written.c_str(), "wb")) {
    std::fwrite(bytes.data(), 1, bytes.size(), f);
    std::fclose(f);
    std::rename(written.c_str(), path.c_str());
  }
}

}  // namespace

traced_choice choose_blocks(std::uint64_t blocks, std::uint32_t multiprocessors, std::uint32_t blocks_each,
                            bool in_order) {
  traced_choice c;
  c.multiprocessors = multiprocessors;
  c.in_order = in_order;
  const std::uint64_t wave = std::uint64_t{multiprocessors} * blocks_each;
  // Some multiprocessors get one more block than the rest. Chooses such a multiprocessor in the middle of the grid,
  // because blocks at the edge of the grid are special.
  const std::uint64_t rest = blocks % multiprocessors;
  const std::uint64_t first = blocks < 8 * wave && rest != 0 ? rest / 2 : multiprocessors / 2;
  if (blocks <= multiprocessors) {
    // Each block has its own multiprocessor. The slowest block determines the time.
    const std::uint64_t step =
        std::max<std::uint64_t>(1, blocks / most_alone) | 1;  // odd, because data often repeat with a power of 2
    for (std::uint64_t n = 0; n < blocks; n += step) c.whole.push_back(n);
    if (c.whole.back() != blocks - 1) c.whole.push_back(blocks - 1);
    c.instructions_a_block = most_instructions / c.whole.size();
    return c;
  }
  const std::uint64_t whole = std::min<std::uint64_t>(most_whole, std::max<std::uint64_t>(turns * blocks_each, 8));
  for (std::uint64_t n = 0; n < whole; ++n) {
    const std::uint64_t block = in_order ? n : first + n * multiprocessors;
    if (block < blocks) c.whole.push_back(block);
  }
  const std::uint64_t around = std::min(blocks, wave), step = std::max<std::uint64_t>(1, around / most_touching);
  for (std::uint64_t n = 0; n < around && !in_order; n += step)
    if (std::find(c.whole.begin(), c.whole.end(), n) == c.whole.end()) c.touching.push_back(n);
  c.instructions_a_block = std::max<std::uint64_t>(
      2000, std::min(most_instructions / std::max<std::uint64_t>(1, c.whole.size()),
                     c.touching.empty() ? ~std::uint64_t{0}
                                        : std::max<std::uint64_t>(20'000, most_of_touching / c.touching.size())));
  return c;
}

#if defined(__unix__)

std::optional<launch_trace> trace_launch(const emulate::launch& l, emulate::device_memory& memory,
                                         const bank_model& banks) {
  std::uint64_t blocks = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  const timed_gpu* const gpu = find_timed_gpu(l.timed_gpu);
  const auto multiprocessors = static_cast<std::uint32_t>(gpu == nullptr ? 132 : gpu->parameters.multiprocessors);
  const traced_choice chosen = choose_blocks(blocks, multiprocessors, resident_blocks_of(l, l.program->sm),
                                             emulate::may_wait_for_others(*l.program, *l.kernel));
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]), ::close(ends[1]);
    return std::nullopt;
  }
  if (child == 0) {
    ::close(ends[0]);
#if defined(__linux__)
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child must not outlive the run
#endif
    const std::string bytes = to_bytes(record(l, memory, banks, chosen));
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::write(ends[1], bytes.data() + at, bytes.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string bytes;
  const auto end = std::chrono::steady_clock::now() + most_time;
  std::vector<char> part(std::size_t{1} << 16);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd one{ends[0], POLLIN, 0};
    if (left.count() <= 0 || ::poll(&one, 1, static_cast<int>(left.count())) <= 0) break;
    const ssize_t n = ::read(ends[0], part.data(), part.size());
    if (n <= 0) break;
    bytes.append(part.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  keep_trace(bytes);
  return trace_of(bytes);
}

#else

std::optional<launch_trace> trace_launch(const emulate::launch&, emulate::device_memory&, const bank_model&) {
  return std::nullopt;
}

#endif

}  // namespace bankwise::timing
