// The change of the source that a fix needs, as two lines: the existing and the new declaration of the array, or an
// index before and after the fix.

import type {Answer, Fix} from './fix_types';
import {path_of, type Model} from './model';
import {base_name} from './numbers';
import {fixes_of} from './trial';

export interface Change {
  /** The place, such as "transpose.cu:13". Empty if the declaration was not found. */
  place: string;
  path: string;
  line: number;
  before: string;
  after: string;
  /** A text to show after the two lines. */
  says: string;
}

/** Returns the statement that declares the array, searching upwards from the last line that uses the array. */
function declaration(model: Model, index: number, name: string) {
  const last = new Map<string, number>();
  for (const site of model.launch.sites) {
    if (!fixes_of(model.launch, site).includes(index)) continue;
    last.set(path_of(site), Math.max(last.get(path_of(site)) ?? 0, site.line));
  }
  const pattern = new RegExp(`\\b__shared__\\b[^;]*?\\b${name}\\s*((?:\\[[^\\]]*\\])+)\\s*;`);
  for (const [path, line] of last) {
    const rows = model.file_of.get(path)?.rows ?? [];
    for (let i = Math.min(line, rows.length) - 1; i >= 0; i--) {
      const match = pattern.exec(rows[i]!.text);
      if (match) return {path, line: rows[i]!.line, text: rows[i]!.text, extents: match[1]!, at: match.index + match[0].lastIndexOf(match[1]!)};
    }
  }
  return null;
}

/** "tile_side" plus 1: "tile_side + 1"; "N + 1" minus 1: "N". */
function longer(extent: string, by: number): string {
  const padded = /^(.*\S)\s*\+\s*(\d+)$/.exec(extent), more = by + (padded ? Number(padded[2]) : 0), own = padded ? padded[1]! : extent;
  if (more === 0) return own;
  const whole = /^[\w.]+$/.test(own) || /^[\w\s*+./()]+$/.test(own) ? own : `(${own})`;
  return more > 0 ? `${whole} + ${more}` : `${whole} - ${-more}`;
}

/** Returns the change, or null if it is more than two lines. */
export function change_of(model: Model, index: number, answer: Answer): Change | null {
  const fix = model.launch.fixes![index] as Fix, name = /([A-Za-z_]\w*)(?:\[[^\]]*\])*$/.exec(fix.array)?.[1];
  const edit = answer.edit;
  if (!edit || !name) return null;
  const found = declaration(model, index, name);
  const place = found ? `${base_name(found.path)}:${found.line}` : '';
  const becomes = /^\/\/ (.+) becomes (.+)$/m.exec(edit);
  if (becomes) {
    const accesses = fix.accesses.map((one) => one.name).filter((text, i, all) => all.indexOf(text) === i);
    return {place: '', path: '', line: 0, before: becomes[1]!, after: becomes[2]!, says: `in each access: ${accesses.slice(0, 4).join(', ')}${accesses.length > 4 ? ' ...' : ''}`};
  }
  const declared = edit.split('\n')[0]!.replace(/\s*\/\/.*$/, '');
  if (answer.family !== 'row padding') return null;
  const last = /\[(\d+)(?: \+ (\d+))?\];$/.exec(declared), every = fix.paddings?.every_bytes;
  if (!found || !last || !every) return {place: '', path: '', line: 0, before: '', after: declared, says: ''};
  const columns = Number(last[1]), now = fix.pitch_bytes / (every / columns), by = columns + Number(last[2] ?? 0) - now;
  if (!Number.isInteger(now) || by === 0) return {place: '', path: '', line: 0, before: '', after: declared, says: ''};
  const open = found.extents.lastIndexOf('['), extent = found.extents.slice(open + 1, -1).trim();
  const extents = `${found.extents.slice(0, open)}[${longer(extent, by)}]`;
  return {
    place, path: found.path, line: found.line, before: found.text, says: '',
    after: found.text.slice(0, found.at) + extents + found.text.slice(found.at + found.extents.length),
  };
}
