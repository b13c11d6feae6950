// The effect of an array's layout on its launch: the clocks, and the new address of each byte.

import type {Fix} from './fix_types';
import type {Launch, Site} from './schema';

/** A padding that the reader tries: the array in the launch, and the padding. */
export interface Trial {
  launch: number;
  fix: number;
  at: number;
}

/** Returns the arrays that the instruction accesses, as indices of the launch's fixes. */
export function fixes_of(launch: Launch, site: Site): readonly number[] {
  const is_here = (place: number | {function: string; pc: number}) =>
    typeof place === 'number' ? !site.function && place === site.pc : place.function === site.function && place.pc === site.pc;
  return (launch.fixes ?? []).flatMap((fix, i) => fix.accesses.some((access) => access.sites?.some(is_here)) ? [i] : []);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

/** Returns the index of the existing padding among the paddings that were tried. */
export function now_at({paddings}: Fix): number {
  return paddings ? Math.round(paddings.now_bytes / paddings.step_bytes) : 0;
}

/** Returns the wavefronts of all accesses to the array with a padding. */
export function wavefronts_at({paddings}: Fix, at: number): number {
  return sum(paddings?.tried[at] ?? []);
}

export interface Clocks {
  shared: number;
  /** The resource that takes the longest time. */
  longest: number;
}

/** Returns the clocks of a multiprocessor without this number of wavefronts. A negative number adds wavefronts. */
export function clocks_without({totals}: Launch, fix: Fix, wavefronts: number): Clocks {
  const now = totals.shared_cycles ?? totals.cycles, gone = wavefronts * (fix.clocks_per_wavefront ?? 1);
  const shared = now - (gone > 0 ? Math.min(gone, fix.most_clocks_won ?? gone, now) : gone);
  return {shared, longest: Math.max(shared, totals.issue_cycles, totals.tensor_cycles ?? 0)};
}

/** Returns the clocks of a multiprocessor with a padding that the reader tries. */
export function trial_clocks(launch: Launch, {fix: index, at}: Trial): Clocks | null {
  const fix = launch.fixes?.[index];
  if (!fix?.paddings) return null;
  return clocks_without(launch, fix, wavefronts_at(fix, now_at(fix)) - wavefronts_at(fix, at));
}

/** Returns the addresses in the block's shared memory with a padding instead of the existing padding. */
export function padded(fix: Fix, at: number, addresses: readonly (number | null)[]): (number | null)[] {
  const {paddings, begin_bytes: begin = 0, bytes} = fix;
  if (!paddings) return [...addresses];
  const {every_bytes: every, step_bytes: step, now_bytes: now} = paddings;
  return addresses.map((address) => {
    if (address === null || address < begin || address >= begin + bytes) return address;
    const offset = address - begin, meant = offset - Math.floor(offset / (every + now)) * now;
    return begin + meant + Math.floor(meant / every) * at * step;
  });
}
