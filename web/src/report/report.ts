// The parts of a report in a page: its JSON, its sentences and the machine code, with the types of schema.ts.

import type {ReportData} from '../data';
import {text_in} from '../packed';
import {Later} from './lines';
import type {LaunchView, Report} from './schema';

/** Instructions as one array for each column. The texts of a column are one string, with a newline after each. */
export interface Instructions {
  pc: readonly number[];
  sass: string;
  /** For each instruction, an index into the code's list of files. */
  file: readonly number[];
  line: readonly number[];
  ptx_line: readonly number[];
}

export interface Code {
  mangled: string;
  files: readonly string[];
  instructions: Instructions;
  functions?: readonly {name: string; instructions: Instructions}[];
  /** The PTX text, which is half of a large page. It is parsed when it is first shown. */
  ptx: Later;
}

/** The parts of a report that its JSON does not contain. */
export interface Beside {
  code: ReadonlyMap<string, Code>;
  /** By launch. */
  views: readonly LaunchView[];
  /** The possible saving of all launches together. */
  verdict: string;
  /** How long the program takes and what it waits for. It is empty if the report has no timeline. */
  times: string;
  /** Source texts by path. */
  sources: ReadonlyMap<string, string>;
}

/** Rows that are stored as columns, as in the page. Texts are indices into the list of texts. */
interface Packed {
  rows: number;
  columns: Record<string, Column>;
}
type Column = Packed | {words: readonly string[]; at: readonly (number | null)[]} | readonly unknown[];

/** Returns the value of a row in a column. The value is undefined if the row does not have the key, and an object for
    nested columns. */
function value_of(column: Column, row: number): unknown {
  if ('rows' in column) return Object.fromEntries(Object.entries(column.columns).map(([key, one]) => [key, value_of(one, row)]));
  if (!('words' in column)) return column[row] ?? undefined;
  const at = column.at[row] ?? null;
  return at === null ? undefined : column.words[at];
}

const at = Symbol();

/** Makes rows that read from their columns, because a report has many more rows than a page shows. The keys are
    properties of the prototype, so `...row` copies no keys. */
function unpacked<T>(packed: Packed | readonly T[]): T[] {
  if (!('rows' in packed)) return [...packed];
  class Row {
    [at]: number;
    constructor(i: number) { this[at] = i; }
  }
  for (const [key, column] of Object.entries(packed.columns)) {
    Object.defineProperty(Row.prototype, key, {get(this: Row) { return value_of(column, this[at]); }});
  }
  return Array.from({length: packed.rows}, (_, i) => new Row(i) as T);
}

/** Returns the data of the page, or the reason why the data cannot be shown. */
export function read_report(data: ReportData): {report: Report} & Beside | string {
  const report = data.report as Partial<Report> | null;
  const schema = report?.schema;
  if (schema !== 'bankwise.report/1' || !Array.isArray(report?.launches)) {
    return `The report in this page has the schema ${JSON.stringify(schema ?? null)}, but this page reads only "bankwise.report/1". ` +
      'Write the page again with the same version of bankwise: bankwise run ... --format html';
  }
  for (const one of [...report.launches, ...data.views as {sites: unknown}[]]) Object.assign(one, {sites: unpacked(one.sites as Packed)});
  return {
    report: report as Report, code: new Map((data.code as readonly Omit<Code, 'ptx'>[]).map((one, i) => [one.mangled, {...one, ptx: new Later(() => text_in(document.getElementById(`bankwise-ptx-${i}`)))}])),
    views: data.views as readonly LaunchView[], verdict: data.verdict, times: data.timeline ?? '', sources: new Map(Object.entries(data.sources)),
  };
}
