// The card of an access, to send on: a picture of 1200 x 675 on the clipboard, or as a file where it takes none; and the loop of
// the layout going in, as a file.

import {useEffect, useRef, useState} from 'preact/hooks';
import {to_pairs, type Pairs, type Question} from '../question';
import {explorer_address} from '../url';
import {kinds, type Kind, type Wasm} from '../wasm';
import {best_layout} from './best';

const width = 1200, height = 675;

/** With the layout that is tried, or else the best: a card has a before and an after. */
function pairs_of(wasm: Wasm, question: Question): Pairs {
  const pairs = to_pairs(question);
  if (question.pad !== '' || question.swizzle !== '') return pairs;
  const best = best_layout(wasm, pairs);
  if ('message' in best || !best.applies || best.wavefronts >= best.before) return pairs;
  return to_pairs({...question, pad: best.pad, swizzle: best.swizzle});
}

function svg_of(wasm: Wasm, kind: Kind, question: Question): string | null {
  // A page in a file that is from nowhere has no link that leads anywhere for others; then the card has the command.
  const address = explorer_address(), link: Pairs = /^https?:/.test(address) ? [['link', address + location.hash]] : [];
  const svg = wasm.answer(kind, [...pairs_of(wasm, question), ...link]);
  return typeof svg === 'string' ? svg : null;
}

async function png_of(svg: string): Promise<Blob> {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), {width, height});
  canvas.getContext('2d')!.drawImage(image, 0, 0, width, height);
  return new Promise((done, failed) => canvas.toBlob((blob) => blob ? done(blob) : failed(new Error('the picture cannot be drawn')), 'image/png'));
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
    const svg = svg_of(wasm, kinds.card, question);
    if (svg === null) return report('there is no card of this');
    const png = png_of(svg);
    try {
      // The promise itself: some browsers let a page write only while the click lasts.
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
  function loop() {
    const svg = svg_of(wasm, kinds.loop, question);
    if (svg === null) return report('there is no loop of this');
    if (!svg.includes('@keyframes')) return report('nothing moves: no layout is tried, and none is better');
    download(new Blob([svg], {type: 'image/svg+xml'}), 'bankwise-loop.svg');
    report('saved as bankwise-loop.svg');
  }
  return (
    <span class="send">
      <button type="button" disabled={disabled} onClick={() => void card()} title={`before and after in ${width} x ${height} pixels, as PNG`}>Copy card</button>
      <button type="button" disabled={disabled} onClick={loop} title="an SVG in which the cells slide to their new banks, three seconds a round">Download loop</button>
      <span class="copy-said" role="status">{said}</span>
    </span>
  );
}
