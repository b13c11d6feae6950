// The data of one launch for the view: costs by source line, the listing, and the links between them.

import {base_name} from './numbers';
import {Later} from './lines';
import {Listing} from './listing';
import type {Code} from './report';
import {total_keys, type FindingView, type GlobalSite, type Launch, type LaunchView, type NoteItem, type NotePlace, type Report, type Site} from './schema';

/** The sums over some sites: wavefronts = reachable + removable + queued. */
export type Cost = Record<(typeof total_keys)[number], number>;

export function excess(c: {wavefronts: number; ideal: number}): number {
  return c.wavefronts - c.ideal;
}

export function cost_of(sites: readonly Site[]): Cost {
  const sum = {} as Cost;
  for (const key of total_keys) {
    sum[key] = 0;
    for (const site of sites) sum[key] += site[key] ?? 0;
  }
  return sum;
}

/** A range that contains an estimated number in nine of ten cases. */
export interface Within {
  low: number;
  high: number;
}

/** The sectors that some instructions request. Only includes global memory. */
export interface Sectors {
  sectors: number;
  ideal: number;
  /** The range of the estimated sectors. Null if the sectors are exact. */
  within: Within | null;
}

/** Returns the range of the sectors of some instructions. The error of the sum is at most the sum of the errors. */
export function within_of(sites: readonly GlobalSite[]): Within | null {
  const sum = {low: 0, high: 0};
  for (const {interval} of sites) {
    if (!interval) return null;
    sum.low += interval.sectors[0];
    sum.high += interval.sectors[1];
  }
  return sum;
}

export function sectors_of(sites: readonly GlobalSite[]): Sectors | null {
  const of_global = sites.filter(({space}) => space === 'global');
  if (of_global.length === 0) return null;
  return {sectors: of_global.reduce((n, one) => n + one.sectors, 0), ideal: of_global.reduce((n, one) => n + one.sectors_ideal, 0),
    within: within_of(of_global)};
}

const none: readonly number[] = [];
const no_global: readonly GlobalSite[] = [];

export interface SourceRow {
  line: number;
  text: string;
  /** The end of a comment that began in an earlier line, or 0. */
  comment_end: number;
  cost: Cost | null;
  sites: readonly Site[];
}

export interface SourceFile {
  path: string;
  /** The shortest name that no other file has. */
  name: string;
  found: boolean;
  rows: readonly SourceRow[];
  row_of: ReadonlyMap<number, number>;
  widest: number;
  has_sites: boolean;
  /** The largest number of wavefronts of a line. */
  most: number;
}

export interface Model {
  launch: Launch;
  view: LaunchView;
  files: readonly SourceFile[];
  file_of: ReadonlyMap<string, SourceFile>;
  sass: Listing;
  ptx: Later;
  /** The costs of accesses by PTX line number. */
  ptx_costs: ReadonlyMap<number, Cost>;
  /** The rows of the listing for a source line, and for a PTX line. */
  of_line(path: string, line: number): readonly number[];
  of_ptx(line: number): readonly number[];
  /** The largest number of wavefronts of a line, and of an instruction. The bar of the largest number has the full
      length. */
  most: {line: number; sass: number; ptx: number};
  /** Instructions on global or local memory by line, by PTX line, and by code address. Null if they were not
      counted. */
  global: {
    of_line(path: string, line: number): readonly GlobalSite[];
    of_ptx(line: number): readonly GlobalSite[];
    of_pc(name: string, pc: number): readonly GlobalSite[];
    /** The largest number of sectors of a line. */
    most: number;
  } | null;
}

export function pc_key(name: string, pc: number): string {
  return `${name}:${pc}`;
}
export function path_of(site: Site): string {
  return site.path;
}

/** Sorts sites by their costs, the worst first, as the text report does. */
function worst_first(sites: readonly Site[]): Site[] {
  const above = (site: Site) => site.wavefronts - site.reachable;
  return [...sites].sort((a, b) => above(b) - above(a) || b.wavefronts - a.wavefronts || a.pc - b.pc);
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** For each line that begins inside a comment, returns the end of this comment. If the comment does not end in the
   line, the result is the line's length. */
function comment_ends(lines: readonly string[]): number[] {
  let inside = false;
  return lines.map((text) => {
    let end = 0, at = 0;
    if (inside) {
      const close = text.indexOf('*/');
      if (close < 0) return text.length;
      inside = false;
      end = at = close + 2;
    }
    for (;;) {
      const open = text.indexOf('/*', at), rest = text.indexOf('//', at);
      if (open < 0 || (rest >= 0 && rest < open)) return end;
      const close = text.indexOf('*/', open + 2);
      if (close < 0) {
        inside = true;
        return end;
      }
      at = close + 2;
    }
  });
}

/** Expands tabs to multiples of 4 columns, because the code below counts characters of equal width. */
export function expand(text: string): string {
  if (!text.includes('\t')) return text;
  let out = '';
  for (const c of text) out += c === '\t' ? ' '.repeat(4 - out.length % 4) : c;
  return out;
}

function short_names(paths: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const path of paths) {
    const parts = path.split('/');
    let n = 1;
    const name = () => parts.slice(-n).join('/');
    while (n < parts.length && paths.some((other) => other !== path && (other === name() || other.endsWith(`/${name()}`)))) n++;
    names.set(path, name());
  }
  return names;
}

/** A source line. Its cost and the order of its sites are computed when they are first needed. */
class Row implements SourceRow {
  #cost: Cost | null | undefined;
  #sites: readonly Site[] | undefined;
  constructor(readonly line: number, readonly text: string, readonly comment_end: number, readonly of: readonly Site[]) {}
  get cost(): Cost | null {
    return this.#cost ??= this.of.length ? cost_of(this.of) : null;
  }
  get sites(): readonly Site[] {
    return this.#sites ??= worst_first(this.of);
  }
}

/** Returns the wavefronts of the line with the most wavefronts, but at least 1. */
function most_of(lines: Iterable<readonly Site[]>): number {
  let most = 1;
  for (const sites of lines) most = Math.max(most, sites.reduce((sum, {wavefronts}) => sum + wavefronts, 0));
  return most;
}

function source_files(launch: Launch, own: ReadonlySet<string>, sources: ReadonlyMap<string, string>): SourceFile[] {
  const sites = new Map<string, Map<number, Site[]>>(), cycles = new Map<string, number>();
  for (const site of launch.sites) {
    const path = path_of(site);
    if (path === '' || site.line === 0) continue;
    if (!sites.has(path)) sites.set(path, new Map());
    push(sites.get(path)!, site.line, site);
    cycles.set(path, (cycles.get(path) ?? 0) + site.cycles);
  }
  const paths = [...sites.keys()].sort((a, b) => cycles.get(b)! - cycles.get(a)!);
  for (const site of launch.global_sites ?? []) {
    if (site.path !== undefined && site.line !== 0 && !paths.includes(site.path)) paths.push(site.path);
  }
  for (const path of own) if (!paths.includes(path) && sources.has(path)) paths.push(path);
  const names = short_names(paths);
  return paths.map((path): SourceFile => {
    const source = sources.get(path), found = source !== undefined, of_line = sites.get(path) ?? new Map<number, Site[]>();
    const texts = found ? source.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n').map(expand) : [];
    const ends = comment_ends(texts);
    const row = (line: number, text: string, comment_end: number) => new Row(line, text, comment_end, of_line.get(line) ?? []);
    const rows = texts.map((text, i) => row(i + 1, text, ends[i]!));
    const named = new Set(of_line.keys());
    for (const site of launch.global_sites ?? []) if (site.path === path && site.line !== 0) named.add(site.line);
    for (const line of [...named].sort((a, b) => a - b)) if (line > texts.length) rows.push(row(line, '', 0));
    return {path, name: names.get(path)!, found, rows, row_of: new Map(rows.map(({line}, i) => [line, i])),
      widest: texts.reduce((most, text) => Math.max(most, text.length), 0), has_sites: of_line.size !== 0,
      most: most_of(of_line.values())};
  });
}

function global_sites(launch: Launch): Model['global'] {
  if (!launch.global_sites) return null;
  const by_line = new Map<string, GlobalSite[]>(), by_ptx = new Map<number, GlobalSite[]>(), by_pc = new Map<string, GlobalSite[]>();
  for (const site of launch.global_sites) {
    if (site.path && site.line !== 0) push(by_line, pc_key(site.path, site.line), site);
    if (site.ptx_line) push(by_ptx, site.ptx_line, site);
    push(by_pc, pc_key(site.function ?? '', site.pc), site);
  }
  for (const list of by_line.values()) list.sort((a, b) => b.excess_sectors - a.excess_sectors || b.sectors - a.sectors);
  return {
    of_line: (path, line) => by_line.get(pc_key(path, line)) ?? no_global,
    of_ptx: (line) => by_ptx.get(line) ?? no_global,
    of_pc: (name, pc) => by_pc.get(pc_key(name, pc)) ?? no_global,
    most: Math.max(1, ...[...by_line.values()].map((list) => sectors_of(list)?.sectors ?? 0)),
  };
}

export function make_model(launch: Launch, view: LaunchView, code: Code | undefined, sources: ReadonlyMap<string, string>): Model {
  const sass = new Listing(launch, code), ptx = code?.ptx ?? new Later(() => '');
  const by_line = new Map<string, Map<number, number[]>>(), ptx_sites = new Map<number, Site[]>();
  let last = '', of_file = new Map<number, number[]>();
  sass.each((row, path, line) => {
    if (path === '' || line === 0) return;
    if (path !== last) {
      last = path;
      of_file = by_line.get(path) ?? new Map<number, number[]>();
      by_line.set(path, of_file);
    }
    push(of_file, line, row);
  });
  for (const site of launch.sites) if (site.ptx_line !== 0) push(ptx_sites, site.ptx_line, site);
  let by_ptx: Map<number, number[]> | undefined;
  function of_ptx(line: number): readonly number[] {
    if (!by_ptx) {
      const made = by_ptx = new Map<number, number[]>();
      sass.each((row, _path, _line, ptx_line) => { if (ptx_line !== 0) push(made, ptx_line, row); });
    }
    return by_ptx.get(line) ?? none;
  }
  let ptx_costs: ReadonlyMap<number, Cost> | undefined;
  const files = source_files(launch, new Set(by_line.keys()), sources);
  return {
    launch, view, files, file_of: new Map(files.map((f) => [f.path, f])), sass, ptx,
    get ptx_costs() { return ptx_costs ??= new Map([...ptx_sites].map(([line, sites]) => [line, cost_of(sites)])); },
    of_line: (path, line) => by_line.get(path)?.get(line) ?? none, of_ptx, global: global_sites(launch),
    most: {
      line: Math.max(...files.map(({most}) => most), 1),
      sass: launch.sites.reduce((n, site) => Math.max(n, site.wavefronts), 1), ptx: most_of(ptx_sites.values()),
    },
  };
}

// --- the selection, and the rows that belong to it

export type Selection =
  | {by: 'line'; path: string; line: number}
  | {by: 'pc'; function: string; pc: number}
  | {by: 'ptx'; line: number};

export function same_selection(a: Selection | null, b: Selection | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.by === 'line') return b.by === 'line' && a.line === b.line && a.path === b.path;
  if (a.by === 'pc') return b.by === 'pc' && a.pc === b.pc && a.function === b.function;
  return b.by === 'ptx' && a.line === b.line;
}

export interface Links {
  /** The selected lines by path. */
  lines: ReadonlyMap<string, ReadonlySet<number>>;
  sass: ReadonlySet<number>;
  ptx: ReadonlySet<number>;
}

export const no_links: Links = {lines: new Map(), sass: new Set(), ptx: new Set()};

export function links_of(model: Model, selection: Selection | null): Links {
  if (!selection) return no_links;
  const lines = new Map<string, Set<number>>(), sass = new Set<number>(), ptx = new Set<number>();
  const add_line = (path: string, line: number) => {
    if (path === '' || line === 0) return;
    if (!lines.has(path)) lines.set(path, new Set());
    lines.get(path)!.add(line);
  };
  const rows = selection.by === 'line' ? model.of_line(selection.path, selection.line)
    : selection.by === 'ptx' ? model.of_ptx(selection.line)
    : [model.sass.find(selection.function, selection.pc)];
  if (selection.by === 'line') add_line(selection.path, selection.line);
  if (selection.by === 'ptx') ptx.add(selection.line);
  for (const i of rows) {
    const row = model.sass.row(i);
    if (!row) continue;
    sass.add(i);
    add_line(row.path, row.line);
    if (row.ptx_line !== 0) ptx.add(row.ptx_line);
  }
  return {lines, sass, ptx};
}

/** Returns the sites of a selection, the worst first. */
export function sites_of(model: Model, selection: Selection | null): readonly Site[] {
  if (selection?.by === 'line') {
    const file = model.file_of.get(selection.path);
    return file?.rows[file.row_of.get(selection.line) ?? -1]?.sites ?? [];
  }
  const sites: Site[] = [];
  for (const i of links_of(model, selection).sass) {
    const site = model.launch.sites[model.sass.site_of[i] ?? -1];
    if (site) sites.push(site);
  }
  return worst_first(sites);
}

/** Returns the instructions of a selection that access global or local memory. The instruction that wastes most
    sectors is first. */
export function global_sites_of({global, sass}: Model, selection: Selection | null): readonly GlobalSite[] {
  if (!global || !selection) return no_global;
  if (selection.by === 'line') return global.of_line(selection.path, selection.line);
  if (selection.by === 'ptx') return global.of_ptx(selection.line);
  return sass.find(selection.function, selection.pc) < 0 ? no_global : global.of_pc(selection.function, selection.pc);
}

/** Returns all instructions of a site's source line, including the site, by pc. */
export function siblings(model: Model, site: Site): readonly Site[] {
  if (site.line === 0) return [site];
  const path = path_of(site);
  return model.launch.sites.filter((other) => other.line === site.line && path_of(other) === path);
}

export function finding_selection({path, line, function: name, pc}: FindingView): Selection {
  return line !== 0 ? {by: 'line', path, line} : {by: 'pc', function: name, pc};
}

/** Returns the instructions of a finding, on shared memory or on global memory. */
export function finding_sites({launch}: Model, {sites, global_sites}: FindingView): readonly (Site | GlobalSite)[] {
  return [...sites.map((i) => launch.sites[i]!), ...global_sites.map((i) => launch.global_sites![i]!)];
}

/** Returns the selection for a note. This is the note's line, or the note's instruction if the page does not have the
    line. */
export function place_selection(model: Model, {path, line, function: name, pc}: NotePlace): Selection | null {
  if (line !== 0 && model.file_of.get(path)?.row_of.has(line)) return {by: 'line', path, line};
  return model.sass.find(name, pc) >= 0 ? {by: 'pc', function: name, pc} : null;
}

/** Returns the notes about the instructions of a selection. */
export function notes_at(model: Model, selection: Selection | null): readonly NoteItem[] {
  if (model.view.notes.length === 0 || selection === null) return [];
  const {sass} = links_of(model, selection);
  return model.view.notes.flatMap(({items}) => items.filter(({places}) =>
    places.some((place) => sass.has(model.sass.find(place.function, place.pc)))));
}

/** Returns the initial selection in a launch: the worst finding, or otherwise the first note. */
export function first_selection(model: Model): Selection | null {
  const worst = model.view.findings.find(({sass}) => sass !== '');
  if (worst) return finding_selection(worst);
  const place = model.view.notes[0]?.items[0]?.places[0];
  if (place) return place_selection(model, place);
  const slowest = model.view.lines.find(({path, line}) => model.file_of.get(path)?.row_of.has(line));
  return slowest ? {by: 'line', path: slowest.path, line: slowest.line} : null;
}

export function place_text(path: string, line: number): string {
  return `${base_name(path)}:${line}`;
}

// --- the table of launches

export const sort_keys = ['time', 'removable', 'cycles', 'wavefronts', 'excess', 'name'] as const;
export type SortKey = (typeof sort_keys)[number];

/** A launch, or a kernel with all its launches. Sums include equal launches. */
export interface LaunchRow {
  launches: readonly number[];
  first: Launch;
  count: number;
  /** Predicted nanoseconds; 0 if the time of a launch is not known. */
  time: number;
  cycles: number;
  wavefronts: number;
  excess: number;
  removable: number;
}

export function launch_rows(report: Report, views: readonly LaunchView[], by: 'launch' | 'kernel'): LaunchRow[] {
  const groups = new Map<string, number[]>();
  report.launches.forEach((launch, i) => push(groups, by === 'kernel' ? launch.mangled : String(i), i));
  return [...groups.values()].map((indices) => {
    const time = (i: number) => (views[i]?.nanoseconds ?? 0) * report.launches[i]!.count;
    const launches = [...indices].sort((a, b) => time(b) - time(a) || gone(b) - gone(a) || cost(b) - cost(a));
    function gone(i: number) { return report.launches[i]!.totals.removable * report.launches[i]!.count; }
    function cost(i: number) { return report.launches[i]!.totals.cycles * report.launches[i]!.count; }
    const sum = (of: (l: Launch) => number) =>
      launches.reduce((total, i) => total + of(report.launches[i]!) * report.launches[i]!.count, 0);
    return {
      launches, first: report.launches[launches[0]!]!, count: sum(() => 1),
      time: launches.every((i) => time(i) > 0) ? launches.reduce((total, i) => total + time(i), 0) : 0, cycles: sum((l) => l.totals.cycles),
      wavefronts: sum((l) => l.totals.wavefronts), excess: sum((l) => excess(l.totals)),
      removable: sum((l) => l.totals.removable),
    };
  });
}

export function sorted_rows(rows: readonly LaunchRow[], key: SortKey, reverse: boolean): LaunchRow[] {
  const sign = reverse ? -1 : 1;
  return [...rows].sort((a, b) => sign * (key === 'name' ? a.first.instance.localeCompare(b.first.instance) : b[key] - a[key] || b.cycles - a.cycles)
    || a.launches[0]! - b.launches[0]!);
}

/** Returns the default grouping of launches: by kernel if a kernel was launched several times, otherwise by launch. */
export function usual_by(report: Report): 'launch' | 'kernel' {
  return new Set(report.launches.map((one) => one.mangled)).size < report.launches.length ? 'kernel' : 'launch';
}

const hot = {line: new WeakMap<Model, Selection[]>(), pc: new WeakMap<Model, Selection[]>()};

/** Returns the source lines or instructions with the highest costs, in descending order. */
export function hottest(model: Model, by: 'line' | 'pc'): Selection[] {
  let list = hot[by].get(model);
  if (!list) hot[by].set(model, list = by_heat(model, by));
  return list;
}
function by_heat(model: Model, by: 'line' | 'pc'): Selection[] {
  const above = (a: {cost: Cost}, b: {cost: Cost}) => (b.cost.removable + b.cost.queued) - (a.cost.removable + a.cost.queued)
    || b.cost.wavefronts - a.cost.wavefronts;
  if (by === 'pc') {
    return model.launch.sites.map((site) => ({cost: cost_of([site]), site})).sort(above)
      .map(({site}) => ({by: 'pc', function: site.function ?? '', pc: site.pc}));
  }
  return model.files.flatMap(({path, rows}) => rows.flatMap(({line, cost}) => cost ? [{cost, path, line}] : [])).sort(above)
    .map(({path, line}) => ({by: 'line', path, line}));
}
