// The source, the listing and the PTX beside each other. What belongs together lights up: while pointed at, and when chosen.

import type {ComponentChildren} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {List, type How, type ListHandle} from './list';
import {code_line, marked} from './marked';
import {memo} from './memo';
import {excess, line_key, links_of, no_links, pc_key, sites_of, type Cost, type Model, type Selection} from './model';
import {base_name, grouped, hex, in_margin} from './numbers';

export type Pane = 'source' | 'sass' | 'ptx';

interface Props {
  model: Model;
  /** The path of the file in the source pane. */
  file: string;
  selection: Selection | null;
  /** Changes when the selection is to be scrolled into sight. */
  reveal_at: number;
  /** The panes in sight. */
  panes: readonly Pane[];
  query: string;
  narrow: boolean;
  on_file: (path: string) => void;
  on_pane: (pane: Pane) => void;
  on_select: (selection: Selection, how: How) => void;
  on_handle: (id: string, handle: ListHandle | null) => void;
  on_focus: (id: string) => void;
}

const pane_names: Record<Pane, string> = {source: 'Source', sass: 'SASS', ptx: 'PTX'};

/** Characters of a line number or a pc. */
const at_width: Record<Pane, number> = {source: 5, sass: 5, ptx: 6};

/** The margin: wavefronts, ideal, excess, removable, a bar of them. Padded with blanks, as text is what lays out fastest. */
function margin(at: string, pane: Pane, cost: Cost | null, most: number, digits: number): ComponentChildren {
  const number = (n: number) => (n > 0 ? in_margin(n) : '-').padStart(digits + 1);
  const place = <span class="at">{at.padStart(at_width[pane])}</span>;
  if (!cost) return <span class="gutter">{place} </span>;
  const gone = cost.removable;
  return (
    <span class="gutter">
      {place}{number(cost.wavefronts)}
      <span class="ideal">{number(cost.ideal)}</span>
      <span class="excess">{number(excess(cost))}</span>
      {gone > 0 ? <span class="gone">{number(gone)}</span> : number(gone)}
      <span class="bar" style={{'--all': cost.wavefronts / most, '--gone': gone / most}} />{' '}
    </span>
  );
}

function cost_text(cost: Cost | null): string {
  return cost ? `, ${grouped(cost.wavefronts)} wavefronts, ideal ${grouped(cost.ideal)}, excess ${grouped(excess(cost))}, ` +
    `removable ${grouped(cost.removable)}` : '';
}

function Columns({at}: {at: string}) {
  return (
    <div class="columns" aria-hidden="true">
      <span class="gutter">
        <span class="at"><span>{at}</span></span>
        <span title="wavefronts: trips through the banks"><span>wave-<wbr />fronts</span></span>
        <span class="ideal" title="bytes over 128, as Nsight Compute counts it"><span>ideal</span></span>
        <span class="excess" title="wavefronts - ideal"><span>excess</span></span>
        <span title="what another layout or order could do without"><span>remov-<wbr />able</span></span>
      </span>
    </div>
  );
}

function chosen(selected: boolean, linked: boolean, hovered: boolean): string {
  return (selected ? ' selected' : '') + (linked ? ' linked' : '') + (hovered ? ' hovered' : '');
}

function CodePanes({model, file: path, selection, reveal_at, panes, query, narrow, on_file, on_pane, on_select, on_handle, on_focus}: Props) {
  const [pointed, set_pointed] = useState<Selection | null>(null);
  const links = useMemo(() => links_of(model, selection), [model, selection]);
  const hover = useMemo(() => pointed ? links_of(model, pointed) : no_links, [model, pointed]);
  const file = model.file_of.get(path);
  const row_height = narrow ? 24 : 19;
  const digits = useMemo(() => Math.max(4, in_margin(Math.max(model.most.line, model.most.sass, model.most.ptx)).length), [model]);
  const gutter = (at: number) => at + 4 * digits + 14;

  // Source
  const source_active = selection?.by === 'line' && selection.path === path ? file?.row_of.get(selection.line) ?? -1 : -1;
  const source_reveal = source_active >= 0 ? source_active
    : file?.row_of.get([...links.lines.get(path) ?? []][0] ?? -1) ?? -1;
  const source_row = useMemo(() => (i: number) => {
    const {line, text, comment_end, cost} = file!.rows[i]!;
    return (
      <>
        {margin(String(line), 'source', cost, model.most.line, digits)}
        <span class="code">{code_line(text, query, comment_end)}</span>
      </>
    );
  }, [model, file, query, digits]);
  const source_classes = useMemo(() => {
    const linked = links.lines.get(path), hovered = hover.lines.get(path);
    return (i: number) => {
      const {line, cost} = file!.rows[i]!;
      return (cost ? 'costs' : '') + chosen(i === source_active, linked?.has(line) ?? false, hovered?.has(line) ?? false);
    };
  }, [file, path, links, hover, source_active]);
  const at_source = useMemo(() => (i: number): Selection => ({by: 'line', path, line: file!.rows[i]!.line}), [path, file]);

  // SASS
  const sass_active = selection?.by === 'pc' ? model.by_pc.get(pc_key(selection.function, selection.pc)) ?? -1 : -1;
  const sass_reveal = useMemo(() => {
    if (sass_active >= 0) return sass_active;
    const worst = sites_of(model, selection)[0];
    return worst ? model.by_pc.get(pc_key(worst.function ?? '', worst.pc)) ?? -1 : [...links.sass][0] ?? -1;
  }, [model, selection, links, sass_active]);
  const sass_row = useMemo(() => (i: number) => {
    const {kind, pc, text, cost} = model.sass[i]!;
    if (kind === 'function') return <span class="function">{text}:</span>;
    const space = text.startsWith('@') ? text.indexOf(' ', text.indexOf(' ') + 1) : text.indexOf(' ');
    const end = space < 0 ? text.length : space;
    return (
      <>
        {margin(pc.toString(16).padStart(4, '0'), 'sass', cost, model.most.sass, digits)}
        <span class="code">{query === '' || !text.toLowerCase().includes(query)
          ? <><span class="opcode">{text.slice(0, end)}</span>{text.slice(end)}</> : marked(text, query)}</span>
      </>
    );
  }, [model, query, digits]);
  const sass_classes = useMemo(() => (i: number) => {
    const {kind, cost} = model.sass[i]!;
    return (kind === 'function' ? 'heading' : cost ? 'costs' : '') + chosen(i === sass_active, links.sass.has(i), hover.sass.has(i));
  }, [model, links, hover, sass_active]);
  const at_sass = useMemo(() => (i: number): Selection | null => {
    const row = model.sass[i]!;
    return row.kind === 'function' ? null : {by: 'pc', function: row.function, pc: row.pc};
  }, [model]);

  // PTX
  const ptx_active = selection?.by === 'ptx' ? selection.line - 1 : -1;
  const ptx_reveal = useMemo(() => {
    if (ptx_active >= 0) return ptx_active;
    const worst = sites_of(model, selection)[0];
    return worst?.ptx_line ? worst.ptx_line - 1 : ([...links.ptx][0] ?? 0) - 1;
  }, [model, selection, links, ptx_active]);
  const ptx_row = useMemo(() => (i: number) => {
    const {text, cost} = model.ptx[i]!;
    return (
      <>
        {margin(String(i + 1), 'ptx', cost, model.most.ptx, digits)}
        <span class="code">{/^\s*\.(loc|file)\b/.test(text) ? <span class="comment">{marked(text, query)}</span> : code_line(text, query)}</span>
      </>
    );
  }, [model, query, digits]);
  const ptx_classes = useMemo(() => (i: number) =>
    (model.ptx[i]!.cost ? 'costs' : '') + chosen(i === ptx_active, links.ptx.has(i + 1), hover.ptx.has(i + 1)), [model, links, hover, ptx_active]);
  const at_ptx = useMemo(() => (i: number): Selection => ({by: 'ptx', line: i + 1}), []);

  const acts = (at: (i: number) => Selection | null) => ({
    on_move: (i: number) => { const to = at(i); if (to) on_select(to, 'move'); },
    on_open: (i: number, how: How) => { const to = at(i); if (to) on_select(to, how); },
    on_hover: (i: number) => set_pointed(i < 0 ? null : at(i)),
  });
  const source_acts = useMemo(() => acts(at_source), [at_source, on_select]);
  const sass_acts = useMemo(() => acts(at_sass), [at_sass, on_select]);
  const ptx_acts = useMemo(() => acts(at_ptx), [at_ptx, on_select]);
  const shared = {row_height, reveal_at, on_handle, on_focus};

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

  return (
    <div class={`panes panes-${panes.length}`} style={{'--digits': `${digits}ch`, '--row': `${row_height}px`}}>
      {panes.length === 1 && <div class="pane-tabs">{switcher(['source', 'sass', 'ptx'])}</div>}
      {panes.includes('source') && (
        <section class="pane source" aria-labelledby="source-title">
          <div class="pane-head"><h3 id="source-title">Source</h3>{picker}</div>
          {file && !file.found && (
            <p class="pane-note">{base_name(path)} was not found at {path}. Run bankwise where the sources lie as they were compiled to see
              their text; here are the lines that instructions name.</p>
          )}
          {!file && (
            <p class="pane-note">{sites_without_line
              ? 'The machine code names no source line. Compile it with -lineinfo, and run bankwise where the sources are.'
              : 'No source line of this launch is known. Compile it with -lineinfo to see its source here.'}</p>
          )}
          {file && <Columns at="line" />}
          {file && (
            <List id="source" label={`Source lines of ${file.name}`} count={file.rows.length} active={source_active} reveal={source_reveal}
              widest={file.widest + gutter(5)} row={source_row} classes={source_classes} {...source_acts} {...shared} />
          )}
        </section>
      )}
      {panes.includes('sass') && (
        <section class="pane sass" aria-labelledby="sass-title">
          <div class="pane-head">
            <h3 id="sass-title" class={panes.length === 2 ? 'unseen' : ''}>SASS</h3>
            {panes.length === 2 && switcher(['sass', 'ptx'])}
            <span class="file-name">{grouped(model.by_pc.size)} instructions</span>
          </div>
          {model.sass.length === 0
            ? <p class="pane-note">The report holds no machine code of this kernel.</p>
            : <Columns at="pc" />}
          {model.sass.length > 0 && (
            <List id="sass" label="Machine instructions" count={model.sass.length} active={sass_active} reveal={sass_reveal}
              widest={model.sass_widest + gutter(5)} row={sass_row} classes={sass_classes} {...sass_acts} {...shared} />
          )}
        </section>
      )}
      {panes.includes('ptx') && (
        <section class="pane ptx" aria-labelledby="ptx-title">
          <div class="pane-head">
            <h3 id="ptx-title" class={panes.length === 2 ? 'unseen' : ''}>PTX</h3>
            {panes.length === 2 && switcher(['sass', 'ptx'])}
            <span class="file-name">{model.ptx.length > 0 ? `${grouped(model.ptx.length)} lines` : ''}</span>
          </div>
          {model.ptx.length === 0
            ? <p class="pane-note">The cubin holds no PTX text. nvcc puts it there with -lineinfo.</p>
            : <Columns at="line" />}
          {model.ptx.length > 0 && (
            <List id="ptx" label="PTX lines" count={model.ptx.length} active={ptx_active} reveal={ptx_reveal}
              widest={model.ptx_widest + gutter(6)} row={ptx_row} classes={ptx_classes} {...ptx_acts} {...shared} />
          )}
        </section>
      )}
    </div>
  );
}

export const Panes = memo(CodePanes);

/** What a selection is, for those who hear the page. */
export function selection_text(model: Model, selection: Selection | null): string {
  if (!selection) return '';
  if (selection.by === 'pc') {
    const row = model.sass[model.by_pc.get(pc_key(selection.function, selection.pc)) ?? -1];
    return row ? `pc ${hex(row.pc)}, ${row.text}${cost_text(row.cost)}` : '';
  }
  if (selection.by === 'ptx') return `PTX line ${selection.line}${cost_text(model.ptx[selection.line - 1]?.cost ?? null)}`;
  const file = model.file_of.get(selection.path);
  const row = file?.rows[file.row_of.get(selection.line) ?? -1];
  const count = model.by_line.get(line_key(selection.path, selection.line))?.length ?? 0;
  return row ? `${file!.name} line ${row.line}${cost_text(row.cost)}, ${count} instructions` : '';
}
