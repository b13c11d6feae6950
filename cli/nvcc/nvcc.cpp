#include "cli/nvcc/nvcc.hpp"

#include <algorithm>
#include <cstdio>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/setting.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/line/error_form.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/nvcc/nvcc_target.hpp"

namespace bankwise::cli {

std::string nvcc_version(const std::string& nvcc) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return "";
  const std::string heard = formatted("{}/heard", scratch.path());
  const auto status = run_and_hear({nvcc, "--version"}, heard);
  if (!status || *status != 0) return "";
  // An example of nvcc's output is "Cuda compilation tools, release 13.0, V13.0.88".
  const auto said = read_file(heard);
  const std::size_t at = said ? said->find(", V") : std::string::npos;
  if (at == std::string::npos) return "";
  const std::size_t first = at + 3;
  return said->substr(first, said->find_first_not_of("0123456789.", first) - first);
}

namespace {

constexpr const char* usual_target = "sm_90";

// The parts of nvcc's command that depend on the kind of output.
struct output_kind {
  std::vector<std::string> words;
  std::string file, heard;
  std::string made;  // how the user can make the output on another machine
};

std::optional<diagnostic> refuse_source(const std::string& source, const std::string& nvcc, const std::string& made) {
  if (nvcc.empty())
    return diagnostic{"a .cu file needs nvcc, which was not found",
                      {},
                      formatted("add nvcc to the PATH, set CUDA_HOME, or compile on another machine with {}", made)};
  // nvcc passes file names in double quotes to a shell.
  if (const std::size_t at = source.find_first_of("$`\"\\\n"); at != std::string::npos)
    return diagnostic{formatted("{}: nvcc passes this name to a shell, which would interpret the character '{}'",
                                source, source.substr(at, 1)),
                      {},
                      "rename the file"};
  return std::nullopt;
}

// The output of nvcc, and whether it failed.
struct nvcc_run {
  bool failed = false;
  std::string said;
};

// Runs nvcc. An empty target means that the user's flags name it.
result<nvcc_run> run_nvcc(const std::string& nvcc, const compilation& what, const output_kind& to,
                          const std::string& target) {
  std::vector<std::string> words{nvcc};
  words.insert(words.end(), to.words.begin(), to.words.end());
  if (!target.empty())
    for (const std::string& word : flags_of_target(target)) words.push_back(word);
  words.insert(words.end(), {"-o", to.file});
  words.insert(words.end(), what.flags.begin(), what.flags.end());
  words.push_back(what.source);
  const auto status = run_and_hear(words, to.heard, &stop_signal());
  if (!status) return status.error();
  if (const auto signal = stop_signal().load(); signal != 0)
    return diagnostic{formatted("nvcc was stopped by {}", signal_name(static_cast<int>(signal)))};
  const auto heard_text = read_file(to.heard);
  return nvcc_run{*status != 0, heard_text ? std::string(trim(*heard_text)) : ""};
}

std::string words_in_one(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

// The error if the user's flags for nvcc name an architecture without the features.
diagnostic explain_lacking_of_flags(const compilation& what, const lacking_target& lacks) {
  const auto having = targets_of_features(lacks);
  const std::string target = !lacks.needed.empty() ? lacks.needed : having.empty() ? "sm_90a" : having[0];
  return {formatted("nvcc could not compile {}: the architecture in {} has no {}", what.source, worded_name("nvcc"),
                    lacks.features.empty() ? formatted("instructions of {}", lacks.needed) : words_of(lacks)),
          {},
          formatted("leave out the architecture, or name one that has these features, such as {}",
                    words_in_one(flags_of_target(target)))};
}

diagnostic explain_lacking(const compilation& what, const std::string& target, const lacking_target& lacks) {
  std::string hint = spelled("choose an architecture that has these features with {arch}");
  if (const auto having = targets_of_features(lacks); !having.empty() && having[0] != target)
    hint = formatted("choose the architecture with these features: {}", worded(setting::arch, having[0]));
  if (!lacks.needed.empty()) hint = formatted("choose its architecture: {}", worded(setting::arch, lacks.needed));
  const std::string why = lacks.features.empty() ? formatted("it is PTX for {}", lacks.needed)
                                                 : formatted("{} has no {}", target, words_of(lacks));
  return {formatted("nvcc could not compile {} for {}: {}", what.source, target, why), {}, hint};
}

// Returns the target of a compilation, or an empty text if the user's flags name it.
std::string target_asked(const compilation& what) {
  if (names_target(what.flags)) return "";
  if (what.arch) return *what.arch;
  if (what.source.ends_with(".ptx"))
    if (const auto text = read_file(what.source))
      if (const auto named = target_of_ptx(*text); named && needs_own_target(*named)) return *named;
  return usual_target;
}

// Compiles. If ptxas says that the target lacks features of an instruction, compiles again for a target that has them.
// Writes a fatbin instead of a cubin if the user's flags name several architectures.
// The warnings of nvcc are printed on standard error, and its errors become the error of bankwise.
result<done> compile_for_target(const compilation& what, output_kind to) {
  const std::string nvcc = find_tool("nvcc");
  if (const auto wrong = refuse_source(what.source, nvcc, to.made)) return *wrong;
  const std::string first_target = target_asked(what);
  std::string target = first_target;
  auto ran = run_nvcc(nvcc, what, to, target);
  if (ran && ran->failed && ran->said.find("'--cubin' is not allowed") != std::string::npos) {
    std::replace(to.words.begin(), to.words.end(), std::string("-cubin"), std::string("-fatbin"));
    ran = run_nvcc(nvcc, what, to, target);
  }
  if (!ran) return ran.error();
  const auto lacks = ran->failed ? read_lacking(ran->said) : std::nullopt;
  if (lacks && target.empty()) return explain_lacking_of_flags(what, *lacks);
  if (lacks) {
    for (const std::string& other : other_targets(*lacks, first_target, what.arch.has_value())) {
      auto again = run_nvcc(nvcc, what, to, other);
      if (!again) return again.error();
      if (again->failed && read_lacking(again->said)) continue;
      ran = std::move(again);
      target = other;
      break;
    }
    if (target == first_target) return explain_lacking(what, target, *lacks);
    if (!ran->failed && !what.is_repeated)
      tell(formatted("note: {} needs {}{}, so bankwise compiled it with {}", what.source, target,
                     lacks->features.empty() ? "" : formatted(" ({})", words_of(*lacks)),
                     words_in_one(flags_of_target(target))));
  }
  if (ran->failed)
    return diagnostic{formatted("nvcc could not compile {}\n{}", what.source, ran->said),
                      {},
                      formatted("pass more flags to nvcc after {}", worded_name("nvcc"))};
  if (!ran->said.empty() && !what.is_repeated)
    std::fprintf(stderr, "%s\n", printable_lines(ran->said).c_str());  // only warnings
  return done{};
}

}  // namespace

result<std::string> compile_cubin(const compilation& what) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  // Not -fatbin, because nvcc -arch=sm_90a then also compiles for compute_90, which lacks the features of sm_90a.
  const output_kind to{{"-cubin", "-lineinfo"},
                       formatted("{}/kernel", scratch.path()),
                       formatted("{}/heard", scratch.path()),
                       formatted("nvcc -cubin -lineinfo {}, and pass the .cubin to bankwise",
                                 words_in_one(flags_of_target(what.arch.value_or(usual_target))))};
  if (const auto compiled = compile_for_target(what, to); !compiled) return compiled.error();
  return read_file(to.file);
}

result<done> compile_program(const compilation& what, const std::string& program) {
  return compile_for_target(what, {{"-cudart", "shared", "-lineinfo"},
                                   program,
                                   formatted("{}.heard", program),
                                   formatted("nvcc -cudart shared -lineinfo {}, and pass the program to bankwise",
                                             words_in_one(flags_of_target(what.arch.value_or(usual_target))))});
}

}  // namespace bankwise::cli
