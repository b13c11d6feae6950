// The layouts that were found for the array of an instruction: what they win, what they cost, and their code.

import type {Answer, Fix} from './fix_types';
import {count_of, grouped} from './numbers';
import type {Launch, Site} from './schema';

/** The arrays that the instruction touches. */
export function fixes_of(launch: Launch, site: Site): readonly Fix[] {
  const is_here = (place: number | {function: string; pc: number}) =>
    typeof place === 'number' ? !site.function && place === site.pc : place.function === site.function && place.pc === site.pc;
  return (launch.fixes ?? []).filter((fix) => fix.accesses.some((access) => access.sites?.some(is_here)));
}

function price_text(fix: Fix, answer: Answer): string {
  const blocks = answer.blocks_per_multiprocessor, before = fix.blocks_per_multiprocessor;
  return `${count_of(answer.wavefronts, 'wavefront')} instead of ${grouped(fix.wavefronts)}` +
    (answer.reaches_lower_bound ? ', the lower bound' : `; the lower bound is ${grouped(fix.lower_bound)}`) +
    (answer.extra_bytes > 0 ? `; ${count_of(answer.extra_bytes, 'byte')} more` : '; no more bytes') +
    (blocks !== undefined && before !== undefined && blocks !== before ? `; ${grouped(blocks)} blocks on a multiprocessor instead of ${grouped(before)}` : '');
}

function AnswerText({fix, answer}: {fix: Fix; answer: Answer}) {
  return (
    <div class="answer">
      <p><b>{answer.summary}</b>{answer.over_elements ? `, ${answer.over_elements} over elements` : ''}: {price_text(fix, answer)}</p>
      <pre class="mono" tabIndex={0}>{answer.cuda.trimEnd()}</pre>
      {answer.cute && <p class="note">CuTe: <code>{answer.cute}</code></p>}
      {answer.triton && <p class="note">Triton: <code>{answer.triton}</code></p>}
      {answer.hardware && <p class="note">TMA: {answer.hardware}</p>}
    </div>
  );
}

export function FixText({fix}: {fix: Fix}) {
  const [best, ...others] = fix.answers;
  return (
    <div class="fix">
      {best ? <p>Of <b>{fix.array}</b>, all its accesses together:</p> : <p><b>{fix.array}</b>: {fix.verdict}</p>}
      {best && <AnswerText fix={fix} answer={best} />}
      {fix.why_not_lower && <p class="note">Why not lower: {fix.why_not_lower}.</p>}
      {fix.notes.length > 0 && <ul class="note">{fix.notes.map((note) => <li key={note}>{note}</li>)}</ul>}
      {others.length > 0 && (
        <details>
          <summary>{count_of(others.length, 'other layout')}</summary>
          {others.map((answer) => <AnswerText key={answer.summary} fix={fix} answer={answer} />)}
        </details>
      )}
    </div>
  );
}
