// What the numbers mean, in sentences: does it matter, what is there to win, who collides and why.

import {lanes_text, type Explanation} from '../explanation';
import {above, removable, type Cost, type TimeBound} from './model';
import {count_of, grouped, times} from './numbers';
import type {Launch, Report, Site} from './report';

/** What is missing of a launch, or of the launches of a program that was stopped; empty: nothing. */
export function partial_text(report: Report, launch: Launch): string {
  const by = (one: Launch | Report) => one.partial_reason === 'budget' ? '--budget' : one.partial_reason === 'fault' ? 'a fault'
    : one.signal ?? 'a signal';
  if (launch.partial) {
    const all = launch.grid[0] * launch.grid[1] * launch.grid[2], more = (launch.ctas_begun ?? 0) - launch.ctas_executed;
    return `Partial: ${grouped(launch.ctas_executed)} of ${count_of(all, 'block')}${more > 0 ? `, and ${grouped(more)} more in part` : ''}; stopped by ${by(launch)}.`;
  }
  return report.partial ? `This launch is whole; the program was stopped by ${by(report)}, and later launches are not here.` : '';
}

/** The last line of the text report's "does it matter?". */
export function matter_text({shared, shared_reachable, issue, tensor}: TimeBound): string {
  const others = Math.max(issue, tensor), before = Math.max(shared, others), after = Math.max(shared_reachable, others);
  if (shared === 0) return 'No instruction of this launch takes the shared pipe.';
  const longest = tensor > 0 ? 'the longest of the three' : 'the longer of the two';
  const other = tensor > issue ? 'The tensor cores are' : 'Issue is';
  if (before === after && shared_reachable === shared) {
    return shared > others ? `The shared pipe is ${longest}, and no layout makes it shorter.`
      : `${other} ${longest}, and nothing is removable.`;
  }
  if (before === after) {
    return `${other} ${longest}: removing the conflicts frees the pipe, but by itself wins no time here.`;
  }
  return `The shared pipe is ${longest}: without those conflicts the kernel can be ${times(before, after)} times ` +
    'as fast at most, if neither memory nor latency holds it back.';
}

/** Of a compare-and-swap whose lanes go round again, in place of there being nothing to win. */
export const round_text = 'Each round takes as few wavefronts as its words allow.';

/** What removing the conflicts of one instruction, or of a line, can win at most. */
export function win_text(cost: Cost, time: TimeBound, what: string): string {
  const gain = cost.cycles - cost.best_cycles;
  if (above(cost) === 0) return `Nothing to win: ${what} takes as few wavefronts as its words allow.`;
  if (removable(cost) === 0) {
    return `Lanes queue for one word, which no layout changes: ${count_of(cost.queued, 'wavefront')}. Combine them before the access.`;
  }
  if (gain === 0) {
    return 'A layout removes wavefronts, but no clock of the pipe: the passes of the register file, or the minimum of the ' +
      'operation, take as long.';
  }
  const others = Math.max(time.issue, time.tensor);
  const before = Math.max(time.shared, others), after = Math.max(time.shared - gain, others);
  const rest = cost.queued > 0 ? ` For ${grouped(cost.queued)} more wavefronts lanes queue for one word: combine them before the access.` : '';
  if (before === after) {
    return `It frees ${count_of(gain, 'clock')} of the shared pipe, and wins nothing by itself: ` +
      `${time.tensor > time.issue ? 'the tensor cores take longer' : 'issue is the longer'}, ` +
      `${grouped(others)} clocks against ${grouped(time.shared)}.${rest}`;
  }
  return `The launch can be ${times(before, after)} times as fast at most: ${grouped(after)} clocks in place of ` +
    `${grouped(before)}, if neither memory nor latency holds it back.${rest}`;
}

export interface CollidingWord {
  turns: string;
  text: string;
}
export interface Collision {
  phase: number;
  bank: number;
  wavefronts: number;
  words: readonly CollidingWord[];
}

/** Every bank that gives more than one word in a phase, the worst first. */
export function collisions(e: Explanation): Collision[] {
  const list: Collision[] = [];
  e.phases.forEach(({banks}, phase) => {
    for (const {bank, wavefronts, words} of banks) {
      if (wavefronts < 2) continue;
      const sorted = [...words].sort((a, b) => a.wavefront - b.wavefront), lines: CollidingWord[] = [];
      for (let i = 0; i < sorted.length;) {
        // Lanes that queue for one word are one line.
        let end = i + 1, lanes = parseInt(sorted[i]!.lanes, 16);
        for (; end < sorted.length && sorted[end]!.word === sorted[i]!.word; end++) lanes |= parseInt(sorted[end]!.lanes, 16);
        const {word, wavefront} = sorted[i]!, first = word * e.bank_bytes;
        lines.push({
          turns: String(wavefront + 1) + (end > i + 1 ? `-${sorted[end - 1]!.wavefront + 1}` : ''),
          text: `word ${word} (bytes ${first}-${first + e.bank_bytes - 1}): ${lanes_text(lanes >>> 0)}` +
            (end > i + 1 ? ', one after another' : ''),
        });
        i = end;
      }
      list.push({phase, bank, wavefronts, words: lines});
    }
  });
  return list.sort((a, b) => b.wavefronts - a.wavefronts || a.phase - b.phase || a.bank - b.bank);
}

/** Why the banks collide, a sentence a reason. */
export function reasons(e: Explanation, list: readonly Collision[]): string[] {
  const texts: string[] = [];
  const worst = list[0];
  if (worst) {
    const span = e.banks * e.bank_bytes, distinct = worst.words.length;
    if (distinct > 1) {
      texts.push(`Bank ${worst.bank} is asked for ${distinct} words in one phase and gives one a wavefront. They lie multiples of ` +
        `${span} bytes apart, and ${e.banks} banks of ${e.bank_bytes} bytes begin again every ${span}.`);
    }
    if (e.lanes_on_one_word > 1) {
      texts.push(`Up to ${e.lanes_on_one_word} lanes want one word, and this operation serves them one after another.`);
    }
  } else {
    texts.push(`No bank is asked for more than one word in a phase.`);
  }
  if (e.phases.length > 1) {
    texts.push(e.merged === 'none' ? `The lanes go in ${e.phases.length} phases, one after another.`
      : `Neighbouring phases have merged, as each lane's partner (${e.merged}) is inactive or wants the same address: ` +
        `${e.phases.length} phases are left.`);
  }
  return texts;
}

export function evidence_text(site: Site): string {
  switch (site.evidence) {
    case 'measured': return 'Measured';
    case 'documented': return 'Documented';
    case 'assumed': return 'Assumed';
    case 'open': return 'Not known: the number is that of the nearest known case, a lower bound';
    case 'none': return 'No rule is known for this operation here';
  }
}

/** An instruction that is no access of lanes: what it does with shared memory. */
export function beside_text(site: Site): string {
  const bytes = count_of(site.bytes ?? 0, 'byte');
  if (site.op === 'wgmma') {
    return `A warp group reads its operands here, ${bytes} in all, 128 of them in each wavefront: never a conflict, whatever the layout type, ` +
      'the strides and the place. What fills the tiles, and what stores the result, may well have conflicts.';
  }
  if (site.to_shared !== undefined) {
    return `The hardware copies ${bytes} ${site.to_shared ? 'into' : 'out of'} shared memory by itself, beside the pipe: no wavefronts, never a conflict.`;
  }
  return 'It takes no wavefront of the shared pipe, whatever its addresses.';
}
