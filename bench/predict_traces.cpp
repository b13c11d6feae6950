// Predicts the times of launches from saved traces (BANKWISE_TRACES), and prints a CSV row for each launch, for
// scripts/compare times and scripts/compare stalls: file, clocks, seconds of the prediction, warp instructions of the
// launch that was traced, traced blocks, and text.
//
//     predict_traces [--shares|--stalls] [--gpu NAME|FILE.csv] [--clock GHZ] [--warm] [--set parameter=value]...
//                    [file.trace [instructions of the launch]]...
//
// With --stalls, a row is followed by a line for each instruction of the kernel. The line has the instruction's pc, and
// "reason:clocks" of all warps.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timing/gpu.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/launch/launch_time.hpp"
#include "timing/timed_gpu.hpp"
#include "timing/trace/trace_file.hpp"

using namespace bankwise::timing;

namespace {

bool set_parameter(gpu_parameters& gpu, const std::string& text) {
  const std::size_t equal = text.find('=');
  for (const parameter_row& r : parameter_rows())
    if (equal != std::string::npos && r.name == text.substr(0, equal)) {
      gpu.*r.value = std::atof(text.c_str() + equal + 1);
      return true;
    }
  return false;
}

// Returns the use of each resource of the modelled multiprocessor as a percentage of the clocks, and the most frequent
// opcodes.
std::string busy_text(const launch_trace& t, const simulated_launch& s) {
  if (t.blocks.empty()) return {};
  const multiprocessor_run& r = s.run;
  const auto blocks = std::max<double>(1, static_cast<double>(r.blocks.size()));
  std::string text;
  const auto add = [&text](std::string_view name, double value) {
    text += std::string(name) + " " + std::to_string(value).substr(0, 7) + " ";
  };
  add("run", r.cycles);
  add("blocks", blocks);
  add("slots", std::max(1u, t.blocks_per_multiprocessor));
  add("cut", r.is_cut);
  add("ipc", static_cast<double>(r.instructions) / r.cycles);
  add("steady", s.steady_rate);
  add("stage%", 100 * r.data_stage / r.cycles);
  add("address%", 100 * r.address / r.cycles);
  add("l2%", 100 * r.l2 / r.cycles);
  add("stores%", 100 * r.stores / r.cycles);
  add("dram%", 100 * r.dram / r.cycles);
  {
    const double scale = static_cast<double>(t.instructions) / std::max<double>(1, static_cast<double>(r.instructions));
    add("read", r.traffic.read_sectors * scale / 1e6);
    add("read-lines", r.traffic.read_lines * scale / 1e6);
    add("written", r.traffic.stored_sectors * scale / 1e6);
    add("dram-read", r.traffic.dram_read * scale / 1e6);
    add("dram-written", r.traffic.dram_written * scale / 1e6);
  }
  add("l1hit", r.l1_hit_rate);
  add("wavefronts/block", r.data_stage / blocks);
  add("instructions/block", static_cast<double>(r.instructions) / blocks);
  for (std::size_t i = 0; i < r.pipes.size(); ++i)
    if (r.pipes[i] > 0.01 * r.cycles) add(pipe_rows[i].name, 100 * r.pipes[i] / r.cycles);
  std::vector<std::uint64_t> executed(t.code.size());
  for (const auto& b : s.blocks)
    for (const traced_warp& w : t.blocks[b.index].warps)
      for (const traced_run& run : w.runs)
        for (std::uint32_t i = 0; i < run.count; ++i) ++executed[run.code + i];
  std::map<std::string, std::uint64_t> count;
  for (std::size_t n = 0; n < executed.size(); ++n) {
    if (executed[n] == 0) continue;
    const auto op = cost_of({t.code[n].low, t.code[n].high, bankwise::sass::isa_of(t.sm)}).op;
    const std::string_view format = bankwise::sass::info_of(op).format;
    count[std::string(format.substr(0, format.find_first_of(" {")))] += executed[n];
  }
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [name, n] : count) sorted.emplace_back(n, name);
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t i = 0; i < sorted.size() && i < 90; ++i)
    add(sorted[i].second, 100.0 * static_cast<double>(sorted[i].first) / static_cast<double>(r.instructions));
  return text;
}

// Returns, for each issued instruction, the number of warps in each state, as Nsight Compute shows it.
std::string stall_text(const launch_time& time) {
  stall_clocks all;
  for (const stall_clocks& s : time.stalls)
    for (std::size_t i = 0; i < stall_reasons; ++i) all.by_reason[i] += s.by_reason[i];
  const double issued = all.by_reason[static_cast<std::size_t>(stall_reason::selected)];
  std::string text = "stalls: ";
  for (std::size_t i = 0; i < stall_reasons; ++i)
    if (all.by_reason[i] > 0.05 * issued)
      text += std::string(name_of(static_cast<stall_reason>(i))) + " " +
              std::to_string(all.by_reason[i] / issued).substr(0, 5) + " ";
  return text;
}

// Returns the use of each resource in percent.
std::string use_text(const resource_use& u) {
  char text[80];
  std::snprintf(text, sizeof text, "%.1f %.1f %.1f %.1f %.1f ", 100 * u.issue, 100 * u.pipes, 100 * u.l1, 100 * u.l2,
                100 * u.dram);
  return text;
}

void print_stalls(const launch_trace& t, const launch_time& time) {
  std::vector<traced_section> sections = t.sections;
  // Traces of earlier versions have no sections. The kernel then becomes the first section.
  if (sections.empty()) sections.push_back({{}, 0, 0, static_cast<std::uint32_t>(t.code.size())});
  for (const traced_section& s : sections) {
    if (!s.function.empty()) continue;
    for (std::uint32_t i = s.first; i < s.first + s.count && i < time.stalls.size(); ++i) {
      const std::uint64_t pc = std::uint64_t{16} * (i - s.first) - s.offset;
      std::string text;
      for (std::size_t r = 0; r < stall_reasons; ++r)
        if (const double clocks = time.stalls[i].by_reason[r]; clocks >= 1)
          text += " " + std::string(name_of(static_cast<stall_reason>(r))) + ":" +
                  std::to_string(static_cast<std::uint64_t>(clocks));
      if (!text.empty()) std::printf("  %llx%s\n", static_cast<unsigned long long>(pc), text.c_str());
    }
  }
}

enum class printed { cycles, shares, stalls };

void predict(const std::string& file, std::uint64_t instructions, const gpu_parameters& gpu, printed what) {
  const bool shares = what == printed::shares;
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  auto t = trace_of(bytes);
  if (!t) {
    std::printf("%s,0,0,0,0,\n", file.c_str());
    return;
  }
  std::uint64_t traced = 0;
  for (const traced_block& b : t->blocks) traced += b.instructions;
  const std::uint64_t own =  // of a trace without a number, the number if all blocks were like the traced ones
      t->instructions != 0 || t->blocks.empty() ? t->instructions : traced * t->grid_blocks() / t->blocks.size();
  if (instructions != 0) t->instructions = instructions;
  const auto begin = std::chrono::steady_clock::now();
  std::string text;
  double cycles = 0;
  launch_time stalled;
  if (what == printed::stalls) {
    stalled = predict_time(*t, gpu);
    cycles = stalled.cycles;
  } else if (shares && std::getenv("BUSY") != nullptr) {
    cycles = predict_cycles(*t, gpu);
    text = busy_text(*t, simulate(*t, gpu)) + stall_text(predict_time(*t, gpu));
  } else if (shares) {
    const launch_time time = predict_time(*t, gpu);
    cycles = time.cycles;
    text = std::string(name_of(time.bound)) + " | " + use_text(time.use) + "| ";
    for (const resource_share& s : time.shares)
      if (s.share > 0.01)
        text += std::string(name_of(s.what)) + " " + std::to_string(static_cast<int>(s.share * 100)) + " ";
  } else {
    cycles = predict_cycles(*t, gpu);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%s,%.0f,%.3f,%llu,%zu,%s\n", file.c_str(), cycles, took.count(), static_cast<unsigned long long>(own),
              t->blocks.size(), text.c_str());
  if (what == printed::stalls) print_stalls(*t, stalled);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  gpu_parameters gpu;
  printed what = printed::cycles;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--shares") {
      what = printed::shares;
    } else if (word == "--stalls") {
      what = printed::stalls;
    } else if (word == "--warm") {
      gpu.warm_caches = 1;
    } else if (word == "--clock" && i + 1 < count) {
      gpu = at_clock(gpu, std::atof(words[++i]));
    } else if (word == "--gpu" && i + 1 < count) {
      const auto on = read_timed_gpu(words[++i]);
      if (!on) return std::fprintf(stderr, "%s\n", on.error().message.c_str()), 2;
      const double warm = gpu.warm_caches;
      gpu = on->parameters;
      gpu.warm_caches = warm;
    } else if (word == "--set" && i + 1 < count) {
      if (!set_parameter(gpu, words[++i])) return std::fprintf(stderr, "no parameter: %s\n", words[i]), 2;
    } else {
      const bool has_count = i + 1 < count && words[i + 1][0] >= '0' && words[i + 1][0] <= '9';
      predict(word, has_count ? std::strtoull(words[i + 1], nullptr, 10) : 0, gpu, what);
      i += has_count;
    }
  }
  return 0;
}
