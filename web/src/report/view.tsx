// The report of `bankwise run`.

import type {ReportData} from '../data';
import type {Wasm} from '../wasm';

export function ReportView(_: {data: ReportData; wasm: Wasm}) {
  return null;
}
