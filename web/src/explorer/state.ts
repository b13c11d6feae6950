// What the explorer shows: one question or two, and the wavefront that each is stepped to. All of it is in the URL.

import {empty_question, from_pairs, to_pairs, write_hash, type Pair, type Pairs, type Question} from '../question';

export type Side = 'a' | 'b';

export interface Half {
  question: Question;
  /** The wavefront that is shown, from 1; 0 is all of them. */
  step: number;
}

/** What the colours of the cells say; the cost if nothing else is chosen. */
export const colours = ['wavefront', 'lane'] as const;
export type Colour = (typeof colours)[number];

/** What the elements of the whole array are coloured by, if it is shown. */
export const tiles = ['bank', 'lane'] as const;
export type TileBy = (typeof tiles)[number];

export interface State {
  a: Half;
  b: Half | null;
  colour: Colour | undefined;
  tile: TileBy | undefined;
}

export type Action =
  | {do: 'change'; side: Side; change: Partial<Question>}
  | {do: 'step'; side: Side; step: number}
  | {do: 'colour'; colour: Colour | undefined}
  | {do: 'tile'; tile: TileBy | undefined}
  | {do: 'compare'}
  | {do: 'keep'; side: Side}
  | {do: 'load'; state: State};

export function reduce(state: State, action: Action): State {
  switch (action.do) {
    case 'load': return action.state;
    case 'colour': return {...state, colour: action.colour};
    case 'tile': return {...state, tile: action.tile};
    case 'compare': return {...state, b: state.a};
    case 'keep': return {...state, a: state[action.side] ?? state.a, b: null};
    case 'step': case 'change': {
      const half = state[action.side];
      if (!half) return state;
      const next = action.do === 'step' ? {...half, step: action.step}
        : {...half, question: {...half.question, ...action.change}};
      return {...state, [action.side]: next};
    }
  }
}

function half_of(pairs: Pairs): Half {
  // A step that is no number stays among the pairs: the form says of those that it knows nothing of them.
  const is_step = ([key, value]: Pair) => key === 'step' && /^[1-9]\d{0,3}$/.test(value);
  const step = pairs.find(is_step);
  return {question: from_pairs(pairs.filter((pair) => !is_step(pair))), step: step ? Number(step[1]) : 0};
}

/** The second question's keys begin with `b.`. */
export function state_of(pairs: Pairs): State {
  const chosen = <T extends string>(name: string, among: readonly T[]) => among.find((one) => pairs.some(([key, value]) => key === name && value === one));
  const colour = chosen('colour', colours), tile = chosen('tile', tiles);
  pairs = pairs.filter(([key, value]) => !(key === 'colour' && value === colour) && !(key === 'tile' && value === tile));
  const second = pairs.filter(([key]) => key.startsWith('b.')).map(([key, value]): Pair => [key.slice(2), value]);
  const first = pairs.filter(([key]) => !key.startsWith('b.'));
  return {a: half_of(first), b: second.length > 0 ? half_of(second) : null, colour, tile};
}

function half_pairs(half: Half): Pair[] {
  return [...to_pairs(half.question), ...half.step > 0 ? [['step', `${half.step}`] as const] : []];
}

export function hash_of(state: State): string {
  const second = state.b ? half_pairs(state.b).map(([key, value]): Pair => [`b.${key}`, value]) : [];
  const shown = (['colour', 'tile'] as const).flatMap((key): Pair[] => state[key] ? [[key, state[key]]] : []);
  return write_hash({view: 'explain', pairs: [...half_pairs(state.a), ...shown, ...second]});
}

export const empty_state: State = {a: {question: empty_question, step: 0}, b: null, colour: undefined, tile: undefined};
