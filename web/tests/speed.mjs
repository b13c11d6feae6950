// How fast the page is, in real Chromium, from a file. Goals: first paint 200 ms, every interaction 16 ms, from the event to
// the end of its layout. Machines differ, so nothing fails here.
//
//     node web/tests/speed.mjs

import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {launch, page_path, visit} from './browser.mjs';
import {fill, large_report} from './fill.mjs';

const print = (name, ms) => console.log(`${name.padEnd(34)} ${ms.map((n) => n.toFixed(1).padStart(6)).join('  ')} ms`);
const browser = await launch();

/** What the process of a page holds for itself, in MB, as Chromium's task manager counts it: no file's pages (Linux). */
async function memory_of(act) {
  const own = await launch();
  try {
    const context = await own.newContext({viewport: {width: 1800, height: 1000}}), page = await context.newPage();
    await act(page);
    const cdp = await context.newCDPSession(page);
    for (let i = 0; i < 3; i++) await cdp.send('HeapProfiler.collectGarbage');
    await page.waitForTimeout(1000);
    // Of several processes it is the one that works when the page does.
    const session = await own.newBrowserCDPSession();
    const times = async () => new Map((await session.send('SystemInfo.getProcessInfo')).processInfo.filter(({type}) => type === 'renderer').map(({id, cpuTime}) => [id, cpuTime]));
    const before = await times();
    await page.evaluate(() => { for (const end = performance.now() + 300; performance.now() < end;); });
    const worked = ([id, time]) => time - (before.get(id) ?? 0), [[id]] = [...await times()].sort((a, b) => worked(b) - worked(a));
    return [...readFileSync(`/proc/${id}/status`, 'utf8').matchAll(/^(?:RssAnon|VmSwap):\s+(\d+) kB/gm)].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1e3;
  } finally {
    await own.close();
  }
}
const folder = mkdtempSync(join(tmpdir(), 'bankwise-speed-'));

async function first_paint(page) {
  const [paint] = await page.evaluate(() => performance.getEntriesByType('paint').map(({startTime}) => startTime));
  return paint;
}

// With its cells on the move, as most people have it.
async function explorer_speed(page) {
  return page.evaluate(async () => {
    const slider = (label) => [...document.querySelectorAll('input[type=range]')].find((input) => input.labels[0].textContent.includes(label));
    const field = document.querySelector('textarea');
    const times = {};
    const measure = async (name, act, values) => {
      const all = [];
      for (let round = 0; round < Math.ceil(80 / values.length); round++) {
        for (const value of values) {
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
          // What is done at once, and what is done in the next frame, without the wait for it.
          let frame = 0;
          requestAnimationFrame(() => { frame = performance.now(); });
          const start = performance.now();
          act(value);
          for (let i = 0; i < 5; i++) await null;
          const at_once = performance.now() - start;
          await new Promise((resolve) => requestAnimationFrame(resolve));
          for (let i = 0; i < 5; i++) await null;
          document.body.getBoundingClientRect();
          if (round > 0) all.push(at_once + performance.now() - frame);  // the first round warms up
        }
      }
      all.sort((a, b) => a - b);
      times[name] = {median: all[all.length >> 1], p95: all[Math.floor(all.length * 0.95)], most: all.at(-1)};
    };
    const input = (element) => (value) => {
      element.value = value;
      element.dispatchEvent(new Event('input', {bubbles: true}));
    };
    await measure('drag padding', input(slider('Leave unused')), [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    await measure('drag swizzle', input(slider('B, bits')), [1, 2, 3, 4, 5, 0]);
    await measure('step', input(slider('Wavefront')), [1, 2, 3, 4, 5, 6, 7, 0]);
    await measure('type', input(field), ['tile[t][1]', 'tile[t][12]', 'tile[t][', 'tile[t][0]']);
    const colour = document.querySelector('.colour select');
    await measure('colour', (value) => {
      colour.value = value;
      colour.dispatchEvent(new Event('change', {bubbles: true}));
    }, ['lane', 'wavefront', '']);
    const best = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Best layout');
    await measure('best layout, and away from it', (value) => value < 0 ? best.click() : input(slider('Leave unused'))(value), [-1, 3]);
    document.querySelector('.tile summary').click();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await measure('drag padding, with the whole array', input(slider('Leave unused')), [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    return times;
  });
}

async function report_speed(page) {
  const measured = await page.evaluate(async () => {
    const settle = async (list) => {
      for (let i = 0; i < 5; i++) await null;
      list.getBoundingClientRect();
      document.querySelector('#source').getBoundingClientRect();
    };
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const times = {};
    const measure = async (name, count, act) => {
      const all = [];
      for (let i = 0; i < count; i++) {
        await frame();
        const start = performance.now();
        const list = act(i);
        await settle(list);
        all.push(performance.now() - start);
      }
      all.sort((a, b) => a - b);
      times[name] = {median: all[count >> 1], p95: all[Math.floor(count * 0.95)], most: all[count - 1]};
    };
    const sass = document.querySelector('#sass'), ptx = document.querySelector('#ptx'), source = document.querySelector('#source');
    const scroll = (list, top) => {
      list.scrollTop = top;
      list.dispatchEvent(new Event('scroll'));
      return list;
    };
    const row = (list, i) => list.querySelectorAll('.row')[15 + i % 10];
    await measure('a scroll of 40 rows, SASS', 60, (i) => scroll(sass, i * 40 * 19));
    await measure('a scroll of 200 rows, PTX', 60, (i) => scroll(ptx, i * 200 * 19));
    await measure('a click on an instruction', 40, (i) => (row(sass, i).click(), sass));
    await measure('a click on a line', 40, (i) => (row(source, i).click(), source));
    await measure('the j key', 60, () => {
      source.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true, cancelable: true}));
      return source;
    });
    await measure('pointing at a row', 40, (i) => {
      row(source, i).dispatchEvent(new PointerEvent('pointerover', {bubbles: true, pointerType: 'mouse'}));
      return source;
    });
    const slider = document.querySelector('.padding-trial input');
    if (slider) {
      await measure('a step of the padding slider', 60, (i) => {
        slider.value = String(1 + i % 16);
        slider.dispatchEvent(new Event('input', {bubbles: true}));
        return source;
      });
    }
    const box = document.querySelector('.search input');
    await measure('a letter in the search', 20, (i) => {
      box.value = ['f', 'ff', 'ffm', 'ffma', 'fma', '', 'ld', 'lds', 'r1', 'acc'][i % 10];
      box.dispatchEvent(new Event('input', {bubbles: true}));
      return source;
    });
    return times;
  });
  return measured;
}

try {
  const paints = [];
  for (let i = 0; i < 9; i++) paints.push(await visit(browser, '#explain?expr=t&type=float', first_paint));
  paints.sort((a, b) => a - b);
  console.log('explorer'.padEnd(34), 'median    most');
  print('first paint', [paints[4], paints[8]]);
  console.log(''.padEnd(34), 'median    95 %    most');
  const explorer = await visit(browser, '#explain?expr=tile[t][0]&array=float+tile[32][32]', explorer_speed, {motion: true});
  for (const [name, {median, p95, most}] of Object.entries(explorer)) print(name, [median, p95, most]);

  const path = join(folder, 'large.html');
  writeFileSync(path, fill(large_report(50_000)));
  console.log('\n' + 'report, 50,000 instructions'.padEnd(34), 'median    95 %    most');
  const usable = [], heap = [];
  for (let i = 0; i < 5; i++) {
    const context = await browser.newContext({viewport: {width: 1800, height: 1000}}), page = await context.newPage();
    // From the navigation to the first frame that has the rows, as the page sees it; and what the script then holds.
    await page.addInitScript(() => {
      window.usable = new Promise((done) => {
        const look = () => document.querySelector('#sass .row') ? setTimeout(() => done(performance.now())) : requestAnimationFrame(look);
        requestAnimationFrame(look);
      });
    });
    await page.goto(pathToFileURL(path).href, {waitUntil: 'commit'});
    usable.push(await page.evaluate(() => window.usable));
    await page.waitForSelector('#ptx .row');
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable');
    await cdp.send('HeapProfiler.collectGarbage');
    heap.push((await cdp.send('Performance.getMetrics')).metrics.find(({name}) => name === 'JSHeapUsedSize').value / 1e6);
    await context.close();
  }
  usable.sort((a, b) => a - b);
  print('usable', [usable[2], usable[4], usable[4]]);
  console.log(`${'heap of the script'.padEnd(34)} ${Math.max(...heap).toFixed(1).padStart(6)} MB`);
  if (existsSync('/proc/self/status')) {
    const open = (file, ready) => async (page) => {
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector(ready);
      await page.waitForTimeout(1500);
    };
    const [empty, small, large] = [await memory_of(async (page) => { await page.goto('about:blank'); }), await memory_of(open(page_path, '.verdict')),
      await memory_of(open(path, '#ptx .row'))];
    console.log(`${'memory of the process'.padEnd(34)} ${large.toFixed(1).padStart(6)} MB; of the explorer ${small.toFixed(1)} MB, of an empty page ${empty.toFixed(1)} MB`);
  }
  const report = await visit(browser, '#report?launch=0&pc=0', report_speed, {width: 1800, height: 1000, path, ready: '.report'});
  for (const [name, {median, p95, most}] of Object.entries(report)) print(name, [median, p95, most]);
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
}
