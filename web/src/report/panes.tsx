// The source, the listing and the PTX next to each other. If the pointer is on a row, or if a row is chosen, the
// corresponding rows of the other panes are highlighted.

import type {ComponentChildren} from 'preact';
import {useEffect, useMemo, useReducer, useState} from 'preact/hooks';
import {array_names, cut_before, CutText, declared_names, use_columns} from './cut';
import {List, type How, type ListHandle} from './list';
import {code_line, marked} from './marked';
import {memo} from './memo';
import type {Mark} from './minimap';
import {cost_of, excess, expand, links_of, no_links, sectors_of, sites_of, type Cost, type Model, type Sectors, type Selection} from './model';
import {base_name, grouped, hex, in_margin} from './numbers';
import type {LineTime} from './schema';
import {Splitter} from './splitter';
import {language_of} from './syntax';

export type Pane = 'source' | 'sass' | 'ptx';

interface Props {
  model: Model;
  /** The path of the file in the source pane. */
  file: string;
  selection: Selection | null;
  /** This number changes when the panes should scroll to the selection. */
  reveal_at: number;
  panes: readonly Pane[];
  query: string;
  narrow: boolean;
  /** Whether long lines are wrapped, and whether the listing only shows instructions on shared memory. */
  wrap: boolean;
  only_shared: boolean;
  on_wrap: (on: boolean) => void;
  on_only_shared: (on: boolean) => void;
  on_file: (path: string) => void;
  on_pane: (pane: Pane) => void;
  /** `pane` is the pane in which the selection was chosen. */
  on_select: (selection: Selection, how: How, pane: Pane) => void;
  on_handle: (id: string, handle: ListHandle | null) => void;
  on_focus: (id: string) => void;
}

const pane_names: Record<Pane, string> = {source: 'Source', sass: 'SASS', ptx: 'PTX'};

/** The number of characters of a line number or a pc. */
const at_width: Record<Pane, number> = {source: 5, sass: 5, ptx: 6};

/** Returns the range of the sectors, or undefined if they are exact. */
function within_title({within}: Sectors): string | undefined {
  return within ? `the number is estimated; in nine of ten cases, it is between ${grouped(within.low)} and ${grouped(within.high)}` : undefined;
}

/** Returns the text of the margin: wavefronts, ideal, excess, removable, their bar, then sectors. The text is padded
    with blanks, because browsers draw text faster than elements. */
function margin(at: string, pane: Pane, cost: Cost | null, most: number, digits: number, global: Sectors | null, time?: LineTime | null): ComponentChildren {
  const number = (n: number) => (n > 0 ? in_margin(n) : '-').padStart(digits + 1);
  const stall = time === undefined ? null
    : <span class="stall" title={time ? `${time.percent}% of the warps' time; they wait for ${time.waits || 'nothing'}` : undefined}>{time ? `${time.percent}%` : ''}</span>;
  const place = <><span class="at">{at.padStart(at_width[pane])}</span>{stall}</>;
  const sectors = global && (
    <span class={global.sectors > global.ideal ? 'sectors gone' : 'sectors'} title={within_title(global)}>{number(global.sectors)}</span>
  );
  if (!cost) return <span class="gutter">{place}{sectors && <span class="no-waves" />}{sectors} </span>;
  const gone = cost.removable;
  // The colour of the margin shows the share of the wavefronts above the minimum.
  const heat = Math.round(22 * Math.sqrt((gone + cost.queued) / most));
  return (
    <span class={heat > 0 ? 'gutter hot' : 'gutter'} style={heat > 0 ? {'--heat': `${heat}%`} : undefined}>
      {place}<span class="waves">{number(cost.wavefronts)}</span>
      <span class="ideal">{number(cost.ideal)}</span>
      <span class="excess">{number(excess(cost))}</span>
      <span class={gone > 0 ? 'most gone' : 'most'}>{number(gone)}</span>
      <span class="bar" style={{'--all': cost.wavefronts / most, '--gone': gone / most}} />{sectors}{' '}
    </span>
  );
}

function cost_text(cost: Cost | null): string {
  return cost ? `, ${grouped(cost.wavefronts)} wavefronts, ideal ${grouped(cost.ideal)}, excess ${grouped(excess(cost))}, ` +
    `removable ${grouped(cost.removable)}` : '';
}
function sectors_text(global: Sectors | null): string {
  if (!global) return '';
  const within = within_title(global);
  return `, ${grouped(global.sectors)} sectors of global memory${within ? `, ${within}` : ''}, ideal ${grouped(global.ideal)}`;
}

function Columns({at, waves, sectors, stalls}: {at: string; waves: boolean; sectors: boolean; stalls: boolean}) {
  return (
    <div class="columns" aria-hidden="true">
      <span class="gutter">
        <span class="at"><span>{at}</span></span>
        {stalls && <span class="stall" title="the share of the time that warps spend at the line, as predicted"><span>time</span></span>}
        {waves && <>
          <span title="wavefronts: passes through the banks"><span>waves</span></span>
          <span class="ideal" title="ideal wavefronts, as Nsight Compute counts them: bytes divided by 128"><span>ideal</span></span>
          <span class="excess" title="wavefronts - ideal"><span>excess</span></span>
          <span title="wavefronts that another layout can remove"><span>can go</span></span>
        </>}
        {waves && sectors && <span class="bar" />}
        {sectors && <span class="sectors" title="sectors of 32 bytes of global memory, as on Nsight Compute's source page"><span>sectors</span></span>}
      </span>
    </div>
  );
}

/** Returns the number of columns that the margin and the small map take in a pane of this width. If the pane is narrow,
    report.css omits numbers. */
function margin_columns(columns: number, digits: number, sectors: boolean): number {
  const [numbers, bar] = columns < 61 ? [2, 3] : columns < 78 ? [3, 4] : [4, 6];
  return at_width.source + (numbers! + (sectors ? 1 : 0)) * (digits + 1) + bar! + 8;
}

/** Returns the default position of the end of pane i, in per cent. */
function usual_share(panes: number, i: number): number {
  return panes === 2 ? 50 : [36, 68][i] ?? 100;
}

function chosen(selected: boolean, linked: boolean, hovered: boolean): string {
  return (selected ? ' selected' : '') + (linked ? ' linked' : '') + (hovered ? ' hovered' : '');
}

/** Returns a mark for each row that has a cost, in a list of this length. */
function marks_of(costs: Iterable<readonly [row: number, cost: Cost]>, count: number, most: number): Mark[] {
  const marks: Mark[] = [];
  for (const [row, cost] of costs) {
    if (cost.wavefronts > 0) marks.push({at: row / count, all: cost.wavefronts / most, gone: cost.removable + cost.queued});
  }
  return marks.sort((a, b) => Number(a.gone > 0) - Number(b.gone > 0));  // removable parts are drawn on top
}

/** Returns the index of a row among the visible rows, or -1. */
function index_in(rows: Int32Array | null, row: number): number {
  return rows && row >= 0 ? rows.indexOf(row) : row;
}

function CodePanes({model, file: path, selection, reveal_at, panes, query, narrow, wrap, only_shared, on_wrap, on_only_shared, on_file, on_pane,
  on_select, on_handle, on_focus}: Props) {
  const [share, set_share] = useState<readonly number[]>([]);
  const [pointed, set_pointed] = useState<Selection | null>(null);
  const links = useMemo(() => links_of(model, selection), [model, selection]);
  const hover = useMemo(() => pointed ? links_of(model, pointed) : no_links, [model, pointed]);
  const file = model.file_of.get(path);
  const row_height = narrow ? 24 : 19;
  // A column is not narrower than its heading.
  const {global} = model, has_sectors = global !== null, has_waves = model.launch.sites.length > 0 || !has_sectors;
  const digits = useMemo(() => Math.max(6, in_margin(Math.max(model.most.line, model.most.sass, model.most.ptx, global?.most ?? 0)).length), [model]);
  const gutter = (at: number) => at + (has_sectors ? 5 : 4) * digits + 14;

  // Source
  const language = language_of(path);
  const source_active = selection?.by === 'line' && selection.path === path ? file?.row_of.get(selection.line) ?? -1 : -1;
  const source_reveal = source_active >= 0 ? source_active
    : file?.row_of.get([...links.lines.get(path) ?? []][0] ?? -1) ?? -1;
  const [source_pane, columns] = use_columns(12), room = columns - margin_columns(columns, digits, has_sectors);
  const times = useMemo(() => new Map(model.view.lines.map((one) => [`${one.path}:${one.line}`, one])), [model]);
  const declared = useMemo(() => file ? declared_names(file.rows) : [], [file]);
  const source_row = useMemo(() => (i: number, found: string) => {
    const {line, text, comment_end, cost, sites} = file!.rows[i]!;
    const names = cost && text.length > room ? array_names(model.launch, sites) : [];
    const cut = cost && !wrap && found === '' ? cut_before(text, names.length > 0 ? names : declared, room) : null;
    return (
      <>
        {margin(String(line), 'source', cost, model.most.line, digits, global && sectors_of(global.of_line(path, line)),
          times.size > 0 ? times.get(`${path}:${line}`) ?? null : undefined)}
        {cut ? <span class="code" title={text.trim()}>{text.slice(0, cut.from)}<CutText text={text.slice(cut.from, cut.to)} />{code_line(text.slice(cut.to), '', language)}</span>
          : <span class="code">{code_line(text, found, language, comment_end)}</span>}
      </>
    );
  }, [model, file, path, digits, language, wrap, room, declared, times]);
  const source_text = useMemo(() => (i: number) => file!.rows[i]!.text, [file]);
  const source_marks = useMemo(() => () => !file ? [] : marks_of(
    file.rows.flatMap(({cost}, i) => cost ? [[i, cost] as const] : []), file.rows.length, model.most.line), [model, file]);
  const source_classes = useMemo(() => {
    const linked = links.lines.get(path), hovered = hover.lines.get(path);
    return (i: number) => {
      const {line, cost} = file!.rows[i]!;
      return (cost || global?.of_line(path, line).length ? 'costs' : '') + chosen(i === source_active, linked?.has(line) ?? false, hovered?.has(line) ?? false);
    };
  }, [file, path, global, links, hover, source_active]);
  const at_source = useMemo(() => (i: number): Selection => ({by: 'line', path, line: file!.rows[i]!.line}), [path, file]);

  // SASS
  const shown_rows = only_shared ? model.sass.with_site : null;
  const sass_count = shown_rows ? shown_rows.length : model.sass.length;
  const row_at = useMemo(() => (i: number) => shown_rows ? shown_rows[i]! : i, [shown_rows]);
  const sass_active = index_in(shown_rows, selection?.by === 'pc' ? model.sass.find(selection.function, selection.pc) : -1);
  const sass_reveal = useMemo(() => {
    if (sass_active >= 0) return sass_active;
    const worst = sites_of(model, selection)[0];
    return index_in(shown_rows, worst ? model.sass.find(worst.function ?? '', worst.pc) : [...links.sass][0] ?? -1);
  }, [model, selection, links, sass_active, shown_rows]);
  const sass_row = useMemo(() => (i: number, found: string) => {
    const {kind, pc, text, site, function: of_function} = model.sass.row(row_at(i))!;
    if (kind === 'function') return <span class="function">{text}:</span>;
    const space = text.startsWith('@') ? text.indexOf(' ', text.indexOf(' ') + 1) : text.indexOf(' ');
    const end = space < 0 ? text.length : space;
    return (
      <>
        {margin(pc.toString(16).padStart(4, '0'), 'sass', site && cost_of([site]), model.most.sass, digits,
          global && sectors_of(global.of_pc(of_function, pc)))}
        <span class="code">{found === ''
          ? <><span class="opcode">{text.slice(0, end)}</span>{code_line(text.slice(end), '', 'sass')}</> : marked(text, found)}</span>
      </>
    );
  }, [model, digits, row_at]);
  const sass_text = useMemo(() => (i: number) => model.sass.row(row_at(i))!.text, [model, row_at]);
  const sass_marks = useMemo(() => () => marks_of(
    [...model.sass.with_site].map((row, i) => [shown_rows ? i : row, cost_of([model.launch.sites[model.sass.site_of[row]!]!])] as const),
    sass_count, model.most.sass), [model, shown_rows]);
  const sass_classes = useMemo(() => (i: number) => {
    const row = row_at(i), has_site = model.sass.site_of[row]! >= 0;
    return (has_site ? 'costs' : '') + chosen(i === sass_active, links.sass.has(row), hover.sass.has(row));
  }, [model, links, hover, sass_active, row_at]);
  const at_sass = useMemo(() => (i: number): Selection | null => {
    const row = model.sass.row(row_at(i))!;
    return row.kind === 'function' ? null : {by: 'pc', function: row.function, pc: row.pc};
  }, [model, row_at]);

  // PTX is parsed after everything for which the reader waits.
  const [, ptx_came] = useReducer((n: number) => n + 1, 0);
  const ptx = model.ptx.lines, wants_ptx = ptx === null && panes.includes('ptx');
  useEffect(() => {
    if (!wants_ptx) return;
    const timer = setTimeout(() => {
      model.ptx.read();
      ptx_came(undefined);
    }, 50);
    return () => clearTimeout(timer);
  }, [model, wants_ptx]);
  const ptx_active = selection?.by === 'ptx' ? selection.line - 1 : -1;
  const ptx_reveal = useMemo(() => {
    if (ptx_active >= 0) return ptx_active;
    const worst = sites_of(model, selection)[0];
    return worst?.ptx_line ? worst.ptx_line - 1 : ([...links.ptx][0] ?? 0) - 1;
  }, [model, selection, links, ptx_active]);
  const ptx_text = useMemo(() => (i: number) => expand(ptx!.at(i)), [ptx]);
  const ptx_row = useMemo(() => (i: number, found: string) => {
    const text = ptx_text(i);
    return (
      <>
        {margin(String(i + 1), 'ptx', model.ptx_costs.get(i + 1) ?? null, model.most.ptx, digits, global && sectors_of(global.of_ptx(i + 1)))}
        <span class="code">{/^\s*\.(loc|file)\b/.test(text) ? <span class="w-c">{marked(text, found)}</span> : code_line(text, found, 'ptx')}</span>
      </>
    );
  }, [model, ptx_text, digits]);
  const ptx_marks = useMemo(() => () => marks_of([...model.ptx_costs].map(([line, cost]) => [line - 1, cost] as const), ptx?.length ?? 0, model.most.ptx),
    [model, ptx]);
  const ptx_classes = useMemo(() => (i: number) =>
    (model.ptx_costs.has(i + 1) ? 'costs' : '') + chosen(i === ptx_active, links.ptx.has(i + 1), hover.ptx.has(i + 1)), [model, links, hover, ptx_active]);
  const at_ptx = useMemo(() => (i: number): Selection => ({by: 'ptx', line: i + 1}), []);

  const acts = (pane: Pane, at: (i: number) => Selection | null) => ({
    on_move: (i: number) => { const to = at(i); if (to) on_select(to, 'move', pane); },
    on_open: (i: number, how: How) => { const to = at(i); if (to) on_select(to, how, pane); },
    on_hover: (i: number) => set_pointed(i < 0 ? null : at(i)),
  });
  const source_acts = useMemo(() => acts('source', at_source), [at_source, on_select]);
  const sass_acts = useMemo(() => acts('sass', at_sass), [at_sass, on_select]);
  const ptx_acts = useMemo(() => acts('ptx', at_ptx), [at_ptx, on_select]);
  const shared = {row_height, reveal_at, wrap, query, on_handle, on_focus};

  const sites_without_line = model.launch.sites.length > 0 && !model.files.some((f) => f.has_sites);
  const switcher = (of: readonly Pane[]) => (
    <div class="switch" role="group" aria-label="Show">
      {of.map((pane) => (
        <button key={pane} type="button" aria-pressed={panes.includes(pane)} onClick={() => on_pane(pane)}>{pane_names[pane]}</button>
      ))}
    </div>
  );
  const picker = model.files.length > 1
    ? (
      <select aria-label="Source file" value={path} onChange={(event) => on_file(event.currentTarget.value)}>
        {model.files.map((one) => <option key={one.path} value={one.path}>{one.name}{one.has_sites ? '' : ' (no access)'}</option>)}
      </select>
    )
    : <span class="file-name" title={path}>{file?.name ?? ''}</span>;

  const wrapper = (
    <button type="button" class="toggle" aria-pressed={wrap} title="Wrap long lines" onClick={() => on_wrap(!wrap)}>Wrap</button>
  );
  // The end positions of the panes, in per cent.
  const ends = panes.slice(1).map((_, i) => share.length === panes.length - 1 ? share[i]! : usual_share(panes.length, i));
  const widths = panes.map((_, i) => (ends[i] ?? 100) - (ends[i - 1] ?? 0));
  const splitter = (pane: Pane) => {
    const i = panes.indexOf(pane) - 1;
    return i >= 0 && (
      <Splitter label={`Between ${pane_names[panes[i]!]} and ${pane_names[pane]}`} value={ends[i]!} usual={usual_share(panes.length, i)}
        least={(ends[i - 1] ?? 0) + 12} most={(ends[i + 1] ?? 100) - 12}
        on_move={(value) => set_share(ends.map((end, at) => at === i ? value : end))} />
    );
  };

  return (
    <div class={`panes panes-${panes.length}${has_sectors ? ' with-sectors' : ''}${has_waves ? '' : ' without-waves'}`} style={{'--digits': `${digits}ch`, '--row': `${row_height}px`,
      '--columns': widths.map((one) => `minmax(0, ${one}fr)`).join(' 5px ')}}>
      {panes.length === 1 && <div class="pane-tabs">{switcher(['source', 'sass', 'ptx'])}</div>}
      {panes.includes('source') && (
        <section ref={source_pane} class={`pane source${times.size > 0 ? ' with-stalls' : ''}`} aria-labelledby="source-title">
          <div class="pane-head"><h3 id="source-title">Source</h3>{picker}<span class="spring" />{wrapper}</div>
          {file && !file.found && (
            <p class="pane-note">{base_name(path)} was not found at {path}, or it has changed since the run. To see the text of the file, run bankwise on the machine that has the file. Without the file, the list has only the lines that have instructions.</p>
          )}
          {!file && (
            <p class="pane-note">{sites_without_line
              ? 'The machine code has no line numbers. Compile the code with -lineinfo, and run bankwise on the machine that has the sources.'
              : 'No source line of this launch is known. To see the source, compile the code with -lineinfo.'}</p>
          )}
          {file && <Columns at="line" waves={has_waves} sectors={has_sectors} stalls={times.size > 0} />}
          {file && (
            <List id="source" label={`Source lines of ${file.name}`} count={file.rows.length} active={source_active} reveal={source_reveal} follows={source_active < 0}
              widest={file.widest + gutter(5)} row={source_row} text={source_text} classes={source_classes} marks={source_marks}
              {...source_acts} {...shared} />
          )}
        </section>
      )}
      {panes.includes('sass') && splitter('sass')}
      {panes.includes('sass') && (
        <section class="pane sass" aria-labelledby="sass-title">
          <div class="pane-head">
            <h3 id="sass-title" class={panes.length === 2 ? 'unseen' : ''}>SASS</h3>
            {panes.length === 2 && switcher(['sass', 'ptx'])}
            <span class="file-name">{grouped(model.sass.instructions)} instructions</span>
            <span class="spring" />
            {model.sass.with_site.length > 0 && (
              <button type="button" class="toggle" aria-pressed={only_shared} title="Show only instructions that access shared memory (o)"
                onClick={() => on_only_shared(!only_shared)}>Only shared memory</button>
            )}
            {!panes.includes('source') && wrapper}
          </div>
          {model.sass.length === 0
            ? <p class="pane-note">The report does not contain the machine code of this kernel.</p>
            : <Columns at="pc" waves={has_waves} sectors={has_sectors} stalls={false} />}
          {model.sass.length > 0 && (
            <List id="sass" label="Machine instructions" count={sass_count} active={sass_active} reveal={sass_reveal} follows={sass_active < 0}
              widest={model.sass.widest + gutter(5)} row={sass_row} text={sass_text} classes={sass_classes} marks={sass_marks}
              {...sass_acts} {...shared} />
          )}
        </section>
      )}
      {panes.includes('ptx') && splitter('ptx')}
      {panes.includes('ptx') && (
        <section class="pane ptx" aria-labelledby="ptx-title">
          <div class="pane-head">
            <h3 id="ptx-title" class={panes.length === 2 ? 'unseen' : ''}>PTX</h3>
            {panes.length === 2 && switcher(['sass', 'ptx'])}
            <span class="file-name">{ptx?.length ? `${grouped(ptx.length)} lines` : ''}</span>
            <span class="spring" />
            {!panes.includes('source') && wrapper}
          </div>
          {ptx?.length === 0
            ? <p class="pane-note">The cubin does not contain PTX text. nvcc adds PTX text with -lineinfo.</p>
            : <Columns at="line" waves={has_waves} sectors={has_sectors} stalls={false} />}
          {ptx !== null && ptx.length > 0 && (
            <List id="ptx" label="PTX lines" count={ptx.length} active={ptx_active} reveal={ptx_reveal} follows={ptx_active < 0}
              widest={ptx.widest + 12 + gutter(6)} row={ptx_row} text={ptx_text} classes={ptx_classes} marks={ptx_marks}
              {...ptx_acts} {...shared} />
          )}
        </section>
      )}
    </div>
  );
}

export const Panes = memo(CodePanes);

/** Describes the selection for screen readers. */
export function selection_text(model: Model, selection: Selection | null): string {
  if (!selection) return '';
  if (selection.by === 'pc') {
    const row = model.sass.row(model.sass.find(selection.function, selection.pc));
    const sectors = row && model.global ? sectors_of(model.global.of_pc(row.function, row.pc)) : null;
    return row ? `pc ${hex(row.pc)}, ${row.text}${cost_text(row.site && cost_of([row.site]))}${sectors_text(sectors)}` : '';
  }
  if (selection.by === 'ptx') return `PTX line ${selection.line}${cost_text(model.ptx_costs.get(selection.line) ?? null)}`;
  const file = model.file_of.get(selection.path);
  const row = file?.rows[file.row_of.get(selection.line) ?? -1];
  const count = model.of_line(selection.path, selection.line).length;
  const sectors = row ? model.global && sectors_of(model.global.of_line(selection.path, row.line)) : null;
  return row ? `${file!.name} line ${row.line}${cost_text(row.cost)}${sectors_text(sectors)}, ${count} instructions` : '';
}
