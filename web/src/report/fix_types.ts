// The types of fixes for the arrays of a launch (docs/reference/fix.schema.json).

/** A layout for an array, as in docs/reference/fix.schema.json. */
export interface Answer {
  family: string;
  summary: string;
  over_elements?: string;
  wavefronts: number;
  wavefronts_by_access: readonly number[];
  reaches_lower_bound: boolean;
  extra_bytes: number;
  saved_bytes?: number;
  plain?: boolean;
  blocks_per_multiprocessor?: number;
  /** The predicted cycles of the launch with this layout. */
  cycles_after?: number;
  index: string;
  cuda: string;
  edit?: string;
  cute?: string;
  triton?: string;
  hardware?: string;
}

/** The wavefronts with each size of padding after every N bytes. */
export interface Paddings {
  every_bytes: number;
  step_bytes: number;
  /** The bytes of the existing padding. */
  now_bytes: number;
  /** The wavefronts of each access: without padding, with a padding of step_bytes, with a padding of twice step_bytes,
      and so on. */
  tried: readonly (readonly number[])[];
}

/** The layouts for one shared array of a launch. */
export interface Fix {
  array: string;
  bytes: number;
  pitch_bytes: number;
  verdict: string;
  wavefronts: number;
  lower_bound: number;
  blocks_per_multiprocessor?: number;
  accesses: readonly {name: string; op: string; executed: number; sites?: readonly (number | {function: string; pc: number})[]}[];
  answers: readonly Answer[];
  paddings?: Paddings;
  begin_bytes?: number;
  most_clocks_won?: number;
  /** The predicted elapsed cycles of the launch without a fix. Undefined without a prediction. */
  cycles_before?: number;
  /** The clocks of the shared pipe for each wavefront. Undefined means one clock. */
  clocks_per_wavefront?: number;
  why_not_lower?: string;
  notes: readonly string[];
}
