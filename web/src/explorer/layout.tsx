// Sliders for the padding and the XOR swizzle.

import {memo} from 'preact/compat';
import {useEffect, useId, useMemo, useRef, useState} from 'preact/hooks';
import {explain, is_wrong} from '../explanation';
import {to_pairs, type Question} from '../question';
import type {Wasm, Wrong} from '../wasm';
import {best_layout, BestSaid, type Best} from './best';
import {place_of, WrongText} from './field';

interface Props {
  wasm: Wasm;
  /** "A" or "B" if two layouts are compared. */
  name: string;
  question: Question;
  /** Bytes in a row of all banks, and bytes of each lane. Both numbers are those of the last question with an
      answer. */
  row: number;
  unit: number;
  wrong: Wrong | null;
  change: (change: Partial<Question>) => void;
}

/** Returns the bytes from a row of the first array to the next row, as the rule counts them. Without an array, returns
    128, which is the size of a row of banks. */
function row_pitch(wasm: Wasm, question: Question): number {
  const declaration = question.array[0] ?? '';
  const name = /(\w+)\s*\[/.exec(declaration)?.[1];
  const dimensions = declaration.split('[').length - 1;
  if (question.by !== 'expr' || !name || dimensions < 2) return 128;
  const second_row = `&${name}${'[0]'.repeat(dimensions - 2)}[1][0]`;
  const answer = explain(wasm, [['expr', second_row], ['array', declaration],
    ...question.let.map((constant) => ['let', constant] as const), ['width', '1'], ['mask', '1']]);
  return is_wrong(answer) ? 128 : answer.addresses[0] || 128;
}

function numbers(text: string, separator: string): number[] {
  return text.split(separator).map((part) => parseInt(part, 10));
}

function or(number: number | undefined, other: number): number {
  return number === undefined || Number.isNaN(number) ? other : number;
}

interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  /** The value as the reader sees it. */
  text: string;
  described: string;
  on_input: (value: number) => void;
}

/** If a pointer sends several values in a frame, only the last value is handled. */
function useFrame(act: (value: number) => void): (value: number) => void {
  const now = useRef({act, value: 0, frame: 0}).current;
  now.act = act;
  useEffect(() => () => cancelAnimationFrame(now.frame), []);
  return (value) => {
    now.value = value;
    now.frame ||= requestAnimationFrame(() => {
      now.frame = 0;
      now.act(now.value);
    });
  };
}

function Slider({label, value, min, max, text, described, on_input}: SliderProps) {
  const id = useId(), drag = useFrame(on_input);
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <input id={id} type="range" min={min} max={Math.max(max, value)} step={1} value={value} aria-valuetext={text} aria-describedby={described}
        onInput={(event) => drag(Number(event.currentTarget.value))} />
      <output for={id}>{text}</output>
    </div>
  );
}

export const Layout = memo(function Layout({wasm, name, question, row, unit, wrong, change}: Props) {
  const id = useId();
  const place = wrong ? place_of(wrong, question).key : '';
  const pitch = useMemo(() => row_pitch(wasm, question), [wasm, question.by, question.array, question.let]);

  const [typed_every, set_every] = useState('');
  const given = numbers(question.pad, ':');
  const every = question.pad !== '' ? or(given[0], pitch) : or(parseInt(typed_every, 10), pitch);
  const bytes = question.pad !== '' ? or(given[1], 0) : 0;
  const pad = (new_every: number, new_bytes: number) => change({pad: new_bytes > 0 ? `${new_every}:${new_bytes}` : ''});

  const usual_m = Math.log2(unit);
  const [dragged, set_dragged] = useState<{m: number; s: number} | null>(null);
  const swizzle = numbers(question.swizzle, ',');
  const b = question.swizzle !== '' ? or(swizzle[0], 0) : 0;
  const m = question.swizzle !== '' ? or(swizzle[1], usual_m) : dragged?.m ?? usual_m;
  const s = question.swizzle !== '' ? or(swizzle[2], 3) : dragged?.s ?? Math.max(1, Math.floor(Math.log2(Math.max(pitch, row))) - usual_m);
  // With an array, a swizzle is one of elements unless it says bytes. The sliders begin with bytes.
  const has_array = question.by === 'expr' && question.array.length > 0;
  const of_elements = has_array && question.swizzle !== '' && !question.swizzle.endsWith(':bytes');
  const bytes_word = has_array && !of_elements ? ':bytes' : '';
  const xor = (new_b: number, new_m: number, new_s: number) => {
    set_dragged({m: new_m, s: new_s});
    change({swizzle: new_b > 0 ? `${new_b},${new_m},${Math.max(new_b, new_s)}${bytes_word}` : ''});
  };
  // The best layout that was found. `of` is the question of the search. It shows whether the question has changed since
  // then.
  const [found, set_found] = useState<{best: Best | Wrong; of: string} | null>(null);
  const of = (pad: string, swizzle: string) => JSON.stringify(to_pairs({...question, pad, swizzle}));
  const find = () => {
    const best = best_layout(wasm, to_pairs(question));
    if ('message' in best || !best.applies) return set_found({best, of: of(question.pad, question.swizzle)});
    set_found({best, of: of(best.pad, best.swizzle)});
    change({pad: best.pad, swizzle: best.swizzle});
  };
  const bits = (from: number) => b === 1 ? `bit ${from}` : `bits ${from}-${from + b - 1}`;

  return (
    <fieldset class="layout">
      <legend>{name === '' ? 'Try a layout' : <>Layout <span class="side-name">{name}</span></>} <button type="button" disabled={wrong !== null} onClick={find}
        title="The padding or Swizzle<B,M,S> with the fewest wavefronts and the smallest change">Best layout</button></legend>
      <BestSaid best={found?.of === of(question.pad, question.swizzle) ? found.best : null} />
      <div class="layout-part">
        <div class="layout-head">
          <h2>Padding</h2>
          <label class="every">every
            <input type="number" min={1} max={1 << 24} class="mono" value={every} aria-describedby={`${id}-pad`}
              onInput={(event) => {
                set_every(event.currentTarget.value);
                const value = parseInt(event.currentTarget.value, 10);
                if (bytes > 0 && value > 0) pad(value, bytes);
              }} /> bytes
          </label>
          <button type="button" disabled={question.pad === ''} aria-label="Padding off" onClick={() => change({pad: ''})}>Off</button>
        </div>
        <Slider label="Leave unused" value={Math.round(bytes / unit)} min={0} max={Math.max(1, row / unit)} described={`${id}-pad`}
          text={bytes === 0 ? 'nothing' : bytes % unit === 0 ? `${bytes / unit} × ${unit} B` : `${bytes} B`}
          on_input={(elements) => pad(every, elements * unit)} />
        <WrongText id={`${id}-pad`} wrong={place === 'pad' ? wrong : null} />
      </div>
      <div class="layout-part">
        <div class="layout-head">
          <h2>XOR swizzle</h2>
          <code class="swizzle-name">{b > 0 ? `Swizzle<${b},${m},${s}>` : 'off'}</code>
          <button type="button" disabled={question.swizzle === ''} aria-label="Swizzle off" onClick={() => change({swizzle: ''})}>Off</button>
        </div>
        <p class="swizzle-says">{b > 0 ? `${bits(m + s)} of the ${of_elements ? 'index' : 'address'} into ${bits(m)}` : ''}</p>
        <Slider label="B, bits" value={b} min={0} max={5} text={b === 0 ? 'off' : `${b}`} described={`${id}-swizzle`}
          on_input={(value) => xor(value, m, s)} />
        <Slider label="M, kept" value={m} min={0} max={8} text={`${m}`} described={`${id}-swizzle`} on_input={(value) => xor(b, value, s)} />
        <Slider label="S, shift" value={s} min={Math.max(1, Math.min(b, s))} max={12} text={`${s}`} described={`${id}-swizzle`}
          on_input={(value) => xor(b, m, value)} />
        <WrongText id={`${id}-swizzle`} wrong={place === 'swizzle' ? wrong : null} />
      </div>
    </fieldset>
  );
});
