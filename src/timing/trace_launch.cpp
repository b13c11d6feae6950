#include "timing/trace_launch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/occupancy.hpp"
#include "emulate/launch/launch_check.hpp"
#include "emulate/launch/rehearsal.hpp"
#include "sass/instruction.hpp"
#include "timing/timed_gpu.hpp"
#include "timing/trace/trace_file.hpp"

namespace bankwise::timing {

namespace {

constexpr std::uint64_t turns = 3;                      // limit of traced blocks, in multiples of the resident blocks
constexpr std::uint64_t most_alone = 32;                // limit of traced blocks if each has its own multiprocessor
constexpr std::uint64_t most_whole = 128;               // limit of completely traced blocks
constexpr std::uint64_t most_touching = 1200;           // limit of blocks for which only the accessed memory is traced
constexpr std::uint64_t most_instructions = 6'000'000;  // limit of instructions of completely traced blocks
constexpr std::uint64_t most_of_touching = 8'000'000;   // limit of instructions of other blocks
// Limit of a rehearsal on a machine that is busy with other work. On an idle machine, the limits above end a rehearsal
// after about 3 s.
constexpr std::chrono::seconds most_time{20};
constexpr std::size_t most_touched = std::size_t{1} << 22;  // limit of lines for all blocks together
// A block may touch this number of times its part of `most_touched`, because other blocks may need less.
constexpr std::size_t more_than_its_part = 4;

const char* folder_of_traces() {
  const char* folder = std::getenv("BANKWISE_TRACES");
  return folder != nullptr && *folder != '\0' ? folder : nullptr;
}

// The places of clusters and of their blocks in the grid.
class cluster_grid {
 public:
  explicit cluster_grid(const emulate::launch& l) {
    const std::array<std::uint32_t, 3> of_launch = emulate::cluster_of(l);
    for (unsigned i = 0; i < 3; ++i) grid_[i] = l.grid[i], size_[i] = std::max(1u, of_launch[i]);
  }
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(size_[0] * size_[1] * size_[2]); }
  std::uint64_t cluster_of(std::uint64_t block) const {
    const std::uint64_t x = block % grid_[0] / size_[0], y = block / grid_[0] % grid_[1] / size_[1],
                        z = block / grid_[0] / grid_[1] / size_[2];
    return x + wide() * (y + high() * z);
  }
  std::uint64_t block_of(std::uint64_t cluster, std::uint64_t rank) const {
    const std::uint64_t x = cluster % wide() * size_[0] + rank % size_[0],
                        y = cluster / wide() % high() * size_[1] + rank / size_[0] % size_[1],
                        z = cluster / wide() / high() * size_[2] + rank / size_[0] / size_[1];
    return x + grid_[0] * (y + grid_[1] * z);
  }

 private:
  std::uint64_t wide() const { return std::max<std::uint64_t>(1, grid_[0] / size_[0]); }
  std::uint64_t high() const { return std::max<std::uint64_t>(1, grid_[1] / size_[1]); }
  std::array<std::uint64_t, 3> grid_{}, size_{};
};

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

// Where the code of a record is in the code of the trace.
class moved_code {
 public:
  // Adds the sections of the record that the trace does not have yet. `known`: the first instruction of each section in
  // the trace.
  moved_code(const launch_trace& part, const cubin::program& p, std::map<std::uint32_t, std::uint32_t>& known,
             launch_trace& to) {
    for (std::size_t i = 0; i < part.code.size();) {
      const auto n = p.section_at(part.code[i].pc);
      if (!n) break;
      const auto count = static_cast<std::uint32_t>(p.sections[*n].bytes.size() / sass::instruction_bytes);
      if (count == 0 || count > part.code.size() - i) break;
      const auto [at, is_new] =
          known.try_emplace(static_cast<std::uint32_t>(*n), static_cast<std::uint32_t>(to.code.size()));
      const auto begin = part.code.begin() + static_cast<std::ptrdiff_t>(i);
      if (is_new) to.code.insert(to.code.end(), begin, begin + count);
      sections_.push_back({static_cast<std::uint32_t>(i), count, at->second});
      i += count;
    }
  }
  std::uint32_t operator()(std::uint32_t code) const {
    for (const section& s : sections_)
      if (code - s.first < s.count) return s.to + (code - s.first);
    return 0;
  }

 private:
  struct section {
    std::uint32_t first = 0, count = 0, to = 0;
  };
  std::vector<section> sections_;
};

// Adds the record of a block to the trace.
void add_record(const launch_trace& part, std::uint64_t block, const moved_code& code, bool is_cut, launch_trace& to) {
  to.sharing_warps = std::max(to.sharing_warps, part.sharing_warps);
  to.lanes_share |= part.lanes_share;
  const auto accesses = static_cast<std::uint32_t>(to.accesses.size()),
             lines = static_cast<std::uint32_t>(to.lines.size()),
             number = static_cast<std::uint32_t>(to.touching.size());
  for (traced_access a : part.accesses) {
    a.code = code(a.code);
    if (a.lines != 0 || a.space == memory_space::bulk) a.first_line += lines;
    to.accesses.push_back(a);
  }
  to.lines.insert(to.lines.end(), part.lines.begin(), part.lines.end());
  to.touching.push_back(block);
  for (touched_line l : part.touched) {
    if (to.touched.size() == most_touched) break;
    l.block = number;
    to.touched.push_back(l);
  }
  for (const traced_block& b : part.blocks) {
    if (b.instructions == 0) continue;
    traced_block& added = to.blocks.emplace_back(b);
    added.linear = block;
    added.is_cut |= is_cut;
    for (traced_warp& w : added.warps)
      for (traced_run& r : w.runs) {
        r.code = code(r.code);
        r.first_access += accesses;
      }
  }
}

bool samples_blocks(const emulate::launch& l) { return !l.cooperative && (l.most_blocks != 0 || l.time.has_value()); }

// Whether the first blocks of the grid are traced, because later blocks may find nothing to do.
bool records_in_order(const emulate::launch& l) {
  if (!emulate::may_wait_for_others(*l.program, *l.kernel)) return false;
  // In a sample, the first block takes all work of a queue.
  return samples_blocks(l) || emulate::counts_only(l) || !emulate::shares_work(*l.program, *l.kernel);
}

}  // namespace

std::uint32_t resident_blocks_of(const emulate::launch& l) {
  const cubin::resources block{l.block[0] * l.block[1] * l.block[2], l.kernel->registers,
                               l.kernel->static_shared_bytes + l.dynamic_shared_bytes};
  const auto fits = cubin::blocks_per_multiprocessor(formatted("sm_{}", l.program->sm), block);
  return fits ? std::max(1u, fits->blocks) : 1;
}

void keep_trace(const launch_trace& t) {
  const char* const folder = folder_of_traces();
  if (folder == nullptr) return;
  const std::string bytes = to_bytes(t);
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

recording_time recording_time_of(const emulate::launch& l) {
  if (!emulate::counts_only(l) && !samples_blocks(l)) return recording_time::while_it_runs;
  if (l.memory_is_private) return recording_time::before;
  return emulate::counts_only(l) ? recording_time::never : recording_time::while_it_runs;
}

struct launch_recording::block_record {
  block_record(const emulate::launch& l, const emulate::device_memory& memory, const bank_model& banks,
               trace_limits limits)
      : recorder(*l.program, memory, banks, std::move(limits), part) {
    part.block = l.block;
  }
  std::uint64_t instructions() const { return part.blocks.empty() ? 0 : part.blocks.front().instructions; }
  launch_trace part;
  trace_recorder recorder;
};

launch_recording::launch_recording(const emulate::launch& l, const emulate::device_memory& memory,
                                   const bank_model& banks)
    : launch_(l), memory_(memory), banks_(banks) {
  const timed_gpu* const gpu = find_timed_gpu(l.timed_gpu);
  const auto multiprocessors = static_cast<std::uint32_t>(gpu == nullptr ? 132 : gpu->parameters.multiprocessors);
  chosen_ = choose_blocks(emulate::blocks_of(l), multiprocessors, resident_blocks_of(l), records_in_order(l));
  list_blocks();
}

launch_recording::~launch_recording() = default;

// The blocks of a cluster are recorded together, and so are all blocks of a cooperative launch.
void launch_recording::list_blocks() {
  const cluster_grid clusters(launch_);
  if (launch_.cooperative) {
    for (std::uint64_t c = 0; c < emulate::blocks_of(launch_) / clusters.blocks(); ++c) clusters_.push_back(c);
  } else {
    for (const auto* list : {&chosen_.whole, &chosen_.touching})
      for (const std::uint64_t block : *list) clusters_.push_back(clusters.cluster_of(block));
    if (chosen_.in_order || clusters.blocks() > 1) std::sort(clusters_.begin(), clusters_.end());
    clusters_.erase(std::unique(clusters_.begin(), clusters_.end()), clusters_.end());
  }
  std::uint32_t number = 0;
  for (const std::uint64_t c : clusters_)
    for (std::uint32_t rank = 0; rank < clusters.blocks(); ++rank)
      wanted_[clusters.block_of(c, rank)] = {.is_whole = false, .number = number++};
  for (const std::uint64_t block : chosen_.whole)
    if (const auto at = wanted_.find(block); at != wanted_.end()) at->second.is_whole = true;
  records_.resize(number);
}

void launch_recording::begin_launch() {
  for (std::unique_ptr<block_record>& r : records_) r.reset();
  rest_.clear();
}

std::unique_ptr<launch_recording::block_record> launch_recording::make_record(std::uint64_t block, bool is_whole,
                                                                              std::uint32_t number) const {
  trace_limits limits{.whole = {}, .instructions_a_block = chosen_.instructions_a_block, .number = number};
  if (is_whole) limits.whole.insert(block);
  limits.warps = static_cast<std::uint32_t>((launch_.block[0] * launch_.block[1] * launch_.block[2] + 31) / 32);
  limits.touched_lines = std::min(most_touched, most_touched / records_.size() * more_than_its_part + 1);
  return std::make_unique<block_record>(launch_, memory_, banks_, std::move(limits));
}

emulate::listener* launch_recording::of_block(std::uint64_t block) {
  const auto at = wanted_.find(block);
  if (at == wanted_.end()) return nullptr;
  std::unique_ptr<block_record>& record = records_[at->second.number];
  record = make_record(block, at->second.is_whole, at->second.number);
  return &record->recorder;
}

emulate::listener* launch_recording::rest_of_block(std::uint64_t block) {
  const auto at = wanted_.find(block);
  const bool is_first = at != wanted_.end() && at->second.is_whole && at->second.number == 0;
  if (!is_first || !chosen_.in_order || launch_.cooperative || rest_.size() + 1 >= chosen_.whole.size()) return nullptr;
  rest_.push_back(make_record(block, true, static_cast<std::uint32_t>(rest_.size() + 1)));
  return &rest_.back()->recorder;
}

diagnostic launch_recording::rehearse(emulate::device_memory& memory, const emulate::launch_hooks& also) {
  emulate::launch one = emulate::rehearsal_of(launch_);
  one.use = emulate::instruction_use::interpret;
  one.strict_bounds = false;
  one.chosen = std::make_shared<const std::vector<std::uint64_t>>(clusters_);
  one.most_blocks = records_.size();
  emulate::launch_hooks hooks = emulate::silent_hooks();
  hooks.recorders = this;
  hooks.clocks = also.clocks;
  std::atomic<std::uint32_t> stop{0};
  hooks.stop = &stop;
  const auto end = std::chrono::steady_clock::now() + most_time;
  hooks.progress = [&](const emulate::launch_progress&) {
    if (std::chrono::steady_clock::now() >= end || (also.stop != nullptr && also.stop->load() != 0)) stop.store(1);
  };
  // If a fault stops the rehearsal, the records up to the fault are used.
  const auto ran = emulate::run_launch(one, memory, hooks);
  if (!ran) fault_ = ran.error();
  const bool is_asked = also.stop != nullptr && also.stop->load() != 0;
  return is_asked && ran ? ran->stopped_at : diagnostic();
}

std::optional<launch_trace> launch_recording::trace() const {
  const emulate::launch& l = launch_;
  launch_trace t;
  t.kernel = l.kernel->full_name;
  t.sm = l.program->sm;
  t.grid = l.grid;
  t.block = l.block;
  t.cluster_blocks = cluster_grid(l).blocks();
  t.registers = l.kernel->registers;
  t.shared_bytes = l.kernel->static_shared_bytes + l.dynamic_shared_bytes;
  t.blocks_per_multiprocessor = resident_blocks_of(l);
  t.multiprocessors = chosen_.multiprocessors;
  t.in_order = chosen_.in_order;
  t.sharing_warps = 1;
  t.lanes_share = false;
  std::map<std::uint32_t, std::uint32_t> sections;
  auto rest = rest_.begin();
  // Blocks that run together are evenly spaced, but the later ones of the multiprocessor are farther apart.
  const std::uint64_t wave = std::uint64_t{t.multiprocessors} * t.blocks_per_multiprocessor;
  std::vector<memory_of_block> together;
  for (const std::unique_ptr<block_record>& own : records_) {
    if (own == nullptr || own->part.touching.empty()) continue;
    const std::uint64_t block = own->part.touching.front();
    const bool found_no_work =
        rest != rest_.end() && wanted_.at(block).is_whole && own->instructions() * 2 < (*rest)->instructions();
    const block_record& r = found_no_work ? **rest++ : *own;
    add_record(r.part, block, moved_code(r.part, *l.program, sections, t), !r.recorder.has_ended(), t);
    t.executed.push_back(r.recorder.instructions_of_last());
    if (block >= wave && !t.in_order && !l.cooperative) continue;
    together.push_back(r.recorder.memory_of_last());
    together.back().linear = block;
  }
  if (t.blocks.empty()) return std::nullopt;
  t.memory = touched_memory_of(std::move(together), [this](std::uint64_t address) -> allocation {
    const emulate::region* const r = memory_.find(address);
    if (r == nullptr) return {};
    return {r->address, r->bytes, is_of_host(*r)};
  });
  t.sections = sections_of(t, *l.program, *l.kernel);
  return t;
}

}  // namespace bankwise::timing
