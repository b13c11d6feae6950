// The layouts that were found for the array of an instruction: the change of the source, the saving, the cost and the
// code. A slider tries other layouts.

import type {ComponentChildren} from 'preact';
import {CopyButton} from '../copy';
import {change_of, type Change} from './declaration';
import type {Answer, Fix} from './fix_types';
import {count_of, grouped, times} from './numbers';
import type {Model} from './model';
import {code_line} from './marked';
import {clocks_without, now_at, trial_clocks, wavefronts_at, type Trial} from './trial';

export function price_text(fix: Fix, answer: Answer): string {
  const blocks = answer.blocks_per_multiprocessor, before = fix.blocks_per_multiprocessor;
  return `${count_of(answer.wavefronts, 'wavefront')} instead of ${grouped(fix.wavefronts)}` +
    (answer.reaches_lower_bound ? ', the lower bound' : `; the lower bound is ${grouped(fix.lower_bound)}`) +
    (answer.extra_bytes > 0 ? `; ${count_of(answer.extra_bytes, 'extra byte')}` : answer.saved_bytes ? `; ${count_of(answer.saved_bytes, 'byte')} less`
      : '; no extra bytes') +
    (blocks !== undefined && before !== undefined && blocks !== before ? `; ${grouped(blocks)} blocks on a multiprocessor instead of ${grouped(before)}` : '');
}

/** Returns the parts in which two lines differ, their common beginning and their common end. */
function parts(a: string, b: string): [begin: string, a: string, b: string, end: string] {
  let from = 0, behind = 0;
  while (from < a.length && a[from] === b[from]) from++;
  while (behind < Math.min(a.length, b.length) - from && a[a.length - 1 - behind] === b[b.length - 1 - behind]) behind++;
  return [a.slice(0, from), a.slice(from, a.length - behind), b.slice(from, b.length - behind), a.slice(a.length - behind)];
}

export function change_text({before, after}: Change): string {
  return (before === '' ? '' : `- ${before}\n`) + `+ ${after}`;
}

export function ChangeLines({change, more}: {change: Change; more?: ComponentChildren}) {
  const {place, before, after, says} = change, [begin, old, now, end] = parts(before.trim(), after.trim());
  const line = (kind: 'old' | 'new', sign: string, said: string, changed: string) => (
    <div class={kind}>
      <span aria-hidden="true">{sign} </span><span class="unseen">{said}: </span>
      {code_line(begin, '', 'cuda')}{changed !== '' && <b>{changed}</b>}{code_line(end, '', 'cuda')}
    </div>
  );
  return (
    <div class="diff">
      {(place !== '' || says !== '' || more) && <p class="note">{place}{says}{more && (place !== '' || says !== '') ? '; ' : ''}{more}</p>}
      <div class="lines mono" role="group" aria-label={`The change${place === '' ? '' : ` in ${place}`}`}>
        {before !== '' && line('old', '-', 'before', old)}
        {before !== '' ? line('new', '+', 'after', now) : <div class="new"><span aria-hidden="true">+ </span>{code_line(after, '', 'cuda')}</div>}
      </div>
    </div>
  );
}

/** Returns "1.74 times as fast (predicted)" for the launch, or an empty text without a prediction. */
export function predicted_gain(fix: Fix, answer: Answer): string {
  const now = fix.cycles_before, then = answer.cycles_after;
  if (!now || !then) return '';
  return now - then < now / 100 ? 'saves less than 1% of the predicted time' : `${times(now, then)} times as fast (predicted)`;
}

/** Returns "the launch: 1.74 times as fast (predicted)", or the saved clocks of the shared pipe. */
export function gain_text(model: Model, fix: Fix, answer: Answer): string {
  const gain = predicted_gain(fix, answer);
  if (gain !== '') return `the launch: ${gain}`;
  const now = clocks_without(model.launch, fix, 0).shared, then = clocks_without(model.launch, fix, fix.wavefronts - answer.wavefronts).shared;
  return `shared memory takes ${grouped(then)} clocks instead of ${grouped(now)}`;
}

interface CardProps {
  model: Model;
  /** The index of the array among the fixes of the launch. Undefined if the selection has no fix. */
  index: number | undefined;
  on_try: (index: number) => void;
}

/** Shows the fix where the reader looks first. */
export function FixCard({model, index, on_try}: CardProps) {
  const {launch, view} = model, fix = index === undefined ? undefined : launch.fixes?.[index], answer = fix?.answers[0];
  const nothing = launch.totals.removable === 0;
  if (!fix || !answer) {
    if (!fix && nothing) return null;
    return (
      <section class="the-fix" aria-labelledby="fix-title">
        <h3 id="fix-title">The fix</h3>
        <p class="note">{fix ? `${fix.array}: ${fix.verdict}.` : !launch.fixes?.length && view.findings.length > 0
          ? <>This report has no search for fixes. <code>bankwise run --fix</code> searches for a layout for each array of each launch.</>
          : 'No better layout was found for this array.'}</p>
        {fix?.paddings && <p><button type="button" onClick={() => on_try(index!)}>Try paddings</button></p>}
      </section>
    );
  }
  const change = change_of(model, index!, answer), now = clocks_without(launch, fix, 0), then = clocks_without(launch, fix, fix.wavefronts - answer.wavefronts);
  const gain = predicted_gain(fix, answer);
  const most = Math.max(fix.wavefronts, 1), price = (
    <>
      {gain !== '' && <><b class="good">{gain}</b>, </>}
      {answer.extra_bytes > 0 ? `${count_of(answer.extra_bytes, 'extra byte')}` : answer.saved_bytes
        ? `${count_of(answer.saved_bytes, 'byte')} less` : 'no extra bytes'}
    </>
  );
  return (
    <section class="the-fix" aria-labelledby="fix-title">
      <div class="title-line">
        <h3 id="fix-title">The fix</h3>
        <span class="note one-line" title={answer.summary}>{fix.array}: {answer.summary}</span>
      </div>
      {change ? <ChangeLines change={change} more={price} /> : <p class="note">{price}</p>}
      {!change && <pre class="mono" tabIndex={0} aria-label="The code of the fix">{answer.cuda.trimEnd()}</pre>}
      <div class="pair" role="group" aria-label="Wavefronts of the array and clocks of the launch, before and after">
        <span>before</span><span class="bar" aria-hidden="true" style={{'--all': 1, '--gone': (fix.wavefronts - answer.wavefronts) / most}} />
        <span><b>{grouped(fix.wavefronts)}</b> wavefronts, <b>{grouped(now.longest)}</b> clocks</span>
        <span>after</span><span class="bar" aria-hidden="true" style={{'--all': answer.wavefronts / most, '--gone': 0}} />
        <span><b>{grouped(answer.wavefronts)}</b> wavefronts, <b>{grouped(then.longest)}</b> clocks</span>
      </div>
      <div class="acts">
        <CopyButton label="Copy the fix" title="Copies the changed line" text={() => change ? change.after.trim() : answer.cuda} />
        {fix.paddings && <button type="button" onClick={() => on_try(index!)}>Try other paddings</button>}
      </div>
    </section>
  );
}

interface SliderProps {
  model: Model;
  launch: number;
  index: number;
  trial: Trial | null;
  on_trial: (trial: Trial | null) => void;
}

/** A slider that tries a padding on all accesses to the array. */
export function PaddingSlider({model, launch, index, trial, on_trial}: SliderProps) {
  const fix = model.launch.fixes![index]!, {paddings} = fix;
  if (!paddings) return null;
  const now = now_at(fix), at = trial?.fix === index ? trial.at : now, tried = paddings.tried;
  const bytes = at * paddings.step_bytes, all = wavefronts_at(fix, at), before = wavefronts_at(fix, now);
  const clocks = trial_clocks(model.launch, {launch, fix: index, at})!, old = clocks_without(model.launch, fix, 0);
  const best = tried.reduce((least, _, i) => wavefronts_at(fix, i) < wavefronts_at(fix, least) ? i : least, now);
  const where = fix.pitch_bytes !== 0 ? 'after each row' : `after every ${count_of(paddings.every_bytes, 'byte')}`;
  const most = Math.max(...tried.map((_, i) => wavefronts_at(fix, i)), 1);
  const to = (next: number) => on_trial(next === now ? null : {launch, fix: index, at: next});
  return (
    <div class="padding-trial">
      <label>
        <span>Padding bytes of <b>{fix.array}</b> {where}</span>
        <input type="range" min={0} max={tried.length - 1} step={1} value={at} aria-valuetext={`${count_of(bytes, 'byte')}, ${count_of(all, 'wavefront')}`}
          onInput={(event) => to(Number(event.currentTarget.value))} />
      </label>
      <div class="profile" aria-hidden="true">
        {tried.map((_, i) => <span key={i} class={i === at ? 'at' : ''} style={{'--high': wavefronts_at(fix, i) / most}} />)}
      </div>
      <p role="status"><b>{count_of(bytes, 'byte')}</b>{at === now ? ', as it is' : ''}: <b>{grouped(all)}</b> wavefronts
        {at !== now && ` instead of ${grouped(before)}`}; the launch {grouped(clocks.longest)} clocks
        {clocks.longest !== old.longest && ` instead of ${grouped(old.longest)}`}</p>
      <p class="acts">
        <button type="button" disabled={at === best} onClick={() => to(best)}>Best padding</button>
        <button type="button" disabled={at === now} onClick={() => to(now)}>As it is</button>
      </p>
    </div>
  );
}

function AnswerText({model, index, fix, answer}: {model: Model; index: number; fix: Fix; answer: Answer}) {
  const change = change_of(model, index, answer);
  return (
    <div class="answer">
      <p><b>{answer.summary}</b>{answer.over_elements ? `, ${answer.over_elements} over elements` : ''}: {price_text(fix, answer)}</p>
      {change && change.before !== '' && <ChangeLines change={change} />}
      <pre class="mono" tabIndex={0} aria-label="The code of this layout">{answer.cuda.trimEnd()}</pre>
      <p><CopyButton label="Copy" title="Copies the code" text={() => change && change.before !== '' ? change.after.trim() : answer.cuda} /></p>
      {answer.cute && <p class="note">CuTe: <code>{answer.cute}</code></p>}
      {answer.triton && <p class="note">Triton: <code>{answer.triton}</code></p>}
      {answer.hardware && <p class="note">TMA: {answer.hardware}</p>}
    </div>
  );
}

export function FixText({model, index}: {model: Model; index: number}) {
  const fix = model.launch.fixes![index]!, [best, ...others] = fix.answers;
  return (
    <div class="fix">
      {best ? <p>Of <b>{fix.array}</b>, over all its accesses:</p> : <p><b>{fix.array}</b>: {fix.verdict}</p>}
      {best && <AnswerText model={model} index={index} fix={fix} answer={best} />}
      {fix.why_not_lower && <p class="note">Why not lower: {fix.why_not_lower}.</p>}
      {fix.notes.length > 0 && <ul class="note">{fix.notes.map((note) => <li key={note}>{note}</li>)}</ul>}
      {others.length > 0 && (
        <details>
          <summary>{count_of(others.length, 'other layout')}</summary>
          {others.map((answer) => <AnswerText key={answer.summary} model={model} index={index} fix={fix} answer={answer} />)}
        </details>
      )}
    </div>
  );
}
