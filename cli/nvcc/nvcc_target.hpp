// The architecture for which nvcc compiles: a plain one such as sm_90, or one with the features of a single GPU (sm_90a)
// or of a family of GPUs (sm_100f). wgmma, setmaxnreg and tcgen05, for example, only exist for such architectures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::cli {

// Returns the flags of nvcc for a target such as "sm_90" or "sm_90a". With -arch=sm_90a, nvcc 13 would also compile for
// compute_90, which fails.
std::vector<std::string> flags_of_target(const std::string& target);

// Whether flags that the user passes to nvcc already name an architecture.
bool names_target(const std::vector<std::string>& nvcc_flags);

// Returns the target that a PTX file names, such as "sm_90a". Returns nothing if the file names none.
std::optional<std::string> target_of_ptx(std::string_view ptx);
// Whether code for this target can only be compiled for this target, and not for sm_90.
bool needs_own_target(std::string_view target);

// What ptxas says that a target lacks.
struct lacking_target {
  std::vector<std::string> features;  // such as "wgmma.fence", each once, in the order of the messages
  std::string needed;                 // the only target that can compile the file, if ptxas names it
};
// Returns nothing if `said`, the output of nvcc, has errors of another kind.
std::optional<lacking_target> read_lacking(std::string_view said);

// Returns the targets that have the missing features, as far as the features tell.
std::vector<std::string> targets_of_features(const lacking_target& lacks);

// Returns the targets to try instead of `target`, the most likely first. If the user did not choose the architecture,
// these include other architectures.
std::vector<std::string> other_targets(const lacking_target& lacks, const std::string& target, bool is_chosen);

// Returns the features in words: "wgmma.fence, wgmma.mma_async and 2 more".
std::string words_of(const lacking_target& lacks);

}  // namespace bankwise::cli
