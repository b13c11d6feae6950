// The chosen launch: what it is, whether its conflicts matter, and its findings.

import {useMemo} from 'preact/hooks';
import {List, type How, type ListHandle} from './list';
import {memo} from './memo';
import {finding_selection, notes_at, place_text, same_selection, type Model, type Selection} from './model';
import {count_of, grouped, hex, in_margin, percent} from './numbers';
import {Notes} from './notes';
import type {ClockRow, FindingView} from './schema';

interface Props {
  model: Model;
  selection: Selection | null;
  reveal_at: number;
  narrow: boolean;
  on_select: (selection: Selection, how: How) => void;
  on_handle: (id: string, handle: ListHandle | null) => void;
  on_focus: (id: string) => void;
}

/** The index of the finding that is selected, by its line or by one of its instructions. */
export function finding_index(model: Model, selection: Selection | null): number {
  if (!selection || selection.by === 'ptx') return -1;
  const {launch, view} = model;
  return view.findings.findIndex((finding) => same_selection(finding_selection(model, finding), selection)
    || (selection.by === 'pc' && finding.sites.some((i) =>
      launch.sites[i]!.pc === selection.pc && (launch.sites[i]!.function ?? '') === selection.function)));
}

function PipeBar({name, clocks, with_best, says, most}: ClockRow & {most: number}) {
  return (
    <div class="pipe">
      <span class="pipe-name">{name}</span>
      <span class="bar" aria-hidden="true" style={{'--all': clocks / most, '--gone': (clocks - with_best) / most}} />
      <span class="pipe-says"><b>{grouped(clocks)}</b> clocks{says}</span>
    </div>
  );
}

function Summary({model, selection, reveal_at, narrow, on_select, on_handle, on_focus}: Props) {
  const {launch, view} = model, {findings, clocks} = view;
  const most = Math.max(...clocks.map((one) => one.clocks), 1);
  const active = finding_index(model, selection);
  const row_height = narrow ? 42 : 20;
  const noted = view.notes.length > 0;
  const text_of = (f: FindingView) => {
    const file = model.file_of.get(f.path);
    return file?.rows[file.row_of.get(f.line) ?? -1]?.text.trim() || launch.sites[f.sites[0]!]!.sass;
  };
  const row = useMemo(() => (i: number) => {
    const f = findings[i]!, says = notes_at(model, finding_selection(model, f)).map(({what}) => what).join('; ');
    return (
      <>
        <span class="at">{i + 1}</span>
        <span class="place">{f.line !== 0 ? place_text(f.path, f.line) : `pc ${hex(launch.sites[f.sites[0]!]!.pc)}`}</span>
        <span class="n gone">{in_margin(f.removable > 0 ? f.removable : f.queued)}</span>
        <span class="n share">{percent(f.removable > 0 ? f.removable : f.queued, clocks[0]!.clocks)}</span>
        <span class="code" title={says !== '' ? says : undefined}>{says !== '' && <b class="gone">{says} </b>}{text_of(f)}</span>
      </>
    );
  }, [model]);
  const classes = useMemo(() => (i: number) => `finding${i === active ? ' selected' : ''}`, [active]);
  const on_move = useMemo(() => (i: number) => on_select(finding_selection(model, findings[i]!), 'move'), [model, on_select]);
  const on_open = useMemo(() => (i: number, how: How) => on_select(finding_selection(model, findings[i]!), how), [model, on_select]);

  return (
    <div class={noted ? 'summary noted' : 'summary'}>
      <section class="matter" aria-labelledby="launch-title">
        <h2 id="launch-title" class="mono one-line" title={launch.kernel}>{launch.kernel}</h2>
        <p class="facts one-line" title={view.facts}>{view.facts}</p>
        {view.partial !== '' && <p class="verdict-line partial" role="note">{view.partial}</p>}
        {view.estimate !== '' && <p class="verdict-line partial" role="note">{view.estimate}</p>}
        <h3>Does it matter? <span class="note">clocks of one multiprocessor</span></h3>
        {clocks.map((one) => <PipeBar key={one.name} {...one} most={most} />)}
        <p class="verdict-line">{view.verdict}</p>
        {view.doubt !== '' && <p class="note">{view.doubt}</p>}
      </section>
      <div class="found">
        {noted && <Notes model={model} on_select={on_select} />}
        {(findings.length > 0 || !noted) && (
          <section class="findings" aria-labelledby="findings-title">
            <div class="title-line">
              <h3 id="findings-title">{findings.length === 0 ? 'No findings' : count_of(findings.length, 'finding')}</h3>
              {findings.length > 0 && <span class="note">removable or queued wavefronts by line; share of the pipe</span>}
            </div>
            {findings.length === 0
              ? <p class="note">{view.nothing}</p>
              : (
                <div class="finding-box" style={{'--rows': Math.min(findings.length, narrow ? 4 : 6), '--row': `${row_height}px`}}>
                  <List id="findings" label="Findings" count={findings.length} row_height={row_height} active={active} reveal={active}
                    reveal_at={reveal_at} row={row} classes={classes} on_move={on_move} on_open={on_open}
                    on_handle={on_handle} on_focus={on_focus} />
                </div>
              )}
          </section>
        )}
      </div>
    </div>
  );
}

export const LaunchSummary = memo(Summary);
