#include "cli/nvcc/nvcc_target.hpp"

#include <algorithm>
#include <cstdint>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

bool has_features(std::string_view target) { return target.ends_with('a') || target.ends_with('f'); }

std::string_view without_features(std::string_view target) {
  if (has_features(target)) target.remove_suffix(1);
  return target;
}

std::uint64_t number_in(std::string_view target) {
  return parse_u64(without_features(target).substr(target.find('_') + 1)).value_or(0);
}

// Features that only one kind of GPU has. ptxas does not say which. With other targets, nvcc would run in vain.
struct feature_row {
  std::string_view begins, target;
};
constexpr feature_row features_of_one_target[] = {
    {"wgmma", "sm_90a"},
    {"tcgen05", "sm_100a"},
    {"mma with block scale", "sm_120a"},
    {"mma with with FP6/FP4", "sm_120a"},
};

// Targets to try if the user did not choose an architecture, and the missing features do not name one.
constexpr std::string_view usual_targets[] = {"sm_90a", "sm_100a", "sm_120a"};

// Text around the name of a feature in messages of ptxas and in names of functions of cuda::ptx.
struct message_row {
  std::string_view before, after;
};
constexpr message_row lack_messages[] = {
    {"Instruction '", "' not supported on .target '"},
    {"Feature '", "' not supported on .target '"},
    {"Modifier '", "' not supported on .target '"},
    {"Instruction '", "' cannot be compiled for architecture '"},
    {"Feature '", "' cannot be compiled for architecture '"},
    {"Unresolved extern function '__cuda_ptx_", "_is_not_supported_before_SM_"},
    {"Unresolved extern function '__cuda_ptx_", "_is_only_supported_on_SM_"},
};

// Returns the feature that a line of nvcc's output says is missing, or an empty text.
std::string feature_in(std::string_view line) {
  for (const message_row& m : lack_messages) {
    const std::size_t at = line.find(m.before), first = at + m.before.size();
    if (at == std::string_view::npos) continue;
    const std::size_t end = line.find(m.after, first);
    if (end == std::string_view::npos) continue;
    std::string feature(line.substr(first, end - first));
    if (m.before.ends_with("__cuda_ptx_")) std::replace(feature.begin(), feature.end(), '_', '.');
    return feature;
  }
  return "";
}

bool says_error(std::string_view line) {
  return line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> flags_of_target(const std::string& target) {
  if (!has_features(target)) return {formatted("-arch={}", target)};
  return {"-gencode", formatted("arch=compute_{},code={}", target.substr(target.find('_') + 1), target)};
}

bool names_target(const std::vector<std::string>& nvcc_flags) {
  constexpr std::string_view names[] = {"-arch",    "--gpu-architecture", "--gpu-code",
                                        "-gencode", "--generate-code",    "-code"};
  return std::any_of(nvcc_flags.begin(), nvcc_flags.end(), [&](std::string_view word) {
    return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
      return word == name || (word.starts_with(name) && word[name.size()] == '=');
    });
  });
}

std::optional<std::string> target_of_ptx(std::string_view ptx) {
  for (const std::string_view line : split(ptx, '\n')) {
    const std::string_view words = trim(line);
    if (!words.starts_with(".target")) continue;
    const std::string_view target =
        trim(words.substr(7, words.find(',') == words.npos ? words.npos : words.find(',') - 7));
    const std::string_view number = without_features(target);
    if (!number.starts_with("sm_") || !parse_u64(number.substr(3))) return std::nullopt;
    return std::string(target);
  }
  return std::nullopt;
}

bool needs_own_target(std::string_view target) {
  constexpr std::uint64_t usual = 90;
  return has_features(target) || number_in(target) > usual;
}

std::optional<lacking_target> read_lacking(std::string_view said) {
  lacking_target lacks;
  for (const std::string_view line : split(said, '\n')) {
    if (!says_error(line)) continue;
    if (std::string feature = feature_in(line); !feature.empty()) {
      if (std::find(lacks.features.begin(), lacks.features.end(), feature) == lacks.features.end())
        lacks.features.push_back(std::move(feature));
      continue;
    }
    constexpr std::string_view of_ptx = "PTX with .target '";
    if (const std::size_t at = line.find(of_ptx); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + of_ptx.size());
      lacks.needed = rest.substr(0, rest.find('\''));
    }
  }
  if (lacks.features.empty() && lacks.needed.empty()) return std::nullopt;
  return lacks;
}

std::vector<std::string> targets_of_features(const lacking_target& lacks) {
  std::vector<std::string> targets;
  for (const feature_row& row : features_of_one_target)
    if (std::any_of(lacks.features.begin(), lacks.features.end(),
                    [&](const std::string& feature) { return feature.starts_with(row.begins); }))
      if (targets.empty() || targets.back() != row.target) targets.emplace_back(row.target);
  return targets;
}

std::vector<std::string> other_targets(const lacking_target& lacks, const std::string& target, bool is_chosen) {
  const std::string_view plain = without_features(target);
  if (!lacks.needed.empty()) {
    if (lacks.needed == target || (is_chosen && without_features(lacks.needed) != plain)) return {};
    return {lacks.needed};
  }
  if (is_chosen) {
    constexpr std::uint64_t first_with_features = 90;
    const bool can_have = number_in(target) >= first_with_features;
    if (plain != target || !can_have) return {};
    return {formatted("{}a", plain)};
  }
  std::vector<std::string> targets = targets_of_features(lacks);
  if (targets.empty()) targets.assign(std::begin(usual_targets), std::end(usual_targets));
  return targets;
}

std::string words_of(const lacking_target& lacks) {
  constexpr std::size_t most = 3;
  if (lacks.features.size() <= most) return enumerated(lacks.features);
  std::vector<std::string> words(lacks.features.begin(), lacks.features.begin() + most - 1);
  words.push_back(formatted("{} more", lacks.features.size() - words.size()));
  return enumerated(words);
}

}  // namespace bankwise::cli
