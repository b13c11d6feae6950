// The explorer: a question and its answer, or two layouts side by side.

import {useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState} from 'preact/hooks';
import {CopyButton} from '../copy';
import {count, explain, is_wrong, type Explanation} from '../explanation';
import {question_hash, read_hash, to_pairs, type Pairs, type Question} from '../question';
import {use_media} from '../report/media';
import {last_place} from '../report/place';
import {explorer_address, flush_url, follow_url, forget_url} from '../url';
import type {Wasm, Wrong} from '../wasm';
import {Answer, type Good} from './answer';
import {examples, first_example} from './examples';
import './explorer.css';
import {Form} from './form';
import {place_of} from './field';
import {Layout} from './layout';
import {hash_of, reduce, state_of, type Colour, type Side, type State, type TileBy} from './state';
import {SectorAnswer, type Sectors} from './sectors';
import {Steps} from './steps';

interface Props {
  wasm: Wasm;
  /** The question in the page's data. Without it, the first example is shown. */
  question: Pairs | null;
  /** Whether the page also has a report. */
  report: boolean;
}

function state_here(question: Pairs | null): State {
  const route = read_hash(location.hash);
  return state_of(route.view === 'explain' && route.pairs.length > 0 ? route.pairs : question ?? first_example);
}

interface Asked {
  good: Good | null;
  wrong: Wrong | null;
}

/** Evaluates the question after each change. If the question has no answer, the previous answer stays visible. */
function useAnswer(wasm: Wasm, question: Question | null): Asked {
  const last = useRef<Good | null>(null);
  return useMemo(() => {
    if (!question) return {good: last.current = null, wrong: null};
    const pairs = to_pairs(question), answer = explain(wasm, pairs);
    const space_of = (pairs: Pairs | undefined) => pairs?.find(([key]) => key === 'space')?.[1];
    if (space_of(pairs) !== space_of(last.current?.pairs)) last.current = null;
    if (is_wrong(answer)) return {good: last.current, wrong: answer};
    return {good: last.current = {pairs, explanation: answer}, wrong: null};
  }, [wasm, question]);
}

function difference(a: Explanation, b: Explanation): string {
  const waves = `A ${count(a.wavefronts, 'wavefront')}, B ${b.wavefronts}`;
  const cycles = a.cycles === a.wavefronts && b.cycles === b.wavefronts ? '' : `; cycles: A ${a.cycles}, B ${b.cycles}`;
  if (a.wavefronts === b.wavefronts) {
    return (cycles === '' ? `A and B both take ${count(a.wavefronts, 'wavefront')}` : waves) + cycles;
  }
  const [less, more] = a.wavefronts < b.wavefronts ? [a, b] as const : [b, a] as const;
  return `${waves}: ${less === a ? 'A' : 'B'} takes ${more.wavefronts - less.wavefronts} fewer${cycles}`;
}

/** Returns a message if this page does not have the view in the URL, and otherwise an empty text. */
function unknown_view(report: boolean): string {
  const {view} = read_hash(location.hash);
  if (view === '' || view === 'explain') return '';
  return view === 'report' && !report ? 'The link is for a report, but this page has no report. The page shows the explorer.'
    : `The link names the view "${view.slice(0, 40)}", which this page does not have. The page shows the explorer.`;
}

/** Describes the question that both sides share, in one line. */
function access_text(question: Question): string {
  const given = [question[question.by].trim().replace(/\s+/g, ' '), ...question.array, ...question.let, question.type, question.op, question.where && `where ${question.where}`, question.arch];
  return given.filter((part) => part !== '').join(', ');
}

/** Returns the bytes of each lane, and the bytes in a row of all banks. A padding is a multiple of these units. */
function widths_of(good: Good | null): {unit: number; row: number} {
  return good ? {unit: good.explanation.width_bytes, row: good.explanation.banks * good.explanation.bank_bytes} : {unit: 4, row: 128};
}

/** Scrolls to the answer if it is not visible. On a phone, the examples are two screens below the answer. */
function show_answer() {
  const said = document.querySelector('.answer .said, .answer');
  if (!said) return;
  const {top, bottom} = said.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) document.querySelector('.answer')!.scrollIntoView({block: 'start'});
}

function Examples() {
  return (
    <nav class="examples" aria-label="Examples">
      <h2>Examples</h2>
      <div class="example-groups">
        {examples.map((group) => (
          <section key={group.about}>
            <h3>{group.about}</h3>
            <ul>{group.examples.map((example) => (
              <li key={example.name}><a href={question_hash(example.question)}>{example.name}</a></li>
            ))}</ul>
          </section>
        ))}
      </div>
    </nav>
  );
}
const the_examples = <Examples />;

export function Explorer({wasm, question, report}: Props) {
  const [state, act] = useReducer(reduce, question, state_here);
  const [unknown, set_unknown] = useState(() => unknown_view(report));
  const [opened, set_opened] = useState(false);
  const a = useAnswer(wasm, state.a), b = useAnswer(wasm, state.b);
  // If the form takes the whole width, the verdict is above it.
  const one_column = use_media('(max-width: 899px)');
  const hash = useMemo(() => hash_of(state), [state]);
  const written = useRef(hash);

  // Typing and dragging replace the URL. If a click adds something, Back gets a new entry.
  const next_is_new = useRef(false);
  useLayoutEffect(() => {
    if (hash === written.current) return;
    written.current = hash;
    if (!next_is_new.current) return follow_url(hash);
    next_is_new.current = false;
    forget_url();
    history.pushState(null, '', hash);
  }, [hash]);

  useEffect(() => {
    const load = () => {
      const view = read_hash(location.hash).view;
      if (view === 'report' && report) return;
      forget_url();
      const next = state_here(question);
      written.current = hash_of(next);
      act({do: 'load', state: next});
      set_unknown(unknown_view(report));
      // Scrolls to the answer if the answer is not visible, for example after a click on a link below it.
      setTimeout(show_answer);
    };
    addEventListener('hashchange', load);
    addEventListener('popstate', load);
    return () => {
      removeEventListener('hashchange', load);
      removeEventListener('popstate', load);
      flush_url();
    };
  }, [question]);

  const verdict = a.good?.explanation.verdict ?? '';
  useEffect(() => {
    // Sets the title when a drag pauses, because the browser redraws the tab's icon with every title.
    const timer = setTimeout(() => { document.title = verdict === '' ? 'bankwise' : `${verdict} - bankwise`; }, 100);
    return () => clearTimeout(timer);
  }, [verdict]);

  const compare = () => {
    next_is_new.current = true;
    act({do: 'compare'});
  };
  const keep = (side: Side) => () => {
    next_is_new.current = true;
    act({do: 'keep', side});
  };
  const change = useMemo(() => {
    const of = (side: Side | 'both') => (change: Partial<Question>) => act({do: 'change', side, change});
    return {a: of('a'), b: of('b'), both: of('both')};
  }, []);
  const paint = useCallback((colour: Colour | undefined) => act({do: 'colour', colour}), []);
  const show_tile = useCallback((tile: TileBy | undefined) => act({do: 'tile', tile}), []);
  const step_to = useCallback((step: number) => act({do: 'step', step}), []);

  const is_global = state.a.space === 'global';
  // Removes the fields of the other kind of memory.
  const turn_to = (space: string) => {
    next_is_new.current = true;
    const operations = space === '' ? wasm.vocabulary.operations : wasm.vocabulary.global_operations;
    const op = operations.includes(state.a.op) ? {} : {op: ''};
    act({do: 'load', state: {...state, b: null, apart: false, step: 0, a: {...state.a, space, ...op, source: '', zfill: '', base: '', to: ''}}});
  };
  const sides = state.b ? [{side: 'a', name: 'A', question: state.a, ...a}, {side: 'b', name: 'B', question: state.b, ...b}] as const
    : [{side: 'a', name: '', question: state.a, ...a}] as const;
  const answer = ({side, name, question, good, wrong}: typeof sides[number], part?: 'seen' | 'rest' | 'told' | 'below') => (
    <Answer key={`${side} ${part}`} wasm={wasm} name={name} {...part ? {part} : {}} question={question} good={good} wrong={wrong} step={state.step}
      on_step={step_to} colour={state.colour} on_colour={paint} tile={state.tile} on_tile={show_tile} />
  );
  const layout = ({side, name, question, good, wrong}: typeof sides[number]) => (
    <Layout key={side} wasm={wasm} name={name} question={question} wrong={wrong} change={change[side]} {...widths_of(good)} />
  );
  const form = ({side, name, question, wrong}: typeof sides[number]) => (
    <Form key={side} wasm={wasm} name={name} question={question} wrong={wrong} change={change[side]} />
  );
  // Returns the error that the shared form of two accesses shows. Each access has its own form for its layout, so
  // errors about a padding or a swizzle are not included.
  const of_access = (wrong: Wrong | null) => wrong && !['pad', 'swizzle'].includes(place_of(wrong, state.a).key) ? wrong : null;
  const shared_wrong = of_access(a.wrong) ?? of_access(b.wrong);

  return (
    // Writes pending changes into the URL, before a click leads to another page.
    <div class="explorer" onClickCapture={flush_url}>
      <header class="head">
        <h1>bankwise <span class="faint">{wasm.vocabulary.version}</span></h1>
        <nav class="memories" aria-label="Memory">{([['', 'Shared memory'], ['global', 'Global memory']] as const).map(([space, text]) => (
          <button key={space} type="button" aria-pressed={state.a.space === space} onClick={() => turn_to(space)}>{text}</button>
        ))}</nav>
        <p class="faint">{is_global ? 'which sectors and lines an access touches' : 'what a shared-memory access costs, and which lanes and banks collide'}</p>
        <div class="head-buttons">
          {report && <a href={last_place()}>Report</a>}
          {state.b ? <><button type="button" onClick={keep('a')}>Keep A</button><button type="button" onClick={keep('b')}>Keep B</button></>
            : !is_global && <button type="button" onClick={compare}>Compare</button>}
          <button type="button" class="to-examples" onClick={() => document.querySelector('.examples')?.scrollIntoView()}>Examples</button>
          <CopyButton label="Copy link" text={() => explorer_address() + hash} />
        </div>
      </header>
      {unknown !== '' && (
        <p class="odd-link" role="alert">{unknown} <button type="button" onClick={() => set_unknown('')}>Close</button></p>
      )}
      <main class={state.b ? 'board two' : 'board'}>
        {is_global ? <>
          <div class="asked">{form(sides[0])}</div>
          <SectorAnswer wasm={wasm} pairs={a.good?.pairs ?? null} answer={a.good && 'sectors' in a.good.explanation ? a.good.explanation as unknown as Sectors : null} wrong={a.wrong} />
        </> : !state.b ? <>
          {one_column && answer(sides[0], 'told')}
          <div class="asked">{form(sides[0])}{layout(sides[0])}</div>
          {answer(sides[0], one_column ? 'below' : undefined)}
        </> : <>
          <div class="both">
            {a.good && b.good && <>
              <p class="difference" role="status">{difference(a.good.explanation, b.good.explanation)}</p>
              <Steps wavefronts={Math.max(a.good.explanation.wavefronts, b.good.explanation.wavefronts)} step={state.step} on_step={step_to}
                colour={state.colour} on_colour={paint} />
            </>}
          </div>
          <details class="shared" open={opened || state.apart || shared_wrong !== null || state.a.other.length > 0}
            onToggle={(event) => set_opened(event.currentTarget.open)}>
            <summary>{state.apart ? 'Two accesses' : <>The access, for A and B: <code>{access_text(state.a)}</code></>}</summary>
            <div class="forms">
              {state.apart ? sides.map(form)
                : <Form wasm={wasm} name="" question={state.a} wrong={shared_wrong} change={change.both} />}
            </div>
            <button type="button" onClick={() => act({do: 'apart', apart: !state.apart})}>{state.apart ? 'Use the access of A for both' : 'Another access in B'}</button>
          </details>
          {sides.map((side) => answer(side, 'seen'))}
          {sides.map((side) => <div key={side.name} class="asked">{layout(side)}</div>)}
          {sides.map((side) => answer(side, 'rest'))}
        </>}
        {the_examples}
      </main>
    </div>
  );
}
