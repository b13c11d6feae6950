#include "cli/line/verbs.hpp"

#include <algorithm>

#include "check/finding_kinds.hpp"
#include "cli/line/flags.hpp"

namespace bankwise::cli {

namespace {

std::vector<std::string_view> finding_ids() {
  std::vector<std::string_view> ids;
  for (const check::finding_kind& k : check::finding_kinds()) ids.emplace_back(k.id);
  return ids;
}

constexpr verb verb_table[] = {
    {"explain", explain, "EXPR|ADDRESSES", "what one access costs, which lanes and banks collide, and why",
     "bankwise explain --array 'float tile[32][32]' 'tile[t][0]'",
     "With --space global, which sectors and lines of global memory it touches, and what helps:\n"
     "  bankwise explain --space global 'x[t * 2]'"},
    {"predict", predict, "TABLE.csv|-",
     "wavefronts, ideal, reachable, passes, cycles and Nsight Compute's numbers, for each access of a table",
     "bankwise predict data/sm_90/wavefronts.csv",
     "The table's columns are op, mask (hexadecimal) and a0 to a31 in bytes; for cp.async also source_stride, or s0 "
     "to s31.\n"
     "If the sources of a cp.async.ca are not contiguous, the answer assumes that they are in L1. The example has 80 "
     "such rows.\n"
     "They were measured with empty caches, and the answer differs in 24 of them."},
    {"run", run_kernel_or_program, "FILE|PROGRAM [ARGUMENTS]",
     "execute a program, or one kernel, on the CPU and report each source line",
     "bankwise run transpose.cu -k plain --grid 32,32 --block 32,8 --arg out:f32[1M] --arg f32[1M]=iota --arg "
     "i32=1024",
     "PROGRAM is an executable or a script, on the PATH or here. Flags come before it: all words after it are passed "
     "to it.\n"
     "  bankwise run --format json -o report.json ./app 64\n"
     "  bankwise run python3 train.py --epochs 1\n"
     "FILE is a .cu file, which runs as a whole program, or with --grid as one kernel; or a .ptx, .cubin or .fatbin "
     "file, from\n"
     "which one kernel runs. Flags may follow it. Program arguments follow --, or start at the first word that is not "
     "a flag:\n"
     "  bankwise run app.cu --fix -- 64 --verbose",
     verb_words::file_or_program},
    {"record", record, "PROGRAM [ARGUMENTS]",
     "the report of bankwise run, for a program on a GPU, recorded through the Compute Sanitizer API",
     "bankwise record -k regex:attention -o report.%p.json python3 train.py",
     "Flags come before the program: all words after it are passed to it. -- may separate them.\n"
     "For each kernel, the first launch with each grid and block is recorded, up to eight of them; other launches "
     "run\n"
     "without patches. --full records all launches. Standard output and the exit status are the program's. In the "
     "name after\n"
     "-o, %p is the process, %h the host and %r the rank.",
     verb_words::program},
    {"fix", fix, "ACCESS...|REPORT.json|PROGRAM [ARGUMENTS]",
     "the padding or swizzle that removes an array's conflicts, its cost and its code",
     "bankwise fix --array 'float tile[32][32]' --block 32,8 'st tile[threadIdx.y][threadIdx.x]' "
     "'ld tile[threadIdx.x][threadIdx.y]'",
     "An access is [NAME [* WEIGHT]:] [OP] ARRAY[..][..] [where COND] [for I < N, ...]:\n"
     "  'store: cp.async.16 A[i * 4 + t / 8][t % 8 * 8] for i < 16'\n"
     "  'load * 8: ldmatrix.x4 A[t % 16][t / 16 * 8]'           counts eight times\n"
     "Every warp of --block makes the access. The expression is the same as for explain; the default OP is ld.\n"
     "run --accesses --format json writes a REPORT.json; --array then declares the rows of an array of the kernel.\n"
     "PROGRAM is any file or program that bankwise run takes. fix runs it and prints layouts that remove the "
     "conflicts:\n"
     "  bankwise fix ./app 1024\n"
     "  bankwise fix app.cu\n"
     "--patch and --apply take a report, a .cu file or a program:\n"
     "  bankwise fix --apply --check 'make' -- ./app 1024",
     verb_words::accesses_or_program},
    {"report", render_report, "REPORT.json", "render a report that run --format json wrote",
     "bankwise report report.json --format sarif -o bankwise.sarif",
     "The page of --format html shows source, SASS and PTX only if run --format html wrote it: a saved report has "
     "none."},
    {"diff", diff, "A.json B.json", "what changed between two reports, line by line",
     "bankwise diff before.json after.json --fail-on more"},
    {"merge",
     merge,
     "A.json B.json ...",
     "several reports as one; equal launches become one launch with a count",
     "bankwise merge first.json second.json -o both.json",
     {},
     verb_words::ours,
     nullptr,
     true},
    {"check", check_reports, "[REPORT.json ...]",
     "check reports against budgets, a baseline and comments in the sources",
     "bankwise check report.json --baseline bankwise.baseline.json",
     "bankwise.toml in the working folder, or --config, sets what is allowed:\n"
     "  reports = [\"build/report.json\"]          # if the command line names no report\n"
     "  baseline = \"bankwise.baseline.json\"      # findings that are known; --update-baseline writes it\n"
     "  fail-on = \"new\"\n"
     "  [[budget]]\n"
     "  kernel = \"transpose*\"                    # for one launch of it\n"
     "  line = \"transpose.cu:18\"                 # if left out, the whole kernel\n"
     "  wavefronts = 4096                        # or excess, removable, ratio (wavefronts over ideal);\n"
     "                                           # of a kernel: elapsed-cycles, microseconds (predicted time)\n"
     "  [[run]]                                  # executed if no report is given; again only if something has "
     "changed\n"
     "  name = \"transpose\"\n"
     "  command = \"transpose.cu -k padded --grid 8,8 --block 32,8 --arg 'out:f32[64K]'\"\n"
     "  inputs = [\"data/*.npy\"]                  # files it depends on, in addition to those in the command\n"
     "  [[run.budget]]                           # of this run alone\n"
     "  removable = 0\n"
     "A comment suppresses a finding and gives the reason: // bankwise: ignore BW101 -- runs once a kernel"},
    {"init", init, "FILE|PROGRAM [ARGUMENTS OF RUN]",
     "add a run to bankwise.toml, with the current cost of its kernels as budgets",
     "bankwise init transpose.cu -k padded --grid 32,32 --block 32,8 --arg out:f32[1M] --arg f32[1M]=iota --arg "
     "i32=1024",
     "It takes the same arguments as `bankwise run`, except -o and --format. Flags for the run of a program\n"
     "follow --: bankwise init -- --time 30 ./app 64. The program runs once. From then on, `bankwise check` reports "
     "every cost that has grown.\n"
     "A second init of the same program and kernel updates its run.",
     verb_words::program},
    {"lsp", lsp_server, "",
     "a language server: editors use it to show the cost of each line, over standard input and output", "bankwise lsp",
     "The server reads bankwise.toml in the editor's folder, and the reports that this file names. It repeats a run if "
     "its\n"
     "report is stale and the run takes only seconds. It shows the findings of bankwise check at their lines.\n"
     "docs/howto/editor.md has the settings for each editor. initializationOptions can contain:\n"
     "  \"run\": \"never\"     never repeat a run\n"
     "  \"seconds\": 20      repeat runs of at most 20 seconds (default 5)\n"
     "  \"showsText\": true  the client shows the text that bankwise.explain returns"},
    {"compare", compare, "REPORT.json NCU.csv",
     "compare a report with Nsight Compute's counts, and explain the differences",
     "bankwise compare report.json ncu.csv",
     "ncu --import r.ncu-rep --csv writes the CSV, with --page source (--print-source cuda,sass is allowed) or with "
     "--page raw.\n"
     "A table with the columns of data/sm_90/kernels.csv works as well."},
    {"rule",
     rule,
     "[ID]",
     "what a finding means, with an example, and what to do about it",
     "bankwise rule BW101",
     {},
     verb_words::ours,
     finding_ids},
    {"probe", probe, "", "measure whether the rule holds on this computer's GPU", "bankwise probe -o evidence.json",
     "Times random accesses of each operation, and counts some of them with the hardware's counter if CUPTI is "
     "installed and\n"
     "allowed. Compares both with the rule of the GPU's architecture. If they differ, it exits 1 and prints the "
     "smallest such\n"
     "access of each operation. It also measures latencies, and finds banks, phases and merging without assuming a "
     "rule.\n"
     "--contribute writes a file to send to the project; docs/probe.md explains what happens with it."},
    {"arch",
     arch,
     "[NAME|EVIDENCE.json]",
     "what is known about each GPU, with its evidence, or what a probe measured",
     "bankwise arch sm_90",
     {},
     verb_words::ours,
     architecture_names},
};

}  // namespace

std::span<const verb> verbs() { return verb_table; }

const verb* find_verb(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(verb_table), std::end(verb_table), [&](const verb& v) { return v.name == name; });
  return found != std::end(verb_table) ? found : nullptr;
}

}  // namespace bankwise::cli
