// Tests every view in the forms in which readers see it: on a large and a small screen, on a phone, dark, on paper,
// with forced colours, at 200 %. No element overlaps another element, is cut off or cannot be reached. Every text can
// be read, and the view equals the saved screenshot.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launch, same_view, visit, weak_texts} from './browser.mjs';
import {write_difference, write_page} from './fill.mjs';
import {overlapping_boxes, wrong_looks} from './looks.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bankwise-seen-'));
const [path, noted, diff] = ['report.html', 'noted.html', 'diff.html'].map((name) => join(folder, name));
const root = fileURLToPath(new URL('../..', import.meta.url)), bankwise = process.env.BANKWISE ?? join(root, 'build/release/cli/bankwise');
const data = JSON.parse(readFileSync(new URL('report.json', import.meta.url), 'utf8'));

let browser;
before(async () => {
  browser = await launch();
  write_page(path, data);
  // Makes a report with notes, and with numbers that are shorter than their headings.
  spawnSync(bankwise, ['run', join(root, 'tests/kernels/races.cubin'), '-k', 'reads_early', '--block', '256', '--arg', 'out:i32[256]', '--check', 'race',
    '--time-model', 'off', '--format', 'html', '-o', noted]);
  for (const {sites} of data.report.launches) for (const site of sites) site.text = data.sources[site.path].split('\n')[site.line - 1].trim();
  write_difference(diff, data.report);
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

/* `whole` includes the part that is reached by scrolling. */
const views = [
  {name: 'wide', width: 1440, height: 900},
  {name: 'laptop', width: 1280, height: 720},
  {name: 'phone', width: 390, height: 844, whole: true},
  {name: 'dark', width: 1440, height: 900, dark: true},
  {name: 'print', width: 794, height: 1123, print: true, whole: true},  // A4
  {name: 'print', at_night: true, width: 794, height: 1123, dark: true, print: true, whole: true},
  {name: 'forced', width: 1280, height: 720, forced: true},
  {name: 'zoomed', width: 640, height: 360, whole: true},               // 1280 x 720 at 200 %
];
const column = '#explain?expr=tile[t][0]&array=float+tile[32][32]';
const shown = [
  {name: 'explorer', hash: column, ready: '.picture svg'},
  {name: 'compare', hash: `${column}&b.pad=128:4`, ready: '.picture svg'},
  {name: 'report', hash: '', path, ready: '#source [aria-selected=true]'},
  {name: 'diff', hash: '', path: diff, ready: '.diff-page'},
  {name: 'noted', hash: '', path: noted, ready: '#source [aria-selected=true]'},
  {name: 'panel', hash: '#report?launch=0&pc=624&open=1', path, ready: '.panel .picture svg'},
];

describe('is seen whole, and as it was', () => {
  for (const {name, hash, ...what} of shown) {
    for (const {name: view, print = false, whole = false, at_night = false, ...how} of views) {
      test(`${name}-seen-${view}${at_night ? ', at night' : ''}`, () => visit(browser, hash, async (page) => {
        if (print) await page.emulateMedia({media: 'print'});
        await page.waitForTimeout(300);
        assert.deepEqual(await wrong_looks(page, print), []);
        assert.deepEqual(await weak_texts(page), []);
        // On a small screen, an open panel covers the page. The panel has its own scroll bar.
        await same_view(page, `${name}-seen-${view}`, whole && !(name === 'panel' && !print));
      }, {...what, ...how}));
    }
  }
});

describe('the parts of a report share no place', () => {
  const parts = ['.report-head', '.program-verdict', '.launches', '.matter', '.notes', '.findings', '.the-fix', '.pane', '.panel'];
  for (const [width, height] of [[1280, 720], [1366, 768], [1440, 900]]) {
    for (const open of [false, true]) {
      test(`${width} x ${height}, ${open ? 'with' : 'without'} a panel`, () => visit(browser, '', async (page) => {
        for (const [i, {sites}] of data.report.launches.entries()) {
          const worst = sites.reduce((a, b) => b.removable > a.removable ? b : a);
          await page.evaluate((hash) => { location.hash = hash; }, `#report?launch=${i}${open ? `&pc=${worst.pc}&open=1` : ''}`);
          await page.waitForTimeout(150);
          assert.equal(await page.locator('.panel').count(), open ? 1 : 0);
          assert.deepEqual(await overlapping_boxes(page, parts), [], `launch ${i}`);
          assert.deepEqual(await wrong_looks(page), [], `launch ${i}`);
          // If a part does not fit, the reader can scroll to it.
          const out = await page.evaluate(() => [...document.querySelectorAll('.report-body > *')].filter((one) => one.getBoundingClientRect().bottom > innerHeight + 1
            && getComputedStyle(one.parentElement).overflowY !== 'auto').map((one) => one.className));
          assert.deepEqual(out, []);
        }
      }, {path, width, height, ready: '#source [aria-selected=true]'}));
    }
  }
});
