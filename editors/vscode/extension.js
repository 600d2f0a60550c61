// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts `tessera lsp` and connects it with the editor.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async function () {
  const settings = vscode.workspace.getConfiguration("tessera");
  const args = settings.get("extensions") ? ["lsp", "--extensions"] : ["lsp"];
  const server = { command: settings.get("command"), args };
  client = new LanguageClient("tessera", "Tessera", server, { documentSelector: [{ language: "tile-ir" }] });
  await client.start();
};

exports.deactivate = () => client?.stop();
