// The packed extension in a simulated editor: it starts the server over the protocol, receives its diagnostics, and
// shows the answer of a command. node vscode_test.mjs EXTENSION BANKWISE SOURCE
import assert from "node:assert/strict";
import fs from "node:fs";
import Module, { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import url from "node:url";

const [extensionFolder, program, source] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "vscode-"));
for (const file of ["transpose.cu", "transpose.cubin"]) fs.copyFileSync(path.join(source, "examples", file), path.join(folder, file));
fs.writeFileSync(
  path.join(folder, "bankwise.toml"),
  '[[run]]\nname = "plain"\ncommand = "transpose.cubin -k transpose_plain --grid 8,8 --block 32,8 ' +
    '--arg out:f32[64K] --arg f32[64K]=iota --arg i32=256 --fix"\n',
);
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

// --- a simulation of VS Code: it answers the calls that the extension makes, and its other objects do nothing

const nothing = () => ({ dispose() {} });
class Uri {
  constructor(parts) { Object.assign(this, { scheme: "", authority: "", path: "", query: "", fragment: "" }, parts); }
  static from(parts) { return new Uri(parts); }
  static file(name) { return new Uri({ scheme: "file", path: name }); }
  static parse(text) {
    const [, scheme, rest] = /^([a-z]+):(?:\/\/)?(.*)$/.exec(text);
    return new Uri({ scheme, path: decodeURIComponent(rest) });
  }
  get fsPath() { return this.path; }
  with(parts) { return new Uri({ ...this, ...parts }); }
  toString() { return this.scheme === "file" ? url.pathToFileURL(this.path).href : `${this.scheme}:${this.path}`; }
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(line, character, endLine, endCharacter) {
    Object.assign(this, { start: new Position(line, character), end: new Position(endLine, endCharacter) });
  }
}
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class EventEmitter {
  listeners = [];
  event = (f) => (this.listeners.push(f), { dispose() {} });
  fire(value) { for (const f of this.listeners) f(value); }
  dispose() {}
}
class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: nothing };
  cancel() { this.token.isCancellationRequested = true; }
  dispose() {}
}
const diagnostics = new Map(), commands = new Map(), shown = [];
let content;
// Makes a class or an enumeration whose contents are never read.
const anything = (name) =>
  new Proxy(class { constructor(...given) { this.given = given; } }, {
    get: (of, key) => (key in of || typeof key === "symbol" ? of[key] : key === "name" ? name : String(key)),
  });
const known = (values) => new Proxy(values, { get: (of, key) => (key in of || typeof key === "symbol" ? of[key] : String(key).startsWith("on") || String(key).startsWith("register") ? nothing : undefined) });
const channel = new Proxy({}, { get: (_, key) => (key === "name" ? "bankwise" : nothing) });
const settings = { path: program, run: "fast", seconds: 60 };
const vscode = new Proxy({
  Uri, Position, Range, Diagnostic, EventEmitter, CancellationTokenSource, version: "1.90.0",
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  CodeActionKind: new Proxy({}, { get: (_, key) => ({ value: String(key), append: () => ({ value: "" }) }) }),
  env: { appName: "played", language: "en" },
  l10n: { t: (text) => text },
  workspace: known({
    workspaceFolders: [{ uri: Uri.file(folder), name: "folder", index: 0 }],
    getWorkspaceFolder: () => undefined,
    textDocuments: [],
    notebookDocuments: [],
    getConfiguration: (section) => ({ get: (key, otherwise) => (section === "bankwise" ? settings[key] : otherwise) }),
    createFileSystemWatcher: () => ({ onDidCreate: nothing, onDidChange: nothing, onDidDelete: nothing, dispose() {} }),
    registerTextDocumentContentProvider: (_, provider) => ((content = provider), { dispose() {} }),
    openTextDocument: async (uri) => ({ uri, getText: () => content.provideTextDocumentContent(uri) }),
  }),
  window: known({
    createOutputChannel: () => channel,
    visibleTextEditors: [],
    tabGroups: { all: [], onDidChangeTabs: nothing },
    showTextDocument: async (document) => shown.push(document.getText()),
    showErrorMessage: async (text) => assert.fail(text),
    showInformationMessage: async (text) => assert.fail(`a message where a document was to be shown: ${text}`),
    withProgress: async (_, work) => work({ report() {} }, { onCancellationRequested: nothing }),
  }),
  languages: known({
    match: () => 1,
    createDiagnosticCollection: () => ({
      set: (uri, list) => diagnostics.set(uri.toString(), list ?? []),
      delete: (uri) => diagnostics.delete(uri.toString()),
      clear: () => diagnostics.clear(),
      dispose() {},
    }),
  }),
  commands: known({ registerCommand: (name, f) => (commands.set(name, f), { dispose: () => commands.delete(name) }) }),
}, { get: (of, key) => (key in of || typeof key === "symbol" ? of[key] : anything(key)) });

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const manifest = JSON.parse(fs.readFileSync(path.join(extensionFolder, "package.json"), "utf8"));
const extension = createRequire(import.meta.url)(path.join(extensionFolder, manifest.main));

const until = async (what, holds) => {
  for (const end = Date.now() + 60000; !holds(); ) {
    assert(Date.now() < end, `waited too long for ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
};
const kernel = Uri.file(path.join(folder, "transpose.cu")).toString();

await extension.activate({ subscriptions: [] });
await until("diagnostics", () => diagnostics.get(kernel)?.length);
const [found] = diagnostics.get(kernel);
assert.equal(found.range.start.line, 17);
assert.match(found.message, /63,488 of these wavefronts can be removed by a layout/);

// Every command of the manifest is registered, and the answer of explain is shown as a document.
for (const { command } of manifest.contributes.commands) assert(commands.has(command), command);
await commands.get("bankwise.explain")(kernel, "tile", 12);
assert.match(shown[0], /^transpose\.cu:13  tile\[tile_side\]\[tile_side\]\n/);
assert.match(shown[0], /32-way bank conflict/);
await extension.deactivate();
console.log("the extension starts the server, hears it and shows what it explains");
process.exit(0);
