// An instruction's requests to global memory: the sectors, the reason for their number, the remedy, and which lanes use
// which sector.

import {count_of, grouped, hex} from './numbers';
import {sectors_of, within_of, type Within} from './model';
import type {GlobalSite} from './schema';

/** Two numbers of items that the panel lists at first: instructions of a line, and sectors of an access. */
const most_sites = 6, most_sectors = 8;
const sector_bytes = 32;

interface Sector {
  number: number;
  lanes: number[];
  used: Set<number>;
}

/** Returns the sectors of the worst access, by address. */
function worst_sectors({worst, width_bytes}: GlobalSite): Sector[] {
  const found = new Map<number, Sector>();
  worst?.addresses.forEach((address, lane) => {
    if (address === null) return;
    for (let byte = address; byte < address + width_bytes; byte++) {
      const number = Math.floor(byte / sector_bytes);
      let sector = found.get(number);
      if (!sector) found.set(number, sector = {number, lanes: [], used: new Set()});
      if (sector.lanes.at(-1) !== lane) sector.lanes.push(lane);
      sector.used.add(byte % sector_bytes);
    }
  });
  return [...found.values()].sort((a, b) => a.number - b.number);
}

/** "0-3, 8" */
function lanes_text(lanes: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < lanes.length;) {
    let end = i;
    while (end + 1 < lanes.length && lanes[end + 1] === lanes[end]! + 1) end++;
    parts.push(end > i ? `${lanes[i]}-${lanes[end]}` : String(lanes[i]));
    i = end + 1;
  }
  return parts.join(', ');
}

function SectorTable({site}: {site: GlobalSite}) {
  const sectors = worst_sectors(site);
  if (sectors.length === 0) return null;
  return (
    <table class="counts sector-table">
      <thead><tr><th scope="col">sector</th><th scope="col">lanes</th><th scope="col">used bytes of 32</th></tr></thead>
      <tbody>
        {sectors.slice(0, most_sectors).map(({number, lanes, used}) => (
          <tr key={number}><th scope="row">{number}</th><td>{lanes_text(lanes)}</td>
            <td class="n">{used.size} <span class="bar" aria-hidden="true" style={{'--all': used.size / sector_bytes, '--gone': 0}} /></td></tr>
        ))}
        {sectors.length > most_sectors && <tr><td colSpan={3}>and {count_of(sectors.length - most_sectors, 'more sector')}</td></tr>}
      </tbody>
    </table>
  );
}

const titles: Record<GlobalSite['space'], string> = {
  global: 'Global memory', local: 'Local memory', texture: 'Textures', surface: 'Surfaces',
};
const named: Record<GlobalSite['space'], string> = {
  global: 'of global memory', local: 'of local memory', texture: 'of a texture', surface: 'of a surface',
};

/** Returns a sentence with the interval of the sectors if they are estimated from a sample of the blocks. */
function within_text(of: Within | null): string {
  return of ? `The number is estimated. In nine of ten cases, it is between ${grouped(of.low)} and ${grouped(of.high)} sectors.` : '';
}

/** If a line has several instructions, shows the sectors of all of them. */
function LineText({sites}: {sites: readonly GlobalSite[]}) {
  const sum = sectors_of(sites);
  if (sum === null || sites.filter(({space}) => space === 'global').length < 2) return null;
  return <p>{count_of(sum.sectors, 'sector')} in total, ideal {grouped(sum.ideal)}. {within_text(sum.within)}</p>;
}

export function GlobalText({sites}: {sites: readonly GlobalSite[]}) {
  const first = sites[0];
  if (!first) return null;
  return (
    <section aria-label="Global memory">
      <h3>{sites.every(({space}) => space === first.space) ? titles[first.space] : titles.global}</h3>
      <LineText sites={sites} />
      {sites.slice(0, most_sites).map((site, i) => (
        <div key={`${site.function ?? ''}:${site.pc}:${site.op}`} class="global-site">
          <p class="mono">{hex(site.pc)}  {site.sass}</p>
          <p>
            <b>{count_of(site.sectors, 'sector')}</b> {named[site.space]} for {count_of(site.requests, 'request')}, ideal {grouped(site.sectors_ideal)}
            , {count_of(site.tag_requests, 'line')} looked up in L1. {within_text(within_of([site]))}
          </p>
          {site.reason && <p>{site.reason}.</p>}
          {site.remedy && <p class="note">Remedy: {site.remedy}: {count_of(site.sectors_after ?? 0, 'sector')} instead of {grouped(site.sectors)}.</p>}
          {i === 0 && site.excess_sectors > 0 && <SectorTable site={site} />}
        </div>
      ))}
      {sites.length > most_sites && <p class="note">and {count_of(sites.length - most_sites, 'more instruction')}</p>}
    </section>
  );
}
