// A list box of rows of one height, of which only those in sight are in the document. One listener a kind for all rows.
// The active row is the selected one: arrow keys, j and k, Page Up and Down, Home and End move it, Enter opens it.

import type {ComponentChildren} from 'preact';
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {memo} from './memo';

/** Rows rendered above and below those in sight, and the step in which that changes. */
const margin = 12, step = 6;

/** How a row came to be chosen: passed over with the arrow keys, or opened. */
export type How = 'move' | 'click' | 'key';

export interface ListHandle {
  focus(): void;
  /** Takes a key as if the list had the focus; false: not a key of a list. */
  key(event: KeyboardEvent): boolean;
}

export interface ListProps {
  id: string;
  label: string;
  count: number;
  row_height: number;
  /** The selected row, or -1. */
  active: number;
  /** A row to have in sight; when `reveal_at` changes, it is scrolled there. */
  reveal: number;
  reveal_at: number;
  /** Characters of the longest row: the list scrolls sideways below that. */
  widest?: number;
  /** The content of a row, and its classes. Must be another function when what it says has changed. */
  row: (index: number) => ComponentChildren;
  classes: (index: number) => string;
  on_move: (index: number) => void;
  /** By a click, or by a key. */
  on_open: (index: number, how: 'click' | 'key') => void;
  on_hover?: (index: number) => void;
  on_handle?: (id: string, handle: ListHandle | null) => void;
  on_focus?: (id: string) => void;
  /** Where arrow keys begin when no row is selected. */
  start?: number;
}

function index_of(event: Event): number {
  const row = (event.target as Element).closest('[data-row]');
  return row ? Number(row.getAttribute('data-row')) : -1;
}

function VirtualList({id, label, count, row_height, active, reveal, reveal_at, widest, row, classes, on_move, on_open,
  on_hover, on_handle, on_focus, start}: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, set_view] = useState({first: 0, rows: 40});
  const hovered = useRef(-1);

  const look = () => {
    const element = box.current!;
    const first = Math.max(0, Math.floor(element.scrollTop / row_height / step) * step - margin);
    const rows = Math.ceil(element.clientHeight / row_height) + 2 * margin + step;
    set_view((old) => old.first === first && old.rows === rows ? old : {first, rows});
  };

  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(box.current!);
    look();
    return () => observer.disconnect();
  }, [row_height]);

  function scroll_to(index: number, centre: boolean) {
    const element = box.current!, top = index * row_height, height = element.clientHeight;
    if (index < 0 || (top >= element.scrollTop && top + row_height <= element.scrollTop + height)) return;
    if (centre) element.scrollTop = top - (height - row_height) / 2;
    else element.scrollTop = top < element.scrollTop ? top : top + row_height - height;
    look();
  }

  useLayoutEffect(() => scroll_to(reveal, true), [reveal_at, count, row_height]);

  function key(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const page = Math.max(1, Math.floor(box.current!.clientHeight / row_height) - 1);
    const from = active >= 0 ? active : (start ?? 0) - 1;
    const next = {
      ArrowDown: from + 1, j: from + 1, ArrowUp: active >= 0 ? from - 1 : from + 1, k: active >= 0 ? from - 1 : from + 1,
      PageDown: from + page, PageUp: from - page, Home: 0, End: count - 1,
    }[event.key];
    if (next !== undefined && count > 0) {
      const index = Math.min(count - 1, Math.max(0, next));
      scroll_to(index, false);
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

  const end = Math.min(count, view.first + view.rows), first = Math.min(view.first, end);
  const rows = [];
  for (let i = first; i < end; i++) {
    rows.push(
      <div key={i} id={`${id}-${i}`} data-row={i} role="option" aria-selected={i === active} aria-setsize={count}
        aria-posinset={i + 1} class={`row ${classes(i)}`}>{row(i)}</div>);
  }
  return (
    <div id={id} ref={box} class="list" role="listbox" tabIndex={0} aria-label={label}
      aria-activedescendant={active >= first && active < end ? `${id}-${active}` : undefined}
      onScroll={look} onKeyDown={(event) => { key(event); }} onFocus={() => on_focus?.(id)}
      onClick={(event) => {
        const index = index_of(event);
        if (index >= 0 && (getSelection()?.isCollapsed ?? true)) on_open(index, 'click');
      }}
      onPointerOver={(event) => { if (event.pointerType === 'mouse') hover(index_of(event)); }}
      onPointerLeave={() => hover(-1)}>
      <div class="all-rows" role="presentation"
        style={{height: `${count * row_height}px`, minWidth: widest === undefined ? '100%' : `max(100%, ${widest}ch)`}}>
        <div class="some-rows" role="presentation" style={{top: `${first * row_height}px`}}>{rows}</div>
      </div>
    </div>
  );
}

export const List = memo(VirtualList);
