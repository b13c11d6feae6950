#include "timing/timed_gpu.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "timing/gpu.hpp"
#include "timing/parameter_file.hpp"

namespace bankwise::timing {

bool is_parameter_file(std::string_view word) {
  return word.find('/') != std::string_view::npos || word.ends_with(".csv");
}

namespace {

// Returns the name of a laptop's GPU without the words that tell it from the desktop GPU with the same number.
std::string desktop_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const std::string_view word : {"laptop", "mobile", "max-q", "maxq"})
    if (const std::size_t at = name.find(word); at != std::string::npos) name.erase(at, word.size());
  return name;
}

// Reads "A100@1.41" or "A100@boost": a GPU with another clock than the one at which Nsight Compute measures.
result<timed_gpu> at_other_clock(const std::string& word, std::size_t at) {
  auto gpu = read_timed_gpu(word.substr(0, at));
  if (!gpu) return gpu;
  constexpr double least = 0.1, most = 10;
  const std::string text = word.substr(at + 1);
  double clock = 0;
  if (text == "boost")
    clock = gpu->boost;
  else if (const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), clock);
           wrong != std::errc() || end != text.data() + text.size())
    clock = 0;
  if (!(clock >= least && clock <= most))
    return diagnostic{formatted("'{}' is not the clock of a GPU", text),
                      {},
                      formatted("write GHz from 0.1 to 10, or boost: {}@boost", word.substr(0, at))};
  gpu->parameters = at_clock(gpu->parameters, clock);
  gpu->title += formatted(" at {} GHz", fixed(clock, 3));
  gpu->boost = clock;
  return gpu;
}

}  // namespace

result<timed_gpu> read_timed_gpu(const std::string& word) {
  if (is_parameter_file(word)) {
    const auto text = read_file(word);
    if (!text) return text.error();
    const auto file = read_parameter_file(*text, word);
    if (!file) return file.error();
    const gpu_description* const known = find_gpu(file->gpu);
    const bool is_measured = known != nullptr && known->evidence == parameter_evidence::measured;
    const gpu_parameters measured = file->parameters();
    return timed_gpu{file->gpu, measured, measured.sm_clock, !is_measured, true};
  }
  if (const std::size_t at = word.find('@'); at != std::string::npos) return at_other_clock(word, at);
  if (const gpu_description* const g = find_gpu(word))
    return timed_gpu{
        std::string(g->title), parameters_of(*g), g->boost, g->evidence == parameter_evidence::assumed, false, g};
  if (const gpu_description* const g = find_gpu(desktop_name(word)))
    return diagnostic{
        formatted("bankwise cannot predict times for '{}', because the clock of a laptop's GPU depends on "
                  "the power limit of the laptop",
                  word),
        {},
        formatted("pass the CSV file of parameters that bankwise probe measures on the laptop. {} is the desktop GPU, "
                  "which is a different chip",
                  g->title)};
  std::string names;
  for (const gpu_description& g : known_gpus()) names += (names.empty() ? "" : ", ") + std::string(g.title);
  return diagnostic{formatted("bankwise cannot predict times for '{}'", word),
                    {},
                    formatted("use one of {}, or a CSV file of parameters that bankwise probe wrote", names)};
}

const timed_gpu* find_timed_gpu(const std::string& word) {
  static std::mutex guard;
  // The map is never destroyed, because a program may launch kernels while destructors of its global objects run.
  static auto& known = *new std::map<std::string, std::optional<timed_gpu>>;
  const std::lock_guard lock(guard);
  const auto [at, is_new] = known.try_emplace(word);
  if (is_new)
    if (auto read = read_timed_gpu(word)) at->second = std::move(*read);
  return at->second ? &*at->second : nullptr;
}

}  // namespace bankwise::timing
