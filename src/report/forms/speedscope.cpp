#include "report/forms/speedscope.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "check/amounts.hpp"
#include "model/instances.hpp"
#include "report/json/syntax/json_text.hpp"

namespace bankwise {

namespace {

using nlohmann::ordered_json;

// The profiles. A measure is the weight of an instruction.
constexpr struct {
  const char* name;
  measure weight;
} weighings[] = {
    {"clocks of the shared-memory pipe", measure::cycles},
    {"wavefronts", measure::wavefronts},
    {"wavefronts that a layout can remove", measure::removable},
    {"sectors of global memory", measure::sectors},
    {"sectors of global memory above the ideal", measure::excess_sectors},
    {"sectors of local memory", measure::local_sectors},
    {"sectors of textures and surfaces", measure::texel_sectors},
};

// The frames of the file, without duplicates.
class frame_table {
 public:
  std::size_t index_of(const std::string& name, const std::string& file, std::uint32_t line) {
    const auto [at, is_new] = known_.try_emplace({name, file, line}, frames_.size());
    if (is_new) {
      ordered_json frame = {{"name", name}};
      if (!file.empty()) frame["file"] = file;
      if (line != 0) frame["line"] = line;
      frames_.push_back(std::move(frame));
    }
    return at->second;
  }
  ordered_json take() { return std::move(frames_); }

 private:
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::size_t> known_;
  ordered_json frames_ = ordered_json::array();
};

std::string line_name(const std::string& file, std::uint32_t line, const std::string& text) {
  const std::string place = formatted("{}:{}", file.substr(file.find_last_of('/') + 1), line);
  return text.empty() ? place : formatted("{}  {}", place, text);
}

}  // namespace

std::string to_speedscope(const report& r, const std::function<std::string(const std::string& file)>& path_of) {
  frame_table frames;
  const auto named = [&](const std::string& file) { return path_of && !file.empty() ? path_of(file) : file; };
  // The stacks are in the order of the report. Launches of a kernel are added up. Each launch counts as often as it
  // occurred.
  std::vector<std::vector<std::size_t>> stacks;
  std::vector<check::amounts> totals;
  std::map<std::vector<std::size_t>, std::size_t> known;
  for (const launch_report& l : r.launches) {
    const std::size_t kernel = frames.index_of(shown_name(l), {}, 0);
    const auto totals_at = [&](const auto& s) -> auto& {
      std::vector<std::size_t> stack = {kernel};
      if (!s.outer_file.empty() && std::pair(s.outer_file, s.outer_line) != std::pair(s.file, s.line))
        stack.push_back(frames.index_of(line_name(s.outer_file, s.outer_line, {}), named(s.outer_file), s.outer_line));
      if (!s.function.empty()) stack.push_back(frames.index_of(s.function, {}, 0));
      if (!s.file.empty()) stack.push_back(frames.index_of(line_name(s.file, s.line, s.text), named(s.file), s.line));
      stack.push_back(frames.index_of(formatted("0x{} {}", hex(s.pc, 4), s.sass), named(s.file), s.line));
      const auto [at, is_new] = known.try_emplace(stack, stacks.size());
      if (is_new) {
        stacks.push_back(std::move(stack));
        totals.push_back({});
      }
      return totals[at->second];
    };
    for (const site& s : l.sites) totals_at(s).add(l, s, l.count);
    for (const global_site& s : l.global_sites) totals_at(s).add(l, s, l.count);
  }

  ordered_json profiles = ordered_json::array();
  std::size_t shown = 0;  // index of the first profile that is not empty
  for (const auto& [name, weight] : weighings) {
    ordered_json samples = ordered_json::array(), weights = ordered_json::array();
    // Without counts of global memory, only the profiles of shared memory exist.
    const measure of = weight;
    if (row_of(of).is_of_sectors() &&
        std::none_of(totals.begin(), totals.end(), [&](const check::amounts& t) { return t[of].is != 0; }))
      continue;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      const std::uint64_t n = totals[i][of].is;
      if (n == 0) continue;
      samples.push_back(stacks[i]);
      weights.push_back(n);
      sum += n;
    }
    if (sum == 0 && shown == profiles.size()) ++shown;
    profiles.push_back({{"type", "sampled"},
                        {"name", name},
                        {"unit", "none"},
                        {"startValue", 0},
                        {"endValue", sum},
                        {"samples", std::move(samples)},
                        {"weights", std::move(weights)}});
  }
  if (shown == profiles.size()) shown = 0;
  return json_text({{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                    {"exporter", "bankwise " BANKWISE_VERSION},
                    {"name", r.launches.size() == 1 ? shown_name(r.launches[0]) : "memory of all launches"},
                    {"activeProfileIndex", shown},
                    {"shared", {{"frames", frames.take()}}},
                    {"profiles", std::move(profiles)}});
}

}  // namespace bankwise
