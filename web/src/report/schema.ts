// The report as the C++ writes it into the page, and what is said of it there. Made from the fields of src/report by
// scripts/build-reference: do not change it here.

import type {Fix} from './fix_types';

export interface Tool {
  name: string;
  version: string;
}

export interface Report {
  /** name and version of this format */
  schema: 'bankwise.report/1';
  /** what wrote it */
  tool: Tool;
  /** As it was asked for: sm_90 */
  arch: string;
  /** where the accesses come from */
  source: 'emulated' | 'recorded';
  /** the run was stopped before its end: the launches are those that were executed until then */
  partial?: boolean;
  /** why it was stopped: by a signal, by its budget of instructions, or by a kernel that failed */
  partial_reason?: 'interrupted' | 'budget' | 'total_budget' | 'time' | 'fault';
  /** that interrupted it: SIGTERM */
  signal?: string;
  /** of the launch that can be trusted least: exact, estimated or partial. Missing in recordings */
  exactness?: 'exact' | 'estimated' | 'partial';
  /** In the order of first occurrence. Launches that are equal in everything are one, with their count. */
  launches: readonly Launch[];
  /** Kernels, each with a grid and a block, of which no launch was recorded; of a run, launches beyond those that a report holds */
  not_recorded?: readonly Unrecorded[];
  /** Launches that failed after a sample, maybe because of it, and are not among the launches */
  failed?: readonly Failed[];
  /** Functions of cuBLAS and the like that the program called. The host computed them: their kernels are not NVIDIA's, and nothing of them is counted. */
  library_calls?: readonly LibraryUse[];
}

/** One launch of a kernel. */
export interface Launch {
  /** demangled, with its parameters */
  kernel: string;
  /** without template arguments and parameters */
  name: string;
  /** as the linker knows it */
  mangled: string;
  /** blocks in x, y, z */
  grid: readonly [number, number, number];
  /** threads in x, y, z */
  block: readonly [number, number, number];
  /** of a block, static and dynamic */
  shared_bytes: number;
  /** of them, as the launch asked */
  dynamic_shared_bytes: number;
  /** of a thread */
  registers: number;
  /** equal launches that this one stands for */
  count: number;
  /** thread blocks that ran to their end */
  ctas_executed: number;
  /** By pc */
  sites: readonly Site[];
  /** Over the sites; warp_instructions over the whole launch, 0 in a recording, which has accesses alone. */
  totals: Totals;
  /** global_sites has every instruction that accessed global or local memory */
  global_counted?: boolean;
  /** Instructions that accessed global memory, or the threads' own stacks, by pc */
  global_sites?: readonly GlobalSite[];
  /** Over the global_sites that are not local */
  global_totals?: GlobalTotals;
  /** where fewer blocks ran than the grid has, because the run was limited to some blocks or to a time: all counts, warp_instructions too, are estimated for all blocks of the grid */
  scaled?: boolean;
  /** only what accesses to shared memory depend on was executed: other accesses were not looked at, nor their faults */
  counted_alone?: boolean;
  /** what it read may be what a sample of another launch left: its counts are those of that */
  after_sample?: boolean;
  /** of count: launches that were not executed, since the time of the run was over; they are taken for equal to this one, of the same kernel, grid and block */
  assumed?: number;
  /** exact: every block was executed, or is proven to do the same as one that was; estimated: from a sample of them, or behind one; partial: it was stopped. Missing in recordings */
  exactness?: 'exact' | 'estimated' | 'partial';
  /** of an estimated launch, how far it may be off */
  estimate?: Estimate;
  /** the launch was stopped before its end: counts are those of what was executed until then, and are not scaled */
  partial?: boolean;
  /** why it was stopped */
  partial_reason?: 'interrupted' | 'budget' | 'total_budget' | 'time' | 'fault';
  /** that interrupted it: SIGTERM */
  signal?: string;
  /** of a partial launch: thread blocks that began, those of ctas_executed and others that count as far as they came */
  ctas_begun?: number;
  /** of a recording: launches of this kernel with this grid and block, recorded or not */
  launches_seen?: number;
  /** of a recording: one of so many blocks was recorded */
  block_period?: number;
  /** of a recording: executed accesses that are in no site */
  lost_accesses?: number;
  /** If times are predicted: elapsed cycles on a GPU as Nsight Compute would show them, predicted; with an interval that held for four of five launches that nobody fitted to, and what bounds it */
  time?: {gpu: string; cycles: number; cycles_low: number; cycles_high: number; microseconds: number; bound: string; shares: readonly ({resource: string; percent: number})[]; caches: 'cold' | 'warm'; evidence?: 'measured' | 'assumed'};
  /** If hazards were looked for: which kinds */
  checks?: readonly ('uninit' | 'race')[];
  /** If hazards were looked for: accesses to shared memory that nothing orders, and reads of what was not written */
  hazards?: readonly Hazard[];
  /** Instructions that accessed global memory beside an allocation, in a 2 MiB page with a part of one, so that a GPU lets them pass; missing: there are none */
  out_of_bounds?: readonly OutOfBounds[];
  /** Instructions of blocks that are resident together, on the same words of global memory: counts depend on which block comes first; missing: there are none, or nobody looked */
  block_races?: readonly BlockRace[];
  /** If layouts were searched: the layouts for the arrays, what wins most first; each as one of the arrays of fix.schema.json */
  fixes?: readonly Fix[];
  /** If layouts were searched: other instructions for those of a line, where they save wavefronts or instructions; what saves most wavefronts first; each as one of the other_instructions of fix.schema.json */
  other_instructions?: readonly ({line: number; verdict: string})[];
  /** if accesses are kept, as all that follows: executed warp instructions with an active lane */
  accesses_seen?: number;
  /** the sum of the counts of the sites' accesses; less than accesses_seen where there were too many distinct ones, and a sample was kept */
  accesses_kept?: number;
  /** What the shared memory consists of, as far as a site touches it, by address */
  arrays?: readonly Array[];
  /** Instructions on shared memory in the kernel's own code that this launch did not execute; those with generic addresses are not known */
  not_executed?: readonly CodePlace[];
}

export interface Totals {
  /** warp instructions */
  executed: number;
  /** as the hardware counts them */
  wavefronts: number;
  /** as Nsight Compute counts it: bytes asked for over 128, at most wavefronts */
  ideal: number;
  /** the fewest for these words, wherever they lie */
  reachable: number;
  /** wavefronts that a layout can win */
  removable: number;
  /** wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued */
  queued: number;
  /** clocks of a saturated shared pipe */
  cycles: number;
  /** of the whole launch, on shared memory or not */
  warp_instructions: number;
  /** of the whole launch: the lanes that were there, of each warp instruction, also those whose guard is false; over warp_instructions, the lanes of 32 that were active */
  active_lanes?: number;
  /** of one multiprocessor that issues four warp instructions a clock */
  issue_cycles: number;
  /** of the shared pipe, with everything gone that a layout removes */
  shared_cycles_reachable: number;
  /** with wgmma: clocks of the shared pipe, without those in which the tensor cores multiply and read nothing */
  shared_cycles?: number;
  /** with wgmma: clocks of the tensor cores of one multiprocessor, at their full rate */
  tensor_cycles?: number;
}

/** One machine instruction that accessed shared memory, added up over the launch. */
export interface Site {
  /** byte offset in the kernel, or in the function */
  pc: number;
  /** in nvdisasm's spelling */
  sass: string;
  /** ld, st, ldmatrix.x4, stmatrix.x2.trans, atom.add, red.add, atom.cas, popc.inc, cp.async.ca, ...; or an asynchronous operation: wgmma, cp.async.bulk, cp.async.bulk.tensor, mbarrier.init, mbarrier, ld.cluster, st.cluster, st.async, atom.cluster, atom.cas.cluster */
  op: string;
  /** of a lane; of a row's piece for matrix accesses, wgmma and bulk copies; of an mbarrier */
  width_bytes: 1 | 2 | 4 | 8 | 16;
  /** of bulk copies and tensor copies: shared memory is written, not read */
  to_shared?: boolean;
  /** what the counts may depend on; left out where that is not known: of functions, and of kernels that call some */
  depends_on?: DependsOn;
  /** of shared memory that wgmma reads, or that a copy reads or writes; 0 for mbarriers and the memory of other blocks; of asynchronous operations alone */
  bytes?: number;
  /** the device function that holds the instruction, where it is not the kernel */
  function?: string;
  /** without its folder; empty where the cubin has no line table */
  file: string;
  /** as it was compiled */
  path: string;
  /** as Nsight Compute names it; 0 where there is none */
  line: number;
  /** of that line when the report was made, without the blanks around it; left out where the source was not found */
  text?: string;
  /** of an inlined function: the file of the line that led there */
  outer_file?: string;
  /** as it was compiled */
  outer_path?: string;
  /** of an inlined function: the line that led there */
  outer_line?: number;
  /** in the PTX text of the cubin; where it holds several texts they count as one, in the order of their sections; 0 where there is none */
  ptx_line: number;
  /** warp instructions, as Nsight Compute counts them */
  executed: number;
  /** lanes that were there, also those whose guard is false */
  lanes: number;
  /** executions with a lane in shared memory, whose wavefronts are counted; of generic accesses alone */
  shared_executed?: number;
  /** lanes in shared memory; of generic accesses alone */
  shared_lanes?: number;
  /** of a recording: executed and lanes may be more, as nothing tells how often the guard of the instruction was false */
  executed_at_least?: boolean;
  /** as the hardware counts them */
  wavefronts: number;
  /** as Nsight Compute counts it: bytes asked for over 128, at most wavefronts */
  ideal: number;
  /** wavefronts - ideal */
  excess: number;
  /** as Nsight Compute's source page shows them, by its own model; left out where it is wavefronts */
  ncu_wavefronts?: number;
  /** as Nsight Compute's source page shows it; left out where it is ideal */
  ncu_ideal?: number;
  /** the fewest wavefronts for these words, wherever they lie */
  reachable: number;
  /** wavefronts that a layout can win */
  removable: number;
  /** wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued */
  queued: number;
  /** the fewest that another layout reaches: lanes that queue for one word still queue */
  layout_floor: number;
  /** wavefronts if the lanes of a warp that want one word of an atomic came as one; left out where it is wavefronts */
  combined?: number;
  /** wavefronts if each lane had a copy of the words of an atomic to itself, side by side with those of the others; left out where it is wavefronts */
  by_lane?: number;
  /** of the register file; of wgmma the clocks of the tensor cores */
  passes: number;
  /** clocks of a saturated shared pipe; of wgmma the longer of its wavefronts and its passes */
  cycles: number;
  /** clocks with the best layout; passes and minima stay */
  best_cycles: number;
  /** The access that cost most; the first of equals. Addresses are bytes from the start of the block's shared memory, null for lanes that did not take part. Of an asynchronous operation: no lane, and what one execution costs, of a wgmma one by a warp group. */
  worst: Worst;
  /** of a compare-and-swap that lanes came to again; the loop around it */
  retries?: Retries;
  /** of an atomic: from the lowest byte that it touched to the highest, what a copy of its words takes */
  span_bytes?: number;
  /** of an atomic whose accesses are there: from the lowest to the highest byte that one warp of a block touched, at most */
  warp_span_bytes?: number;
  /** of lanes and warps that want one word: what makes it less, and what it comes to then */
  remedies?: readonly Remedy[];
  /** values of 4 bytes that it stored and lanes loaded, each once; where the accesses are kept */
  passed_words?: number;
  /** of these, values that another warp than the one that stored them loaded */
  passed_on_words?: number;
  /** shuffles that bring what it loads from the lanes of its warp that stored it, where the accesses are kept; left out where other warps stored some of it */
  shuffles?: number;
  /** cp.async whose source is not known: counted as if it were contiguous; left out where it is 0 */
  open_accesses?: number;
  /** of a site of an estimated launch: where its counts lie nine times of ten */
  interval?: Intervals;
  /** what the rule rests on; open: it is not known, and the number is that of the nearest known case */
  evidence: 'measured' | 'documented' | 'assumed' | 'none' | 'open';
  /** the data set, document or reasoning */
  evidence_source: string;
  /** If accesses are kept: the distinct accesses, the most frequent first, in the form of worst */
  accesses?: readonly Access[];
}

/** One machine instruction that accessed global or local memory, added up over the launch. */
export interface GlobalSite {
  /** byte offset in the kernel, or in the function */
  pc: number;
  /** in nvdisasm's spelling */
  sass: string;
  /** ld, st, atom, red, cp.async; of local memory ld.local, st.local */
  op: 'ld' | 'st' | 'atom' | 'red' | 'cp.async' | 'ld.local' | 'st.local';
  /** global, or local: the threads' own stacks, with spilled registers and arrays */
  space: 'global' | 'local';
  /** of a lane */
  width_bytes: number;
  /** the address says which memory it is: only the lanes in this one are counted */
  generic?: boolean;
  /** the device function that holds the instruction, where it is not the kernel */
  function?: string;
  /** without its folder; empty where the cubin has no line table */
  file: string;
  /** as it was compiled */
  path: string;
  /** as Nsight Compute names it; 0 where there is none */
  line: number;
  /** of that line when the report was made, without the blanks around it; left out where the source was not found */
  text?: string;
  /** of an inlined function: the file of the line that led there */
  outer_file?: string;
  /** as it was compiled */
  outer_path?: string;
  /** of an inlined function: the line that led there */
  outer_line?: number;
  /** in the PTX text of the cubin; where it holds several texts they count as one, in the order of their sections; 0 where there is none */
  ptx_line: number;
  /** warp instructions, also those whose guard was false in all lanes */
  executed: number;
  /** lanes that were there, also those whose guard is false */
  lanes: number;
  /** executions with a lane that takes part */
  requests: number;
  /** sectors of 32 bytes that L2 is asked for if L1 has none: memory_l2_theoretical_sectors_global of Nsight Compute */
  sectors: number;
  /** as many as the bytes fill: memory_l2_theoretical_sectors_global_ideal */
  sectors_ideal: number;
  /** sectors - sectors_ideal */
  excess_sectors: number;
  /** lines of 128 bytes that L1 looks up: memory_l1_tag_requests_global */
  tag_requests: number;
  /** that lanes asked for, each lane for itself */
  bytes: number;
}

export interface GlobalTotals {
  /** warp instructions, also those whose guard was false in all lanes */
  executed: number;
  /** lanes that were there, also those whose guard is false */
  lanes: number;
  /** executions with a lane that takes part */
  requests: number;
  /** sectors of 32 bytes that L2 is asked for if L1 has none: memory_l2_theoretical_sectors_global of Nsight Compute */
  sectors: number;
  /** as many as the bytes fill: memory_l2_theoretical_sectors_global_ideal */
  sectors_ideal: number;
  /** sectors - sectors_ideal */
  excess_sectors: number;
  /** lines of 128 bytes that L1 looks up: memory_l1_tag_requests_global */
  tag_requests: number;
  /** that lanes asked for, each lane for itself */
  bytes: number;
}

export interface Worst {
  /** lanes that take part */
  mask: string;
  /** of the lanes */
  addresses: readonly (number | null)[];
  /** as the hardware counts them */
  wavefronts: number;
  /** the fewest for these words, wherever they lie */
  reachable: number;
  /** of cp.async: where each lane reads, in bytes from the beginning of the first line that is read; null for lanes that do not read */
  sources?: readonly (number | null)[];
  /** of cp.async.cg: some lane may get zeros (LDGSTS.ZFILL) */
  may_fill?: boolean;
}

export interface Access {
  /** executed so often */
  count: number;
  /** lanes that take part */
  mask: string;
  /** of the lanes */
  addresses: readonly (number | null)[];
}

/** What the counts of an instruction may depend on, found in the code: data is what stands in global memory or in variables, arguments are parameters of the kernel other than the places of its data, and time is which warp comes first. With an empty list they are the same for every launch of this grid, block and shared memory.. */
export interface DependsOn {
  /** which bytes its lanes access */
  address: readonly ('data' | 'blockIdx' | 'arguments' | 'time')[];
  /** whether, how often and by which lanes it is executed */
  execution: readonly ('data' | 'blockIdx' | 'arguments' | 'time')[];
}

/** Of a compare-and-swap that lanes came to again because they had not stored; of an emulated launch. rounds is the sum of entries, queued, conflicting and contended. */
export interface Retries {
  /** warps that came into the loop */
  entries: number;
  /** of these warps */
  rounds: number;
  /** further rounds because lanes of the warp want one word */
  queued: number;
  /** further rounds because they want words of one bank, of which ATOMS.CAST.SPIN serves one: a layout removes these */
  conflicting: number;
  /** further rounds because another warp changed the word meanwhile */
  contended: number;
  /** rounds of one entry */
  most: number;
  /** rounds if the lanes of each warp that want one word came as one, and no other warp hindered them */
  combined: number;
  /** further rounds that other warps can cause then, at most: for two entries at one time and each word that both want, one */
  hindered: number;
  /** the same if each lane had a copy of the words to itself, which warps share */
  lane_hindered: number;
  /** pcs of the first instruction of the loop and of its last; missing: not known */
  loop?: readonly [number, number];
  /** something else is stored within the loop: it takes a lock, and others go round while that is held */
  locks?: boolean;
}

/** What removes queues and contention at an atomic, and what it would cost in the same launch. */
export interface Remedy {
  /** the lanes of a warp that want one word combined before the access, a copy of the words for each warp, both, or a copy for each lane, at word * 32 + lane */
  remedy: 'combine' | 'copy_a_warp' | 'combine_and_copy_a_warp' | 'copy_a_lane';
  /** what least and most are numbers of */
  of: 'rounds' | 'wavefronts';
  /** of the launch */
  least: number;
  /** the same where nothing depends on which warp goes when; missing: others wait for a lock, as long as it is held */
  most?: number;
  /** of a block's shared memory, that the copies take */
  further_bytes: number;
}

/** What is known of counts that a sample estimates. */
export interface Estimate {
  /** of the grid, in the place of which ctas_executed were executed */
  blocks: number;
  /** the flag that asked for it */
  by: 'time' | 'ctas';
  /** of 100 intervals so many hold */
  confidence_percent: number;
  /** of the totals of the launch */
  totals: Intervals;
}

/** The smallest and the largest number that a count may well have: of ten intervals nine hold. */
export interface Intervals {
  /** warp instructions */
  executed: readonly [number, number];
  /** as the hardware counts them */
  wavefronts: readonly [number, number];
  /** as Nsight Compute counts it: bytes asked for over 128, at most wavefronts */
  ideal: readonly [number, number];
  /** the fewest for these words, wherever they lie */
  reachable: readonly [number, number];
  /** wavefronts that a layout can win */
  removable: readonly [number, number];
  /** wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued */
  queued: readonly [number, number];
  /** clocks of a saturated shared pipe */
  cycles: readonly [number, number];
  /** of a launch: all, on shared memory or not */
  warp_instructions?: readonly [number, number];
}

export interface Array {
  /** as declared; empty: not known, and the bytes are those that are touched */
  name: string;
  /** bytes from the start of the block's shared memory */
  begin: number;
  /** the byte behind it */
  end: number;
  /** part of the dynamic shared memory */
  dynamic: boolean;
  /** 0: not known */
  declared_bytes: number;
  /** that touch it: the pc, with the function where it is not the kernel */
  sites: readonly (number | {function: string; pc: number})[];
  /** sets of its sites, as numbers in that list, that use the same values, where there are several: arrays may take turns in its memory */
  phases?: readonly (readonly number[])[];
}

export interface OutOfBounds {
  /** an atomic is an update */
  access: 'read' | 'write' | 'update';
  /** of a lane */
  bytes: number;
  /** executed warp instructions with such a lane */
  count: number;
  /** such lanes of all of them */
  lanes: number;
  /** byte offset in the code */
  pc: number;
  /** the device function that it is in; missing: the kernel itself */
  function?: string;
  /** the instruction in nvdisasm's spelling */
  sass: string;
  /** without its folder */
  file: string;
  /** as it was compiled */
  path: string;
  /** of the file */
  line: number;
  /** the source line; missing: the file was not found */
  text?: string;
  /** blockIdx, the first time: the block that began first */
  block: readonly [number, number, number];
  /** threadIdx, the first time, as what follows */
  thread: readonly [number, number, number];
  /** of the block */
  warp: number;
  /** of the warp */
  lane: number;
  /** of the lane */
  address: number;
  /** what is allocated there, and how far off the address is */
  nearest: string;
  /** how execution came there, where the nearest allocation was made, and where the kernel was launched; lines */
  trail: readonly string[];
}

export interface Hazard {
  /** named by the order of this run; of an uninitialised read both places are the read */
  kind: 'uninitialised' | 'read_after_write' | 'write_after_read' | 'write_after_write';
  /** executed warp instructions of the second that came upon it */
  count: number;
  /** where it was seen first: the lowest block */
  block: readonly [number, number, number];
  /** bytes from the start of the kernel's own shared memory */
  offset: number;
  /** that lies there, as declared; empty: not known */
  array: string;
  /** the earlier access in this run */
  first: ThreadPlace;
  /** the later one */
  second: ThreadPlace;
}

export interface BlockRace {
  /** named by the order of this run, whose resident blocks were interleaved */
  kind: 'read_after_write' | 'write_after_read' | 'write_after_write';
  /** words that the second came upon */
  count: number;
  /** the earlier access in this run */
  first: CodePlace;
  /** the later one */
  second: CodePlace;
}

/** Where a thread came to. */
export interface ThreadPlace {
  /** byte offset in the code */
  pc: number;
  /** the device function that it is in; missing: the kernel itself */
  function?: string;
  /** the instruction in nvdisasm's spelling */
  sass: string;
  /** without its folder */
  file: string;
  /** as it was compiled */
  path: string;
  /** of the file */
  line: number;
  /** the source line; missing: the file was not found */
  text?: string;
  /** threadIdx, where it was seen first */
  thread: readonly [number, number, number];
}

/** Where an instruction stands. */
export interface CodePlace {
  /** byte offset in the code */
  pc: number;
  /** the device function that it is in; missing: the kernel itself */
  function?: string;
  /** the instruction in nvdisasm's spelling */
  sass: string;
  /** without its folder */
  file: string;
  /** as it was compiled */
  path: string;
  /** of the file */
  line: number;
  /** the source line; missing: the file was not found */
  text?: string;
}

export interface Unrecorded {
  /** demangled, with its parameters */
  kernel: string;
  /** blocks in x, y, z */
  grid: readonly [number, number, number];
  /** threads in x, y, z */
  block: readonly [number, number, number];
  /** of this kind */
  launches: number;
  /** its code touches no shared memory */
  without_accesses: boolean;
}

export interface Failed {
  /** demangled, with its parameters */
  kernel: string;
  /** blocks in x, y, z */
  grid: readonly [number, number, number];
  /** threads in x, y, z */
  block: readonly [number, number, number];
  /** that failed */
  launches: number;
  /** of the first of them */
  why: string;
}

export interface LibraryUse {
  /** cublasSgemm */
  function: string;
  /** of it; each launch of a graph that has it is one */
  calls: number;
  /** the library of the host that did: OpenBLAS */
  computed_by: string;
}

/** What is said of a launch beside its costs, in sentences. */
export interface LaunchView {
  /** the first finding in a sentence; empty: there are none */
  worst: string;
  /** what removes it, in a line; empty: that is not known */
  fix: string;
  /** how it was launched, and what of it was executed */
  facts: string;
  /** what is missing; empty: nothing */
  partial: string;
  /** how far counts of a sample may be off; empty: they are none */
  estimate: string;
  /** of one multiprocessor */
  clocks: readonly ClockRow[];
  /** whether the conflicts matter */
  verdict: string;
  /** what is not known or not counted; empty: nothing */
  doubt: string;
  /** why there are no findings, where there are none */
  nothing: string;
  /** the largest number first */
  findings: readonly FindingView[];
  /** as those of the launch */
  sites: readonly SiteView[];
  /** what is said beside the costs */
  notes: readonly Note[];
}

/** What is said of a site. */
export interface SiteView {
  /** what removing its conflicts can win; empty: no lane accesses anything */
  win: string;
  /** the same of all instructions of its line; empty: it is the only one, or there is nothing to win */
  win_of_line: string;
  /** of what is no access of lanes: what it does with shared memory */
  beside: string;
  /** of a sample: how far its counts may be off; empty: they are exact, or nobody knows */
  estimate: string;
  /** what its counts depend on; empty: that is not known */
  depends: string;
  /** what its rule rests on */
  evidence: string;
}

/** A resource of a multiprocessor, and its clocks. */
export interface ClockRow {
  /** of the resource */
  name: string;
  /** that it is busy */
  clocks: number;
  /** with every wavefront gone that a layout can remove */
  with_best: number;
  /** behind the word clocks */
  says: string;
}

/** A source line with wavefronts above what is reachable, or an instruction without a line. */
export interface FindingView {
  /** indices of sites of the launch, the worst first */
  sites: readonly number[];
  /** as it was compiled */
  path: string;
  /** 0: not known */
  line: number;
  /** wavefronts that a layout can win */
  removable: number;
  /** wavefronts of lanes that queue for one word */
  queued: number;
}

/** What is said of a launch beside its costs. */
export interface Note {
  /** what was found */
  title: string;
  /** what that means */
  says: string;
  /** one by one */
  items: readonly NoteItem[];
  /** what to do about all of them */
  hint: string;
}

export interface NoteItem {
  /** what is wrong */
  what: string;
  /** how often, and where first */
  where: string;
  /** the instructions */
  places: readonly NotePlace[];
  /** how execution came there */
  trail: readonly string[];
  /** what to do about it */
  hint: string;
}

/** Where something of a note is. */
export interface NotePlace {
  /** write, of the two places of a hazard */
  does: string;
  /** empty: the kernel itself */
  function: string;
  /** byte offset in the code */
  pc: number;
  /** the instruction */
  sass: string;
  /** as it was compiled */
  path: string;
  /** 0: not known */
  line: number;
  /** what else is known of it */
  detail: string;
}

/** What totals add up. */
export const total_keys = ['executed', 'wavefronts', 'ideal', 'reachable', 'removable', 'queued', 'cycles'] as const;

/** The counts of a site, and what they are. */
export const count_rows = [
  {key: 'bytes', meaning: "of shared memory that wgmma reads, or that a copy reads or writes; 0 for mbarriers and the memory of other blocks"},
  {key: 'executed', meaning: "warp instructions, as Nsight Compute counts them"},
  {key: 'lanes', meaning: "lanes that were there, also those whose guard is false"},
  {key: 'shared_executed', meaning: "executions with a lane in shared memory, whose wavefronts are counted"},
  {key: 'shared_lanes', meaning: "lanes in shared memory"},
  {key: 'wavefronts', meaning: "as the hardware counts them"},
  {key: 'ideal', meaning: "as Nsight Compute counts it: bytes asked for over 128, at most wavefronts"},
  {key: 'excess', meaning: "wavefronts - ideal"},
  {key: 'ncu_wavefronts', meaning: "as Nsight Compute's source page shows them, by its own model"},
  {key: 'ncu_ideal', meaning: "as Nsight Compute's source page shows it"},
  {key: 'reachable', meaning: "the fewest wavefronts for these words, wherever they lie"},
  {key: 'removable', meaning: "wavefronts that a layout can win"},
  {key: 'queued', meaning: "wavefronts of lanes that queue for one word, which no layout changes: wavefronts = reachable + removable + queued"},
  {key: 'layout_floor', meaning: "the fewest that another layout reaches: lanes that queue for one word still queue"},
  {key: 'combined', meaning: "wavefronts if the lanes of a warp that want one word of an atomic came as one"},
  {key: 'by_lane', meaning: "wavefronts if each lane had a copy of the words of an atomic to itself, side by side with those of the others"},
  {key: 'passes', meaning: "of the register file; of wgmma the clocks of the tensor cores"},
  {key: 'cycles', meaning: "clocks of a saturated shared pipe; of wgmma the longer of its wavefronts and its passes"},
  {key: 'best_cycles', meaning: "clocks with the best layout; passes and minima stay"},
  {key: 'open_accesses', meaning: "cp.async whose source is not known: counted as if it were contiguous"},
] as const;
