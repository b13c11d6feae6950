// Lines of a source file as a question: what is pasted is the declarations of arrays and constants, and an access.
//
//     constexpr int pitch = 33;               let    pitch=33
//     __shared__ float tile[32][pitch];       array  float tile[32][pitch]
//     out[i] = tile[threadIdx.x][0];          expr   tile[threadIdx.x][0]        st where it stands left of =
//
// Names that are left have a value of their own in the kernel: the form asks for them.

import type {Question} from '../question';

const declared = /__shared__\s+(?:(?:alignas|__align__)\s*\([^)]*\)\s*)?((?:const\s+|volatile\s+|unsigned\s+)*[\w:]+)\s+(\w+)\s*((?:\[[^\]]*\]\s*)+);?/g;
const constants = [
  /#define\s+(\w+)\s+\(?(-?\d+)\)?\s*$/gm,
  /\b(?:const|constexpr|enum)\b[\w\s:]*?\b(\w+)\s*=\s*(-?\d+)[uUlL]*\s*[;,}]/g,
];

/** From an opening bracket to behind the one that closes it. */
function closing(text: string, at: number): number {
  let open = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '[') open++;
    else if (text[i] === ']' && --open === 0) return i + 1;
  }
  return -1;
}

/** The first access to an array, with all its indices. */
function access_to(name: string, text: string): {expr: string; stored: boolean} | null {
  const found = new RegExp(`(^|[^\\w.])${name}\\s*\\[`).exec(text);
  if (!found) return null;
  const begin = found.index + found[1]!.length;
  let end = begin;
  for (;;) {
    const bracket = text.slice(end).search(/\S/) + end;
    const open = end === begin ? text.indexOf('[', begin) : text[bracket] === '[' ? bracket : -1;
    const close = open < 0 ? -1 : closing(text, open);
    if (close < 0) break;
    end = close;
  }
  if (end === begin) return null;
  return {expr: text.slice(begin, end).replace(/\s+/g, ' '), stored: /^\s*=[^=]/.test(text.slice(end))};
}

/** Null: it is no source, and is taken as it is. */
export function read_source(text: string): Partial<Question> | null {
  if (!text.includes('__shared__')) return null;
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\/\/.*/g, ' ');
  const array: string[] = [], names: string[] = [], values: string[] = [];
  for (const [, type, name, extents] of plain.matchAll(declared)) {
    array.push(`${type!.replace(/\b(const|volatile)\s+/g, '').trim()} ${name}${extents!.replace(/\s+/g, '')}`);
    names.push(name!);
  }
  if (array.length === 0) return null;
  for (const pattern of constants) for (const [, name, value] of plain.matchAll(pattern)) values.push(`${name}=${value}`);
  const rest = plain.replace(declared, ' ');
  const access = names.map((name) => access_to(name, rest)).find((one) => one !== null);
  return {
    by: 'expr', array, let: values, type: '', width: '', pad: '', swizzle: '', op: access?.stored ? 'st' : '',
    expr: access?.expr ?? `${names[0]}${'[0]'.repeat(array[0]!.split('[').length - 2)}[t]`,
  };
}
