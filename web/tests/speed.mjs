// Measures how fast the page is, in real Chromium, from a file. The goals are 200 ms for the first paint, and 16 ms for
// every interaction. An interaction is measured from its event to the end of style and layout of the changed elements.
// The measurement does not wait for a frame, so times are not rounded to frames of 16.7 ms. "worked" is the 95th
// percentile of the main thread's own time. The thread may also wait for a core, because drawing (without a GPU here)
// and the script compiler use all cores. The last column is the thread's time for an interaction with all its
// consequences: painting, the panes and the panel that follow a frame later, animations. Machines differ, so this
// program never fails.
//
//     node web/tests/speed.mjs

import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';
import {executable, flags, launch, page_path, visit} from './browser.mjs';
import {fill, large_report, write_page} from './fill.mjs';

const print = (name, ms) => console.log(`${name.padEnd(34)} ${ms.map((n) => n.toFixed(1).padStart(6)).join('  ')} ms`);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Returns the private memory of a page's process in MB, as in Chromium's task manager, without pages of files
    (Linux). The page is opened as a reader opens it. An inspector that is attached from the start keeps a copy of
    the file, so it is attached after the file was read. */
async function memory_of(url) {
  const profile = mkdtempSync(join(folder, 'profile-')), port = join(profile, 'DevToolsActivePort');
  const child = spawn(executable, [...flags, '--headless', '--window-size=1800,1000', '--remote-debugging-port=0', `--user-data-dir=${profile}`, url],
    {stdio: 'ignore'});
  const ended = new Promise((done) => child.once('exit', done));
  try {
    for (let i = 0; i < 100 && !existsSync(port); i++) await pause(100);
    await pause(5000);
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(port, 'utf8').split('\n')[0]}`);
    const [context] = browser.contexts(), [page] = context.pages(), cdp = await context.newCDPSession(page);
    for (let i = 0; i < 3; i++) await cdp.send('HeapProfiler.collectGarbage');
    await pause(1000);
    // If there are several processes, takes the process that is busy when the page is busy.
    const session = await browser.newBrowserCDPSession();
    const times = async () => new Map((await session.send('SystemInfo.getProcessInfo')).processInfo.filter(({type}) => type === 'renderer').map(({id, cpuTime}) => [id, cpuTime]));
    const before = await times();
    await page.evaluate(() => { for (const end = performance.now() + 300; performance.now() < end;); });
    const worked = ([id, time]) => time - (before.get(id) ?? 0), [[id]] = [...await times()].sort((a, b) => worked(b) - worked(a));
    await browser.close();
    return [...readFileSync(`/proc/${id}/status`, 'utf8').matchAll(/^(?:RssAnon|VmSwap):\s+(\d+) kB/gm)].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1e3;
  } finally {
    child.kill();
    await ended;
  }
}

/** Returns the CPU time of the page's thread at each mark, in ms, from a trace. A mark is a request for a frame,
    with its id. */
function thread_times(trace, ids) {
  const wanted = new Set(ids);
  return new Map(JSON.parse(trace).traceEvents.filter(({name, tts, args}) => name === 'RequestAnimationFrame' && tts !== undefined && wanted.has(args.data.id))
    .map(({tts, args}) => [args.data.id, tts / 1e3]));
}

/** Repeats each of `acts`, after ten repetitions to warm up. Returns the median, 95th percentile and maximum in ms,
    the main thread's own time in the 95th percentile, and its time for one act with all its consequences. Acts are
    functions of the page, by name. */
async function measure(page, acts) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', {timeDomain: 'threadTicks'});
  const thread = async () => (await cdp.send('Performance.getMetrics')).metrics.find(({name}) => name === 'TaskDuration').value * 1e3;
  for (const [name, count] of acts) {
    await browser.startTracing(page, {categories: ['devtools.timeline']});
    const before = await thread();
    const {all, marks} = await page.evaluate(async ([name, count]) => {
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done))), all = [], marks = [];
      const mark = () => {
        const id = requestAnimationFrame(() => {});
        cancelAnimationFrame(id);
        return id;
      };
      for (let i = -10; i < count; i++) {
        await frame();
        await frame();
        // Measures the work that is done immediately and the work in the next frame, without the wait for the frame.
        let next = 0, begun = 0;
        requestAnimationFrame(() => { begun = mark(), next = performance.now(); });
        const started = mark(), start = performance.now();
        window.acts[name](i + 10);
        for (let k = 0; k < 5; k++) await null;
        document.body.getBoundingClientRect();
        const at_once = performance.now() - start, ended = mark();
        await new Promise(requestAnimationFrame);
        for (let k = 0; k < 5; k++) await null;
        document.body.getBoundingClientRect();
        if (i < 0) continue;
        all.push(at_once + performance.now() - next);
        marks.push([started, ended, begun, mark()]);
      }
      return {all, marks};
    }, [name, count]);
    await page.waitForTimeout(300);
    const own = (await thread() - before) / (count + 10), times = thread_times(await browser.stopTracing(), marks.flat());
    const worked = marks.map(([started, ended, begun, done]) => times.get(ended) - times.get(started) + times.get(done) - times.get(begun));
    for (const list of [all, worked]) list.sort((a, b) => a - b);
    const late = Math.floor(count * 0.95);
    print(name, [all[count >> 1], all[late], all[count - 1], worked[late], own]);
  }
}

const browser = await launch();
const folder = mkdtempSync(join(tmpdir(), 'bankwise-speed-'));

async function first_paint(page) {
  const [paint] = await page.evaluate(() => performance.getEntriesByType('paint').map(({startTime}) => startTime));
  return paint;
}

// Measures with moving cells, because most readers see moving cells.
async function explorer_speed(page) {
  await page.evaluate(() => {
    const slider = (label) => [...document.querySelectorAll('input[type=range]')].find((input) => input.labels[0].textContent.includes(label));
    const input = (element, values) => (i) => {
      element.value = values[i % values.length];
      element.dispatchEvent(new Event('input', {bubbles: true}));
    };
    const pad = input(slider('Leave unused'), [1, 2, 3, 4, 5, 6, 7, 8, 0]), colour = document.querySelector('.colour select');
    const best = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Best layout');
    window.acts = {
      'drag padding': pad,
      'drag swizzle': input(slider('B, bits'), [1, 2, 3, 4, 5, 0]),
      'step': input(slider('Wavefront'), [1, 2, 3, 4, 5, 6, 7, 0]),
      'type': input(document.querySelector('textarea'), ['tile[t][1]', 'tile[t][12]', 'tile[t][', 'tile[t][0]']),
      'colour': (i) => {
        colour.value = ['lane', 'wavefront', ''][i % 3];
        colour.dispatchEvent(new Event('change', {bubbles: true}));
      },
      'best layout, and away from it': (i) => i % 2 === 0 ? best.click() : pad(2),
      'drag padding, with the whole array': pad,
    };
  });
  await measure(page, [['drag padding', 90], ['drag swizzle', 90], ['step', 80], ['type', 80], ['colour', 81], ['best layout, and away from it', 80]]);
  await page.click('.tile summary');
  await page.waitForTimeout(300);
  await measure(page, [['drag padding, with the whole array', 90]]);
}

async function report_speed(page) {
  await page.evaluate(() => {
    const sass = document.querySelector('#sass'), ptx = document.querySelector('#ptx'), source = document.querySelector('#source');
    const scroll = (list, top) => {
      list.scrollTop = top;
      list.dispatchEvent(new Event('scroll'));
    };
    const row = (list, i) => list.querySelectorAll('.row')[15 + i % 10];
    const key = (key) => () => source.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    const input = (element, value) => {
      element.value = value;
      element.dispatchEvent(new Event('input', {bubbles: true}));
    };
    window.acts = {
      'a scroll of 40 rows, SASS': (i) => scroll(sass, i * 40 * 19),
      'a scroll of 200 rows, PTX': (i) => scroll(ptx, i * 200 * 19),
      'a click on an instruction': (i) => row(sass, i).click(),
      'a click on a line': (i) => row(source, i).click(),
      'the j key': key('j'),
      'the h key, next hottest': key('h'),
      'pointing at a row': (i) => row(source, i).dispatchEvent(new PointerEvent('pointerover', {bubbles: true, pointerType: 'mouse'})),
      'a letter in the search': (i) => input(document.querySelector('.search input'), ['f', 'ff', 'ffm', 'ffma', 'fma', '', 'ld', 'lds', 'r1', 'acc'][i % 10]),
    };
  });
  await measure(page, [['a scroll of 40 rows, SASS', 80], ['a scroll of 200 rows, PTX', 80], ['a click on an instruction', 80], ['a click on a line', 80],
    ['the j key', 80], ['the h key, next hottest', 80], ['pointing at a row', 80]]);
  await page.focus('.search input');
  await page.waitForTimeout(300);
  await measure(page, [['a letter in the search', 80]]);
}

// Measures a slider that tries a padding on all accesses of an array, in a report of six lines.
async function trial_speed(page) {
  await page.getByRole('button', {name: 'Try other paddings'}).click();
  await page.waitForSelector('.padding-trial input');
  await page.evaluate(() => {
    const slider = document.querySelector('.padding-trial input');
    window.acts = {'a step of the padding slider': (i) => {
      slider.value = 1 + i % 16;
      slider.dispatchEvent(new Event('input', {bubbles: true}));
    }};
  });
  await measure(page, [['a step of the padding slider', 80]]);
}

try {
  const paints = [];
  for (let i = 0; i < 9; i++) paints.push(await visit(browser, '#explain?expr=t&type=float', first_paint));
  paints.sort((a, b) => a - b);
  console.log('explorer'.padEnd(34), 'median    most');
  print('first paint', [paints[4], paints[8]]);
  console.log(''.padEnd(34), 'median    95 %    most  worked  thread');
  await visit(browser, '#explain?expr=tile[t][0]&array=float+tile[32][32]', explorer_speed, {motion: true});

  const path = join(folder, 'large.html');
  writeFileSync(path, fill(large_report(50_000)));
  console.log('\n' + 'report, 50,000 instructions'.padEnd(34), 'median    95 %    most  worked  thread');
  const usable = [], heap = [];
  for (let i = 0; i < 5; i++) {
    const context = await browser.newContext({viewport: {width: 1800, height: 1000}}), page = await context.newPage();
    // Measures the time from the navigation to the first frame that has the rows, and the memory of the script at this
    // time.
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
  print('usable', [usable[2], usable[4]]);
  console.log(`${'heap of the script'.padEnd(34)} ${Math.max(...heap).toFixed(1).padStart(6)} MB`);
  if (existsSync('/proc/self/status')) {
    const address = (file) => pathToFileURL(file).href;
    const [empty, small, large] = [await memory_of('about:blank'), await memory_of(address(page_path)), await memory_of(address(path))];
    console.log(`${'memory of the process'.padEnd(34)} ${large.toFixed(1).padStart(6)} MB; of the explorer ${small.toFixed(1)} MB, of an empty page ${empty.toFixed(1)} MB`);
  }
  await visit(browser, '#report?launch=0&pc=0', report_speed, {width: 1800, height: 1000, path, ready: '.report'});
  const small = JSON.parse(readFileSync(new URL('report.json', import.meta.url), 'utf8'));
  write_page(path, small);
  await visit(browser, '', trial_speed, {width: 1800, height: 1000, motion: true, path, ready: '.report'});
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
}
