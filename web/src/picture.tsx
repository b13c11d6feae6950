// Shows the picture that the WebAssembly draws of an access, and highlights the cells of a lane or of a wavefront.

import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {colour_cell, shade, shade_of} from './colours';
import {lanes_served_text, wave_text, type Explanation} from './explanation';
import type {Pairs} from './question';
import {lines_in, redraw, type Lines} from './redraw';
import {kinds, type Kind, type Wasm} from './wasm';

/** Available widths in CSS pixels. Below the first width, the picture is drawn for a phone. Below the second width, the
   parts of the picture are one below another. */
const narrow_below = 560, beside_from = 840;

function form_of(width: number): Kind {
  return width < narrow_below ? kinds.narrow : width < beside_from ? kinds.wide : kinds.beside;
}

interface Props {
  wasm: Wasm;
  /** A question with an answer. */
  question: Pairs;
  /** The answer to the question, for the line that describes the highlight. */
  explanation: Explanation;
  /** The wavefront to show while the pointer is not on a lane, counted from 0. */
  wave?: number | undefined;
  /** True if the question has changed and has no answer. The picture then belongs to the last question with an
      answer. */
  stale?: boolean | undefined;
  on_wave?: ((wave: number) => void) | undefined;
  /** What the colours of cells mean. The default is the cost. */
  colour?: 'wavefront' | 'lane' | undefined;
}

/** The highlighted part: the lanes of a mask, or a wavefront. */
type Lit = {lanes: number} | {wave: number} | null;

interface Cell {
  element: SVGElement;
  lanes: number;
  waves: readonly number[];
}

/** Returns a key that stays the same while the reader tries layouts, because the pictures then show the same words. */
function subject_of(question: Pairs): string {
  return JSON.stringify(question.filter(([key]) => key !== 'pad' && key !== 'swizzle'));
}

/** Colours every cell by its lane, or by the wavefront that serves its word. */
function colour_cells(cells: readonly Cell[], by: 'wavefront' | 'lane', waves: number) {
  const wave_of = new Map<number, number>();
  for (const {lanes, waves: [wave]} of cells) {
    if (wave === undefined) continue;
    for (let lane = 0; lane < 32; lane++) if (lanes >>> lane & 1) wave_of.set(lane, Math.min(wave_of.get(lane) ?? wave, wave));
  }
  for (const {element, lanes, waves: [own]} of cells) {
    if (element.classList.contains('off')) continue;
    const lane = 31 - Math.clz32(lanes & -lanes), wave = own ?? wave_of.get(lane);
    if (by === 'lane') colour_cell(element, shade[lane]!);
    else if (wave !== undefined) colour_cell(element, shade[shade_of(wave, waves)]!);
  }
}

function mask_of(element: Element): number {
  return parseInt(element.getAttribute('data-lanes') ?? '0', 16) >>> 0;
}

function waves_of(element: Element): number[] {
  return (element.getAttribute('data-wave') ?? '').split(' ').filter((text) => text !== '').map(Number);
}

function target_of(event: Event): Lit {
  const element = (event.target as Element).closest('[data-lanes], .bw-wave');
  if (!element) return null;
  if (element.hasAttribute('data-lanes')) return {lanes: mask_of(element)};
  return {wave: waves_of(element)[0] ?? 0};
}

function same(a: Lit, b: Lit): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function Picture({wasm, question, explanation, wave, stale, on_wave, colour}: Props) {
  const place = useRef<HTMLDivElement>(null);
  const cells = useRef<Cell[]>([]);
  const drawn = useRef({svg: '', subject: '', form: null as Kind | null, lines: null as Lines | null});
  const tip = useRef<HTMLDivElement>(null);
  const [form, set_form] = useState<Kind | null>(null);
  const [pointed, set_pointed] = useState<Lit>(null);
  const [picked, set_picked] = useState<Lit>(null);
  const lit = pointed ?? picked ?? (wave === undefined ? null : {wave});

  useLayoutEffect(() => {
    const element = place.current!;
    const measure = () => { if (element.offsetWidth > 0) set_form(form_of(element.offsetWidth)); };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (form === null) return;
    const svg = wasm.answer(form, question);
    if (typeof svg !== 'string' || svg === drawn.current.svg) return;
    const element = place.current!, subject = subject_of(question);
    const {svg: before, lines, ...last} = drawn.current, tried = last.form === form && last.subject === subject;
    const picture = element.firstElementChild!;
    drawn.current = {svg, subject, form, lines: tried ? redraw(picture, lines ?? lines_in(picture, before), svg) : null};
    if (!tried) element.innerHTML = svg;
    cells.current = [...element.querySelectorAll<SVGElement>('[data-lanes]')]
      .map((cell) => ({element: cell, lanes: mask_of(cell), waves: waves_of(cell)}));
  }, [wasm, question, form]);

  useLayoutEffect(() => {
    place.current!.querySelector('svg')?.classList.toggle('bw-coloured', colour !== undefined);
    if (colour) colour_cells(cells.current, colour, explanation.wavefronts);
  }, [colour, question, form]);

  // When the question changes, no lane is selected.
  useEffect(() => set_picked(null), [question]);

  useLayoutEffect(() => {
    const element = place.current!;
    element.querySelector('svg')?.classList.toggle('bw-dim', lit !== null);
    // The cells with lane numbers above the picture do not belong to a wavefront. If a wavefront is selected, the cells
    // of its lanes are highlighted.
    let lanes = 0;
    if (lit && 'lanes' in lit) lanes = lit.lanes;
    else if (lit) for (const cell of cells.current) if (cell.waves.includes(lit.wave)) lanes |= cell.lanes;
    for (const cell of cells.current) {
      const by_wave = lit !== null && 'wave' in lit && cell.waves.length > 0;
      const on = by_wave ? cell.waves.includes(lit.wave) : (cell.lanes & lanes) !== 0;
      cell.element.classList.toggle('on', on);
    }
  }, [lit && JSON.stringify(lit), question, form]);

  // If the picture is higher than its visible part, scrolls to the selected wavefront.
  useLayoutEffect(() => {
    const element = place.current!, row = wave !== undefined && element.querySelector('.bw-time .on');
    if (!row) return;
    const {top, bottom} = element.getBoundingClientRect(), at = row.getBoundingClientRect();
    if (at.top < top) element.scrollTop -= top - at.top + 40;
    else if (at.bottom > bottom) element.scrollTop += at.bottom - bottom + 40;
  }, [wave, form]);

  /** The sentence follows the pointer, but stays inside the window. */
  function follow(event: PointerEvent) {
    const box = tip.current;
    if (!box) return;
    const {offsetWidth: width, offsetHeight: height} = box;
    box.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    box.style.top = `${event.clientY + 20 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 20}px`;
  }

  function click(event: MouseEvent) {
    const target = target_of(event);
    if (target && 'wave' in target && on_wave) on_wave(target.wave);
    else set_picked(same(target, picked) ? null : target);
  }

  function key(event: KeyboardEvent) {
    const lane = picked && 'lanes' in picked ? 31 - Math.clz32(picked.lanes & -picked.lanes) : null;
    const next = {
      ArrowRight: lane === null ? 0 : (lane + 1) % 32, ArrowLeft: lane === null ? 31 : (lane + 31) % 32, Home: 0, End: 31,
    }[event.key];
    if (event.key === 'Escape') set_picked(null);
    else if (next !== undefined) set_picked({lanes: (1 << next) >>> 0});
    else return;
    event.preventDefault();
  }

  const said = lit === null ? 'Point at a lane, a word or a wavefront. The arrow keys also move through the lanes.'
    : 'lanes' in lit ? lanes_served_text(explanation, lit.lanes) : wave_text(explanation, lit.wave);
  return (
    <figure class={stale ? 'picture stale' : 'picture'}>
      <div class="picture-place" ref={place} tabIndex={0} role="group" aria-label="Picture of the access. The arrow keys move through the lanes"
        onPointerOver={(event) => { if (event.pointerType === 'mouse') set_pointed((old) => {
          const next = target_of(event);
          return same(old, next) ? old : next;
        }); }}
        onPointerMove={follow} onPointerLeave={() => set_pointed(null)} onClick={click} onKeyDown={key} />
      <div ref={tip} class="picture-tip" aria-hidden="true" hidden={pointed === null}>{pointed === null ? '' : said}</div>
      <figcaption class={lit === null ? 'picture-says idle' : 'picture-says'} aria-live="polite">{said}</figcaption>
    </figure>
  );
}
