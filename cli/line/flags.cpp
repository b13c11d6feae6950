#include "cli/line/flags.hpp"

#include <algorithm>

#include "bankwise/arch.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

constexpr flag flag_table[] = {
    // Flags about the access.
    {"explain", "--space", "MEMORY", arity::one,
     "shared (banks and wavefronts) or global (sectors and lines) (default shared, or what --op names: ld.global, LDG)",
     "shared global"},
    {"explain", "--op", "OP", arity::one,
     "ld, st, ldmatrix.x1|x2|x4, stmatrix.x1|x2|x4, atom.add, red.add, atom.cas, atom.cas.spin, popc.inc, cp.async, "
     "or another usual name: load, STS.64, LDSM.16.MT88.4, ds_read_b128, atomicAdd (default ld, or the operation of "
     "the line)",
     "ld st ldmatrix.x1 ldmatrix.x2 ldmatrix.x4 stmatrix.x1 stmatrix.x2 stmatrix.x4 atom.add red.add atom.cas "
     "atom.cas.spin popc.inc cp.async"},
    {"explain", "--width", "BYTES", arity::one,
     "bytes per lane: 1, 2, 4, 8 or 16, and for global memory also 32 (default 4, or the size of the element)",
     "1 2 4 8 16 32"},
    {"explain fix", "--type", "TYPE", arity::one,
     "the CUDA type of an element (float4, half_t, bf16). EXPR is then in elements instead of bytes, and the "
     "width is the size of TYPE"},
    {"explain fix", "--array", "DECL", arity::many,
     "declare an array as in the kernel: 'float tile[32][33]' or 'struct P { float x, y; } p[64]'. EXPR can then be "
     "tile[t][0], or a line of code that accesses the array. With --space global, 'float *x' means 'float x[]', and "
     "x[t] needs no declaration"},
    {"explain fix run", "--let", "NAME=N", arity::many,
     "define a constant. For explain and fix, its value can also depend on the lane: --let row=t/4"},
    {"explain fix", "--block", "X,Y,Z", arity::one, "the size of the thread block, for threadIdx (default 32)"},
    {"explain", "--warp", "N", arity::one,
     "show only this warp of the block. Default: warp 0 in detail, and the costs of the other warps"},
    {"fix", "--warp", "N", arity::one, "only this warp of the block (default all)"},
    {"explain", "--mask", "MASK", arity::one, "active lanes, such as 0xffff (default all)"},
    {"explain", "--where", "COND", arity::one, "active lanes as a condition, such as 't < 15 || t == 16'"},
    {"explain", "--addresses", "FILE", arity::one, "byte addresses from a file instead of EXPR, - for standard input"},
    {"explain", "--pad", "EVERY:BYTES", arity::one,
     "leave BYTES unused after every EVERY bytes: --pad 128:4 pads rows of 32 floats to 33 floats"},
    {"explain", "--swizzle", "B,M,S", arity::one, "apply CuTe's Swizzle<B,M,S> to the byte address, after --pad"},
    {"explain", "--html", "", arity::none,
     "write the explorer, a page where you change the access and see its cost (same as --format html; EXPR is "
     "optional)"},
    {"explain", "--source", "EXPR", arity::one,
     "for cp.async: global-memory address of each lane, in the units of EXPR. In a list of addresses, - means "
     "a lane that gets zeros"},
    {"explain", "--zfill", "", arity::none,
     "for cp.async.cg: the copy may fill lanes with zeros (src-size, LDGSTS.ZFILL), which also costs what cp.async.ca costs"},
    {"explain", "--base", "BYTES", arity::one,
     "for global memory: the array begins BYTES after a multiple of 256 (default 0, as for an array from cudaMalloc)"},
    {"explain", "--to", "EXPR", arity::one,
     "for cp.async.cg with --space global: each lane's address in shared memory (default 16 bytes apart)"},
    {"explain", "--all", "", arity::none, "list every collision, line and sector, not only the worst"},
    // Flags about the kernel that uses an array.
    {"fix", "--registers", "N", arity::one, "registers per thread, to compute the blocks per multiprocessor"},
    {"fix", "--shared", "BYTES", arity::one,
     "other shared memory of the block, to compute the blocks per multiprocessor (default 0). For a kernel file: the "
     "kernel's dynamic shared memory"},
    {"fix", "--all", "", arity::none,
     "list not only the best layout, but also every other layout, the accesses, the notes and the search"},
    // Flags for edits.
    {"fix", "--try-input", "REPORT.json", arity::many,
     "also compute the cost of each layout with the accesses of this report: the same kernels with other input"},
    {"fix", "--patch", "", arity::none,
     "print the edits of the sources as a patch for git apply, with paths from --root or the repository's folder"},
    {"fix", "--apply", "", arity::none, "make the edits in the sources; a .cu file is also compiled, run and compared"},
    {"fix", "--check", "BUILD", arity::one,
     "with --apply and a program: build with this shell command, run the program before and after the edits, "
     "and show both counts. If the build fails or the output differs, undo the edits"},
    {"fix",
     "-k,--kernel",
     "NAME",
     arity::one,
     "for a program or a kernel file: only arrays of this kernel",
     {},
     "--kernel-name"},
    {"fix", "--nvcc", "FLAG", arity::many, "for a .cu file: an additional flag for nvcc"},
    // Flags about the launch.
    {"run",
     "-k,--kernel",
     "NAME",
     arity::one,
     "the kernel: its name, a part of its name that no other kernel has, its mangled name, or regex:EXPR",
     {},
     "--kernel-name"},
    {"run fix", "--grid", "X,Y,Z", arity::one,
     "thread blocks of the grid. With --grid, bankwise launches one kernel of the file; without it, the whole "
     ".cu file or program runs"},
    {"run", "--block", "X,Y,Z", arity::one, "threads of a block (default 32)"},
    {"run fix", "--cluster", "X,Y,Z", arity::one,
     "thread blocks of a cluster (default: those of __cluster_dims__, or no cluster)"},
    {"run", "--shared", "BYTES", arity::one, "dynamic shared memory (default 0)"},
    {"run", "--stack", "BYTES", arity::one, "stack bytes per thread, as with cudaLimitStackSize (default 1024)"},
    {"run fix", "--arg", "ARG", arity::many,
     "one kernel argument, in order: 1024, i32=1024, f32=0.5, f32[1M]=iota|zero|random:SEED|file:F.npy, "
     "out:f32[1M] (zero), "
     "arg:1+256, '{f32[64]=iota, i32=64}' (a struct)"},
    {"run", "--dump", "N=FILE", arity::many,
     "write the buffer of argument N (counted from 1) to FILE after the launch, as .npy or raw bytes; N = 1.2 means the"
     " second field of argument 1"},
    {"run", "--nvcc", "FLAGS", arity::many,
     "pass the words that follow, up to the next bankwise flag, to nvcc: --nvcc -I include -DN=4"},
    {"run", "--check", "WHAT", arity::one,
     "look for hazards in shared memory: uninit (reads of bytes that were never written), race (accesses that no "
     "barrier orders) or all. Exit 1 if there is a hazard",
     "uninit race all"},
    {"run", "--counts", "", arity::none,
     "only count, and skip what no count needs: results that a program copies to the host are then zero"},
    {"run", "--global", "WHAT", arity::one,
     "count accesses to global memory: on or off. Default: on; with --counts, off if their addresses depend on "
     "data, because every block "
     "would then have to be executed",
     "on off"},
    {"run", "--faults", "WHAT", arity::one,
     "execute everything and check bounds. A GPU does not notice some accesses just outside an allocation: "
     "report (list them and continue) or stop (end the launch)",
     "report stop"},
    {"run", "--time-model", "WHAT", arity::one,
     "on: predict how long each launch takes on a GPU (--gpu, --caches), what bounds it, and what a fix saves. "
     "For a prediction, some blocks are executed twice, for at most about 30 s in a program; all: predict without "
     "this limit; off: no prediction. The default is on, but off with --counts, --check and --try-warps, and if "
     "BANKWISE_TIME_MODEL=off",
     "on off all"},
    {"run", "--gpu", "NAME", arity::one,
     "predict times for this GPU, such as 'H200', 'A100' or 'RTX 4090' (default: H100 SXM). Times of other GPUs are "
     "scaled from the H100 SXM with NVIDIA's published figures. NAME can also be a FILE.csv from bankwise probe "
     "--timing -o FILE.csv"},
    {"run", "--caches", "WHAT", arity::one,
     "cold: predict times with empty caches, as Nsight Compute measures by default; warm: the data that a launch reads "
     "is already in L2, as far as it fits",
     "cold warm"},
    {"run", "--trace", "FORMAT DIR", arity::one,
     "accel-sim DIR: also write the instructions and addresses of every launch in Accel-Sim's format, to "
     "DIR/kernelslist.g and one file per launch. Every block is then executed completely, in one thread"},
    {"run", "--seed", "N", arity::one,
     "run blocks, warps and diverged paths in another order; the same N gives the same order"},
    {"run", "--budget", "N", arity::one, "stop a launch after N warp instructions, and report the counts up to there"},
    {"run", "--total-budget", "N", arity::one,
     "stop each process of a program when its launches have executed N warp instructions in total, and report "
     "the counts up to there"},
    {"run", "--threads", "N", arity::one, "thread blocks to run at the same time (default: one for each core)"},
    {"run", "--interpret", "", arity::none,
     "execute instruction by instruction instead of compiling for this CPU: slower, with the same results"},
    {"run", "--ctas", "N|all", arity::one,
     "run only N evenly chosen blocks of each launch and estimate the counts of all blocks (default all). The "
     "results of the "
     "program are then wrong, because the other blocks did not run"},
    {"run", "--time", "SECONDS", arity::one,
     "spend at most SECONDS on emulation: run as many evenly chosen blocks of each launch as fit, and estimate the "
     "counts of all blocks, with intervals. If all blocks of a launch run, its counts are exact"},
    {"run", "--device-name", "NAME", arity::one,
     "the device name that the program gets from CUDA, for programs that check it: 'NVIDIA H100 80GB HBM3' "
     "(default: 'bankwise VERSION sm_90, emulated')"},
    {"run record report", "--all", "", arity::none,
     "list every shared-memory instruction, not only those with a finding"},
    {"run fix", "--cooperative", "", arity::none,
     "make a cooperative launch: all blocks are resident, and grid.sync() works"},
    {"run", "--fix", "", arity::none,
     "print every fix in full: the code of the padding or swizzle for each shared array, and what it saves"},
    {"run", "--no-fix", "", arity::none,
     "do not look for fixes. Without --fix and --no-fix a quick search prints one line for each finding"},
    {"run", "--array", "DECL", arity::many,
     "with --fix: declare an array of the kernel, 'float tile[32][32]', or an array in dynamic shared memory "
     "with its first "
     "byte, 'half k[2][64][64] @ 8192'"},
    {"run", "--try-input", "N=ARG...", arity::many,
     "with --fix: run again with other arguments, '2=u32[4096]=zero 3=64' for the second and the third --arg, "
     "and count every "
     "fix on that input as well"},
    {"run", "--try-warps", "", arity::none,
     "instead of the report, print what one kernel costs if other threads form its warps, and the lines of "
     "code that change this. The kernel runs once for each arrangement, and the results in memory are compared"},
    {"run", "--accesses", "", arity::none, "keep every distinct access in the JSON, for bankwise fix"},
    // Flags about recording.
    {"record", "-k,--kernel-name", "NAME", arity::one, "only this kernel: its name, or regex:EXPR", {}, "--kernel"},
    {"record", "-s,--launch-skip", "N", arity::one, "skip the first N launches that match (default 0)"},
    {"record", "-c,--launch-count", "N", arity::one, "then record N launches (default all)"},
    {"record", "--nvtx-include", "RANGE", arity::one, "only launches that a thread makes inside this NVTX range"},
    {"record", "--each", "N", arity::one,
     "record N launches for each combination of kernel, grid and block (default 1)"},
    {"record", "--shapes", "N", arity::one,
     "record at most N combinations of grid and block for each kernel (default 8)"},
    {"record", "--full", "", arity::none, "record every launch"},
    {"record", "--blocks", "N", arity::one,
     "record one of every N blocks. N is a power of two (default 1: all blocks)"},
    {"record", "--sanitizer", "DIR", arity::one,
     "the folder with libsanitizer-public.so (default: its folder in the CUDA toolkit)"},
    {"run", "--sass", "", arity::none, "print the kernel's machine code and stop"},
    {"run record report", "--fail-on", "WHAT", arity::one,
     "removable: exit 1 if a layout can remove wavefronts or an access is out of bounds; any: also if lanes queue for "
     "one word, or if a remedy saves sectors of global memory; or never (default)",
     "removable any never"},
    {"diff", "--fail-on", "WHAT", arity::one,
     "more: exit 1 if B has more removable wavefronts than A; or never (default)", "more never"},
    {"diff", "--all", "", arity::none, "also list the lines whose cost is equal in both reports"},
    {"check", "--config", "FILE", arity::one, "the configuration file (default bankwise.toml, if there is one)"},
    {"check", "--run", "NAME", arity::many, "only this [[run]] of the configuration"},
    {"check", "--rerun", "", arity::none, "make the reports of all [[run]]s again, even if nothing has changed"},
    {"check", "--jobs", "N", arity::one, "[[run]]s to execute at the same time (default: one for each core)"},
    {"init", "--config", "FILE", arity::one,
     "the configuration file to create, or to add a [[run]] to (default bankwise.toml)"},
    {"init", "--name", "NAME", arity::one, "the name of the run (default: the name of its kernel or program)"},
    {"lsp", "--stdio", "", arity::none, "accepted and ignored: the server always uses standard input and output"},
    {"check", "--baseline", "FILE", arity::one,
     "the known findings: only findings that are new or worse fail the check"},
    {"check", "--update-baseline", "", arity::none, "write the current findings to the baseline, and exit 0"},
    {"check", "--update-budgets", "", arity::none,
     "lower each budget of the configuration that allows more than the current cost. No budget is raised"},
    {"check", "--fail-on", "WHAT", arity::one,
     "what makes the check exit with 1. new: new findings and exceeded budgets (default); any: all findings and exceeded "
     "budgets; budget: only exceeded budgets; never: nothing",
     "new any budget never"},
    {"check", "--all", "", arity::none, "also list known and suppressed findings"},
    {"compare", "--fail-on", "WHAT", arity::one, "different: exit 1 if anything differs; or never (default)",
     "different never"},
    {"compare", "--all", "", arity::none, "also list equal counts"},
    {"run record fix report check", "--root", "DIR", arity::one,
     "paths inside DIR are written relative to it (default the working folder)"},
    {"predict", "--evidence", "", arity::none, "add a column with the evidence of each row's rule (always in JSON)"},
    // Flags about the probe.
    {"probe", "--device", "N", arity::one, "which GPU of the computer, from 0 (default 0)"},
    {"probe", "--timing", "", arity::none,
     "measure the parameters of the time model instead, for run --gpu FILE. Parameters that cannot be measured get "
     "assumed values"},
    {"probe", "--op", "OP", arity::many, "only this operation: ld.b128, ldmatrix.x4, atom.cas.b32"},
    {"probe", "--patterns", "N", arity::one, "how many random accesses of each operation to time (default 2000)"},
    {"probe", "--counted", "N", arity::one,
     "how many random accesses of each operation to count, some milliseconds each (default 24; 0: none)"},
    {"probe", "--contribute", "", arity::none,
     "measure for a minute and write a file to send to the project, without names of people or computers"},
    {"probe", "--seed", "N", arity::one, "seed of the random accesses (default 1)"},
    {"arch", "--contribution", "", arity::none,
     "check EVIDENCE.json that somebody sent, and print its row for data/contributed.csv (scripts/take-evidence)"},
    {"arch", "--published", "", arity::none,
     "list numbers that others published for the architecture, each next to the result of the rule"},
    // Flags of several verbs.
    {"explain predict run fix", "--arch", "ARCH", arity::one,
     "sm_90, sm_35.8 (8-byte banks), cdna3, a GPU by any usual name (A100, RTX 4090, 8.6, MI300X), or NxM: N "
     "banks of M bytes (default sm_90). run takes sm_75 and later (default: the architecture of the file)"},
    {"explain predict fix", "--phases", "A,B,C", arity::one,
     "for NxM: how many lanes are served together if each accesses up to 4 bytes (A), 8 bytes (B) or 16 bytes (C). "
     "Each number is 2 to 32, or 64 for a wave of 64 lanes (default 32,32,32)"},
    {"probe", "--arch", "ARCH", arity::one, "compare with the rule of this architecture (default the GPU's own)"},
    {"explain", "--format", "FORMAT", arity::one,
     "text, json, svg (the picture), html (the explorer), cpp (a static_assert), card (a picture of 1200 x 675 to "
     "share, before and after --pad and --swizzle) or loop (the card as an animation) (default text)",
     "text json svg html cpp card loop"},
    {"run record report", "--format", "FORMAT", arity::one,
     "text, json, html, csv (a row for each instruction), sarif, junit, github (annotations) or speedscope "
     "(where the pipe's "
     "clocks go, as a flame graph) (default text)",
     "text json html csv sarif junit github speedscope"},
    {"predict", "--format", "FORMAT", arity::one, "csv or json (default csv)", "csv json"},
    {"fix compare", "--format", "FORMAT", arity::one, "text or json (default text)", "text json"},
    {"diff", "--format", "FORMAT", arity::one,
     "text, json, html, csv or markdown, for a comment on a pull request (default text)",
     "text json html csv markdown"},
    {"check", "--format", "FORMAT", arity::one, "text, json, sarif, junit or github (default text)",
     "text json sarif junit github"},
    {"rule", "--format", "FORMAT", arity::one, "text or markdown (default text)", "text markdown"},
    {"probe", "--format", "FORMAT", arity::one,
     "text, json (evidence for bankwise arch) or svg (latencies); with --timing text or csv (default text, or "
     "from the ending of "
     "the -o file)",
     "text json svg csv"},
    {"explain predict run record fix report diff merge check compare probe", "-o,--output", "FILE", arity::one,
     "write the result to FILE instead of standard output"},
    {"explain run record fix report diff check compare rule probe arch", "--color", "WHEN", arity::one,
     "auto, always or never (default auto, which follows NO_COLOR and FORCE_COLOR)", "auto always never"},
};

// The groups of flags in help and manual, for verbs with many flags. `names` are long names. Flags that are in no group
// are printed last.
struct group_row {
  std::string_view verb, title, names;
};
constexpr group_row group_table[] = {
    {"run", "common flags", "kernel grid block arg fix all check output format"},
    {"run", "program and kernel", "nvcc arch shared cluster cooperative stack dump device-name sass"},
    {"run", "what to count",
     "global ctas time budget total-budget counts interpret threads seed time-model gpu caches trace"},
    {"run", "checks", "faults fail-on"},
    {"run", "fixes", "no-fix array let try-input try-warps accesses"},
    {"run", "output", "root color"},
    {"record", "common flags", "kernel-name all output format"},
    {"record", "what to record", "launch-skip launch-count nvtx-include each shapes full blocks sanitizer"},
    {"record", "checks", "fail-on"},
    {"record", "output", "root color"},
    {"fix", "common flags", "array block apply patch all output format"},
    {"fix", "the accesses", "type let warp registers shared arch phases"},
    {"fix", "the edit", "check kernel nvcc try-input root"},
    {"fix", "output", "color"},
    {"explain", "common flags", "space array op width mask arch all output format"},
    {"explain", "the access", "type let block warp where addresses base source zfill to"},
    {"explain", "another layout", "pad swizzle"},
    {"explain", "the machine", "phases"},
    {"explain", "output", "html color"},
};
constexpr std::string_view other_flags = "other flags";

}  // namespace

std::vector<flag_group> groups_of(std::string_view verb) {
  std::vector<const flag*> rest;
  for (const flag& f : flag_table)
    if (takes(f, verb)) rest.push_back(&f);
  std::vector<flag_group> groups;
  for (const group_row& row : group_table) {
    if (row.verb != verb) continue;
    flag_group& g = groups.emplace_back();
    g.title = row.title;
    for (const std::string_view name : split(row.names, ' '))
      if (const auto it = std::find_if(rest.begin(), rest.end(), [&](const flag* f) { return long_name(*f) == name; });
          it != rest.end()) {
        g.flags.push_back(*it);
        rest.erase(it);
      }
  }
  if (!rest.empty()) groups.push_back({groups.empty() ? std::string_view() : other_flags, std::move(rest)});
  return groups;
}

std::span<const flag> flags() { return flag_table; }

std::string_view long_name(const flag& f) { return f.name.substr(f.name.rfind("--") + 2); }
char short_name(const flag& f) { return f.name.starts_with("--") ? '\0' : f.name[1]; }

std::vector<std::string_view> architecture_names() {
  std::vector<std::string_view> names;
  for (const bankwise::arch& a : archs) names.emplace_back(a.name);
  for (const bankwise::arch& a : other_archs) names.emplace_back(a.name);
  return names;
}

std::vector<std::string_view> values_of(const flag& f) {
  if (f.value == "ARCH") return architecture_names();
  return f.words.empty() ? std::vector<std::string_view>{} : split(f.words, ' ');
}

bool takes(const flag& f, std::string_view verb) {
  std::string_view rest = f.verbs;
  for (;;) {
    const std::size_t blank = rest.find(' ');
    if (rest.substr(0, blank) == verb) return true;
    if (blank == std::string_view::npos) return false;
    rest.remove_prefix(blank + 1);
  }
}

}  // namespace bankwise::cli
