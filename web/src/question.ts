// The three forms of a question: pairs for the WebAssembly, the fields of the form, and the URL's hash.

export type Pair = readonly [key: string, value: string];
export type Pairs = readonly Pair[];

/** The fields of the form. An empty field means that the flag is not given. */
export interface Question {
  by: 'expr' | 'addresses';
  expr: string;
  addresses: string;
  /** "global", or empty for shared memory. */
  space: string;
  type: string;
  width: string;
  op: string;
  mask: string;
  where: string;
  block: string;
  warp: string;
  arch: string;
  let: readonly string[];
  array: readonly string[];
  pad: string;
  swizzle: string;
  /** For a cp.async: its source address, and "yes" if the copy may fill lanes with zeros. */
  source: string;
  zfill: string;
  /* For global memory: the first byte of the array, and the destination of a cp.async.cg. */
  base: string;
  to: string;
  /* Pairs of the URL that are not keys of a question. The form shows them. */
  other: Pairs;
}

export const single_keys =
    ['space', 'type', 'width', 'op', 'block', 'warp', 'arch', 'mask', 'where', 'pad', 'swizzle', 'source', 'zfill', 'base', 'to'] as const;
export type SingleKey = (typeof single_keys)[number];

export const empty_question: Question = {
  by: 'expr',
  expr: '',
  addresses: '',
  space: '',
  type: '',
  width: '',
  op: '',
  mask: '',
  where: '',
  block: '',
  warp: '',
  arch: '',
  let : [],
  array: [],
  pad: '',
  swizzle: '',
  source: '',
  zfill: '',
  base: '',
  to: '',
  other: [],
};

export function to_pairs(question: Question): Pairs {
  const pairs: Pair[] = [[question.by, question[question.by]]];
  for (const declaration of question.array) if (declaration.trim() !== '') pairs.push(['array', declaration]);
  for (const constant of question.let) if (constant.trim() !== '') pairs.push(['let', constant]);
  for (const key of single_keys) if (question[key].trim() !== '') pairs.push([key, question[key]]);
  return pairs;
}

export function from_pairs(pairs: Pairs): Question {
  const question = {...empty_question};
  const given = pairs.map(([key]) => key);
  if (given.includes('addresses') && !given.includes('expr')) question.by = 'addresses';
  for (const [key, value] of pairs) {
    if (key === 'expr' || key === 'addresses') question[key] = value;
    else if (key === 'let' || key === 'array') question[key] = [...question[key], value];
    else if ((single_keys as readonly string[]).includes(key)) question[key as SingleKey] = value;
    else question.other = [...question.other, [key, value]];
  }
  return question;
}

/** A URL's hash: `#explain?expr=t+*+33&type=float` is the view `explain` with two pairs. A single `#` names no view. */
export interface Route {
  view: string;
  pairs: Pairs;
}

export function read_hash(hash: string): Route {
  const text = hash.replace(/^#/, '');
  const mark = text.indexOf('?');
  if (mark < 0) return {view: text, pairs: []};
  return {view: text.slice(0, mark), pairs: [...new URLSearchParams(text.slice(mark + 1))]};
}

export function write_hash(route: Route): string {
  const query = new URLSearchParams(route.pairs.map(([key, value]) => [key, value]));
  return route.pairs.length === 0 ? `#${route.view}` : `#${route.view}?${query}`;
}

/** Returns the hash that opens a question in the explorer. */
export function question_hash(pairs: Pairs): string {
  return write_hash({view: 'explain', pairs});
}
