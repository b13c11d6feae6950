// Steps through the wavefronts.

import {useEffect, useId, useState} from 'preact/hooks';
import {colours, type Colour} from './state';

const play_every_ms = 700;

interface Props {
  wavefronts: number;
  /** The number of the visible wavefront, from 1. 0 means all wavefronts. */
  step: number;
  on_step: (step: number) => void;
  colour: Colour | undefined;
  on_colour: (colour: Colour | undefined) => void;
}

export function Steps({wavefronts, step, on_step, colour, on_colour}: Props) {
  const id = useId();
  const [playing, set_playing] = useState(false);

  useEffect(() => {
    if (!playing) return;
    if (step >= wavefronts) return set_playing(false);
    const timer = setTimeout(() => on_step(step + 1), play_every_ms);
    return () => clearTimeout(timer);
  }, [playing, step, wavefronts]);

  const go = (to: number) => { set_playing(false); on_step(to); };
  const play = () => {
    if (!playing && step >= wavefronts) on_step(0);
    set_playing(!playing);
  };
  const text = step === 0 ? `all ${wavefronts}` : `${step} of ${wavefronts}`;
  return (
    <div class="steps" role="group" aria-label="Step through the wavefronts">
      <label for={id}>Wavefront</label>
      <button type="button" aria-label="Previous wavefront" disabled={step === 0} onClick={() => go(step - 1)}>◀</button>
      <input id={id} type="range" min={0} max={wavefronts} step={1} value={step} aria-valuetext={text}
        onInput={(event) => go(Number(event.currentTarget.value))} />
      <button type="button" aria-label="Next wavefront" disabled={step >= wavefronts} onClick={() => go(step + 1)}>▶</button>
      <button type="button" class="play" disabled={wavefronts === 0} onClick={play}>{playing ? 'Pause' : 'Play'}</button>
      <output for={id}>{text}</output>
      <label class="colour">Colour{' '}
        <select value={colour ?? ''} onChange={(event) => on_colour(colours.find((one) => one === event.currentTarget.value))}>
          <option value="">by cost</option>
          {colours.map((one) => <option key={one} value={one}>by {one}</option>)}
        </select>
      </label>
    </div>
  );
}
