// The explorer: a question, its answer, its picture.

import type {Pairs} from '../question';
import type {Wasm} from '../wasm';

export function Explorer(_: {wasm: Wasm; question: Pairs | null; report: boolean}) {
  return null;
}
