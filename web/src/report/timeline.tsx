// The timeline of a program: a row for the host, for each stream and for each copy engine, with the critical path. The
// pointer over an operation shows its name and times.

import {useMemo, useState} from 'preact/hooks';
import {memo} from './memo';
import {count_of, extent, grouped} from './numbers';
import type {Timeline, TimelineOperation, TimelinePart} from './schema';

interface Row {
  name: string;
  operations: TimelineOperation[];
}

const copies = ['copy to the device', 'copy to the host'];
const zooms = [1, 4, 16, 64];

export function duration(nanoseconds: number): string {
  const [unit, name] = ([[1e9, 's'], [1e6, 'ms'], [1e3, 'us']] as const).find(([of]) => nanoseconds >= of) ?? [1, 'ns'];
  return `${(nanoseconds / unit).toPrecision(3).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')} ${name}`;
}

/** Returns the rows from top to bottom. Copies are also in the row of their engine. */
export function rows_of({operations}: Timeline): Row[] {
  const host: Row = {name: 'host', operations: []}, streams = new Map<string, Row>();
  const engines = copies.map((kind): Row => ({name: kind.replace('copy', 'copies'), operations: []}));
  for (const one of operations) {
    const {stream, branch = 0} = one;
    if (stream === undefined) {
      host.operations.push(one);
      continue;
    }
    const name = branch === 0 ? `stream ${stream}` : `stream ${stream}, branch ${branch + 1}`;
    if (!streams.has(name)) streams.set(name, {name, operations: []});
    streams.get(name)!.operations.push(one);
    engines[copies.indexOf(one.kind)]?.operations.push(one);
  }
  const in_order = [...streams.values()].sort((a, b) => a.operations[0]!.stream! - b.operations[0]!.stream! || a.name.localeCompare(b.name));
  return [host, ...in_order, ...engines.filter((row) => row.operations.length > 0)];
}

function label_of({kind, name, grid, block, bound}: TimelinePart | TimelineOperation): string {
  const shape = grid && block ? `, grid ${extent(grid)}, block ${extent(block)}${bound ? `, bound by ${bound}` : ', time not predicted'}` : '';
  return `${name === undefined ? kind : kind === 'kernel' || kind === 'library call' ? `${kind} ${name}`
    : kind === 'launch call' || kind === 'call' ? name : `${kind} of ${name}`}${shape}`;
}

function says(one: TimelineOperation): string {
  const more = one.count ? ` and ${count_of(one.count - 1, 'more operation')}` : '';
  return `${label_of(one)}${more}: ${duration(one.nanoseconds)}, from ${duration(one.begin)}${one.critical ? ', on the critical path' : ''}`;
}

function Boxes({row, whole, on_point}: {row: Row; whole: number; on_point: (text: string) => void}) {
  return (
    <svg class="spans" viewBox={`0 0 ${whole} 1`} preserveAspectRatio="none" role="img" aria-label={`${row.name}: ${count_of(row.operations.length, 'operation')}`}>
      {row.operations.map((one, i) => (
        <rect key={i} x={one.begin} y="0" height="1" width={Math.max(one.nanoseconds, whole / 4000)}
          class={`${one.kind === 'wait' ? 'waits' : one.kind === 'kernel' || one.kind === 'library call' ? 'computes' : 'moves'}${one.critical ? ' critical' : ''}`}
          onPointerEnter={() => on_point(says(one))}>
          <title>{says(one)}</title>
        </rect>
      ))}
    </svg>
  );
}

const Spans = memo(Boxes);

export function TimelinePane({timeline, sentence}: {timeline: Timeline; sentence: string}) {
  const [pointed, set_pointed] = useState(''), [zoom, set_zoom] = useState(1), [is_open, set_open] = useState(false);
  const rows = useMemo(() => rows_of(timeline), [timeline]);
  const whole = timeline.nanoseconds, joined = timeline.operations.some((one) => one.count !== undefined);
  return (
    <details class="timeline" onToggle={(event) => set_open(event.currentTarget.open)}>
      <summary><b>Timeline</b> {sentence}</summary>
      {is_open && (
        <>
          <div class="title-line">
            <div class="switch" role="group" aria-label="Zoom of the timeline">
              {zooms.map((by) => <button key={by} type="button" aria-pressed={zoom === by} onClick={() => set_zoom(by)}>{by}x</button>)}
            </div>
            <span class="note">
              <span class="key critical" /> critical path <span class="key computes" /> computes <span class="key moves" /> copies and calls <span class="key waits" /> waits
              {joined && '. Operations that are close together are one box'}
            </span>
          </div>
          <div class="timeline-rows">
            <div class="names">{rows.map(({name}) => <span key={name} class="mono">{name}</span>)}</div>
            <div class="scrolled" tabIndex={0} role="group" aria-label="Rows of the timeline">
              <div style={{width: `${100 * zoom}%`}}>
                {rows.map((row) => <Spans key={row.name} row={row} whole={whole} on_point={set_pointed} />)}
                <div class="ends mono"><span>0</span><span>{duration(whole)}</span></div>
              </div>
            </div>
          </div>
          <p class="note pointed">{pointed === '' ? 'Point at a box for its name and times.' : pointed}</p>
          <h2>Critical path <span class="note">the operations that a faster program must shorten</span></h2>
          <ol class="critical-parts">
            {timeline.critical_path.map((one, i) => (
              <li key={i}><b class="n">{duration(one.nanoseconds)}</b> {label_of(one)}{one.count > 1 && ` (${grouped(one.count)} times)`}</li>
            ))}
          </ol>
        </>
      )}
    </details>
  );
}
