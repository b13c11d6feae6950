// Drives `bankwise mcp` with the public client of the Model Context Protocol, which checks every message against the schemas
// of the protocol.
//     node client.test.mjs BANKWISE
import assert from "node:assert/strict";
import fs from "node:fs";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
let Client, StdioClientTransport;
try {
  ({Client} = require("@modelcontextprotocol/sdk/client/index.js"));
  ({StdioClientTransport} = require("@modelcontextprotocol/sdk/client/stdio.js"));
} catch {
  console.log("skipped: run npm ci in web");
  process.exit(77);
}
const root = fs.mkdtempSync(path.join(os.tmpdir(), "bankwise-mcp-"));
fs.cpSync(new URL("../../examples/transpose.cubin", import.meta.url), path.join(root, "transpose.cubin"));
const client = new Client({name: "test", version: "1"});
try {
  await client.connect(new StdioClientTransport({command: process.argv[2], args: ["mcp", "--root", root], stderr: "ignore"}));
  assert.equal(client.getServerVersion().name, "bankwise");
  assert.match(client.getInstructions(), /without a GPU/);

  const {tools} = await client.listTools();
  for (const tool of ["explain", "run", "fix", "tune", "diff", "check", "arch", "more"]) assert(tools.some((t) => t.name === tool), tool);
  // These tools run programs, which may change files and use the network.
  const runs = ["run", "fix", "tune", "check"];
  assert.deepEqual(tools.filter((t) => !t.annotations.readOnlyHint).map((t) => t.name), runs);
  assert.deepEqual(tools.filter((t) => t.annotations.openWorldHint !== false).map((t) => t.name), runs);

  const call = async (name, args, options) => {
    const result = await client.callTool({name, arguments: args}, undefined, options);
    assert(!result.isError, JSON.stringify(result));
    return result.structuredContent;
  };
  assert.equal((await call("explain", {access: "tile[t][0]", array: ["float tile[32][32]"]})).wavefronts, 32);

  const launch = {file: "transpose.cubin", grid: "8,8", block: "32,8", args: ["out:f32[64K]", "f32[64K]=iota", "i32=256"]};
  let steps = 0;
  const plain = await call("run", {...launch, kernel: "transpose_plain"}, {onprogress: () => ++steps, resetTimeoutOnProgress: true});
  const padded = await call("run", {...launch, kernel: "transpose_padded"});
  assert.equal(plain.report.findings[0].id, "BW101");
  assert(padded.report.microseconds < plain.report.microseconds);
  const name = await call("more", {handle: plain.handle, at: "/launches/0/name"});
  assert.equal(name.value, "transpose_plain");

  const wrong = await client.callTool({name: "run", arguments: {file: "nothing.cubin"}});
  assert(wrong.isError);
  assert.match(wrong.structuredContent.error.message, /No such file/);
  await assert.rejects(client.callTool({name: "nothing", arguments: {}}), /there is no tool/);

  const late = new AbortController();
  const cancelled = client.callTool({name: "run", arguments: launch}, undefined, {signal: late.signal});
  late.abort("no longer needed");
  await assert.rejects(cancelled);
  await client.ping();
} finally {
  await client.close();
  fs.rmSync(root, {recursive: true, force: true});
}
