// The chosen launch: what it is, whether its conflicts matter, and its findings.

import {useMemo} from 'preact/hooks';
import {List, type How, type ListHandle} from './list';
import {memo} from './memo';
import {finding_selection, notes_at, place_text, same_selection, type Finding, type Model, type Selection} from './model';
import {count_of, extent, grouped, hex, in_margin, percent} from './numbers';
import {Notes} from './notes';
import type {Report} from './report';
import {matter_text, partial_text} from './words';

interface Props {
  report: Report;
  model: Model;
  selection: Selection | null;
  reveal_at: number;
  narrow: boolean;
  on_select: (selection: Selection, how: How) => void;
  on_handle: (id: string, handle: ListHandle | null) => void;
  on_focus: (id: string) => void;
}

/** The index of the finding that is selected, by its line or by one of its instructions. */
export function finding_index(findings: readonly Finding[], selection: Selection | null): number {
  if (!selection || selection.by === 'ptx') return -1;
  return findings.findIndex((finding) => same_selection(finding_selection(finding), selection)
    || (selection.by === 'pc' && finding.sites.some((s) => s.pc === selection.pc && (s.function ?? '') === selection.function)));
}

function PipeBar({name, clocks, kept, most, says}: {name: string; clocks: number; kept: number; most: number; says: string}) {
  return (
    <div class="pipe">
      <span class="pipe-name">{name}</span>
      <span class="bar" aria-hidden="true" style={{'--all': clocks / most, '--gone': (clocks - kept) / most}} />
      <span class="pipe-says"><b>{grouped(clocks)}</b> {says}</span>
    </div>
  );
}

function Summary({report, model, selection, reveal_at, narrow, on_select, on_handle, on_focus}: Props) {
  const {launch, time, findings} = model;
  const most = Math.max(time.shared, time.issue, time.tensor, 1);
  const at_least = launch.sites.some((s) => s.executed_at_least);
  const open = launch.sites.filter((s) => s.evidence === 'open').length;
  const active = finding_index(findings, selection);
  const row_height = narrow ? 42 : 20;

  const facts = [
    `grid ${extent(launch.grid)}`, `block ${extent(launch.block)}`,
    `${grouped(launch.shared_bytes)} bytes shared${launch.dynamic_shared_bytes ? ` (${grouped(launch.dynamic_shared_bytes)} dynamic)` : ''}`,
    launch.registers ? `${launch.registers} registers` : '',
    launch.count > 1 ? `one of ${grouped(launch.count)} equal launches` : '',
    report.source === 'recorded' ? `${at_least ? 'at least ' : ''}${count_of(launch.totals.executed, 'warp instruction')} on shared memory`
      : `${count_of(launch.totals.warp_instructions, 'warp instruction')}, ${grouped(launch.totals.executed)} on shared memory`,
    report.source !== 'emulated' ? '' : launch.scaled
      ? `counts scaled from ${grouped(launch.ctas_executed)} of ${count_of(launch.grid[0] * launch.grid[1] * launch.grid[2], 'block')}`
      : `${count_of(launch.ctas_executed, 'block')} executed`,
  ].filter((text) => text !== '').join(' · ');
  const partial = partial_text(report, launch);
  const noted = model.notes.length > 0;
  const text_of = (f: Finding) => {
    const file = model.file_of.get(f.path);
    return file?.rows[file.row_of.get(f.line) ?? -1]?.text.trim() || f.sites[0]!.sass;
  };
  const row = useMemo(() => (i: number) => {
    const f = findings[i]!, says = notes_at(model, finding_selection(f)).map(({what}) => what).join('; ');
    return (
      <>
        <span class="at">{i + 1}</span>
        <span class="place">{f.line !== 0 ? place_text(f.path, f.line) : `pc ${hex(f.sites[0]!.pc)}`}</span>
        <span class="n gone">{in_margin(f.removable > 0 ? f.removable : f.cost.queued)}</span>
        <span class="n share">{percent(f.removable > 0 ? f.removable : f.cost.queued, model.time.shared)}</span>
        <span class="code" title={says !== '' ? says : undefined}>{says !== '' && <b class="gone">{says} </b>}{text_of(f)}</span>
      </>
    );
  }, [model]);
  const classes = useMemo(() => (i: number) => `finding${i === active ? ' selected' : ''}`, [active]);
  const on_move = useMemo(() => (i: number) => on_select(finding_selection(findings[i]!), 'move'), [model, on_select]);
  const on_open = useMemo(() => (i: number, how: How) => on_select(finding_selection(findings[i]!), how), [model, on_select]);

  return (
    <div class={noted ? 'summary noted' : 'summary'}>
      <section class="matter" aria-labelledby="launch-title">
        <h2 id="launch-title" class="mono one-line" title={launch.kernel}>{launch.kernel}</h2>
        <p class="facts one-line" title={facts}>{facts}</p>
        {partial !== '' && <p class="verdict-line partial" role="note">{partial}</p>}
        <h3>Does it matter? <span class="note">clocks of one multiprocessor</span></h3>
        <PipeBar name="shared pipe" clocks={time.shared} kept={time.shared_reachable} most={most}
          says={time.shared_reachable < time.shared ? `clocks; ${grouped(time.shared_reachable)} with the best layout` : 'clocks'} />
        <PipeBar name="issue" clocks={time.issue} kept={time.issue} most={most} says="clocks, at 4 warp instructions each" />
        {time.tensor > 0 && <PipeBar name="tensor cores" clocks={time.tensor} kept={time.tensor} most={most} says="clocks, for wgmma at its full rate" />}
        <p class="verdict-line">{matter_text(time)}</p>
        {open > 0 && (
          <p class="note">Of {count_of(open, 'cp.async instruction')} the source is not known; the number is that of a contiguous one.</p>
        )}
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
              ? <p class="note">{launch.sites.length === 0 ? 'This launch made no access to shared memory.' : launch.partial ? 'None in what was executed.' : 'Nothing that a padding or a swizzle could remove.'}</p>
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
