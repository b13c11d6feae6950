// Cells that move to where a new layout puts them: each begins where it stood, and slides. Where motion is not wanted it does not.

export const slide_ms = 260;

const still = matchMedia('(prefers-reduced-motion: reduce)');
export function may_move(): boolean {
  return !still.matches;
}

export interface Moving {
  /** The same for a cell of the picture before and of the one after. */
  key: string;
  element: Element;
  x: number;
  y: number;
  /** Where it slides from, while it does. */
  from?: readonly [number, number];
}

let way: Animation | undefined;

/** Before the picture is drawn anew: where cells are seen, on their way if they are on one. All began together, so that one is asked. */
export function places_seen(cells: readonly Moving[]): Map<string, readonly [number, number]> {
  const done = way?.effect?.getComputedTiming().progress ?? 1;
  return new Map(cells.map(({key, x, y, from = [x, y]}) => [key, [x + (from[0] - x) * (1 - done), y + (from[1] - y) * (1 - done)]]));
}

export function slide(from: ReadonlyMap<string, readonly [number, number]>, cells: readonly Moving[]) {
  way = undefined;
  for (const cell of cells) {
    const was = from.get(cell.key), {element, x, y} = cell;
    if (!was || (was[0] === x && was[1] === y)) continue;
    cell.from = was;
    way = element.animate([{transform: `translate(${was[0] - x}px,${was[1] - y}px)`}, {transform: 'none'}], {duration: slide_ms, easing: 'ease-in-out'});
  }
}
