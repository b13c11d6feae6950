// The list of launches, or of kernels with all their launches, sorted by time. Launches without
// findings are dimmed.

import {useMemo} from 'preact/hooks';
import {List, type ListHandle} from './list';
import {marked} from './marked';
import {memo} from './memo';
import type {LaunchRow, SortKey} from './model';
import {extent, grouped, in_margin, in_time} from './numbers';
import type {Sort} from './place';
import type {LaunchView, Report} from './schema';

interface Props {
  report: Report;
  /** By launch. */
  views: readonly LaunchView[];
  rows: readonly LaunchRow[];
  by: 'launch' | 'kernel';
  /** The index of the chosen launch. */
  launch: number;
  sort: Sort;
  query: string;
  narrow: boolean;
  on_sort: (key: SortKey) => void;
  on_by: (by: 'launch' | 'kernel') => void;
  on_choose: (launch: number, move: boolean) => void;
  on_handle: (id: string, handle: ListHandle | null) => void;
  on_focus: (id: string) => void;
}

const columns: readonly {key: SortKey; label: string; title: string}[] = [
  {key: 'name', label: 'kernel', title: 'the name of the kernel'},
  {key: 'time', label: 'time', title: 'the predicted time'},
  {key: 'removable', label: 'removable', title: 'wavefronts that another layout can remove'},
  {key: 'cycles', label: 'pipe clocks', title: 'clocks of the shared pipe'},
  {key: 'wavefronts', label: 'wavefronts', title: 'wavefronts'},
  {key: 'excess', label: 'excess', title: 'wavefronts above the ideal of Nsight Compute'},
];

/** Whether the short or the full name of a row's kernel contains the text. */
function is_named({first}: LaunchRow, query: string): boolean {
  return first.instance.toLowerCase().includes(query) || first.kernel.toLowerCase().includes(query);
}

function Launches({report, views, rows, by, launch, sort, query, narrow, on_sort, on_by, on_choose, on_handle, on_focus}: Props) {
  const all_time = useMemo(() => rows.reduce((n, row) => n + row.time, 0), [rows]);
  const most = useMemo(() => rows.reduce((n, row) => Math.max(n, row.wavefronts), 1), [rows]);
  const named = useMemo(() => query !== '' && rows.some((row) => is_named(row, query)), [rows, query]);
  const shown = useMemo(() => named ? rows.filter((row) => is_named(row, query)) : rows, [rows, named, query]);
  const kernels = useMemo(() => new Set(report.launches.map((one) => one.mangled)).size, [report]);
  const several = report.launches.length > kernels;
  const active = shown.findIndex((row) => row.launches.includes(launch));
  const times = rows.some((row) => row.count > 1);
  const row_height = narrow ? 42 : 22;
  // Columns that are empty in every row are not shown.
  const empty = [
    rows.every((one) => one.time === 0) && 'no-time', rows.every((one) => one.removable === 0) && 'no-removable', rows.every((one) => one.excess === 0) && 'no-excess',
    rows.every((one) => one.wavefronts === 0) && 'no-bar', rows.every((one) => one.launches.length > 1) && 'no-block',
  ].filter(Boolean).join(' ');

  const row = useMemo(() => function launch_row(i: number) {
    const {first, count, launches, time, cycles, wavefronts, excess, removable} = shown[i]!;
    const says = [...new Set(launches.flatMap((one) => (views[one]?.notes ?? []).map(({title}) => title)))].join('; ');
    const facts = views[launches[0]!]!;
    const shape = launches.length > 1 ? `${launches.length} launches` : '';
    return (
      <>
        <span class="kernel" title={first.kernel}>
          {says !== '' && <b class="gone" role="img" aria-label={says} title={says}>! </b>}{marked(first.instance, query)}
        </span>
        <span class="n time" data-name="us" title={time > 0 ? `${(100 * time / all_time).toFixed(1)}% of the time, bound by ${facts.bound_by}; occupancy ${facts.occupancy}, ${facts.waves} waves` : undefined}>{time > 0 ? `${in_time(time)} ${Math.round(100 * time / all_time)}%` : '-'}</span>
        <span class={removable > 0 ? 'n removable gone' : 'n removable'} data-name="removable">{removable > 0 ? in_margin(removable) : '-'}</span>
        <span class="n cycles" data-name="clocks">{in_margin(cycles)}</span>
        <span class="n wavefronts" data-name="wavefronts">{in_margin(wavefronts)}</span>
        <span class="n excess" data-name="excess">{excess > 0 ? in_margin(excess) : '-'}</span>
        <span class="bar" aria-hidden="true" style={{'--all': wavefronts / most, '--gone': removable / most}} />
        <span class={`n wide${shape ? '' : ' grid'}`}>{shape || extent(first.grid)}</span>
        <span class={`n wide of-block${shape ? '' : ' block'}`}>{shape ? '' : extent(first.block)}</span>
        <span class="n wide occupancy">{launches.length > 1 ? '' : facts.occupancy.replace(/ .*/, '')}</span>
        <span class="n wide waves-of-blocks">{launches.length > 1 ? '' : facts.waves}</span>
        <span class="n wide bound-by" title={facts.bound_by}>{facts.bound_by}</span>
        <span class="n wide times">{grouped(count)}</span>
      </>
    );
  }, [shown, views, query, most, all_time]);
  const classes = useMemo(() => (i: number) => {
    const quiet = shown[i]!.launches.every((one) => (views[one]?.findings.length ?? 0) === 0 && (views[one]?.notes.length ?? 0) === 0);
    return `launch${quiet ? ' quiet' : ''}${i === active ? ' selected' : ''}`;
  }, [shown, views, active]);
  const on_move = useMemo(() => (i: number) => on_choose(shown[i]!.launches[0]!, true), [shown, on_choose]);
  const on_open = useMemo(() => (i: number) => on_choose(shown[i]!.launches[0]!, false), [shown, on_choose]);

  return (
    <section class={`launches ${empty}`} aria-labelledby="launches-title">
      <div class="title-line">
        <h2 id="launches-title">{by === 'kernel' ? 'Kernels' : 'Launches'}</h2>
        {several && (
          <div class="switch" role="group" aria-label="Show one row for each launch or for each kernel">
            <button type="button" aria-pressed={by === 'launch'} onClick={() => on_by('launch')}>by launch</button>
            <button type="button" aria-pressed={by === 'kernel'} onClick={() => on_by('kernel')}>by kernel</button>
          </div>
        )}
        <span class="note">
          {named ? `${shown.length} of ${rows.length} have "${query}" in their name`
            : times ? 'numbers are sums over all launches of a row' : ''}
        </span>
      </div>
      <div class="launch-columns" role="group" aria-label="Sort by">
        {columns.map(({key, label, title}) => {
          const on = sort.key === key, down = key === 'name' ? sort.reverse : !sort.reverse;
          return (
            <button key={key} type="button" class={key === 'name' ? 'kernel' : `n ${key}`} aria-pressed={on}
              title={`Sort by ${title}`} onClick={() => on_sort(key)}>
              <span aria-hidden="true">{on ? (down ? '▾' : '▴') : ''}</span>{label}
              {on && <span class="unseen">, {down ? 'falling' : 'rising'}</span>}
            </button>
          );
        })}
        <span class="bar-head" />
        <span class="n wide">grid</span><span class="n wide block-head">block</span>
        <span class="n wide">occupancy</span><span class="n wide">waves</span><span class="n wide bound-by">bound by</span><span class="n wide">count</span>
      </div>
      <div class={`launch-box sort-${sort.key}`} style={{'--rows': Math.min(shown.length, 5), '--many-rows': Math.min(shown.length, 8), '--row': `${row_height}px`}}>
        <List id="launches" label={by === 'kernel' ? 'Kernels' : 'Launches'} count={shown.length} row_height={row_height} active={active}
          reveal={active} reveal_at={launch} row={row} classes={classes} on_move={on_move} on_open={on_open}
          on_handle={on_handle} on_focus={on_focus} />
      </div>
    </section>
  );
}

export const LaunchTable = memo(Launches);
