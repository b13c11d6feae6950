// The cost of an access as in `bankwise explain --format json` (docs/reference/explain.schema.json), and sentences
// about it.

import type {Pairs} from './question';
import {kinds, type Wasm, type Wrong} from './wasm';

/** Eight hexadecimal digits. Bit 0 is lane 0. */
export type Mask = string;

export interface Word {
  /** The address divided by the width of a bank. */
  word: number;
  lanes: Mask;
  /** The number of the wavefront within its phase, from 0. */
  wavefront: number;
}

export interface Bank {
  bank: number;
  wavefronts: number;
  words: readonly Word[];
}

export interface Phase {
  lanes: Mask;
  wavefronts: number;
  words: number;
  banks: readonly Bank[];
}

/** A bank that serves several words in a phase. */
export interface Collision {
  phase: number;
  bank: number;
  wavefronts: number;
  words: readonly {turns: string; text: string}[];
}

export interface Explanation {
  arch: string;
  banks: number;
  bank_bytes: number;
  access: string;
  op: string;
  width_bytes: number;
  mask: Mask;
  addresses: readonly (number | null)[];
  verdict: string;
  wavefronts: number;
  ideal: number;
  excess: number;
  reachable: number;
  removable: number;
  queued: number;
  passes: number;
  cycles: number;
  layout_floor: number;
  lanes_on_one_word: number;
  merged: string;
  merge_reason: string;
  /** Notes for the reader, in addition to the answer. */
  notes: string[];
  evidence: 'measured' | 'published' | 'documented' | 'assumed' | 'none';
  evidence_source: string;
  phases: readonly Phase[];
  /** The collisions, with the worst one first. */
  collisions: readonly Collision[];
  /** The reasons why banks collide, in one sentence each. */
  reasons: readonly string[];
}

export function explain(wasm: Wasm, question: Pairs): Explanation | Wrong {
  const answer = wasm.answer(kinds.json, question);
  return typeof answer === 'string' ? JSON.parse(answer) as Explanation : answer;
}

export function is_wrong(answer: Explanation | Wrong): answer is Wrong {
  return 'message' in answer;
}

export function lanes_of(mask: number): number[] {
  const lanes = [];
  for (let lane = 0; lane < 32; lane++) if (mask >>> lane & 1) lanes.push(lane);
  return lanes;
}

/** 0-3, 8, 10 */
export function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length;) {
    let end = i;
    while (numbers[end + 1] === numbers[end]! + 1) end++;
    parts.push(end === i ? `${numbers[i]}` : end === i + 1 ? `${numbers[i]}, ${numbers[end]}` : `${numbers[i]}-${numbers[end]}`);
    i = end + 1;
  }
  return parts.join(', ');
}

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** "lane 3", "lanes 0-15" */
export function lanes_text(mask: number): string {
  const lanes = lanes_of(mask);
  return `${lanes.length === 1 ? 'lane' : 'lanes'} ${ranges(lanes)}`;
}

/** A word that a bank serves. `wave` is the number of the wavefront in the whole access. */
export interface Served {
  wave: number;
  phase: number;
  bank: number;
  word: number;
  lanes: number;
}

/** Returns all served words, in order of time. */
export function served(explanation: Explanation): Served[] {
  const all: Served[] = [];
  let before = 0;
  explanation.phases.forEach((phase, index) => {
    for (const {bank, words} of phase.banks) {
      for (const {word, lanes, wavefront} of words) {
        all.push({wave: before + wavefront, phase: index, bank, word, lanes: parseInt(lanes, 16)});
      }
    }
    before += phase.wavefronts;
  });
  return all.sort((a, b) => a.wave - b.wave || a.bank - b.bank || a.word - b.word);
}

interface Group {
  lanes: number[];
  words: number[];
}

/** Groups the lanes that get the same words. */
function groups_of(all: readonly Served[]): Group[] {
  const words = new Map<number, Set<number>>();
  for (const {lanes, word} of all) {
    for (const lane of lanes_of(lanes)) words.set(lane, (words.get(lane) ?? new Set<number>()).add(word));
  }
  const groups = new Map<string, Group>();
  for (const lane of [...words.keys()].sort((a, b) => a - b)) {
    const sorted = [...words.get(lane)!].sort((a, b) => a - b);
    const key = sorted.join();
    const group = groups.get(key);
    if (group) group.lanes.push(lane);
    else groups.set(key, {lanes: [lane], words: sorted});
  }
  return [...groups.values()];
}

function group_text({lanes, words}: Group): string {
  return `${lanes.length === 1 ? 'lane' : 'lanes'} ${ranges(lanes)} ${lanes.length === 1 ? 'gets' : 'get'} ` +
    `${words.length === 1 ? 'word' : 'words'} ${ranges(words)}`;
}

/** Returns "lanes 0-31 get words 0, 33, 66 ... 1023" if single lanes get words at equal distances. */
function groups_text(groups: readonly Group[]): string {
  const parts: string[] = [];
  for (let i = 0; i < groups.length;) {
    const first = groups[i]!, second = groups[i + 1];
    let end = i;
    if (second) {
      const step = second.words[0]! - first.words[0]!;
      const follows = (a: Group, b: Group | undefined) => b !== undefined && a.lanes.length === 1 && b.lanes.length === 1
        && b.lanes[0] === a.lanes[0]! + 1 && b.words[0]! - a.words[0]! === step && a.words.length === b.words.length
        && b.words.at(-1)! - b.words[0]! === b.words.length - 1;
      while (follows(groups[end]!, groups[end + 1])) end++;
    }
    const last = groups[end]!;
    if (end - i < 3) {
      parts.push(group_text(first));
      i++;
      continue;
    }
    const texts = [first, second!, groups[i + 2]!].map((group) => ranges(group.words));
    parts.push(`lanes ${first.lanes[0]}-${last.lanes[0]} get words ${texts.join(', ')} ... ${ranges(last.words)}`);
    i = end + 1;
  }
  return parts.join('; ');
}

/** Describes what happens in one wavefront, counted from 0. */
export function wave_text(explanation: Explanation, wave: number): string {
  if (wave >= explanation.wavefronts) return `Done after ${count(explanation.wavefronts, 'wavefront')}: every lane has its word.`;
  const now = served(explanation).filter((word) => word.wave === wave);
  const phase = explanation.phases.length > 1 && now[0] ? `, phase ${now[0].phase}` : '';
  const what = now.length === 0 ? 'no lane gets a word' : groups_text(groups_of(now));
  return `Wavefront ${wave + 1} of ${explanation.wavefronts}${phase}: ${what}.`;
}

/** Describes which words the lanes of a mask get, and in which wavefronts. */
export function lanes_served_text(explanation: Explanation, mask: number): string {
  const name = lanes_text(mask);
  const theirs = served(explanation).filter((word) => word.lanes & mask);
  if (theirs.length === 0) return `${name}: inactive.`;
  const parts = new Map<number, Served[]>();
  for (const word of theirs) parts.set(word.wave, [...parts.get(word.wave) ?? [], word]);
  const texts = [...parts].slice(0, 4).map(([wave, words]) => {
    const numbers = [...new Set(words.map(({word}) => word))], banks = [...new Set(words.map(({bank}) => bank))];
    return `${numbers.length === 1 ? 'word' : 'words'} ${ranges(numbers)} of ${banks.length === 1 ? 'bank' : 'banks'} ` +
      `${ranges(banks)} in wavefront ${wave + 1}`;
  });
  return `${name}: ${texts.join('; ')}${parts.size > 4 ? `; and ${parts.size - 4} wavefronts more` : ''}.`;
}
