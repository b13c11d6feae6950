// Two reports side by side, line by line: the result of `bankwise diff`.

import {useLayoutEffect, useState} from 'preact/hooks';
import type {DiffData} from '../data';
import {code_line} from '../report/marked';
import {base_name, count_of, grouped, in_margin} from '../report/numbers';
import {language_of} from '../report/syntax';
import '../report/report.css';
import './diff.css';

interface Sum {
  wavefronts: number;
  removable: number;
  cycles: number;
}
interface Side extends Sum {
  line: number;
}
interface Line {
  file: string;
  text: string;
  operation: string;
  a: Side | null;
  b: Side | null;
  change: Sum;
}
interface GlobalSum {
  sectors: number;
  excess_sectors: number;
}
interface GlobalLine {
  file: string;
  text: string;
  operation: string;
  a: GlobalSum & {line: number} | null;
  b: GlobalSum & {line: number} | null;
  change: GlobalSum;
}
interface Kernel {
  kernel: string;
  instance: string;
  instance_a?: string;
  /** Undefined if a report has no sectors of the kernel. */
  global?: {a: GlobalSum | null; b: GlobalSum | null; change: GlobalSum};
  global_lines?: readonly GlobalLine[];
  a: Sum | null;
  b: Sum | null;
  change: Sum;
  lines: readonly Line[];
}
interface Diff {
  a: string;
  b: string;
  partial: {a: boolean; b: boolean};
  estimated: {a: boolean; b: boolean};
  failed?: {a: string | null; b: string | null};
  not_compared?: readonly {instance: string; launches_a: number; launches_b: number}[];
  kernels: readonly Kernel[];
  totals: {a: Sum; b: Sum; change: Sum};
}

function signed(n: number): string {
  return n === 0 ? '-' : `${n > 0 ? '+' : '-'}${grouped(Math.abs(n))}`;
}

/** Shows a change. A decrease is better: its number is green, with an arrow down. */
function Change({n}: {n: number}) {
  return <td class={`n change ${n < 0 ? 'less' : n > 0 ? 'more' : ''}`}>{n !== 0 && <span aria-hidden="true">{n < 0 ? '▾' : '▴'}</span>}{signed(n)}</td>;
}

function Bar({of, most}: {of: Sum; most: number}) {
  return <span class="bar" aria-hidden="true" style={{'--all': of.wavefronts / most, '--gone': of.removable / most}} />;
}

function SideCells({side, other, line, most, name}: {side: Side | null; other: Side | null; line: Line; most: number; name: string}) {
  if (!side) return <td colSpan={4} class="none side"><span class="unseen">{name}: </span>{other ? 'missing' : ''}</td>;
  return (
    <>
      <td class="n at side">{side.line === 0 ? '?' : side.line}</td>
      <td class="code mono">{code_line(line.text, '', language_of(line.file))}</td>
      <td class="n">{in_margin(side.wavefronts)}<Bar of={side} most={most} /></td>
      <td class={side.removable > 0 ? 'n gone' : 'n'}>{side.removable > 0 ? in_margin(side.removable) : '-'}</td>
    </>
  );
}

function SectorTable({of, all}: {of: Kernel; all: boolean}) {
  const lines = (of.global_lines ?? []).filter(({a, b, change}) => all || !a || !b || change.sectors !== 0 || change.excess_sectors !== 0);
  if (!of.global || lines.length === 0) return null;
  const {a, b, change} = of.global;
  const at = (side: {line: number} | null) => (side ? side.line || '?' : '');
  return (
    <div class="table" tabIndex={0} role="region" aria-label={`Sectors of global memory, ${of.instance}`}>
      <table>
        <thead>
          <tr><th scope="col" class="side">line in A</th><th scope="col">in B</th><th scope="col" class="code">global memory</th><th scope="col">sectors in A</th>
            <th scope="col">in B</th><th scope="col" class="side">sectors</th><th scope="col">excess</th></tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.file} ${line.a?.line} ${line.b?.line} ${line.operation} ${line.text}`} title={`${base_name(line.file)}, ${line.operation}`}>
              <td class="n at side">{at(line.a)}</td><td class="n at">{at(line.b)}</td>
              <td class="code mono">{code_line(line.text, '', language_of(line.file))}</td>
              <td class="n">{line.a ? in_margin(line.a.sectors) : ''}</td><td class="n">{line.b ? in_margin(line.b.sectors) : ''}</td>
              <Change n={line.change.sectors} /><Change n={line.change.excess_sectors} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr><th scope="row" colSpan={3} class="side">total</th><td class="n">{a ? grouped(a.sectors) : ''}</td><td class="n">{b ? grouped(b.sectors) : ''}</td>
            <Change n={change.sectors} /><Change n={change.excess_sectors} /></tr>
        </tfoot>
      </table>
    </div>
  );
}

function KernelTable({of, all, names}: {of: Kernel; all: boolean; names: readonly [string, string]}) {
  const changed = (line: Line) => !line.a || !line.b || line.change.wavefronts !== 0 || line.change.removable !== 0 || line.change.cycles !== 0;
  const lines = all ? of.lines : of.lines.filter(changed), same = of.lines.length - lines.length;
  const most = of.lines.reduce((n, {a, b}) => Math.max(n, a?.wavefronts ?? 0, b?.wavefronts ?? 0), 1);
  return (
    <section class="kernel">
      <h2 class="mono"><span title={of.kernel}>{of.instance}</span>{!of.a ? ', only in B' : !of.b ? ', only in A' : of.instance_a ? `, in A ${of.instance_a}` : ''}</h2>
      <div class="table" tabIndex={0} role="region" aria-label={`Lines of ${of.instance}`}>
        <table>
          <thead>
            <tr><th colSpan={4} scope="colgroup" class="side">A: {names[0]}</th><th colSpan={4} scope="colgroup" class="side">B: {names[1]}</th>
              <th colSpan={2} scope="colgroup" class="side">change</th></tr>
            <tr>{['A', 'B'].map((side) => [
              <th key={`${side}l`} scope="col" class="side">line</th>, <th key={`${side}s`} scope="col" class="code">source</th>,
              <th key={`${side}w`} scope="col">wavefronts</th>, <th key={`${side}r`} scope="col">removable</th>])}
            <th scope="col" class="side">wavefronts</th><th scope="col">removable</th></tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr key={`${line.file} ${line.a?.line} ${line.b?.line} ${line.operation} ${line.text}`} title={`${base_name(line.file)}, ${line.operation}`}>
                <SideCells side={line.a} other={line.b} line={line} most={most} name="A" />
                <SideCells side={line.b} other={line.a} line={line} most={most} name="B" />
                <Change n={line.change.wavefronts} /><Change n={line.change.removable} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>{([of.a, of.b] as const).map((sum, i) => sum
              ? [<th key={`${i}t`} scope="row" colSpan={2} class="side">total</th>, <td key={`${i}w`} class="n">{grouped(sum.wavefronts)}</td>,
                <td key={`${i}r`} class="n">{grouped(sum.removable)}</td>]
              : <td key={i} colSpan={4} class="none side" />)}
            <Change n={of.change.wavefronts} /><Change n={of.change.removable} /></tr>
          </tfoot>
        </table>
      </div>
      {same > 0 && <p class="note">{count_of(same, 'line costs', 'lines cost')} the same</p>}
      <SectorTable of={of} all={all} />
    </section>
  );
}

export function DiffView({data: {diff: given, verdict}}: {data: DiffData}) {
  const diff = given as Diff, {a, b, totals} = diff;
  const [all, set_all] = useState(false);
  const names = [base_name(a) === base_name(b) ? a : base_name(a), base_name(a) === base_name(b) ? b : base_name(b)] as const;
  useLayoutEffect(() => { document.title = `${names[0]} and ${names[1]} - bankwise`; }, [diff]);
  const most = Math.max(totals.a.wavefronts, totals.b.wavefronts, 1);
  const doubts = (['a', 'b'] as const).flatMap((side) => [
    ...diff.failed?.[side] ? [`${side.toUpperCase()} failed: ${diff.failed[side]}`] :
    diff.partial[side] ? [`${side.toUpperCase()} is partial: the run was stopped before its end.`] : [],
    ...diff.estimated[side] ? [`${side.toUpperCase()} is an estimate from a sample.`] : []]);
  const unfinished = diff.not_compared ?? [];
  return (
    <div class="report diff-page">
      <header class="report-head"><h1>bankwise diff</h1><p class="note">{names[0]} and {names[1]}</p>
        <nav><a href="#explain">Explorer</a></nav></header>
      <main>
        <p class={`program-verdict ${totals.change.removable < 0 ? 'less' : totals.change.removable > 0 ? 'more' : ''}`}>{verdict}</p>
        {doubts.map((text) => <p key={text} class="partial" role="note">{text}</p>)}
        <div class="pair" role="group" aria-label="Wavefronts of both reports">
          <span>A</span><Bar of={totals.a} most={most} /><span><b>{grouped(totals.a.wavefronts)}</b> wavefronts, {grouped(totals.a.removable)} removable, {grouped(totals.a.cycles)} clocks</span>
          <span>B</span><Bar of={totals.b} most={most} /><span><b>{grouped(totals.b.wavefronts)}</b> wavefronts, {grouped(totals.b.removable)} removable, {grouped(totals.b.cycles)} clocks</span>
        </div>
        <p><button type="button" class="toggle" aria-pressed={all} onClick={() => set_all(!all)}>Also list lines whose cost is the same</button></p>
        {diff.kernels.map((one) => <KernelTable key={one.kernel} of={one} all={all} names={names} />)}
        {unfinished.length > 0 && <p class="note" role="note">Not compared, because a program ended before all launches of these kernels had run: {unfinished.map((one) => one.instance).join(', ')}</p>}
        {diff.kernels.length === 0 && unfinished.length === 0 && <p class="note">Neither report has a launch.</p>}
      </main>
    </div>
  );
}
