// Runs axe-core on every view: names, roles, contrast, order of headings, landmarks. Exits with 77 if npm has not
// installed axe-core.

import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launch, visit} from './browser.mjs';
import {add_timeline, write_difference, write_page} from './fill.mjs';

const axe = fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url));
if (!existsSync(axe)) {
  console.log('Skipped: axe-core is not installed; run npm ci in web/.');
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), 'bankwise-axe-')), report = join(folder, 'report.html'), diff = join(folder, 'diff.html'), timeline = join(folder, 'timeline.html');

let browser;
before(async () => {
  browser = await launch();
  const data = JSON.parse(readFileSync(new URL('report.json', import.meta.url), 'utf8'));
  write_page(report, data);
  write_difference(diff, data.report);
  write_page(timeline, add_timeline(data));
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

async function findings(page, act) {
  await act?.(page);
  await page.waitForTimeout(300);
  await page.evaluate(readFileSync(axe, 'utf8'));
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
  return violations.map(({id, help, nodes}) => `${id}: ${help}: ${nodes.slice(0, 3).map(({html, failureSummary}) =>
    `${html.slice(0, 160)} (${failureSummary.split('\n').slice(1, 2).join(' ').trim().slice(0, 160)})`).join('; ')}`);
}

const views = [
  ['the explorer', '#explain?expr=tile[t][0]&array=float+tile[32][32]', {ready: '.verdict'}],
  ['the explorer with all that can be opened', '#explain?expr=tile(t,0)&array=float+tile+(32,32):(32,1)&colour=wavefront&tile=bank&b.expr=t&b.type=float', {ready: '.tile canvas',
    act: async (page) => {
      for (const find of await page.getByRole('button', {name: 'Best layout'}).all()) await find.click();
      await page.getByText('The picture as tables').first().click();
    }}],
  ['the explorer with a question that has no answer', '#explain?expr=tile[t][', {ready: '.explorer'}],
  ['the report', '', {path: report, ready: '.report'}],
  ['the report with its panel', '#report?launch=0&pc=624', {path: report, ready: '.panel .picture svg'}],
  ['the report with all that can be opened', '#report?launch=0&pc=624', {path: report, ready: '.panel .picture svg', act: async (page) => {
    for (const summary of await page.locator('.panel summary').all()) await summary.click();
    await page.getByRole('button', {name: 'Best padding'}).click();
    if (page.viewportSize().width < 760) return;  // the panel covers the other parts of the page
    await page.getByRole('button', {name: 'Wrap'}).click();
    await page.fill('.search input', 'lds');
  }}],
  ['the report, one launch', '#report?launch=3', {path: report, ready: '.report'}],
  ['the timeline of a program', '', {path: timeline, ready: '.report', act: (page) => page.locator('.timeline summary').click()}],
  ['two reports side by side', '', {path: diff, ready: '.diff-page'}],
];
const ways = {
  light: {}, dark: {dark: true}, 'in forced colours': {forced: true}, 'in forced colours, dark': {forced: true, dark: true}, 'on a phone': {width: 390, height: 844},
};
describe('axe-core finds nothing in', () => {
  for (const [name, hash, options] of views) {
    for (const [how, seen] of Object.entries(ways)) {
      test(`${name}, ${how}`, () => visit(browser, hash, async (page) => assert.deepEqual(await findings(page, options.act), []), {...options, ...seen}));
    }
  }
  for (const [how, seen] of Object.entries(ways)) {
    test(`the keys, ${how}`, () => visit(browser, '', async (page) => {
      await page.keyboard.press('?');
      assert.deepEqual(await findings(page), []);
    }, {path: report, ready: '.report', ...seen}));
  }
});
