// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command, for the page: command.run(["layout", "spatial(2, 3)"]) and so on, in a worker.

/** The module's bytes, which lie in the page compressed. */
async function moduleBytes() {
  const packed = await (await fetch("data:application/gzip;base64," + document.getElementById("module").textContent.trim()))
    .arrayBuffer();
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).arrayBuffer();
}

class Command {
  constructor() {
    this.bytes = moduleBytes();
    this.waiting = new Map();
    this.last = 0;
  }

  async start() {
    const text = document.getElementById("worker").textContent;
    const worker = new Worker(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    worker.onmessage = ({data}) => this.answer(data.id, data.result);
    worker.onerror = e => {
      for (const id of [...this.waiting.keys()]) this.answer(id, {status: 134, out: "", err: `${e.message}\n`, files: {}});
    };
    worker.postMessage({bytes: await this.bytes});
    return worker;
  }

  answer(id, result) {
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    if (resolve) resolve(result);
  }

  /** `files`: texts or bytes by absolute path. Resolves to {status, out, err, files}. */
  async run(args, files = {}) {
    const id = ++this.last, encoder = new TextEncoder();
    const bytes = Object.fromEntries(
      Object.entries(files).map(([path, f]) => [path, typeof f === "string" ? encoder.encode(f) : f]));
    this.worker ??= this.start();
    const worker = await this.worker;
    return new Promise(resolve => {
      this.waiting.set(id, resolve);
      worker.postMessage({id, args: ["--color", "never", ...args], files: bytes, environment: {TESSERA_CACHE: "off"}});
    });
  }

  /** Ends what runs; promises of its results resolve with status 130. */
  async cancel() {
    const worker = this.worker;
    this.worker = undefined;
    if (worker) (await worker).terminate();
    for (const id of [...this.waiting.keys()]) this.answer(id, {status: 130, out: "", err: "stopped\n", files: {}});
  }
}

/** For editors: calls f some time after the last call. */
function debounce(f, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}

/** Creates an element: make("a", {href: "#"}, "text", child, ...). */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const byId = id => document.getElementById(id);
