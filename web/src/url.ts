// Decides when the URL follows typing or dragging. The URL normally changes immediately, so that a reload loses no
// letter. But browsers refuse many changes in a short time (Safari: 100 in 30 seconds), so a long drag is written when
// it pauses.

const budget = 60, within_ms = 30_000, after_ms = 200;

let written_at: number[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: string | null = null;

/** Writes pending changes now. Called before a click leads to another page, and when the page closes. */
export function flush_url() {
  clearTimeout(timer);
  const hash = waiting;
  waiting = null;
  if (hash !== null && hash !== location.hash) history.replaceState(null, '', hash);
}

/** Drops pending changes, because the reader has gone to another place. */
export function forget_url() {
  clearTimeout(timer);
  waiting = null;
}

export function follow_url(hash: string) {
  waiting = hash;
  clearTimeout(timer);
  const now = Date.now();
  written_at = written_at.filter((at) => now - at < within_ms);
  if (written_at.length < budget) {
    written_at.push(now);
    try {
      return flush_url();
    } catch {
      waiting = hash;  // the browser refused the change, so it is tried again a little later
    }
  }
  timer = setTimeout(flush_url, after_ms);
}

/** Returns the address of the explorer in links. This is the address of this page or, if the page is a local file, of
    the site (scripts/build-site writes it). */
export function explorer_address(): string {
  const site = document.querySelector<HTMLMetaElement>('meta[property="og:url"]')?.content ?? '';
  return location.protocol === 'file:' && /^https?:/.test(site) ? site : location.href.replace(/#.*$/, '');
}

addEventListener('pagehide', flush_url);
addEventListener('beforeunload', flush_url);
