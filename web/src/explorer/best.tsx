// The best layout for an access, and its code. The WebAssembly finds the layout.

import {CopyButton} from '../copy';
import {count} from '../explanation';
import type {Pairs} from '../question';
import {kinds, type Wasm, type Wrong} from '../wasm';

export interface Best {
  /** Wavefronts without padding and swizzle, wavefronts with the layout, and the lower bound of all layouts. */
  before: number;
  wavefronts: number;
  floor: number;
  /** The number of layouts that were tried. */
  tried: number;
  bytes_more: number;
  /** False if the sliders cannot show the layout, because it would have a different effect at the array's address. */
  applies: boolean;
  pad: string;
  swizzle: string;
  summary: string;
  /** The declaration and the new index. Empty if no layout is better. */
  edit: string;
  cute: string;
}

export function best_layout(wasm: Wasm, question: Pairs): Best | Wrong {
  const answer = wasm.answer(kinds.best, question);
  return typeof answer === 'string' ? JSON.parse(answer) as Best : answer;
}

function said(best: Best): string {
  if (best.wavefronts === best.before) {
    return best.before <= best.floor ? `Nothing to save: no layout takes fewer than ${count(best.before, 'wavefront')}.`
      : `None of the ${best.tried} tried paddings and swizzles takes fewer than ${count(best.before, 'wavefront')}.`;
  }
  const price = best.bytes_more === 0 ? 'no extra bytes' : `${best.bytes_more} extra bytes`;
  const where = best.applies ? '' : '; the sliders cannot set this layout because of the start address of the array';
  return `${best.before} to ${count(best.wavefronts, 'wavefront')}, ${price}${best.wavefronts > best.floor ? `, of ${best.tried} tried` : ''}${where}`;
}

/** The height is the same with and without a layout, so that the sliders below do not move. */
export function BestSaid({best}: {best: Best | Wrong | null}) {
  const good = best && !('message' in best) ? best : null;
  // The shown text is shorter than the copied text, because there is little space.
  const lines = good ? good.edit.trim().replace(/ {2}\/\/ nothing else changes/, '').replace(/^\/\/ (.*) becomes /m, '$1 \u2192 ') : '';
  return (
    <div class="best" role="status">
      {best === null ? <p class="hint">Best layout tries paddings and Swizzle&lt;B,M,S&gt; of every size on this access, sets the sliders and
        shows the code.</p>
        : <div class="best-head">
          <p class="best-says">{good ? said(good) : (best as Wrong).message}</p>
          {lines !== '' && <CopyButton label="Copy" title={good!.cute === '' ? good!.summary : `${good!.summary}; CuTe: ${good!.cute}`} text={() => good!.edit} />}
        </div>}
      {lines !== '' && <code class="best-code" tabIndex={0} role="group" aria-label="The code to write">{lines}</code>}
    </div>
  );
}
