// Shortens long lines of code so that the access stays visible. Hides text before the access, instead of text at the
// right edge.

import {useLayoutEffect, useState} from 'preact/hooks';
import type {Launch, Site} from './schema';
import {fixes_of} from './trial';

/** The number of characters after the array's name that stay visible. */
const after = 32;

/** Returns the names of the shared arrays that a source declares, for instructions whose array is unknown. */
export function declared_names(lines: readonly {text: string}[]): readonly string[] {
  return lines.flatMap(({text}) => /(?<!\w)__shared__(?!\w)[^;]*?([A-Za-z_]\w*)\s*\[/.exec(text)?.[1] ?? []);
}

/** Returns the names of the shared arrays that instructions access, or nothing if they are unknown. */
export function array_names(launch: Launch, sites: readonly Site[]): readonly string[] {
  const names = new Set<string>();
  for (const site of sites) {
    for (const {name, sites: of} of launch.arrays ?? []) {
      const is_here = of.some((one) => typeof one === 'number' ? !site.function && one === site.pc : one.function === site.function && one.pc === site.pc);
      if (is_here) names.add(name);
    }
    for (const i of fixes_of(launch, site)) names.add(launch.fixes![i]!.array);
  }
  return [...names].map((name) => /[A-Za-z_]\w*(?=(?:\[[^\]]*\])*$)/.exec(name)?.[0] ?? '').filter((name) => name !== '');
}

/** Returns the position of the access in a line, or null if the line names none of the arrays. */
function access_at(text: string, names: readonly string[]): {at: number; name: string} | null {
  for (const name of names) {
    const subscript = new RegExp(`(?<!\\w)${name}\\s*[[(]`).exec(text) ?? new RegExp(`(?<!\\w)${name}(?!\\w)`).exec(text);
    if (subscript) return {at: subscript.index, name};
  }
  return null;
}

/** The text in place of the hidden part. */
const mark = '… ';

/** The hidden text. Screen readers read it, and it is copied with the line. */
export function CutText({text}: {text: string}) {
  return <><span class="cut" aria-hidden="true">{mark}</span><span class="unseen">{text}</span></>;
}

/** Returns the part of a line to hide, so that the access is within this number of columns. Returns null if the whole
   line fits. The indentation is not hidden. */
export function cut_before(text: string, names: readonly string[], room: number): {from: number; to: number} | null {
  if (room <= 0 || text.length <= room) return null;
  const access = access_at(text, names), from = text.length - text.trimStart().length;
  if (!access) return null;
  const {at, name} = access, end = Math.min(at + name.length + after, text.length);
  if (end <= room) return null;
  let to = Math.min(at, from + mark.length + end - room);
  while (to < at && /\w/.test(text[to - 1] ?? '') && /\w/.test(text[to]!)) to++;  // words are hidden as a whole
  return to - from > 2 ? {from, to} : null;
}

/** Returns a ref for an element, and the number of monospaced characters that fit into the element's width. The number
    is 0 while it is not known. */
export function use_columns(pixels: number): [ref: (element: HTMLElement | null) => void, columns: number] {
  const [box, set_box] = useState<HTMLElement | null>(null), [columns, set_columns] = useState(0);
  useLayoutEffect(() => {
    if (!box) return;
    const paper = document.createElement('canvas').getContext('2d')!;
    paper.font = `${pixels}px ${getComputedStyle(document.documentElement).getPropertyValue('--mono')}`;
    const wide = paper.measureText('0'.repeat(64)).width / 64;
    const measure = () => { if (wide > 0) set_columns(Math.floor(box.clientWidth / wide)); };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    return () => observer.disconnect();
  }, [box, pixels]);
  return [set_box, columns];
}
