#include "flags.hpp"

#include "bankwise/arch.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

constexpr verb verb_table[] = {
    {"explain", "EXPR|ADDRESSES", "what one access costs, which lanes and banks collide, and why",
     "bankwise explain --array 'float tile[32][32]' 'tile[t][0]'"},
    {"predict", "TABLE.csv|-", "wavefronts, ideal, reachable, passes and cycles of many accesses, a row each",
     "bankwise predict data/sm_90/wavefronts.csv",
     "The table's columns: op, mask (hexadecimal), a0 to a31 in bytes; of cp.async also source_stride, or s0 to s31.\n"
     "cp.async.ca of sources that are not contiguous is answered for a source in L1: 80 rows of the example, which were\n"
     "measured with empty caches and differs in 24 of them."},
    {"run", "FILE|PROGRAM [ARGUMENTS]", "execute a program, or one kernel, on the CPU and report each source line",
     "bankwise run transpose.cu -k plain --grid 32,32 --block 32,8 --arg out:f32[1M] --arg f32[1M]=iota --arg "
     "i32=1024",
     "PROGRAM is an executable or a script, on the PATH or here. Flags stand before it: all words behind it are its own.\n"
     "  bankwise run --format json -o report.json ./app 64\n"
     "  bankwise run python3 train.py --epochs 1\n"
     "FILE is a .cu, whose program runs whole, or with --grid one of its kernels; or a .ptx, .cubin or .fatbin, of which a\n"
     "kernel runs. Flags may stand behind it; the program's words come behind --, or from the first that is no flag on:\n"
     "  bankwise run app.cu --fix -- 64 --verbose"},
    {"record", "PROGRAM [ARGUMENTS]",
     "the same report of a program that runs on a GPU, through the Compute Sanitizer API",
     "bankwise record -k regex:attention -o report.%p.json python3 train.py",
     "Flags stand before the program: all words behind it are its own. -- may part them.\n"
     "Of every kernel the first launch with each grid and block is recorded, up to eight of them; other launches run\n"
     "without patches. --full records all. The program keeps standard output and its exit status; of -o, %p is the\n"
     "process, %h the host and %r the rank."},
    {"fix", "ACCESS...|REPORT.json", "the padding or swizzle that removes an array's conflicts, its price and its code",
     "bankwise fix --array 'float tile[32][32]' --block 32,8 'st tile[threadIdx.y][threadIdx.x]' "
     "'ld tile[threadIdx.x][threadIdx.y]'",
     "An access is [NAME [* WEIGHT]:] [OP] ARRAY[..][..] [where COND] [for I < N, ...]:\n"
     "  'store: cp.async.16 A[i * 4 + t / 8][t % 8 * 8] for i < 16'\n"
     "  'load * 8: ldmatrix.x4 A[t % 16][t / 16 * 8]'           counts eight times\n"
     "It is made by every warp of --block. The expression is that of explain; OP is ld if it is left out.\n"
     "A report is what run --accesses --format json writes; --array then gives an array of the kernel its rows."},
    {"report", "REPORT.json", "render a report that run --format json wrote",
     "bankwise report report.json --format sarif -o bankwise.sarif",
     "The page of --format html shows source, SASS and PTX only if run --format html wrote it: a saved report has "
     "none."},
    {"diff", "A.json B.json", "what changed between two reports, line by line",
     "bankwise diff before.json after.json --fail-on more"},
    {"merge", "A.json B.json ...", "several reports as one; equal launches become one with their count",
     "bankwise merge first.json second.json -o both.json"},
    {"check", "[REPORT.json ...]", "check reports against budgets, a baseline and comments in the sources",
     "bankwise check report.json --baseline bankwise.baseline.json",
     "bankwise.toml in the working folder, or --config, says what is allowed:\n"
     "  reports = [\"build/report.json\"]          # where none is given on the command line\n"
     "  baseline = \"bankwise.baseline.json\"      # findings that are known; --update-baseline writes it\n"
     "  fail-on = \"new\"\n"
     "  [[budget]]\n"
     "  kernel = \"transpose*\"                    # for one launch of it\n"
     "  line = \"transpose.cu:18\"                 # if left out, the whole kernel\n"
     "  wavefronts = 4096                        # or excess, removable, ratio (wavefronts over ideal)\n"
     "A comment keeps a finding and says why: // bankwise: ignore BW101 -- runs once a kernel"},
    {"compare", "REPORT.json NCU.csv", "a report compared with Nsight Compute's counts, and why they differ",
     "bankwise compare report.json ncu.csv",
     "The CSV is of ncu --import r.ncu-rep --csv with --page source, also with --print-source cuda,sass, or with\n"
     "--page raw; or a table with the columns of data/sm_90/kernels.csv."},
    {"rule", "[ID]", "what a finding means, with an example, and what to do about it", "bankwise rule BW101"},
    {"probe", "", "measure whether the rule holds on this computer's GPU", "bankwise probe -o evidence.json",
     "Times random accesses of each operation, counts some of them with the hardware's counter where CUPTI is there and\n"
     "allowed, and compares both with the rule of the GPU's architecture. Exits 1 if they differ; for each operation the\n"
     "smallest access that shows it is printed. It also measures latencies, and looks for banks, phases and merging without\n"
     "any rule. docs/probe.md says how to send the evidence in."},
    {"arch", "[NAME|EVIDENCE.json]", "what is known of each GPU, with its evidence, or what a probe measured",
     "bankwise arch sm_90"},
};

constexpr flag flag_table[] = {
    // The access.
    {"explain", "--op", "OP", arity::one,
     "ld, st, ldmatrix.x1|x2|x4, stmatrix.x1|x2|x4, atom.add, red.add, atom.cas, atom.cas.spin, popc.inc, cp.async "
     "(default ld)",
     "ld st ldmatrix.x1 ldmatrix.x2 ldmatrix.x4 stmatrix.x1 stmatrix.x2 stmatrix.x4 atom.add red.add atom.cas "
     "atom.cas.spin popc.inc cp.async"},
    {"explain", "--width", "BYTES", arity::one,
     "bytes a lane: 1, 2, 4, 8 or 16 (default 4, or the size of the element)", "1 2 4 8 16"},
    {"explain fix", "--type", "TYPE", arity::one,
     "a CUDA type (float4): EXPR counts elements of it, and it sets the width"},
    {"explain fix", "--array", "DECL", arity::many,
     "declare a shared array, 'float tile[32][33]'; EXPR may then be tile[t][0]"},
    {"explain fix", "--let", "NAME=N", arity::many, "a named constant"},
    {"explain fix", "--block", "X,Y,Z", arity::one, "the thread block of threadIdx (default 32)"},
    {"explain", "--warp", "N", arity::one, "the warp of the block (default 0)"},
    {"fix", "--warp", "N", arity::one, "only this warp of the block (default all)"},
    {"explain", "--mask", "MASK", arity::one, "active lanes, 0xffff (default all)"},
    {"explain", "--where", "COND", arity::one, "active lanes as a condition, 't < 15 || t == 16'"},
    {"explain", "--addresses", "FILE", arity::one, "byte addresses from a file instead of EXPR, - for standard input"},
    {"explain", "--pad", "EVERY:BYTES", arity::one,
     "leave BYTES free behind every EVERY bytes: --pad 128:4 makes rows of 32 floats rows of 33"},
    {"explain", "--swizzle", "B,M,S", arity::one, "CuTe's Swizzle<B,M,S> over the byte address, after --pad"},
    {"explain", "--html", "", arity::none,
     "write the explorer, a page to change the access in and watch (as --format html; EXPR may be left out)"},
    {"explain", "--source", "EXPR", arity::one,
     "of cp.async: each lane's address in global memory, in the units of EXPR; in a list - gets zeros"},
    {"explain", "--zfill", "", arity::none,
     "of cp.async.cg: the copy may fill lanes with zeros (src-size, LDGSTS.ZFILL), and is then counted both ways"},
    {"explain", "--all", "", arity::none, "list every collision, not only the worst"},
    // The kernel around an array.
    {"fix", "--registers", "N", arity::one, "registers per thread, for the blocks per multiprocessor"},
    {"fix", "--shared", "BYTES", arity::one,
     "other shared memory of the block, for the blocks per multiprocessor (default 0)"},
    {"fix", "--all", "", arity::none, "the code of every answer, not only of the best"},
    // The launch.
    {"run", "-k,--kernel", "NAME", arity::one,
     "the kernel: its name, a part of it that no other kernel has, its mangled name, or regex:EXPR"},
    {"run", "--grid", "X,Y,Z", arity::one,
     "thread blocks of the grid: launches one kernel of the file; without it a .cu file or a program runs whole"},
    {"run", "--block", "X,Y,Z", arity::one, "threads of a block (default 32)"},
    {"run", "--cluster", "X,Y,Z", arity::one, "blocks of a cluster (default: as __cluster_dims__ says, or none)"},
    {"run", "--shared", "BYTES", arity::one, "dynamic shared memory (default 0)"},
    {"run", "--stack", "BYTES", arity::one, "stack of a thread, as cudaLimitStackSize (default 1024)"},
    {"run", "--arg", "ARG", arity::many,
     "one kernel argument, in order: i32=1024, f32=0.5, f32[1M]=iota|zero|random:SEED|file:F.npy, out:f32[1M] (zero)"},
    {"run", "--dump", "N=FILE", arity::many,
     "after the launch write the buffer of argument N, from 1, to FILE (.npy or raw)"},
    {"run", "--nvcc", "FLAGS", arity::many,
     "the words after it, up to the next flag of bankwise, go to nvcc: --nvcc -I include -DN=4"},
    {"run", "--check", "WHAT", arity::one,
     "look for hazards in shared memory: uninit (reads of what was never written), race (unordered accesses), all; "
     "exit 1 if there is one",
     "uninit race all"},
    {"run", "--faults", "WHAT", arity::one,
     "an access just outside of an allocation, which a GPU lets pass: report it and go on (default), or stop as at what a "
     "GPU faults on",
     "report stop"},
    {"run", "--seed", "N", arity::one,
     "schedule blocks, warps and the paths of a warp in another order, the same for the same N"},
    {"run", "--budget", "N", arity::one, "stop a launch after N warp instructions; what it did until then is reported"},
    {"run", "--threads", "N", arity::one, "thread blocks run at a time (default: one for each core)"},
    {"run", "--ctas", "N|all", arity::one,
     "run N blocks of each launch, chosen evenly, and scale their counts (default all). What the program computes is then "
     "wrong: other blocks did not run"},
    {"run record report", "--all", "", arity::none,
     "list every shared-memory instruction, also those without a finding"},
    {"run", "--cooperative", "", arity::none, "a cooperative launch: all blocks are resident, grid.sync() works"},
    {"run", "--fix", "", arity::none,
     "look for the paddings and swizzles that remove the conflicts of each shared array"},
    {"run", "--array", "DECL", arity::many,
     "with --fix: an array of the kernel as it is declared, 'float tile[32][32]'"},
    {"run", "--accesses", "", arity::none, "keep every distinct access in the JSON, for bankwise fix"},
    // Recording.
    {"record", "-k,--kernel-name", "NAME", arity::one, "only this kernel: its name, or regex:EXPR"},
    {"record", "-s,--launch-skip", "N", arity::one, "skip the first N launches that match (default 0)"},
    {"record", "-c,--launch-count", "N", arity::one, "then record N launches (default all)"},
    {"record", "--nvtx-include", "RANGE", arity::one, "only launches while their thread is in this NVTX range"},
    {"record", "--each", "N", arity::one, "of each kernel with each grid and block, record N launches (default 1)"},
    {"record", "--shapes", "N", arity::one, "grids and blocks of one kernel that are recorded (default 8)"},
    {"record", "--full", "", arity::none, "record every launch"},
    {"record", "--blocks", "N", arity::one, "record one block of N, a power of two (default 1: all)"},
    {"record", "--sanitizer", "DIR", arity::one,
     "the folder with libsanitizer-public.so (default: of the CUDA toolkit)"},
    {"run", "--sass", "", arity::none, "print the kernel's machine code and stop"},
    {"run record report", "--fail-on", "WHAT", arity::one,
     "removable: exit 1 if a layout removes wavefronts or an access is out of bounds; any: also for lanes that queue for one "
     "word; or never (default)",
     "removable any never"},
    {"diff", "--fail-on", "WHAT", arity::one,
     "more: exit 1 if B has more removable wavefronts than A; or never (default)", "more never"},
    {"diff", "--all", "", arity::none, "list the lines that cost the same too"},
    {"check", "--config", "FILE", arity::one, "the configuration file (default bankwise.toml, if there is one)"},
    {"check", "--baseline", "FILE", arity::one, "the known findings: only new ones, and worse ones, fail"},
    {"check", "--update-baseline", "", arity::none, "write the baseline with the findings of now, and exit 0"},
    {"check", "--fail-on", "WHAT", arity::one,
     "exit 1 for: new findings and budgets (default), any finding and budgets, budget alone, or never",
     "new any budget never"},
    {"check", "--all", "", arity::none, "list what is known or suppressed too"},
    {"compare", "--fail-on", "WHAT", arity::one, "different: exit 1 if anything differs; or never (default)",
     "different never"},
    {"compare", "--all", "", arity::none, "list what is equal too"},
    {"run record report check", "--root", "DIR", arity::one,
     "paths inside DIR are written relative to it (default the working folder)"},
    {"predict", "--evidence", "", arity::none, "add a column with the evidence of each row's rule (always in JSON)"},
    // The probe.
    {"probe", "--device", "N", arity::one, "which GPU of the computer, from 0 (default 0)"},
    {"probe", "--op", "OP", arity::many, "only this operation: ld.b128, ldmatrix.x4, atom.cas.b32"},
    {"probe", "--patterns", "N", arity::one, "random accesses of each operation to time (default 2000)"},
    {"probe", "--counted", "N", arity::one,
     "random accesses of each operation to count, some milliseconds each (default 24; 0: none)"},
    {"probe", "--seed", "N", arity::one, "seed of the random accesses (default 1)"},
    // All.
    {"explain predict run fix", "--arch", "ARCH", arity::one,
     "sm_90, sm_35.8 (8-byte banks), or NxM: N banks of M bytes (default sm_90); run: sm_75 and later (default the "
     "file's)"},
    {"probe", "--arch", "ARCH", arity::one, "compare with the rule of this architecture (default the GPU's own)"},
    {"explain", "--format", "FORMAT", arity::one,
     "text, json, svg (the picture), html (the explorer) or cpp (a static_assert) (default text)",
     "text json svg html cpp"},
    {"run record report", "--format", "FORMAT", arity::one,
     "text, json, html, csv (a row for each instruction), sarif, junit or github (annotations) (default text)",
     "text json html csv sarif junit github"},
    {"predict", "--format", "FORMAT", arity::one, "csv or json (default csv)", "csv json"},
    {"fix compare", "--format", "FORMAT", arity::one, "text or json (default text)", "text json"},
    {"diff", "--format", "FORMAT", arity::one, "text, json or csv (default text)", "text json csv"},
    {"check", "--format", "FORMAT", arity::one, "text, json, sarif, junit or github (default text)",
     "text json sarif junit github"},
    {"rule", "--format", "FORMAT", arity::one, "text or markdown (default text)", "text markdown"},
    {"probe", "--format", "FORMAT", arity::one,
     "text, json (evidence for bankwise arch) or svg (latencies) (default text, or what the name of -o says)",
     "text json svg"},
    {"explain predict run record fix report diff merge check compare probe", "-o,--output", "FILE", arity::one,
     "write the result there instead of standard output"},
    {"explain run record fix report diff check compare rule probe arch", "--color", "WHEN", arity::one,
     "auto, always or never (default auto; NO_COLOR and FORCE_COLOR count)", "auto always never"},
};

}  // namespace

std::span<const verb> verbs() { return verb_table; }
std::span<const flag> flags() { return flag_table; }

std::string_view long_name(const flag& f) { return f.name.substr(f.name.rfind("--") + 2); }
char short_name(const flag& f) { return f.name.starts_with("--") ? '\0' : f.name[1]; }

std::vector<std::string_view> values_of(const flag& f) {
  if (f.value == "ARCH") {
    std::vector<std::string_view> names;
    for (const bankwise::arch& a : archs) names.emplace_back(a.name);
    return names;
  }
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
