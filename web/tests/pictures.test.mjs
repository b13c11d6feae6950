// Tests the pictures of the documents in light and dark mode: every text can be read, no text overlaps another text,
// and the background is the page's background.

import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {PNG} from 'pngjs';
import {launch, weak_texts} from './browser.mjs';
import {wrong_looks} from './looks.mjs';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const pictures = ['', 'pictures/'].flatMap((folder) => readdirSync(docs + folder).filter((name) => name.endsWith('.svg')).map((name) => folder + name));

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

function mean_light({data}) {
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum += (data[i] + data[i + 1] + data[i + 2]) / 3;
  return sum / (data.length / 4);
}

describe('the pictures of the documents', () => {
  for (const dark of [false, true]) {
    test(dark ? 'are dark where the page is' : 'are light where the page is', async () => {
      assert.ok(pictures.length > 10);
      const context = await browser.newContext({colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce', viewport: {width: 1200, height: 900}});
      const page = await context.newPage();
      for (const name of pictures) {
        await page.setContent(`<meta name="color-scheme" content="light dark"><body style="margin:0;width:900px">${readFileSync(docs + name, 'utf8').replace('<svg ', '<svg width="900" ')}`);
        assert.deepEqual(await weak_texts(page), [], name);
        assert.deepEqual(await wrong_looks(page), [], name);
        const light = mean_light(PNG.sync.read(await page.locator('svg').first().screenshot()));
        assert.equal(light < 128, dark, `${name}: ${light.toFixed(0)} of 255`);
      }
      await context.close();
    });
  }
});
