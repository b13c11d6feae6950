// Searches for a text in the names of kernels, the sources, the listing and the PTX, first in the current launch. Also
// finds line numbers (":18", "tile.cu:18") and pcs ("0x270").

import {lines_with} from './lines';
import type {Model, Selection} from './model';
import type {Code} from './report';
import type {Report} from './schema';

export interface Match {
  pane: 'source' | 'sass' | 'ptx';
  selection: Selection;
}

/** The maximum number of matches in a pane. Readers do not go through more matches. */
const most_matches = 2000;

/** The lines of a model's files in lower case, made at the first search. */
const texts_of = new WeakMap<Model, readonly {path: string; lines: readonly string[]}[]>();
function source_texts(model: Model) {
  let made = texts_of.get(model);
  if (!made) {
    made = model.files.map(({path, rows}) => ({path, lines: rows.map(({text}) => text.toLowerCase())}));
    texts_of.set(model, made);
  }
  return made;
}

interface Asked {
  /** ":18", "transpose.cu:18" */
  line?: {file: string; line: number};
  /** "0x270" */
  pc?: number;
}
function asked_by(query: string): Asked {
  const line = /^(?:line\s+|([^\s:]*):)(\d{1,7})$/.exec(query), pc = /^(?:pc\s*)?0x([\da-f]{1,7})$/.exec(query);
  return {...line && {line: {file: line[1] ?? '', line: Number(line[2])}}, ...pc && {pc: parseInt(pc[1]!, 16)}};
}

/** Returns matches in the source (the visible file first), the listing and the PTX. `query` is in lower case. The
    first search of a model reads all of its texts. */
export function find_matches(model: Model, file: string, query: string): Match[] {
  const list: Match[] = [];
  if (query === '') return list;
  const {line, pc} = asked_by(query);
  for (const {path, lines} of [...source_texts(model)].sort((a, b) => Number(b.path === file) - Number(a.path === file))) {
    const {rows, row_of} = model.file_of.get(path)!;
    if (line && path.toLowerCase().endsWith(line.file) && row_of.has(line.line)) {
      list.push({pane: 'source', selection: {by: 'line', path, line: line.line}});
    }
    let found = 0;
    for (let i = 0; i < lines.length && found < most_matches; i++) {
      if (!lines[i]!.includes(query)) continue;
      found++;
      list.push({pane: 'source', selection: {by: 'line', path, line: rows[i]!.line}});
    }
  }
  const add = (row: number) => {
    const {function: name, pc: at} = model.sass.row(row)!;
    list.push({pane: 'sass', selection: {by: 'pc', function: name, pc: at}});
  };
  if (pc !== undefined) {
    const row = model.sass.find('', pc);
    if (row >= 0) add(row);
  }
  for (const row of model.sass.with_text(query, most_matches)) add(row);
  for (const at of lines_with(model.ptx.read(), query, most_matches)) list.push({pane: 'ptx', selection: {by: 'ptx', line: at + 1}});
  return list;
}

/** For each other kernel that contains the text in its name or in its code, returns the first launch. */
export function find_elsewhere(report: Report, code: ReadonlyMap<string, Code>, sources: ReadonlyMap<string, string>, launch: number,
                               query: string): number[] {
  if (query === '') return [];
  const {line, pc} = asked_by(query);
  const seen = new Set([report.launches[launch]!.mangled]), in_source = new Map<string, boolean>();
  const holds = (path: string) => {
    let known = in_source.get(path);
    if (known === undefined) {
      const text = sources.get(path) ?? '';
      known = text.toLowerCase().includes(query) ||
        (line !== undefined && path.toLowerCase().endsWith(line.file) && text.split('\n').length >= line.line);
      in_source.set(path, known);
    }
    return known;
  };
  return report.launches.flatMap((one, i) => {
    if (seen.has(one.mangled)) return [];
    seen.add(one.mangled);
    const own = code.get(one.mangled);
    const found = one.kernel.toLowerCase().includes(query) || one.instance.toLowerCase().includes(query) || (own !== undefined && (own.files.some(holds) ||
      [own.instructions, ...(own.functions ?? []).map(({instructions}) => instructions)]
        .some(({sass, pc: pcs}) => sass.toLowerCase().includes(query) || (pc !== undefined && pcs.includes(pc))) ||
      lines_with(own.ptx.read(), query, 1).length > 0));
    return found ? [i] : [];
  });
}
