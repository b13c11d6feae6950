// The state of the explorer: one access, or two layouts that are shown side by side and step together. The URL contains
// the whole state.

import {from_pairs, to_pairs, write_hash, type Pair, type Pairs, type Question} from '../question';

export type Side = 'a' | 'b';

/** What the colours of cells mean. The default is the cost. */
export const colours = ['wavefront', 'lane'] as const;
export type Colour = (typeof colours)[number];

/** What the colours of the whole array mean, if the array is shown. */
export const tiles = ['bank', 'lane'] as const;
export type TileBy = (typeof tiles)[number];

export interface State {
  a: Question;
  b: Question | null;
  /** True if the second question has its own access and form. Otherwise, only its padding and swizzle are its own. */
  apart: boolean;
  /** The number of the visible wavefront, from 1. 0 means all wavefronts. */
  step: number;
  colour: Colour | undefined;
  tile: TileBy | undefined;
}

export type Action =
  | {do: 'change'; side: Side | 'both'; change: Partial<Question>}
  | {do: 'step'; step: number}
  | {do: 'colour'; colour: Colour | undefined}
  | {do: 'tile'; tile: TileBy | undefined}
  | {do: 'compare'}
  | {do: 'apart'; apart: boolean}
  | {do: 'keep'; side: Side}
  | {do: 'load'; state: State};

const no_layout = {pad: '', swizzle: ''} as const;

export function reduce(state: State, action: Action): State {
  const {a, b} = state;
  switch (action.do) {
    case 'load': return action.state;
    case 'step': return {...state, step: action.step};
    case 'colour': return {...state, colour: action.colour};
    case 'tile': return {...state, tile: action.tile};
    // Shows before and after: the second layout is the layout that the reader has tried.
    case 'compare': return {...state, a: {...a, ...no_layout}, b: a, apart: false};
    case 'apart': return b && {...state, apart: action.apart, b: action.apart ? b : {...a, pad: b.pad, swizzle: b.swizzle}} || state;
    case 'keep': return {...state, a: state[action.side] ?? a, b: null, apart: false};
    case 'change': {
      const {side, change} = action;
      return {...state, a: side === 'b' ? a : {...a, ...change}, b: b && (side === 'a' ? b : {...b, ...change})};
    }
  }
}

/** The keys of the second question begin with `b.`. If these keys contain no expression, they are changes of the first
   question. */
export function state_of(pairs: Pairs): State {
  const chosen = <T extends string>(name: string, among: readonly T[]) => among.find((one) => pairs.some(([key, value]) => key === name && value === one));
  const colour = chosen('colour', colours), tile = chosen('tile', tiles);
  // A step that is not a number is kept as a pair, so that the form reports it as unknown.
  const is_step = ([key, value]: Pair) => (key === 'step' || key === 'b.step') && /^[1-9]\d{0,3}$/.test(value);
  const step = Number(pairs.find(is_step)?.[1] ?? 0);
  const is_second = ([key]: Pair) => key.startsWith('b.'), compared = pairs.some(is_second);
  pairs = pairs.filter((pair) => !is_step(pair) && !(pair[0] === 'colour' && pair[1] === colour) && !(pair[0] === 'tile' && pair[1] === tile));
  const second = pairs.filter(is_second).map(([key, value]): Pair => [key.slice(2), value]);
  const first = pairs.filter((pair) => !is_second(pair));
  const own = new Set(second.map(([key]) => key)), whole = own.has('expr') || own.has('addresses');
  const a = from_pairs(first);
  const b = !compared ? null : from_pairs([...whole ? [] : first.filter(([key]) => !Object.hasOwn(no_layout, key) && !own.has(key)), ...second]);
  const access = (question: Question) => JSON.stringify({...question, ...no_layout, [question.by === 'expr' ? 'addresses' : 'expr']: ''});
  return {a, b, apart: b !== null && access(a) !== access(b), step, colour, tile};
}

export function hash_of({a, b, apart, step, colour, tile}: State): string {
  const own = (key: string, value: string): Pair => [`b.${key}`, value];
  const pairs: Pair[] = [...to_pairs(a)];
  if (step > 0) pairs.push(['step', `${step}`]);
  if (colour) pairs.push(['colour', colour]);
  if (tile) pairs.push(['tile', tile]);
  if (b && apart) pairs.push(...to_pairs(b).map(([key, value]) => own(key, value)));
  else if (b) {
    // An empty pair shows that there is a second question.
    if (b.pad !== '' || b.swizzle === '') pairs.push(own('pad', b.pad));
    if (b.swizzle !== '') pairs.push(own('swizzle', b.swizzle));
  }
  return write_hash({view: 'explain', pairs});
}
