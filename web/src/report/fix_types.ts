// What bankwise fix found for the arrays of a launch: docs/reference/fix.schema.json.

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
