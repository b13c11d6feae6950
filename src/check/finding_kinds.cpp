#include "check/finding_kinds.hpp"

#include <algorithm>
#include <iterator>

namespace bankwise::check {

namespace {

access column_of_32() {
  return make_access(ld(4), [](u32 t) { return t * 32 * 4; });
}
access column_of_33() {
  return make_access(ld(4), [](u32 t) { return t * 33 * 4; });
}
access one_counter() {
  return make_access(red(4), [](u32) { return 0u; });
}
access own_counters() {
  return make_access(red(4), [](u32 t) { return t * 4; });
}

constexpr finding_kind kind_table[] = {
    {removable_conflict,
     "RemovableBankConflict",
     severity::warning,
     "a bank conflict that a layout can remove",
     "Lanes of one access want different words of one bank. The hardware serves them one after the other: the access "
     "takes more wavefronts than the same words would take elsewhere in shared memory.",
     "A wavefront is a clock of the shared-memory pipe of the multiprocessor, which all its warps use. Where this pipe "
     "is the longest of the kernel's, every wavefront less saves time; bankwise run says whether it is.",
     "Pad the rows of the array, or swizzle its columns. bankwise run {fix} looks for the layout that costs least over "
     "all accesses of the array, and writes its code.",
     "Where the report says that the shared pipe is not what the kernel waits for, or where the access runs once and "
     "the other accesses of its array would pay for another layout.",
     {"float tile[32][32]; ... tile[t][0]", "float tile[32][33]; ... tile[t][0]", column_of_32, column_of_33}},
    {word_queue,
     "LanesQueueForOneWord",
     severity::warning,
     "lanes queue for one word",
     "Lanes that read one word share it. Atomics and asynchronous copies on one word do not: they take turns, a "
     "wavefront each.",
     "No layout helps, because the lanes want the same word wherever it lies; the number of lanes on a word has to go "
     "down.",
     "Combine the lanes' values before the access: __reduce_add_sync or a warp shuffle and one atomic for each word; a "
     "private copy of a histogram for each warp or lane; for counting, an increment by 1 that the compiler makes "
     "ATOMS.POPC.INC, which shares.",
     "Where lanes meet on a word only with unlucky data, and the data of this launch are not those of real use.",
     {"atomicAdd(&sum[0], x)", "atomicAdd(&sum[t], x)", one_counter, own_counters}},
    {copy_past_l1,
     "CopyPastL1",
     severity::note,
     "lines from L2 that are written piece by piece",
     "cp.async.cg writes a line from L2 into a row of shared memory at once if its 16-byte pieces keep their places in "
     "it. "
     "Pieces that move by 16 or 48 bytes, rows of 64 bytes from different lines, and lanes far apart take more "
     "wavefronts. "
     "Nsight Compute's source page counts them; the hardware counter does not, and they keep no load or store "
     "waiting.",
     "On an H200 a stream of copies that keep their places took 2.3 clocks a warp instruction, one that moves them by "
     "16 "
     "bytes 3.1, and one that scatters them by 128 bytes 10.",
     "Let eight neighbouring lanes copy a line of 128 bytes into a row that begins at a multiple of 128 bytes; move "
     "pieces "
     "within a row by a swizzle that keeps pairs of sectors, as Swizzle<3,4,3> does, rather than by a padding.",
     "Where the copies are few, or a padding saves more in the accesses after them. It never fails a check.",
     {}},
    {retry_loop,
     "LanesRetryCompareAndSwap",
     severity::warning,
     "lanes go round a loop of compare-and-swap again",
     "The machine has no atomic addition of floats in shared memory, nor of doubles or halves: atomicAdd is a loop of a load, "
     "an addition and a compare-and-swap (ATOMS.CAST.SPIN), as is every loop of a program's own around atomicCAS. In each "
     "round one lane of those that want a word stores, and of ATOMS.CAST.SPIN one of those that want a bank; the others go "
     "round again. 32 lanes that add to one word take 32 rounds. The finding says how many rounds came of lanes that queue "
     "for one word, and how many of lanes with other words of the same bank; those of other warps are BW105.",
     "A round is three or more instructions of the whole warp, one after the other, each waiting for the one before: some 32 "
     "rounds cost more than a reduction of the warp by shuffles and one addition.",
     "Of a queue: combine the lanes' values first and let one lane add, by five __shfl_down_sync, or by __reduce_add_sync "
     "where the values can be integers; keep a private sum for each warp or lane and add them up at the end; in a histogram, "
     "a copy for each warp or for each few lanes. Of words in one bank: another layout, as for BW101. The finding says how many "
     "rounds each would leave.",
     "Where lanes meet on a word only with unlucky data, and the data of this launch are not those of real use.",
     {}},
    {contention,
     "WarpsCompeteForOneWord",
     severity::warning,
     "warps compete for one word",
     "A loop around a compare-and-swap, as atomicAdd of floats and doubles, a maximum of floats or a spin lock is, goes round "
     "again because another warp of the block changed the word between its load and its swap. Of n warps that come to one word "
     "at the same time, each with one lane, one stores in a round: n (n + 1) / 2 rounds in all, and with 32 lanes each 32 times "
     "as many lanes take part. How often is counted with a clock that models which warp goes when (docs/explanation/"
     "not-modelled.md says how exact it is).",
     "A round is three or more instructions of a warp that wait for each other, and each takes the shared pipe: eight warps of 32 lanes on "
     "one word execute some 1,500 rounds for 256 additions.",
     "The finding says what each would leave, counted with the addresses of this launch. Combine the lanes of a warp first, by "
     "shuffles, by __reduce_add_sync, or for words that depend on data by __match_any_sync: one lane a word comes to the loop. "
     "Or give each warp, or each lane, a copy of the words and add them up at the end; copies of lanes lie side by side, word * "
     "32 + lane, so that each lane has a bank. examples/fixes/contention.cu has each of them, measured.",
     "Where few warps come to the word at a time on real data, or the copies take memory that a block does not have.",
     {}},
    {over_budget,
     "OverBudget",
     severity::error,
     "more than a budget allows",
     "A kernel or a source line has more wavefronts, or more removable ones, than bankwise.toml allows.",
     "Budgets keep what was saved: a change of the code, a type or the compiler that brings conflicts back fails the "
     "check that day, without a GPU.",
     "Find the line with bankwise diff against a report from before, and remove the conflict; or raise the budget in "
     "the change that makes it necessary.",
     "Never: change the budget instead.",
     {}},
    {lost_budget,
     "BudgetOfNothing",
     severity::error,
     "a budget that no launch is held against",
     "A budget of bankwise.toml names a kernel that no launch of the reports has, or a source line without an access to "
     "shared memory.",
     "The kernel was renamed, the line moved, or the program does not launch the kernel any more. The budget would pass "
     "whatever the kernel costs now.",
     "Give the budget the new name or line. Remove the budget if the kernel is gone, or run bankwise init again, which "
     "updates the budgets of its run.",
     "Never: change or remove the budget instead.",
     {}},
    {bad_suppression,
     "SuppressionWithoutReason",
     severity::error,
     "a suppression that gives no reason",
     "A comment '// bankwise: ignore' does not say which finding it means, names one that does not exist, or gives no "
     "reason. It suppresses nothing.",
     "Whoever reads the line next year has to know whether the reason still holds.",
     "Write // bankwise: ignore BW101 -- REASON at the end of the line or on the line above it.",
     "Never: give the reason or remove the comment.",
     {}},
    {idle_suppression,
     "SuppressionOfNothing",
     severity::note,
     "a suppression that suppresses nothing",
     "A comment '// bankwise: ignore' is at a line that has no such finding in these reports.",
     "It would hide the next conflict of this line, for a reason that was about another one.",
     "Remove the comment.",
     "Where the line has the finding in other launches than those of the reports. It never fails a check.",
     {}},
    {out_of_bounds,
     "OutOfBoundsAccess",
     severity::error,
     "an access of global memory just outside of an allocation",
     "A kernel reads or writes global memory that no allocation has, so near to one that a GPU does not notice: it maps "
     "pages of 2 MiB, and faults only where no allocation has a part of the page. The launch goes on as on a GPU: a read "
     "finds what was written there, or else zero, and a write stays there.",
     "On a GPU another allocation may lie there, today or with the next driver: the kernel then reads or overwrites its "
     "data. At the end of a page the same index ends the program with cudaErrorIllegalAddress.",
     "Compare the size of the allocation with what the kernel indexes: a missing 'if (i < n)', an array of n elements that "
     "is read at n, a halo that nobody allocated. The finding names the nearest allocation and how far off the address is. "
     "bankwise run {faults=stop} ends the launch at the first such access.",
     "Never, unless the memory is the program's own by other means than an allocation.",
     {}},
    {uncoalesced,
     "UncoalescedGlobalAccess",
     severity::warning,
     "a warp touches more sectors of global memory than its bytes fill",
     "Global memory moves in sectors of 32 bytes. The lanes of this access lie so far apart that the warp touches at least "
     "two sectors more than its bytes would fill: with a stride, in an array of structs, or down a column.",
     "Every sector takes a share of the bandwidth of L1, L2 and DRAM, whether the warp uses all of its bytes or four. A column "
     "of floats moves eight times the bytes that it uses.",
     "Let neighbouring lanes access neighbouring elements: exchange the roles of threadIdx.x and threadIdx.y, or of the loop "
     "and the thread; keep a struct of arrays instead of an array of structs; go through shared memory, as a transpose does: "
     "read rows, and turn them there. Where a thread needs several neighbouring values, load them at once (float4).",
     "Where the sectors that a warp leaves unused are used soon after, and L1 still has them; or where the data decide the "
     "address, as in a gather.",
     {}},
    {misaligned,
     "MisalignedGlobalAccess",
     severity::note,
     "an access to global memory that begins in the middle of a sector",
     "The lanes access neighbouring elements, but the first one does not begin at a multiple of 32 bytes. The warp touches one "
     "sector more than its bytes fill.",
     "Of 128 bytes that are one sector more of five; and where the access crosses a line of 128 bytes, L1 looks up two lines.",
     "Begin rows at multiples of 128 bytes: cudaMallocPitch, or a row length that is padded to a multiple of 32 elements of "
     "4 bytes. A halo of one element may be loaded by an access of its own.",
     "In stencils: the shifted rows are mostly found in L1. It never fails a check.",
     {}},
    {local_memory,
     "LocalMemory",
     severity::note,
     "registers that are kept in local memory",
     "The instruction reads or writes the thread's own stack, which lies in global memory. The compiler spills registers to it, "
     "and keeps arrays there whose index it does not know.",
     "Each is an access to L1, and often to L2, in place of a register.",
     "Of spills: allow more registers (__launch_bounds__, -maxrregcount), or keep less alive at the time. Of arrays: unroll the "
     "loop, so that every index is a constant; or move the array to shared memory.",
     "Where it is executed rarely. It never fails a check.",
     {}},
    {strided,
     "StridedGlobalAccess",
     severity::warning,
     "a warp uses a part of each sector that it touches",
     "Neighbouring lanes access elements that are the same distance apart, with unused bytes between them: x[2 * t], or one "
     "member of an array of structs. Each sector of 32 bytes is moved whole, and a part of it is used.",
     "The unused bytes take bandwidth of L1, L2 and DRAM. With a stride of 2 half of the bandwidth is lost.",
     "Store what the lanes access side by side: a struct of arrays instead of an array of structs, or one array for the even "
     "and one for the odd elements. Where a thread needs the bytes between as well, load them with one wider load (float2, "
     "float4). The finding says how many sectors are left.",
     "Where another warp, or the same one soon after, uses the rest of the sectors while L1 still has them.",
     {}},
    {used_in_parts,
     "SectorsUsedInParts",
     severity::warning,
     "several instructions of a warp touch the same sectors, each for a part",
     "A warp loads the members of a struct one by one, or elements of a column in an unrolled loop. Each instruction touches the "
     "same sectors and uses other bytes of them. The finding says how many sectors the instructions touch together, and how "
     "many of them are distinct, in the first block that executes them.",
     "L1 looks up and delivers each sector again for every instruction, even if it has the data. An array of float3 takes 36 "
     "sectors where 12 hold the same bytes.",
     "Load the struct at once if its size is 8 or 16 bytes (float2, float4, or a struct with __align__(16)). A float3 has no such "
     "load: use a struct of arrays, or let the warp copy its bytes as float4 into shared memory and read the members there.",
     "Where the accesses are a small part of the kernel's sectors.",
     {}},
    {loaded_again,
     "SectorsLoadedAgain",
     severity::note,
     "several loads of a warp touch the same sectors",
     "Loads of the same warp, one after the other, touch the same sectors, and each uses all of their bytes that it can: a value "
     "that all lanes share, loaded element by element, or the rows of a stencil.",
     "L1 has the data after the first load, but each load is an instruction, a look-up and a pass of the L1 data pipe.",
     "Load several neighbouring elements at once (float4). Keep what the next step needs again in registers, or take it from the "
     "neighbouring lane by a shuffle.",
     "Where the L1 pipe is not what the kernel waits for. It never fails a check.",
     {}},
    {local_in_loop,
     "LocalMemoryInLoop",
     severity::warning,
     "registers that are kept in local memory, in a loop",
     "A loop loads or stores values of the threads' own stacks: the kernel needs more registers than it may use, or an array is "
     "indexed by a value that the compiler does not know.",
     "Every round of the loop pays for these accesses, and they take the bandwidth of L1, with lines that other data lose.",
     "If registers are spilled, allow more of them (-maxrregcount, __launch_bounds__), or let each thread keep fewer values. If it is "
     "an array, unroll the loop over it so that every index is a constant. The finding names the registers of the kernel.",
     "Where the loop runs rarely.",
     {}},
};

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    return upper(x) == upper(y);
  });
}

}  // namespace

std::string_view name_of(severity s) {
  return s == severity::note ? "note" : s == severity::warning ? "warning" : "error";
}

std::span<const finding_kind> finding_kinds() { return kind_table; }

const finding_kind* find_kind(std::string_view id) {
  const auto it =
      std::find_if(std::begin(kind_table), std::end(kind_table), [&](const finding_kind& r) { return same(r.id, id); });
  return it == std::end(kind_table) ? nullptr : &*it;
}

}  // namespace bankwise::check
