// The whole array: a square for each element. Its colour is that of the element's bank, or of the lane that uses the
// element.

import {memo} from 'preact/compat';
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';
import {shade, shade_of} from '../colours';
import {lanes_of, ranges} from '../explanation';
import type {Pairs} from '../question';
import {kinds, type Wasm} from '../wasm';
import {tiles, type TileBy} from './state';

/** The map that src/report/picture/tile_map.hpp describes. */
interface TileMap {
  name: string;
  type: string;
  element_bytes: number;
  banks: number;
  extents: readonly number[];
  rows: number;
  columns: number;
  bank: readonly number[];
  byte: readonly number[];
  lanes: readonly (readonly [number, number])[];
}

const most_side = 22, number_from = 15, margin = 34, top = 16;

interface Grid {
  map: TileMap;
  lanes: ReadonlyMap<number, number>;
  rows: number;
  /** The size of a square, in CSS pixels. */
  side: number;
}

function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function draw(canvas: HTMLCanvasElement, {map, lanes, rows, side}: Grid, by: TileBy) {
  const width = margin + map.columns * side + 1, height = top + rows * side + 1, scale = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  context.font = '10px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
  context.textBaseline = 'middle';
  const gap = side >= 6 ? 1 : 0, ink = css('--faint'), empty = css('--panel'), frame = css('--ink');
  context.fillStyle = ink;
  const step = Math.ceil(26 / side);
  context.textAlign = 'center';
  for (let c = 0; c < map.columns; c += step) context.fillText(`${c}`, margin + (c + 0.5) * side, top / 2);
  context.textAlign = 'right';
  for (let r = 0; r < rows; r += Math.ceil(12 / side)) context.fillText(`${r}`, margin - 5, top + (r + 0.5) * side);
  context.textAlign = 'center';
  map.bank.forEach((bank, i) => {
    const x = margin + i % map.columns * side, y = top + Math.floor(i / map.columns) * side, mask = lanes.get(i);
    const lane = mask === undefined ? -1 : 31 - Math.clz32(mask & -mask);
    const of = by === 'bank' ? shade[shade_of(bank, map.banks)]! : lane >= 0 ? shade[lane]! : null;
    context.fillStyle = of?.fill ?? empty;
    context.fillRect(x, y, side - gap, side - gap);
    if (by === 'bank' && lane >= 0 && side >= 4) {  // each element that the access uses gets a frame
      context.strokeStyle = frame;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, side - gap - 2, side - gap - 2);
    }
    if (side >= number_from && of) {
      context.fillStyle = of.ink;
      context.fillText(`${by === 'bank' ? bank : lane}`, x + (side - gap) / 2, y + side / 2);
    }
  });
}

/** "bank 0", "banks 0-31" */
function banks_text(banks: readonly number[]): string {
  const all = [...new Set(banks)].sort((a, b) => a - b);
  return `${all.length === 1 ? 'bank' : `${all.length} banks,`} ${ranges(all)}`;
}

function said({map, lanes, rows}: Grid): string {
  const row = map.bank.slice(0, map.columns), column = map.bank.filter((_, i) => i % map.columns === 0);
  const wanted = [...lanes.keys()].map((i) => map.bank[i]!);
  return `${map.type} ${map.name}: ${map.rows} rows of ${map.columns} elements. Row 0 is in ${banks_text(row)}; column 0 in ${banks_text(column)}` +
    `${wanted.length > 0 ? `; the ${wanted.length} elements that this access wants are in ${banks_text(wanted)}` : ''}.` +
    (rows < map.rows ? ` The first ${rows} rows are drawn.` : '');
}

function element_text({map, lanes}: Grid, i: number): string {
  const mask = lanes.get(i), all = mask === undefined ? [] : lanes_of(mask);
  const who = all.length === 0 ? 'no lane of this access uses this element' : `used by ${all.length === 1 ? 'lane' : 'lanes'} ${ranges(all)}`;
  let left = i, indices = '';
  for (const extent of [...map.extents].reverse()) {
    indices = `[${left % extent}]${indices}`;
    left = Math.floor(left / extent);
  }
  return `${map.name}${indices}: byte ${map.byte[i]}, bank ${map.bank[i]}; ${who}`;
}

function Drawn({wasm, pairs, by}: {wasm: Wasm; pairs: Pairs; by: TileBy}) {
  const place = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null);
  const [width, set_width] = useState(0);
  const [pointed, point] = useState<number | null>(null);
  const answer = useMemo(() => {
    const text = wasm.answer(kinds.tile, pairs);
    if (typeof text !== 'string') return text;
    const map = JSON.parse(text) as TileMap;
    return {map, lanes: new Map(map.lanes), rows: Math.ceil(map.bank.length / map.columns)};
  }, [wasm, pairs]);
  const grid = useMemo((): Grid | null => 'message' in answer || width === 0 ? null
    : {...answer, side: Math.max(3, Math.min(most_side, Math.floor((width - margin - 2) / answer.map.columns)))}, [answer, width]);

  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => set_width(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!grid || !canvas.current) return;
    const paint = () => draw(canvas.current!, grid, by);
    paint();
    const dark = matchMedia('screen and (prefers-color-scheme: dark)');
    dark.addEventListener('change', paint);
    return () => dark.removeEventListener('change', paint);
  }, [grid, by]);

  function move(event: PointerEvent) {
    const {left, top: above, width: wide} = canvas.current!.getBoundingClientRect(), {map, side, rows} = grid!;
    const zoom = wide / (margin + map.columns * side + 1);
    const column = Math.floor(((event.clientX - left) / zoom - margin) / side), row = Math.floor(((event.clientY - above) / zoom - top) / side);
    const i = row * map.columns + column;
    point(column >= 0 && column < map.columns && row >= 0 && row < rows && i < map.bank.length ? i : null);
  }

  const size = grid ? {width: `${margin + grid.map.columns * grid.side + 1}px`, height: `${top + grid.rows * grid.side + 1}px`} : {};
  return (
    <div class="tile-drawn" ref={place}>
      {'message' in answer ? <p class="hint">{answer.message}{answer.hint && `: ${answer.hint}`}</p> : grid && <>
        <p class="tile-says">{said(grid)}</p>
        <div class="scroll" tabIndex={0} role="group" aria-label="The array, element by element">
          <canvas ref={canvas} role="img" aria-label={said(grid)} style={size} onPointerMove={move} onPointerLeave={() => point(null)} />
        </div>
        <p class="tile-pointed">{pointed !== null && pointed < grid.map.bank.length ? element_text(grid, pointed) : 'Point at an element.'}</p>
      </>}
    </div>
  );
}

interface Props {
  wasm: Wasm;
  pairs: Pairs;
  /** Undefined: closed. */
  by: TileBy | undefined;
  on_by: (by: TileBy | undefined) => void;
}

export const Tile = memo(function Tile({wasm, pairs, by, on_by}: Props) {
  return (
    <details class="tile" open={by !== undefined} onToggle={(event) => {
      const open = event.currentTarget.open;
      if (open !== (by !== undefined)) on_by(open ? 'bank' : undefined);
    }}>
      <summary>The whole array: the bank of every element</summary>
      {by !== undefined && <>
        <fieldset class="turn">
          <legend class="unseen">Colour the elements by</legend>
          {tiles.map((one) => (
            <label key={one}><input type="radio" checked={by === one} onChange={() => on_by(one)} /> {one === 'bank' ? 'by their bank' : 'by the lane that uses them'}</label>
          ))}
        </fieldset>
        <Drawn wasm={wasm} pairs={pairs} by={by} />
      </>}
    </details>
  );
});
