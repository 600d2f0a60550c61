// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs commands one after another, away from the page. The first message is the module's bytes.

let compiled;

onmessage = async ({data}) => {
  if (data.bytes) {
    compiled = WebAssembly.compile(data.bytes);
    return;
  }
  try {
    postMessage({id: data.id, result: await runCommand(await compiled, data)});
  } catch (e) {
    postMessage({id: data.id, result: {status: 134, out: "", err: `tessera: error: ${e.message}\n`, files: {}}});
  }
};
