// Tests the report in real Chromium, opened from a file, with the actions of a user.
//
// report.json contains the data that `bankwise run --format html` writes into the page for kernels of examples/. The
// second launch has a count that was added by hand.

import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {PNG} from 'pngjs';
import {launch, nameless_controls, place_of, soon, visit, weak_texts} from './browser.mjs';
import {add_timeline, fill, large_report, words_of} from './fill.mjs';

const report = () => JSON.parse(readFileSync(new URL('report.json', import.meta.url), 'utf8'));
/* If bankwise cannot read a modified report, the page gets the sentences of the original report. */
let usual_words;
function words(data) {
  usual_words ??= words_of(report().report);
  try {
    return words_of(data.report);
  } catch {
    return usual_words;
  }
}
const transpose = '/home/me/bankwise/examples/transpose.cu', mma = '/home/me/bankwise/examples/mma_tile.cu';
const bankwise = process.env.BANKWISE ?? fileURLToPath(new URL('../../build/release/cli/bankwise', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bankwise-report-'));

let browser, files = 0;
before(async () => { browser = await launch(); });
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

/** Opens a page that contains a report. */
function look(data, hash, act, options = {}) {
  const path = join(folder, `${files++}.html`);
  writeFileSync(path, fill({...words(data), ...data}));
  return visit(browser, hash, act, {...options, path, ready: '.report, .report-empty'});
}

const selected = (page, list) => page.locator(`#${list} [aria-selected=true]`);
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));

describe('report', () => {
  test('shows the costliest launch, whether it matters, and its worst line', () => look(report(), '', async (page) => {
    await soon(async () => assert.equal(await page.title(), 'transpose_plain - bankwise'));
    await soon(async () => assert.match(await selected(page, 'launches').innerText(), /^transpose_plain\n/));
    const matter = await page.locator('.matter').innerText();
    assert.match(matter, /67,584 clocks; 4,096 with the best layout/);
    assert.match(matter, /6,272 clocks, at 4 warp instructions per clock/);
    assert.match(matter, /4,096 with the best layout/);
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*18\s*65,536\s*2,048\s*63,488\s*63,488/));
    // The instructions and PTX lines of the row are highlighted.
    await soon(async () => assert.ok((await page.locator('#sass .linked').allInnerTexts()).filter((text) => text.includes('LDS')).length === 4));
    await page.getByRole('button', {name: 'PTX', exact: true}).click();
    await soon(async () => assert.ok((await page.locator('#ptx .linked').allInnerTexts()).some((text) => text.includes('ld.shared.f32'))));
    await soon(async () => assert.equal(await hash(page), ''));
    // a heading needs no separate name: its text is its name
    assert.deepEqual((await nameless_controls(page)).filter((html) => !html.startsWith('<h2 ')), []);
    await page.getByRole('button', {name: 'SASS', exact: true}).click();
  }));

  /** Returns a report with nine launches of different kernels, which are equal to one launch of the usual report. */
  function nine_of(name) {
    const data = report(), one = data.report.launches.find((launch) => launch.name === name);
    data.report.launches = Array.from({length: 9}, (_, i) => ({...one, count: 1, name: `k${i}`, instance: `k${i}`, kernel: `k${i}(int)`, mangled: `k${i}`}));
    return data;
  }

  test('shows at least seven launches at 1440 x 900', () => look(nine_of('transpose_plain'), '', async (page) => {
    await soon(async () => assert.equal(await page.evaluate(() => {
      const box = document.querySelector('.launch-box .list').getBoundingClientRect();
      return [...document.querySelectorAll('.launch-box .row')].map((row) => row.getBoundingClientRect())
        .filter(({top, bottom}) => top >= box.top - 1 && bottom <= Math.min(box.bottom, innerHeight) + 1).length;
    }), 8));
    // A heading has one line, or several whole words.
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.launch-columns > *, .columns .gutter > * > span')].filter((head) => {
      const text = head.textContent.trim(), word = document.createRange(), node = [...head.childNodes].findLast(({nodeType}) => nodeType === 3);
      if (!node) return false;
      return [...node.data.matchAll(/\S+/g)].some(({0: one, index}) => {
        word.setStart(node, index);
        word.setEnd(node, index + one.length);
        return new Set([...word.getClientRects()].map(({top}) => Math.round(top))).size > 1;
      }) || head.querySelector('wbr') !== null || text.includes('\u00ad');
    }).map((head) => head.textContent)), []);
  }, {width: 1440, height: 900}));

  test('shows no column of launches that is empty in every row', async () => {
    for (const [name, is_there] of [['transpose_plain', true], ['transpose_padded', false]]) {
      await look(nine_of(name), '', async (page) => {
        await page.waitForSelector('.launch-box .row');
        for (const head of ['removable', 'excess']) {
          assert.equal(await page.locator(`.launch-columns .${head}`).isVisible(), is_there, `${name}: ${head}`);
          assert.equal(await page.locator(`.launch-box .row .${head}`).first().isVisible(), is_there, `${name}: ${head} of a row`);
        }
        // Each number is below its heading.
        for (const of of is_there ? ['removable', 'cycles', 'wavefronts', 'excess'] : ['cycles', 'wavefronts']) {
          const [right, wanted] = await Promise.all([`.launch-box .row .${of}`, `.launch-columns .${of}`].map(async (what) =>
            (await place_of(page.locator(what).first()))[2]));
          assert.ok(Math.abs(right - wanted) <= 2, `${name}: ${of} ends at ${right}, its heading at ${wanted}`);
        }
      }, {width: 1440, height: 900});
    }
  });

  test('shows the layout that run --fix found, with its code', async () => {
    const path = join(folder, 'fixes.html'), root = fileURLToPath(new URL('../..', import.meta.url));
    execFileSync(process.env.BANKWISE ?? join(root, 'build/release/cli/bankwise'), [
      'run', join(root, 'examples/transpose.cubin'), '-k', 'transpose_plain', '--grid', '2,2', '--block', '32,8', '--arg', 'out:f32[64*64]',
      '--arg', 'f32[64*64]=iota', '--arg', 'i32=64', '--fix', '--array', 'float tile[32][32]', '--format', 'html', '-o', path]);
    await visit(browser, '', async (page) => {
      await page.locator('#sass .row', {hasText: 'LDS R21'}).click();
      const fix = page.locator('.panel .fix');
      await fix.waitFor();
      const text = await fix.innerText();
      assert.match(text, /Of float tile\[32\]\[32\], over all its accesses/);
      assert.match(text, /rows of 132 bytes instead of 128: 256 wavefronts instead of 4,224, the lower bound; 128 extra bytes/);
      assert.match(text, /__shared__ float tile\[32\]\[32 \+ 1\];/);
      assert.match(text, /accessed on transpose\.cu:15, 18/);
      await fix.locator('summary').click();
      assert.match(await fix.innerText(), /Swizzle<5,2,5> over bytes, Swizzle<5,0,5> over elements: 256 wavefronts/);
      assert.deepEqual(await weak_texts(page), []);
    }, {path, ready: '.report'});
  });

  /** Returns the page and the text of `bankwise run` for the same launch. */
  function run(name, file, ...flags) {
    const path = join(folder, `${name}.html`), root = fileURLToPath(new URL('../..', import.meta.url));
    const written = (...more) => {
      const {status, stdout, stderr} = spawnSync(bankwise, ['run', join(root, file), '-k', name, ...flags, ...more], {encoding: 'utf8'});
      assert.ok(status === 0 || status === 1, stderr);  // exit status 1 means that --check has found something
      return stdout;
    };
    written('--format', 'html', '-o', path);
    return {path, ready: '.report', text: written()};
  }
  const line = (text, what) => text.split('\n').find((one) => what.test(one)).replace(/^\s*\d+\. /, '').trim();
  const no_findings = async (page) => assert.doesNotMatch(await page.locator('.summary').innerText(), /no findings|could remove/i);

  test('says what is out of bounds, and leads there', async () => {
    const made = run('past_the_end', 'tests/kernels/faults.cubin', '--faults', 'report', '--arg', 'out:f32[31]', '--arg', 'i32=32');
    const what = line(made.text, /right after the end of argument 1/), where = line(made.text, /1 lane access in 1 execution/);
    assert.match(what, /^writes 4 bytes right after .*\(124 bytes at /);
    await visit(browser, '', async (page) => {
      const notes = page.locator('.summary .notes');
      await soon(async () => assert.ok((await notes.innerText()).includes(what)));
      const says = await notes.innerText();
      for (const one of [where, line(made.text, /^1 instruction accessed global memory out of bounds/), line(made.text, /--faults stop/)]) {
        assert.ok(says.includes(one), `${one} is not in ${says}`);
      }
      await no_findings(page);
      assert.equal(await page.getByRole('img', {name: '1 instruction accessed global memory out of bounds'}).count(), 1);
      // Line 7, which accesses memory out of bounds, is selected at first. After another line is selected, a click on
      // the link in the notes selects line 7 again, and the panel shows the notes about this line.
      await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*7\s*(\d+%)?\s+4\s+if \(i < n\) out\[i\]/));
      await page.locator('#source .row[data-row="0"]').click();
      await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*1\s/));
      await notes.getByRole('button', {name: 'faults.cu:7'}).click();
      await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*7(\d+%)?\s/));
      const panel = page.locator('.panel');
      await soon(async () => assert.ok((await panel.innerText()).includes(what)));
      assert.match(await panel.innerText(), /^STG\.E[^]*pc 0xc0 STG\.E/);
      assert.deepEqual(await weak_texts(page), []);
    }, made);
  });

  test('says how execution came to what is out of bounds', async () => {
    const made = run('calls', 'tests/kernels/faults.cubin', '--faults', 'report', '--arg', 'out:f32[32]', '--arg', 'i32=32');
    await visit(browser, '#report?launch=0&line=faults.cu:69&open=1', async (page) => {
      for (const what of [/inlined at faults/, /called at faults/]) {
        await soon(async () => assert.ok((await page.locator('.panel').innerText()).includes(line(made.text, what))));
      }
    }, made);
  });

  test('shows which loops around a compare-and-swap retry', async () => {
    const made = run('spinning_floats', 'tests/kernels/forms.cubin', '--arg', 'out:u32[1024]', '--arg', 'i32=0', '--arg', 'i32=1');
    const what = line(made.text, /rounds of a retry loop/);
    assert.match(what, /31 because lanes queue for one word$/);
    await visit(browser, '', async (page) => {
      const notes = page.locator('.summary .notes');
      await soon(async () => assert.ok((await notes.innerText()).includes(what)));
      assert.match(await notes.innerText(), /^loops around a compare-and-swap/);
      await no_findings(page);
      await notes.getByRole('button', {name: 'forms.cu:97'}).click();
      const panel = page.locator('.panel');
      await panel.locator('.picture svg').waitFor();
      const text = await panel.innerText();
      assert.match(text, /^ATOMS\.CAST\.SPIN/);
      assert.ok(text.includes(what));
      assert.match(text, /in the loop 0x4a0 to 0x4e0/);
      assert.match(text, /32 rounds of a retry loop that warps entered 1 time: 31 because lanes queue for one word/);
      assert.doesNotMatch(text, /Nothing to save: this instruction/);
      // Another line of the launch does not show this note.
      await page.locator('#source .row', {hasText: 'out[threadIdx.x] = line[threadIdx.x];'}).first().click();
      await soon(async () => assert.match(await panel.innerText(), /^LDS/));
      assert.ok(!(await panel.innerText()).includes('rounds of a retry loop'));
    }, made);
  });

  test('shows next to a finding that its line retries', async () => {
    const made = run('spinning_floats', 'tests/kernels/forms.cubin', '--arg', 'out:u32[1024]', '--arg', 'i32=32', '--arg', 'i32=1024');
    const what = line(made.text, /rounds of a retry loop/);
    assert.match(what, /words of one bank/);
    await visit(browser, '', async (page) => {
      // The launch has one block, so it also has findings about delays.
      const conflict = page.locator('#findings .row', {hasText: /forms\.cu:97\s*496/});
      await soon(async () => assert.equal(await conflict.count(), 1));
      const row = await conflict.innerText();
      assert.ok(row.includes(what), row);
      await conflict.click();
      const panel = page.locator('.panel');
      await soon(async () => assert.match(await panel.innerText(), /^LDS/));
      assert.ok((await panel.innerText()).includes(what));
    }, made);
  });

  test('says what --check found', async () => {
    const made = run('reads_early', 'tests/kernels/races.cubin', '--block', '256', '--arg', 'out:i32[256]', '--check', 'race');
    const what = 'a read may happen before the write';
    assert.ok(made.text.includes(what));
    await visit(browser, '', async (page) => {
      const notes = page.locator('.summary .notes');
      await soon(async () => assert.ok((await notes.innerText()).includes(what)));
      assert.match(await notes.innerText(), /^1 hazard of shared memory/);
      await no_findings(page);
      await notes.getByRole('button', {name: 'races.cu:12'}).first().click();
      await soon(async () => assert.match(await page.locator('.panel').innerText(), /LDS[^]*a read may happen before the write[^]*no barrier orders the two accesses\. Add __syncthreads/));
    }, made);
    const ordered = run('reads_in_order', 'tests/kernels/races.cubin', '--block', '256', '--arg', 'out:i32[256]', '--check', 'race');
    await visit(browser, '', async (page) => {
      await soon(async () => assert.match(await page.locator('.findings').innerText(), /No findings[^]*No padding or swizzle would remove wavefronts/));
      assert.equal(await page.locator('.notes').count(), 0);
    }, ordered);
  });

  test('shows what wgmma reads, and the tensor cores next to the pipe', async () => {
    const path = join(folder, 'wgmma.html'), root = fileURLToPath(new URL('../..', import.meta.url));
    const half = (seed) => ['--arg', `f16[64*64]=random:${seed}`];
    execFileSync(process.env.BANKWISE ?? join(root, 'build/release/cli/bankwise'), [
      'run', join(root, 'examples/hopper/wgmma_tile.cubin'), '-k', 'wgmma_plain', '--grid', '1', '--block', '128', '--arg', 'out:f32[64*64]',
      ...half(1), ...half(2), '--format', 'html', '-o', path]);
    await visit(browser, '#report?launch=0&pc=1488&open=1', async (page) => {
      const matter = await page.locator('.matter').innerText();
      assert.match(matter, /tensor cores\s*128 clocks, for wgmma at its full rate/);
      assert.match(await page.locator('.program-verdict').innerText(), /Removing the bank conflicts saves/);
      const panel = page.locator('.panel');
      await soon(async () => assert.match(await panel.innerText(), /HGMMA\.64x64x16/));
      const text = await panel.innerText();
      assert.match(text, /reads the operands of this instruction: 4,096 bytes in total, 128 bytes in each wavefront\. Layout type, strides and address cannot cause a conflict/);
      assert.match(text, /· wgmma\n/);
      assert.match(text, /passes\s*32\s*passes of the register file. For wgmma and tcgen05.mma: clocks of the tensor cores/);
      assert.match(text, /Measured: H100, data\/sm_90\/asynchronous/);
    }, {path, ready: '.report, .report-empty'});
  });

  test('opens an instruction on a click, and draws its worst access', () => look(report(), '', async (page) => {
    await page.locator('#sass .row', {hasText: 'LDS R21'}).click();
    const panel = page.locator('.panel');
    await panel.locator('.picture svg').waitFor();
    const text = await panel.innerText();
    assert.match(text, /LDS R21, \[R17\+0x20\]/);
    assert.match(text, /pc 0x280 · transpose\.cu:18 · PTX line/);
    assert.match(text, /32 wavefronts: a 32-way bank conflict on bank \d+; 1 is reachable, 31 removable/);
    assert.match(text, /15,872 removable/);
    assert.match(text, /best cycles\s+512/);
    assert.match(text, /must serve 32 words in one phase/);
    assert.match(text, /multiples of 128 bytes/);
    assert.match(text, /Measured: H200/);
    assert.match(text, /removable\s+15,872/);
    await soon(async () => assert.equal(await hash(page), '#report?launch=0&pc=640'));
    // The line is highlighted. The link leads to the same question in the explorer.
    await soon(async () => assert.match(await page.locator('#source .linked').innerText(), /^\s*18/));
    const link = await panel.getByRole('link', {name: 'Try padding and swizzles for this access'}).getAttribute('href');
    const question = new URLSearchParams(link.slice('#explain?'.length));
    assert.equal(question.get('addresses').split(',').length, 32);
    assert.deepEqual([question.get('op'), question.get('width'), question.get('arch')], ['ld', '4', 'sm_90']);
    // Selects a different instruction of the line, then closes the panel. The focus returns to the line.
    await panel.getByRole('combobox').selectOption({index: 3});
    await soon(async () => assert.match(await panel.innerText(), /LDS R25/));
    await page.keyboard.press('Escape');
    await soon(async () => assert.equal(await panel.count(), 0));
    await soon(async () => assert.ok(await page.evaluate(() => document.activeElement.id === 'sass' || document.activeElement.id === 'source')));
    await page.goBack();
    await page.goBack();
    await soon(async () => assert.equal(await selected(page, 'sass').count(), 0));
  }, {width: 1800}));

  const one_screen = [[1920, 1080], [1440, 900], [1280, 720], [1366, 650], [1100, 800], [800, 500]];
  for (const [width, height] of one_screen) {
    test(`is one screen with everything open, at ${width} x ${height}`, () => look(report(), '#report?launch=0&pc=624&open=1', async (page) => {
      await page.locator('.panel .picture svg').waitFor();
      await page.evaluate(() => { for (const one of document.querySelectorAll('details')) one.open = true; });
      await page.locator('.report-head').hover();
      await page.mouse.wheel(0, 3000);
      await page.waitForTimeout(200);
      assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth, scrollY,
        document.querySelector('.report').scrollTop]), [height, width, 0, 0]);
      // All parts of the panel can be reached by scrolling.
      const panel = page.locator('.panel');
      await panel.evaluate((element) => { element.scrollTop = element.scrollHeight; });
      assert.ok(await panel.evaluate((element) => element.lastElementChild.getBoundingClientRect().bottom <= innerHeight));
    }, {width, height}));
  }

  test('gives the place of the machine code to the panel', () => look(report(), '', async (page) => {
    const wide = async (id) => (await page.locator(`#${id}`).boundingBox()).width;
    const before = await wide('source');
    await page.locator('#source .row', {hasText: 'tile[threadIdx.x][threadIdx.y + j]'}).first().click();
    await page.locator('.panel .picture svg').waitFor();
    assert.deepEqual([await page.locator('#source').count(), await page.locator('#sass').count()], [1, 0]);
    assert.ok(await wide('source') > Math.max(before, 800), `${await wide('source')} pixels`);
    // The pane in which the reader chose a row stays visible.
    await page.getByRole('button', {name: 'SASS', exact: true}).click();
    await page.locator('#sass .row', {hasText: 'LDS R21'}).click();
    await soon(async () => assert.match(await page.locator('.panel').innerText(), /LDS R21/));
    assert.equal(await page.locator('#sass').count(), 1);
    await page.keyboard.press('Escape');
    await soon(async () => assert.deepEqual([await page.locator('#source').count(), await page.locator('#sass').count()], [1, 1]));
    await page.locator('#sass .row', {hasText: 'LDS R23'}).click();
    await soon(async () => assert.match(await page.locator('.panel').innerText(), /LDS R23/));
    assert.deepEqual([await page.locator('#source').count(), await page.locator('#sass').count()], [0, 1]);
  }, {width: 1440}));

  for (const [width, height] of [[1440, 900], [1280, 720], [390, 844]]) {
    test(`says what is wrong where, and what mends it, on its first screen of ${width} x ${height}`, () => look(report(), '', async (page) => {
      const worst = page.locator('.worst');
      assert.equal(await worst.innerText(), 'transpose.cu:18: 32-way bank conflict on bank 7, costs 63,488 removable wavefronts (93.9% of the shared-memory pipe). ' +
        'Fix: __shared__ float tile[32][32 + 1];');
      const {y, height: high} = await worst.boundingBox();
      assert.ok(y + high <= height, `${y + high}`);
    }, {width, height}));
  }

  test('cuts a long line before its access', () => look(report(), '', async (page) => {
    const row = page.locator('#source .row.selected'), right = async () => page.evaluate(() => {
      const row = document.querySelector('#source .row.selected'), range = document.createRange(), walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.data.includes('tile[')) range.setStart(node, node.data.indexOf('tile['));
      range.setEndAfter(row.lastChild);
      return range.getBoundingClientRect().right <= document.querySelector('#source').getBoundingClientRect().right;
    });
    await soon(async () => assert.equal(await row.locator('.cut').count(), 1));
    assert.ok(await right());
    await soon(async () => assert.equal(await page.locator('#findings .cut').count(), 1));
    // The complete line is shown and copied, even if the line is wrapped or searched.
    assert.match(await row.innerText(), /for \(int j[^]*tile\[threadIdx\.x\]\[threadIdx\.y \+ j\];$/);
    await page.getByRole('button', {name: 'Wrap'}).click();
    await soon(async () => assert.equal(await row.locator('.cut').count(), 0));
    await page.getByRole('button', {name: 'Wrap'}).click();
    await soon(async () => assert.equal(await row.locator('.cut').count(), 1));
    await page.fill('.search input', 'for (int');
    await soon(async () => assert.equal(await row.locator('.cut').count(), 0));
    await page.fill('.search input', '');
    await soon(async () => assert.equal(await row.locator('.cut').count(), 1));
    // If the line fits, nothing is hidden.
    await page.setViewportSize({width: 1690, height: 900});
    await page.locator('#source .row', {hasText: 'tile[threadIdx.x][threadIdx.y + j]'}).first().click();
    await soon(async () => assert.equal(await page.locator('#source .cut').count(), 0));
  }, {width: 1280}));

  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    test(`takes a source called ${name}`, async () => {
      const text = JSON.stringify(report()).replaceAll(mma, name), data = JSON.parse(text);
      await look(data, '', async (page) => {
        await page.fill('.search input', 'mma_plain');
        await soon(async () => assert.equal(await page.locator('.search-says').innerText(), 'not in this kernel; in 1 other kernel'));
        await page.keyboard.press('Enter');
        await soon(async () => assert.match(await selected(page, 'launches').innerText(), /^mma_plain/));
        await soon(async () => assert.match(await page.locator('.source .pane-head').innerText(), new RegExp(name)));
        assert.ok(await page.locator('#source .row').count() > 20);
      });
      // If the page does not contain the text of a file, there is no error.
      delete data.sources[name];
      await look(data, '', async (page) => {
        await page.fill('.search input', 'no such text');
        await soon(async () => assert.equal(await page.locator('.search-says').innerText(), 'not in this kernel'));
      });
    });
  }

  test('draws a copy that may fill with zeros as it was counted', async () => {
    const data = report(), site = data.report.launches[0].sites.find((one) => one.pc === 640);
    // The addresses are permuted within their lines. So the .cg takes several wavefronts, and twice as many if lanes
    // may get zeros.
    const lanes = Array.from({length: 32}, (_, lane) => lane);
    const addresses = lanes.map((lane) => (lane ^ (lane >> 3)) * 16), sources = lanes.map((lane) => lane < 28 ? lane * 16 : null);
    const listed = (list) => list.map((address) => address ?? '-').join(',');
    const asked = (...flags) => JSON.parse(execFileSync(bankwise, ['explain', '--op', 'cp.async.cg.16', '--source', listed(sources), ...flags,
      '--format', 'json', '--', listed(addresses)]));
    const expected = asked('--zfill');
    assert.equal(expected.zfill, true);
    assert.deepEqual(expected.source, sources);
    const whole = (flags) => JSON.parse(execFileSync(bankwise, ['explain', '--op', 'cp.async.cg.16', ...flags, '--format', 'json', '--',
      listed(addresses)]));
    assert.ok(whole(['--zfill']).wavefronts > whole([]).wavefronts);
    Object.assign(site, {op: 'cp.async.cg.16', width_bytes: 16});
    for (const [may_fill, copied, answer] of [[true, sources, expected], [true, lanes.map((lane) => lane * 16), whole(['--zfill'])]]) {
      site.worst = {mask: 'ffffffff', addresses, sources: copied, may_fill, wavefronts: answer.wavefronts, reachable: answer.reachable};
      await look(data, '#report?launch=0&pc=640&open=1', async (page) => {
        await soon(async () => assert.equal(await page.locator('.panel-verdict').innerText(), answer.verdict));
        // The explorer receives all parts of the question.
        await page.getByRole('link', {name: 'Try padding and swizzles for this access'}).click();
        await soon(async () => assert.equal(await page.getByLabel('Source').inputValue(), listed(copied)));
        assert.equal(await page.getByLabel('Zero fill').inputValue(), 'yes');
        await soon(async () => assert.ok((await page.locator('main, body').first().innerText()).includes(answer.verdict)));
      });
    }
  });

  test('a click on a line opens its worst instruction', () => look(report(), '', async (page) => {
    await page.locator('#source .row', {hasText: '= in[(y + j)'}).first().click();
    await soon(async () => assert.match(await page.locator('.panel').innerText(), /1 wavefront: no bank conflict/));
    await soon(async () => assert.equal(await hash(page), `#report?launch=0&line=${transpose}:15&open=1`));
    await page.locator('#source .row[data-row="0"]').click();
    await soon(async () => assert.match(await page.locator('.panel').innerText(), /does not access shared memory/));
  }));

  test('lights what belongs together while pointed at', () => look(report(), '', async (page) => {
    const position = {x: 60, y: 9};
    await page.locator('#source .row', {hasText: '__syncthreads'}).first().hover({position});
    await soon(async () => assert.match(await page.locator('#sass .hovered').innerText(), /BAR\.SYNC/));
    await page.locator('#sass .row', {hasText: 'STS [R16], R7'}).hover({position});
    await soon(async () => assert.match(await page.locator('#source .hovered').innerText(), /^\s*15/));
    await page.locator('h1').hover();
    await soon(async () => assert.equal(await page.locator('.hovered').count(), 0));
  }));

  test('a link restores a place, and Back the one before', () => look(report(), `#report?launch=4&line=${encodeURIComponent(mma)}:33`, async (page) => {
    await soon(async () => assert.match(await selected(page, 'launches').innerText(), /^mma_plain/));
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*33\s*2,560/));
    await soon(async () => assert.equal(await page.locator('.panel').count(), 0));
    await page.locator('#launches .row', {hasText: 'transpose_padded'}).click();
    await soon(async () => assert.match(await page.locator('.matter h2').innerText(), /^transpose_padded/));
    await soon(async () => assert.match(await page.locator('.findings').innerText(), /No padding or swizzle would remove wavefronts/));
    await page.goBack();
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*33/));
    await page.evaluate(() => { location.hash = '#report?launch=0&pc=624'; });
    await page.locator('.panel .picture svg').waitFor();
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /^\s*0270/));
    // If a hash names something that the report lacks, the page does not change.
    await page.evaluate(() => { location.hash = '#report?launch=99&pc=7'; });
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /^\s*0270/));
  }, {width: 1800}));

  test('a link by the file\'s name, with the inlining line', () => look(report(), '#report?launch=4&line=mma_tile.cu:33&open=1', async (page) => {
    await page.locator('.panel').getByRole('button', {name: 'mma_tile.cu:70'}).click();
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*70/));
    await soon(async () => assert.equal(await hash(page), `#report?launch=4&line=${mma}:70&open=1`));
  }));

  test('sorts launches, and adds up kernels', () => look(report(), '', async (page) => {
    const first = () => page.locator('#launches .row').first().innerText();
    await page.getByRole('button', {name: 'by launch'}).click();
    await page.getByRole('button', {name: 'kernel', exact: true}).click();
    await soon(async () => assert.match(await first(), /^histogram_weighted/));
    await page.getByRole('button', {name: /^▴?kernel/}).click();
    await soon(async () => assert.match(await first(), /^transpose_plain/));
    await page.getByRole('button', {name: 'excess', exact: true}).click();
    await soon(async () => assert.match(await first(), /63,488/));
    for (let presses = 0; presses < 3; ++presses) await page.keyboard.press('s');  // kernel, time, removable
    await soon(async () => assert.equal(await page.locator('.launch-columns .removable').getAttribute('aria-pressed'), 'true'));
    await page.keyboard.press('Shift+S');
    await soon(async () => assert.match(await first(), /^transpose_padded/));
    await page.getByRole('button', {name: 'by kernel'}).click();
    await soon(async () => assert.equal(await page.locator('#launches .row').count(), 5));
    await soon(async () => assert.match(await page.locator('#launches .row', {hasText: 'transpose_plain'}).innerText(), /118,272[\s\S]*2 launches[\s\S]*4$/));
  }));

  test('searches kernels, source, machine code and PTX', () => look(report(), '', async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('plain');
    await soon(async () => assert.deepEqual((await page.locator('#launches .row .kernel').allInnerTexts()).map((text) => text.split('(')[0]),
      ['transpose_plain', 'mma_plain']));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('lds');
    await soon(async () => assert.match(await page.locator('.search-says').innerText(), /SASS 4/));
    await soon(async () => assert.equal(await page.locator('#sass mark').count(), 4));
    await page.keyboard.press('Enter');
    await soon(async () => assert.match(await page.locator('.search-says').innerText(), /^1 of/));
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /LDS R19/));
    await page.keyboard.press('Enter');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /LDS R21/));
    await page.keyboard.press('Shift+Enter');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /LDS R19/));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('ld.shared');
    await page.keyboard.press('Enter');
    await soon(async () => assert.match(await selected(page, 'ptx').innerText(), /ld\.shared\.f32/));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('no such text');
    await soon(async () => assert.equal(await page.locator('.search-says').innerText(), 'not in this kernel'));
    await soon(async () => assert.equal(await page.locator('#launches .row').count(), 5));
    await page.keyboard.press('Escape');
    await soon(async () => assert.equal(await page.locator('mark').count(), 0));
  }));

  test('goes by keyboard alone', () => look(report(), '', async (page) => {
    await page.keyboard.press('j');
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*19/));
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.locator('.panel .picture svg').waitFor();
    await page.waitForFunction(() => document.activeElement.tagName === 'H2');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement.id === 'source');
    await page.keyboard.press('2');
    await page.waitForFunction(() => document.activeElement.id === 'sass');
    await page.keyboard.press('Home');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /^\s*0000/));
    await page.keyboard.press('ArrowDown');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /^\s*0010/));
    const active = await page.locator('#sass').getAttribute('aria-activedescendant');
    await soon(async () => assert.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true'));
    await page.keyboard.press('n');
    await soon(async () => assert.match(await selected(page, 'findings').innerText(), /transpose\.cu:18/));
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*18/));
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({state: 'detached'});
    await page.waitForFunction(() => /transpose\.cu line 18, 65,536 wavefronts/.test(document.querySelector('[aria-live=polite].unseen').textContent));
  }));

  test('says what is missing', async () => {
    const data = report();
    data.sources = {};
    for (const code of data.code) code.ptx = '';
    await look(data, '', async (page) => {
      await soon(async () => assert.match(await page.locator('.pane.source').innerText(), /transpose\.cu was not found at \/home\/me\/bankwise.*run bankwise on the machine that has the file/s));
      await soon(async () => assert.equal(await page.locator('#source .row').count(), 2));
      await page.getByRole('button', {name: 'PTX', exact: true}).click();
      await soon(async () => assert.match(await page.locator('.pane.ptx').innerText(), /-lineinfo/));
    });
    const bare = report();
    bare.code = [];
    for (const site of bare.report.launches[0].sites) Object.assign(site, {file: '', path: '', line: 0, ptx_line: 0});
    await look(bare, '', async (page) => {
      await soon(async () => assert.match(await page.locator('.pane.source').innerText(), /has no line numbers\. Compile the code with -lineinfo/));
      await soon(async () => assert.equal(await page.locator('#sass .row').count(), bare.report.launches[0].sites.length));
      await soon(async () => assert.equal(await page.locator('#findings .row').count(), 4));
    });
    const idle = report();
    idle.report.launches[0].sites = [];
    for (const key of ['executed', 'wavefronts', 'ideal', 'reachable', 'cycles', 'shared_cycles_reachable']) idle.report.launches[0].totals[key] = 0;
    await look(idle, '#report?launch=0', async (page) => {
      await soon(async () => assert.match(await page.locator('.matter').innerText(), /No instruction of this launch uses the shared-memory pipe/));
      await soon(async () => assert.match(await page.locator('.findings').innerText(), /did not access shared memory/));
    });
    const stopped = report();
    const part = {partial: true, partial_reason: 'interrupted', signal: 'SIGTERM'};
    Object.assign(stopped.report, part);
    Object.assign(stopped.report.launches[0], {...part, grid: [264, 1, 1], ctas_executed: 37, ctas_begun: 39});
    await look(stopped, '#report?launch=0', async (page) => {
      await soon(async () => assert.equal(await page.locator('.matter .partial').innerText(),
        'Partial: 37 of 264 blocks, and a part of 2 more; stopped by SIGTERM.'));
    });
    await look(stopped, '#report?launch=1', async (page) => {
      await soon(async () => assert.match(await page.locator('.matter .partial').innerText(), /is complete, but the program was stopped by SIGTERM/));
    });
    await look({...report(), report: {...report().report, launches: []}}, '', async (page) => {
      await soon(async () => assert.match(await page.locator('main').innerText(), /This report has no launches/));
    });
    await look({...report(), report: {schema: 'bankwise.report/2', launches: []}}, '', async (page) => {
      await soon(async () => assert.match(await page.getByRole('alert').innerText(), /"bankwise\.report\/2"/));
    });
  });

  test('an access that cannot be asked says why', async () => {
    const data = report();
    data.report.launches[0].sites.find((site) => site.pc === 624).op = 'frobnicate';
    await look(data, '#report?launch=0&pc=624', async (page) => {
      await soon(async () => assert.match(await page.locator('.panel [role=alert]').innerText(), /cannot be drawn: .*frobnicate/));
    });
    const idle = report();
    const {sites, totals} = idle.report.launches[0], site = sites.find((one) => one.pc === 624);
    site.worst = {mask: '00000000', addresses: Array(32).fill(null), wavefronts: 0, reachable: 0};
    for (const key of ['wavefronts', 'ideal', 'reachable', 'cycles']) {
      if (key in totals) totals[key] -= site[key];
      site[key] = 0;
    }
    site.layout_floor = 0;
    await look(idle, '#report?launch=0&pc=624', async (page) => {
      await soon(async () => assert.match(await page.locator('.panel').innerText(), /No lane was active/));
    });
  });

  test('leads back to where one was, also by #report alone', () => look(report(), '#report?launch=0&pc=624', async (page) => {
    await page.getByRole('link', {name: 'Explorer'}).click();
    await page.getByRole('link', {name: 'Report'}).click();
    await page.locator('.panel .picture svg').waitFor();
    await soon(async () => assert.equal(await hash(page), '#report?launch=0&pc=624'));
    await page.evaluate(() => { location.hash = '#report'; });
    await page.waitForTimeout(100);
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /LDS R19/));
    await page.evaluate(() => { location.hash = '#explain'; });
    await page.waitForSelector('.explorer');
    await page.evaluate(() => { location.hash = '#report'; });
    await page.locator('.panel .picture svg').waitFor();
  }, {width: 1800}));

  test('a link that leads nowhere says what it names', () => look(report(), '#report?launch=9&sort=size', async (page) => {
    const says = async (wanted) => soon(async () => assert.match(await page.getByRole('alert').innerText(), wanted));
    await says(/launch 9, but the report has only the launches 0 to 5; and the sort key "size", which does not exist/);
    await page.evaluate(() => { location.hash = '#report?launch=0&line=nowhere.cu:7&colour=red'; });
    await says(/line nowhere\.cu:7, which this launch does not have; and colour, which is unknown/);
    await page.evaluate(() => { location.hash = '#frobnicate'; });
    await says(/"frobnicate", which this page does not have/);
    await page.evaluate(() => { location.hash = '#report?launch=0&line=transpose.cu:18'; });
    await soon(async () => assert.equal(await page.getByRole('alert').count(), 0));
  }));

  test('the order of the launches is in the URL', () => look(report(), '', async (page) => {
    const names = () => page.locator('#launches .kernel').allInnerTexts();
    await page.getByRole('button', {name: 'kernel', exact: true}).click();
    await page.getByRole('button', {name: /^▴?kernel/}).click();
    await page.getByRole('button', {name: 'by launch'}).click();
    await soon(async () => assert.match(await hash(page), /&sort=-name&by=launch$/));
    const before = await names();
    await page.reload();
    await page.waitForSelector('.report');
    await soon(async () => assert.deepEqual(await names(), before));
    assert.deepEqual(before, [...before].sort().reverse());
  }));

  test('opens with the possible saving: the verdict of all, the slowest kernel first, kernels added up, the rest dim', () =>
    look(report(), '', async (page) => {
      const {report: {launches}} = report();
      const won = launches.filter(({name}) => name === 'transpose_plain').reduce((sum, {totals, count}) => sum + totals.removable * count, 0);
      const verdict = await page.locator('.program-verdict').innerText();
      assert.match(verdict, /^A layout could remove 115,912 wavefronts of 8 launches/);
      assert.match(verdict, /115,912 wavefronts of 8 launches/);
      const rows = page.locator('#launches .row');
      await soon(async () => assert.equal(await rows.count(), 5));
      assert.ok((await rows.first().innerText()).includes(won.toLocaleString('en')));
      const time_of = (kernel) => launches.filter(({name}) => kernel.startsWith(name)).reduce((sum, {time, count}) => sum + (time?.microseconds ?? 0) * count, 0);
      const times = (await page.locator('#launches .row .kernel').allInnerTexts()).map(time_of);
      assert.deepEqual(times, [...times].sort((a, b) => b - a));
      assert.deepEqual(await page.locator('#launches .quiet .kernel').allInnerTexts(), ['transpose_padded']);
      // If the launches of a kernel are added up, the reader can still choose a single launch.
      const other = page.getByLabel('Launch of this kernel');
      assert.equal(await other.locator('option').count(), 2);
      await other.selectOption({index: 1});
      await soon(async () => assert.match(await page.locator('.facts').first().innerText(), /^grid 4, 4/));
    }));

  test('shows the fix as two lines of the source, before and after, and copies it', () => look(report(), '', async (page) => {
    const lines = page.locator('.the-fix .lines');
    await lines.waitFor();
    assert.deepEqual((await lines.locator('> div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()), [
      '- before: __shared__ float tile[tile_side][tile_side];', '+ after: __shared__ float tile[tile_side][tile_side + 1];']);
    const card = await page.locator('.the-fix').innerText();
    for (const said of [/transpose\.cu:13/, /128 extra bytes/, /67,584 wavefronts, 67,584 clocks/, /4,096 wavefronts, 6,272 clocks/]) {
      assert.match(card, said);
    }
    await page.getByRole('button', {name: 'Copy the fix'}).click();
    await soon(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '__shared__ float tile[tile_side][tile_side + 1];'));
    await page.getByRole('button', {name: 'Copy summary'}).click();
    await soon(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()),
      /transpose\.cu:18 {2}32-way bank conflict on bank 7, costs 63,488 removable wavefronts \(93\.9% of the shared-memory pipe\): for[^]*transpose\.cu:13\n- .*tile_side\];\n\+ .*tile_side \+ 1\];\nshared memory takes 4,096 clocks instead of 67,584/));
  }));

  test('a slider tries paddings on all accesses of the array, and moves the clocks of the launch', () => look(report(), '', async (page) => {
    const {paddings, most_clocks_won: most} = report().report.launches[0].fixes[0];
    const sum = (at) => paddings.tried[at].reduce((all, n) => all + n, 0), said = (n) => n.toLocaleString('en');
    await page.getByRole('button', {name: 'Try other paddings'}).click();
    const slider = page.getByRole('slider');
    await soon(async () => assert.ok(await slider.evaluate((element) => element === document.activeElement)));
    const place = async () => (await slider.boundingBox()).y;
    const before = await place(), clocks = 67584;
    for (const at of [1, 2, 16]) {
      await slider.fill(String(at));
      const status = page.locator('.padding-trial [role=status]');
      await soon(async () => assert.ok((await status.innerText()).includes(`${said(sum(at))} wavefronts`), await status.innerText()));
      const shared = clocks - Math.min(sum(0) - sum(at), most);
      await soon(async () => assert.match(await page.locator('.pipes').innerText(), new RegExp(`^shared pipe\\s+${said(shared)} clocks with this padding, and 67,584 without it`)));
      await soon(async () => assert.match(await page.locator('.panel h3', {hasText: 'The worst access'}).innerText(), /with the padding that you are trying/));
      assert.equal(await place(), before);  // no element moves under the pointer
    }
    await page.getByRole('button', {name: 'Best padding'}).click();
    // The drawing shows the addresses after the padding.
    await soon(async () => assert.match(await page.locator('.sliders ~ .panel-verdict').innerText(), /^1 wavefront: no bank conflict/));
    await page.getByRole('button', {name: 'As it is'}).click();
    await soon(async () => assert.match(await page.locator('.pipes').innerText(), /67,584 clocks; 4,096 with the best layout/));
  }));

  test('counts two clocks for each wavefront where the shared pipe of the architecture takes two', () => {
    const data = report(), [launch] = data.report.launches, [fix] = launch.fixes, most = 100_000;
    for (const counts of [launch.totals, ...launch.sites]) counts.cycles *= 2;
    Object.assign(fix, {clocks_per_wavefront: 2, most_clocks_won: most});
    return look(data, '', async (page) => {
      const sum = (at) => fix.paddings.tried[at].reduce((all, n) => all + n, 0), said = (n) => n.toLocaleString('en');
      const card = page.locator('.the-fix .pair');
      await soon(async () => assert.match(await card.innerText(), new RegExp(`before\\s+[\\d,]+ wavefronts, ${said(launch.totals.cycles)} clocks`)));
      await page.getByRole('button', {name: 'Try other paddings'}).click();
      for (const at of [1, 2, 16]) {
        await page.getByRole('slider').fill(String(at));
        const shared = launch.totals.cycles - Math.min(2 * (sum(0) - sum(at)), most);
        await soon(async () => assert.ok((await page.locator('.pipes').innerText()).includes(`${said(shared)} clocks with this padding`)));
      }
    });
  });

  test('colours the words of the source, warms its margin, and maps it', () => look(report(), '', async (page) => {
    const words = (kind) => page.locator(`#source .w-${kind}`).allInnerTexts();
    await soon(async () => assert.ok((await words('k')).includes('constexpr')));
    assert.ok((await words('t')).includes('__shared__'));
    assert.ok((await words('c')).some((text) => text.startsWith('// Four ways')));
    const heat = (line) => page.locator(`#source .row[data-row="${line - 1}"] .gutter`).evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.notEqual(await heat(18), await heat(15));
    // The map is drawn, and a click on the map scrolls the list.
    const drawn = await soon(async () => {
      const shot = PNG.sync.read(await page.locator('.pane.source .minimap').screenshot());
      let warm = 0;
      for (let i = 0; i < shot.data.length; i += 4) if (shot.data[i] > shot.data[i + 2] + 60) warm++;
      assert.ok(warm > 5);
      return warm;
    });
    assert.ok(drawn > 0);
    await page.locator('.pane.source .minimap').click({position: {x: 5, y: 330}});
    await soon(async () => assert.ok(await page.locator('#source').evaluate((list) => list.scrollTop) > 300));
  }));

  test('wraps, splits, and shows instructions on shared memory alone', () => look(report(), '', async (page) => {
    const long = page.locator('#source .row[data-row="17"]'), high = async () => (await long.boundingBox()).height;
    await soon(async () => assert.equal(await high(), 19));
    await page.getByRole('button', {name: 'Wrap'}).click();
    await soon(async () => assert.ok(await high() >= 38));
    assert.ok(await page.locator('#source').evaluate((list) => list.scrollWidth <= list.clientWidth + 1));
    // Wrapped text is complete, and its height is the computed height.
    assert.ok(await long.evaluate((row) => row.querySelector('.code').scrollHeight <= row.clientHeight + 1));
    const bar = page.getByRole('separator', {name: 'Between Source and SASS'}), wide = async () => (await page.locator('.pane.source').boundingBox()).width;
    const before = await wide(), {x, y} = await bar.boundingBox();
    await page.mouse.move(x + 2, y + 40);
    await page.mouse.down();
    await page.mouse.move(x + 202, y + 40);
    await page.mouse.up();
    await soon(async () => assert.ok(Math.abs(await wide() - before - 200) < 8, `${before} ${await wide()}`));
    await bar.focus();
    await page.keyboard.press('Enter');
    await soon(async () => assert.ok(Math.abs(await wide() - before) < 8));
    await page.getByRole('button', {name: 'Only shared memory'}).click();
    await soon(async () => assert.deepEqual((await page.locator('#sass .opcode').allInnerTexts()), ['STS', 'STS', 'STS', 'STS', 'LDS', 'LDS', 'LDS', 'LDS']));
    await page.locator('#sass .row').nth(5).click();
    await soon(async () => assert.match(await page.locator('.panel').innerText(), /^LDS R21/));
    await page.keyboard.press('o');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /LDS R21/));
  }));

  test('goes to the next hottest by a key', () => look(report(), '', async (page) => {
    await page.locator('#source').focus();
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*18/));
    await page.keyboard.press('h');
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*15/));
    await page.keyboard.press('Shift+H');
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*18/));
    await page.locator('#sass').focus();
    for (const wanted of [/LDS R19/, /LDS R21/, /LDS R23/]) {
      await page.keyboard.press('h');
      await soon(async () => assert.match(await selected(page, 'sass').innerText(), wanted));
    }
  }));

  test('searches by line, by pc, and in the kernels that are not shown', () => look(report(), '', async (page) => {
    const ask = async (text) => {
      await page.keyboard.press('/');
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    };
    await ask(':15');
    await page.keyboard.press('Enter');
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*15/));
    await ask('transpose.cu:18');
    await page.keyboard.press('Enter');
    await soon(async () => assert.match(await selected(page, 'source').innerText(), /^\s*18/));
    await ask('0x2a0');
    await page.keyboard.press('Enter');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /^\s*02a0/));
    await ask('ldsm');
    await soon(async () => assert.equal(await page.locator('.search-says').innerText(), 'not in this kernel; in 1 other kernel'));
    await page.keyboard.press('Enter');
    await soon(async () => assert.match(await selected(page, 'launches').innerText(), /^mma_plain/));
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /LDSM/));
  }));

  test('says its numbers with labels to a screen reader', () => look(report(), '', async (page) => {
    await page.locator('.the-fix').waitFor();
    const cdp = await page.context().newCDPSession(page);
    const {nodes} = await cdp.send('Accessibility.getFullAXTree');
    const options = nodes.filter(({role}) => role?.value === 'option').map(({name}) => name.value.replace(/\s+/g, ' '));
    for (const wanted of [
      /^line 18\s?65,536 wavefronts, 2,048 ideal, 63,488 excess, 63,488 removable, for \(int j/, /^pc 0270\s?16,384 wavefronts, .*15,872 removable, LDS R19/,
      /^transpose_plain ?, 111,104 removable, 118,272 clocks of the shared pipe, .* 4 times$/,
      /^finding 1\s?transpose\.cu:18 ?, 63,488 wavefronts, 93\.9% of the pipe, for/]) {
      assert.ok(options.some((name) => wanted.test(name)), `${wanted} is not one of ${options.slice(0, 3).join(' | ')}`);
    }
  }));

  test('prints whole', () => look(large_report(2000), '', async (page) => {
    await page.emulateMedia({media: 'print'});
    await soon(async () => assert.equal(await page.locator('#sass .row').count(), 2000));
    assert.equal(await page.locator('#source .row').count(), large_report(2000).sources['/home/me/large/unrolled.cu'].trimEnd().split('\n').length);
    assert.ok(await page.evaluate(() => [...document.querySelectorAll('.list, .panes, .summary, main')].every((one) =>
      one.scrollHeight <= one.clientHeight + 2 && one.scrollWidth <= one.clientWidth + 2)));
    await page.emulateMedia({media: 'screen'});
    await soon(async () => assert.ok(await page.locator('#sass .row').count() < 200));
    // A browser that prints does not wait: it prints the elements that exist when the handlers return. So all rows must
    // exist by then.
    const printed = await page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'));
      const rows = document.querySelectorAll('#sass .row').length;
      dispatchEvent(new Event('afterprint'));
      return rows;
    });
    assert.equal(printed, 2000);
  }));

  test('two reports side by side, line by line', async () => {
    const root = fileURLToPath(new URL('../..', import.meta.url)), path = join(folder, 'diff.html');
    const write = (kernel) => {
      const out = join(folder, `${kernel}.json`);
      execFileSync(bankwise, ['run', join(root, 'examples/transpose.cubin'), '-k', kernel, '--grid', '2,2', '--block', '32,8', '--arg', 'out:f32[64*64]',
        '--arg', 'f32[64*64]=iota', '--arg', 'i32=64', '--format', 'json', '-o', out]);
      return out;
    };
    const [a, b] = [write('transpose_plain'), write('transpose_padded')];
    // Makes a report of the same kernel after the change.
    writeFileSync(b, readFileSync(b, 'utf8').replaceAll('transpose_padded', 'transpose_plain').replaceAll('16transpose', '15transpose'));
    execFileSync(bankwise, ['diff', a, b, '--format', 'html', '-o', path]);
    await visit(browser, '', async (page) => {
      assert.equal(await page.locator('.program-verdict').innerText(), '-3,968 wavefronts, and -3,968 removable wavefronts');
      const row = page.locator('tbody tr', {hasText: 'tile[threadIdx.x]'});
      assert.equal(await row.count(), 1);
      assert.match((await row.innerText()).replace(/\s+/g, ' '), /^18 for .* 4,096 3,968 28 for .* 128 - ▾-3,968 ▾-3,968$/);
      assert.equal(await page.locator('tbody tr').count(), 1);
      await page.getByRole('button', {name: 'Also list lines whose cost is the same'}).click();
      await soon(async () => assert.equal(await page.locator('tbody tr').count(), 4));
      assert.deepEqual(await weak_texts(page), []);
    }, {path, ready: '.diff-page'});
  });

  for (const how of ['forced colours', 'print'])
    test(`bars have their whole length in ${how}`, () => look(report(), '', async (page) => {
      if (how === 'print') await page.emulateMedia({media: 'print'});
      const shot = PNG.sync.read(await page.locator('#launches .bar').first().screenshot());
      let dark = 0;
      const row = shot.height >> 1;
      for (let x = 0; x < shot.width; x++) {
        const at = (row * shot.width + x) * 4;
        if (shot.data[at] < 250) dark++;
      }
      assert.ok(dark > shot.width * 0.4, `${dark} of ${shot.width} pixels of the longest bar are drawn`);
    }, {forced: how === 'forced colours'}));

  test('leads to the explorer and back', () => look(report(), '#report?launch=0&pc=624', async (page) => {
    await page.getByRole('link', {name: 'Try padding and swizzles for this access'}).click();
    await page.waitForFunction(() => !document.querySelector('.report'));
    await page.goBack();
    await page.locator('.panel .picture svg').waitFor();
  }));

  test('fits a phone, one pane at a time', () => look(report(), '', async (page) => {
    await soon(async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)));
    await page.getByRole('button', {name: 'SASS', exact: true}).click();
    await soon(async () => assert.equal(await page.locator('.pane').count(), 1));
    await page.locator('#sass .row', {hasText: 'LDS R19'}).click();
    await page.locator('.panel .picture svg').waitFor();
    await page.waitForFunction(() => document.activeElement.tagName === 'H2');
    await soon(async () => assert.ok(await page.evaluate(() => document.querySelector('.panel').scrollWidth <= innerWidth)));
    await page.getByRole('button', {name: 'Close this panel'}).click();
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /LDS R19/));
  }, {width: 320, height: 740}));

  for (const dark of [false, true]) {
    test(`has contrast, ${dark ? 'dark' : 'light'}`, () => look(report(), '#report?launch=0&pc=624', async (page) => {
      await page.locator('#source .row[data-row="3"]').hover({position: {x: 60, y: 9}});
      await page.keyboard.press('/');
      await page.keyboard.type('r1');
      await page.locator('.panel .picture svg').waitFor();
      await soon(async () => assert.deepEqual(await weak_texts(page), []));
      // a heading needs no separate name: its text is its name
      assert.deepEqual((await nameless_controls(page)).filter((html) => !html.startsWith('<h2 ')), []);
    }, {dark}));
  }

  test('shows the timeline of a program: rows, names, times and the critical path', () => look(add_timeline(report()), '', async (page) => {
    const timeline = page.locator('.timeline');
    assert.match(await timeline.locator('summary').innerText(), /^Timeline about 40\.0 us on an H100 SXM, which is busy for 75% of it; waits for copies to the device \(38%\)/);
    assert.equal(await timeline.locator('rect').count(), 0);
    await timeline.locator('summary').click();
    await timeline.locator('.names').waitFor();
    assert.deepEqual(await timeline.locator('.names span').allInnerTexts(),
      ['host', 'stream 1', 'stream 2', 'stream 3', 'stream 3, branch 2', 'copies to the device']);
    const boxes = timeline.locator('.spans');
    assert.deepEqual(await boxes.evaluateAll((rows) => rows.map((row) => row.querySelectorAll('rect').length)), [2, 1, 1, 1, 1, 1]);
    assert.deepEqual(await boxes.evaluateAll((rows) => rows.map((row) => row.querySelectorAll('rect.critical').length)), [1, 1, 1, 1, 0, 1]);
    // A box is as wide as its time, and the boxes of a row are in the order of their times.
    const [left, , right] = await place_of(boxes.nth(2).locator('rect')), [begin, , end] = await place_of(boxes.nth(2));
    assert.ok(Math.abs((left - begin) / (end - begin) - 17 / 40) < 0.01 && Math.abs((right - left) / (end - begin) - 10 / 40) < 0.01, `${left} to ${right} of ${begin} to ${end}`);
    await boxes.nth(2).locator('rect').hover();
    await soon(async () => assert.equal(await timeline.locator('.pointed').innerText(),
      'kernel add<float>, grid 64, 2, block 256, bound by dram: 10 us, from 17 us, on the critical path'));
    assert.deepEqual(await timeline.locator('.critical-parts li').allInnerTexts(),
      ['15 us copy to the device of 4,096 bytes', '10 us kernel add<float>, grid 64, 2, block 256, bound by dram']);
    await page.getByRole('button', {name: '4x', exact: true}).click();
    await soon(async () => {
      const [from, , to] = await place_of(boxes.nth(2).locator('rect'));
      assert.ok(Math.abs((to - from) / (right - left) - 4) < 0.1, `${to - from} instead of ${4 * (right - left)}`);
    });
    assert.deepEqual(await weak_texts(page), []);
    assert.deepEqual((await nameless_controls(page)).filter((html) => !html.startsWith('<h2 ')), []);
  }));

  test('has no timeline for a kernel', () => look(report(), '', async (page) => {
    await page.locator('.launches').waitFor();
    assert.equal(await page.locator('.timeline').count(), 0);
  }));

  test('draws a long timeline, and says that its boxes are sums', () => {
    const many = Array.from({length: 2000}, (_, i) => ({kind: 'kernel', name: 'step', grid: [1, 1, 1], block: [32, 1, 1], stream: 7, begin: 31000 + i, nanoseconds: 1, count: 3}));
    return look(add_timeline(report(), many), '', async (page) => {
      await page.locator('.timeline summary').click();
      await soon(async () => assert.equal(await page.locator('.timeline rect').count(), 2007));
      assert.match(await page.locator('.timeline').innerText(), /Operations that are close together are one box/);
    });
  });

  test('holds 5,000 instructions and 20,000 lines of PTX, and renders those in sight', () => look(large_report(), '', async (page) => {
    const rows = () => page.locator('.row').count();
    await soon(async () => assert.equal(await page.locator('#ptx, #sass').count(), 2));
    assert.ok(await rows() < 400, `${await rows()} rows are in the document`);
    await page.locator('#sass').focus();
    await page.keyboard.press('End');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /^\s*13870/));  // 4,999 * 16
    await page.keyboard.press('Home');
    await soon(async () => assert.match(await selected(page, 'sass').innerText(), /^\s*0000/));
    assert.ok(await rows() < 400, `${await rows()} rows are in the document`);
    // After scrolling far, the same elements show other rows. If a row is chosen in one list, this list highlights the
    // row before the other lists scroll.
    const [again, first] = await page.evaluate(async () => {
      const sass = document.querySelector('#sass'), source = document.querySelector('#source'), row = sass.querySelector('.row');
      sass.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}));
      const before = source.scrollTop;
      for (let i = 0; i < 5; i++) await null;
      return [row.isConnected && Number(row.dataset.row) > 4900, sass.querySelector('[aria-selected=true]')?.id === 'sass-4999' && source.scrollTop === before];
    });
    assert.ok(again, 'scrolling must reuse rows, but rows were made again');
    assert.ok(first, 'the source must wait for the listing');
    await soon(async () => assert.ok(await page.locator('#source .linked').count() > 0));
    // A search only renders the rows that contain the text.
    await page.evaluate(() => {
      window.changed = new Set();
      const row_of = (node) => (node instanceof Element ? node : node.parentElement).closest('.row');
      new MutationObserver((all) => { for (const {target} of all) if (row_of(target)) window.changed.add(row_of(target).id); })
        .observe(document.querySelector('#sass'), {subtree: true, childList: true, characterData: true});
    });
    await page.fill('.search input', 'lds');
    await soon(async () => assert.ok(await page.locator('#sass mark').count() > 0));
    const [holding, changed] = await page.evaluate(() => [[...document.querySelectorAll('#sass .row:has(mark)')].map(({id}) => id), [...window.changed]]);
    assert.deepEqual(changed.sort(), holding.sort());
  }, {width: 1800, height: 1000}));
});
