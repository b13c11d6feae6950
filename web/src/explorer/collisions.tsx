// Describes the picture in words: the phases, and the words that collide in a bank.

import {useState} from 'preact/hooks';
import {count, lanes_of, ranges, type Explanation} from '../explanation';

const most_banks = 4;

function hex_lanes(mask: string): string {
  return ranges(lanes_of(parseInt(mask, 16)));
}

export function Collisions({explanation}: {explanation: Explanation}) {
  const [all, set_all] = useState(false);
  const {phases, bank_bytes} = explanation;
  const full = phases.flatMap((phase, index) => phase.banks.filter((bank) => bank.wavefronts > 1).map((bank) => ({index, bank})));
  // The banks with the most wavefronts are listed first, because they determine the cost.
  full.sort((a, b) => b.bank.wavefronts - a.bank.wavefronts);
  const shown = all ? full : full.slice(0, most_banks);
  return (
    <div class="tables">
      <div class="scroll" tabIndex={0} role="group" aria-label="Phases">
        <table>
          <caption>Phases: the lanes that are served together</caption>
          <thead><tr><th scope="col">phase</th><th scope="col">lanes</th><th scope="col" class="number">wavefronts</th><th scope="col" class="number">words</th></tr></thead>
          <tbody>
            {phases.map((phase, index) => (
              <tr key={index}><th scope="row">{index}</th><td>{hex_lanes(phase.lanes)}</td><td class="number">{phase.wavefronts}</td><td class="number">{phase.words}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
      {full.length === 0 ? <p>No two words of one phase share a bank.</p> : (
        <div class="scroll" tabIndex={0} role="group" aria-label="Collisions">
          <table>
            <caption>Collisions: words that a bank serves one after another</caption>
            <thead><tr><th scope="col">phase</th><th scope="col">bank</th><th scope="col" class="number">wavefront</th><th scope="col" class="number">word</th><th scope="col" class="number">bytes</th><th scope="col">lanes</th></tr></thead>
            {shown.map(({index, bank}) => (
              <tbody key={`${index}.${bank.bank}`}>
                {bank.words.map((word, row) => (
                  <tr key={row}>
                    {row === 0 && <><th scope="rowgroup" rowSpan={bank.words.length}>{index}</th><th scope="rowgroup" rowSpan={bank.words.length}>{bank.bank}</th></>}
                    <td class="number">{word.wavefront + 1}</td>
                    <td class="number">{word.word}</td>
                    <td class="number">{word.word * bank_bytes}-{word.word * bank_bytes + bank_bytes - 1}</td>
                    <td>{hex_lanes(word.lanes)}</td>
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
      {full.length > shown.length && <button type="button" onClick={() => set_all(true)}>Show {count(full.length - shown.length, 'more bank')}</button>}
    </div>
  );
}
