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
    {"explain", explain, "EXPR|ADDRESSES", "show what one access costs, which lanes and banks collide, and why",
     "bankwise explain --array 'float tile[32][32]' 'tile[t][0]'",
     "With --space global, explain shows which sectors and lines of global memory the access touches, and how to "
     "reduce their number:\n"
     "  bankwise explain --space global 'x[t * 2]'"},
    {"predict", predict, "TABLE.csv|-",
     "compute the cost of each access in a table, and the numbers that Nsight Compute shows for the access",
     "bankwise predict data/sm_90/wavefronts.csv",
     "The table's columns are op, mask (hexadecimal) and a0 to a31 (byte addresses). cp.async also needs "
     "source_stride, or s0 to s31.\n"
     "docs/reference/glossary.md explains the columns of the output: wavefronts, ideal, reachable, passes and cycles.\n"
     "If the sources of a cp.async.ca are not contiguous, the prediction assumes that the sources are in L1. The "
     "example has 80 rows with such accesses. The rows were measured with empty caches, and the prediction differs "
     "from the measurement in 24 rows."},
    {"run", run_kernel_or_program, "FILE|PROGRAM [ARGUMENTS]",
     "execute a program or one kernel on the CPU, and report the cost of each source line",
     "bankwise run transpose.cu -k plain --grid 32,32 --block 32,8 --arg out:f32[1M] --arg f32[1M]=iota --arg "
     "i32=1024",
     "PROGRAM is an executable or a script, on the PATH or in the working folder. Write flags before PROGRAM: "
     "bankwise passes all words after it to the program.\n"
     "  bankwise run --format json -o report.json ./app 64\n"
     "  bankwise run python3 train.py --epochs 1\n"
     "FILE is a .cu, .ptx, .cubin or .fatbin file. A .cu file runs as a whole program, or with --grid as one kernel. "
     "For all other files, bankwise runs one kernel. Flags may follow FILE. Program arguments follow --, or start at "
     "the first word that is not a flag:\n"
     "  bankwise run app.cu --fix -- 64 --verbose",
     verb_words::file_or_program},
    {"record", record, "PROGRAM [ARGUMENTS]",
     "record a program on a GPU through the Compute Sanitizer API, and print the same report as bankwise run",
     "bankwise record -k regex:attention -o report.%p.json python3 train.py",
     "Write flags before the program. bankwise passes all words after the program's name to the program. You can "
     "write -- between the flags and the program.\n"
     "For each kernel, bankwise records the first launch with each grid and block, and at most eight launches. Other "
     "launches run unchanged, and bankwise does not record them. --full records all launches. bankwise record keeps "
     "the standard output and the exit status of the program. In the name after -o, %p is the process, %h the host "
     "and %r the rank.",
     verb_words::program},
    {"fix", fix, "ACCESS...|REPORT.json|PROGRAM [ARGUMENTS]",
     "find a padding or swizzle that removes the conflicts of an array, and print the cost and the code",
     "bankwise fix --array 'float tile[32][32]' --block 32,8 'st tile[threadIdx.y][threadIdx.x]' "
     "'ld tile[threadIdx.x][threadIdx.y]'",
     "An access is [NAME [* WEIGHT]:] [OP] ARRAY[..][..] [where COND] [for I < N, ...]:\n"
     "  'store: cp.async.16 A[i * 4 + t / 8][t % 8 * 8] for i < 16'\n"
     "  'load * 8: ldmatrix.x4 A[t % 16][t / 16 * 8]'           this access counts eight times\n"
     "Every warp of --block makes the access. Expressions are the same as for explain. The default OP is ld.\n"
     "run --accesses --format json writes a REPORT.json. With a report, --array declares the rows of an array of the "
     "kernel.\n"
     "PROGRAM is any file or program that bankwise run accepts. fix runs it and prints layouts that remove the "
     "conflicts:\n"
     "  bankwise fix ./app 1024\n"
     "  bankwise fix app.cu\n"
     "--patch and --apply take a report, a .cu file or a program:\n"
     "  bankwise fix --apply --check 'make' -- ./app 1024",
     verb_words::accesses_or_program},
    {"report", render_report, "REPORT.json", "convert a JSON report to another format",
     "bankwise report report.json --format sarif -o bankwise.sarif",
     "report --format html writes a page without SASS and PTX, because a saved report does not contain them. The page "
     "has the sources that bankwise finds below the working folder, the folder of the report or --root, if their lines "
     "are the same as in the report. For a page with everything, use bankwise run --format html."},
    {"diff", diff, "A.json B.json", "show what changed between two reports or two commits, line by line",
     "bankwise diff before.json after.json --fail-on more",
     "Kernels are compared with each other by their names and template arguments. If a program failed, diff names the "
     "place, compares only kernels that ran to their end, and exits with status 2.\n"
     "--commits makes both reports. The words after -- are those of `bankwise run`:\n"
     "  bankwise diff --commits main my-branch --build 'make -j' -- ./app 64\n"
     "  bankwise diff --commits HEAD -- transpose.cu     the working tree with the last commit"},
    {"merge",
     merge,
     "A.json B.json ...",
     "combine several reports into one report, and equal launches into one launch with a count",
     "bankwise merge first.json second.json -o both.json",
     {},
     verb_words::ours,
     nullptr,
     true},
    {"check", check_reports, "[REPORT.json ...]",
     "check reports against budgets, a baseline and comments in the sources",
     "bankwise check report.json --baseline bankwise.baseline.json",
     "The file bankwise.toml in the working folder, or the file after --config, sets what is allowed:\n"
     "  # reports to check if the command line names none\n"
     "  reports = [\"build/report.json\"]\n"
     "  # file of known findings, which --update-baseline writes\n"
     "  baseline = \"bankwise.baseline.json\"\n"
     "  fail-on = \"new\"\n"
     "\n"
     "  # the budget is for one launch of this kernel. Without the key line, the\n"
     "  # budget is for the whole kernel. Other keys than wavefronts: excess,\n"
     "  # removable, ratio (wavefronts over ideal), and for a whole kernel also\n"
     "  # elapsed-cycles and microseconds (predicted)\n"
     "  [[budget]]\n"
     "  kernel = \"transpose*\"\n"
     "  line = \"transpose.cu:18\"\n"
     "  wavefronts = 4096\n"
     "\n"
     "  # runs if the command line names no report, and only after a change. inputs\n"
     "  # are files that the run depends on, in addition to those in its command\n"
     "  [[run]]\n"
     "  name = \"transpose\"\n"
     "  command = \"\"\"transpose.cu -k padded --grid 8,8 --block 32,8 \\\n"
     "    --arg 'out:f32[64K]'\"\"\"\n"
     "  inputs = [\"data/*.npy\"]\n"
     "\n"
     "  # a budget only for this run\n"
     "  [[run.budget]]\n"
     "  removable = 0\n"
     "A comment in a source suppresses a finding and gives the reason: // bankwise: ignore BW101 -- runs once per "
     "kernel"},
    {"init", init, "FILE|PROGRAM [ARGUMENTS OF RUN]",
     "add a run to bankwise.toml. The budgets of the run are the current costs of its kernels",
     "bankwise init transpose.cu -k padded --grid 32,32 --block 32,8 --arg out:f32[1M] --arg f32[1M]=iota --arg "
     "i32=1024",
     "`bankwise init` takes the same arguments as `bankwise run`, except -o and --format. Write the flags of a "
     "program's run after --: bankwise init -- --time 30 ./app 64. The program runs once. From then on, `bankwise "
     "check` reports every cost that has grown. If you repeat `bankwise init` for the same program and kernel, it "
     "updates the run.",
     verb_words::program},
    {"lsp", lsp_server, "",
     "start a language server on standard input and output, so that an editor can show the cost of each line",
     "bankwise lsp",
     "The server reads bankwise.toml in the editor's folder, and the reports that this file names. It repeats a run "
     "if the report of the run is out of date and the run takes only seconds. It shows the findings of bankwise "
     "check at their lines.\n"
     "docs/howto/editor.md has the settings for each editor. initializationOptions can contain:\n"
     "  \"run\": \"never\"     never repeat a run\n"
     "  \"seconds\": 20      repeat runs of at most 20 seconds (default 5)\n"
     "  \"showsText\": true  the client shows the text that bankwise.explain returns"},
    {"mcp", mcp_server, "",
     "start a server of the Model Context Protocol on standard input and output, so that language models can use bankwise",
     "bankwise mcp --root my_project",
     "The tools are explain, run, fix, tune, diff, check, arch, rule and more. Each result has less than 2,000 tokens. What does "
     "not fit has a handle, with which the tool `more` returns it.\n"
     "Commands run in the folder of --root. Neither they nor the programs that they start can write outside of it, if "
     "Linux has Landlock (6.2 or later). Temporary files are in its folder .bankwise.\n"
     "AGENTS.md has the settings for clients."},
    {"tune", tune_kernels, "FILE|PROGRAM [ARGUMENTS]",
     "predict the time of each configuration of a kernel or program, and rank the configurations",
     "bankwise tune kernel.cu -k gemm -D TILE=16,32 -D STAGES=2..4 --grid 'N/TILE,N/TILE' --block 'TILE,TILE' --let "
     "N=1024 --arg 'out:f32[N*N]' --arg 'f32[N*N]=iota' --arg i32=N",
     "Each configuration is compiled once with its values as macros. For a whole program, write its arguments after --. "
     "An expression in braces in an argument is replaced, and the values are also variables of its environment:\n"
     "  bankwise tune app.cu -D TILE=16,32 -- --size 4096\n"
     "  bankwise tune -D TILE=16,32 --build 'make -B TILE=$TILE' ./app 4096\n"
     "  bankwise tune --set THREADS=64..512:*2 ./app --threads '{THREADS}'\n"
     "The time of a program is the sum over its launches. A configuration that does not compile or run, or gives other "
     "results than the first, is listed with the reason, and not ranked.",
     verb_words::file_or_program},
    {"compare", compare, "REPORT.json NCU.csv",
     "compare a report with Nsight Compute's counts, and explain the differences",
     "bankwise compare report.json ncu.csv",
     "ncu --import r.ncu-rep --csv writes the CSV file, with --page source or --page raw. --print-source cuda,sass "
     "is allowed.\n"
     "A table with the columns of data/sm_90/kernels.csv works as well."},
    {"rule",
     rule,
     "[ID]",
     "explain a finding, with an example and a remedy",
     "bankwise rule BW101",
     {},
     verb_words::ours,
     finding_ids},
    {"probe", probe, "", "measure whether bankwise's rule for the cost of accesses holds on this computer's GPU",
     "bankwise probe -o evidence.json",
     "probe measures the clocks of random accesses of each operation. If CUPTI is installed and allowed, probe also "
     "counts the wavefronts of some accesses with the hardware counter. It compares the clocks and the counts with "
     "the rule for the GPU's architecture. If a number differs, probe exits with status 1. For each operation that "
     "differs, it prints the smallest access that shows the difference. probe also measures latencies. Without "
     "assuming a rule, it finds the banks, the lanes that the hardware serves together (phases), and the phases that "
     "the hardware serves as one phase (merging).\n"
     "--contribute writes a file that you can send to the project. docs/probe.md explains what happens with the "
     "file."},
    {"contribute", contribute, "FILE.csv|EVIDENCE.json",
     "pack a file of bankwise probe, so that you can send it: without names of people, computers and folders",
     "bankwise contribute gpu.csv -o timing.csv",
     "FILE.csv is from bankwise probe --timing -o FILE.csv, EVIDENCE.json from bankwise probe -o EVIDENCE.json. "
     "contribute checks the file, removes all texts except the name of the GPU, prints the rest, and writes it to a new "
     "file. The new file can also be used with --gpu."},
    {"arch",
     arch,
     "[NAME|EVIDENCE.json]",
     "show what is known about each GPU, with the evidence, or show the measurements of a probe",
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
