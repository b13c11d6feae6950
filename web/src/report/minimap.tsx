// Shows where the costs in a list are: a mark for each row with a cost, next to the scroll bar. A click scrolls to this
// position.

import {useEffect, useRef} from 'preact/hooks';
import {use_media} from './media';

/** A row: its vertical position (0 to 1), its cost relative to the highest cost (0 to 1), and the removable part of
    its cost. */
export interface Mark {
  at: number;
  all: number;
  gone: number;
}

interface Props {
  marks: () => readonly Mark[];
  height: number;
  /** The height of a row relative to the height of all rows. */
  row: number;
  on_go: (at: number) => void;
}

const width = 14;

export function Minimap({marks, height, row, on_go}: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = use_media('screen and (prefers-color-scheme: dark)'), forced = use_media('(forced-colors: active)');
  // The map is drawn after all elements that the reader waits for. If several marks are on one line of pixels, only the
  // longest mark is drawn.
  useEffect(() => {
    const timer = setTimeout(() => {
      const element = canvas.current!, scale = devicePixelRatio || 1;
      element.width = width * scale;
      element.height = Math.max(1, Math.round(height * scale));
      const context = element.getContext('2d')!, style = getComputedStyle(element);
      const kept = forced ? 'CanvasText' : style.getPropertyValue('--kept-fill'), gone = forced ? 'CanvasText' : style.getPropertyValue('--gone-fill');
      const high = Math.max(2 * scale, row * element.height), longest = new Map<number, Mark>();
      for (const one of marks()) {
        const y = Math.floor(Math.min(one.at * element.height, element.height - high)), there = longest.get(y);
        if (!there || one.gone > there.gone || (one.gone === there.gone && one.all > there.all)) longest.set(y, one);
      }
      for (const [y, one] of longest) {
        context.fillStyle = one.gone > 0 ? gone : kept;
        context.fillRect(scale, y, Math.max(2, one.all * (width - 2)) * scale, high);
      }
    }, 50);
    return () => clearTimeout(timer);
  }, [marks, height, row, dark, forced]);
  return (
    <canvas ref={canvas} class="minimap" aria-hidden="true" width={width} height={height} title="Lines with many wavefronts. Click to go to a line"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        on_go(event.offsetY / height);
      }}
      onPointerMove={(event) => { if (event.currentTarget.hasPointerCapture(event.pointerId)) on_go(event.offsetY / height); }} />
  );
}
