#include "gpu_meters.hpp"
#include "base/format.hpp"

#include <algorithm>
#include <limits>

#include "kernels.hpp"

namespace bankwise::probe {

namespace {

constexpr std::size_t patterns_at_a_time = 65536;

std::size_t index_of(const probed_operation& p) { return static_cast<std::size_t>(&p - probed_operations().data()); }

std::vector<std::uint32_t> packed(std::span<const access> accesses) {
  std::vector<std::uint32_t> words;
  words.reserve(accesses.size() * pattern_words);
  for (const access& a : accesses) {
    words.push_back(a.mask);
    // In a matrix operation, inactive lanes also need valid addresses, because they also execute the instruction.
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      words.push_back((a.mask >> lane & 1) != 0 ? a.address[lane] % address_limit : 0);
  }
  return words;
}

struct timing {
  gpu& on;
  unsigned warps;

  // Returns the clocks of each pattern as they were measured: the minimum of the repetitions.
  result<std::vector<std::uint64_t>> run(const std::string& kernel, std::span<const access> accesses) const {
    std::vector<std::uint64_t> least;
    for (std::size_t first = 0; first < accesses.size(); first += patterns_at_a_time) {
      const auto part = accesses.subspan(first, std::min(patterns_at_a_time, accesses.size() - first));
      const std::vector<std::uint32_t> words = packed(part);
      std::vector<std::uint64_t> clocks(part.size() * repetitions);
      if (const auto ok = on.write(patterns, words.data(), words.size() * 4); !ok) return ok.error();
      // Each block takes all shared memory of a multiprocessor, so that no other block runs on it.
      if (const auto ok = on.launch(kernel, static_cast<unsigned>(part.size()), 32 * warps,
                                    on.facts().shared_bytes_per_block, {patterns, results, 0});
          !ok)
        return ok.error();
      if (const auto ok = on.wait(); !ok) return ok.error();
      if (const auto ok = on.read(clocks.data(), results, clocks.size() * 8); !ok) return ok.error();
      for (std::size_t i = 0; i < part.size(); ++i)
        least.push_back(*std::min_element(clocks.begin() + static_cast<std::ptrdiff_t>(i * repetitions),
                                          clocks.begin() + static_cast<std::ptrdiff_t>((i + 1) * repetitions)));
    }
    return least;
  }

  cuda::pointer patterns = 0, results = 0;
};

// Allocates the buffers on first use and keeps them.
result<done> prepare_buffers(timing& t) {
  if (t.patterns != 0) return done{};
  const auto patterns = t.on.allocate(patterns_at_a_time * pattern_words * 4);
  if (!patterns) return patterns.error();
  const auto results = t.on.allocate(patterns_at_a_time * repetitions * 8);
  if (!results) return results.error();
  t.patterns = *patterns;
  t.results = *results;
  return done{};
}

}  // namespace

result<done> prepare(gpu& on) {
  if (on.facts().sm < oldest_sm)
    return diagnostic{
        formatted("this GPU is sm_{}, but the probe's kernels need sm_{} or later", on.facts().sm, oldest_sm),
        {},
        "use a GPU of the Maxwell architecture or later"};
  if (on.facts().shared_bytes_per_block < shared_bytes)
    return diagnostic{formatted("a block on this GPU has at most {} bytes of shared memory, but the probe needs {}",
                                on.facts().shared_bytes_per_block, shared_bytes)};
  return on.load(kernel_text(on.facts().sm), on.facts().shared_bytes_per_block);
}

meter cycles_meter(gpu& on) {
  auto t = std::make_shared<timing>(timing{on, timed_warps});
  return [t](const probed_operation& p, std::span<const access> accesses) -> result<std::vector<double>> {
    if (accesses.empty()) return std::vector<double>{};
    if (const auto ok = prepare_buffers(*t); !ok) return ok.error();
    const auto clocks = t->run(kernel_name(kernel_kind::cycles, index_of(p)), accesses);
    if (!clocks) return clocks.error();
    std::vector<double> each;
    for (const std::uint64_t c : *clocks) each.push_back(static_cast<double>(c) / (timed_instructions * timed_warps));
    return each;
  };
}

meter latency_meter(gpu& on) {
  auto t = std::make_shared<timing>(timing{on, 1});
  return [t](const probed_operation& p, std::span<const access> accesses) -> result<std::vector<double>> {
    if (accesses.empty()) return std::vector<double>{};
    if (const auto ok = prepare_buffers(*t); !ok) return ok.error();
    const auto clocks = t->run(kernel_name(kernel_kind::latency, index_of(p)), accesses);
    if (!clocks) return clocks.error();
    // The clocks of a chain without its accesses. These clocks are subtracted.
    const auto around = t->run(empty_chain, accesses.first(1));
    if (!around) return around.error();
    std::vector<double> each;
    for (const std::uint64_t c : *clocks)
      each.push_back((static_cast<double>(c) - static_cast<double>(around->front())) / chained_instructions);
    return each;
  };
}

}  // namespace bankwise::probe
