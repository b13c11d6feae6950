// Tests the explorer in real Chromium, opened from a file, with the actions of a user.

import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launch, nameless_controls, page_path, place_of, same_image, same_picture, soon, visit, weak_texts} from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const look = (hash, act, options) => visit(browser, hash, act, options);
const column = '#explain?expr=tile[t][0]&array=float+tile[32][32]';
const matrix = '#explain?expr=(t+%25+16)+*+64+%2B+(t+/+16)+*+8&type=half&op=ldmatrix.x4';

const verdict = (page, side = '') => page.locator(`section[aria-label="Answer${side && ` ${side}`}"] .verdict`).innerText();
const figure = async (page, name) => Number(await page.locator('.figure', {has: page.getByText(name, {exact: true})}).locator('dd').innerText());
const hash = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split('?')[1])));
const settle = (page) => page.waitForTimeout(300);  // waits, because the URL changes a moment after the typing

async function drag(page, label, value, nth = 0) {
  await page.getByRole('slider', {name: label}).nth(nth).fill(String(value));
}

/** Returns the number of cells that are moving in the picture. */
const moved_in_a_frame = (page) => page.evaluate(async () => {
  const places = () => [...document.querySelectorAll('.bw-cell')].map((cell) => cell.getAttribute('transform'));
  const before = places();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return places().filter((place, i) => place !== before[i]).length;
});

/** Returns the word numbers of the highlighted cells in a part of the picture. */
const lit = (page, part) => page.locator(`${part} .bw-cell.on`).evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.word)));

async function copied(page, button) {
  await page.getByRole('button', {name: button}).click();
  await page.getByText('copied', {exact: true}).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

describe('a question', () => {
  test('opened without one, the page shows the first example', () => look('', async (page) => {
    await soon(async () => assert.equal(await page.getByLabel('Index expression').inputValue(), 'tile[t][0]'));
    await soon(async () => assert.equal(await verdict(page), '32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable, 31 removable'));
  }));

  test('is typed, and the verdict follows every letter', () => look('#explain?expr=t&type=float', async (page) => {
    await soon(async () => assert.equal(await verdict(page), '1 wavefront: no bank conflict'));
    await page.getByLabel('Index expression').fill('t * 2');
    await soon(async () => assert.equal(await verdict(page), '2 wavefronts: a 2-way bank conflict on bank 0; 1 is reachable, 1 removable'));
    await soon(async () => assert.deepEqual([await figure(page, 'wavefronts'), await figure(page, 'ideal'), await figure(page, 'removable')], [2, 1, 1]));
    await soon(async () => assert.match(await page.title(), /^2 wavefronts/));
  }));

  test('has a type, a width, an operation and a machine to choose', () => look('#explain?expr=t', async (page) => {
    await page.getByLabel('Type').selectOption('float4');
    await soon(async () => assert.equal(await figure(page, 'passes'), 4));
    await page.getByLabel('Operation').selectOption('st');
    await soon(async () => assert.match(await page.locator('.basis').innerText(), /st\.b128[\s\S]*measured: H200[\s\S]*only loads merge/));
    await page.getByLabel('Architecture').selectOption('sm_35.8');
    await soon(async () => assert.match(await page.locator('.basis').innerText(), /sm_35\.8 \(Kepler, 8-byte banks\): 32 banks of 8 bytes[\s\S]*documented/));
    await page.getByLabel('Architecture').selectOption('N banks of M bytes');
    await page.getByLabel('Banks x bytes').fill('16x4');
    await soon(async () => assert.match(await page.locator('.basis').innerText(), /16x4: 16 banks of 4 bytes/));
  }));

  test('shows notes in addition to the answer', () => look('#explain?expr=tile[t][0]&array=float+tile[31][31]', async (page) => {
    await soon(async () => assert.match(await page.locator('.said').innerText(), /the index of lane 31 is outside the declared extents of the array/));
    await page.getByLabel('Type').selectOption('float4');
    await page.getByLabel('Index expression').fill('t * 4');
    await soon(async () => assert.match(await page.locator('.basis').innerText(), /merged[\s\S]*no: lanes 0 and 1 want bytes 0 and 64/));
  }));

  test('takes arrays, constants, a block, a warp and a mask', () => look('#explain?expr=t&type=float', async (page) => {
    await page.getByRole('button', {name: 'Add an array'}).click();
    await page.keyboard.type('float s[8][pitch]');
    await page.getByRole('button', {name: 'Add a constant'}).click();
    await page.keyboard.type('pitch=40');
    await page.getByLabel('Type').selectOption('');
    await page.getByLabel('Index expression').fill('s[threadIdx.y][threadIdx.x]');
    await page.getByText('Block, warp and active lanes').click();
    await page.getByLabel('Block').fill('8,8');
    await page.getByLabel('Warp').fill('1');
    await soon(async () => assert.equal(await verdict(page), '1 wavefront: no bank conflict'));
    await page.getByLabel('Where').fill('t < 8');
    await soon(async () => assert.deepEqual(await hash(page), {expr: 's[threadIdx.y][threadIdx.x]', array: 'float s[8][pitch]', let: 'pitch=40', block: '8,8',
      warp: '1', where: 't < 8'}));
    await page.getByRole('button', {name: 'Remove constant 1'}).click();
    await soon(async () => assert.match(await page.locator('.wrong').filter({hasText: 'pitch'}).first().innerText(), /unknown name 'pitch'/));
  }));

  test('may be a list of addresses, which begins as those of the expression', () => look(column, async (page) => {
    await page.getByLabel('32 addresses').check();
    await soon(async () => assert.match(await page.getByLabel('Byte addresses').inputValue(), /^0, 128, 256, .*, 3968$/));
    await soon(async () => assert.match(await verdict(page), /^32 wavefronts/));
    await page.getByLabel('Byte addresses').fill('0, 128, -, 4');
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
    await page.getByLabel('Expression', {exact: true}).check();
    await soon(async () => assert.equal(await page.getByLabel('Index expression').inputValue(), 'tile[t][0]'));
  }));

  test('knows what is wrong and where, and the last good picture stays, dimmed', () => look('#explain?expr=t+*+2&type=float', async (page) => {
    const field = page.getByLabel('Index expression');
    await field.fill('t % 16 A');
    const wrong = page.locator(`[id="${(await field.getAttribute('aria-describedby')).split(' ')[0]}"]`);
    await soon(async () => assert.match(await wrong.innerText(), /unexpected 'A' after the end of the expression/));
    await soon(async () => assert.equal(await wrong.locator('pre').evaluate((pre) => pre.textContent), 't % 16 A\n       ^'));
    await soon(async () => assert.equal(await field.getAttribute('aria-invalid'), 'true'));
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts.* for the last valid access$/));
    await soon(async () => assert.equal(await page.locator('.picture.stale').count(), 1));
    await soon(async () => assert.ok(await page.getByRole('button', {name: 'Copy as C++'}).isDisabled()));
    await same_picture(page, 'error');
    await field.fill('t % 16');
    await soon(async () => assert.equal(await wrong.innerText(), ''));
    await soon(async () => assert.equal(await page.locator('.picture.stale').count(), 0));
  }));

  test('marks the field that is wrong, whichever it is', () => look('', async (page) => {
    for (const [question, label, message] of [
      ['expr=π+*+4', 'Index expression', /π/],
      ['expr=t&type=flaot', 'Type', /unknown type[\s\S]*did you mean float\?/],
      ['expr=t&type=float&where=t+<', 'Where', /the expression ends here/],
      ['expr=t&type=float&mask=0x1ffffffff', 'Mask', /expected 32 bits/],
      ['expr=t&type=float&block=64,32', 'Block', /at most 1024/],
      ['expr=a[t]&array=float+a[32]&array=int+b[0]', 'Array 2', /an extent must be/],
      ['expr=t&type=float&arch=sm_91', 'Banks x bytes', /unknown architecture/],
      ['expr=t&type=float&op=lod', 'Operation', /did you mean ld\?/],
      ['addresses=0,4,,8', 'Byte addresses', /no address before this comma/],
      ['expr=t&type=float&pad=x', 'Leave unused', /EVERY:BYTES/],
      ['expr=t&type=float&swizzle=3,4,1', 'B, bits', /S must be at least B/],
    ]) {
      await page.evaluate((text) => { location.hash = `#explain?${text}`; }, question);
      await page.waitForTimeout(30);
      const control = page.getByLabel(label, {exact: label !== 'Byte addresses'});
      const described = (await control.getAttribute('aria-describedby')).split(' ')[0];
      await soon(async () => assert.match(await page.locator(`[id="${described}"]`).innerText(), message, question));
    }
  }));

  test('has no advice about flags, and a list of addresses none about expressions', () => look('#explain?expr=t*3', async (page) => {
    const says = async () => (await page.locator('.wrong').allInnerTexts()).join(' ');
    await soon(async () => assert.match(await says(), /the expression is in bytes\. With Type float, the expression is in floats/));
    await page.getByLabel('32 addresses').check();
    await soon(async () => assert.match(await page.getByLabel('Byte addresses').inputValue(), /^0, 3, 6, /, 'the list has the byte addresses of the expression'));
    await soon(async () => assert.match(await says(), /lane 1: byte address 3 is not a multiple of 4[\s\S]*The list must contain byte addresses/));
    assert.doesNotMatch(await says(), /--/);
  }));

  test('takes what its placeholders show', () => look('#explain?expr=0&type=', async (page) => {
    await page.getByRole('button', {name: 'Add an array'}).click();
    await page.getByRole('button', {name: 'Add a constant'}).click();
    await page.getByText('Block, warp and active lanes').click();
    for (const field of await page.locator('.form [placeholder]').all()) {
      await field.fill(await field.getAttribute('placeholder'));
      await soon(async () => assert.deepEqual((await page.locator('.wrong').allInnerTexts()).filter((text) => text !== ''), []));
    }
    await page.evaluate(() => { location.hash = '#explain?expr='; });
    const expression = page.getByLabel('Index expression');
    await soon(async () => assert.equal(await expression.inputValue(), ''));
    await expression.fill(await expression.getAttribute('placeholder'));
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
  }));

  test('a name without a value is asked for in a field', () => look('#explain?expr=tile[t][0]&array=float+tile[N][N]', async (page) => {
    assert.doesNotMatch((await page.locator('.wrong').allInnerTexts()).join(), /did you mean/);
    await page.getByLabel('Value of N').fill('33');
    await page.keyboard.press('Enter');
    await soon(async () => assert.equal(await verdict(page), '1 wavefront: no bank conflict'));
    await soon(async () => assert.equal(await page.getByLabel('Constant', {exact: true}).inputValue(), 'N=33'));
    await page.evaluate(() => { location.hash = '#explain?expr=tile[N][N]&array=float+tile[32][32]'; });
    await page.getByLabel('Value of N').waitFor();
  }));

  test('may be pasted from a source file', () => look('', async (page) => {
    await page.getByLabel('Index expression').fill(`
      constexpr int pitch = 33;  // one more
      __shared__ __align__(16) float tile[32][pitch];
      tile[threadIdx.x][k] = in[i];`);
    await page.getByLabel('Value of k').fill('0');
    await page.keyboard.press('Enter');
    await soon(async () => assert.equal(await page.getByLabel('Index expression').inputValue(), 'tile[threadIdx.x][k]'));
    await soon(async () => assert.equal(await page.getByLabel('Array', {exact: true}).inputValue(), 'float tile[32][pitch]'));
    await soon(async () => assert.deepEqual([await page.getByLabel('Constant 1', {exact: true}).inputValue(), await page.getByLabel('Constant 2', {exact: true}).inputValue()], ['pitch=33', 'k=0']));
    await soon(async () => assert.equal(await page.getByLabel('Operation').inputValue(), 'st'));
    await soon(async () => assert.equal(await verdict(page), '1 wavefront: no bank conflict'));
  }));

  test('may be pasted as a statement, with the variables of the kernel', () => look(column, async (page) => {
    const says = async () => [await page.getByLabel('Index expression').inputValue(), await page.getByLabel('Operation').inputValue(), await verdict(page)];
    for (const [text, expr, op, verdict_is] of [
      ['__shared__ float tile[32][33];\ntile[threadIdx.x][threadIdx.y]', 'tile[threadIdx.x][threadIdx.y]', '', /^1 wavefront:/],
      ['float v = tile[t][0];', 'tile[t][0]', '', /^1 wavefront:/],
      ['tile[t][0] = 1.0f;', 'tile[t][0]', 'st', /^1 wavefront:/],
      ['int tx = threadIdx.x, y = 0;\n__shared__ float a[32][32], b[32];\nint row = threadIdx.x % 32; const int col = row / 32;\nout[i] = a[row][col];',
        'a[(threadIdx.x % 32)][((threadIdx.x % 32) / 32)]', '', /^32 wavefronts:/],
      ['extern __shared__ float s[];\nint i = threadIdx.x;\ns[i * 33] = x;', 'threadIdx.x * 33', 'st', /^1 wavefront:/],
    ]) {
      await page.getByLabel('Index expression').fill(text);
      await soon(async () => assert.deepEqual((await says()).slice(0, 2), [expr, op], text));
      await soon(async () => assert.match((await says())[2], verdict_is, text));
    }
    // Pastes a text into the field of an array. This field is a single line.
    await page.evaluate(() => { location.hash = '#explain?expr=a[t]&array=float+a[32]'; });
    await soon(async () => assert.equal(await page.getByLabel('Array', {exact: true}).inputValue(), 'float a[32]'));
    await page.getByLabel('Array', {exact: true}).fill('__shared__ float tile[N][N]; float v = tile[lx][0];');
    await page.getByLabel('Value of N').fill('32');
    await page.keyboard.press('Enter');
    await page.getByLabel('Value of lx').fill('threadIdx.x');
    await page.keyboard.press('Enter');
    await soon(async () => assert.deepEqual(await says(), ['tile[(threadIdx.x)][0]', '', '32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable, 31 removable']));
    // Neither typed text nor a pasted declaration without an access is changed.
    await page.getByLabel('Index expression').fill('tile[t == 3 ? 1 : 0][t]');
    await soon(async () => assert.equal((await says())[0], 'tile[t == 3 ? 1 : 0][t]'));
    await page.getByLabel('Array', {exact: true}).fill('__shared__ float tile[32][33];');
    await soon(async () => assert.equal(await page.getByLabel('Array', {exact: true}).inputValue(), '__shared__ float tile[32][33];'));
  }));

  test('is not lost by a reload right after a letter', () => look(column, async (page) => {
    await page.getByLabel('Index expression').fill('tile[t][7]');
    await page.reload();
    await soon(async () => assert.equal(await page.getByLabel('Index expression').inputValue(), 'tile[t][7]'));
  }));

  test('of a link that leads nowhere says so', () => look('#frobnicate?x=1', async (page) => {
    await soon(async () => assert.match(await page.getByRole('alert').innerText(), /"frobnicate", which this page does not have/));
    await page.evaluate(() => { location.hash = '#report?launch=1'; });
    await soon(async () => assert.match(await page.getByRole('alert').innerText(), /for a report, but this page has no report/));
    await page.evaluate(() => { location.hash = '#explain?expr=t&type=float&step=many'; });
    await soon(async () => assert.match(await page.locator('.wrong').first().innerText(), /no flag: step/));
    await soon(async () => assert.equal(await page.getByRole('alert').count(), 0));
  }));

  test('of a link with an unknown key says so', () => look('#explain?expr=t&type=float&widht=4', async (page) => {
    await soon(async () => assert.match(await page.locator('.wrong').first().innerText(), /no flag: widht/));
  }));
});

describe('a layout', () => {
  test('padding is dragged, a lane\'s width at a time, after every row of the array', () => look(column, async (page) => {
    await soon(async () => assert.equal(await page.getByLabel('every').inputValue(), '128'));
    await drag(page, 'Leave unused', 1);
    await soon(async () => assert.equal(await verdict(page), '1 wavefront: no bank conflict'));
    await drag(page, 'Leave unused', 2);
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
    await settle(page);
    await soon(async () => assert.equal((await hash(page)).pad, '128:8'));
    await page.getByRole('button', {name: 'Padding off'}).click();
    await soon(async () => assert.match(await verdict(page), /^32 wavefronts/));
    await settle(page);
    await soon(async () => assert.equal((await hash(page)).pad, undefined));
  }));

  test('the XOR swizzle is dragged: Swizzle<3,4,3> frees a matrix load', () => look(matrix, async (page) => {
    await soon(async () => assert.match(await verdict(page), /^32 wavefronts: an 8-way/));
    await drag(page, 'B, bits', 3);
    await soon(async () => assert.equal(await verdict(page), '4 wavefronts: no bank conflict in 4 phases'));
    await soon(async () => assert.match(await page.locator('.swizzle-says').innerText(), /^bits 7-9 of the address into bits 4-6$/));
    await drag(page, 'M, kept', 1);
    await soon(async () => assert.match(await page.locator('.layout .wrong').filter({hasText: 'swizzle'}).innerText(), /is not a multiple of 16/));
    await drag(page, 'M, kept', 4);
    await drag(page, 'B, bits', 0);
    await settle(page);
    await soon(async () => assert.equal((await hash(page)).swizzle, undefined));
  }));

  test('the best one is found, sets the sliders, and says what to write', () => look(`${column}&pad=128:8`, async (page) => {
    const said = page.locator('.best'), find = page.getByRole('button', {name: 'Best layout'});
    await soon(async () => assert.match(await said.innerText(), /tries paddings and Swizzle<B,M,S> of every size/));
    await find.click();
    await soon(async () => assert.equal(await verdict(page), '1 wavefront: no bank conflict'));
    assert.match(await said.innerText(), /^32 to 1 wavefront, 128 extra bytes\n+Copy\n+__shared__ float tile\[32\]\[32 \+ 1\];$/);
    assert.equal(await page.getByRole('slider', {name: 'Leave unused'}).inputValue(), '1');
    await soon(async () => assert.equal((await hash(page)).pad, '128:4'));
    await page.locator('.best').getByRole('button', {name: 'Copy'}).click();
    await page.getByText('copied', {exact: true}).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^__shared__ float tile\[32\]\[32 \+ 1\];/);
    await same_picture(page, 'explorer-best');
    // The sentences describe the layout that is shown.
    await drag(page, 'Leave unused', 3);
    await soon(async () => assert.match(await said.innerText(), /tries paddings/));
    // For every kind of access, the picture has as many wavefronts as the answer.
    for (const [question, pad, swizzle, text] of [
      ['expr=(t+%25+16)+*+64+%2B+(t+/+16)+*+8&type=half&op=ldmatrix.x4', '128:16', undefined, /32 to 4 wavefronts[^]*half shared\[/],
      ['expr=tile[t/32][t]&array=float+tile[4][32]', undefined, undefined, /Nothing to save: no layout takes fewer than 1 wavefront/],
      ['expr=0&type=int&op=atom.add', undefined, undefined, /Nothing to save: no layout takes fewer than 32 wavefronts/],
      ['addresses=0,128,256,384', '128:4', undefined, /4 to 1 wavefront/],
      ['expr=b[t][0]&array=float+a[3]&array=float+b[32][32]', '128:4', undefined, /b\[32\]\[32 \+ 1\]/],
      ['expr=A[t/4][t%254*4]&array=float+A[8][16]&type=float4&op=st', undefined, undefined, /Nothing to save/],
    ]) {
      await page.evaluate((text) => { location.hash = `#explain?${text}`; }, question);
      await soon(async () => assert.match(await said.innerText(), /tries paddings/));
      await find.click();
      await soon(async () => assert.match(await said.innerText(), text, question));
      const {pad: now, swizzle: permuted} = await hash(page);
      assert.deepEqual([now, permuted], [pad, swizzle], question);
      const [, to] = /to (\d+) wave/.exec(await said.innerText()) ?? [];
      if (to) assert.equal(await figure(page, 'wavefronts'), Number(to), question);
    }
  }));

  test('two layouts of one access are compared side by side, and one is kept', () => look(column, async (page) => {
    await page.getByRole('button', {name: 'Compare'}).click();
    await soon(async () => assert.match(await page.locator('.difference').innerText(), /A and B both take 32 wavefronts/));
    await drag(page, 'Leave unused', 1, 1);
    await soon(async () => assert.match(await verdict(page, 'A'), /32 wavefronts/));
    await soon(async () => assert.match(await verdict(page, 'B'), /1 wavefront/));
    await soon(async () => assert.equal(await page.locator('.difference').innerText(), 'A 32 wavefronts, B 1: B takes 31 fewer'));
    await settle(page);
    await soon(async () => assert.deepEqual(await hash(page), {expr: 'tile[t][0]', array: 'float tile[32][32]', 'b.pad': '128:4'}));
    await page.getByRole('button', {name: 'Keep B'}).click();
    await settle(page);
    await soon(async () => assert.deepEqual(await hash(page), {expr: 'tile[t][0]', array: 'float tile[32][32]', pad: '128:4'}));
    await page.goBack();
    await soon(async () => assert.equal(await page.locator('.difference').count(), 1));
  }));

  test('a layout that is tried already is the after of a before', () => look(`${column}&pad=128:4`, async (page) => {
    await page.getByRole('button', {name: 'Compare'}).click();
    await soon(async () => assert.equal(await page.locator('.difference').innerText(), 'A 32 wavefronts, B 1: B takes 31 fewer'));
  }));

  test('two have one form, whose every letter is for both', () => look(`${column}&b.pad=128:4&b.swizzle=1,2,5`, async (page) => {
    const summary = page.locator('.shared > summary');
    await soon(async () => assert.equal(await summary.innerText(), 'The access, for A and B: tile[t][0], float tile[32][32]'));
    await summary.click();
    assert.equal(await page.getByLabel('Index expression').count(), 1);
    await page.getByLabel('Index expression').fill('tile[t][');
    await soon(async () => assert.equal(await page.locator('.stale-says').count(), 2));
    await page.getByLabel('Index expression').fill('tile[0][t]');
    await soon(async () => assert.match(await page.locator('.difference').innerText(), /A and B both take 1 wavefront/));
    assert.ok(await page.getByLabel('Index expression').isVisible(), 'the form stays open');
    await settle(page);
    assert.deepEqual(await hash(page), {expr: 'tile[0][t]', array: 'float tile[32][32]', 'b.pad': '128:4', 'b.swizzle': '1,2,5'});

    // Adds a second access next to the first access, and then goes back.
    await page.getByRole('button', {name: 'Another access in B'}).click();
    await page.getByRole('form', {name: 'Question B'}).getByLabel('Index expression').fill('tile[t][0]');
    await settle(page);
    assert.deepEqual([(await hash(page)).expr, (await hash(page))['b.expr']], ['tile[0][t]', 'tile[t][0]']);
    await page.reload();
    await page.getByRole('form', {name: 'Question B'}).waitFor();
    await page.getByRole('button', {name: 'Use the access of A for both'}).click();
    await soon(async () => assert.equal(await summary.innerText(), 'The access, for A and B: tile[0][t], float tile[32][32]'));
  }));

  test('wavefronts of both are stepped together', () => look(`${column}&b.pad=128:4&b.swizzle=2,2,5`, async (page) => {
    const said = () => page.locator('.picture-says').allInnerTexts();
    const steps = page.getByRole('slider', {name: 'Wavefront'}), [a, b] = [0, 1].map((i) => page.locator('.picture-place').nth(i));
    assert.equal(await steps.count(), 1);
    const of_b = Number(/(\d+)/.exec((await verdict(page, 'B')).slice(1))[1]);
    assert.ok(of_b > 1 && of_b < 32, 'B takes more than one wavefront, but fewer than A');
    await a.locator('.bw-wave').nth(1).locator('.bw-num').click();
    await soon(async () => assert.deepEqual((await said()).map((text) => /^[^:,]*/.exec(text)[0]), ['Wavefront 2 of 32', `Wavefront 2 of ${of_b}`]));
    await page.mouse.move(0, 0);  // a lane under the pointer has priority over the step
    await steps.fill('32');
    await soon(async () => assert.deepEqual(await said(), ['Wavefront 32 of 32: lane 31 gets word 992.', `Done after ${of_b} wavefronts: every lane has its word.`]));
    // The picture is higher than its container. The row of the step is visible.
    await page.setViewportSize({width: 390, height: 844});
    await steps.fill('31');
    await soon(async () => {
      const [place, row] = [await place_of(a), await place_of(a.locator('.bw-time .on').first())];
      assert.ok(row[1] >= place[1] && row[3] <= place[3], `${row} in ${place}`);
    });
    assert.equal(await b.locator('.bw-cell.on').count(), 0);
    await settle(page);
    assert.equal((await hash(page)).step, '31');
  }));

  for (const [width, height] of [[1280, 720], [390, 844]]) {
    test(`before and after are seen together, with their steps, at ${width} x ${height}`, () => look(`${column}&b.pad=128:4`, async (page) => {
      await page.locator('.both').evaluate((element) => scrollTo(0, element.getBoundingClientRect().top));
      const all = [page.locator('.difference'), page.getByRole('slider', {name: 'Wavefront'}), ...['A', 'B'].map((name) => page.getByRole('region', {name: `Answer ${name}`}))];
      for (const one of all) {
        const [left, top, right, bottom] = await place_of(one);
        assert.ok(left >= 0 && right <= width && top >= 0 && bottom <= height, `${left} ${top} ${right} ${bottom}`);
      }
      assert.ok((await place_of(all[2]))[1] >= (await place_of(page.locator('.both')))[3], 'the part that stays visible must not cover answer A');
    }, {width, height, touch: width < 600}));
  }
});

describe('the picture', () => {
  test('fits with the verdict into one window of 1280 x 720, and stays there', () => look(column, async (page) => {
    const parts = ['.verdict', '.steps', '.picture-place', '.basis', '.layout'];
    const places = () => Promise.all(parts.map(async (part) => (await place_of(page.locator(part)))));
    const before = await places();
    for (const [, top, , bottom] of before.filter((_, i) => i !== 3)) assert.ok(top >= 0 && bottom <= 720, `${before}`);
    // The whole picture is visible without scrolling in its box.
    assert.ok(await page.locator('.picture-place').evaluate((box) => box.scrollHeight <= box.clientHeight));
    await drag(page, 'Leave unused', 1);
    await soon(async () => assert.equal(await figure(page, 'wavefronts'), 1));
    assert.deepEqual(await places(), before, '1 wavefront in place of 32');
    await page.getByLabel('Index expression').fill('tile[t][33]');
    await page.locator('.beside-verdict').waitFor();
    assert.deepEqual((await places()).slice(1), before.slice(1), 'a note does not move the other parts');
    assert.ok((await place_of(page.locator('.beside-verdict')))[3] < 130, 'the note is next to the verdict');
  }, {width: 1280, height: 720}));

  test('slides cell by cell to the new banks, and the counter falls with it', () => look(column, async (page) => {
    const seen = await page.evaluate(async () => {
      const cells = () => [...document.querySelectorAll('.bw-time .bw-cell')];
      const place = (cell) => { const {left, top} = cell.getBoundingClientRect(); return [Math.round(left), Math.round(top)]; };
      const before = place(cells()[31]), slider = [...document.querySelectorAll('input[type=range]')].find((input) => input.labels[0].textContent === 'Leave unused');
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      slider.value = '1';
      slider.dispatchEvent(new Event('input', {bubbles: true}));
      const counts = [], heights = new Set(), transforms = () => cells().map((cell) => cell.getAttribute('transform'));
      let first = null, moving = 0, last = transforms();
      for (const end = performance.now() + 5000; performance.now() < end;) {
        await frame();
        const now = transforms(), move = now.filter((transform, i) => transform !== last[i]).length;
        if (now.some((transform) => transform.includes('.'))) first ??= place(cells().find((cell) => cell.dataset.lanes.startsWith('80')));
        moving = Math.max(moving, move);
        last = now;
        counts.push(Number(document.querySelector('.figure dd').textContent));
        heights.add(document.documentElement.scrollHeight);
        if (counts.at(-1) === 1 && moving > 0 && move === 0) break;
      }
      return {before, first, after: place(cells().find((cell) => cell.dataset.lanes.startsWith('80'))), counts, moving, heights: heights.size};
    });
    assert.ok(seen.moving >= 31, `${seen.moving} of the 32 cells move; only the first cell stays`);
    assert.deepEqual(seen.counts, [...seen.counts].sort((a, b) => b - a), 'the number of wavefronts only falls');
    assert.equal(seen.counts.at(-1), 1);
    assert.ok(Math.abs(seen.first[1] - seen.before[1]) < Math.abs(seen.after[1] - seen.before[1]), `${JSON.stringify(seen)}`);
    assert.ok(seen.after[0] > seen.before[0] && seen.after[1] < seen.before[1]);
    assert.equal(seen.heights, 1);
    // A new question gets a new picture. No part of the earlier picture is left.
    await page.getByLabel('Index expression').fill('tile[t][1]');
    assert.equal(await moved_in_a_frame(page), 0);
  }, {motion: true}));

  test('is after any layouts what it is when it is drawn anew', async () => {
    let compared = 0;
    const asked = [['expr=tile[t][0]&array=float+tile[32][32]'], ['expr=tile[t][0]&array=float4+tile[32][8]&colour=wavefront'], ['expr=t%2F4*32&type=double&step=2'],
      ['expr=t*16&op=ldmatrix.x4'], ['expr=t*32&type=float&op=atomicAdd&colour=lane'], ['expr=t*32&arch=128x4'], ['expr=tile[t][0]&array=float+tile[32][32]', 2]];
    for (const [question, narrow] of asked) await look(`#explain?${question}`, async (page) => {
      for (const [label, value] of [['Leave unused', 1], ['Leave unused', 8], ['Leave unused', 0], ['B, bits', 3], ['Leave unused', 2], ['B, bits', 5], ['Leave unused', 0], ['B, bits', 0]]) {
        await drag(page, label, value);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
        const [now, anew] = await page.evaluate((kind) => {
          const pairs = [...new URLSearchParams(location.hash.split('?')[1])], fresh = document.createElement('div');
          const svg = window.bankwise.answer(kind, pairs.filter(([key]) => key !== 'colour' && key !== 'step'));
          if (typeof svg !== 'string') return [[], []];  // this is not an access, because 16 bytes are not aligned
          fresh.innerHTML = svg;
          const elements = (place) => [...place.querySelector('svg').querySelectorAll('*')].map((element) => {
            const own = element.cloneNode(element.children.length === 0);
            own.removeAttribute('style');
            for (const name of ['on', 'bw-shade']) own.classList.remove(name);
            return `${element.parentElement.getAttribute('class')?.replace(/ (on|bw-shade|bw-coloured|bw-dim)/g, '')} > ${own.outerHTML}`;
          }).sort();
          return [document.querySelector('.picture-place'), fresh].map(elements);
        }, narrow ?? 8);
        assert.deepEqual(now, anew, `${question} ${label} ${value}`);
        compared += now.length;
      }
    }, narrow ? {width: 390} : {});
    assert.ok(compared > 10_000, `${compared}`);
  });

  test('does not move if the reader wants no motion', () => look(column, async (page) => {
    await drag(page, 'Leave unused', 1);
    await soon(async () => assert.equal(await page.locator('.bw-wave').count(), 1));
    assert.equal(await moved_in_a_frame(page), 0);
    await soon(async () => assert.equal(await figure(page, 'wavefronts'), 1));
  }));

  for (const dark of [false, true]) {
    test(`is coloured by wavefront or by lane, with the numbers of the lanes (${dark ? 'dark' : 'light'})`, () => look(matrix, async (page) => {
      const fills = (part) => page.locator(`${part} .bw-cell`).evaluateAll((cells) => cells.map((cell) => [parseInt(cell.dataset.lanes, 16) >>> 0,
        cell.dataset.wave, getComputedStyle(cell.querySelector('rect')).fill, cell.querySelector('text').textContent]));
      for (const [by, of] of [['lane', 0], ['wavefront', 1]]) {
        await page.getByLabel('Colour').selectOption(`by ${by}`);
        await soon(async () => assert.equal((await hash(page)).colour, by));
        for (const part of ['.bw-time', '.bw-words']) {
          const all = await fills(part), shades = new Map(all.map((cell) => [cell[of], cell[2]]));
          assert.equal(shades.size, 32);
          assert.equal(new Set(shades.values()).size, 32, `${part} by ${by}`);
          // Each colour is lighter than the previous colour, so that readers without colour vision can distinguish the
          // colours.
          const light = [...shades].sort(([a], [b]) => by === 'lane' ? a - b : Number(a) - Number(b)).map(([, fill]) => {
            const [r, g, b] = fill.match(/\d+/g).map((c) => (c / 255) ** 2.2);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          });
          assert.deepEqual(light, [...light].sort((a, b) => a - b), `${part} by ${by}`);
          for (const cell of all) assert.deepEqual([cell[2], cell[3]], [shades.get(cell[of]), `${31 - Math.clz32(cell[0])}`]);
        }
        assert.deepEqual(await weak_texts(page), []);
      }
      await same_picture(page, `explorer-by-wavefront${dark ? '-dark' : ''}`);
      await page.reload();
      await soon(async () => assert.equal(await page.getByLabel('Colour').inputValue(), 'wavefront'));
      // After a step, the picture still only shows cells that the wavefront serves.
      await page.getByRole('button', {name: 'Next wavefront'}).click();
      await soon(async () => assert.deepEqual(await lit(page, '.bw-time'), [0, 1, 2, 3]));
      assert.equal(new Set((await fills('.bw-time')).map((cell) => cell[2])).size, 2);
      await page.getByLabel('Colour').selectOption('by cost');
      await soon(async () => assert.equal((await hash(page)).colour, undefined));
    }, {dark, height: 720}));
  }

  test('no slider moves while it is dragged', () => look(matrix, async (page) => {
    for (const [label, values] of [['Leave unused', [0, 1, 7, 8]], ['B, bits', [0, 1, 3, 5]], ['M, kept', [0, 4, 8]], ['S, shift', [5, 12]], ['Wavefront', [0, 9, 32]]]) {
      const slider = page.getByRole('slider', {name: label});
      const before = await place_of(slider);
      for (const value of values) {
        await slider.fill(String(value));
        await page.waitForTimeout(30);
        assert.deepEqual(await place_of(slider), before, `${label} at ${value}`);
      }
    }
  }));

  test('what a wavefront does not serve is pale, and no dot shows through it', () => look(`${column}&step=5`, async (page) => {
    const cells = await page.locator('.bw-cell:not(.on), .bw-lane:not(.on)').evaluateAll((all) => all.map((cell) => {
      const of = (name) => getComputedStyle(cell.querySelector(name));
      return [getComputedStyle(cell).opacity, of('rect').fill, of('rect').fillOpacity, of('text').opacity].join(' ');
    }));
    assert.equal(cells.length, 31 * 3);
    assert.deepEqual([...new Set(cells)], ['1 rgb(255, 255, 255) 1 1']);
    assert.deepEqual(await weak_texts(page), []);
  }));

  test('the sentence of what is pointed at goes with the pointer', () => look(column, async (page) => {
    await page.locator('.bw-words .bw-cell').nth(20).hover();
    const tip = page.locator('.picture-tip');
    await soon(async () => assert.equal(await tip.innerText(), 'lane 20: word 640 of bank 0 in wavefront 21.'));
    const [left, top] = await place_of(page.locator('.bw-words .bw-cell').nth(20)), [x, y] = await place_of(tip);
    assert.ok(Math.abs(x - left) < 60 && Math.abs(y - top) < 60, `${[left, top, x, y]}`);
    await page.mouse.move(0, 0);
    await soon(async () => assert.equal(await tip.isVisible(), false));
  }));

  test('is stepped through, wavefront by wavefront, in both parts and in words', () => look(matrix, async (page) => {
    await page.getByRole('button', {name: 'Next wavefront'}).click();
    await page.getByRole('button', {name: 'Next wavefront'}).click();
    await soon(async () => assert.deepEqual(await lit(page, '.bw-time'), [32, 33, 34, 35]));
    await soon(async () => assert.deepEqual(await lit(page, '.bw-words'), [32, 33, 34, 35]));
    await soon(async () => assert.equal(await page.locator('.picture-says').innerText(), 'Wavefront 2 of 32, phase 0: lane 1 gets words 32-35.'));
    await soon(async () => assert.equal(await page.locator('.picture-says').getAttribute('aria-live'), 'polite'));
    await page.getByRole('slider', {name: 'Wavefront'}).press('ArrowRight');
    await soon(async () => assert.deepEqual(await lit(page, '.bw-time'), [64, 65, 66, 67]));
    await settle(page);
    await soon(async () => assert.equal((await hash(page)).step, '3'));
    await page.getByRole('button', {name: 'Previous wavefront'}).click();
    await page.locator('.bw-wave').nth(9).locator('.bw-num').click();
    await soon(async () => assert.match(await page.locator('.picture-says').innerText(), /^Wavefront 10 of 32, phase 1: lane 9/));
  }));

  test('plays to the end and stops', () => look('#explain?expr=t+*+2&type=float', async (page) => {
    await page.getByRole('button', {name: 'Play'}).click();
    await page.getByText('2 of 2', {exact: true}).waitFor();
    await page.getByRole('button', {name: 'Play'}).waitFor();
  }));

  test('lights up a lane that is pointed at, tapped, or reached with the arrow keys', () => look(column, async (page) => {
    await page.locator('.bw-lane').nth(5).hover();
    await soon(async () => assert.deepEqual([...await lit(page, '.bw-words'), ...await lit(page, '.bw-time')], [160, 160]));
    await soon(async () => assert.equal(await page.locator('.picture-says').innerText(), 'lane 5: word 160 of bank 0 in wavefront 6.'));
    await page.mouse.move(0, 0);
    await soon(async () => assert.deepEqual(await lit(page, '.bw-words'), []));
    await page.locator('.picture-place').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await soon(async () => assert.deepEqual(await lit(page, '.bw-words'), [32]));
    await page.keyboard.press('Escape');
    await soon(async () => assert.deepEqual(await lit(page, '.bw-words'), []));
    await page.locator('.bw-words .bw-cell').nth(7).click();
    await page.mouse.move(0, 0);
    await soon(async () => assert.deepEqual(await lit(page, '.bw-time'), [224]));
  }));

  test('is also described in words: phases, banks, words, lanes', () => look(matrix, async (page) => {
    await page.getByText('The picture as tables').click();
    await page.locator('.tables tbody tr').nth(4).waitFor();
    const rows = await page.locator('.tables tbody tr').allInnerTexts();
    assert.equal(rows[0].replace(/\s+/g, ' ').trim(), '0 0-7 8 32');
    assert.equal(rows[4].replace(/\s+/g, ' ').trim(), '0 0 1 0 0-3 0');  // phase, bank, wavefront, word, bytes, lane
    await page.getByRole('button', {name: 'Show 12 more banks'}).click();
    await soon(async () => assert.equal(await page.locator('.tables tbody tr').count(), 4 + 16 * 8));
  }));

  test('is drawn for a phone on a phone', () => look(column, async (page) => {
    await soon(async () => assert.equal(await page.locator('.picture svg').getAttribute('viewBox').then((box) => box.split(' ')[2]), '360'));
    await soon(async () => assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360));
    await page.locator('.bw-lane').nth(3).tap();
    await soon(async () => assert.deepEqual(await lit(page, '.bw-time'), [96]));
  }, {width: 360, height: 740, touch: true}));
});

describe('the whole array', () => {
  const said = (page) => page.locator('.tile-says').innerText();
  /** Returns the colour of an element's square, away from its number and its frame. */
  const colour_at = (page, row, column) => page.locator('.tile canvas').evaluate((canvas, [r, c]) => {
    const side = (parseFloat(canvas.style.width) - 35) / 32, scale = canvas.width / parseFloat(canvas.style.width);
    const one = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
    one.drawImage(canvas, -Math.round((34 + c * side + 4) * scale), -Math.round((16 + r * side + 4) * scale));
    return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
  }, [row, column]);

  test('is coloured by bank or by lane, follows the sliders, and is kept in the link', () => look(column, async (page) => {
    await page.getByText('The whole array: the bank of every element').click();
    await soon(async () => assert.equal((await hash(page)).tile, 'bank'));
    await soon(async () => assert.equal(await said(page), 'float tile: 32 rows of 32 elements. Row 0 is in 32 banks, 0-31; column 0 in bank 0; the 32 elements that this access wants are in bank 0.'));
    await soon(async () => assert.equal(await colour_at(page, 0, 0), await colour_at(page, 9, 0)));
    assert.notEqual(await colour_at(page, 0, 0), await colour_at(page, 0, 20));
    await drag(page, 'Leave unused', 1);
    await soon(async () => assert.match(await said(page), /column 0 in 32 banks, 0-31; the 32 elements that this access wants are in 32 banks/));
    await soon(async () => assert.notEqual(await colour_at(page, 0, 0), await colour_at(page, 9, 0)));
    assert.equal(await colour_at(page, 9, 0), await colour_at(page, 0, 9));
    await page.locator('.tile canvas').hover({position: {x: 34 + 3, y: 16 + 22 * 5 + 3}});
    await soon(async () => assert.equal(await page.locator('.tile-pointed').innerText(), 'tile[5][0]: byte 660, bank 5; used by lane 5'));
    await page.getByLabel('by the lane that uses them').check();
    await soon(async () => assert.notEqual(await colour_at(page, 9, 0), await colour_at(page, 9, 1)));
    assert.equal(await colour_at(page, 9, 1), await colour_at(page, 20, 30), 'elements that no lane reads have the same colour');
    await page.locator('.tile').evaluate((element) => element.scrollIntoView());
    await same_picture(page, 'explorer-tile');
    await page.reload();
    await soon(async () => assert.equal(await page.getByLabel('by the lane that uses them').isChecked(), true));
    await page.getByText('The whole array: the bank of every element').click();
    await soon(async () => assert.equal((await hash(page)).tile, undefined));
  }));

  test('may be a CuTe layout, typed in', () => look(`${column}&tile=bank`, async (page) => {
    const array = page.getByLabel('Array', {exact: true});
    for (const [layout, verdict_is, tile_is] of [
      ['float tile (32,32):(33,1)', /^1 wavefront:/, /32 rows of 32 elements.*column 0 in 32 banks/],
      ['float tile (32,32):(32,1)', /^32 wavefronts/, /column 0 in bank 0;/],
      ['float tile (32,32):(1,32)', /^1 wavefront:/, /Row 0 is in bank 0; column 0 in 32 banks/],
      ['__shared__ float tile Swizzle<5,0,5> o (32,32):(32,1);', /^1 wavefront:/, /column 0 in 32 banks/],
    ]) {
      await array.fill(layout);
      await soon(async () => assert.match(await verdict(page), verdict_is, layout));
      await soon(async () => assert.match(await said(page), tile_is, layout));
    }
    await page.getByLabel('Index expression').fill('tile(t, 0)');
    await soon(async () => assert.match(await verdict(page), /^1 wavefront:/));
    await array.fill('float tile (32,32):(32)');
    await soon(async () => assert.match(await page.locator('.wrong').filter({hasText: 'stride'}).innerText(), /the stride must have as many parts as the shape[^]*Shape:Stride/));
  }));

  test('of a list of addresses there is none', () => look('#explain?addresses=0,4,8&tile=bank', async (page) => {
    await soon(async () => assert.match(await page.locator('.tile').innerText(), /no array is declared/));
  }));
});

describe('examples and links', () => {
  test('every example has an answer, one click away', () => look('', async (page) => {
    const links = page.locator('.examples a');
    const count = await links.count();
    assert.ok(count >= 30);
    const seen = {};
    for (let i = 0; i < count; i++) {
      await links.nth(i).click();
      await soon(async () => assert.deepEqual((await page.locator('.wrong').allInnerTexts()).filter((text) => text !== ''), []));
      seen[await links.nth(i).innerText()] = Number((await verdict(page)).split(' ')[0]);
    }
    assert.deepEqual([seen['stride 2'], seen['interleaved halves'], seen['broadcast and conflict at once']], [2, 1, 4]);
    assert.deepEqual([seen['half a warp'], seen['16 active lanes, in both halves'], seen['pairs of lanes share words, so halves merge'], seen['both halves read the same words']], [1, 2, 1, 2]);
    assert.deepEqual([seen['lanes 15 and 16'], seen['lanes 0 and 15'], seen['quarters merge in pairs'], seen['merged, and in conflict']], [2, 1, 2, 4]);
    assert.deepEqual([seen['ldmatrix.x4, rows of 64 halves'], seen["CuTe's Swizzle<3,4,3>"], seen['rows padded to 72 halves']], [32, 4, 4]);
    assert.deepEqual([seen['Kepler, 4-byte banks'], seen['Fermi, doubles'], seen['ten banks, a column of ten'], seen['ten banks, rows of eleven']], [1, 2, 10, 1]);
  }));

  test('the verdict of a phone is above the form, and follows it', () => look(column, async (page) => {
    const [, top, , bottom] = await place_of(page.locator('.verdict')), [, form] = await place_of(page.locator('.asked'));
    assert.ok(top >= 0 && bottom < 300 && bottom < form, `${top} ${bottom} ${form}`);
    assert.equal(await page.locator('.verdict').count(), 1);
    await page.getByLabel('Index expression').fill('tile[0][t]');
    await soon(async () => assert.match(await verdict(page), /^1 wavefront/));
    await page.getByLabel('Index expression').fill('tile[0][');
    await soon(async () => assert.match(await page.locator('.verdict').innerText(), /for the last valid access/));
    await page.locator('.picture svg').waitFor();
    // If two columns fit, the whole answer is visible again, and is unchanged.
    await page.getByLabel('Index expression').fill('tile[t][0]');
    await page.setViewportSize({width: 1280, height: 800});
    await soon(async () => assert.equal(await page.locator('.answer').count(), 1));
    assert.match(await verdict(page), /^32 wavefronts/);
  }, {width: 390, height: 844, touch: true}));

  test('one that is chosen on a phone is seen', () => look(column, async (page) => {
    await page.getByRole('link', {name: 'stride 2'}).tap();
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
    await soon(async () => {
      const [, top, , bottom] = await place_of(page.locator('.verdict'));
      assert.ok(top >= 0 && bottom <= 844, `${top} ${bottom}`);
    });
  }, {width: 390, height: 844, touch: true}));

  test('a link opens what was copied, and Back goes where one was', () => look('#explain?expr=t&type=float', async (page) => {
    await page.getByLabel('Index expression').fill('t * 33 + (t & 1)');
    await drag(page, 'B, bits', 2);
    const link = await copied(page, 'Copy link'), before = await verdict(page);
    await page.getByRole('link', {name: 'stride 2'}).click();
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
    await page.goBack();
    await soon(async () => assert.equal(await page.getByLabel('Index expression').inputValue(), 't * 33 + (t & 1)'));
    await soon(async () => assert.equal(await verdict(page), before));
    const other = await page.context().newPage();
    await other.goto(link);
    await other.waitForSelector('.verdict');
    await soon(async () => assert.equal(await other.getByLabel('Index expression').inputValue(), 't * 33 + (t & 1)'));
    await soon(async () => assert.equal(await verdict(other), before));
  }));

  test('the hash may be written by hand', () => look('', async (page) => {
    await page.evaluate(() => { location.hash = '#explain?expr=t*8&type=float&step=2&b.expr=t&b.type=float'; });
    await page.locator('.difference').waitFor();
    await soon(async () => assert.equal(await page.locator('.difference').innerText(), 'A 8 wavefronts, B 1: B takes 7 fewer'));
    await soon(async () => assert.match(await page.locator('.picture-says').first().innerText(), /^Wavefront 2 of 8/));
  }));
});

describe('copies', () => {
  test('as C++, as a command, as a picture, as the command line gives them', () => look(`${column}&pad=128:4`, async (page) => {
    await soon(async () => assert.match(await copied(page, 'Copy as C++'), /#include <bankwise\/bankwise\.hpp>[\s\S]*BANKWISE_ASSERT_WAVEFRONTS\(\w+, 1\);/));
    await page.getByText('copied', {exact: true}).waitFor({state: 'detached'});
    const command = await copied(page, 'Copy as command');
    assert.match(command, /^bankwise explain .*--array 'float tile\[32\]\[32\]'.*'tile\[t\]\[0\]'/);
    assert.match(command, /--pad 128:4/);
    await page.getByText('copied', {exact: true}).waitFor({state: 'detached'});
    await soon(async () => assert.match(await copied(page, 'Copy as SVG'), /^<svg [\s\S]*<style>[\s\S]*<\/svg>\s*$/));
  }));

  test('a card of before and after, as a picture on the clipboard or as a file', () => look(column, async (page) => {
    await page.getByRole('button', {name: 'Copy card'}).click();
    await page.getByText('card copied', {exact: true}).waitFor();
    // Checks the size of a card. The left half shows the access before the change, and contains the red of 31 excess
    // wavefronts. The right half shows the access after the change, and does not contain this red.
    const card = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read(), image = await createImageBitmap(await item.getType('image/png'));
      const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height}), context = canvas.getContext('2d', {willReadFrequently: true});
      context.drawImage(image, 0, 0);
      const seen = {left: 0, right: 0}, {data} = context.getImageData(0, 0, image.width, image.height);
      for (let i = 0; i < data.length; i += 4) if (data[i] === 166 && data[i + 1] === 60 && data[i + 2] === 6) seen[i / 4 % image.width < image.width / 2 ? 'left' : 'right']++;
      return {size: [image.width, image.height], ...seen};
    });
    assert.deepEqual(card.size, [1200, 675]);
    assert.ok(card.left > 2000 && card.right === 0, JSON.stringify(card));
    const saved = async (button) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: button}).click()]);
      return [file.suggestedFilename(), readFileSync(await file.path())];
    };
    await page.evaluate(() => { navigator.clipboard.write = () => Promise.reject(new Error('no')); });
    const [png_name, png] = await saved('Copy card');
    assert.equal(png_name, 'bankwise-card.png');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    // other sites show this picture with links to our pages
    same_image(png, fileURLToPath(new URL('../../docs/card.png', import.meta.url)));
  }));

  test('links from a page in a file lead to the site that it is from', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bankwise-site-')), path = join(folder, 'explorer.html');
    try {
      // Writes the address as scripts/build-site --url does.
      writeFileSync(path, readFileSync(page_path, 'utf8').replace('</head>', '<meta property="og:url" content="https://example.org/bankwise/explorer.html">\n</head>'));
      await look(`${column}&pad=128:4`, async (page) => {
        const link = await copied(page, 'Copy link');
        assert.equal(link, 'https://example.org/bankwise/explorer.html#explain?expr=tile%5Bt%5D%5B0%5D&array=float+tile%5B32%5D%5B32%5D&pad=128%3A4');
        await page.evaluate(() => {
          const src = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src');
          Object.defineProperty(HTMLImageElement.prototype, 'src', {set(text) { window.drawn = decodeURIComponent(text); src.set.call(this, text); }});
        });
        await page.getByRole('button', {name: 'Copy card'}).click();
        await page.getByText('card copied', {exact: true}).waitFor();
        assert.match(await page.evaluate(() => window.drawn), /example\.org\/bankwise\/explorer\.html#explain/);
      }, {path});
    } finally {
      rmSync(folder, {recursive: true});
    }
    await look(column, async (page) => assert.match(await copied(page, 'Copy link'), /^file:/));
  });

  test('show the text where there is no clipboard', () => look(column, async (page) => {
    await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); });
    await page.getByRole('button', {name: 'Copy as command'}).click();
    const area = page.getByLabel('The clipboard is out of reach');
    await soon(async () => assert.match(await area.inputValue(), /^bankwise explain/));
    await soon(async () => assert.equal(await area.evaluate((element) => element.selectionEnd - element.selectionStart === element.value.length), true));
    await page.keyboard.press('Escape');
    await soon(async () => assert.equal(await area.count(), 0));
  }));
});

describe('for everybody', () => {
  test('the keyboard reaches everything, in the order of the page', () => look(column, async (page) => {
    const names = [];
    for (let i = 0; i < 31; i++) {
      await page.keyboard.press('Tab');
      names.push(await page.evaluate(() => {
        const at = document.activeElement;
        return at.getAttribute('aria-label') ?? at.labels?.[0]?.firstChild?.textContent.trim() ?? at.textContent.trim();
      }));
    }
    assert.deepEqual(names.map((name, i) => name || `(${i})`), ['Shared memory', 'Global memory', 'Compare', 'Copy link', '(4)', 'Index expression', 'Array', 'Remove array 1',
      'Add an array', 'Add a constant', 'Type', 'Width', 'Operation', 'Architecture', 'Block, warp and active lanes',
      'Best layout', 'every', 'Leave unused', 'B, bits', 'M, kept', 'S, shift', 'Wavefront', 'Next wavefront', 'Play', 'Colour',
      'Picture of the access. The arrow keys move through the lanes', 'The whole array: the bank of every element', 'What the numbers mean', 'The picture as tables of phases and collisions', 'Copy as C++',
      'Copy as command']);
  }));

  test('what has the focus shows it', () => look(column, async (page) => {
    await page.keyboard.press('Tab');
    await soon(async () => assert.equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'solid'));
  }));

  for (const dark of [false, true]) {
    const name = dark ? 'dark' : 'light';
    test(`every control has a name, every text its contrast (${name})`, () => look(`${matrix}&where=t+<+30&b.expr=t+*&b.type=float`, async (page) => {
      for (const summary of await page.locator('summary').all()) {
        if (!await summary.evaluate((element) => element.parentElement.open)) await summary.click();
      }
      await soon(async () => assert.deepEqual(await nameless_controls(page), []));
      await soon(async () => assert.deepEqual(await weak_texts(page), []));
    }, {dark}));
  }

  test('no width from 320 pixels on makes the page scroll sideways', () => look(`${matrix}&b.expr=t*4`, async (page) => {
    for (const width of [320, 360, 480, 600, 768, 899, 900, 1024, 1440]) {
      await page.setViewportSize({width, height: 740});
      await soon(async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}`));
    }
  }));
});

describe('size', () => {
  test('the page has at most 410,000 bytes', () => {
    const bytes = statSync(page_path).size;
    console.log(`page: ${bytes} bytes`);
    assert.ok(bytes <= 410_000);
  });
});

describe('global memory', () => {
  test('is a tab, whose question is in the URL', () => look('#explain?expr=x[t+*+2]&array=float+x[1024]', async (page) => {
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
    await page.getByRole('button', {name: 'Global memory'}).click();
    await soon(async () => assert.equal(await verdict(page), '8 sectors: 128 of the 256 moved bytes are requested. 4 sectors would be enough'));
    assert.deepEqual(await hash(page), {expr: 'x[t * 2]', array: 'float x[1024]', space: 'global'});
    assert.deepEqual([await figure(page, 'sectors'), await figure(page, 'ideal'), await figure(page, 'lines'), await figure(page, 'moved')], [8, 4, 2, 256]);
    await page.goBack();
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
    await page.goForward();
    await page.getByRole('button', {name: 'Shared memory'}).click();
    await soon(async () => assert.match(await verdict(page), /^2 wavefronts/));
  }));

  test('draws lanes over sectors, and lights up what belongs together', () => look('#explain?expr=x[t+*+2]&space=global', async (page) => {
    await soon(async () => assert.equal(await page.locator('.bw-words .bw-cell').count(), 32));
    assert.equal(await page.locator('.bw-sector.partial').count(), 9);  // eight sectors, and one sector in the legend
    await page.locator('.bw-lane').nth(5).hover();
    await soon(async () => assert.deepEqual(await lit(page, '.bw-words'), [10]));
    assert.equal(await page.locator('.picture-says').innerText(), 'lane 5 at byte 40: sector of bytes 32-63, 16 of its 32 bytes requested');
  }));

  test('says what helps', () => look('#explain?expr=p[t]&type=float3&space=global', async (page) => {
    await soon(async () => assert.match(await page.locator('.remedies tbody tr').first().innerText(), /36 \u2192 12/));
  }));

  test('has a base and operations of its own, and says what is wrong at its field', () => look('#explain?expr=x[t]&space=global', async (page) => {
    await page.getByLabel('Base').fill('4');
    await soon(async () => assert.match(await verdict(page), /^5 sectors/));
    assert.equal((await hash(page)).base, '4');
    await page.getByLabel('Base').fill('2');
    await soon(async () => assert.equal(await page.getByLabel('Base').getAttribute('aria-invalid'), 'true'));
    await page.getByLabel('Base').fill('');
    await page.getByLabel('Operation').selectOption('red.add');
    await soon(async () => assert.match(await verdict(page), /^4 sectors/));
    assert.equal(await page.getByLabel('Operation').locator('option', {hasText: 'ldmatrix'}).count(), 0);
  }));

  test('a mistake in the other memory shows no answer of this one', () => look('#explain?expr=x[t]&space=global', async (page) => {
    await soon(async () => assert.match(await verdict(page), /^4 sectors/));
    await page.getByRole('button', {name: 'Shared memory'}).click();
    await soon(async () => assert.equal(await verdict(page), 'No answer'));
  }));

  test('gives the command and the picture to take along', () => look('#explain?expr=x[t]&space=global&base=32', async (page) => {
    await soon(async () => assert.match(await verdict(page), /^4 sectors/));
    assert.equal((await copied(page, 'Copy as command')).trim(), "bankwise explain --space global --base 32 'x[t]'");
    assert.deepEqual(await nameless_controls(page), []);
    assert.deepEqual(await weak_texts(page), []);
  }));
});
