// The chosen launch: its name and shape, whether its conflicts matter, its findings, and the fix.

import {useMemo} from 'preact/hooks';
import {array_names, cut_before, CutText, declared_names, use_columns} from './cut';
import {FixCard} from './fix';
import {List, type How, type ListHandle} from './list';
import {memo} from './memo';
import {finding_selection, finding_sites, notes_at, sites_of, same_selection, type Model, type Selection} from './model';
import {count_of, extent, grouped, in_margin} from './numbers';
import {Notes} from './notes';
import type {ClockRow, FindingView, Launch} from './schema';
import {fixes_of, type Clocks} from './trial';

interface Props {
  model: Model;
  selection: Selection | null;
  reveal_at: number;
  narrow: boolean;
  /** The launches of the same kernel with their indices, including this launch. */
  siblings: readonly (readonly [number, Launch])[];
  launch: number;
  /** True if the report has only one launch. The verdict of this launch is above the summary, so the summary does not
      repeat it. */
  only: boolean;
  /** The clocks with the padding that the reader tries. */
  tried: Clocks | null;
  on_launch: (launch: number) => void;
  on_try: (fix: number) => void;
  on_select: (selection: Selection, how: How) => void;
  on_handle: (id: string, handle: ListHandle | null) => void;
  on_focus: (id: string) => void;
}

/** Returns the index of the finding that is selected by its line or by one of its instructions. */
export function finding_index(model: Model, selection: Selection | null): number {
  if (!selection || selection.by === 'ptx') return -1;
  return model.view.findings.findIndex((finding) => same_selection(finding_selection(finding), selection)
    || (selection.by === 'pc' && finding_sites(model, finding).some((site) =>
      site.pc === selection.pc && (site.function ?? '') === selection.function)));
}

function PipeBar({name, clocks, with_best, says, most, tried}: ClockRow & {most: number; tried?: number | undefined}) {
  const now = tried ?? clocks;
  return (
    <div class="pipe">
      <span class="pipe-name">{name}</span>
      <span class="bar" aria-hidden="true" style={{'--all': now / most, '--gone': Math.max(0, now - with_best) / most}} />
      <span class="pipe-says"><b>{grouped(now)}</b> clocks{tried === undefined ? says : ` with this padding, and ${grouped(clocks)} without it`}</span>
    </div>
  );
}

/** Returns the array whose fix is shown: the array of the selection, otherwise of the worst finding, otherwise of
    the first result. */
function fix_shown({launch, view}: Model, chosen: readonly number[]): number | undefined {
  const worst = view.findings[0]?.sites.flatMap((i) => fixes_of(launch, launch.sites[i]!)) ?? [];
  const known = launch.fixes ?? [], has_answer = (i: number) => known[i]!.answers.length > 0;
  return [...chosen, ...worst, ...known.keys()].find(has_answer) ?? chosen[0] ?? worst[0];
}

function Summary({model, selection, reveal_at, narrow, siblings, launch: index, only, tried, on_launch, on_try, on_select, on_handle, on_focus}: Props) {
  const {launch, view} = model, {findings, clocks} = view;
  const most = Math.max(...clocks.map((one) => one.clocks), tried?.shared ?? 0, 1);
  const fix = useMemo(() => fix_shown(model, sites_of(model, selection).flatMap((site) => [...fixes_of(launch, site)])), [model, selection]);
  const active = finding_index(model, selection);
  const row_height = narrow ? 42 : 20;
  const noted = view.notes.length > 0;
  const places = useMemo(() => findings.map((f) => f.place), [model]);
  // The available width next to the number, the place, the wavefronts and the share.
  const [finding_box, columns] = use_columns(12.5), room = columns - Math.max(0, ...places.map((place) => place.length)) - (narrow ? 4 : 24);
  const text_of = (f: FindingView) => {
    const file = model.file_of.get(f.path), line = file?.rows[file.row_of.get(f.line) ?? -1]?.text.trim();
    if (f.sites.length + f.global_sites.length === 0) return line ?? f.says;
    if (!line) return f.sass;
    const names = array_names(launch, f.sites.map((i) => launch.sites[i]!));
    const cut = cut_before(line, names.length > 0 ? names : declared_names(file!.rows), room);
    return cut ? <><CutText text={line.slice(0, cut.to)} />{line.slice(cut.to)}</> : line;
  };
  const row = useMemo(() => (i: number) => {
    const f = findings[i]!, unit = f.global_sites.length > 0 || f.sites.length === 0 ? ' sectors' : '', says = notes_at(model, finding_selection(f)).map(({what}) => what).join('; ');
    return (
      <>
        <span class="at">{i + 1}</span>
        <span class="place">{places[i]}</span>
        <span class={`n gone${unit}`}>{in_margin(f.amount)}</span>
        <span class={`n share${unit}`}>{f.share}</span>
        <span class="code" title={[f.says, f.also, f.time, says].filter((text) => text !== '').join('; ')}>{says !== '' && <b class="gone">{says} </b>}{text_of(f)}</span>
      </>
    );
  }, [model, room]);
  const classes = useMemo(() => (i: number) => `finding${i === active ? ' selected' : ''}`, [active]);
  const on_move = useMemo(() => (i: number) => on_select(finding_selection(findings[i]!), 'move'), [model, on_select]);
  const on_open = useMemo(() => (i: number, how: How) => on_select(finding_selection(findings[i]!), how), [model, on_select]);

  return (
    <div class={noted ? 'summary noted' : 'summary'}>
      {view.worst !== '' && <p class="worst"><b>{view.worst}</b>{view.fix !== '' && <> {view.fix}</>}</p>}
      <section class="matter" aria-labelledby="launch-title">
        <div class="launch-line">
          <h2 id="launch-title" class="mono one-line" title={launch.kernel}>{launch.instance}</h2>
          {siblings.length > 1 && (
            <select class="siblings" aria-label="Launch of this kernel" value={index} onChange={(event) => on_launch(Number(event.currentTarget.value))}>
              {siblings.map(([i, one]) => (
                <option key={i} value={i}>{`grid ${extent(one.grid)}, block ${extent(one.block)}${one.count > 1 ? `, ${grouped(one.count)} times` : ''}: ` +
                  `${grouped(one.totals.removable)} removable`}</option>
              ))}
            </select>
          )}
        </div>
        <p class="facts one-line" title={view.facts}>{view.facts}</p>
        {view.time !== '' && <p class="time-line" title={view.bound}>Time: {view.time}</p>}
        {view.products !== '' && <p class="time-line">Products: {view.products}.</p>}
        {view.together !== '' && <p class="time-line">Together, {view.together}.</p>}
        {view.partial !== '' && <p class="verdict-line partial" role="note">{view.partial}</p>}
        {view.estimate !== '' && <p class="verdict-line partial" role="note">{view.estimate}</p>}
        <h3>Do conflicts matter? <span class="note">clocks of one multiprocessor</span></h3>
        <div class="pipes">
          {clocks.map((one, i) => <PipeBar key={one.name} {...one} most={most} tried={i === 0 ? tried?.shared : undefined} />)}
        </div>
        {!only && <p class="verdict-line">{view.verdict}</p>}
        {view.doubt !== '' && <p class="note">{view.doubt}</p>}
      </section>
      <div class="found">
        {noted && <Notes model={model} on_select={on_select} />}
        {(findings.length > 0 || !noted) && (
          <section class="findings" aria-labelledby="findings-title">
            <div class="title-line">
              <h3 id="findings-title">{findings.length === 0 ? 'No findings' : count_of(findings.length, 'finding')}</h3>
              {findings.length > 0 && <span class="note">what a fix removes, and its share of the pipe or sectors</span>}
            </div>
            {findings.length === 0
              ? <p class="note">{view.nothing}</p>
              : (
                <div ref={finding_box} class="finding-box" style={{'--rows': Math.min(findings.length, narrow ? 4 : 6), '--row': `${row_height}px`}}>
                  <List id="findings" label="Findings" count={findings.length} row_height={row_height} active={active} reveal={active} follows
                    reveal_at={reveal_at} row={row} classes={classes} on_move={on_move} on_open={on_open}
                    on_handle={on_handle} on_focus={on_focus} />
                </div>
              )}
          </section>
        )}
      </div>
      <FixCard model={model} index={fix} on_try={on_try} />
    </div>
  );
}

export const LaunchSummary = memo(Summary);
