#include "cubin/image_choice.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cubin/architectures.hpp"

namespace bankwise::cubin {

namespace {

constexpr std::uint32_t usual_sm = 90;  // the architecture whose rule is measured

// Whether the GPU runs image `a` rather than image `b`.
bool is_better(const fatbin_image& a, const fatbin_image& b, std::uint32_t sm) {
  const auto rank = [sm](const fatbin_image& i) { return std::tuple(fit_of(i, sm), i.sm, i.arch_specific); };
  return rank(a) > rank(b);
}

}  // namespace

image_fit fit_of(const fatbin_image& i, std::uint32_t sm) {
  if (i.arch_specific && i.sm != sm) return image_fit::none;
  if (i.kind == image_kind::ptx) return i.sm <= sm ? image_fit::compiled : image_fit::none;
  if (i.sm == sm) return image_fit::own_code;
  return i.sm / 10 == sm / 10 && i.sm < sm ? image_fit::older_code : image_fit::none;
}

const fatbin_image* image_for(const std::vector<const fatbin_image*>& images, std::uint32_t sm) {
  const fatbin_image* best = nullptr;
  for (const fatbin_image* const i : images)
    if (fit_of(*i, sm) != image_fit::none && (best == nullptr || is_better(*i, *best, sm))) best = i;
  return best;
}

std::vector<std::vector<const fatbin_image*>> by_fatbin(const std::vector<fatbin_image>& images) {
  std::vector<std::vector<const fatbin_image*>> groups;
  std::map<std::uint32_t, std::size_t> numbers;
  for (const fatbin_image& i : images) {
    const auto [at, is_new] = numbers.try_emplace(i.fatbin, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&i);
  }
  return groups;
}

std::uint32_t architecture_for(const std::vector<fatbin_image>& images) {
  const auto fatbins = by_fatbin(images);
  const auto with = [&](std::uint32_t sm, image_fit least) {
    return std::count_if(fatbins.begin(), fatbins.end(), [&](const auto& group) {
      return std::any_of(group.begin(), group.end(), [&](const fatbin_image* i) { return fit_of(*i, sm) >= least; });
    });
  };
  std::set<std::uint32_t> candidates;
  std::uint32_t newest_ptx = usual_sm;
  for (const fatbin_image& i : images) {
    if (i.kind == image_kind::elf) candidates.insert(i.sm);
    if (i.kind == image_kind::ptx && is_executed(i.sm)) newest_ptx = std::max(newest_ptx, i.sm);
  }
  const bool any_executed = std::any_of(candidates.begin(), candidates.end(), is_executed);
  const bool any_ptx =
      std::any_of(images.begin(), images.end(), [](const fatbin_image& i) { return i.kind == image_kind::ptx; });
  if (candidates.empty() || (!any_executed && any_ptx)) return newest_ptx;
  const auto rank = [&](std::uint32_t sm) {
    return std::tuple(is_executed(sm), with(sm, image_fit::older_code), with(sm, image_fit::own_code), sm == usual_sm,
                      sm);
  };
  return *std::max_element(candidates.begin(), candidates.end(),
                           [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
}

}  // namespace bankwise::cubin
