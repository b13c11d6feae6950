// Starts real Chromium, which opens the page from a file. BANKWISE_PAGE is the page, CHROMIUM is the browser.
// BANKWISE_REBASE=1 writes the screenshots instead of comparing them. Without a browser, the tests are skipped: exit
// status 77.

import assert from 'node:assert/strict';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';
import pixelmatch from 'pixelmatch';
import {PNG} from 'pngjs';

export const page_path = process.env.BANKWISE_PAGE ?? fileURLToPath(new URL('../dist/page.html', import.meta.url));
const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM]
  : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome'];
export const executable = candidates.find(existsSync);
if (!executable) {
  console.log(`Skipped: Chromium was not found at ${candidates.join(', ')}; install chromium, or set CHROMIUM to its path.`);
  process.exit(77);
}

export const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--font-render-hinting=none', '--force-color-profile=srgb'];

export function launch() {
  return chromium.launch({executablePath: executable, args: flags});
}

/** Opens the page at a hash and calls `act` with it. Fails if the page wrote to the console, threw an exception or
    requested a file. `path` is the page to open, such as a page that was filled with a report. */
export async function visit(browser, hash, act, {width = 1280, height = 900, dark = false, touch = false, forced = false, motion = false, path = page_path, ready = '.verdict'} = {}) {
  const url = pathToFileURL(path).href;
  const context = await browser.newContext({
    viewport: {width, height}, colorScheme: dark ? 'dark' : 'light', hasTouch: touch, reducedMotion: motion ? 'no-preference' : 'reduce', forcedColors: forced ? 'active' : 'none',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  try {
    const page = await context.newPage(), complaints = [];
    page.on('console', (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error}`));
    page.on('request', (request) => {
      const asked = request.url();
      if (asked.split('#')[0] !== url && !asked.startsWith('data:')) complaints.push(`request: ${asked}`);
    });
    await page.goto(url + hash);
    await page.waitForSelector(ready);
    const result = await act(page);
    assert.deepEqual(complaints, []);
    return result;
  } finally {
    await context.close();
  }
}

/** Repeats a check until it is true. The page reacts to keys and clicks after it has painted, and a busy machine paints
    late. */
export async function soon(check, patience_ms = 5000) {
  for (const end = Date.now() + patience_ms; ; await new Promise((again) => setTimeout(again, 20))) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** Compares a picture that the page made with a file. Fonts differ between machines, so 4 % of the pixels may
    differ. */
export function same_image(png, path) {
  if (process.env.BANKWISE_REBASE) return writeFileSync(path, png);
  const a = PNG.sync.read(readFileSync(path)), b = PNG.sync.read(png);
  assert.deepEqual([b.width, b.height], [a.width, a.height], path);
  const differ = pixelmatch(a.data, b.data, null, a.width, a.height, {threshold: 0.2}) / (a.width * a.height);
  assert.ok(differ < 0.04, `${path} differs in ${(differ * 100).toFixed(1)} % of its pixels; BANKWISE_REBASE=1 writes this file`);
}

/** Returns the mean colours of blocks of pixels. The means hide differences between fonts, but keep positions. */
function mean_blocks({width, height, data}, side) {
  const small = new PNG({width: Math.ceil(width / side), height: Math.ceil(height / side)});
  for (let y = 0; y < small.height; y++) {
    for (let x = 0; x < small.width; x++) {
      const sum = [0, 0, 0], right = Math.min((x + 1) * side, width), bottom = Math.min((y + 1) * side, height);
      for (let row = y * side; row < bottom; row++) {
        for (let at = x * side; at < right; at++) for (let c = 0; c < 3; c++) sum[c] += data[(row * width + at) * 4 + c];
      }
      const to = (y * small.width + x) * 4, of = (right - x * side) * (bottom - y * side);
      for (let c = 0; c < 3; c++) small.data[to + c] = Math.round(sum[c] / of);
      small.data[to + 3] = 255;
    }
  }
  return small;
}

/** Returns the widths of fonts on this machine. With other fonts, lines break at other places, and everything below
   them moves. */
function font_widths(page) {
  return page.evaluate(() => {
    const paper = document.createElement('canvas').getContext('2d'), style = getComputedStyle(document.documentElement);
    return ['--sans', '--mono'].map((name) => {
      paper.font = `100px ${style.getPropertyValue(name)}`;
      return Math.round(paper.measureText('which lanes and banks collide (0123456789)').width);
    });
  });
}

/** Compares a whole view with tests/screenshots/NAME.png, which has a pixel for each block of 12 x 12 pixels. At
    most 2 % of the blocks may differ. Skips the comparison if this machine lacks the fonts of the screenshot. */
export async function same_view(page, name, whole) {
  const folder = fileURLToPath(new URL('screenshots/', import.meta.url)), path = `${folder}${name}.png`, made_with = `${folder}fonts.json`;
  const blocks = async () => {
    // If lines are wrapped, a list may have scrolled to its row before the heights of the other rows were known.
    await page.evaluate(() => new Promise((done) => {
      for (const list of document.querySelectorAll('.wrapped')) list.scrollTop = 0;
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));
    }));
    const shot = await page.screenshot({animations: 'disabled', caret: 'hide', fullPage: whole});
    if (process.env.BANKWISE_SHOTS) writeFileSync(`${process.env.BANKWISE_SHOTS}/${name}.png`, shot);
    return mean_blocks(PNG.sync.read(shot), 12);
  };
  const fonts = JSON.stringify(await font_widths(page));
  if (process.env.BANKWISE_REBASE) {
    writeFileSync(made_with, `${fonts}\n`);
    await page.waitForTimeout(500);
    return writeFileSync(path, PNG.sync.write(await blocks(), {colorType: 2, deflateLevel: 9}));
  }
  assert.ok(existsSync(path), `${path} does not exist; BANKWISE_REBASE=1 writes this file`);
  if (readFileSync(made_with, 'utf8').trim() !== fonts) return console.log(`${name}: not compared, because the screenshot has different fonts`);
  const a = PNG.sync.read(readFileSync(path));
  await soon(async () => {
    const b = await blocks();
    assert.deepEqual([b.width, b.height], [a.width, a.height], `the size of ${name} in blocks has changed`);
    const differ = pixelmatch(a.data, b.data, null, a.width, a.height, {threshold: 0.12, includeAA: true}) / (a.width * a.height);
    assert.ok(differ < 0.02, `${name} differs in ${(differ * 100).toFixed(1)} % of its blocks; BANKWISE_SHOTS=FOLDER writes the present picture`);
  });
}

/** Compares the visible part of the page, as same_view does. */
export async function same_picture(page, name) {
  await page.mouse.move(0, 0);
  await same_view(page, name, false);
}

/** Returns the position of an element in the window: left, top, right, bottom. */
export function place_of(locator) {
  return locator.evaluate((element) => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return [left, top, right, bottom].map(Math.round);
  });
}

/* Returns every visible text whose contrast to its background is below 4.5, or below 3 for large type. */
export function weak_texts(page) {
  return page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
    const rgba = (color) => {
      if (color === 'none') return [0, 0, 0, 0];
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const paper_of = (element) => {
      if (element instanceof SVGElement) {
        // The background is the square of a cell. If there is no square, it is the background of the whole picture.
        for (const from of [element.parentElement, element.ownerSVGElement]) {
          const box = from?.querySelector(':scope > rect'), fill = box && rgba(getComputedStyle(box).fill);
          if (fill?.[3] === 1) return fill;
        }
      }
      for (let at = element; at; at = at.parentElement) {
        const color = rgba(getComputedStyle(at).backgroundColor);
        if (color[3] === 1) return color;
      }
      return [255, 255, 255, 1];
    };
    const weak = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.data.trim() === '' || element.closest('script, noscript, title, option, :disabled, .unseen') || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const ink = rgba(element instanceof SVGElement ? style.fill : style.color), paper = paper_of(element);
      const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x), contrast = (a + 0.05) / (b + 0.05);
      const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
      if (contrast < (large ? 3 : 4.5)) weak.push(`${contrast.toFixed(2)} ${node.data.trim().slice(0, 40)}`);
    }
    return [...new Set(weak)];
  });
}

/** Returns every visible control that has no name for screen readers. */
export function nameless_controls(page) {
  return page.evaluate(() => [...document.querySelectorAll('input, select, textarea, button, a[href], summary, [tabindex]')]
    .filter((element) => element.checkVisibility())
    .filter((element) => ![...element.labels ?? []].some((label) => label.textContent.trim() !== '')
      && !element.getAttribute('aria-label') && !(element.matches('button, a, summary, [role]') && element.textContent.trim() !== ''))
    .map((element) => element.outerHTML.slice(0, 120)));
}
