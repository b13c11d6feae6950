// Tests that the page and the command line use the same rule. Both evaluate every row of the measured tables, and the
// results are compared with the H200's counter. BANKWISE is the program.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launch, visit} from './browser.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = process.env.BANKWISE ?? `${root}build/release/cli/bankwise`;

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const lines = (text) => text.trim().split(/\r?\n/).map((line) => line.split(','));
const columns = ['wavefronts', 'ideal', 'reachable', 'passes', 'cycles'];

/** Returns the rows of a table as objects by column. */
function rows_of(table) {
  const [header, ...rows] = lines(readFileSync(table, 'utf8'));
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [header[i], cell])));
}

function question_of(row) {
  const mask = Number.parseInt(row.mask, 16);
  const addresses = Array.from({length: 32}, (_, lane) => (mask >>> lane & 1) !== 0 ? row[`a${lane}`] : '-');
  const question = [['op', row.op], ['addresses', addresses.join(',')]];
  if ((row.source_stride ?? '') !== '' && row.op.includes('.ca')) question.push(['source', `t * ${row.source_stride}`]);
  return question;
}

for (const table of ['wavefronts.csv', 'sparse.csv'])
  test(`${table}: page, command line and counter agree on every row`, async () => {
    const path = `${root}data/sm_90/${table}`, rows = rows_of(path);
    // The columns after these come from Nsight Compute's page.
    const [header, ...predicted] = lines(execFileSync(program, ['predict', path], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}))
      .map((cells) => cells.slice(0, columns.length));
    assert.deepEqual(header, columns);
    assert.equal(predicted.length, rows.length);
    await visit(browser, '', async (page) => {
      const answers = await page.evaluate(([questions, keys]) => questions.map((question) => {
        const answer = window.bankwise.answer(0, question);
        if (typeof answer !== 'string') return answer;
        const json = JSON.parse(answer);
        return keys.map((key) => String(json[key]));
      }), [rows.map(question_of), columns]);
      let measured = 0;
      rows.forEach((row, i) => {
        assert.deepEqual(answers[i], predicted[i], `row ${i + 2}: ${row.op} ${row.mask}`);
        // The rule does not cover a scattered source or .cg.
        if ((row.source_stride ?? '') !== '' && row.source_stride !== row.op.split('.').at(-1) || row.op.includes('.cg')) return;
        assert.equal(answers[i][0], row.wavefronts ?? row.counter, `row ${i + 2}: ${row.op} ${row.mask}`);
        ++measured;
      });
      console.log(`${table}: ${rows.length} rows, ${measured} of them against the counter`);
      assert.ok(measured > rows.length / 2);
    });
  });

test('what the page shows of an access is what the command line prints', () => visit(browser, '', async (page) => {
  for (const question of [
    [['expr', 'tile[t][0]'], ['array', 'float tile[32][32]']],
    [['expr', '(t % 16) * 64 + (t / 16) * 8'], ['op', 'ldmatrix.x4'], ['type', 'half'], ['swizzle', '3,4,3']],
    [['expr', 't'], ['arch', 'sm_13'], ['type', 'char']],
    [['expr', 't * 3'], ['arch', '10x4'], ['where', 't > 3'], ['width', '4'], ['type', 'int'], ['pad', '40:8']],
    [['expr', 's[threadIdx.y][threadIdx.x]'], ['array', 'float s[8][32]'], ['block', '32,8'], ['warp', '3'], ['let', 'n=4']],
    [['expr', 'x[t * 2]'], ['space', 'global'], ['array', 'float x[64]']],
    [['expr', 'p[t]'], ['space', 'global'], ['type', 'float3'], ['base', '8']],
  ]) {
    const flags = question.filter(([key]) => key !== 'expr').flatMap(([key, value]) => [`--${key}`, value]);
    const ask = (...more) => execFileSync(program, ['explain', ...flags, ...more, question[0][1]], {encoding: 'utf8'});
    const answer = (kind) => page.evaluate(([k, q]) => window.bankwise.answer(k, q), [kind, question]);
    assert.equal(await answer(0), ask('--format', 'json'));
    assert.equal(await answer(3), ask('--format', 'svg'));
    assert.equal(await answer(4), ask('--format', 'cpp'));
    // The command line that the page copies gives the same answer.
    const command = (await answer(5)).trim().replace(/^bankwise /, `${program} `);
    assert.equal(execFileSync('sh', ['-c', `${command} --format json`], {encoding: 'utf8'}), await answer(0));
  }
}));

test('wrong questions get the same words', () => visit(browser, '', async (page) => {
  for (const [question, words] of [
    [[['expr', 't +']], ['t +']],
    [[['expr', 'tt * 4']], ['tt * 4']],
    [[['expr', 't'], ['where', 't >> x']], ['--where', 't >> x', 't']],
    [[['expr', 't * 4'], ['swizzle', '3,4,1']], ['--swizzle', '3,4,1', 't * 4']],
    [[['expr', 't * 4'], ['arch', 'sm_91']], ['--arch', 'sm_91', 't * 4']],
  ]) {
    const wrong = await page.evaluate((q) => window.bankwise.answer(0, q), question);
    let printed = '';
    try {
      execFileSync(program, ['explain', ...words], {encoding: 'utf8', stdio: 'pipe'});
    } catch (error) {
      printed = error.stderr;
    }
    assert.ok(printed.includes(`error: ${wrong.message}`), `${printed} / ${wrong.message}`);
    if (wrong.column !== 0) assert.ok(printed.includes(`:${wrong.line}:${wrong.column}`), printed);
    if (wrong.hint !== '') assert.ok(printed.includes(`help: ${wrong.hint}`), printed);
  }
}));
