// The report and its sentences, as the C++ writes them into the page. Made from the fields of src/report by
// scripts/build-reference: do not change it here.

import type {Fix} from './fix_types';

export interface Tool {
  name: string;
  version: string;
}

export interface Report {
  /** name and version of this format */
  schema: 'bankwise.report/1';
  /** the program that wrote it */
  tool: Tool;
  /** As requested: sm_90 */
  arch: string;
  /** where the accesses come from */
  source: 'emulated' | 'recorded';
  /** the run was stopped before its end; the report has the launches up to there */
  partial?: boolean;
  /** why it was stopped: by a signal, by its budget of instructions, or by a kernel that failed */
  partial_reason?: 'interrupted' | 'budget' | 'total_budget' | 'time' | 'fault';
  /** the signal that interrupted it: SIGTERM */
  signal?: string;
  /** the quality of the least reliable launch: exact, estimated or partial. Missing in recordings */
  exactness?: 'exact' | 'estimated' | 'partial';
  /** In the order of first occurrence. Launches that are completely equal are one entry with a count. */
  launches: readonly Launch[];
  /** For a recording: kernels, each with a grid and a block, without a recorded launch. For a run: launches beyond the limit of a report */
  not_recorded?: readonly Unrecorded[];
  /** Launches that failed after a sampled launch, perhaps because of it; they are not in launches */
  failed?: readonly Failed[];
  /** Functions of cuBLAS and similar libraries that the program called. They ran on the host without NVIDIA's kernels, and are not counted. */
  library_calls?: readonly LibraryUse[];
}

/** One launch of a kernel. */
export interface Launch {
  /** demangled, with its parameters */
  kernel: string;
  /** without template arguments and parameters */
  name: string;
  /** mangled name, as the linker uses it */
  mangled: string;
  /** blocks in x, y, z */
  grid: readonly [number, number, number];
  /** threads in x, y, z */
  block: readonly [number, number, number];
  /** bytes of shared memory for each block, static and dynamic */
  shared_bytes: number;
  /** the dynamic part of these bytes */
  dynamic_shared_bytes: number;
  /** registers of each thread */
  registers: number;
  /** equal launches that this one represents */
  count: number;
  /** thread blocks that ran to their end */
  ctas_executed: number;
  /** By pc */
  sites: readonly Site[];
  /** Sums over the sites. warp_instructions is for the whole launch, and 0 in a recording, which has only accesses. */
  totals: Totals;
  /** What asynchronous operations move through shared memory, one entry for each operation; in the order of the code */
  shared_traffic?: readonly SharedTraffic[];
  /** How well the meaning of the kernel's instructions is known, and whether counts depend on instructions that were not measured on a GPU */
  meaning?: {instructions: number; measured: number; unmeasured: readonly ({instruction: string; evidence: 'documented' | 'assumed'; places: number; counts_depend: boolean})[]};
  /** global_sites has every instruction that accessed global or local memory, textures or surfaces */
  global_counted?: boolean;
  /** Instructions that accessed global memory, the threads' own stacks, textures or surfaces, by pc */
  global_sites?: readonly GlobalSite[];
  /** Sums over the global_sites whose space is global */
  global_totals?: GlobalTotals;
  /** if fewer blocks ran than the grid has, because the run was limited to some blocks or to a time: all counts, including warp_instructions, are estimates for all blocks of the grid */
  scaled?: boolean;
  /** only the instructions that shared-memory addresses depend on were executed: other accesses were not checked for faults */
  counted_alone?: boolean;
  /** the launch may have read memory that a sampled launch wrote only in part; the counts are for this memory */
  after_sample?: boolean;
  /** how many of the launches in count were not executed, because the time limit of the run was reached; they have the same kernel, grid and block and are assumed to be equal */
  assumed?: number;
  /** exact: every block was executed, or is proven to behave like an executed one; estimated: from a sample of blocks, or after a sampled launch; partial: it was stopped. Missing in recordings */
  exactness?: 'exact' | 'estimated' | 'partial';
  /** for an estimated launch: the likely error of the estimate */
  estimate?: Estimate;
  /** the launch was stopped before its end; counts cover what was executed up to there, and are not scaled */
  partial?: boolean;
  /** why it was stopped */
  partial_reason?: 'interrupted' | 'budget' | 'total_budget' | 'time' | 'fault';
  /** the signal that interrupted it: SIGTERM */
  signal?: string;
  /** for a partial launch: thread blocks that began; includes ctas_executed, and blocks that are counted as far as they ran */
  ctas_begun?: number;
  /** for a recording: launches of this kernel with this grid and block, recorded or not */
  launches_seen?: number;
  /** for a recording: one block of every N was recorded */
  block_period?: number;
  /** for a recording: executed accesses that are not in any site */
  lost_accesses?: number;
  /** If times are predicted: elapsed cycles on a GPU, as Nsight Compute would show them, with an interval and what bounds them. The interval holds for nine of ten launches */
  time?: {gpu: string; cycles: number; cycles_low: number; cycles_high: number; microseconds: number; bound: string; shares: readonly ({resource: string; percent: number})[]; caches: 'cold' | 'warm'; use?: Readonly<Record<string, number>>; traced_blocks?: number; traced_in_part?: boolean; evidence?: 'measured' | 'assumed'; parameters?: Readonly<Record<string, number>>; cycles_without_conflicts?: number; stall_cycles?: Readonly<Record<string, number>>; lines?: readonly ({path: string; line: number; stall_cycles: Readonly<Record<string, number>>})[]};
  /** If times are predicted: why the time of this launch is missing. total_limit: predictions of other launches used the time limit of the program; not_traced: no block could be followed within the time limit of a launch */
  time_missing?: 'total_limit' | 'not_traced';
  /** If hazards were looked for: which kinds */
  checks?: readonly ('uninit' | 'race')[];
  /** If hazards were looked for: accesses to shared memory that no barrier orders, and reads of bytes that were never written */
  hazards?: readonly Hazard[];
  /** Instructions that accessed global memory just outside an allocation, in a 2 MiB page that contains part of an allocation, so that a GPU does not fault; missing if there are none */
  out_of_bounds?: readonly OutOfBounds[];
  /** Instructions of blocks that are resident together and access the same words of global memory: counts depend on which block comes first; missing if there are none, or if they were not searched */
  block_races?: readonly BlockRace[];
  /** Layouts for the arrays, if layouts were searched. The largest saving comes first. Each entry has the form of an item of 'arrays' in fix.schema.json */
  fixes?: readonly Fix[];
  /** Other instructions for a line that save wavefronts or instructions, if layouts were searched. The largest saving of wavefronts comes first. Each entry has the form of an item of 'other_instructions' in fix.schema.json */
  other_instructions?: readonly ({line: number; verdict: string})[];
  /** if accesses are kept, the time is predicted, and a layout can remove wavefronts: what the prediction was made from, compressed; bankwise fix predicts the time after a fix from it */
  time_trace?: string;
  /** executed warp instructions with an active lane. This key and the following keys exist only if accesses are kept */
  accesses_seen?: number;
  /** the sum of the counts of the sites' accesses; less than accesses_seen if there were too many distinct ones, so that only a sample was kept */
  accesses_kept?: number;
  /** The arrays of shared memory that a site touches, by address */
  arrays?: readonly Array[];
  /** Instructions on shared memory in the kernel's own code that this launch did not execute; instructions with generic addresses are not known */
  not_executed?: readonly CodePlace[];
}

export interface Totals {
  /** warp instructions */
  executed: number;
  /** wavefronts, as the hardware counts them */
  wavefronts: number;
  /** ideal wavefronts, as Nsight Compute counts them: requested bytes / 128, at most wavefronts */
  ideal: number;
  /** the fewest wavefronts that these words need at any addresses */
  reachable: number;
  /** wavefronts that a layout can remove */
  removable: number;
  /** wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued */
  queued: number;
  /** clocks of a saturated shared pipe */
  cycles: number;
  /** warp instructions of the whole launch, not only those that access shared memory */
  warp_instructions: number;
  /** the sum of active lanes over all warp instructions of the launch, also lanes whose guard is false; divided by warp_instructions, it is the average of active lanes */
  active_lanes?: number;
  /** clocks of one multiprocessor that issues four warp instructions in each clock */
  issue_cycles: number;
  /** clocks of the shared pipe without the wavefronts that a layout can remove */
  shared_cycles_reachable: number;
  /** with wgmma or tcgen05.mma: clocks of the shared pipe, except those in which the tensor cores multiply without reading */
  shared_cycles?: number;
  /** with wgmma or tcgen05.mma: clocks of the tensor cores of one multiprocessor, at their full rate */
  tensor_cycles?: number;
}

/** One machine instruction that accessed shared memory, added up over the launch. */
export interface Site {
  /** byte offset in the kernel or function */
  pc: number;
  /** in nvdisasm's spelling */
  sass: string;
  /** ld, st, ldmatrix.x4, stmatrix.x2.trans, atom.add, red.add, atom.cas, popc.inc, cp.async.ca, ...; or an asynchronous operation: wgmma, cp.async.bulk, cp.async.bulk.tensor, mbarrier.init, mbarrier, ld.cluster, st.cluster, st.async, atom.cluster, atom.cas.cluster */
  op: string;
  /** bytes for each lane; for matrix accesses, wgmma and bulk copies: bytes of a row's piece; for an mbarrier: its bytes */
  width_bytes: 1 | 2 | 4 | 8 | 16;
  /** for bulk copies and tensor copies: shared memory is written, not read */
  to_shared?: boolean;
  /** what the counts may depend on; missing if that is unknown, as in functions and in kernels that call functions */
  depends_on?: DependsOn;
  /** bytes of shared memory that wgmma and tcgen05 read, or that a copy reads or writes; 0 for mbarriers and the memory of other blocks; only for asynchronous operations */
  bytes?: number;
  /** for asynchronous operations: passes of 128 bytes, which are clocks at the full bandwidth of shared memory. Each execution is rounded up. Conflicts are not included; missing if it is 0 */
  byte_passes?: number;
  /** the device function that holds the instruction, if it is not the kernel */
  function?: string;
  /** file name without its folder; empty if the cubin has no line table */
  file: string;
  /** path when it was compiled */
  path: string;
  /** line that Nsight Compute shows; 0 if there is none */
  line: number;
  /** text of that line when the report was made, without surrounding blanks; missing if the source was not found */
  text?: string;
  /** for an inlined function: the file of the call */
  outer_file?: string;
  /** path when it was compiled */
  outer_path?: string;
  /** for an inlined function: the line of the call */
  outer_line?: number;
  /** in the PTX text of the cubin; several texts count as one, in the order of their sections; 0 if there is none */
  ptx_line: number;
  /** If times are predicted: cycles that warps of the whole launch wait at this instruction, by Nsight Compute's names of the reasons */
  stall_cycles?: Readonly<Record<string, number>>;
  /** warp instructions, as Nsight Compute counts them */
  executed: number;
  /** active lanes, also those whose guard is false */
  lanes: number;
  /** executions in which a lane accesses shared memory; only their wavefronts are counted; only for generic accesses */
  shared_executed?: number;
  /** lanes whose address is in shared memory; only for generic accesses */
  shared_lanes?: number;
  /** for a recording: executed and lanes may be too high, because a recording does not show how often the guard was false */
  executed_at_least?: boolean;
  /** wavefronts, as the hardware counts them */
  wavefronts: number;
  /** ideal wavefronts, as Nsight Compute counts them: requested bytes / 128, at most wavefronts */
  ideal: number;
  /** wavefronts - ideal */
  excess: number;
  /** wavefronts that Nsight Compute's source page shows; it uses its own model; missing if it is wavefronts */
  ncu_wavefronts?: number;
  /** ideal wavefronts that Nsight Compute's source page shows; missing if it is ideal */
  ncu_ideal?: number;
  /** the fewest wavefronts for these words, at any addresses */
  reachable: number;
  /** wavefronts that a layout can remove */
  removable: number;
  /** wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued */
  queued: number;
  /** the fewest wavefronts that another layout reaches; lanes that queue for one word still queue */
  layout_floor: number;
  /** wavefronts if the lanes of a warp that want one word of an atomic were combined first; missing if it is wavefronts */
  combined?: number;
  /** wavefronts if each lane had its own copy of an atomic's words, next to the copies of the other lanes; missing if it is wavefronts */
  by_lane?: number;
  /** passes of the register file; for wgmma and tcgen05.mma: clocks of the tensor cores */
  passes: number;
  /** clocks of a saturated shared pipe; for wgmma: the larger of wavefronts and passes */
  cycles: number;
  /** clocks of a saturated shared pipe with the best layout; passes and minima stay the same */
  best_cycles: number;
  /** The access that cost most, or the first of several. Addresses are bytes from the start of the block's shared memory, and null for inactive lanes. For an asynchronous operation: no lanes, and the cost of one execution; for wgmma, of one execution by a warp group. */
  worst: Worst;
  /** for a compare-and-swap that lanes retried: the loop around it */
  retries?: Retries;
  /** if times are predicted: elapsed cycles that the launch would save without the removable and queued wavefronts of this instruction's line; this instruction's part of them */
  saved_cycles?: number;
  /** for an atomic: bytes from the lowest to the highest that it touched, which is the size of a copy of its words */
  span_bytes?: number;
  /** for an atomic whose accesses are kept: the largest range of bytes that one warp of a block touched */
  warp_span_bytes?: number;
  /** if lanes and warps want one word: the remedies, and the cost with each */
  remedies?: readonly Remedy[];
  /** values of 4 bytes that it stored and that lanes loaded, each counted once; only if the accesses are kept */
  passed_words?: number;
  /** how many of these values were loaded by another warp than the one that stored them */
  passed_on_words?: number;
  /** shuffles that would replace the load, if the accesses are kept; missing if other warps stored some of the values */
  shuffles?: number;
  /** cp.async accesses whose source is not known; they are counted as contiguous; missing if it is 0 */
  open_accesses?: number;
  /** for a site of an estimated launch: the range that contains its counts in nine of ten cases */
  interval?: Intervals;
  /** what the rule is based on; open: it is not known, and the number is for the nearest known case */
  evidence: 'measured' | 'published' | 'documented' | 'assumed' | 'none' | 'open';
  /** the data set, document or reasoning */
  evidence_source: string;
  /** If accesses are kept: the distinct accesses, the most frequent first, in the form of worst */
  accesses?: readonly Access[];
}

/** One machine instruction that accessed global or local memory, added up over the launch. */
export interface GlobalSite {
  /** byte offset in the kernel or function */
  pc: number;
  /** in nvdisasm's spelling */
  sass: string;
  /** ld, st, atom, red, cp.async; ld.local and st.local are of local memory, tex is of textures; suld, sust and sured are of surfaces */
  op: 'ld' | 'st' | 'atom' | 'red' | 'cp.async' | 'ld.local' | 'st.local' | 'tex' | 'suld' | 'sust' | 'sured';
  /** global, texture, surface, or local: the threads' own stacks, with spilled registers and arrays */
  space: 'global' | 'local' | 'texture' | 'surface';
  /** bytes for each lane */
  width_bytes: number;
  /** the address decides which memory is accessed; only lanes with an address in this space are counted */
  generic?: boolean;
  /** for local memory: the instruction is in a loop of the code */
  in_loop?: boolean;
  /** the device function that holds the instruction, if it is not the kernel */
  function?: string;
  /** file name without its folder; empty if the cubin has no line table */
  file: string;
  /** path when it was compiled */
  path: string;
  /** line that Nsight Compute shows; 0 if there is none */
  line: number;
  /** text of that line when the report was made, without surrounding blanks; missing if the source was not found */
  text?: string;
  /** for an inlined function: the file of the call */
  outer_file?: string;
  /** path when it was compiled */
  outer_path?: string;
  /** for an inlined function: the line of the call */
  outer_line?: number;
  /** in the PTX text of the cubin; several texts count as one, in the order of their sections; 0 if there is none */
  ptx_line: number;
  /** If times are predicted: cycles that warps of the whole launch wait at this instruction, by Nsight Compute's names of the reasons */
  stall_cycles?: Readonly<Record<string, number>>;
  /** for global memory: the access with the most sectors; if several have as many, the access with the lowest addresses */
  worst?: GlobalSample;
  /** if several instructions of a warp touch the same sectors: these instructions, and the number of distinct sectors */
  sector_group?: SectorGroup;
  /** why the instruction touches more sectors than necessary */
  reason?: string;
  /** the change that reduces the sectors */
  remedy?: string;
  /** sectors of the whole launch with the remedy */
  sectors_after?: number;
  /** warp instructions, including those whose guard was false in all lanes */
  executed: number;
  /** active lanes, including those whose guard is false */
  lanes: number;
  /** executions in which at least one lane is active; for textures and surfaces the counter l1tex__t_requests_pipe_tex: groups of 4 or 8 lanes in which at least one takes part */
  requests: number;
  /** sectors of 32 bytes that are requested from L2 if L1 has none of them: memory_l2_theoretical_sectors_global of Nsight Compute; for textures and surfaces its counter l1tex__t_sectors_pipe_tex */
  sectors: number;
  /** the sectors that the bytes would fill: memory_l2_theoretical_sectors_global_ideal */
  sectors_ideal: number;
  /** sectors - sectors_ideal */
  excess_sectors: number;
  /** lines of 128 bytes that L1 looks up: memory_l1_tag_requests_global; for textures and surfaces l1tex__t_set_accesses_pipe_tex */
  tag_requests: number;
  /** bytes that lanes requested, counted for each lane */
  bytes: number;
  /** for a site of an estimated launch: the range that contains its counts in nine of ten cases */
  interval?: GlobalIntervals;
}

/** What the asynchronous operations of one kind move through shared memory. Nobody has measured conflicts of these operations, so there is no count of them. */
export interface SharedTraffic {
  /** as in the sites */
  operation: string;
  /** shared memory is written, not read */
  to_shared: boolean;
  /** warp instructions */
  executed: number;
  /** bytes of shared memory */
  bytes: number;
  /** passes of 128 bytes that these bytes take */
  byte_passes: number;
  /** clocks of the tensor cores of one multiprocessor, at their full rate */
  tensor_cycles: number;
}

export interface GlobalTotals {
  /** warp instructions, including those whose guard was false in all lanes */
  executed: number;
  /** active lanes, including those whose guard is false */
  lanes: number;
  /** executions in which at least one lane is active; for textures and surfaces the counter l1tex__t_requests_pipe_tex: groups of 4 or 8 lanes in which at least one takes part */
  requests: number;
  /** sectors of 32 bytes that are requested from L2 if L1 has none of them: memory_l2_theoretical_sectors_global of Nsight Compute; for textures and surfaces its counter l1tex__t_sectors_pipe_tex */
  sectors: number;
  /** the sectors that the bytes would fill: memory_l2_theoretical_sectors_global_ideal */
  sectors_ideal: number;
  /** sectors - sectors_ideal */
  excess_sectors: number;
  /** lines of 128 bytes that L1 looks up: memory_l1_tag_requests_global; for textures and surfaces l1tex__t_set_accesses_pipe_tex */
  tag_requests: number;
  /** bytes that lanes requested, counted for each lane */
  bytes: number;
}

/** One access of an instruction to global memory. */
export interface GlobalSample {
  /** active lanes */
  mask: string;
  /** addresses of the lanes, from the beginning of the first line of 128 bytes */
  addresses: readonly (number | null)[];
  /** sectors that the access touches */
  sectors: number;
  /** the number of sectors that its bytes fill */
  sectors_ideal: number;
  /** lines of 128 bytes that L1 looks up */
  tag_requests: number;
}

/** Instructions with which a warp touches the same sectors of global memory, as in the first block that executes them. */
export interface SectorGroup {
  /** pcs of the instructions, including this instruction */
  pcs: readonly number[];
  /** the sum of the sectors of one access by each of them */
  sectors: number;
  /** these sectors, each counted once */
  distinct_sectors: number;
}

export interface Worst {
  /** active lanes */
  mask: string;
  /** addresses of the lanes */
  addresses: readonly (number | null)[];
  /** wavefronts, as the hardware counts them */
  wavefronts: number;
  /** the fewest wavefronts that these words need at any addresses */
  reachable: number;
  /** for cp.async: the address that each lane reads, in bytes from the beginning of the first line that is read; null for lanes that do not read */
  sources?: readonly (number | null)[];
  /** for cp.async.cg: some lane may get zeros (LDGSTS.ZFILL) */
  may_fill?: boolean;
}

export interface Access {
  /** how often the access was executed */
  count: number;
  /** active lanes */
  mask: string;
  /** addresses of the lanes */
  addresses: readonly (number | null)[];
}

/** What the counts of an instruction may depend on, found in the code. data: values in global memory or in variables. arguments: parameters of the kernel that are not addresses of its data. time: which warp comes first. If the list is empty, the counts are the same for every launch with this grid, block and shared memory.. */
export interface DependsOn {
  /** which bytes its lanes access */
  address: readonly ('data' | 'blockIdx' | 'arguments' | 'time')[];
  /** whether, how often and by which lanes the instruction is executed */
  execution: readonly ('data' | 'blockIdx' | 'arguments' | 'time')[];
}

/** For a compare-and-swap that lanes retried because they had not stored, in an emulated launch. rounds is the sum of entries, queued, conflicting and contended. */
export interface Retries {
  /** how often a warp entered the loop */
  entries: number;
  /** lanes of these warps */
  rounds: number;
  /** further rounds because lanes of the warp want one word */
  queued: number;
  /** further rounds because they want different words of one bank, of which ATOMS.CAST.SPIN serves one: a layout removes them */
  conflicting: number;
  /** further rounds because another warp changed the word in the meantime */
  contended: number;
  /** the most rounds of one entry */
  most: number;
  /** rounds if the lanes of each warp that want one word were combined first, and no other warp interfered */
  combined: number;
  /** the most further rounds that other warps can cause in that case: one for each pair of simultaneous entries and each word that both want */
  hindered: number;
  /** the most further rounds that other warps can cause if each lane has its own copy of the words, which the warps share */
  lane_hindered: number;
  /** pcs of the first and the last instruction of the loop; missing if unknown */
  loop?: readonly [number, number];
  /** the loop also stores something else: it takes a lock, and other lanes loop while the lock is held */
  locks?: boolean;
}

/** A remedy for queues and contention at an atomic, and its cost in the same launch. */
export interface Remedy {
  /** combine the lanes of a warp that update one word before the access, keep a copy of the words for each warp, do both, or keep a copy for each lane, at word * 32 + lane */
  remedy: 'combine' | 'copy_a_warp' | 'combine_and_copy_a_warp' | 'copy_a_lane';
  /** the unit of least and most */
  of: 'rounds' | 'wavefronts';
  /** the smallest possible number for the whole launch */
  least: number;
  /** the largest possible number; equal to least if nothing depends on the order of warps; missing if other warps wait for a lock */
  most?: number;
  /** bytes of a block's shared memory that the copies take */
  further_bytes: number;
}

/** What is known about counts that a sample estimates. */
export interface Estimate {
  /** blocks of the grid, of which only ctas_executed were executed */
  blocks: number;
  /** the flag that limited the run */
  by: 'time' | 'ctas';
  /** how many of 100 intervals contain the true count */
  confidence_percent: number;
  /** intervals for the totals of the launch */
  totals: Intervals;
  /** intervals for the global_totals of the launch */
  global_totals?: GlobalIntervals;
}

/** The smallest and largest likely value of a count: nine of ten intervals hold. */
export interface Intervals {
  /** warp instructions */
  executed: readonly [number, number];
  /** wavefronts, as the hardware counts them */
  wavefronts: readonly [number, number];
  /** ideal wavefronts, as Nsight Compute counts them: requested bytes / 128, at most wavefronts */
  ideal: readonly [number, number];
  /** the fewest wavefronts that these words need at any addresses */
  reachable: readonly [number, number];
  /** wavefronts that a layout can remove */
  removable: readonly [number, number];
  /** wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued */
  queued: readonly [number, number];
  /** clocks of a saturated shared pipe */
  cycles: readonly [number, number];
  /** warp instructions of a launch, not only those that access shared memory */
  warp_instructions?: readonly [number, number];
}

/** The same for counts of global memory. */
export interface GlobalIntervals {
  /** warp instructions, including those whose guard was false in all lanes */
  executed: readonly [number, number];
  /** active lanes, including those whose guard is false */
  lanes: readonly [number, number];
  /** executions in which at least one lane is active; for textures and surfaces the counter l1tex__t_requests_pipe_tex: groups of 4 or 8 lanes in which at least one takes part */
  requests: readonly [number, number];
  /** sectors of 32 bytes that are requested from L2 if L1 has none of them: memory_l2_theoretical_sectors_global of Nsight Compute; for textures and surfaces its counter l1tex__t_sectors_pipe_tex */
  sectors: readonly [number, number];
  /** the sectors that the bytes would fill: memory_l2_theoretical_sectors_global_ideal */
  sectors_ideal: readonly [number, number];
  /** sectors - sectors_ideal */
  excess_sectors: readonly [number, number];
  /** lines of 128 bytes that L1 looks up: memory_l1_tag_requests_global; for textures and surfaces l1tex__t_set_accesses_pipe_tex */
  tag_requests: readonly [number, number];
  /** bytes that lanes requested, counted for each lane */
  bytes: readonly [number, number];
}

export interface Array {
  /** name as declared; if empty, the name is not known and the bytes are those that were accessed */
  name: string;
  /** bytes from the start of the block's shared memory */
  begin: number;
  /** the first byte after it */
  end: number;
  /** part of the dynamic shared memory */
  dynamic: boolean;
  /** 0: not known */
  declared_bytes: number;
  /** sites that access the array: the pc, with the function if the site is not in the kernel itself */
  sites: readonly (number | {function: string; pc: number})[];
  /** sets of sites that use the same values, as indices into the list of sites; only if there are several, because arrays may use the memory in turn */
  phases?: readonly (readonly number[])[];
}

export interface OutOfBounds {
  /** an atomic is an update */
  access: 'read' | 'write' | 'update';
  /** bytes for each lane */
  bytes: number;
  /** executed warp instructions with a lane outside an allocation */
  count: number;
  /** lanes outside an allocation, over all executions */
  lanes: number;
  /** byte offset in the code */
  pc: number;
  /** the device function that contains it; missing if it is the kernel itself */
  function?: string;
  /** the instruction in nvdisasm's spelling */
  sass: string;
  /** file name without its folder */
  file: string;
  /** path when it was compiled */
  path: string;
  /** line number in the file */
  line: number;
  /** the source line; missing if the file was not found */
  text?: string;
  /** blockIdx of the first access outside an allocation, in the block that began first */
  block: readonly [number, number, number];
  /** threadIdx of the first access outside an allocation; the keys below also describe this access */
  thread: readonly [number, number, number];
  /** warp of the block */
  warp: number;
  /** lane of the warp */
  lane: number;
  /** address of the lane */
  address: number;
  /** the nearest allocation, and the distance to it */
  nearest: string;
  /** list of lines: the call path of the access, the place that made the nearest allocation, and the place that launched the kernel */
  trail: readonly string[];
}

export interface Hazard {
  /** the kind of hazard, in the order of this run; for an uninitialised read, both places are the read */
  kind: 'uninitialised' | 'read_after_write' | 'write_after_read' | 'write_after_write';
  /** executed warp instructions at the second place with this hazard */
  count: number;
  /** the lowest blockIdx in which the hazard was seen */
  block: readonly [number, number, number];
  /** bytes from the start of the kernel's own shared memory */
  offset: number;
  /** the array at this address, as declared; empty if not known */
  array: string;
  /** the earlier access in this run */
  first: ThreadPlace;
  /** the later access */
  second: ThreadPlace;
}

export interface BlockRace {
  /** the kind of race, in the order of this run, in which resident blocks were interleaved */
  kind: 'read_after_write' | 'write_after_read' | 'write_after_write';
  /** words with this race at the second place */
  count: number;
  /** the earlier access in this run */
  first: CodePlace;
  /** the later access */
  second: CodePlace;
}

/** A place that a thread reached. */
export interface ThreadPlace {
  /** byte offset in the code */
  pc: number;
  /** the device function that contains it; missing if it is the kernel itself */
  function?: string;
  /** the instruction in nvdisasm's spelling */
  sass: string;
  /** file name without its folder */
  file: string;
  /** path when it was compiled */
  path: string;
  /** line number in the file */
  line: number;
  /** the source line; missing if the file was not found */
  text?: string;
  /** threadIdx of the thread where the hazard was first seen */
  thread: readonly [number, number, number];
}

/** The place of an instruction. */
export interface CodePlace {
  /** byte offset in the code */
  pc: number;
  /** the device function that contains it; missing if it is the kernel itself */
  function?: string;
  /** the instruction in nvdisasm's spelling */
  sass: string;
  /** file name without its folder */
  file: string;
  /** path when it was compiled */
  path: string;
  /** line number in the file */
  line: number;
  /** the source line; missing if the file was not found */
  text?: string;
}

export interface Unrecorded {
  /** demangled, with its parameters */
  kernel: string;
  /** blocks in x, y, z */
  grid: readonly [number, number, number];
  /** threads in x, y, z */
  block: readonly [number, number, number];
  /** launches of this kernel with this grid and block */
  launches: number;
  /** the kernel's code does not touch shared memory */
  without_accesses: boolean;
}

export interface Failed {
  /** demangled, with its parameters */
  kernel: string;
  /** blocks in x, y, z */
  grid: readonly [number, number, number];
  /** threads in x, y, z */
  block: readonly [number, number, number];
  /** launches that failed */
  launches: number;
  /** why the first of them failed */
  why: string;
}

export interface LibraryUse {
  /** cublasSgemm */
  function: string;
  /** calls of the function; each launch of a graph that contains it is one call */
  calls: number;
  /** the host library that computed the result, such as OpenBLAS */
  computed_by: string;
}

/** Sentences about a launch, in addition to its costs. */
export interface LaunchView {
  /** the first finding in a sentence; empty if there is no finding */
  worst: string;
  /** the remedy of the first finding, in one line; empty if not known */
  fix: string;
  /** how the kernel was launched, and which part of the launch was executed */
  facts: string;
  /** what the report of this launch lacks; empty if it is complete */
  partial: string;
  /** the likely error of counts from a sample; empty if the counts are not from a sample */
  estimate: string;
  /** of one multiprocessor */
  clocks: readonly ClockRow[];
  /** the predicted time of the launch; empty if not predicted */
  time: string;
  /** the predicted time in cycles, and what bounds it; empty if not predicted */
  bound: string;
  /** whether bank conflicts slow the launch down */
  verdict: string;
  /** what is not known or not counted; empty if nothing is missing */
  doubt: string;
  /** why there are no findings, if there are none */
  nothing: string;
  /** the largest number first */
  findings: readonly FindingView[];
  /** like those of the launch */
  sites: readonly SiteView[];
  /** notes in addition to the costs */
  notes: readonly Note[];
}

/** Sentences about a site. */
export interface SiteView {
  /** what can be saved by removing the conflicts of this instruction; empty if no lane accesses anything */
  win: string;
  /** what can be saved by removing the conflicts of all instructions of its line; empty if the line has one instruction, or if there is nothing to save */
  win_of_line: string;
  /** for an operation without lanes: what it does with shared memory */
  beside: string;
  /** for a sample: the likely error of its counts; empty if they are exact, or if the error is not known */
  estimate: string;
  /** the share of their time that warps spend at its line; empty if it is small, or not predicted */
  waits: string;
  /** what the counts of this instruction depend on; empty if not known */
  depends: string;
  /** the evidence for the rule of this instruction */
  evidence: string;
}

/** A resource of a multiprocessor, and its clocks. */
export interface ClockRow {
  /** name of the resource */
  name: string;
  /** clocks in which the resource is busy */
  clocks: number;
  /** clocks in which the resource is busy without the wavefronts that a layout can remove */
  with_best: number;
  /** text after the word clocks */
  says: string;
}

/** A source line with wavefronts above what is reachable, or an instruction without a line. */
export interface FindingView {
  /** indices of sites of the launch, the worst first */
  sites: readonly number[];
  /** path when it was compiled */
  path: string;
  /** 0: not known */
  line: number;
  /** wavefronts that a layout can remove */
  removable: number;
  /** wavefronts from lanes that queue for one word */
  queued: number;
}

/** Sentences about a launch, in addition to its costs. */
export interface Note {
  /** what was found */
  title: string;
  /** what that means */
  says: string;
  /** each thing, one by one */
  items: readonly NoteItem[];
  /** what to do about all items */
  hint: string;
}

export interface NoteItem {
  /** what is wrong */
  what: string;
  /** how often it happened, and where it was first seen */
  where: string;
  /** the instructions */
  places: readonly NotePlace[];
  /** the call path */
  trail: readonly string[];
  /** what to do about it */
  hint: string;
}

/** A place that a note refers to. */
export interface NotePlace {
  /** write, for each of the two places of a hazard */
  does: string;
  /** the device function; empty for the kernel itself */
  function: string;
  /** byte offset in the code */
  pc: number;
  /** the instruction */
  sass: string;
  /** path when it was compiled */
  path: string;
  /** 0: not known */
  line: number;
  /** further facts about the place */
  detail: string;
}

/** The counts that totals add up. */
export const total_keys = ['executed', 'wavefronts', 'ideal', 'reachable', 'removable', 'queued', 'cycles'] as const;

/** The counts of a site and their meanings. */
export const count_rows = [
  {key: 'bytes', meaning: "bytes of shared memory that wgmma and tcgen05 read, or that a copy reads or writes; 0 for mbarriers and the memory of other blocks"},
  {key: 'byte_passes', meaning: "for asynchronous operations: passes of 128 bytes, which are clocks at the full bandwidth of shared memory. Each execution is rounded up. Conflicts are not included"},
  {key: 'executed', meaning: "warp instructions, as Nsight Compute counts them"},
  {key: 'lanes', meaning: "active lanes, also those whose guard is false"},
  {key: 'shared_executed', meaning: "executions in which a lane accesses shared memory; only their wavefronts are counted"},
  {key: 'shared_lanes', meaning: "lanes whose address is in shared memory"},
  {key: 'wavefronts', meaning: "wavefronts, as the hardware counts them"},
  {key: 'ideal', meaning: "ideal wavefronts, as Nsight Compute counts them: requested bytes / 128, at most wavefronts"},
  {key: 'excess', meaning: "wavefronts - ideal"},
  {key: 'ncu_wavefronts', meaning: "wavefronts that Nsight Compute's source page shows; it uses its own model"},
  {key: 'ncu_ideal', meaning: "ideal wavefronts that Nsight Compute's source page shows"},
  {key: 'reachable', meaning: "the fewest wavefronts for these words, at any addresses"},
  {key: 'removable', meaning: "wavefronts that a layout can remove"},
  {key: 'queued', meaning: "wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued"},
  {key: 'layout_floor', meaning: "the fewest wavefronts that another layout reaches; lanes that queue for one word still queue"},
  {key: 'combined', meaning: "wavefronts if the lanes of a warp that want one word of an atomic were combined first"},
  {key: 'by_lane', meaning: "wavefronts if each lane had its own copy of an atomic's words, next to the copies of the other lanes"},
  {key: 'passes', meaning: "passes of the register file; for wgmma and tcgen05.mma: clocks of the tensor cores"},
  {key: 'cycles', meaning: "clocks of a saturated shared pipe; for wgmma: the larger of wavefronts and passes"},
  {key: 'best_cycles', meaning: "clocks of a saturated shared pipe with the best layout; passes and minima stay the same"},
  {key: 'open_accesses', meaning: "cp.async accesses whose source is not known; they are counted as contiguous"},
] as const;
