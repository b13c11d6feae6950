// Fills the page with data, as `bankwise run --format html` does, and makes reports of any size.
//
//     node tests/fill.mjs DATA.json PAGE.html         DATA.json: {"view":"report",...}, or "large" for 5,000 instructions

import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const template = fileURLToPath(new URL('../dist/page.html', import.meta.url));

/** Encodes bytes as src/report/page/packed_text.cpp does. */
function base85(bytes) {
  const all = Buffer.concat([bytes, Buffer.alloc((4 - bytes.length % 4) % 4)]), text = [];
  for (let at = 0; at < all.length; at += 4) {
    let number = all.readUInt32BE(at), five = '';
    for (let i = 0; i < 5; i++, number = Math.floor(number / 85)) five = String.fromCharCode(40 + number % 85) + five;
    text.push(five);
  }
  return text.join('').replaceAll('<', '}');
}

/** Makes an LZ4 block. The block refers to earlier bytes if the same four bytes occurred before. */
function lz4(bytes) {
  const out = [], last = new Map();
  const length = (n) => {
    for (; n >= 255; n -= 255) out.push(255);
    out.push(n);
  };
  const put = (from, to, back, same) => {
    const literals = to - from, more = same - 4;
    out.push(Math.min(literals, 15) << 4 | (same ? Math.min(more, 15) : 0));
    if (literals >= 15) length(literals - 15);
    for (let i = from; i < to; i++) out.push(bytes[i]);
    if (!same) return;
    out.push(back & 255, back >> 8);
    if (more >= 15) length(more - 15);
  };
  let from = 0;
  for (let at = 0; at < bytes.length - 12;) {
    const four = bytes.readUInt32LE(at), there = last.get(four);
    last.set(four, at);
    let same = 0;
    if (there !== undefined && at - there < 65536) while (at + same < bytes.length - 5 && bytes[there + same] === bytes[at + same]) same++;
    if (same < 4) at++;
    else {
      put(from, at, at - there, same);
      from = at += same;
    }
  }
  put(from, bytes.length, 0, 0);
  return Buffer.from(out);
}

export function fill(data, page = readFileSync(process.env.BANKWISE_PAGE ?? template, 'utf8')) {
  const place = '<script type="application/json" id="bankwise-data">null</script>';
  if (page.split(place).length !== 2) throw new Error('the page must contain the placeholder for its data exactly once');
  const ptx = (data?.code ?? []).map((one, i) => {
    const bytes = Buffer.from(one.ptx), packed = lz4(bytes);
    return `<script type="text/plain" id="bankwise-ptx-${i}" data-bytes="${packed.length}" data-of="${bytes.length}">${base85(packed)}</script>\n`;
  }).join('');
  const first = data?.code ? {...data, code: data.code.map(({ptx: _, ...one}) => one)} : data;
  const element = place.replace('null', () => JSON.stringify(first).replaceAll('<', '\\u003c'));
  return page.replace(`${place}\n`, () => `${element}\n${ptx}`);
}

const bankwise = process.env.BANKWISE ?? fileURLToPath(new URL('../../build/release/cli/bankwise', import.meta.url));

/** Makes the data of a report's page: the report with its sites in columns, the verdict and the views. */
export function made_of(report) {
  const folder = mkdtempSync(join(tmpdir(), 'bankwise-views-')), file = join(folder, 'report.json');
  let page;
  try {
    writeFileSync(file, JSON.stringify(report));
    page = execFileSync(bankwise, ['report', file, '--format', 'html', '-o', '-'], {encoding: 'utf8', maxBuffer: 1 << 28, cwd: folder});
  } finally {
    rmSync(folder, {recursive: true});
  }
  const begin = '<script type="application/json" id="bankwise-data">', at = page.indexOf(begin) + begin.length;
  const {report: packed, verdict, timeline, views} = JSON.parse(page.slice(at, page.indexOf('</script>', at)));
  return {report: packed, verdict, timeline, views};
}

export function words_of(report) {
  const {verdict, timeline, views} = made_of(report);
  return {verdict, timeline, views};
}

/** Adds the timeline of a program: a copy, a kernel that waits for it in another stream, and branches of a graph. */
export function add_timeline(data, more = []) {
  const shape = {grid: [64, 2, 1], block: [256, 1, 1], bound: 'dram'};
  data.report.timeline = {
    gpu: 'H100 SXM', nanoseconds: 40000, busy_nanoseconds: 30000, kernel_nanoseconds: 14000, launches_without_time: 0,
    waits_for: [{kind: 'copy to the device', count: 1, nanoseconds: 15000}, {kind: 'kernel', count: 1, nanoseconds: 14000}],
    critical_path: [{kind: 'copy to the device', name: '4,096 bytes', count: 1, nanoseconds: 15000}, {kind: 'kernel', name: 'add<float>', ...shape, count: 1, nanoseconds: 10000}],
    operations: [
      {kind: 'call', name: 'copy', begin: 0, nanoseconds: 2000, critical: true},
      {kind: 'launch call', name: 'launch', begin: 2000, nanoseconds: 4000},
      {kind: 'copy to the device', name: '4,096 bytes', stream: 1, begin: 2000, nanoseconds: 15000, critical: true, call: 0},
      {kind: 'kernel', name: 'add<float>', ...shape, stream: 2, begin: 17000, nanoseconds: 10000, critical: true, call: 1, after: [2]},
      {kind: 'kernel', name: 'left', ...shape, stream: 3, begin: 27000, nanoseconds: 4000, critical: true},
      {kind: 'kernel', name: 'right', ...shape, stream: 3, branch: 1, begin: 27000, nanoseconds: 2000},
      ...more,
    ],
  };
  return data;
}

export function write_page(path, data) {
  writeFileSync(path, fill({...words_of(data.report), ...data}));
}

/** Writes a page that compares a report with the same report without its first launch. */
export function write_difference(path, report) {
  const folder = mkdtempSync(join(tmpdir(), 'bankwise-difference-')), a = join(folder, 'a.json'), b = join(folder, 'b.json');
  try {
    writeFileSync(a, JSON.stringify(report));
    writeFileSync(b, JSON.stringify({...report, launches: report.launches.slice(1)}));
    execFileSync(bankwise, ['diff', a, b, '--format', 'html', '-o', path]);
  } finally {
    rmSync(folder, {recursive: true});
  }
}

/** Converts rows of instructions to the columns of a page: pc, text, index of the file, line, PTX line. */
export function columns(rows) {
  return {
    pc: rows.map(([pc]) => pc), sass: rows.map(([, sass]) => `${sass}\n`).join(''), file: rows.map(([, , file]) => file),
    line: rows.map(([, , , line]) => line), ptx_line: rows.map(([, , , , ptx_line]) => ptx_line),
  };
}

/** Makes a launch with `count` instructions and four PTX lines for each instruction. Every fifth instruction
    accesses shared memory. */
export function large_report(count = 5000) {
  const path = '/home/me/large/unrolled.cu', lines = Math.ceil(count / 8);
  const source = ['// An unrolled kernel.', '__global__ void unrolled(float* out) {', '  __shared__ float tile[32][33];'];
  while (source.length < lines) source.push(`  acc${source.length % 16} += tile[threadIdx.x][${source.length % 32}] * weight[${source.length}];`);
  source.push('}');
  const instructions = [], sites = [], ptx = [];
  for (let i = 0; i < count; i++) {
    const pc = i * 16, line = 3 + Math.floor(i / 8) % (lines - 3), ptx_line = i * 4 + 2;
    ptx.push(`\t.loc\t1 ${line} 5`, `\tld.shared.f32 \t%f${i}, [%rd${i % 64}+${i * 4}];`, `\tfma.rn.f32 \t%f${i + 1}, %f${i}, %f2, %f3;`, '');
    const shared = i % 5 === 0, ways = 1 << i % 6;
    const sass = shared ? `LDS R${i % 200}, [R${i % 97}+${'0x' + (i * 4).toString(16)}]` : `FFMA R${i % 200}, R${i % 97}, R${i % 89}, R${i % 83}`;
    instructions.push([pc, sass, 0, line, ptx_line]);
    if (!shared) continue;
    const addresses = Array.from({length: 32}, (_, lane) => lane % ways * 128 + Math.floor(lane / ways) * 4);
    sites.push({
      pc, sass, op: 'ld', width_bytes: 4, file: 'unrolled.cu', path, line, ptx_line, executed: 64, lanes: 2048, wavefronts: 64 * ways,
      ideal: 64, excess: 64 * (ways - 1), reachable: 64, removable: 64 * (ways - 1), layout_floor: 64, passes: 64, cycles: 64 * ways,
      best_cycles: 64, worst: {mask: 'ffffffff', addresses, wavefronts: ways, reachable: 1}, evidence: 'measured',
      evidence_source: 'H200, data/sm_90/wavefronts.csv',
    });
  }
  const sum = (key) => sites.reduce((total, site) => total + site[key], 0);
  const launch = {
    kernel: 'unrolled(float*)', name: 'unrolled', instance: 'unrolled', mangled: '_Z8unrolledPf', grid: [8, 8, 1], block: [32, 8, 1], shared_bytes: 4224,
    dynamic_shared_bytes: 0, registers: 255, count: 1, ctas_executed: 64, sites,
    totals: {
      executed: sum('executed'), wavefronts: sum('wavefronts'), ideal: sum('ideal'), reachable: sum('reachable'), cycles: sum('cycles'),
      warp_instructions: count * 64, issue_cycles: count * 16, shared_cycles_reachable: sum('best_cycles'),
    },
  };
  const report = {schema: 'bankwise.report/1', tool: {name: 'bankwise', version: '0.1.0'}, arch: 'sm_90', source: 'emulated', launches: [launch]};
  return {
    view: 'report', ...made_of(report),
    sources: {[path]: source.join('\n') + '\n'},
    code: [{mangled: launch.mangled, files: [path], instructions: columns(instructions), functions: [], ptx: ptx.join('\n') + '\n'}],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, out] = process.argv.slice(2);
  if (!out) {
    console.error('usage: node tests/fill.mjs DATA.json|large PAGE.html');
    process.exit(2);
  }
  const data = what === 'large' ? large_report() : JSON.parse(readFileSync(what, 'utf8'));
  write_page(out, data);
}
