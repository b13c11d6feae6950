// The data of the page. The C++ code replaces a null in the page by these data.

import type {Pairs} from './question';

export type PageData =
  | null
  | {view: 'explain'; question: Pairs}
  | ReportData
  | DiffData;

export interface DiffData {
  view: 'diff';
  verdict: string;
  /** The JSON of `bankwise diff --format json` (docs/reference/diff.schema.json). */
  diff: unknown;
}

export interface ReportData {
  view: 'report';
  /** The JSON of `bankwise run --format json` (docs/reference/report.schema.json). */
  report: unknown;
  /** A sentence with the total possible saving of all launches. */
  verdict: string;
  /** How long the program takes and what it waits for, or an empty text. */
  timeline?: string;
  /** The notes about each launch, in sentences. */
  views: readonly unknown[];
  sources: Readonly<Record<string, string>>;
  code: readonly unknown[];
}
