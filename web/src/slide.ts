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
}

let slid_at = -slide_ms;

/** Where a cell is seen now: on its way, if it is on one. */
function seen({element, x, y}: Moving): readonly [number, number] {
  const {e, f} = new DOMMatrix(getComputedStyle(element).transform);
  return [x + e, y + f];
}

/** Before the picture is drawn anew. */
export function places_seen(cells: readonly Moving[]): Map<string, readonly [number, number]> {
  const on_the_way = performance.now() - slid_at < slide_ms * 2;
  return new Map(cells.map((cell) => [cell.key, on_the_way ? seen(cell) : [cell.x, cell.y]]));
}

export function slide(from: ReadonlyMap<string, readonly [number, number]>, cells: readonly Moving[]) {
  slid_at = performance.now();
  for (const {key, element, x, y} of cells) {
    const was = from.get(key);
    if (!was || (was[0] === x && was[1] === y)) continue;
    element.animate([{transform: `translate(${was[0] - x}px,${was[1] - y}px)`}, {transform: 'none'}], {duration: slide_ms, easing: 'ease-in-out'});
  }
}
