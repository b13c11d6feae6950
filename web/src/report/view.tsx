// The report of `bankwise run`: the possible saving, launches by removable wavefronts, the fix, the chosen launch's
// source, machine code and PTX, and a picture of one access.

import {useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState} from 'preact/hooks';
import type {ReportData} from '../data';
import {read_hash} from '../question';
import type {Wasm} from '../wasm';
import {Detail} from './detail';
import {Keys} from './keys';
import {LaunchTable} from './launches';
import type {How, ListHandle} from './list';
import {use_media} from './media';
import {finding_selection, finding_sites, first_selection, hottest, launch_rows, global_sites_of, links_of, make_model, notes_at, same_selection, sites_of, sort_keys,
  sorted_rows, usual_by, type Model, type Selection, type SortKey} from './model';
import {count_of, grouped} from './numbers';
import {Panes, selection_text, type Pane} from './panes';
import {is_bare, last_place, odd_link, read_order, read_place, remember_place, write_place, type Order, type Place} from './place';
import {read_report, type Beside} from './report';
import './report.css';
import type {GlobalSite, NoteItem, Report, Site} from './schema';
import {find_elsewhere, find_matches} from './search';
import {finding_index, LaunchSummary} from './summary';
import {CopyButton} from '../copy';
import {follow_url, forget_url} from '../url';
import {change_of} from './declaration';
import {change_text, gain_text} from './fix';
import {Splitter} from './splitter';
import {TimelinePane} from './timeline';
import {fixes_of, trial_clocks, type Trial} from './trial';

export function ReportView({data, wasm}: {data: ReportData; wasm: Wasm}) {
  const read = useMemo(() => read_report(data), [data]);
  if (typeof read === 'string' || read.report.launches.length === 0) {
    return (
      <main class="report-empty">
        <h1>bankwise report</h1>
        {typeof read === 'string' ? <p role="alert">{read}</p>
          : <p>This report has no launches, because no kernel was executed. Run a kernel with: bankwise run FILE.cu -k KERNEL --grid X,Y --block X,Y --arg ... --format html</p>}
        <p><a href="#explain">The explorer</a> draws single accesses.</p>
      </main>
    );
  }
  return <Loaded {...read} wasm={wasm} />;
}

interface State extends Place {
  file: string;
  /** The visible pane. If only one pane fits, this is the last chosen pane. If two panes fit, this is the pane next to
     the source. */
  pane: Pane;
  beside: 'sass' | 'ptx';
  /** The number of choices so far. After each choice, the lists scroll to the chosen row. */
  reveal_at: number;
  /** How often the panel was asked to take the focus. */
  focus_at: number;
  history: 'push' | 'replace' | 'keep';
}

type Action =
  | {do: 'launch'; launch: number; move: boolean}
  | {do: 'select'; selection: Selection; how: How; pane?: Pane | undefined; narrow: boolean}
  | {do: 'close'}
  | {do: 'file'; path: string}
  | {do: 'pane'; pane: Pane}
  | {do: 'restore'; place: Place};

function file_for(model: Model, selection: Selection | null, file: string): string {
  const fallback = model.file_of.has(file) ? file : model.files[0]?.path ?? '';
  if (selection?.by === 'line') return selection.path;
  const paths = [...links_of(model, selection).lines.keys()].filter((path) => model.file_of.has(path));
  return paths.length === 0 || paths.includes(fallback) ? fallback : paths[0]!;
}

function reduce(model_of: (launch: number) => Model, state: State, action: Action): State {
  switch (action.do) {
    case 'launch': {
      if (action.launch === state.launch) return state;
      return {...at_place(model_of, default_place(model_of, action.launch, state.open), state), history: action.move ? 'replace' : 'push'};
    }
    case 'select': {
      const model = model_of(state.launch), {selection, how, pane} = action;
      const same = same_selection(selection, state.selection);
      const opens = how !== 'move' && (sites_of(model, selection).length > 0 || global_sites_of(model, selection).length > 0 ||
        notes_at(model, selection).length > 0);
      const open = state.open || opens, focus = opens && (how === 'key' || (action.narrow && !state.open));
      return {
        ...state, selection: same ? state.selection : selection, open, file: file_for(model, selection, state.file),
        pane: pane ?? state.pane, beside: pane === 'sass' || pane === 'ptx' ? pane : state.beside,
        reveal_at: state.reveal_at + 1, focus_at: state.focus_at + (focus ? 1 : 0),
        history: how === 'move' || (same && open === state.open) ? 'replace' : 'push',
      };
    }
    case 'close': return {...state, open: false, history: 'replace'};
    case 'file': return {...state, file: action.path, reveal_at: state.reveal_at + 1, history: 'keep'};
    case 'pane': return {
      ...state, pane: action.pane, beside: action.pane === 'source' ? state.beside : action.pane, reveal_at: state.reveal_at + 1,
      history: 'keep',
    };
    case 'restore': return at_place(model_of, action.place, state);
  }
}

function default_place(model_of: (launch: number) => Model, launch: number, open: boolean): Place {
  const selection = first_selection(model_of(launch));
  return {launch, selection, open: open && selection !== null};
}

function at_place(model_of: (launch: number) => Model, place: Place, state: State): State {
  const model = model_of(place.launch);
  return {
    ...state, ...place, file: file_for(model, place.selection, state.launch === place.launch ? state.file : ''),
    reveal_at: state.reveal_at + 1, history: 'keep',
  };
}

/** A model is made when its launch is first shown. */
function use_models(report: Report, {code, views, sources}: Pick<Beside, 'code' | 'views' | 'sources'>) {
  return useMemo(() => {
    const made = new Map<number, Model>();
    return (launch: number): Model => {
      let model = made.get(launch);
      if (!model) {
        const one = report.launches[launch]!;
        model = make_model(one, views[launch]!, code.get(one.mangled), sources);
        made.set(launch, model);
      }
      return model;
    };
  }, [report, code, views, sources]);
}

const no_notes: readonly NoteItem[] = [], no_global: readonly GlobalSite[] = [];

/** What the panel shows, and for which launch. Until the new selection is drawn, the panel shows the previous
    selection. */
interface Shown {
  model: Model;
  site: Site | null;
  global: readonly GlobalSite[];
  notes: readonly NoteItem[];
}

/** Returns the access that the panel draws, or null if the panel is closed or has not drawn an access yet. The panel
    draws an access after the selected row is highlighted. During a movement, the panel keeps the previous access. */
function use_later(what: Shown, open: boolean, moving: boolean): Shown | null {
  const [shown, set_shown] = useState<Shown | null>(null);
  useEffect(() => {
    if (!open) {
      set_shown(null);
      return;
    }
    const timer = setTimeout(() => set_shown(what), moving ? 90 : 0);
    return () => clearTimeout(timer);
  }, [what, open]);
  return shown;
}

/** Writes the position into the URL. If Back should undo a step, the step makes a new entry. Moving over rows and
    sorting replace the last entry. */
function use_url(state: State, model: Model, order: Order, usual: Order['by']) {
  const ordered = useRef(order);
  useEffect(() => {
    const hash = write_place(state, model, order, usual), sorted = ordered.current !== order;
    ordered.current = order;
    remember_place(hash);
    if (hash === location.hash || (state.history === 'keep' && !sorted)) return;
    if (state.history !== 'push' || sorted) return follow_url(hash);
    forget_url();
    history.pushState(null, '', hash);
  }, [state.launch, state.selection, state.open, state.history, order]);
}

function same_order(a: Order, b: Order): boolean {
  return a.by === b.by && a.sort.key === b.sort.key && a.sort.reverse === b.sort.reverse;
}

/** Returns a summary of the launch for people who do not have the page. */
function summary_text(model: Model, verdict: string): string {
  const {launch, view} = model, worst = view.findings[0];
  const lines = [launch.instance, view.facts, '', ...view.worst !== '' ? [view.worst, ''] : [], verdict];
  if (worst) {
    const text = finding_sites(model, worst)[0]?.text ?? model.file_of.get(worst.path)?.rows[worst.line - 1]?.text.trim() ?? worst.sass;
    lines.push('', `${worst.place}  ${worst.says}${text === '' ? '' : `: ${text}`}`);
    const index = worst.sites.flatMap((i) => fixes_of(launch, launch.sites[i]!))[0], fix = launch.fixes?.[index ?? -1], answer = fix?.answers[0];
    if (fix && answer) {
      const change = change_of(model, index!, answer);
      lines.push('', `${fix.array}: ${fix.verdict}`, change ? `${change.place}\n${change_text(change)}`.trim() : answer.cuda.trimEnd(), gain_text(model, fix, answer));
    }
  }
  return `${lines.join('\n')}\n`;
}

function Loaded({report, code, views, verdict, times, sources, wasm}: Beside & {report: Report; wasm: Wasm}) {
  const model_of = use_models(report, {code, views, sources});
  const narrow = use_media('(max-width: 759px)'), wide = use_media('(min-width: 1200px)'), three = use_media('(min-width: 1700px)');
  // The link's hash when the view is first shown. The link `#report` leads to the last position.
  const begin = useMemo(() => location.hash === '#report' ? last_place() : location.hash, []);
  const usual = useMemo(() => usual_by(report), [report]);
  const [order, set_order] = useState(() => read_order(begin, usual));
  const {by, sort} = order;
  const set_by = useCallback((by: Order['by']) => set_order((old) => ({...old, by})), []);
  const [odd, set_odd] = useState(() => odd_link(begin, report.launches.length, model_of));
  const [search, set_search] = useState('');
  const [match_at, set_match_at] = useState(-1), [arrived, set_arrived] = useState('');
  const [keys_shown, set_keys_shown] = useState(false);
  const [said, set_said] = useState('');
  const [wrap, set_wrap] = useState(narrow), [only_shared, set_only_shared] = useState(false);
  const [trial, set_trial] = useState<Trial | null>(null), [tries, set_tries] = useState(false);
  const [elsewhere, set_elsewhere] = useState<readonly number[]>([]);
  const [panel_share, set_panel_share] = useState(0);
  const search_box = useRef<HTMLInputElement>(null);
  const lists = useRef(new Map<string, ListHandle>()), last_list = useRef('source');

  const rows = useMemo(() => sorted_rows(launch_rows(report, views, by), sort.key, sort.reverse), [report, views, by, sort]);
  const costliest = useMemo(() => sorted_rows(launch_rows(report, views, 'launch'), 'time', false)[0]!.launches[0]!, [report]);
  const [state, dispatch] = useReducer((old: State, action: Action) => reduce(model_of, old, action), null, (): State => {
    const place = read_place(begin, report.launches.length, model_of) ?? default_place(model_of, costliest, false);
    const empty: State = {launch: -1, selection: null, open: false, file: '', pane: 'source', beside: 'sass', reveal_at: 0, focus_at: 0,
      history: 'keep'};
    return at_place(model_of, place, empty);
  });
  const model = model_of(state.launch);
  const {selection, open} = state;
  const query = search.trim().toLowerCase();
  const matches = useMemo(() => find_matches(model, state.file, query), [model, state.file, query]);
  // The panel replaces a pane, because a source line would otherwise have too little width.
  const panes = useMemo((): Pane[] => {
    const room = (narrow ? 1 : three ? 3 : 2) - (open && wide ? 1 : 0);
    return room >= 3 ? ['source', 'sass', 'ptx'] : room === 2 ? ['source', state.beside] : [state.pane];
  }, [narrow, wide, three, open, state.pane, state.beside]);
  const what = useMemo((): Shown => open ? {model, site: sites_of(model, selection)[0] ?? null,
    global: global_sites_of(model, selection), notes: notes_at(model, selection)} : {model, site: null, global: [], notes: []}, [model, selection, open]);

  const shown = use_later(what, open, state.history === 'replace');

  use_url(state, model, order, usual);
  useEffect(() => {
    const changed = () => {
      const {hash} = location;
      if (read_hash(hash).view === 'explain' || hash === '#report') return;
      const place = read_place(hash, report.launches.length, model_of);
      if (place) set_order((old) => same_order(old, read_order(hash, usual)) ? old : read_order(hash, usual));
      if (place) dispatch({do: 'restore', place});
      else if (is_bare(hash)) dispatch({do: 'restore', place: default_place(model_of, costliest, false)});
      set_odd(odd_link(hash, report.launches.length, model_of));
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, [report, model_of, costliest]);
  useLayoutEffect(() => {
    document.title = `${model.launch.name} - bankwise`;
  }, [model]);
  useEffect(() => {
    const timer = setTimeout(() => set_said(selection_text(model, selection)), 250);
    return () => clearTimeout(timer);
  }, [model, selection]);

  const on_handle = useCallback((id: string, handle: ListHandle | null) => {
    if (handle) lists.current.set(id, handle);
    else lists.current.delete(id);
  }, []);
  const on_focus = useCallback((id: string) => { last_list.current = id; }, []);
  const on_select = useCallback((to: Selection, how: How, pane?: Pane) => dispatch({do: 'select', selection: to, how, pane, narrow}), [narrow]);
  const on_launch = useCallback((launch: number, move: boolean) => dispatch({do: 'launch', launch, move}), []);
  const on_file = useCallback((path: string) => dispatch({do: 'file', path}), []);
  const on_pane = useCallback((pane: Pane) => dispatch({do: 'pane', pane}), []);
  const on_site = useCallback((to: Site) => on_select({by: 'pc', function: to.function ?? '', pc: to.pc}, 'click'), [on_select]);
  const on_line = useCallback((path: string, line: number) => on_select({by: 'line', path, line}, 'click'), [on_select]);
  const on_sort = useCallback((key: SortKey) =>
    set_order((old) => ({...old, sort: {key, reverse: old.sort.key === key ? !old.sort.reverse : false}})), []);
  const list_used = () => lists.current.get(last_list.current) ?? lists.current.get('source') ?? lists.current.get('sass');
  const focus_list = useCallback(() => list_used()?.focus(), []);
  const on_other = useCallback((launch: number) => on_launch(launch, false), [on_launch]);
  // The slider is in the panel of an instruction that accesses the array.
  const on_try = useCallback((index: number) => {
    const site = [...model.launch.sites].sort((a, b) => b.removable - a.removable).find((one) => fixes_of(model.launch, one).includes(index));
    if (!site) return;
    const here = sites_of(model, selection)[0];
    if (!open || !here || !fixes_of(model.launch, here).includes(index)) {
      dispatch({do: 'select', selection: {by: 'pc', function: site.function ?? '', pc: site.pc}, how: 'click', narrow});
    }
    set_tries(true);
  }, [model, selection, open, narrow]);
  const on_tried = useCallback(() => set_tries(false), []);
  const siblings = useMemo(() => report.launches.flatMap((one, i) => one.mangled === model.launch.mangled ? [[i, one] as const] : []), [report, model]);
  const tried = useMemo(() => trial?.launch === state.launch ? trial_clocks(model.launch, trial) : null, [trial, state.launch, model]);
  const usual_panel = Math.round(100 - 46800 / Math.max(innerWidth, 1));
  const on_close = useCallback(() => {
    dispatch({do: 'close'});
    focus_list();
  }, []);

  function jump(by_steps: number) {
    // After the last match, or if this kernel has no match, the next kernel with a match is shown.
    const leaves = by_steps > 0 ? match_at === matches.length - 1 : false;
    if ((matches.length === 0 || leaves) && elsewhere.length > 0) {
      const next = elsewhere.find((launch) => launch > state.launch) ?? elsewhere[0]!;
      dispatch({do: 'launch', launch: next, move: true});
      set_arrived(query);
      return;
    }
    if (matches.length === 0) return;
    const next = match_at < 0 ? (by_steps > 0 ? 0 : matches.length - 1) : (match_at + by_steps + matches.length) % matches.length;
    const {pane, selection: to} = matches[next]!;
    set_match_at(next);
    dispatch({do: 'select', selection: to, how: 'move', pane, narrow});
  }

  // In another kernel, the first match is selected immediately.
  useEffect(() => {
    if (arrived !== query || query === '' || matches.length === 0) return;
    set_arrived('');
    const {pane, selection: to} = matches[0]!;
    set_match_at(0);
    dispatch({do: 'select', selection: to, how: 'move', pane, narrow});
  }, [model, arrived]);
  useEffect(() => {
    set_elsewhere([]);
    if (query === '') return;
    const timer = setTimeout(() => set_elsewhere(find_elsewhere(report, code, sources, state.launch, query)), 150);
    return () => clearTimeout(timer);
  }, [report, code, sources, state.launch, query]);

  function to_hottest(by_steps: number) {
    const list = hottest(model, last_list.current === 'sass' ? 'pc' : 'line');
    if (list.length === 0) return;
    const now = list.findIndex((one) => same_selection(one, selection));
    const next = now < 0 ? (by_steps > 0 ? 0 : list.length - 1) : (now + by_steps + list.length) % list.length;
    dispatch({do: 'select', selection: list[next]!, how: 'move', narrow});
  }

  function to_finding(by_steps: number) {
    const {findings} = model.view;
    if (findings.length === 0) return;
    const now = finding_index(model, selection);
    const next = now < 0 ? (by_steps > 0 ? 0 : findings.length - 1) : Math.min(findings.length - 1, Math.max(0, now + by_steps));
    dispatch({do: 'select', selection: finding_selection(findings[next]!), how: 'move', narrow});
  }

  function key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || keys_shown) return;
    if (event.key === 'Escape') {
      // In the picture, the first Escape only removes the highlight.
      if (event.defaultPrevented && target.closest('.picture-place')?.querySelector('.bw-dim')) return;
      if (target === search_box.current) {
        if (search !== '') set_search('');
        focus_list();
      } else if (open) on_close();
      else if (search !== '') set_search('');
      else return;
      event.preventDefault();
      return;
    }
    if (event.defaultPrevented || target.closest('input, textarea, select')) return;
    const act: Record<string, () => void> = {
      '/': () => search_box.current!.select(),
      '?': () => set_keys_shown(true),
      h: () => to_hottest(1),
      H: () => to_hottest(-1),
      o: () => set_only_shared((on) => !on),
      w: () => set_wrap((on) => !on),
      n: () => to_finding(1),
      p: () => to_finding(-1),
      s: () => on_sort(sort_keys[(sort_keys.indexOf(sort.key) + 1) % sort_keys.length]!),
      S: () => on_sort(sort.key),
      1: () => show('source'),
      2: () => show('sass'),
      3: () => show('ptx'),
    };
    if (Object.hasOwn(act, event.key)) {
      act[event.key]!();
      event.preventDefault();
      return;
    }
    // Passes keys to the lists if no other element handles them.
    const letters = event.key === 'j' || event.key === 'k';
    if (!letters && target.closest('button, a, summary, .panel, [role=listbox]')) return;
    const list = list_used();
    if (list?.key(event) && !target.closest('.panel')) list.focus();
  }

  function show(pane: Pane) {
    dispatch({do: 'pane', pane});
    last_list.current = pane;
    setTimeout(focus_list);
  }

  const latest = useRef(key);
  latest.current = key;
  useEffect(() => {
    const listener = (event: KeyboardEvent) => latest.current(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  useLayoutEffect(() => set_match_at(-1), [query, model]);

  const kernels = new Set(report.launches.map((one) => one.mangled)).size;
  const found = {source: 0, sass: 0, ptx: 0};
  for (const {pane} of matches) found[pane]++;
  const search_says = query === '' ? ''
    : (matches.length === 0 ? 'not in this kernel'
      : match_at >= 0 ? `${grouped(match_at + 1)} of ${grouped(matches.length)}`
      : `source ${grouped(found.source)}, SASS ${grouped(found.sass)}, PTX ${grouped(found.ptx)}`) +
      (elsewhere.length > 0 ? `; in ${count_of(elsewhere.length, 'other kernel')}` : '');

  return (
    <div class={`report${open ? ' with-panel' : ''}`}>
      <header class="report-head">
        <h1>bankwise</h1>
        <p class="note">
          {count_of(report.launches.length, 'launch', 'launches')} of {count_of(kernels, 'kernel')}, {report.source} for {report.arch}
        </p>
        <form class="search" role="search" onSubmit={(event) => { event.preventDefault(); jump(1); }}>
          <input ref={search_box} type="search" aria-label="Search all kernels: text, :line or 0xpc" placeholder="Search (/)" value={search}
            autocomplete="off" spellcheck={false} onFocus={() => setTimeout(() => find_matches(model, state.file, '\0'))} onInput={(event) => set_search(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault();
                jump(event.shiftKey ? -1 : 1);
              }
            }} />
          <span class="search-says" role="status">{search_says}</span>
        </form>
        <nav>
          <CopyButton label="Copy summary" title="Copies the verdict, the worst line and the fix as text, to share" text={() => summary_text(model, verdict)} />
          <a href="#explain">Explorer</a>
          <button type="button" aria-label="Keys" title="Keys (?)" onClick={() => set_keys_shown(true)}>?</button>
        </nav>
      </header>
      {odd !== '' && <p class="odd-link" role="alert">{odd} <button type="button" onClick={() => set_odd('')}>Close</button></p>}
      <main class="whole">
        <p class="program-verdict">{verdict}</p>
        <div class="parts" style={open && wide && panel_share > 0 ? {'--beside': `${100 - panel_share}%`} : undefined}>
          <div class="report-body">
            {report.timeline && times !== '' && <TimelinePane timeline={report.timeline} sentence={times} />}
            <LaunchTable report={report} views={views} rows={rows} by={by} launch={state.launch} sort={sort} query={query} narrow={narrow} on_sort={on_sort}
              on_by={set_by} on_choose={on_launch} on_handle={on_handle} on_focus={on_focus} />
            <LaunchSummary model={model} selection={selection} reveal_at={state.reveal_at} narrow={narrow} siblings={siblings} launch={state.launch}
              only={report.launches.length === 1} tried={tried} on_launch={on_other} on_try={on_try}
              on_select={on_select} on_handle={on_handle} on_focus={on_focus} />
            <Panes key={state.launch} model={model} file={state.file} selection={selection} reveal_at={state.reveal_at} panes={panes}
              query={query} narrow={narrow} wrap={wrap} only_shared={only_shared} on_wrap={set_wrap}
              on_only_shared={set_only_shared} on_file={on_file} on_pane={on_pane} on_select={on_select} on_handle={on_handle} on_focus={on_focus} />
          </div>
          {open && wide && (
            <Splitter label="Between the report and the panel" value={panel_share || usual_panel} usual={usual_panel} least={40} most={80} on_move={set_panel_share} />
          )}
          {open && (
            <Detail model={shown?.model ?? model} arch={report.arch} wasm={wasm} site={shown?.site} global={shown?.global ?? no_global} notes={shown?.notes ?? no_notes} focus_at={state.focus_at}
              tries={tries} on_tried={on_tried} launch={state.launch} trial={trial?.launch === state.launch ? trial : null} on_trial={set_trial}
              on_site={on_site} on_line={on_line} on_select={on_select} on_close={on_close} />
          )}
        </div>
      </main>
      <p class="unseen" aria-live="polite">{said}</p>
      {keys_shown && <Keys on_close={() => set_keys_shown(false)} />}
    </div>
  );
}
