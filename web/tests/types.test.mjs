// Tests that the TypeScript compiler accepts the sources of the page, with the types of a report that the C++ code
// prints. SCHEMA_PAGE is the program that prints these types.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

function run(...command) {
  const {status, stdout, stderr} = spawnSync(command[0], command.slice(1), {cwd: root, encoding: 'utf8'});
  assert.equal(status, 0, `${command.join(' ')}\n${stdout}${stderr}`);
}

test('the types fit together', () => {
  run('scripts/build-page', '--types');
  run('web/node_modules/.bin/tsc', '--noEmit', '--project', 'web');
});
