// The answer to a question: the verdict, the numbers and their evidence, the picture, and texts to copy.

import {memo} from 'preact/compat';
import {useEffect, useRef, useState} from 'preact/hooks';
import {CopyButton} from '../copy';
import type {Explanation} from '../explanation';
import {Picture} from '../picture';
import {to_pairs, type Pairs, type Question} from '../question';
import {may_move, slide_ms} from '../slide';
import {kinds, type Kind, type Wasm, type Wrong} from '../wasm';
import {Collisions} from './collisions';
import {in_words_of_form} from './field';
import type {Colour, TileBy} from './state';
import {Send} from './send';
import {Steps} from './steps';
import {Tile} from './tile';

/** A question with its answer, which is not an error. */
export interface Good {
  pairs: Pairs;
  explanation: Explanation;
}

const figures: readonly {key: 'wavefronts' | 'ideal' | 'excess' | 'reachable' | 'removable' | 'queued' | 'passes' | 'cycles'; means: string}[] = [
  {key: 'wavefronts', means: 'passes through the banks: in each pass, every bank gives one word to all lanes that want this word'},
  {key: 'ideal', means: "Nsight Compute's ideal: the requested bytes divided by 128, rounded up"},
  {key: 'excess', means: 'wavefronts above the ideal'},
  {key: 'reachable', means: 'the fewest wavefronts that the accessed words need with any layout'},
  {key: 'removable', means: 'wavefronts that padding or a swizzle can remove'},
  {key: 'queued', means: 'wavefronts of lanes that queue for one word. No layout removes these wavefronts'},
  {key: 'passes', means: 'passes through the register file: 16 bytes for each lane always need four passes'},
  {key: 'cycles', means: 'clocks of the access if the pipe is always busy: the larger of wavefronts and passes. Atomics that return a value take more clocks'},
];

const evidence_means: Readonly<Record<Explanation['evidence'], string>> = {
  measured: 'the rule gave the number of the hardware counter for each measured access',
  published: 'published counts or times of these accesses agree with the rule',
  documented: 'the rule is from a document, and was not measured',
  assumed: 'the rule of a similar architecture is assumed, and was not measured',
  none: 'the machine is invented',
};

const meanings = (
  <details class="meanings">
    <summary>What the numbers mean</summary>
    <dl>{figures.map(({key, means}) => <div key={key}><dt>{key}</dt><dd>{means}</dd></div>)}</dl>
  </details>
);

const Basis = memo(function Basis({wasm, explanation}: {wasm: Wasm; explanation: Explanation}) {
  const machine = wasm.vocabulary.archs.find(({name}) => name === explanation.arch);
  return (
    <dl class="basis">
      <div><dt>operation</dt><dd>{explanation.op}</dd></div>
      <div><dt>machine</dt><dd>{explanation.arch}{machine ? ` (${machine.family})` : ''}: {explanation.banks} banks of {explanation.bank_bytes} bytes</dd></div>
      <div><dt>rule</dt><dd><strong>{explanation.evidence}</strong>{explanation.evidence_source !== '' && `: ${explanation.evidence_source}`}
        <span class="faint"> ({evidence_means[explanation.evidence]})</span></dd></div>
      {explanation.merge_reason !== '' && <div><dt>merged</dt><dd>{explanation.merge_reason}</dd></div>}
    </dl>
  );
});

function Tables({explanation}: {explanation: Explanation}) {
  const [open, set_open] = useState(false);
  return (
    <details class="in-words" onToggle={(event) => set_open(event.currentTarget.open)}>
      <summary>The picture as tables of phases and collisions</summary>
      {open && <Collisions explanation={explanation} />}
    </details>
  );
}

/** A number that counts up or down to its new value while the cells move. */
function Counter({value}: {value: number}) {
  const [shown, show] = useState(value);
  const now = useRef(value);
  now.current = shown;
  useEffect(() => {
    if (!may_move()) return show(value);
    const from = now.current, start = performance.now();
    let frame = 0;
    const tick = (time: number) => {
      const done = Math.min(1, Math.max(0, (time - start) / slide_ms));
      show(Math.round(from + (value - from) * done));
      if (done < 1) frame = requestAnimationFrame(tick);
    };
    if (from !== value) frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [value]);
  return <>{may_move() ? shown : value}</>;
}

interface Props {
  wasm: Wasm;
  /** "A" or "B" if two accesses are compared. */
  name: string;
  /** The part to show. Without a part, the whole answer is shown.
     - With two accesses, 'seen' is the part next to the other access, and 'rest' contains the remaining parts. Neither
       part contains the stepper, because both accesses share one stepper.
     - With one access on a phone, 'told' is the part above the form, and 'below' is the part below the form. */
  part?: 'seen' | 'rest' | 'told' | 'below';
  question: Question;
  good: Good | null;
  wrong: Wrong | null;
  step: number;
  on_step: (step: number) => void;
  colour: Colour | undefined;
  on_colour: (colour: Colour | undefined) => void;
  tile: TileBy | undefined;
  on_tile: (by: TileBy | undefined) => void;
}

export const Answer = memo(function Answer({wasm, name, part, question, good, wrong, step, on_step, colour, on_colour, tile, on_tile}: Props) {
  const taken = (kind: Kind) => () => {
    const answer = wasm.answer(kind, to_pairs(question));
    return typeof answer === 'string' ? answer : null;
  };
  const title = name === '' ? 'Answer' : `Answer ${name}`;
  if (!good) {
    return part === 'rest' || part === 'below' ? <div class="answer" /> : (
      <section class="answer" aria-label={title}>
        <h2 class="verdict none">{name !== '' && <span class="side-name">{name} </span>}No answer</h2>
        <p>{wrong && in_words_of_form(wrong.message)}</p>
      </section>
    );
  }
  const {explanation, pairs} = good;
  const shown = name === '' ? Math.min(step, explanation.wavefronts) : step;
  const numbers = (
    <dl class="figures">
      {figures.map(({key, means}) => (
        <div key={key} title={means} class={key === 'removable' && explanation[key] > 0 ? 'figure bad' : 'figure'}>
          <dt>{key}</dt><dd>{key === 'wavefronts' ? <Counter value={explanation[key]} /> : explanation[key]}</dd>
        </div>
      ))}
    </dl>
  );
  const said = (
    <div class="said">
      <h2 class={explanation.wavefronts > explanation.reachable ? 'verdict bad' : 'verdict'} aria-live="polite">
        {name !== '' && <span class="side-name">{name} </span>}<span class="verdict-text">{explanation.verdict}</span>
        {wrong && <span class="stale-says"> for the last valid access</span>}
      </h2>
      {explanation.notes.map((note) => <p key={note} class="beside-verdict" role="note">{in_words_of_form(note)}</p>)}
    </div>
  );
  const steps = <Steps wavefronts={explanation.wavefronts} step={shown} on_step={on_step} colour={colour} on_colour={on_colour} />;
  const drawn = (
    <Picture wasm={wasm} question={pairs} explanation={explanation} stale={wrong !== null} colour={colour}
      wave={shown > 0 ? shown - 1 : undefined} on_wave={(wave) => on_step(wave + 1 === shown ? 0 : wave + 1)} />
  );
  const rest = <>
    {part === 'rest' && <><p class="side-name more-name" aria-hidden="true">{name}</p>{numbers}</>}
    <Tile wasm={wasm} pairs={pairs} by={tile} on_by={on_tile} />
    <Basis wasm={wasm} explanation={good.explanation} />
    {meanings}
    <Tables explanation={explanation} />
    <div class="take" role="group" aria-label="Send on">
      <CopyButton label="Copy as C++" title="a static_assert for this access" text={taken(kinds.cpp)} disabled={wrong !== null} />
      <CopyButton label="Copy as command" title="the bankwise explain command for this access" text={taken(kinds.command)} disabled={wrong !== null} />
      <CopyButton label="Copy as SVG" title="the picture as a separate file" text={taken(kinds.svg)} disabled={wrong !== null} />
      <Send wasm={wasm} question={question} disabled={wrong !== null} />
    </div>
  </>;
  return (
    <section class={`answer${part === 'told' ? ' told' : ''}${wrong ? ' stale' : ''}`}
      aria-label={part === 'rest' ? `More of ${name}` : part === 'below' ? 'Picture of the access' : title}>
      {part !== 'rest' && part !== 'below' && said}
      {(!part || part === 'told') && numbers}
      {(!part || part === 'below') && steps}
      {part !== 'rest' && part !== 'told' && drawn}
      {part !== 'seen' && part !== 'told' && rest}
    </section>
  );
});
