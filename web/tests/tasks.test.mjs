// Tests the tasks of a reader who sees a report for the first time: find the worst line, see the reason, get the fix,
// try another padding, send the page to a colleague. Each task takes at most three clicks. Also measures how long the
// page takes.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launch, soon, visit} from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bankwise = process.env.BANKWISE ?? join(root, 'build/release/cli/bankwise');
const folder = mkdtempSync(join(tmpdir(), 'bankwise-tasks-')), path = join(folder, 'report.html');

let browser;
before(async () => {
  browser = await launch();
  // Writes the report of one example kernel as HTML.
  execFileSync(bankwise, ['run', join(root, 'examples/transpose.cubin'), '-k', 'transpose_plain', '--grid', '2,2', '--block', '32,8', '--arg',
    'out:f32[64*64]', '--arg', 'f32[64*64]=iota', '--arg', 'i32=64', '--format', 'html', '-o', path]);
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

/** Returns whether an element is visible without scrolling. */
const in_sight = (locator) => locator.evaluate((element) => {
  const {left, top, right, bottom} = element.getBoundingClientRect();
  const seen = document.elementFromPoint((left + Math.min(right, innerWidth)) / 2, (top + bottom) / 2);
  return top >= 0 && bottom <= innerHeight && left >= 0 && seen !== null && (element.contains(seen) || seen.contains(element));
});

function task(name, most_clicks, act) {
  for (const [width, height] of [[1440, 900], [1280, 720]]) {
    test(`${name}, in ${most_clicks} clicks, ${width} x ${height}`, () => visit(browser, '', async (page) => {
      let clicks = 0;
      await page.exposeFunction('clicked', () => { clicks++; });
      await page.evaluate(() => addEventListener('pointerdown', () => window.clicked(), true));
      await act(page);
      assert.ok(clicks <= most_clicks, `${clicks} clicks, but at most ${most_clicks} are allowed`);
    }, {path, width, height, ready: '.report'}));
  }
}

const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

describe('a new user', () => {
  task('finds the worst line', 0, async (page) => {
    const finding = page.locator('#findings .row').first(), line = page.locator('#source [aria-selected=true]');
    await soon(async () => assert.match(await finding.innerText(), /transpose\.cu:18/));
    await soon(async () => assert.match(await line.innerText(), /^\s*18/));
    for (const one of [finding, line, page.locator('.program-verdict')]) assert.ok(await in_sight(one));
  });

  task('sees why', 1, async (page) => {
    await page.locator('#findings .row').first().click();
    const why = page.locator('.panel .reason').first();
    await soon(async () => assert.match(await why.innerText(), /Bank 7 must serve 32 words in one phase.*multiples of 128 bytes/));
    assert.ok(await in_sight(why));
    await page.locator('.panel .picture svg').waitFor();
  });

  task('gets the fix', 1, async (page) => {
    const button = page.getByRole('button', {name: 'Copy the fix'});
    await soon(async () => assert.ok(await in_sight(button)));
    await button.click();
    await soon(async () => assert.equal(await copied(page), '__shared__ float tile[tile_side][tile_side + 1];'));
  });

  task('tries another padding', 2, async (page) => {
    await page.getByRole('button', {name: 'Try other paddings'}).click();
    const slider = page.getByRole('slider');
    await slider.waitFor();
    await soon(async () => assert.ok(await in_sight(slider)));
    const {x, y, width, height} = await slider.boundingBox();
    await page.mouse.click(x + width * 0.51, y + height / 2);
    await soon(async () => assert.match(await page.locator('.padding-trial [role=status]').innerText(), /^64 bytes: 2,176 wavefronts instead of 4,224/));
    await soon(async () => assert.match(await page.locator('.pipes').innerText(), /with this padding, and 4,224 without/));
  });

  task('sends it to a colleague', 1, async (page) => {
    await page.getByRole('button', {name: 'Copy summary'}).click();
    await soon(async () => assert.match(await copied(page), /transpose_plain.*[^]*1\.2\d times as fast[^]*transpose\.cu:18[^]*\+ .*\[tile_side \+ 1\];/));
    // The summary contains no path of this machine. The page requests no other file, which visit() checks.
    assert.ok(!(await copied(page)).includes(root));
  });
});
