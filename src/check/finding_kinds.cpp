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
     "Lanes of one access want different words of one bank. The hardware serves these words one after the other. The "
     "access would take fewer wavefronts if the words were in different banks.",
     "All warps of a multiprocessor use one shared-memory pipe. A wavefront occupies this pipe for one clock. If this "
     "pipe is the busiest of the kernel's pipes, every wavefront that you remove saves time. bankwise run reports "
     "what limits the kernel.",
     "Pad the rows of the array, or swizzle its columns. bankwise run {fix} finds the layout with the lowest cost "
     "over all accesses of the array, and prints its code.",
     "Ignore this finding if the report shows that the kernel does not wait for the shared pipe. Also ignore the "
     "finding if the access runs only once, and another layout would make other accesses to the array more expensive.",
     {"float tile[32][32]; ... tile[t][0]", "float tile[32][33]; ... tile[t][0]", column_of_32, column_of_33}},
    {word_queue,
     "LanesQueueForOneWord",
     severity::warning,
     "lanes queue for one word",
     "In a load, lanes that read the same word share the word. Lanes of an atomic or of a cp.async cannot share a "
     "word: each lane takes one wavefront, in sequence.",
     "No layout helps, because the lanes want the same word wherever the word is stored. The number of wavefronts "
     "falls only if fewer lanes use the same word.",
     "Combine the lanes' values before the access, with __reduce_add_sync or a warp shuffle. Then execute one atomic "
     "for each word. For a histogram, give each warp or lane a private copy of the histogram. If the atomic only "
     "counts, pass the literal 1 to atomicAdd. The compiler then generates ATOMS.POPC.INC, and the lanes of this "
     "instruction can share a word.",
     "Ignore this finding if the data of this launch are not typical, and lanes rarely need the same word with "
     "typical data.",
     {"atomicAdd(&sum[0], x)", "atomicAdd(&sum[t], x)", one_counter, own_counters}},
    {copy_past_l1,
     "CopyPastL1",
     severity::note,
     "lines from L2 that are written in pieces",
     "cp.async.cg copies a line of 128 bytes from L2 into a row of shared memory. If each 16-byte piece of the line "
     "keeps its position within the row, the copy writes all pieces at the same time. The copy takes more wavefronts "
     "if pieces move by 16 or 48 bytes within the row, or if rows of 64 bytes come from different lines. The copy also "
     "takes more wavefronts if neighbouring lanes copy from addresses that are far apart. Nsight Compute's source page "
     "and bankwise count these additional wavefronts. The hardware counter does not count them, and they do not delay "
     "loads or stores.",
     "On an H200, a copy of 512 adjacent bytes by a warp took 3.2 clocks if its pieces kept their positions. It took 6.2 "
     "clocks if all pieces moved by 16 bytes, and 31 clocks if each piece went to a different row of 128 bytes.",
     "Let eight neighbouring lanes copy a line of 128 bytes into a row that begins at a multiple of 128 bytes. If "
     "later accesses to the rows need another layout, use Swizzle<3,4,3> instead of padding. With this swizzle, the "
     "two pieces of a 32-byte sector stay in one sector, and all sectors of a line move in the same way. The copy of a "
     "line then still takes one wavefront.",
     "Ignore this finding if there are few copies, or if the padding saves more wavefronts in later accesses than it "
     "costs in the copies. This finding never fails a check.",
     {}},
    {retry_loop,
     "LanesRetryCompareAndSwap",
     severity::warning,
     "lanes retry a compare-and-swap loop",
     "The hardware has no atomic addition of floats, doubles or halves in shared memory. The compiler therefore "
     "translates atomicAdd into a loop: a load, an addition and a compare-and-swap (ATOMS.CAST.SPIN). A program's own "
     "loop around atomicCAS behaves in the same way. If several lanes want the same word, one of these lanes stores in "
     "each round, and the other lanes retry. With ATOMS.CAST.SPIN, lanes that want different words of one bank also "
     "retry. 32 lanes that add to one word take 32 rounds. The finding has two counts: the rounds that occur because "
     "lanes of the warp queue for one word, and the rounds that occur because lanes of the warp want different words "
     "of one bank. BW105 reports the rounds that other warps cause.",
     "A round is three or more instructions of the whole warp, and each instruction waits for the previous one. If all "
     "32 lanes add to one word, their 32 rounds cost more than a warp reduction with shuffles and one addition.",
     "If lanes queue for one word, first combine the lanes' values with five __shfl_down_sync. If the values can be "
     "integers, use __reduce_add_sync instead. Then let one lane add the result to the word. Or keep a private sum "
     "for each warp or lane, and add the sums at the end. For a histogram, keep a copy of the histogram for each "
     "warp, or for each group of a few lanes. If the lanes want different words of one bank, change the layout, as "
     "for BW101. The finding shows how many rounds would remain with each remedy.",
     "Ignore this finding if the data of this launch are not typical, and lanes rarely need the same word with "
     "typical data.",
     {}},
    {contention,
     "WarpsCompeteForOneWord",
     severity::warning,
     "warps compete for one word",
     "A loop around a compare-and-swap loads a word, computes a new value, and swaps the new value with the word. The "
     "loop retries if another warp of the block changed the word after the load. Examples are an atomicAdd of floats "
     "or doubles, a maximum of floats, and a spin lock. Suppose that n warps reach the loop at the same time, and that "
     "one lane of each warp wants the same word. In each round, one warp stores, so the warps execute n (n + 1) / 2 "
     "rounds in all. If all 32 lanes of each warp want the word, 32 n lanes must store, one after the other. The "
     "number of retries comes from a model of the order in which warps run. docs/explanation/not-modelled.md describes "
     "how accurate this model is.",
     "A round is three or more instructions of a warp. Each instruction waits for the previous one, and the round uses "
     "the shared pipe. Eight warps of 32 lanes on one word execute about 1,500 rounds for 256 additions.",
     "The finding shows how many rounds would remain with each remedy, counted with the addresses of this launch. "
     "First combine the values of the lanes of a warp: with shuffles, with __reduce_add_sync, or with "
     "__match_any_sync if the word depends on data. Then let only one lane for each word enter the loop. Or give each "
     "warp or lane a copy of the words, and add the copies at the end. Place the copies of lanes next to each other "
     "(word * 32 + lane), so that each lane has its own bank. examples/fixes/contention.cu contains a measured "
     "example of each remedy.",
     "Ignore this finding if few warps use the word at the same time with real data, or if a block does not have the "
     "memory for the copies.",
     {}},
    {over_budget,
     "OverBudget",
     severity::error,
     "more than a budget allows",
     "A kernel or a source line costs more than its budget allows. A budget is an entry of bankwise.toml that limits a "
     "cost, for example the number of wavefronts or of sectors.",
     "A budget detects that conflicts come back after you removed them. If a change of the code, of a type or of the "
     "compiler causes new conflicts, the next check fails. The check does not need a GPU.",
     "Compare the new report with an older report (bankwise diff) to find the line that became more expensive, and "
     "remove the conflict of this line. Or raise the budget in the same commit as the change that needs more "
     "wavefronts.",
     "Never ignore this finding. Change the budget instead.",
     {}},
    {lost_budget,
     "BudgetOfNothing",
     severity::error,
     "a budget that checks nothing",
     "A budget of bankwise.toml names a kernel that was not launched in the reports, or a source line without an "
     "access to the memory that the budget limits.",
     "The kernel may have a new name, the line may have moved, or the program no longer launches the kernel. Without "
     "this finding, the check would pass however many wavefronts the kernel takes.",
     "Write the new name or line into the budget. If the program no longer launches the kernel, remove the budget. Or "
     "run bankwise init with the same program again to update the budgets of this program.",
     "Never ignore this finding. Change or remove the budget instead.",
     {}},
    {bad_suppression,
     "SuppressionWithoutReason",
     severity::error,
     "a suppression that gives no reason",
     "A comment '// bankwise: ignore' does not name a finding, names a finding that does not exist, or does not give "
     "a reason. The comment therefore suppresses nothing.",
     "A later reader of the line must be able to check whether the reason still holds.",
     "Write '// bankwise: ignore BW101 -- REASON' at the end of the line or on the line above it.",
     "Never ignore this finding. Write the reason, or remove the comment.",
     {}},
    {idle_suppression,
     "SuppressionOfNothing",
     severity::note,
     "a suppression that suppresses nothing",
     "A line has a comment '// bankwise: ignore', but the checked reports do not have the named finding for this line.",
     "The comment would hide the next conflict of this line, although the reason in the comment is about an older "
     "conflict.",
     "Remove the comment.",
     "Ignore this note if the suppressed finding occurs in launches that the checked reports do not contain. This note "
     "never fails a check.",
     {}},
    {out_of_bounds,
     "OutOfBoundsAccess",
     severity::error,
     "an access just outside an allocation of global memory, or just after the end of shared memory",
     "A kernel reads or writes global memory outside all allocations, but in a page that contains a part of an "
     "allocation. A GPU does not notice this access: it maps memory in pages of 2 MiB, and faults only if the page "
     "contains no part of any allocation. In bankwise, the launch also continues after the access. A write changes the "
     "memory at the address. A read returns the last value that was written to the address, or zero. Farther away from "
     "all allocations, an access ends the launch with an error. For shared memory, a GPU checks the end of the block's "
     "memory only in steps of 128 bytes. An access after the last array, but inside of these 128 bytes, is reported in "
     "the same way.",
     "On a GPU, the address may belong to another allocation, today or with the next driver. The kernel then reads or "
     "overwrites the data of that allocation. If the allocation ends at the end of a page, the same access ends the "
     "program with cudaErrorIllegalAddress.",
     "Compare the size of the allocation with the indices of the kernel. Typical causes are a missing 'if (i < n)', "
     "an array of n elements that is read at index n, and a halo that was not allocated. The finding names the "
     "nearest allocation and the distance to it. bankwise run {faults=stop} ends the launch at the first access "
     "outside an allocation.",
     "Ignore this finding only if the memory comes from an allocator that bankwise does not know.",
     {}},
    {uninitialised_read,
     "UninitialisedRead",
     severity::error,
     "a read of memory that was never written",
     "A kernel reads bytes of global, shared or local memory that no kernel, copy, fill or host code wrote. bankwise run "
     "{check=init} looks for such reads. If only some bytes of a word were written, the others count as padding. The "
     "same holds for words that a wide load loads together with written words, unless the kernel computes with them.",
     "On a GPU, this memory contains old values, which differ from run to run.",
     "Write the memory before the launch, for example with cudaMemset, or read only what was written. The finding names "
     "the allocation.",
     "Ignore this finding if the result does not depend on the value, for example if it is multiplied by zero.",
     {}},
    {race,
     "Race",
     severity::error,
     "two accesses to the same bytes that nothing orders",
     "Two threads access the same bytes, at least one of them writes, and no barrier or other operation orders the "
     "accesses. bankwise run {check=race} looks for races.",
     "The result can change from run to run, and from GPU to GPU.",
     "Add __syncthreads() between the two accesses, or __syncwarp() if both threads belong to one warp.",
     "Ignore this finding if the accesses are ordered by a flag that the kernel polls.",
     {}},
    {wrong_synchronisation,
     "WrongSynchronisation",
     severity::error,
     "a wrong use of a barrier, a shuffle or a vote",
     "Only some lanes of a warp reach a barrier of the block, a mask misses the lane that passes it or names lanes that "
     "take another way, or a shuffle reads a lane that does not take part. bankwise run {check=sync} looks for such "
     "calls. It sees only what the compiler left in the machine code: if all lanes of a warp certainly run together, the "
     "compiler drops the mask.",
     "A GPU lets these calls pass. The result is undefined, and a barrier may wait forever on another GPU.",
     "Call __syncthreads() in all threads of the block. Compute a mask with __ballot_sync() before the branch, and pass "
     "it to all calls inside of the branch.",
     "Do not ignore this finding.",
     {}},
    {doubtful_synchronisation,
     "DoubtfulSynchronisation",
     severity::warning,
     "a warp relies on what CUDA does not promise",
     "The mask of a shuffle or a vote names lanes that have ended, a shuffle reads the value of a lane that does not take "
     "part, or threads go around a barrier of the block and end, while others wait. bankwise run {check=sync} looks for such calls. Or lanes access the same bytes of shared memory, and are "
     "ordered only because the lanes of a warp run together, or a block reads what another block published without an "
     "acquire, but no L1 can contain the old value. bankwise run {check=race} looks for such accesses.",
     "The value of such a lane is undefined. It does no harm in lanes that do not need the value, for example in the upper "
     "half of a reduction.",
     "Let all lanes of the mask take part, or pass a smaller mask and width. Call __syncwarp() between the accesses, "
     "and __threadfence() between the load that sees that data was published and the loads of the data.",
     "Ignore this finding if the lanes that get these values do not use them.",
     {}},
    {other_results,
     "OtherResults",
     severity::error,
     "results that depend on the order of blocks and warps",
     "In another order of its blocks, warps and diverged paths, a launch leaves other values in global memory, or fails. "
     "The schedules of bankwise run are such orders. Different rounding of floats does not count.",
     "A GPU promises no order. The result can change from run to run, and from GPU to GPU.",
     "Repeat the order with its seed, and look for the race with bankwise run {check=race}.",
     "Ignore this finding if the order of the values has no meaning, such as in a list to which threads append.",
     {}},
    {wrong_call,
     "WrongCall",
     severity::error,
     "a call of CUDA that fails unnoticed, or frees memory wrongly",
     "The program frees memory twice, frees an address that is not the beginning of an allocation, or does not look at "
     "the error of a call. bankwise run {check=memory} looks for such calls.",
     "After a call that failed, the program continues with data that was not copied, allocated or computed.",
     "Free each pointer once, with the function that belongs to its allocation. Compare the result of each call with "
     "cudaSuccess.",
     "Do not ignore this finding.",
     {}},
    {doubtful_call,
     "DoubtfulCall",
     severity::warning,
     "memory that is not freed, or copied before it was written",
     "At the end of the program, memory of the device is still allocated (bankwise run {check=memory}). Or a copy to the "
     "host contains bytes that nothing wrote (bankwise run {check=init}).",
     "Leaks add up in a program that runs long. On a GPU, unwritten bytes are old values.",
     "Free the memory before the program ends. Copy only what was written.",
     "Ignore this finding if the memory is needed until the end of the process, or if the host does not use the bytes.",
     {}},
    {uncoalesced,
     "UncoalescedGlobalAccess",
     severity::warning,
     "a warp touches more sectors of global memory than its bytes fill",
     "Global memory moves in sectors of 32 bytes. The lanes of this access are so far apart that the warp touches at "
     "least two more sectors than its bytes would fill. Typical causes are an access down a column, an array of "
     "structs of 32 bytes or more, and addresses that depend on data. If lanes are less than 32 bytes apart, the "
     "finding is BW504.",
     "Every sector uses bandwidth of L1, L2 and DRAM, whether the warp uses all bytes of the sector or only four. A "
     "column of floats moves eight times the bytes that the warp uses.",
     "Let neighbouring lanes access neighbouring elements: exchange threadIdx.x and threadIdx.y in the index, or "
     "exchange the loop index and the thread index. Use a struct of arrays instead of an array of structs. Or use "
     "shared memory, as a transpose does: read rows of global memory, write them to shared memory, and read columns "
     "there. If a thread needs several neighbouring values, load these values with one wide load (float4).",
     "Ignore this finding if later accesses use the rest of the sectors while the sectors are still in L1. Also ignore "
     "the finding if the address depends on data, as in a gather.",
     {}},
    {misaligned,
     "MisalignedGlobalAccess",
     severity::note,
     "an access to global memory that begins in the middle of a sector",
     "The lanes access neighbouring elements, but the first element does not begin at a multiple of 32 bytes. The "
     "warp touches one sector more than its bytes fill.",
     "An access of 128 bytes then touches five sectors instead of four. If the access crosses the end of a line of "
     "128 bytes, L1 looks up two lines instead of one.",
     "Begin rows at multiples of 128 bytes: use cudaMallocPitch, or pad the row length to a multiple of 32 elements "
     "of 4 bytes. If the access begins early because of a halo of one element, load the halo with a separate access.",
     "Ignore this finding if the kernel is a stencil. A stencil's shifted accesses mostly touch sectors that are "
     "already in L1. This finding never fails a check.",
     {}},
    {local_memory,
     "LocalMemory",
     severity::note,
     "registers that are kept in local memory",
     "The instruction reads or writes the thread's own stack, which is in global memory. The compiler spills registers "
     "to the stack. The compiler also stores an array on the stack if the array's indices are not known at compile "
     "time.",
     "Each execution accesses L1, and often L2, instead of a register.",
     "For spills: allow more registers (__launch_bounds__, -maxrregcount), or keep fewer values alive at the same "
     "time. For arrays: unroll the loop, so that every index is a constant, or move the array to shared memory.",
     "Ignore this finding if the instruction is rarely executed. This finding never fails a check.",
     {}},
    {strided,
     "StridedGlobalAccess",
     severity::warning,
     "a warp uses a part of each sector that it touches",
     "Neighbouring lanes access elements that are less than 32 bytes apart, with unused bytes between the elements. "
     "The distance is the same for all lanes. Examples are x[2 * t] in an array of floats, and one member of an array "
     "of structs of 16 bytes. A GPU moves whole sectors of 32 bytes, but the warp uses only a part of each sector. For "
     "larger distances, the finding is BW501.",
     "The unused bytes take bandwidth of L1, L2 and DRAM. With a stride of 2, half of the bandwidth is wasted.",
     "Place the elements that neighbouring lanes access next to each other. Use a struct of arrays instead of an "
     "array of structs, or one array for the even elements and one for the odd elements. If a thread also needs the "
     "bytes between its elements, use one wider load for all of these bytes (float2, float4). The finding shows the "
     "number of sectors after this change.",
     "Ignore this finding if the same warp or another warp uses the rest of the sectors while the sectors are still "
     "in L1.",
     {}},
    {used_in_parts,
     "SectorsUsedInParts",
     severity::warning,
     "several instructions of a warp touch the same sectors, and each instruction uses only a part",
     "A warp loads the members of a struct one by one, or elements of a column in an unrolled loop. All of these "
     "instructions touch the same sectors, but each instruction uses different bytes of the sectors. The finding has "
     "two numbers for the first block that executes these instructions: the sum of the sectors of all instructions, "
     "and the number of distinct sectors.",
     "L1 looks up and delivers each sector again for every instruction, even if L1 already contains the sector. For "
     "an array of float3, the three loads of a warp take 36 sectors in all, although their bytes are in 12 sectors.",
     "If the struct has 8 or 16 bytes, load all members with one load (float2, float4, or a struct with "
     "__align__(16)). No load exists for a whole float3. For a float3, use a struct of arrays, or let the warp copy "
     "the bytes as float4 into shared memory and read the members there.",
     "Ignore this finding if these accesses touch only a small part of the kernel's sectors.",
     {}},
    {loaded_again,
     "SectorsLoadedAgain",
     severity::note,
     "several loads of a warp touch the same sectors",
     "Several loads of the same warp touch the same sectors, although each load alone touches the fewest possible "
     "sectors. One example is a loop in which all lanes load the same element x[i], and each iteration increases i by "
     "1. Another example is a stencil, which loads its rows several times.",
     "L1 contains the data after the first load. But each further load still costs an instruction, a look-up in L1 "
     "and a pass of the L1 data pipe.",
     "Load several neighbouring elements with one load (float4). If the next step needs a value again, keep the value "
     "in a register, or get the value from the neighbouring lane with a shuffle.",
     "Ignore this finding if the kernel does not wait for the L1 pipe. This finding never fails a check.",
     {}},
    {local_in_loop,
     "LocalMemoryInLoop",
     severity::warning,
     "registers that are kept in local memory, in a loop",
     "A loop accesses the threads' own stacks. Either the kernel needs more registers than the compiler can use, or it "
     "has an array whose indices are not known at compile time.",
     "Every round of the loop makes these accesses. The accesses use bandwidth of L1, and they evict other data from "
     "L1.",
     "If registers are spilled, allow more registers (-maxrregcount, __launch_bounds__), or let each thread keep "
     "fewer values. If an array is the cause, unroll the loop that accesses the array, so that every index is a "
     "constant. The finding shows the number of registers that the kernel uses.",
     "Ignore this finding if the kernel rarely executes the loop.",
     {}},
    {few_blocks,
     "FewBlocks",
     severity::note,
     "fewer blocks than multiprocessors",
     "The grid has at most three blocks for every four multiprocessors, so some have nothing to do. Or it has at "
     "most eight warps for each, which cannot hide the latency of memory. If the launch takes 25 us or more, the "
     "finding replays it with the same work divided among more blocks.",
     "The launch takes as long as its longest block, however many multiprocessors the GPU has. An H100 has 132.",
     "Divide the work among more blocks: give each block fewer rows or elements, or split a long sum among "
     "several blocks and add up their results at the end. If a thread handles a row, let the lanes of a warp "
     "share it.",
     "Ignore this finding if the launch runs together with others that use the rest of the GPU.",
     {}},
    {uneven_blocks,
     "UnevenBlocks",
     severity::note,
     "some multiprocessors execute one block more than the others",
     "The number of blocks is not a multiple of the number of multiprocessors, and each multiprocessor executes "
     "only a few. Some of them execute one block more than the others, which then wait. The finding compares the "
     "launch with one in which all multiprocessors have the same work.",
     "133 equal blocks take as long as 264 on a GPU with 132 multiprocessors, if only one block fits at a time.",
     "Choose a multiple of the number of multiprocessors (cudaDevAttrMultiProcessorCount), use smaller blocks, or "
     "launch as many blocks as fit and let each of them loop over the work.",
     "Ignore this finding if the next kernel starts before this one ends, because it then uses the idle "
     "multiprocessors.",
     {}},
    {low_occupancy,
     "LowOccupancy",
     severity::note,
     "too few resident warps to hide latencies",
     "Registers, shared memory or the size of the blocks limit how many blocks a multiprocessor holds at a time. "
     "With few warps, there are times at which all of them wait. The finding replays the launch with more "
     "resident blocks.",
     "While a warp waits for memory, a barrier or a long instruction, other warps of the multiprocessor can "
     "execute. The more there are, the less often the multiprocessor is idle.",
     "The finding shows how many registers or bytes allow the next number of blocks. __launch_bounds__(threads, "
     "blocks) makes the compiler keep to it. For shared memory, use smaller tiles or fewer stages.",
     "Ignore this finding if the compiler then spills registers in a loop (BW507), or if larger tiles save more "
     "than the warps. The replay does not predict what the compiler does with fewer registers.",
     {}},
    {late_loads,
     "LateLoads",
     severity::note,
     "a loop waits for its own loads",
     "In each round of a loop, a warp loads values from global memory and soon needs them. It waits for almost "
     "the whole latency of memory. The addresses do not depend on other loads of the loop, so the next values "
     "could be requested while the warp computes with the last ones. The finding replays the launch with the "
     "loads of two, four or eight rounds together, as far as registers allow, or with each load one round earlier.",
     "A load from DRAM takes about 600 clocks or more, and one from L2 about 250. Only loads in flight use the "
     "bandwidth of memory.",
     "Unroll the loop (#pragma unroll 4). If nvcc does not know the number of rounds, or stores may change the "
     "values, it does not move loads forward: load several values into an array of registers first, load float4, "
     "load the values of the next round before this round computes, or copy with cp.async in several stages.",
     "Ignore this finding if the additional registers would reduce the number of resident blocks (BW603) or be "
     "spilled.",
     {}},
    {double_arithmetic,
     "DoubleArithmetic",
     severity::note,
     "arithmetic with doubles between floats",
     "A line converts floats to double, computes, and converts the result back to float. The reason is often a "
     "constant without f, such as 0.5, or a function of doubles, such as sqrt or pow. The finding replays the "
     "launch without the conversions.",
     "Conversions to and from double use the slow special unit. Most GPUs for graphics compute only one double "
     "for every 32 or 64 floats.",
     "Write 0.5f instead of 0.5, and sqrtf, powf, fabsf instead of sqrt, pow, fabs.",
     "Ignore this finding if the result needs the precision of doubles.",
     {}},
    {integer_division,
     "IntegerDivision",
     severity::note,
     "an integer division by a variable",
     "A line divides integers, or computes a remainder, and the divisor is not a constant. The hardware has no "
     "integer division. The compiler generates about 20 instructions, among them a reciprocal and two "
     "conversions. The finding replays the launch without them.",
     "The reciprocal and the conversions use the special unit, which executes a quarter of the instructions of "
     "the other units, and each step waits for the one before.",
     "Make the divisor a template argument or a power of two (>> and &), compute the quotient once outside of the "
     "loop, count it up in the loop, or precompute a reciprocal and multiply with __umulhi.",
     "Ignore this finding if the divisions are few. The true saving is often larger, because the other "
     "instructions of the division remain in the replay.",
     {}},
    {few_lanes,
     "FewActiveLanes",
     severity::note,
     "instructions that few lanes execute",
     "On average, at most half of the lanes of a warp execute these instructions. Either lanes of a warp take "
     "different paths, their loops end at different times, or one thread does work for all. The finding replays "
     "the launch as if full warps did the same work.",
     "A warp executes an instruction in the same time for one lane and for 32. If lanes take two paths, the warp "
     "executes both, one after the other.",
     "Let the branch depend on the warp, sort or compact the elements so that neighbours take the same path, or "
     "divide the work of one thread among the lanes.",
     "Ignore this finding if other warps fill the time, or if one thread only starts copies and waits.",
     {}},
    {needless_barriers,
     "NeedlessBarriers",
     severity::note,
     "barriers that order nothing",
     "In the recorded blocks, no warp reads or writes a word of shared or global memory that another warp of the "
     "block wrote. The block has one warp, or its warps work on their own data. Its barriers then only make the "
     "warps wait. Or only groups of warps exchange values, such as pairs, but all warps wait. The finding replays the "
     "launch without the barriers, or with a barrier for each group.",
     "A barrier of the block takes about 20 clocks or more, even if the block has one warp. All warps wait for "
     "the last one, and the compiler cannot move accesses over the barrier.",
     "Replace __syncthreads() with __syncwarp(), which orders the accesses of the lanes of a warp. Or use "
     "shuffles instead of shared memory. Groups of warps can have named barriers (bar.sync in PTX).",
     "Ignore this finding if the warps exchange values with other data or larger blocks, or if the kernel "
     "exchanges values with other kernels while it runs.",
     {}},
    {repeated_updates,
     "RepeatedUpdates",
     severity::note,
     "a block updates the same words of global memory again and again",
     "The atomic updates of a block touch the same sectors at least four times. Examples are a counter, a sum, "
     "and a histogram with few bins. The finding replays the launch with one update of each sector for each block.",
     "L2 executes atomics. Updates of one word wait for each other, also those of other blocks.",
     "Add up the values of a warp (__reduce_add_sync or shuffles) and of the block (shared memory). Then let the "
     "block update each word once.",
     "Ignore this finding if the updates are rare, or if the words depend on data that seldom repeat. The replay "
     "does not contain the cost of the sums in shared memory.",
     {}},
    {small_blocks,
     "SmallBlocks",
     severity::note,
     "blocks of one or two warps",
     "A block has at most 64 threads. The GPU starts blocks one after another, and a multiprocessor holds at most "
     "32 of them, so many of its warps stay empty. The finding replays the launch with 256 threads in a block.",
     "An H100 starts about one block in each clock. A kernel with 500,000 blocks of 32 threads therefore takes at "
     "least 0.3 ms, whatever the blocks do.",
     "Use blocks of 128 to 512 threads, or let each thread or block process several elements.",
     "Ignore this finding if the kernel needs the threads of a block for one small problem, and joining several "
     "problems in one block would be too complicated.",
     {}},
    {chained_loads,
     "ChainedLoads",
     severity::note,
     "a chain of loads in a loop",
     "In each round of a loop, a thread loads a value that determines the address of the next round's load, as in "
     "a linked list, a tree or a search. No load can begin before the one before has ended. The finding replays "
     "the launch as if the addresses were known one round earlier.",
     "Each round takes the whole latency of memory, about 250 clocks in L2 and 600 or more in DRAM. Only more "
     "chains at the same time use the bandwidth.",
     "Store the elements or their addresses in an array in the order of use. If that is impossible, let each "
     "thread follow several chains at the same time, or start more threads.",
     "Ignore this finding if the order is not known before, and the GPU has enough other chains to follow.",
     {}},
    {narrow_loads,
     "NarrowLoads",
     severity::note,
     "neighbouring values that a thread loads one by one",
     "A thread loads values from neighbouring addresses with several instructions: the bytes of a word, or the "
     "elements of a row in an unrolled loop. One instruction can load up to 16 bytes. The finding replays the "
     "launch with the fewest instructions that load the same bytes.",
     "Each load is issued, passes the queue of its quarter and looks up L1 or takes a wavefront of shared memory. "
     "Wide loads need a quarter of these steps or fewer.",
     "Load float2, float4 or uchar4 through a pointer of that type, and take the parts from registers. The "
     "address must be a multiple of the width: align the array, and let rows have a multiple of it.",
     "Ignore this finding if the addresses cannot be aligned.",
     {}},
    {precise_functions,
     "PreciseFunctions",
     severity::note,
     "a precise division, power, sine or logarithm of floats",
     "A line divides floats, or calls powf, sinf, cosf or logf. With full precision, these take between 8 and "
     "about 50 instructions. The finding replays the launch without the instructions that the fast forms do not "
     "need.",
     "A division is a reciprocal and several corrections. sinf and cosf reduce their argument, and powf computes "
     "a logarithm with more than 24 bits.",
     "If the precision suffices, use __fdividef, __powf, __sinf, __cosf or __logf, or compile with "
     "-use_fast_math. Compute a reciprocal once if many values have the same divisor. Write a small power as a "
     "product.",
     "Ignore this finding if the results need the full precision.",
     {}},
    {many_launches,
     "ManySmallLaunches",
     severity::note,
     "launches that end sooner than the host makes the next one",
     "The program launches many kernels, and each of them takes less time than the host needs for the call of a "
     "launch. The GPU is idle between them. The finding replays the timeline of the program with the launches "
     "between two waits of the host as one graph. It names the kernels, and compares the times of the whole program. If "
     "the host waits after such launches, a second replay leaves out all waits that are followed by a further launch, "
     "and the finding is about these waits if that saves more.",
     "On the measured machines, the call of a launch takes 3 to 5 us, and a kernel with little work 1 to 2 us. "
     "Fifty such launches took 156 to 257 us in a stream, and 37 to 62 us as a graph.",
     "Record the launches once (cudaStreamBeginCapture) and launch the graph again and again (cudaGraphLaunch). Or "
     "let one kernel do the work of several: a loop in the kernel, several steps in one kernel, or one launch for "
     "all parts. If the finding is about waits, call cudaDeviceSynchronize() only before the host reads a result.",
     "Ignore this finding if the sequence of launches changes each time, because making a graph costs about as much as "
     "its launches. The replay does not contain this cost, nor what the program computes on the host between launches.",
     {}},
    {long_code,
     "LongCode",
     severity::note,
     "long code that each warp executes once",
     "Most instructions of the kernel are executed once by each warp, and the code is longer than what is fetched in "
     "advance. The warps wait until the instructions come from memory. The finding replays the launch with all code in "
     "the instruction caches after the first line.",
     "Instructions first come from L2 or DRAM, like data. On an H100, straight code takes about 20 clocks for each "
     "line of 8 instructions, and 65 clocks if it is longer than 100 KB. Loops take this time only in their first "
     "round.",
     "Unroll loops less (#pragma unroll 4), call large functions in a loop instead of writing them several times "
     "(__noinline__), or give each block several elements, so that it executes the code again.",
     "Ignore this finding if the kernel is launched again and again without others between, because its code then "
     "stays in the caches.",
     {}},
    {uneven_warps,
     "UnevenWarps",
     severity::note,
     "warps that wait at a barrier for a warp with more work",
     "Before a barrier, some warps of a block execute many more instructions than the others, which then wait. Often, "
     "one thread or one warp does work for the whole block. The finding replays the launch with the same instructions, "
     "divided evenly among the warps. It names the line of the work, and the line of the barrier.",
     "A block continues after the barrier when its last warp has arrived. The waiting warps occupy registers and "
     "shared memory, but execute nothing.",
     "Divide the work before the barrier among all threads: a loop with the step blockDim.x, a reduction with "
     "shuffles, or one row for each warp.",
     "Ignore this finding if the steps of the work depend on each other, or if the warps have different tasks on "
     "purpose.",
     {}},
    {host_reads,
     "HostMemoryReadAgain",
     severity::note,
     "memory of the host that a kernel reads several times",
     "The kernel reads pinned memory of the host over PCIe, and the blocks read each sector of 32 bytes at least "
     "twice. The finding replays the launch with the data in memory of the device. The saving leaves out the share "
     "of the first reads, because a copy to the device also reads each byte once.",
     "PCIe moves about 50 GB/s, and DRAM of an H100 3,350 GB/s. L1 keeps data of the host only for a short time.",
     "Copy the data with cudaMemcpyAsync before the launch, and pass the address of the copy.",
     "Ignore this finding if the data change while the kernel runs, or do not fit in memory of the device.",
     {}},
    {separate_sums,
     "SeparateSums",
     severity::note,
     "products that a second instruction adds",
     "A multiplication writes a register that only an addition reads. One fused instruction (FFMA) computes both, and "
     "rounds once. The finding replays the launch without the additions.",
     "The fused instruction takes as long as one of the two. The compiler fuses them by default.",
     "Compile without -fmad=false, or write fmaf(a, b, c). __fmul_rn and __fadd_rn are never fused.",
     "Ignore this finding if the results must be equal to those of another processor that rounds twice.",
     {}},
    {products_of_halves,
     "ProductsWithoutTensorCores",
     severity::note,
     "a product of matrices of 16-bit numbers without tensor cores",
     "A loop loads values from shared memory and adds products of 16-bit numbers to many sums of each thread, as in "
     "a tile of a product of matrices. The products are computed by HFMA2, or by FFMA after conversions. No replay "
     "predicts the saving, because the remedy is another kernel. The finding's place in the list is a rule of "
     "thumb: the share of these instructions.",
     "The tensor cores of an H100 compute 8 times as many 16-bit products per clock as its other pipes, or more.",
     "Use nvcuda::wmma or mma.sync for the tile, or call cuBLAS or CUTLASS. The sums can stay floats.",
     "Ignore this finding if the matrices have only a few rows or columns, or if the kernel waits for memory.",
     {}},
    {products_of_bytes,
     "ProductsOfBytes",
     severity::note,
     "products of bytes that are loaded one by one",
     "A line multiplies bytes that are loaded one by one. Each pair of bytes takes an integer product (IMAD), or "
     "the compiler packs the bytes (PRMT) for a product of two or four pairs (IDP). The finding replays the launch "
     "with one IDP for four pairs, a quarter of the loads, and nothing that packs the bytes.",
     "One instruction, IDP, adds the products of four pairs of bytes, in the time of one product.",
     "Load four neighbouring bytes as an int, and call __dp4a(a, b, sum). For large products of matrices of bytes, use "
     "the tensor cores.",
     "Ignore this finding if the bytes of neighbouring products are not neighbours in memory.",
     {}},
    {spilled_registers,
     "SpilledRegisters",
     severity::note,
     "the time of all spilled registers together",
     "The compiler keeps registers in local memory, and several lines store and load them. BW503 and BW507 show the "
     "sectors of each line. This finding replays the launch without all of these accesses, and names the line with "
     "most of them.",
     "Each access is issued, passes L1, and evicts other data from L1. If many threads spill, the data go to L2.",
     "Allow more registers (-maxrregcount, or a smaller second number in __launch_bounds__). Or let each thread keep "
     "fewer values: smaller tiles, less unrolling.",
     "Ignore this finding if more registers leave room for fewer blocks, and the launch is then slower (BW603).",
     {}},
    {stack_arrays,
     "StackArrays",
     severity::note,
     "the time of all arrays of a thread together",
     "Threads have arrays whose index is not a constant. Registers have no index, so the compiler keeps these "
     "arrays in local memory. The finding replays the launch without all accesses to local memory, and names the "
     "line with most of them.",
     "Each access is issued, passes L1, and waits for it. In registers, the same value takes no time.",
     "Unroll the loops over the array, so that every index is a constant. Or keep the array in shared memory, with the "
     "thread's number as the fastest index.",
     "Ignore this finding if the array is large, or if its indices depend on data.",
     {}},
    {little_reuse,
     "LittleReuse",
     severity::note,
     "values that each thread loads for one result",
     "The threads of a block load the same values from shared memory, or from L1, and each thread uses a value once. "
     "Shared memory and L1 are the slowest part of such a loop. The finding replays the launch with a quarter of these "
     "loads.",
     "A multiprocessor computes 128 products of floats in each clock, but loads only 32 values of 4 bytes from shared "
     "memory and L1.",
     "Let each thread compute a tile of results, such as 4 x 4 elements of a product or 4 pixels in a row. It loads 8 "
     "values into registers for 16 products, instead of 2 for each. Launch fewer threads.",
     "Ignore this finding if the grid then has too few blocks (BW601), or too few registers are left (BW507).",
     {}},
    {reads_again,
     "ReadsAgain",
     severity::note,
     "data that DRAM sends again",
     "Blocks read the same data several times, but between two of these reads the launch reads more data than L2 can "
     "hold, at least one and a half times as much. So the data come from DRAM each time. The finding replays the launch "
     "with an L2 that keeps everything. It only sees reads of the same multiprocessor, in the recorded part of the "
     "blocks.",
     "L2 sends more than twice as many bytes per clock as DRAM, and answers in less than half the time.",
     "Change the order of the work: do all passes over a part of the data that fits into L2 before the next part, "
     "exchange the loops, or join the passes, so that each value is loaded once.",
     "Ignore this finding if the second pass needs a result of the whole first pass, such as its largest value.",
     {}},
    {few_stages,
     "FewStages",
     severity::note,
     "a ring of buffers with too few stages",
     "A warp fills buffers in shared memory with bulk or tensor copies. It waits at an mbarrier until the warps that use "
     "a buffer free it, and requests the next tile only then. The finding replays the launch with more stages, as many "
     "as fit into shared memory while the same blocks stay resident. Nsight Compute shows the waits as Stall Long "
     "Scoreboard, at the branch after SYNCS.PHASECHK.",
     "A tile needs a microsecond from DRAM, and about half of it from L2. The copies under way must cover this time.",
     "Give the ring more buffers and mbarriers. If no shared memory is left, use smaller tiles.",
     "Ignore this finding if another block needs the shared memory.",
     {}},
    {awaited_products,
     "AwaitedProducts",
     severity::note,
     "products of a warp group that are waited for in the same round",
     "A warp group issues wgmma for one stage, and waits until the products have ended (wgmma.wait_group 0) before it "
     "looks at the next stage. Meanwhile, the tensor cores pause. The finding replays the launch with one group in "
     "flight until the next round, which frees its stage then. Nsight Compute shows the waits as Stall Barrier at "
     "WARPGROUP.DEPBAR, and waits for busy tensor cores as Stall Warpgroup Arrive at the next HGMMA.",
     "The last product of a group ends more than a hundred clocks after it was issued.",
     "Issue the products of the next stage, then wait with wgmma.wait_group 1, and free the stage of the round before. "
     "Wait for all after the loop. A second warp group that multiplies also fills the pauses.",
     "Ignore this finding if the code of a round uses the sums, as in attention.",
     {}},
    {small_tiles,
     "SmallTiles",
     severity::note,
     "a product whose blocks compute small tiles",
     "L2 sends each tile of an operand to all blocks that multiply it. With larger tiles, fewer blocks need it. Another "
     "warp group also multiplies while the first one waits. The finding replays the launch with two such groups in a "
     "block, so that half of the larger operand's copies are not needed.",
     "L2 of an H100 sends about 40 bytes per clock to each multiprocessor. A tile of 64 x 128 needs 96 bytes for each "
     "clock of its tensor cores, and a tile of 128 x 256 needs 48.",
     "Add a warp group that multiplies, or use wgmma with a larger N, so that a block computes a larger tile. Or let the "
     "blocks of a cluster share their copies with multicast.",
     "Ignore this finding if the product is small, so that larger tiles leave multiprocessors idle.",
     {}},
    {chained_sums,
     "ChainedSums",
     severity::note,
     "a sum of floats in which each addition waits for the one before",
     "The result of an addition is ready after several clocks, and the next addition to the same sum needs it. The "
     "compiler must not change the order of additions of floats. If few warps are resident, nothing else fills these "
     "clocks. The finding replays the launch with additions that do not wait for each other.",
     "An addition of floats takes 4 clocks on an H100, and a quarter of a multiprocessor can begin one in each clock.",
     "Let each thread add to four sums, one for each value of k % 4 in an unrolled loop, and add them at the end. Or "
     "let more threads work, if there is more to do.",
     "Ignore this finding if the result must have the same rounding as before, because the order of the additions "
     "changes.",
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

bool can_be_ignored(const finding_kind& k) { return !k.id.starts_with("BW2") && !k.id.starts_with("BW3"); }

const finding_kind* find_kind(std::string_view id) {
  const auto it =
      std::find_if(std::begin(kind_table), std::end(kind_table), [&](const finding_kind& r) { return same(r.id, id); });
  return it == std::end(kind_table) ? nullptr : &*it;
}

}  // namespace bankwise::check
