// The report as the C++ writes it into the page: docs/reference/report.schema.json, and beside it the machine code.

import type {ReportData} from '../data';

export interface Site {
  pc: number;
  function?: string;
  sass: string;
  op: string;
  width_bytes: number;
  file: string;
  path?: string;
  line: number;
  outer_file?: string;
  outer_line?: number;
  ptx_line?: number;
  executed: number;
  lanes: number;
  /** Of a generic access: what was in shared memory. */
  shared_executed?: number;
  shared_lanes?: number;
  /** Executed and lanes may be more: a recording did not hear of all. */
  executed_at_least?: boolean;
  wavefronts: number;
  ideal: number;
  /** What Nsight Compute's source page shows, where that is something else. */
  ncu_wavefronts?: number;
  ncu_ideal?: number;
  excess?: number;
  reachable: number;
  /** What a layout can win, and what lanes take that queue for one word. */
  removable?: number;
  queued?: number;
  layout_floor?: number;
  passes: number;
  cycles: number;
  /** Clocks with the best layout. */
  best_cycles?: number;
  worst: {
    mask: string; addresses: readonly(number | null)[];
    sources?: readonly(number | null)[];
    may_fill?: boolean; wavefronts: number;
    reachable?: number;
  };
  /** Of what is no access of lanes (wgmma, cp.async.bulk, mbarrier): what it reads and writes of shared memory. */
  bytes?: number;
  to_shared?: boolean;
  /** Of a compare-and-swap that lanes went round for again; the notes have the sentence. */
  retries?: {
    entries: number;
    rounds: number;
    queued: number;
    conflicting: number;
    contended: number;
    most: number;
    loop?: readonly [number, number];
  };
  evidence: 'measured' | 'documented' | 'assumed' | 'none' | 'open';
  evidence_source?: string;
}

/** A layout for an array, as docs/reference/fix.schema.json has it. */
export interface Answer {
  family: string;
  summary: string;
  over_elements?: string;
  wavefronts: number;
  wavefronts_by_access: readonly number[];
  reaches_lower_bound: boolean;
  extra_bytes: number;
  blocks_per_multiprocessor?: number;
  index: string;
  cuda: string;
  cute?: string;
  triton?: string;
  hardware?: string;
}

/** What was found for one shared array of a launch. */
export interface Fix {
  array: string;
  bytes: number;
  verdict: string;
  wavefronts: number;
  lower_bound: number;
  blocks_per_multiprocessor?: number;
  accesses: readonly {name: string; op: string; executed: number; sites?: readonly (number | {function: string; pc: number})[]}[];
  answers: readonly Answer[];
  why_not_lower?: string;
  notes: readonly string[];
}

export type StopReason = 'interrupted' | 'budget' | 'fault';

export interface Launch {
  kernel: string;
  name: string;
  mangled: string;
  grid: readonly [number, number, number];
  block: readonly [number, number, number];
  shared_bytes: number;
  dynamic_shared_bytes?: number;
  registers?: number;
  count: number;
  ctas_executed: number;
  /** Counts are those of a sample of blocks, scaled to the grid. */
  scaled?: boolean;
  /** The launch was stopped before its end. */
  partial?: boolean;
  partial_reason?: StopReason;
  /** That interrupted it: SIGTERM. */
  signal?: string;
  /** Blocks that began, those of ctas_executed among them. */
  ctas_begun?: number;
  sites: readonly Site[];
  /** With --fix. */
  fixes?: readonly Fix[];
  totals: {
    executed: number;
    wavefronts: number;
    ideal: number;
    reachable: number;
    removable?: number;
    queued?: number;
    cycles: number;
    warp_instructions: number;
    issue_cycles?: number;
    shared_cycles_reachable?: number;
    /** With wgmma: of the pipe without the clocks in which it multiplies and reads nothing, and of the tensor cores. */
    shared_cycles?: number;
    tensor_cycles?: number;
  };
}

export interface Report {
  schema: string;
  tool: {name: string; version: string};
  arch: string;
  source: 'emulated' | 'recorded';
  /** The program was stopped before its end. */
  partial?: boolean;
  partial_reason?: StopReason;
  signal?: string;
  launches: readonly Launch[];
}

export type Instruction = readonly [pc: number, sass: string, file: number, line: number, ptx_line: number];

/** The code of one kernel. */
export interface Code {
  mangled: string;
  files: readonly string[];
  instructions: readonly Instruction[];
  functions?: readonly {name: string; instructions: readonly Instruction[]}[];
  ptx: readonly string[];
}

/** Where something of a note is. */
export interface NotePlace {
  /** "write", of the two places of a hazard. */
  does: string;
  function: string;
  pc: number;
  sass: string;
  path: string;
  line: number;
  detail: string;
}

export interface NoteItem {
  what: string;
  where: string;
  places: readonly NotePlace[];
  trail: readonly string[];
  hint: string;
}

/** What is said of a launch beside its costs, in the sentences of the text report: src/report/launch_note.hpp. */
export interface Note {
  title: string;
  says: string;
  items: readonly NoteItem[];
  hint: string;
}

/** What of a report is not in its JSON. */
export interface Beside {
  code: ReadonlyMap<string, Code>;
  /** By launch. */
  notes: readonly (readonly Note[])[];
}

/** What the page was given, or why it cannot be shown. */
export function read_report(data: ReportData): {report: Report} & Beside | string {
  const report = data.report as Partial<Report> | null;
  const schema = report?.schema;
  if (schema !== 'bankwise.report/1' || !Array.isArray(report?.launches)) {
    return `The report in this page has the schema ${JSON.stringify(schema ?? null)}; this page reads "bankwise.report/1". ` +
      'Write it again with the same version of bankwise: bankwise run ... --format html';
  }
  return {
    report: report as Report, code: new Map((data.code as readonly Code[]).map((one) => [one.mangled, one])),
    notes: data.notes as readonly (readonly Note[])[],
  };
}
