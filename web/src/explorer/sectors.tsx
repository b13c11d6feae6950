// The answer about global memory: the verdict, the numbers, the lanes over sectors and lines, and the remedies.

import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {CopyButton} from '../copy';
import {lanes_text, type Mask} from '../explanation';
import type {Pairs} from '../question';
import {kinds, type Kind, type Wasm, type Wrong} from '../wasm';
import {in_words_of_form} from './field';

interface Sum {
  requests: number;
  sectors: number;
  tag_requests: number;
}

/** The answer, as in `bankwise explain --space global --format json` (docs/reference/explain-global.schema.json). */
export interface Sectors {
  arch: string;
  op: string;
  verdict: string;
  addresses: readonly (number | null)[];
  requests: number;
  sectors: number;
  sectors_ideal: number;
  excess: number;
  tag_requests: number;
  bytes: number;
  bytes_moved: number;
  used_in_part: number;
  evidence: string;
  evidence_source: string;
  notes: readonly string[];
  reasons: readonly string[];
  lines: readonly {byte: number; sectors: readonly {byte: number; lanes: Mask; bytes_used: number}[]}[];
  remedies: readonly {text: string; before: Sum; after: Sum; command?: string}[];
  block?: {sectors: number; by_warp: readonly number[]};
}

const figures = [
  ['requests', 'warp instructions'],
  ['sectors', 'pieces of 32 bytes that L2 delivers'],
  ['sectors_ideal', "Nsight Compute's ideal: the sectors that the bytes fill"],
  ['excess', 'sectors above the ideal'],
  ['tag_requests', 'lines of 128 bytes that L1 looks up'],
  ['used_in_part', 'sectors of which the lanes request only a part'],
  ['bytes', 'bytes that the lanes request'],
  ['bytes_moved', 'bytes that are moved: 32 bytes for each sector'],
] as const;
const names: Readonly<Record<string, string>> = {sectors_ideal: 'ideal', tag_requests: 'lines', used_in_part: 'in part', bytes_moved: 'moved'};

/** Returns the sentence about the highlighted lanes. */
function said_of(answer: Sectors, lit: number): string {
  const sectors = answer.lines.flatMap((line) => line.sectors).filter((sector) => (parseInt(sector.lanes, 16) & lit) !== 0);
  const first = sectors[0];
  if (!first) return `${lanes_text(lit)}: inactive`;
  const lane = 31 - Math.clz32(lit & -lit), at = (lit & (lit - 1)) === 0 ? ` at byte ${answer.addresses[lane]}` : '';
  return `${lanes_text(lit)}${at}: ${sectors.length === 1 ? `sector of bytes ${first.byte}-${first.byte + 31}, ${first.bytes_used} of its 32 bytes requested` : `${sectors.length} sectors`}`;
}

function SectorPicture({wasm, pairs, answer}: {wasm: Wasm; pairs: Pairs; answer: Sectors}) {
  const place = useRef<HTMLDivElement>(null);
  const [kind, set_kind] = useState<Kind>(kinds.wide);
  const [lit, set_lit] = useState(0);
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = () => { if (element.offsetWidth > 0) set_kind(element.offsetWidth < 560 ? kinds.narrow : kinds.wide); };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const svg = wasm.answer(kind, pairs);
    if (typeof svg === 'string') place.current!.innerHTML = svg;
    set_lit(0);
  }, [wasm, kind, pairs]);
  useEffect(() => {
    place.current!.querySelector('svg')?.classList.toggle('bw-dim', lit !== 0);
    for (const cell of place.current!.querySelectorAll('[data-lanes]')) {
      cell.classList.toggle('on', (parseInt(cell.getAttribute('data-lanes')!, 16) & lit) !== 0);
    }
  }, [lit, kind, pairs]);
  const point = (event: Event) => set_lit(parseInt((event.target as Element).closest('[data-lanes]')?.getAttribute('data-lanes') ?? '0', 16) >>> 0);
  const key = (event: KeyboardEvent) => {
    const lane = lit === 0 ? null : 31 - Math.clz32(lit & -lit);
    const next = {ArrowRight: lane === null ? 0 : (lane + 1) % 32, ArrowLeft: lane === null ? 31 : (lane + 31) % 32, Home: 0, End: 31}[event.key];
    if (event.key === 'Escape') set_lit(0);
    else if (next !== undefined) set_lit((1 << next) >>> 0);
    else return;
    event.preventDefault();
  };
  const said = lit === 0 ? 'Point at a lane or a word. The arrow keys also move through the lanes.' : said_of(answer, lit);
  return (
    <figure class="picture of-sectors">
      <div class="picture-place" ref={place} tabIndex={0} role="group" aria-label="Picture of the access. The arrow keys move through the lanes"
        onPointerOver={point} onPointerLeave={() => set_lit(0)} onKeyDown={key} />
      <figcaption class={lit === 0 ? 'picture-says idle' : 'picture-says'} aria-live="polite">{said}</figcaption>
    </figure>
  );
}

const change_of = (before: number, after: number) => before === after ? `${after}` : `${before} \u2192 ${after}`;

interface Props {
  wasm: Wasm;
  /** The last question that had an answer, and the error of the current question. */
  pairs: Pairs | null;
  answer: Sectors | null;
  wrong: Wrong | null;
}

export function SectorAnswer({wasm, pairs, answer, wrong}: Props) {
  if (!answer || !pairs) {
    return (
      <section class="answer" aria-label="Answer">
        <h2 class="verdict none">No answer</h2>
        <p>{wrong && in_words_of_form(wrong.message)}</p>
      </section>
    );
  }
  const taken = (kind: Kind) => () => {
    const text = wasm.answer(kind, pairs);
    return typeof text === 'string' ? text : null;
  };
  return (
    <section class={wrong ? 'answer stale' : 'answer'} aria-label="Answer">
      <div class="said">
        <h2 class={answer.excess > 0 ? 'verdict bad' : 'verdict'} aria-live="polite"><span class="verdict-text">{answer.verdict}</span>
          {wrong && <span class="stale-says"> for the last valid access</span>}</h2>
        {answer.block && <p>{answer.block.sectors} sectors in all {answer.block.by_warp.length} warps of the block: {answer.block.by_warp.join(', ')}</p>}
        {answer.notes.map((note) => <p key={note} class="beside-verdict" role="note">{in_words_of_form(note)}</p>)}
      </div>
      <dl class="figures">
        {figures.map(([name, means]) => (
          <div key={name} title={means} class={name === 'excess' && answer.excess > 0 ? 'figure bad' : 'figure'}>
            <dt>{names[name] ?? name}</dt><dd>{answer[name]}</dd>
          </div>
        ))}
      </dl>
      <SectorPicture wasm={wasm} pairs={pairs} answer={answer} />
      {answer.reasons.map((reason) => <p key={reason}>{reason}</p>)}
      {answer.remedies.length > 0 && (
        <table class="remedies">
          <caption>What helps</caption>
          <thead><tr><th scope="col">Sectors</th><th scope="col">Requests</th><th scope="col">Change</th></tr></thead>
          <tbody>{answer.remedies.map(({text, before, after, command}) => (
            <tr key={text}><td>{change_of(before.sectors, after.sectors)}</td><td>{change_of(before.requests, after.requests)}</td>
              <td>{text}{command && <code>{command}</code>}</td></tr>
          ))}</tbody>
        </table>
      )}
      <dl class="basis">
        <div><dt>operation</dt><dd>{answer.op}</dd></div>
        <div><dt>machine</dt><dd>{answer.arch}: sectors of 32 bytes, lines of 128</dd></div>
        <div><dt>rule</dt><dd><strong>{answer.evidence}</strong>: {answer.evidence_source}</dd></div>
      </dl>
      <div class="take" role="group" aria-label="Send on">
        <CopyButton label="Copy as C++" title="a static_assert for this access" text={taken(kinds.cpp)} disabled={wrong !== null} />
        <CopyButton label="Copy as command" title="the bankwise explain command for this access" text={taken(kinds.command)} disabled={wrong !== null} />
        <CopyButton label="Copy as SVG" title="the picture as a separate file" text={taken(kinds.svg)} disabled={wrong !== null} />
      </div>
    </section>
  );
}
