// Slides cells to their positions in a new layout. A cell starts at its current position, even if it is moving. Cells
// do not slide if the reader prefers reduced motion. All cells share one animation, because separate animations take
// several times as long to start.

export const slide_ms = 260;

const still = matchMedia('(prefers-reduced-motion: reduce)');
export function may_move(): boolean {
  return !still.matches;
}

interface Way {
  from: readonly number[];
  to: readonly number[];
  start: number;
}

const ways = new Map<Element, Way>();

function numbers(transform: string): number[] {
  return transform.match(/[\d.]+/g)!.map(Number);
}

function go_on(now: number) {
  for (const [cell, {from, to, start}] of ways) {
    const part = Math.min(1, Math.max(0, (now - start) / slide_ms)), done = part * part * (3 - 2 * part);
    cell.setAttribute('transform', `translate(${to.map((end, i) => end * done + from[i]! * (1 - done)).join(' ')})`);
    if (part === 1) ways.delete(cell);
  }
  if (ways.size > 0) requestAnimationFrame(go_on);
}

export function slide(cell: Element, transform: string) {
  if (!may_move()) return cell.setAttribute('transform', transform);
  if (ways.size === 0) requestAnimationFrame(go_on);
  ways.set(cell, {from: numbers(cell.getAttribute('transform')!), to: numbers(transform), start: performance.now()});
}
