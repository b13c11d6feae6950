// Evidence that users send: checks of a file, and the table of all accepted files.
//
//     bankwise probe --contribute      on a user's GPU             writes one file
//     bankwise contribute FILE         anywhere                    packs a file that probe has written
//     scripts/take-evidence FILE       in the project              adds the file to data/, and its row to the table:
//
//     arch,gpu,driver,timed,timed_holds,counted,counted_holds,parameters,bankwise,file
//     sm_90,NVIDIA H100 80GB HBM3,13000,112018,112018,1138,1138,0,0.1.0,data/sm_90/evidence.json
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evidence.hpp"

namespace bankwise::probe {

// For each operation in a contribution: the numbers of timed and of counted measurements. The measurements take about a
// minute on a current GPU.
inline constexpr std::size_t contributed_timed = 20'000, contributed_counted = 200;
// The lowest numbers of measurements that are accepted.
inline constexpr std::size_t least_timed = 2'000, least_counted = 24;
inline constexpr const char* no_counters = "no counters were read";

struct contribution {
  std::string arch, gpu, version, file;
  unsigned driver = 0;
  std::uint64_t timed = 0, timed_holds = 0, counted = 0, counted_holds = 0;  // numbers of accesses of all operations
  std::uint64_t parameters = 0;  // number of measured parameters of the model of time (timing_contribution.hpp)
};

// Removes notes that may contain paths or messages of the system. Such notes must not be sent to others.
void keep_private(gpu_evidence& e);
// Returns the name of a contribution's file without extension, such as "sm_86-nvidia-geforce-rtx-3080".
std::string file_stem(const gpu_facts& on);
// Returns a name as a part of the name of a file: "nvidia-geforce-rtx-3080".
std::string slug_of(std::string_view name);
// Whether a text can be a name that NVIDIA's driver reports for a GPU: "NVIDIA GeForce RTX 3080 Ti". Every word is known, or
// is a number with a few capital letters. So a user's name or the name of a computer is not one.
bool is_gpu_name(std::string_view s);
// Returns the error for two texts that differ. It contains the number of the first different line.
diagnostic first_difference(std::string_view text, std::string_view expected, const std::string& file,
                            std::string message = "the probe does not write this line");

// Reads a file that `bankwise probe` wrote with -o, checks it, and removes what must not be sent to others. Errors are as
// for read_contribution.
result<gpu_evidence> pack_evidence(std::string_view text, const std::string& file);

// Reads a file from outside. The file must be the output of `bankwise probe --contribute`, byte for byte. bankwise must
// have a rule for the GPU's architecture, and the GPU must have been compared with this rule. The file must contain all
// operations, and no text except names. Errors name the file and, if possible, the line.
result<gpu_evidence> read_contribution(std::string_view text, const std::string& file);
contribution contribution_of(const gpu_evidence& e, const std::string& file);

std::string to_csv(const std::vector<contribution>& all);
result<std::vector<contribution>> read_contributions(std::string_view csv, const std::string& name);
// Reads the table of contributions that is part of the program.
result<std::vector<contribution>> contributions_of_this();

}  // namespace bankwise::probe
