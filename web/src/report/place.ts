// Where in the report one is, as the URL's hash: #report?launch=0&line=path:12, #report?launch=0&pc=464.

import {read_hash, write_hash, type Pair} from '../question';
import {pc_key, type Model, type Selection} from './model';

export interface Place {
  launch: number;
  selection: Selection | null;
  open: boolean;
}

/** The hash of an instruction that has an access opens it; that of anything else does not, unless it says so. */
function opens_by_itself(model: Model, selection: Selection | null): boolean {
  if (selection?.by !== 'pc') return false;
  return Boolean(model.sass[model.by_pc.get(pc_key(selection.function, selection.pc)) ?? -1]?.site);
}

export function write_place({launch, selection, open}: Place, model: Model): string {
  const pairs: Pair[] = [['launch', String(launch)]];
  if (selection?.by === 'line') pairs.push(['line', `${selection.path}:${selection.line}`]);
  if (selection?.by === 'ptx') pairs.push(['ptx', String(selection.line)]);
  if (selection?.by === 'pc') {
    pairs.push(['pc', String(selection.pc)]);
    if (selection.function !== '') pairs.push(['function', selection.function]);
  }
  if (open !== opens_by_itself(model, selection)) pairs.push(['open', open ? '1' : '0']);
  return write_hash({view: 'report', pairs});
}

function number_of(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Null where the hash names nothing that this report has. A file may be named without its folder. */
export function read_place(hash: string, launches: number, model_of: (launch: number) => Model): Place | null {
  const route = read_hash(hash), pairs = new Map(route.pairs);
  const launch = number_of(pairs.get('launch'));
  if (route.view !== 'report' || launch === null || launch >= launches) return null;
  const model = model_of(launch);
  const selection = selection_of(pairs, model);
  const open = pairs.get('open');
  return {launch, selection, open: open === undefined ? opens_by_itself(model, selection) : open === '1'};
}

function selection_of(pairs: ReadonlyMap<string, string>, model: Model): Selection | null {
  const at = pairs.get('line') ?? '', colon = at.lastIndexOf(':');
  const line = number_of(at.slice(colon + 1)), path = at.slice(0, Math.max(colon, 0));
  if (line !== null && path !== '') {
    const file = model.file_of.get(path) ?? model.files.find((one) => one.name === path || one.path.endsWith(`/${path}`));
    if (file?.row_of.has(line)) return {by: 'line', path: file.path, line};
  }
  const pc = number_of(pairs.get('pc')), name = pairs.get('function') ?? '';
  if (pc !== null && model.by_pc.has(pc_key(name, pc))) return {by: 'pc', function: name, pc};
  const ptx = number_of(pairs.get('ptx'));
  if (ptx !== null && ptx >= 1 && ptx <= model.ptx.length) return {by: 'ptx', line: ptx};
  return null;
}
