// Turns pasted lines of a source into a question. The lines have declarations of arrays and constants, and an access.
//
//     constexpr int pitch = 33;               let    pitch=33
//     __shared__ float tile[32][pitch];       array  float tile[32][pitch]
//     const int x = threadIdx.x;
//     out[i] = tile[x][0];                    expr   tile[threadIdx.x][0]        st if it is left of =
//
// `extern __shared__ float s[]` has no size. The index of an access to it becomes the expression, and the element type
// becomes the type. The text does not contain the values of the remaining names, so the form asks for them.

import type {Question} from '../question';

const declared = /__shared__\s+(?:(?:alignas|__align__)\s*\([^)]*\)\s*)?((?:const\s+|volatile\s+|unsigned\s+)*[\w:]+)\s+(\w+\s*(?:\[[^\]]*\]\s*)+(?:,\s*\w+\s*(?:\[[^\]]*\]\s*)+)*);?/g;
const constants = [
  /#define\s+(\w+)\s+\(?(-?\d+)\)?\s*$/gm,
  /\b(?:const|constexpr|enum)\b[\w\s:]*?\b(\w+)\s*=\s*(-?\d+)[uUlL]*\s*[;,}]/g,
];

/** Returns the position after the bracket that closes the first bracket from `at` on, or -1 if no bracket closes it. */
function closing(text: string, at: number): number {
  let open = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '[') open++;
    else if (text[i] === ']' && --open === 0) return i + 1;
  }
  return -1;
}

/** Returns the first access to an array, with all its indices. */
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

/** Returns the variables of the kernel that are not constants: "const int x = threadIdx.x;" replaces x by
    (threadIdx.x). */
function variables_of(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const variable = /(?:^|[;{}\n])\s*(?:(?:const|constexpr|unsigned|signed|auto|int|long|short|size_t|u?int\d+_t)\s+)+(\w+)\s*=\s*([^;{}[\]"']+);/g;
  // A declaration ends where the next declaration begins.
  for (let one = variable.exec(text); one; one = variable.exec(text)) {
    variable.lastIndex--;
    const value = one[2]!.trim();
    if (!/^-?\d+[uUlL]*$/.test(value)) found.set(one[1]!, /^[\w.]+$/.test(value) ? value : `(${value})`);
  }
  return found;
}

const most_rounds = 8, most_expression = 2000;

/** Replaces a name in an expression where the name is a whole word and not a member. */
export function with_value(expr: string, name: string, value: string): string {
  return expr.replace(new RegExp(`(^|[^\\w.])${name}(?!\\w)`, 'g'), (_, before: string) => before + value);
}

function with_variables(expr: string, variables: ReadonlyMap<string, string>): string {
  for (let round = 0; round < most_rounds && expr.length < most_expression; round++) {
    const before = expr;
    for (const [name, value] of variables) expr = with_value(expr, name, value);
    if (expr === before) break;
  }
  return expr;
}

/** Reads the text as a source. Returns null if it is not a source. The text is then not changed. */
export function read_source(text: string): Partial<Question> | null {
  if (!text.includes('__shared__')) return null;
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\/\/.*/g, ' ');
  const array: string[] = [], names: string[] = [], values: string[] = [];
  let bare: {type: string; name: string} | null = null;
  for (const [, type_text, list] of plain.matchAll(declared)) {
    const type = type_text!.replace(/\b(const|volatile)\s+/g, '').trim();
    for (const [, name, extents] of list!.matchAll(/(\w+)\s*((?:\[[^\]]*\]\s*)+)/g)) {
      if (/^\[\s*\]\s*$/.test(extents!)) bare ??= {type, name: name!};
      else {
        array.push(`${type} ${name}${extents!.replace(/\s+/g, '')}`);
        names.push(name!);
      }
    }
  }
  if (array.length === 0 && bare === null) return null;
  for (const pattern of constants) for (const [, name, value] of plain.matchAll(pattern)) values.push(`${name}=${value}`);
  const rest = plain.replace(declared, ' '), variables = variables_of(plain);
  const common = {by: 'expr', let: values, width: '', pad: '', swizzle: '', mask: '', where: ''} as const;
  const access = names.map((name) => access_to(name, rest)).find((one) => one !== null);
  if (bare && !access) {
    const index = access_to(bare.name, rest);
    return {...common, array: [], type: bare.type, op: index?.stored ? 'st' : '', expr: index ? with_variables(index.expr.slice(bare.name.length).trim().slice(1, -1), variables) : 't'};
  }
  return {
    ...common, array, type: '', op: access?.stored ? 'st' : '',
    expr: access ? with_variables(access.expr, variables) : `${names[0]}${'[0]'.repeat(array[0]!.split('[').length - 2)}[t]`,
  };
}

/** Reads a statement with an access to an array that the form already declares: "float v = tile[t][0];". Returns
   null for any other text. */
export function read_statement(text: string, arrays: readonly string[]): Partial<Question> | null {
  if (!/[;=]/.test(text.replace(/[=!<>]=/g, ''))) return null;
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\/\/.*/g, ' ');
  for (const declaration of arrays) {
    const name = /(\w+)\s*\[/.exec(declaration)?.[1], access = name ? access_to(name, plain) : null;
    if (access) return {expr: with_variables(access.expr, variables_of(plain)), ...access.stored ? {op: 'st'} : {}};
  }
  return null;
}
