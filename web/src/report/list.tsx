// A list box with rows of equal height. The document only contains the visible rows, and all rows share one listener
// for each kind of event. The active row is the selected row. Arrow keys, j and k, Page Up and Down, Home and End move
// the selection, and Enter opens the row. If lines are wrapped, a row is as high as its text. On paper, the document
// contains all rows.

import type {ComponentChildren, VNode} from 'preact';
import {useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState} from 'preact/hooks';
import {memo} from './memo';
import {Minimap, type Mark} from './minimap';
import {use_printing} from './printing';

/** The number of rows that are rendered above and below the visible rows, and the step by which they change. */
const margin = 8, step = 4;

/** How a row was chosen: the arrow keys moved to it, or a click or key opened it. */
export type How = 'move' | 'click' | 'key';

export interface ListHandle {
  focus(): void;
  /** Handles a key as if the list had the focus. Returns false if the list does not use the key. */
  key(event: KeyboardEvent): boolean;
}

export interface ListProps {
  id: string;
  label: string;
  count: number;
  row_height: number;
  /** The index of the selected row, or -1. */
  active: number;
  /** The row that should be visible. When `reveal_at` changes, the list scrolls to this row. */
  reveal: number;
  reveal_at: number;
  /** True if the row was chosen in another list. If so, this list scrolls to the row one frame later. */
  follows?: boolean;
  /** The number of characters of the longest row. If the list is narrower, it scrolls horizontally. */
  widest?: number;
  /** Returns the content of a row, and the classes of the row. The search text `found` (in lower case) is marked. If
     the results change, the function must be a different one. */
  row: (index: number, found: string) => ComponentChildren;
  classes: (index: number) => string;
  /** Returns the code of a row. Its length determines the height of a wrapped row. */
  text?: (index: number) => string;
  query?: string;
  on_move: (index: number) => void;
  /** Called when a row is opened by a click or a key. */
  on_open: (index: number, how: 'click' | 'key') => void;
  on_hover?: (index: number) => void;
  on_handle?: (id: string, handle: ListHandle | null) => void;
  on_focus?: (id: string) => void;
  /** The row from which arrow keys move if no row is selected. */
  start?: number;
  /** Whether long rows are wrapped. */
  wrap?: boolean;
  marks?: (() => readonly Mark[]) | undefined;
}

/** A row as it was last rendered. */
interface Kept {
  classes: string;
  found: string;
  active: boolean;
  lines: number;
  content: VNode;
  node: VNode;
}

function index_of(event: Event): number {
  const row = (event.target as Element).closest('[data-row]');
  return row ? Number(row.getAttribute('data-row')) : -1;
}

function VirtualList({id, label, count, row_height, active, reveal, reveal_at, follows, widest, row, classes, text, query, on_move,
  on_open, on_hover, on_handle, on_focus, start, wrap, marks}: ListProps) {
  const box = useRef<HTMLDivElement>(null), probe = useRef<HTMLSpanElement>(null);
  const printing = use_printing();
  const [columns, set_columns] = useState(0);
  const hovered = useRef(-1);
  const kept = useRef<{row: unknown; count: number; rows: Map<number, Kept>}>({row: null, count: 0, rows: new Map()});
  // The scroll position and height of the box, so that rendering need not ask the document for them. Also the position
  // to scroll to.
  const top = useRef(0), height = useRef(0), revealed = useRef(''), pending = useRef<number | null>(null);
  const drawn = useRef({first: 0, end: 0}), base = useRef(0);
  const [, render_again] = useReducer((n: number) => n + 1, 0);

  // The starting positions of rows, in lines.
  const begins = useMemo(() => {
    if (!wrap || !text || columns === 0 || printing) return null;
    const all = new Uint32Array(count + 1);
    for (let i = 0; i < count; i++) all[i + 1] = all[i]! + Math.max(1, Math.ceil(text(i).length / columns));
    return all;
  }, [wrap, text, count, columns, printing]);
  const begin_of = (index: number) => begins ? begins[index]! : index;
  function row_at(line: number): number {
    if (!begins) return line;
    let low = 0, high = count;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (begins[mid + 1]! <= line) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  function in_sight() {
    if (printing) return {first: 0, end: count};
    const first = Math.max(0, Math.floor(row_at(Math.floor(top.current / row_height)) / step) * step - margin);
    const rows = Math.ceil(height.current / row_height) + 2 * margin + step;
    return {first: Math.min(first, count), end: Math.min(first + rows, count)};
  }

  /** Returns the position to scroll to so that a row is visible, or null. */
  function place_of(index: number, centre: boolean): number | null {
    if (index < 0 || index >= count) return null;
    const at = begin_of(index) * row_height, high = height.current, own = (begin_of(index + 1) - begin_of(index)) * row_height;
    if (high === 0 || (at >= top.current && at + own <= top.current + high)) return null;
    const wanted = centre ? at - (high - own) / 2 : at < top.current ? at : at + own - high;
    return Math.max(0, Math.min(wanted, begin_of(count) * row_height - high));
  }

  function look() {
    const now = in_sight();
    if (now.first !== drawn.current.first || now.end !== drawn.current.end) render_again(undefined);
  }

  useLayoutEffect(() => {
    const measure = () => {
      const element = box.current!;
      if (probe.current) {
        // Measures the width of ten digits, and the width of the columns before the code.
        const gutter = element.querySelector<HTMLElement>('.gutter'), digits = probe.current.offsetWidth;
        const before = gutter ? gutter.offsetWidth + parseFloat(getComputedStyle(gutter).marginRight) : 0;
        if (digits > 0) set_columns(Math.max(10, Math.floor((element.clientWidth - before - 4) * 10 / digits)));
      }
      if (height.current === element.clientHeight) return;
      height.current = element.clientHeight;
      render_again(undefined);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, [wrap]);

  // If the reader chooses a row in a list, the other lists scroll to their marked rows.
  const to_reveal = `${reveal_at} ${count} ${row_height} ${begins ? columns : 0}`;
  const [late, set_late] = useState('');
  const waits = revealed.current !== to_reveal && revealed.current !== '' && follows && late !== to_reveal;
  if (revealed.current !== to_reveal && height.current > 0 && !waits) {
    revealed.current = to_reveal;
    top.current = Math.min(top.current, Math.max(0, begin_of(count) * row_height - height.current));
    pending.current = place_of(reveal, true);
    if (pending.current !== null) top.current = pending.current;
  }
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => set_late(to_reveal));
    return () => clearTimeout(timer);
  }, [waits, to_reveal]);
  useLayoutEffect(() => {
    if (pending.current === null || printing) return;
    box.current!.scrollTop = pending.current;
    pending.current = null;
  });

  function key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const page = Math.max(1, Math.floor(height.current / row_height) - 1);
    const from = active >= 0 ? active : (start ?? 0) - 1;
    const next = {
      ArrowDown: from + 1, j: from + 1, ArrowUp: active >= 0 ? from - 1 : from + 1, k: active >= 0 ? from - 1 : from + 1,
      PageDown: from + page, PageUp: from - page, Home: 0, End: count - 1,
    }[event.key];
    if (next !== undefined && count > 0) {
      const index = Math.min(count - 1, Math.max(0, next));
      const to = place_of(index, false);
      if (to !== null) {
        top.current = box.current!.scrollTop = to;
        look();
      }
      if (index !== active) on_move(index);
    } else if ((event.key === 'Enter' || event.key === ' ') && active >= 0) on_open(active, 'key');
    else return false;
    event.preventDefault();
    return true;
  }

  const latest = useRef(key);
  latest.current = key;
  useEffect(() => {
    on_handle?.(id, {focus: () => box.current!.focus({preventScroll: true}), key: (event) => latest.current(event)});
    return () => on_handle?.(id, null);
  }, [id, on_handle]);

  function hover(index: number) {
    if (hovered.current === index) return;
    hovered.current = index;
    on_hover?.(index);
  }

  // If the content of a row is unchanged, its node is reused and not compared again.
  const high = (i: number) => begins ? begins[i + 1]! - begins[i]! : 1;
  const before = kept.current, now = new Map<number, Kept>();
  const {first, end} = in_sight();
  // If no rendered row stays visible, the elements get new contents. This is faster than creating new elements.
  if (first >= drawn.current.end || end <= drawn.current.first) base.current += first - drawn.current.first;
  drawn.current = {first, end};
  const rows: VNode[] = [];
  for (let i = first; i < end; i++) {
    const old = before.row === row ? before.rows.get(i) : undefined;
    const own = classes(i), found = query && text?.(i).toLowerCase().includes(query) ? query : '';
    const content = old?.found === found ? old.content : <>{row(i, found)}</>;
    const node = old?.content === content && old.classes === own && old.active === (i === active) && old.lines === high(i) && before.count === count
      ? old.node : (
        <div key={i - base.current} id={`${id}-${i}`} data-row={i} role="option" aria-selected={i === active} aria-setsize={count}
          aria-posinset={i + 1} class={`row ${own}`}
          style={high(i) > 1 ? {'--lines': high(i)} : undefined}>{content}</div>
      );
    now.set(i, {classes: own, found, active: i === active, lines: high(i), content, node});
    rows.push(node);
  }
  kept.current = {row, count, rows: now};
  const list = (
    <div id={id} ref={box} class={wrap ? 'list wrapped' : 'list'} role="listbox" tabIndex={0} aria-label={label}
      aria-activedescendant={active >= first && active < end ? `${id}-${active}` : undefined}
      onScroll={() => {
        const element = box.current!;
        top.current = element.scrollTop;
        // Each sticky margin needs its own layer, which is expensive. So margins are only sticky in a list that scrolls
        // horizontally.
        element.classList.toggle('sideways', element.scrollLeft > 0);
        look();
      }} onKeyDown={(event) => { key(event); }} onFocus={() => on_focus?.(id)}
      onClick={(event) => {
        const index = index_of(event);
        if (index >= 0 && (getSelection()?.isCollapsed ?? true)) on_open(index, 'click');
      }}
      onPointerOver={(event) => { if (event.pointerType === 'mouse') hover(index_of(event)); }}
      onPointerLeave={() => hover(-1)}>
      {wrap && <span ref={probe} class="probe" role="presentation" aria-hidden="true">0000000000</span>}
      <div class="all-rows" role="presentation"
        style={{height: `${begin_of(count) * row_height}px`, minWidth: widest === undefined || wrap ? '100%' : `max(100%, ${widest}ch)`}}>
        <div class="some-rows" role="presentation" style={{top: `${begin_of(first) * row_height}px`}}>{rows}</div>
      </div>
    </div>
  );
  if (!marks) return list;
  return (
    <div class="list-frame">
      {list}
      <Minimap marks={marks} height={height.current} row={1 / Math.max(1, count)} on_go={(at) => {
        const all = begin_of(count) * row_height;
        top.current = box.current!.scrollTop = Math.max(0, Math.min(at * all - height.current / 2, all - height.current));
        look();
      }} />
    </div>
  );
}

export const List = memo(VirtualList);
