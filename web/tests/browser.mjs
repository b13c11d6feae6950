// Real Chromium, and the page opened from a file in it. BANKWISE_PAGE names the page, CHROMIUM the browser;
// BANKWISE_REBASE=1 writes the screenshots that are compared otherwise. Without a browser the tests are skipped: exit 77.

import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';
import pixelmatch from 'pixelmatch';
import {PNG} from 'pngjs';

export const page_path = process.env.BANKWISE_PAGE ?? fileURLToPath(new URL('../dist/page.html', import.meta.url));
const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM]
  : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome'];
export const executable = candidates.find(existsSync);
if (!executable) {
  console.log(`Skipped: no Chromium at ${candidates.join(', ')}; install chromium, or name it in CHROMIUM.`);
  process.exit(77);
}

export const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--font-render-hinting=none', '--force-color-profile=srgb'];

export function launch() {
  return chromium.launch({executablePath: executable, args: flags});
}

/**
 * Opens the page at a hash, lets `act` use it, and fails if it wrote to the console, threw, or asked for anything.
 * `path` is another file than the page itself, such as one that was filled with a report.
 */
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

/** Checks until it holds: a page answers a key or a click when it has painted, and a busy machine paints late. */
export async function soon(check, patience_ms = 5000) {
  for (const end = Date.now() + patience_ms; ; await new Promise((again) => setTimeout(again, 20))) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** Compares what is in sight with tests/screenshots/NAME.png. Fonts differ between machines: 4 % of the pixels may, too. */
export async function same_picture(page, name) {
  const folder = fileURLToPath(new URL('screenshots/', import.meta.url)), path = `${folder}${name}.png`;
  await page.mouse.move(0, 0);
  const shot = () => page.screenshot({animations: 'disabled', caret: 'hide'});
  if (process.env.BANKWISE_REBASE) {
    await page.waitForTimeout(500);
    mkdirSync(folder, {recursive: true});
    writeFileSync(path, await shot());
    return;
  }
  assert.ok(existsSync(path), `no ${path}; BANKWISE_REBASE=1 writes it`);
  const a = PNG.sync.read(readFileSync(path));
  await soon(async () => {
    const now = await shot(), b = PNG.sync.read(now);
    assert.deepEqual([b.width, b.height], [a.width, a.height], `the size of ${name}`);
    const differ = pixelmatch(a.data, b.data, null, a.width, a.height, {threshold: 0.2}) / (a.width * a.height);
    if (differ >= 0.04) writeFileSync(`${folder}${name}.now.png`, now);
    assert.ok(differ < 0.04, `${name} differs in ${(differ * 100).toFixed(1)} % of its pixels; see ${name}.now.png`);
  });
}

/** Compares a picture that the page made with a file, as same_picture does. */
export function same_image(png, path) {
  if (process.env.BANKWISE_REBASE) return writeFileSync(path, png);
  const a = PNG.sync.read(readFileSync(path)), b = PNG.sync.read(png);
  assert.deepEqual([b.width, b.height], [a.width, a.height], path);
  const differ = pixelmatch(a.data, b.data, null, a.width, a.height, {threshold: 0.2}) / (a.width * a.height);
  assert.ok(differ < 0.04, `${path} differs in ${(differ * 100).toFixed(1)} % of its pixels; BANKWISE_REBASE=1 writes it`);
}

/** Where something is in the window: left, top, right, bottom. */
export function place_of(locator) {
  return locator.evaluate((element) => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return [left, top, right, bottom].map(Math.round);
  });
}

/** Every text in sight whose contrast with what it stands on is below 4.5, or 3 for large type. */
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
        const box = element.parentElement?.querySelector(':scope > rect');
        const fill = box && rgba(getComputedStyle(box).fill);
        if (fill?.[3] === 1) return fill;
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

/** Every control in sight without a name that a screen reader would say. */
export function nameless_controls(page) {
  return page.evaluate(() => [...document.querySelectorAll('input, select, textarea, button, a[href], summary, [tabindex]')]
    .filter((element) => element.checkVisibility())
    .filter((element) => ![...element.labels ?? []].some((label) => label.textContent.trim() !== '')
      && !element.getAttribute('aria-label') && !(element.matches('button, a, summary, [role]') && element.textContent.trim() !== ''))
    .map((element) => element.outerHTML.slice(0, 120)));
}
