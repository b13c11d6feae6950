// The card of an access, for sharing: a picture of 1200 x 675 pixels. The card is copied to the clipboard, or saved if
// the clipboard does not accept pictures.

import {useEffect, useRef, useState} from 'preact/hooks';
import {to_pairs, type Pairs, type Question} from '../question';
import {explorer_address} from '../url';
import {kinds, type Wasm} from '../wasm';
import {best_layout} from './best';

const width = 1200, height = 675;

/** Returns the pairs of the card. The card shows a picture before and after a layout: the layout that the reader tries,
    or otherwise the best layout. */
function pairs_of(wasm: Wasm, question: Question): Pairs {
  const pairs = to_pairs(question);
  if (question.pad !== '' || question.swizzle !== '') return pairs;
  const best = best_layout(wasm, pairs);
  if ('message' in best || !best.applies || best.wavefronts >= best.before) return pairs;
  return to_pairs({...question, pad: best.pad, swizzle: best.swizzle});
}

function svg_of(wasm: Wasm, question: Question): string | null {
  // If the page was opened from a local file, a link to it does not work for other people. So the card shows the
  // command instead.
  const address = explorer_address(), link: Pairs = /^https?:/.test(address) ? [['link', address + location.hash]] : [];
  const svg = wasm.answer(kinds.card, [...pairs_of(wasm, question), ...link]);
  return typeof svg === 'string' ? svg : null;
}

async function drawn(svg: string): Promise<OffscreenCanvas> {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')!.drawImage(image, 0, 0, width, height);
  return canvas;
}

function download(blob: Blob, name: string) {
  const link = Object.assign(document.createElement('a'), {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function Send({wasm, question, disabled}: {wasm: Wasm; question: Question; disabled: boolean}) {
  const [said, say] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);
  const report = (text: string) => {
    say(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => say(''), 4000);
  };
  async function card() {
    const svg = svg_of(wasm, question);
    if (svg === null) return report('There is no card for this access');
    const png = drawn(svg).then((canvas) => canvas.convertToBlob());
    try {
      // Passes a promise of the picture, because some browsers only allow writing to the clipboard during the click.
      await navigator.clipboard.write([new ClipboardItem({'image/png': png})]);
      report('card copied');
    } catch {
      try {
        download(await png, 'bankwise-card.png');
        report('card saved as bankwise-card.png');
      } catch (error) {
        report(error instanceof Error ? error.message : String(error));
      }
    }
  }
  return (
    <span class="send">
      <button type="button" disabled={disabled} onClick={() => void card()} title={`the access before and after the change, as a PNG of ${width} x ${height} pixels`}>Copy card</button>
      <span class="copy-said" role="status">{said}</span>
    </span>
  );
}
