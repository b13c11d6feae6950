// The rule as WebAssembly, from the same C++ code as the command line. The page contains it, gzipped and in base 85
// (vite.config.ts).

import {bytes_in, inflate} from './packed';
import type {Pairs} from './question';

/** The kinds of answers, with their numbers in the C ABI. */
export const kinds = {json: 0, wide: 1, narrow: 2, svg: 3, cpp: 4, command: 5, beside: 8, best: 9, card: 10, tile: 11} as const;
export type Kind = (typeof kinds)[keyof typeof kinds];
const vocabulary_kind = 7;

/** The reason why a question has no answer, and the position of the error. If the position is unknown, its numbers are
    0 and its texts are empty. */
export interface Wrong {
  message: string;
  /** The key of the wrong part ("expr", "where", "array", ...), if it is known. */
  flag?: string;
  file: string;
  line: number;
  /** Counted from 1, in UTF-8 bytes. */
  column: number;
  length: number;
  source_line: string;
  hint: string;
}

export interface Machine {
  name: string;
  family: string;
  banks: number;
  bank_bytes: number;
}

export interface Vocabulary {
  version: string;
  archs: readonly Machine[];
  types: readonly string[];
  operations: readonly string[];
  global_operations: readonly string[];
  /** The CSS for the pictures. */
  style: string;
}

export interface Wasm {
  /** Returns the answer as text, or the error of the question as an object. To distinguish them, check `typeof answer
      === 'string'`. */
  answer(kind: Kind, question: Pairs): string | Wrong;
  readonly vocabulary: Vocabulary;
}

interface Abi {
  memory: WebAssembly.Memory;
  _initialize(): void;
  bw_input(size: number): number;
  bw_answer(kind: number, size: number): number;
  bw_output(): number;
}

function wrap(abi: Abi): Wasm {
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  abi._initialize();

  function ask(kind: number, input: string): string | Wrong {
    const bytes = encoder.encode(input);
    const at = abi.bw_input(bytes.length) >>> 0;
    new Uint8Array(abi.memory.buffer, at, bytes.length).set(bytes);
    const size = abi.bw_answer(kind, bytes.length);
    const text = decoder.decode(new Uint8Array(abi.memory.buffer, abi.bw_output() >>> 0, Math.abs(size)));
    return size < 0 ? (JSON.parse(text) as {error: Wrong}).error : text;
  }

  const vocabulary = ask(vocabulary_kind, '');
  if (typeof vocabulary !== 'string') throw new Error(vocabulary.message);
  // \x1e and \x1f mark the end of values and keys, so values must not contain them.
  const plain = (text: string) => text.replace(/[\x1e\x1f]/g, ' ');
  return {
    answer: (kind, question) => ask(kind, question.map(([key, value]) => `${plain(key)}\x1f${plain(value)}\x1e`).join('')),
    vocabulary: JSON.parse(vocabulary) as Vocabulary,
  };
}

export async function load_wasm(): Promise<Wasm> {
  const bytes = bytes_in(document.getElementById('bankwise-wasm'));
  const nothing = () => 8;  // returns EBADF, because the rule reads and writes no files
  const imports = {wasi_snapshot_preview1: {fd_close: nothing, fd_seek: nothing, fd_write: nothing}};
  const {instance} = await WebAssembly.instantiate(await inflate(bytes), imports);
  return wrap(instance.exports as unknown as Abi);
}
