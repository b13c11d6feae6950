#include "cli/line/flags.hpp"

#include <algorithm>

#include "bankwise/arch.hpp"
#include "base/text.hpp"
#include "timing/gpu.hpp"

namespace bankwise::cli {

namespace {

constexpr flag flag_table[] = {
    // Flags about the access.
    {"explain", "--space", "MEMORY", arity::one,
     "the memory that EXPR accesses: shared or global. Costs are wavefronts for shared memory, and sectors and lines "
     "for global memory. The default is shared, or global if --op names a global operation such as ld.global or LDG",
     "shared global"},
    {"explain", "--op", "OP", arity::one,
     "the operation: ld, st, ldmatrix.x1|x2|x4, stmatrix.x1|x2|x4, atom.add, red.add, atom.cas, atom.cas.spin, "
     "popc.inc or cp.async. Names from PTX, SASS and CUDA are also accepted, such as STS.64, LDSM.16.MT88.4, "
     "ds_read_b128 and atomicAdd. The default is ld. If EXPR is a line of code, the default is the line's operation",
     "ld st ldmatrix.x1 ldmatrix.x2 ldmatrix.x4 stmatrix.x1 stmatrix.x2 stmatrix.x4 atom.add red.add atom.cas "
     "atom.cas.spin popc.inc cp.async"},
    {"explain", "--width", "BYTES", arity::one,
     "bytes per lane: 1, 2, 4, 8 or 16, and for global memory also 32. The default is the size of an array's "
     "element, or 4 if EXPR has no array",
     "1 2 4 8 16 32"},
    {"explain fix", "--type", "TYPE", arity::one,
     "the CUDA type of an element, such as float4, half_t or bf16. EXPR is then in elements instead of bytes, and "
     "the width is the size of TYPE"},
    {"explain fix", "--array", "DECL", arity::many,
     "declare an array as in the kernel: 'float tile[32][33]' or 'struct P { float x, y; } p[64]'. EXPR can then be "
     "tile[t][0], or a line of code that accesses the array. With --space global, you can also declare a pointer "
     "such as 'float *x'. An array without a declaration then has elements of type float"},
    {"explain fix run", "--let", "NAME=N", arity::many,
     "define a constant. For explain and fix, the value can also depend on the lane: --let row=t/4"},
    {"explain fix", "--block", "X,Y,Z", arity::one,
     "the size of the thread block (default 32). The values of threadIdx depend on this size"},
    {"explain", "--warp", "N", arity::one,
     "explain only warp N of the block. By default, bankwise explains warp 0 in detail and prints the costs of the "
     "other warps"},
    {"fix", "--warp", "N", arity::one, "compute only the accesses of warp N of the block (default: all warps)"},
    {"explain", "--mask", "MASK", arity::one, "the active lanes as a bit mask, such as 0xffff (default: all lanes)"},
    {"explain", "--where", "COND", arity::one, "the active lanes as a condition, such as 't < 15 || t == 16'"},
    {"explain", "--addresses", "FILE", arity::one,
     "read the byte address of each lane from FILE instead of EXPR. The name - means standard input"},
    {"explain", "--pad", "EVERY:BYTES", arity::one,
     "insert a gap of BYTES bytes after each piece of EVERY bytes. --pad 128:4 turns rows of 32 floats into rows of "
     "33 floats"},
    {"explain", "--swizzle", "B,M,S", arity::one,
     "apply CuTe's Swizzle<B,M,S> to the element's index in its array. If EXPR names no declared array, or for "
     "B,M,S:bytes, the swizzle is applied to the byte address. If --pad is also passed, the padding is applied first"},
    {"explain", "--html", "", arity::none,
     "write the explorer, a page where you change the access and see its cost. This is the same as --format html. "
     "EXPR is optional"},
    {"explain", "--source", "EXPR", arity::one,
     "for cp.async: the global-memory address of each lane, in the units of EXPR. In a list of addresses, the "
     "address - means that the lane gets zeros"},
    {"explain", "--zfill", "", arity::none,
     "for cp.async.cg: the copy may fill lanes with zeros (src-size in PTX, LDGSTS.ZFILL in SASS). Such a copy costs "
     "as many wavefronts as cp.async.ca"},
    {"explain", "--base", "BYTES", arity::one,
     "for global memory: the array begins BYTES bytes after a multiple of 256 bytes (default 0, as for an array from "
     "cudaMalloc)"},
    {"explain", "--to", "EXPR", arity::one,
     "for cp.async.cg with --space global: the shared-memory address of each lane. By default, the addresses of "
     "neighbouring lanes are 16 bytes apart"},
    {"explain", "--all", "", arity::none, "list every collision, line and sector (default: only the worst)"},
    // Flags about the kernel that uses an array.
    {"fix", "--registers", "N", arity::one,
     "registers per thread. bankwise needs the number to compute how many blocks fit on a multiprocessor"},
    {"fix", "--shared", "BYTES", arity::one,
     "bytes of shared memory that the block uses for other arrays (default 0). bankwise needs the number to compute "
     "how many blocks fit on a multiprocessor. For a kernel file, BYTES is the kernel's dynamic shared memory"},
    {"fix", "--all", "", arity::none,
     "in addition to the best layout, list every other layout, the accesses, the notes and the search"},
    // Flags for edits.
    {"fix", "--try-input", "REPORT.json", arity::many,
     "also compute the cost of each layout with the accesses in REPORT.json. This file is a report of the same kernels "
     "with different input"},
    {"fix", "--patch", "", arity::none,
     "print the edits of the sources as a patch for git apply. Paths are relative to --root, or to the folder of the "
     "repository"},
    {"fix", "--apply", "", arity::none,
     "make the edits in the sources. For a .cu file, bankwise also compiles and "
     "runs the edited program, and compares the results before and after the edit"},
    {"fix", "--check", "BUILD", arity::one,
     "with --apply and a program: build the program with the shell command BUILD, run the program before and after the "
     "edits, and print the counts of both runs. If the build fails or the output differs, bankwise undoes the edits"},
    {"fix", "--skip-copies", "", arity::none,
     "with --apply: do not compare the bytes that the program copies to the host, but only its output, files and exit "
     "status. Use this if the program checks its results with a tolerance, for edits that round differently"},
    {"fix",
     "-k,--kernel",
     "NAME",
     arity::one,
     "for a program or a kernel file: fix only the kernel NAME",
     {},
     "--kernel-name"},
    {"fix", "--nvcc", "FLAG", arity::many, "for a .cu file: pass FLAG to nvcc"},
    // Flags about the launch.
    {"run",
     "-k,--kernel",
     "NAME",
     arity::one,
     "the kernel to run. NAME is the name of the kernel, the name with template arguments as in the report (hgemm<64, "
     "half>), the mangled name, the beginning of the full name, a part of a name, regex:EXPR, or a filter of compute-sanitizer: kns=PART, kne=NAME or regex=EXPR. For a whole program, the report then "
     "has only the kernels that NAME selects",
     {},
     "--kernel-name --kernel-regex"},
    {"run",
     "--kernel-exclude",
     "NAME",
     arity::many,
     "for a whole program: leave the kernels that NAME selects out of the report and of the checks. They still run",
     {},
     "--kernel-name-exclude --kernel-regex-exclude"},
    {"run fix", "--grid", "X,Y,Z", arity::one,
     "the number of thread blocks in the grid. With --grid, bankwise launches one kernel of the file. Without "
     "--grid, the whole .cu file or program runs"},
    {"run", "--block", "X,Y,Z", arity::one, "the number of threads in a block (default 32)"},
    {"run fix", "--cluster", "X,Y,Z", arity::one,
     "the number of thread blocks in a cluster. The default is the number from __cluster_dims__. Without "
     "__cluster_dims__, there are no clusters"},
    {"run", "--shared", "BYTES", arity::one, "bytes of dynamic shared memory (default 0)"},
    {"run", "--stack", "BYTES", arity::one, "bytes of stack per thread, as set with cudaLimitStackSize (default 1024)"},
    {"run fix", "--arg", "ARG", arity::many,
     "one argument of the kernel. Repeat the flag for each argument, in order. Examples are 1024, i32=1024, f32=0.5, "
     "f32[1M]=iota|zero|random:SEED|file:F.npy (a buffer), out:f32[1M] (a buffer of zeros), arg:1+256 (an address in "
     "the buffer of argument 1) and '{f32[64]=iota, i32=64}' (a struct)"},
    {"run", "--dump", "N=FILE", arity::many,
     "after the launch, write the buffer of argument N to FILE, as .npy or raw bytes. Arguments are counted from 1. "
     "If argument 1 is a struct, N = 1.2 means its second field"},
    {"run", "--nvcc", "FLAGS", arity::many,
     "pass the words after --nvcc, up to the next flag of bankwise, to nvcc: --nvcc -I include -DN=4"},
    {"run", "--check", "LIST", arity::one,
     "look for faults, and exit with status 1 if there is one. LIST has one or more of these words, separated by "
     "commas. memory: accesses out of bounds, wrong calls of cudaFree, leaks, errors of CUDA that the program did not "
     "look at. race: accesses to shared memory that no barrier orders. init: reads of memory that was never written. "
     "sync: wrong uses of barriers, shuffles and votes. all: everything",
     "all memory race init sync memory,race,init,sync"},
    {"run", "--suppressions", "FILE", arity::one,
     "leave out what the [[ignore]] entries of FILE accept: findings of --check by kind, kernel and line. FILE has the form "
     "of bankwise.toml"},
    {"run", "--print-limit", "N", arity::one,
     "print at most N findings of --check in the text. The exit status and other formats know all findings"},
    {"run", "--safe", "", arity::none, "run all checks. This is the same as --check all"},
    {"run", "--counts", "", arity::none,
     "skip instructions that the counts do not depend on. The results that a program copies to the host are then zero"},
    {"run", "--global", "WHAT", arity::one,
     "on: count the accesses to global memory (default). off: do not count these accesses. With --counts, the default "
     "is off if the kernel's global addresses depend on data. To count these accesses, bankwise would have to execute "
     "every block",
     "on off"},
    {"run", "--faults", "WHAT", arity::one,
     "execute every instruction and check the bounds of every access. WHAT is what happens at an access just outside "
     "an allocation. A GPU may not notice this access. report: list the access and continue. stop: end the launch",
     "report stop"},
    {"run", "--time-model", "WHAT", arity::one,
     "on: predict how long each launch takes on a GPU (--gpu, --caches), which resource bounds it, and how much time "
     "a fix saves. For a prediction, bankwise executes some blocks twice. This takes at most about 30 s per program. "
     "all: predict without this limit. off: do not predict. The default is off with --counts and --try-warps, and if "
     "BANKWISE_TIME_MODEL=off is set. Otherwise, the default is on",
     "on off all"},
    {"run", "--gpu", "NAME", arity::one,
     "predict times for this GPU, such as 'H200', 'A100' or 'RTX 4090' (default: H100 SXM). Times of other GPUs use "
     "numbers that others published about them, and numbers of the H100 SXM. A100@1.41 or A100@boost is another clock than "
     "Nsight Compute's. NAME can also be FILE.csv from bankwise probe --timing -o FILE.csv"},
    {"run", "--caches", "WHAT", arity::one,
     "cold: predict times with empty caches. Nsight Compute also measures with empty caches by default. warm: assume "
     "that L2 already contains the data that a launch reads, as far as the data fits into L2",
     "cold warm"},
    {"run", "--trace", "FORMAT DIR", arity::one,
     "also write the instructions and addresses of every launch for another simulator. The only FORMAT is accel-sim, "
     "which writes DIR/kernelslist.g and one file per launch. bankwise then executes every block completely, in one "
     "thread"},
    {"run", "--seed", "N", arity::one,
     "run blocks, warps and diverged paths in a random order. The same N gives the same order"},
    {"run", "--schedules", "K", arity::one,
     "also execute each launch in K other orders, and exit with status 1 if an order leaves other values in global "
     "memory. The report shows the --seed that repeats this order"},
    {"run", "--budget", "N", arity::one,
     "stop each launch after N warp instructions, and report the counts up to this point"},
    {"run", "--total-budget", "N", arity::one,
     "stop each process of a program when the launches of the process have executed N warp instructions in total, and "
     "report the counts up to this point"},
    {"run", "--threads", "N", arity::one,
     "the number of thread blocks that run at the same time (default: one for each core)"},
    {"run", "--interpret", "", arity::none,
     "interpret each instruction instead of compiling the kernel for this CPU. This is slower, and the results are "
     "the same"},
    {"run", "--repeat-launches", "", arity::none,
     "execute each launch of a program. Without this flag, bankwise does not execute a launch that would read and write "
     "the same as an earlier launch. The results are the same"},
    {"run", "--virtual-time", "", arity::none,
     "let the clocks of the host show a program what they would show on a machine with a GPU: the program's own time, "
     "the cost of its calls, and the predicted time of the work for which it waits. Times between events always are "
     "predictions"},
    {"run", "--timeline", "FILE", arity::one,
     "also write the timeline of a program to FILE, as --format perfetto does: its calls, and when its launches and "
     "copies would run on the GPU"},
    {"run", "--ctas", "N|all", arity::one,
     "run only N evenly spaced blocks of each launch, and estimate the counts of all blocks from them. The results "
     "of the program are then wrong, because the other blocks did not run. all: run every block (default)"},
    {"run", "--time", "SECONDS", arity::one,
     "spend at most SECONDS on emulation. bankwise runs as many evenly spaced blocks of each launch as this time "
     "allows, and estimates the counts of all blocks, with intervals. If all blocks of a launch run, the counts of the "
     "launch are exact"},
    {"run", "--device-name", "NAME", arity::one,
     "the device name that the program gets from CUDA. Some programs require a certain name, such as 'NVIDIA H100 "
     "80GB HBM3' (default: 'bankwise VERSION sm_90, emulated')"},
    {"run record report", "--all", "", arity::none,
     "list every shared-memory instruction. By default, only instructions with a finding are listed"},
    {"run fix", "--cooperative", "", arity::none,
     "make a cooperative launch. All blocks are then resident at the same time, so grid.sync() works"},
    {"run", "--fix", "", arity::none,
     "print every fix in full: the code of the padding or swizzle for each shared array, and the saved wavefronts"},
    {"run", "--no-fix", "", arity::none,
     "do not look for fixes. Without --fix and --no-fix, bankwise makes a quick search and prints one line for each "
     "finding"},
    {"run", "--array", "DECL", arity::many,
     "with --fix: declare an array of the kernel, such as 'float tile[32][32]'. For an array in dynamic shared "
     "memory, add the offset of its first byte: 'half k[2][64][64] @ 8192'"},
    {"run", "--try-input", "N=ARG...", arity::many,
     "with --fix: run the kernel again with different arguments, and also count the wavefronts of every fix on this "
     "input. '2=u32[4096]=zero 3=64' replaces the second and the third --arg"},
    {"run", "--try-warps", "", arity::none,
     "instead of the report, print the cost of one kernel for different assignments of threads to warps, and the lines "
     "of code that change the assignment. The kernel runs once for each assignment, and bankwise compares the results "
     "in memory"},
    {"run", "--accesses", "", arity::none,
     "write every distinct access into the JSON report, because bankwise fix needs the accesses"},
    {"run", "--batch", "FILE", arity::one,
     "predict the times of many launches in one process. Each line of FILE is a JSON object with the keys file, kernel, "
     "grid, block, args and so on, named like the flags, which are the defaults of all lines. Each line of the output is "
     "the JSON answer to a line, in the same order"},
    {"run", "--jobs", "N", arity::one, "with --batch: the number of launches at a time (default: one for each core)"},
    {"run", "--stop-above", "US", arity::one,
     "with --batch: stop the prediction of a launch that takes longer than US microseconds"},
    {"run", "--key", "", arity::none,
     "with --batch: print a key for each launch instead of its time. Launches with equal keys have equal answers, so the "
     "key can be the key of a cache"},
    {"run record report", "--brief", "", arity::none,
     "with --format json: write only the times of the kernels and the findings that save the most time, in at most "
     "6,000 bytes, which a language model reads as less than 2,000 tokens"},
    {"run record report", "--sort", "ORDER", arity::one,
     "the order of launches in the text: time (default), launched or name", "time launched name"},
    // Flags about recording.
    {"record",
     "-k,--kernel-name",
     "NAME",
     arity::one,
     "record only launches of the kernel NAME, or of kernels whose names match regex:EXPR",
     {},
     "--kernel"},
    {"record", "-s,--launch-skip", "N", arity::one, "skip the first N launches that match the other flags (default 0)"},
    {"record", "-c,--launch-count", "N", arity::one,
     "record at most N launches, after the skipped launches (default: all)"},
    {"record", "--nvtx-include", "RANGE", arity::one,
     "record only launches that a thread makes inside this NVTX range"},
    {"record", "--each", "N", arity::one,
     "record N launches for each combination of kernel, grid and block (default 1)"},
    {"record", "--shapes", "N", arity::one,
     "record at most N combinations of grid and block for each kernel (default 8)"},
    {"record", "--full", "", arity::none, "record every launch"},
    {"record", "--blocks", "N", arity::one,
     "record one block of every N blocks. N is a power of two (default 1: all blocks)"},
    {"record", "--sanitizer", "DIR", arity::one,
     "the folder with libsanitizer-public.so (default: the folder compute-sanitizer of the CUDA toolkit)"},
    {"run", "--sass", "", arity::none, "print the kernel's machine code and stop"},
    {"run record report", "--fail-on", "WHAT", arity::one,
     "the findings that make bankwise exit with status 1. removable: wavefronts that a layout can remove, and "
     "accesses out of bounds. any: also lanes that queue for one word, and sectors of global memory that a remedy "
     "saves. never: no finding (default)",
     "removable any never"},
    {"diff", "--fail-on", "WHAT", arity::one,
     "more: exit with status 1 if the second report has more removable wavefronts than the first report. never: exit "
     "with status 0 in any case (default)",
     "more never"},
    {"diff", "--commits", "A", arity::one,
     "compare two commits of the repository in the current folder instead of two reports: --commits A B. Without B, "
     "compare the commit with the working tree as it is. bankwise checks each commit out into a temporary folder, "
     "builds it there with --build, and runs the program after --. The working tree and the index do not change"},
    {"diff", "--build", "COMMAND", arity::one,
     "with --commits: the shell command that builds the program in the folder of a commit"},
    {"diff", "--all", "", arity::none, "also list the lines whose cost is equal in both reports"},
    {"check", "--config", "FILE", arity::one, "the configuration file (default bankwise.toml, if there is one)"},
    {"check", "--run", "NAME", arity::many, "make and check only the [[run]] with this name"},
    {"check", "--rerun", "", arity::none,
     "repeat all [[run]]s and write their reports again, even if nothing has changed"},
    {"check", "--jobs", "N", arity::one,
     "the number of [[run]]s to execute at the same time (default: one for each core)"},
    {"init", "--config", "FILE", arity::one,
     "the configuration file to create, or to add a [[run]] to (default bankwise.toml)"},
    {"init", "--name", "NAME", arity::one, "the name of the run (default: the name of its kernel or program)"},
    {"lsp", "--stdio", "", arity::none,
     "use standard input and output. The server always does this, so the flag has no effect"},
    {"mcp", "--root", "DIR", arity::one, "the folder in which commands run (default: the working folder)"},
    {"check", "--baseline", "FILE", arity::one,
     "FILE contains the known findings. Only findings that are new or worse than in FILE make the check fail"},
    {"check", "--update-baseline", "", arity::none,
     "write the current findings to the baseline file, and exit with status 0"},
    {"check", "--update-budgets", "", arity::none,
     "lower the budgets to the current costs. A budget that is below the current cost does not change"},
    {"check", "--fail-on", "WHAT", arity::one,
     "what makes the check exit with status 1. new: new findings and exceeded budgets (default). any: all findings "
     "and exceeded budgets. budget: only exceeded budgets. never: nothing",
     "new any budget never"},
    {"check", "--all", "", arity::none, "also list known and suppressed findings"},
    {"compare", "--fail-on", "WHAT", arity::one,
     "different: exit with status 1 if any count differs. never: exit with status 0 in any case (default)",
     "different never"},
    {"compare", "--all", "", arity::none, "also list counts that are equal in the report and in Nsight Compute"},
    {"run record fix report check", "--root", "DIR", arity::one,
     "write the paths of files in DIR relative to DIR (default: the working folder)"},
    {"predict", "--evidence", "", arity::none,
     "add a column to the CSV: the evidence for the rule of each row. JSON always contains the evidence"},
    // Flags of tune.
    {"tune", "-D,--define", "NAME=VALUES", arity::many,
     "a macro of the source with its values: a list (TILE=16,32,64), words (TYPE=float,half), or a range of whole numbers "
     "(STAGES=2..4, K=0..64:+16, TILE=8..64:*2). Repeat the flag for each name"},
    {"tune", "--set", "NAME=VALUES", arity::many,
     "the same for a name that is not a macro, but only in other flags, such as --block THREADS or -k 'gemm<TILE>'"},
    {"tune", "--flags", "A|B", arity::one,
     "also try these flags of nvcc, separated by |: '-maxrregcount=64|-maxrregcount=128|'"},
    {"tune", "--where", "EXPR", arity::many,
     "leave out configurations for which EXPR is 0, such as 'TILE*STAGES<=128'. Expressions use the names of -D and "
     "--let"},
    {"tune", "--configs", "FILE", arity::one,
     "read the configurations from FILE instead of -D: a CSV file with a column for each name, or a .toml file with "
     "tables [[configuration]]"},
    {"tune", "--let", "NAME=N", arity::many, "define a constant for expressions: --let N=1024"},
    {"tune", "-k,--kernel", "NAME", arity::one,
     "the kernel to launch, or for a program the kernels whose time counts. Names of -D become values: 'gemm<TILE>' or "
     "'gemm_{TILE}'"},
    {"tune", "--grid", "X,Y,Z", arity::one,
     "the number of thread blocks, as expressions: 'N/TILE,N/TILE'. Without --grid, the whole program runs"},
    {"tune", "--block", "X,Y,Z", arity::one, "the number of threads in a block, as expressions (default 32)"},
    {"tune", "--cluster", "X,Y,Z", arity::one, "the number of thread blocks in a cluster, as expressions"},
    {"tune", "--shared", "BYTES", arity::one, "bytes of dynamic shared memory, as an expression (default 0)"},
    {"tune", "--stack", "BYTES", arity::one, "bytes of stack per thread, as an expression"},
    {"tune", "--cooperative", "", arity::none, "make a cooperative launch"},
    {"tune", "--arg", "ARG", arity::many,
     "an argument of the kernel, as for run, with expressions: i32=N, 'out:f32[N*N]'"},
    {"tune", "--build", "COMMAND", arity::one,
     "build the program for each configuration with this shell command, in which names of -D are variables: 'make -B "
     "TILE=$TILE'. Without -B, make builds nothing after the first. Builds run one after another"},
    {"tune", "--nvcc", "FLAGS", arity::many, "pass the words after --nvcc, up to the next flag, to nvcc"},
    {"tune", "--gpu", "A,B", arity::many, "rank for these GPUs, such as 'H200,A100' (default: H100 SXM), or FILE.csv"},
    {"tune", "--caches", "WHAT", arity::one, "predict times with cold (default) or warm caches, as for run",
     "cold warm"},
    {"tune", "--budget", "N", arity::one, "give up a configuration after N warp instructions of a launch"},
    {"tune", "--verify", "WHAT", arity::one,
     "on: do not rank configurations whose results differ from those of the first that runs (default). Results are the "
     "buffers of out: arguments, or what a program prints, except times. off: do not compare",
     "on off"},
    {"tune", "--tolerance", "R", arity::one,
     "the difference that results may have, relative to the largest value of a buffer, or to each number that a program "
     "prints (default: 1e-4 for f32, 1e-2 for f16 and bf16, 1e-9 for f64, 0 for programs)"},
    {"tune", "--jobs", "N", arity::one, "the number of configurations at the same time (default: one for each core)"},
    {"tune", "--shard", "I/N", arity::one, "search only part I of N, counted from 1"},
    {"tune", "--list", "", arity::none,
     "compile and predict nothing, but write the configurations as a list for run --batch"},
    {"tune", "--merge", "", arity::none, "join the JSON results of all parts: bankwise tune --merge one.json two.json"},
    {"tune", "--cache", "DIR", arity::one,
     "the folder that keeps what was compiled and predicted (default: ~/.cache/bankwise/tune). off: keep nothing"},
    {"tune", "--arch", "ARCH", arity::one, "the architecture to compile for, such as sm_90a (default sm_90)"},
    {"tune", "--all", "", arity::none, "list all configurations and reasons (default: the first 20)"},
    {"tune", "--format", "FORMAT", arity::one, "the format of the result: text (default), json or csv",
     "text json csv"},
    // Flags about the probe.
    {"probe", "--device", "N", arity::one,
     "the number of the GPU to use. The first GPU of the computer is number 0 (default 0)"},
    {"probe", "--timing", "", arity::none,
     "measure the parameters of the time model instead of the rule, and write them as a file for run --gpu FILE. "
     "Parameters that cannot be measured get assumed values"},
    {"probe", "--op", "OP", arity::many, "measure only this operation, such as ld.b128, ldmatrix.x4 or atom.cas.b32"},
    {"probe", "--patterns", "N", arity::one, "the number of random accesses to time for each operation (default 2000)"},
    {"probe", "--counted", "N", arity::one,
     "the number of random accesses to count with the hardware's counter for each operation (default 24). Each "
     "access takes some milliseconds. 0 turns the counting off"},
    {"probe", "--contribute", "", arity::none,
     "measure for about a minute, and write a file that you can send to the project. The file contains no names of "
     "people or computers"},
    {"probe", "--seed", "N", arity::one, "seed of the random accesses (default 1)"},
    {"arch", "--contribution", "", arity::none,
     "check a file from bankwise contribute or probe --contribute, and print its row for data/contributed.csv. "
     "scripts/take-evidence uses this flag"},
    {"arch", "--published", "", arity::none,
     "list the counts that others published for the architecture, each next to the count that the rule gives"},
    // Flags of several verbs.
    {"explain predict run fix", "--arch", "ARCH", arity::one,
     "the architecture: sm_90, sm_35.8 (8-byte banks), cdna3, the usual name of a GPU (A100, RTX 4090, 8.6, MI300X), "
     "or NxM for N banks of M bytes (default sm_90). For run, the architecture must be sm_75 or later, and the default "
     "is the architecture of the file"},
    {"explain predict fix", "--phases", "A,B,C", arity::one,
     "for --arch NxM: the number of lanes that are served together. A is the number for accesses of up to 4 bytes "
     "per lane, B for 8 bytes, and C for 16 bytes. Each number is 2 to 32, or 64 for a wave of 64 lanes (default "
     "32,32,32)"},
    {"probe", "--arch", "ARCH", arity::one,
     "compare the measurements with the rule of this architecture (default: the architecture of the GPU)"},
    {"explain", "--format", "FORMAT", arity::one,
     "the format of the result: text (default), json, svg (a picture of the banks), html (the explorer), cpp (a "
     "static_assert), card (a picture of 1200 x 675 pixels that compares the access without and with --pad and "
     "--swizzle) or loop (the card as an animation)",
     "text json svg html cpp card loop"},
    {"run record report", "--format", "FORMAT", arity::one,
     "the format of the report: text (default), json, html, csv (one row for each instruction), sarif, junit, github "
     "(annotations), markdown (for a pull request or an issue), perfetto (the timeline of a program, for ui.perfetto.dev "
     "and chrome://tracing) or speedscope (a flame graph of the clocks in which the shared-memory pipe is busy)",
     "text json html csv sarif junit github markdown perfetto speedscope"},
    {"predict", "--format", "FORMAT", arity::one, "the format of the table: csv (default) or json", "csv json"},
    {"fix compare", "--format", "FORMAT", arity::one, "the format of the result: text (default) or json", "text json"},
    {"diff", "--format", "FORMAT", arity::one,
     "the format of the result: text (default), json, html, csv or markdown (a comment for a pull request)",
     "text json html csv markdown"},
    {"check", "--format", "FORMAT", arity::one,
     "the format of the result: text (default), json, sarif, junit or github", "text json sarif junit github"},
    {"rule", "--format", "FORMAT", arity::one, "the format of the result: text (default) or markdown", "text markdown"},
    {"probe", "--format", "FORMAT", arity::one,
     "the format of the result: text, json (evidence for bankwise arch) or svg (a chart of latencies). With "
     "--timing, the formats are text and csv. By default, the ending of the -o file decides. Without -o, the format "
     "is text",
     "text json svg csv"},
    {"explain predict run record fix report diff merge check compare tune probe contribute", "-o,--output", "FILE",
     arity::one, "write the result to FILE instead of standard output"},
    {"explain run record fix report diff check compare tune rule probe arch", "--color", "WHEN", arity::one,
     "when to use colours: auto, always or never. The default is auto, which follows NO_COLOR and FORCE_COLOR",
     "auto always never"},
};

// The groups of flags in help and manual, for verbs with many flags. `names` are long names. Flags that are in no group
// are printed last.
struct group_row {
  std::string_view verb, title, names;
};
constexpr group_row group_table[] = {
    {"run", "common flags", "kernel grid block arg fix all check safe output format"},
    {"run", "program and kernel", "nvcc arch shared cluster cooperative stack dump device-name sass"},
    {"run", "what to count",
     "global ctas time budget total-budget counts interpret repeat-launches threads seed time-model virtual-time "
     "timeline gpu caches trace"},
    {"run", "checks", "faults suppressions print-limit kernel-exclude schedules fail-on"},
    {"run", "fixes", "no-fix array let try-input try-warps accesses"},
    {"run", "many launches", "batch jobs stop-above key"},
    {"run", "output", "root color"},
    {"record", "common flags", "kernel-name all output format"},
    {"record", "what to record", "launch-skip launch-count nvtx-include each shapes full blocks sanitizer"},
    {"record", "checks", "fail-on"},
    {"record", "output", "root color"},
    {"fix", "common flags", "array block apply patch all output format"},
    {"fix", "the accesses", "type let warp registers shared arch phases"},
    {"fix", "the edit", "check skip-copies kernel nvcc try-input root"},
    {"fix", "output", "color"},
    {"tune", "common flags", "define where kernel grid block arg gpu all output format"},
    {"tune", "the space", "set flags configs let"},
    {"tune", "launch and build", "cluster shared stack cooperative nvcc arch build caches budget"},
    {"tune", "the search", "verify tolerance jobs shard list merge cache"},
    {"tune", "output", "color"},
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
  if (long_name(f) == "gpu") {
    std::vector<std::string_view> names;
    for (const timing::gpu_description& g : timing::known_gpus()) names.push_back(g.name);
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
