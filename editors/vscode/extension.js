// Starts `bankwise lsp` and shows its results. The extension itself does not analyse sources.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const scheme = "bankwise";
const explanations = new Map(); // by URI

let client;

function newClient() {
  const settings = vscode.workspace.getConfiguration("bankwise");
  const server = { command: settings.get("path"), args: ["lsp"] };
  return new LanguageClient("bankwise", "bankwise", server, {
    documentSelector: [{ scheme: "file", pattern: "**/*.{cu,cuh,h,hh,hpp,hxx,inl,c,cc,cpp,cxx,py}" }, { scheme: "file", pattern: "**/bankwise.toml" }],
    initializationOptions: { run: settings.get("run"), seconds: settings.get("seconds"), showsText: true },
    middleware: { executeCommand: showAnswer },
  });
}

// The server's answer to a command becomes a document next to the source.
async function showAnswer(command, args, next) {
  const answer = await next(command, args);
  if (!answer || typeof answer.text !== "string") return answer;
  const uri = vscode.Uri.from({ scheme, path: `/${args[1]}.txt` });
  explanations.set(uri.toString(), answer.text);
  changed.fire(uri);
  const shown = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(shown, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  return answer;
}

const changed = new vscode.EventEmitter();

async function restart() {
  if (client) await client.stop().catch(() => {});
  client = newClient();
  await client.start();
}

async function activate(context) {
  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => explanations.get(uri.toString()) ?? "",
    }),
    vscode.commands.registerCommand("bankwise.restart", restart),
    vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration("bankwise") && restart()),
  );
  await restart();
}

module.exports = { activate, deactivate: () => client?.stop() };
