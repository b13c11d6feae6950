// The position in the report as the URL's hash: #report?launch=0&line=path:12,
// #report?launch=0&pc=464&sort=-name&by=kernel.

import {read_hash, write_hash, type Pair} from '../question';
import {sort_keys, type Model, type Selection, type SortKey} from './model';

/** The last position in the report, to which `#report` alone leads. */
let last = '#report';
export function last_place(): string {
  return last;
}
export function remember_place(hash: string) {
  last = hash;
}

/** The order of launches in their table. */
export interface Sort {
  key: SortKey;
  reverse: boolean;
}
export interface Order {
  by: 'launch' | 'kernel';
  sort: Sort;
}

export interface Place {
  launch: number;
  selection: Selection | null;
  open: boolean;
}

/** If a hash names an instruction with an access, the panel opens. For other hashes, the panel only opens on
    request. */
function opens_by_itself(model: Model, selection: Selection | null): boolean {
  if (selection?.by !== 'pc') return false;
  return (model.sass.site_of[model.sass.find(selection.function, selection.pc)] ?? -1) >= 0;
}

export function write_place({launch, selection, open}: Place, model: Model, {by, sort}: Order, usual: Order['by']): string {
  const pairs: Pair[] = [['launch', String(launch)]];
  if (selection?.by === 'line') pairs.push(['line', `${selection.path}:${selection.line}`]);
  if (selection?.by === 'ptx') pairs.push(['ptx', String(selection.line)]);
  if (selection?.by === 'pc') {
    pairs.push(['pc', String(selection.pc)]);
    if (selection.function !== '') pairs.push(['function', selection.function]);
  }
  if (open !== opens_by_itself(model, selection)) pairs.push(['open', open ? '1' : '0']);
  if (sort.key !== 'time' || sort.reverse) pairs.push(['sort', `${sort.reverse ? '-' : ''}${sort.key}`]);
  if (by !== usual) pairs.push(['by', by]);
  return write_hash({view: 'report', pairs});
}

function sort_of(text: string | undefined): Sort | null {
  const key = sort_keys.find((one) => one === (text ?? 'time').replace(/^-/, ''));
  return key ? {key, reverse: text?.startsWith('-') ?? false} : null;
}

/** If a part of the order is missing in a hash, this part has its default. */
export function read_order(hash: string, usual: Order['by']): Order {
  const route = read_hash(hash), pairs = new Map(route.view === 'report' ? route.pairs : []);
  const asked = pairs.get('by'), by = asked === 'kernel' || asked === 'launch' ? asked : usual;
  return {by, sort: sort_of(pairs.get('sort')) ?? {key: 'time', reverse: false}};
}

/** Returns whether a hash names no position. */
export function is_bare(hash: string): boolean {
  return /^(#|#report)?$/.test(hash);
}

const keys = ['launch', 'line', 'pc', 'function', 'ptx', 'open', 'sort', 'by'];

/** Returns the parts of a link that do not exist in this report, or an empty text if all parts exist. */
export function odd_link(hash: string, launches: number, model_of: (launch: number) => Model): string {
  const {view, pairs} = read_hash(hash), values = new Map(pairs);
  if (is_bare(hash)) return '';
  if (view !== 'report') return `The link names the view "${view.slice(0, 40)}", which this page does not have. The page shows the report.`;
  const unknown = pairs.map(([key]) => key).filter((key) => !keys.includes(key));
  const place = read_place(hash, launches, model_of);
  const asked = (['line', 'pc', 'ptx'] as const).find((key) => values.has(key));
  const odd = [
    ...place ? [] : [values.has('launch') ? `launch ${values.get('launch')!.slice(0, 20)}, but the report has only ${launches === 1 ? 'launch 0' : `the launches 0 to ${launches - 1}`}`
      : 'no launch'],
    ...place && !place.selection && asked ? [`${asked} ${values.get(asked)!.slice(0, 120)}, which this launch does not have`] : [],
    ...sort_of(values.get('sort')) ? [] : [`the sort key "${values.get('sort')!.slice(0, 20)}", which does not exist`],
    ...unknown.length > 0 ? [`${unknown.join(', ').slice(0, 60)}, which is unknown`] : [],
  ];
  return odd.length === 0 ? '' : `The link names ${odd.join('; and ')}.`;
}

function number_of(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Returns the position. Returns null if this report does not contain what the hash names. A file may be named without
    its folder. */
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
  if (pc !== null && model.sass.find(name, pc) >= 0) return {by: 'pc', function: name, pc};
  const ptx = number_of(pairs.get('ptx'));
  if (ptx !== null && ptx >= 1 && ptx <= model.ptx.read().length) return {by: 'ptx', line: ptx};
  return null;
}
