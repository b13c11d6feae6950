// The data that the C++ code writes into the page in place of null.

import type {Pairs} from './question';

export type PageData =
  | null
  | {view: 'explain'; question: Pairs}
  | ReportData
  | DiffData;

export interface DiffData {
  view: 'diff';
  verdict: string;
  /** As `bankwise diff --format json` writes it (docs/reference/diff.schema.json). */
  diff: unknown;
}

export interface ReportData {
  view: 'report';
  /** As `bankwise run --format json` writes it (docs/reference/report.schema.json). */
  report: unknown;
  /** A sentence with the total possible saving of all launches. */
  verdict: string;
  /** The notes for each launch, in sentences. */
  views: readonly unknown[];
  sources: Readonly<Record<string, string>>;
  code: readonly unknown[];
}
