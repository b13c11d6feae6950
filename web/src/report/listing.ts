// The listing and the PTX of a kernel, stored as columns. A row is only made when it is shown: with fifty thousand
// instructions, a column is fifty thousand numbers or one text.

import {Lines, lines_with} from './lines';
import type {Code, Instructions} from './report';
import type {Launch, Site} from './schema';

/** A row: an instruction, or the heading of a function. */
export interface SassRow {
  kind: 'instruction' | 'function';
  function: string;
  pc: number;
  text: string;
  path: string;
  line: number;
  ptx_line: number;
  site: Site | null;
}

/** The rows of one function, from `first` on, by pc. Each function except the kernel has a heading. */
interface Part {
  name: string;
  first: number;
  count: number;
  heading: boolean;
  lines: Lines;
  from: Instructions;
}

export class Listing {
  readonly length: number;
  readonly instructions: number;
  readonly widest: number;
  /** For each row, the index of its site in the launch, or -1. */
  readonly site_of: Int32Array;
  /** The rows that have a site, in order. */
  readonly with_site: Int32Array;
  readonly #parts: Part[] = [];
  readonly #files: readonly string[];
  readonly #launch: Launch;

  constructor(launch: Launch, code: Code | undefined) {
    this.#launch = launch;
    this.#files = code?.files ?? [];
    let length = 0, instructions = 0;
    const add = (name: string, from: Instructions, heading: boolean) => {
      if (heading) length++;
      this.#parts.push({name, first: length, count: from.pc.length, heading, lines: new Lines(from.sass), from});
      length += from.pc.length;
      instructions += from.pc.length;
    };
    if (code) add('', code.instructions, false);
    for (const one of code?.functions ?? []) add(one.name, one.instructions, true);
    const known = launch.sites.map((site) => this.find(site.function ?? '', site.pc));
    // Sites whose function has no listing get rows at the end.
    const others = new Map<string, Site[]>();
    launch.sites.forEach((site, i) => {
      if (known[i]! >= 0) return;
      const name = site.function ?? '', list = others.get(name);
      if (list) list.push(site);
      else others.set(name, [site]);
    });
    const files = [...this.#files];
    for (const [name, sites] of others) {
      const file = sites.map(({path}) => files.indexOf(path) < 0 ? files.push(path) - 1 : files.indexOf(path));
      add(name, {
        pc: sites.map(({pc}) => pc), sass: sites.map(({sass}) => `${sass}\n`).join(''), file,
        line: sites.map(({line}) => line), ptx_line: sites.map(({ptx_line}) => ptx_line),
      }, name !== '');
    }
    this.#files = files;
    this.length = length;
    this.instructions = instructions;
    this.widest = this.#parts.reduce((n, {lines}) => Math.max(n, lines.widest), 0);
    this.site_of = new Int32Array(length).fill(-1);
    launch.sites.forEach((site, i) => {
      const at = known[i]! >= 0 ? known[i]! : this.find(site.function ?? '', site.pc);
      if (at >= 0) this.site_of[at] = i;
    });
    const rows: number[] = [];
    this.site_of.forEach((site, i) => { if (site >= 0) rows.push(i); });
    this.with_site = Int32Array.from(rows);
  }

  #part_of(i: number): Part | undefined {
    return this.#parts.find(({first, count, heading}) => i >= first - (heading ? 1 : 0) && i < first + count);
  }

  /** Returns the row of an instruction, or -1. */
  find(name: string, pc: number): number {
    for (const part of this.#parts) {
      if (part.name !== name) continue;
      const pcs = part.from.pc;
      let low = 0, high = pcs.length;
      while (low < high) {
        const mid = (low + high) >> 1;
        if (pcs[mid]! < pc) low = mid + 1;
        else high = mid;
      }
      if (pcs[low] === pc) return part.first + low;
    }
    return -1;
  }

  row(i: number): SassRow | undefined {
    const part = this.#part_of(i);
    if (!part) return undefined;
    const at = i - part.first;
    if (at < 0) return {kind: 'function', function: part.name, pc: -1, text: part.name, path: '', line: 0, ptx_line: 0, site: null};
    const {pc, file, line, ptx_line} = part.from;
    return {
      kind: 'instruction', function: part.name, pc: pc[at]!, text: part.lines.at(at), path: this.#files[file[at]!] ?? '',
      line: line[at]!, ptx_line: ptx_line[at]!, site: this.#launch.sites[this.site_of[i]!] ?? null,
    };
  }

  /** Calls `visit` for each instruction without making rows. */
  each(visit: (row: number, path: string, line: number, ptx_line: number) => void) {
    for (const {first, count, from} of this.#parts) {
      for (let i = 0; i < count; i++) visit(first + i, this.#files[from.file[i]!] ?? '', from.line[i]!, from.ptx_line[i]!);
    }
  }

  /** Returns at most `most` rows whose text contains `query`, which is in lower case. */
  with_text(query: string, most: number): number[] {
    return this.#parts.flatMap(({first, lines}) => lines_with(lines, query, most).map((at) => first + at));
  }
}
