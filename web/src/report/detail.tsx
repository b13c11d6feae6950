// The panel of one instruction: a picture of its worst access, the colliding lanes and the reason, the possible saving,
// its counts, its rule.

import {useEffect, useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import {explain, is_wrong, type Collision} from '../explanation';
import {Picture} from '../picture';
import {question_hash, type Pairs} from '../question';
import type {Wasm, Wrong} from '../wasm';
import {FixText, PaddingSlider} from './fix';
import type {How} from './list';
import {memo} from './memo';
import {path_of, pc_key, place_text, siblings, type Model, type Selection} from './model';
import {base_name, count_of, grouped, hex, in_margin, percent} from './numbers';
import {NotesHere} from './notes';
import {count_rows, type GlobalSite, type NoteItem, type Site} from './schema';
import {GlobalText} from './global';
import {fixes_of, padded, type Trial} from './trial';

interface Props {
  model: Model;
  arch: string;
  wasm: Wasm;
  /** The access to show. Null if the selected rows have no access. Undefined until the picture is drawn. */
  site: Site | null | undefined;
  /** The instructions of the selection that access global or local memory. */
  global: readonly GlobalSite[];
  /** The launch's notes about the selection. */
  notes: readonly NoteItem[];
  /** This number changes when the panel should take the focus. */
  focus_at: number;
  /** True if the slider should take the focus. The slider then calls on_tried. */
  tries: boolean;
  on_tried: () => void;
  launch: number;
  trial: Trial | null;
  on_trial: (trial: Trial | null) => void;
  on_site: (site: Site) => void;
  on_line: (path: string, line: number) => void;
  on_select: (selection: Selection, how: How) => void;
  on_close: () => void;
}

/** The numbers of banks and words that are listed at first. A click shows the other banks and words. */
const most_banks = 1, most_words = 8;

type Addresses = readonly (number | null)[];

const list_text = (addresses: Addresses) => addresses.map((address) => address ?? '-').join();

/** Returns the worst access of a site, possibly with other addresses, as a question for the explorer. */
function question_of({op, width_bytes, worst}: Site, arch: string, addresses: Addresses = worst.addresses): Pairs {
  return [
    ['addresses', list_text(addresses)], ['op', op], ['width', String(width_bytes)], ['arch', arch],
    ...(worst.sources ? [['source', list_text(worst.sources)] as const] : []),
    ...(worst.may_fill ? [['zfill', 'yes'] as const] : []),
  ];
}

const title = ['title', 'the worst access'] as const;

function CollisionText({of: {phase, bank, wavefronts, words}, phases, all}: {of: Collision; phases: number; all: boolean}) {
  const shown = all ? words : words.slice(0, most_words);
  return (
    <div class="collision">
      <p>{phases > 1 ? `Phase ${phase}, bank ${bank}` : `Bank ${bank}`}: {count_of(wavefronts, 'wavefront')}</p>
      <ol>
        {shown.map(({turns, text}) => <li key={turns}><span class="nth">{turns}</span>{text}</li>)}
      </ol>
      {shown.length < words.length && <p class="note">and {count_of(words.length - shown.length, 'more word')}</p>}
    </div>
  );
}

interface AccessProps {
  model: Model;
  site: Site;
  arch: string;
  wasm: Wasm;
  launch: number;
  trial: Trial | null;
  tries: boolean;
  on_tried: () => void;
  on_trial: (trial: Trial | null) => void;
}

function WorstAccess({model, site, arch, wasm, launch, trial, tries: wants_slider, on_tried, on_trial}: AccessProps) {
  const fixes = useMemo(() => fixes_of(model.launch, site), [model, site]);
  const tries = trial && fixes.includes(trial.fix) ? trial : null;
  const original = useMemo(() => [...question_of(site, arch), title], [site, arch]);
  // The part above the slider shows the access without the tried layout, so that it does not move under the pointer.
  const as_is = useMemo(() => explain(wasm, original), [wasm, original]);
  const access = useMemo(() => !tries ? original
    : [...question_of(site, arch, padded(model.launch.fixes![tries.fix]!, tries.at, site.worst.addresses)), title], [original, tries]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const slider = box.current?.querySelector<HTMLInputElement>('input');
    if (!wants_slider || !slider) return;
    box.current!.scrollIntoView({block: 'nearest'});
    slider.focus({preventScroll: true});
    on_tried();
  }, [wants_slider, site]);
  const answer = useMemo(() => access === original ? as_is : explain(wasm, access), [wasm, access, as_is]);
  const view = model.view.sites[model.launch.sites.indexOf(site)]!;
  if (view.beside !== '') return <p class="note">{view.beside}</p>;
  if (is_wrong(as_is) || is_wrong(answer)) {
    const wrong = is_wrong(as_is) ? as_is : answer as Wrong;
    return <p class="panel-wrong" role="alert">This access cannot be drawn: {wrong.message}{wrong.hint ? ` (${wrong.hint})` : ''}</p>;
  }
  const worst = site.worst, gone = as_is.wavefronts > as_is.reachable, list = answer.collisions;
  const sliders = fixes.filter((i) => model.launch.fixes![i]!.paddings);
  return (
    <>
      <p class={gone ? 'panel-verdict bad' : 'panel-verdict'}>{as_is.verdict}</p>
      {as_is.reasons.map((text) => <p key={text} class="reason">{text}</p>)}
      <h3>What you save without the conflict</h3>
      <p>{view.win}</p>
      {view.waits !== '' && <p class="note">{view.waits}</p>}
      {view.estimate !== '' && <p class="note">{view.estimate}</p>}
      {view.depends !== '' && <p class="note">{view.depends}</p>}
      {view.win_of_line !== '' && <p>{view.win_of_line}</p>}
      <p><a href={question_hash(question_of(site, arch))}>Try padding and swizzles for this access</a>
        {gone && !model.launch.fixes?.length && <span class="note">{' '}bankwise run --fix searches for a layout that is good for all accesses of the array</span>}
      </p>
      {sliders.length > 0 && (
        <div ref={box} class="sliders">
          <h3>Try a padding</h3>
          {sliders.map((i) => <PaddingSlider key={i} model={model} launch={launch} index={i} trial={trial} on_trial={on_trial} />)}
        </div>
      )}
      <h3>The worst access{tries ? ', with the padding that you are trying' : ''}</h3>
      {tries && <p class={answer.wavefronts > answer.reachable ? 'panel-verdict bad' : 'panel-verdict'}>{answer.verdict}</p>}
      <p class="note">
        The worst of {count_of(site.executed, 'access', 'accesses')}: {count_of(worst.wavefronts, 'wavefront')}
        , {grouped(worst.reachable)} reachable. Addresses are bytes of the block's shared memory.
      </p>
      <Picture wasm={wasm} question={access} explanation={answer} />
      {list.length > 0 && <h3>Who collides</h3>}
      {list.slice(0, most_banks).map((one) => <CollisionText key={`${one.phase}.${one.bank}`} of={one} phases={answer.phases.length} all={false} />)}
      {(list.length > most_banks || (list[0]?.words.length ?? 0) > most_words) && (
        <details key={site.pc}>
          <summary>{list.length === 1 ? 'All words of the bank' : `All ${grouped(list.length)} banks that collide, with all words`}</summary>
          {list.map((one) => <CollisionText key={`${one.phase}.${one.bank}`} of={one} phases={answer.phases.length} all />)}
        </details>
      )}
      {fixes.length > 0 && <h3>The fix</h3>}
      {fixes.map((i) => <FixText key={i} model={model} index={i} />)}
    </>
  );
}

const WorstAccessOnce = memo(WorstAccess);

function Panel({model, arch, wasm, site, global, notes, focus_at, tries, on_tried, launch, trial, on_trial, on_site, on_line, on_select, on_close}: Props) {
  const heading = useRef<HTMLHeadingElement>(null), box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (focus_at > 0) heading.current?.focus({preventScroll: true});
  }, [focus_at]);
  useLayoutEffect(() => {
    box.current!.scrollTop = 0;
  }, [site]);

  const head = (title: string) => (
    <div class="panel-head">
      <h2 ref={heading} tabIndex={-1} class={site ? 'mono' : ''}>{title}</h2>
      <button type="button" aria-label="Close this panel" title="Close (Esc)" onClick={on_close}>Close</button>
    </div>
  );
  const says = notes.length > 0 && <NotesHere model={model} items={notes} on_select={on_select} />;
  if (!site) {
    return (
      <aside ref={box} class="panel" aria-label="The selected instruction">
        {head(site === null ? notes[0]?.places[0]?.sass ?? global[0]?.sass ?? 'No access' : '')}
        {says}
        <GlobalText sites={global} />
        {site === null && global.length === 0 && <p class="note">The selection does not access shared memory. Choose a line or an instruction with numbers in the margin.</p>}
      </aside>
    );
  }
  const of_line = siblings(model, site), path = path_of(site);
  const outer = site.outer_line ? `${base_name(site.outer_file ?? '')}:${site.outer_line}` : '';
  const outer_path = model.files.find((one) => base_name(one.path) === site.outer_file && one.row_of.has(site.outer_line ?? 0))?.path;
  const file = model.file_of.get(path), text = file?.rows[file.row_of.get(site.line) ?? -1]?.text.trim();
  const counts = count_rows.flatMap(({key, meaning}) => {
    const n = site[key];
    return n === undefined ? [] : [{key, n, says: key === 'cycles' ? `${meaning}: ${percent(n, model.launch.totals.cycles)} of this launch` : meaning}];
  });
  return (
    <aside ref={box} class="panel" aria-label="The selected instruction">
      {head(site.sass)}
      {text && <p class="source-text mono">{text}</p>}
      <p class="facts">
        pc {hex(site.pc)}{site.line !== 0 ? ` · ${place_text(path, site.line)}` : ''}
        {outer && ' · inlined at '}
        {outer && (outer_path ? <button type="button" class="as-link" onClick={() => on_line(outer_path, site.outer_line!)}>{outer}</button> : outer)}
        {site.function ? ` · in ${site.function}` : ''}
        {site.ptx_line ? ` · PTX line ${site.ptx_line}` : ''} · {site.op}{site.bytes === undefined ? `, ${count_of(site.width_bytes, 'byte')} a lane` : ''}
      </p>
      {of_line.length > 1 && (
        <label class="siblings">{count_of(of_line.length, 'instruction')} of this line:{' '}
          <select value={pc_key(site.function ?? '', site.pc)} onChange={(event) => {
            const next = of_line.find((one) => pc_key(one.function ?? '', one.pc) === event.currentTarget.value);
            if (next) on_site(next);
          }}>
            {of_line.map((one) => (
              <option key={pc_key(one.function ?? '', one.pc)} value={pc_key(one.function ?? '', one.pc)}>
                {hex(one.pc)}  {one.sass}{one.removable > 0 ? `  (${in_margin(one.removable)} removable)` : ''}
              </option>
            ))}
          </select>
        </label>
      )}
      {says}
      <WorstAccessOnce model={model} site={site} arch={arch} wasm={wasm} launch={launch} trial={trial} tries={tries} on_tried={on_tried} on_trial={on_trial} />
      <h3>Counts</h3>
      <table class="counts">
        <tbody>
          {counts.map(({key, n, says}) => <tr key={key}><th scope="row">{key.replaceAll('_', ' ')}</th><td class="n">{grouped(n)}</td><td>{says}</td></tr>)}
        </tbody>
      </table>
      <GlobalText sites={global} />
      <h3>The rule</h3>
      <p><b>{model.view.sites[model.launch.sites.indexOf(site)]!.evidence}</b>{site.evidence_source ? `: ${site.evidence_source}` : ''}, for {site.op} on {arch}.</p>
    </aside>
  );
}

export const Detail = memo(Panel);
