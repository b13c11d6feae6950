// What a page is given of a report: its JSON and what is said of it, with the types of schema.ts, and the machine code.

import type {ReportData} from '../data';
import type {LaunchView, Report} from './schema';

export type Instruction = readonly [pc: number, sass: string, file: number, line: number, ptx_line: number];

/** The code of one kernel. */
export interface Code {
  mangled: string;
  files: readonly string[];
  instructions: readonly Instruction[];
  functions?: readonly {name: string; instructions: readonly Instruction[]}[];
  ptx: readonly string[];
}

/** What of a report is not in its JSON. */
export interface Beside {
  code: ReadonlyMap<string, Code>;
  /** By launch. */
  views: readonly LaunchView[];
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
    views: data.views as readonly LaunchView[],
  };
}
