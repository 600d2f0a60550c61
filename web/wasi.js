// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command asks of a system (WASI preview 1), for one run: arguments, an environment, files in
// memory below "/", standard streams, clocks and random numbers.

const E = {SUCCESS: 0, BADF: 8, EXIST: 20, INVAL: 28, ISDIR: 31, NOENT: 44, NOSYS: 52, NOTDIR: 54, NOTEMPTY: 55};
const KIND = {UNKNOWN: 0, CHARACTERS: 2, FOLDER: 3, FILE: 4};
const OPEN = {CREATE: 1, FOLDER: 2, EXCLUSIVE: 4, TRUNCATE: 8};
const ALL_RIGHTS = 0xffffffffffffffffn;

class Exit {
  constructor(status) {
    this.status = status;
  }
}

/** A file that grows as it is written to. */
class MemoryFile {
  constructor(bytes = new Uint8Array(0)) {
    this.bytes = bytes;
    this.size = bytes.length;
  }
  write(at, piece) {
    const end = at + piece.length;
    if (end > this.bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, this.size));
      this.bytes = larger;
    }
    this.bytes.set(piece, at);
    this.size = Math.max(this.size, end);
  }
  read(at, length) {
    return this.bytes.subarray(Math.min(at, this.size), Math.min(at + length, this.size));
  }
  contents() {
    return this.bytes.slice(0, this.size);
  }
}

class System {
  /** `files`: an object of Uint8Arrays by absolute path. */
  constructor({args, environment = {}, files = {}}) {
    const encoder = new TextEncoder();
    this.args = args.map(a => encoder.encode(a + "\0"));
    this.environment = Object.entries(environment).map(([name, value]) => encoder.encode(`${name}=${value}\0`));
    this.files = new Map(Object.entries(files).map(([path, bytes]) => [path, new MemoryFile(bytes)]));
    this.folders = new Set(["/"]);
    for (const path of this.files.keys())
      for (let i = path.indexOf("/", 1); i > 0; i = path.indexOf("/", i + 1)) this.folders.add(path.slice(0, i));
    this.streams = [new MemoryFile(), new MemoryFile(), new MemoryFile()];
    this.open = new Map([[3, {path: "/", folder: true, at: 0}]]);
    this.streams.forEach((file, fd) => this.open.set(fd, {file, at: 0, stream: true}));
    this.next = 4;
  }

  // ---- memory of the program

  get view() {
    return new DataView(this.memory.buffer);
  }
  bytes(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }
  path(fd, at, length) {
    const folder = this.open.get(fd);
    if (!folder || !folder.folder) return null;
    const parts = [];
    for (const part of (folder.path + "/" + new TextDecoder().decode(this.bytes(at, length))).split("/")) {
      if (part === "..") parts.pop();
      else if (part && part !== ".") parts.push(part);
    }
    return "/" + parts.join("/");
  }
  /** Calls f(bytes) for each piece of a vector until it returns less than the piece has; the sum. */
  pieces(vectors, count, f) {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const view = this.view, length = view.getUint32(vectors + 8 * i + 4, true);
      const done = f(this.bytes(view.getUint32(vectors + 8 * i, true), length));
      sum += done;
      if (done < length) break;
    }
    return sum;
  }
  strings(list, pointers, text) {
    for (const s of list) {
      this.view.setUint32(pointers, text, true);
      this.bytes(text, s.length).set(s);
      pointers += 4;
      text += s.length;
    }
    return E.SUCCESS;
  }
  sizes(list, count, size) {
    this.view.setUint32(count, list.length, true);
    this.view.setUint32(size, list.reduce((sum, s) => sum + s.length, 0), true);
    return E.SUCCESS;
  }

  // ---- files

  stat(to, kind, size) {
    const view = this.view;
    for (let i = 0; i < 64; i += 8) view.setBigUint64(to + i, 0n, true);
    view.setUint8(to + 16, kind);
    view.setBigUint64(to + 24, 1n, true);
    view.setBigUint64(to + 32, BigInt(size), true);
    return E.SUCCESS;
  }
  openPath(fd, at, length, flags, result) {
    const path = this.path(fd, at, length);
    if (path === null) return E.BADF;
    const entry = {path, at: 0};
    if (this.folders.has(path)) {
      entry.folder = true;
    } else {
      if (flags & OPEN.FOLDER) return this.files.has(path) ? E.NOTDIR : E.NOENT;
      if (this.files.has(path) && flags & OPEN.EXCLUSIVE) return E.EXIST;
      if (!this.files.has(path)) {
        if (!(flags & OPEN.CREATE) || !this.folders.has(path.slice(0, path.lastIndexOf("/")) || "/")) return E.NOENT;
        this.files.set(path, new MemoryFile());
      }
      entry.file = this.files.get(path);
      if (flags & OPEN.TRUNCATE) entry.file.size = 0;
    }
    this.open.set(this.next, entry);
    this.view.setUint32(result, this.next++, true);
    return E.SUCCESS;
  }
  entries(folder) {
    const below = folder === "/" ? "/" : folder + "/", names = new Map();
    for (const [kind, paths] of [[KIND.FILE, this.files.keys()], [KIND.FOLDER, this.folders]])
      for (const path of paths)
        if (path !== folder && path.startsWith(below) && !path.slice(below.length).includes("/"))
          names.set(path.slice(below.length), kind);
    return [...names];
  }
  readFolder(fd, at, size, cookie, used) {
    const folder = this.open.get(fd);
    if (!folder || !folder.folder) return E.NOTDIR;
    const out = this.bytes(at, size);
    let end = 0;
    const list = this.entries(folder.path);
    for (let i = Number(cookie); i < list.length && end < size; i++) {
      const name = new TextEncoder().encode(list[i][0]), head = new DataView(new ArrayBuffer(24));
      head.setBigUint64(0, BigInt(i + 1), true);
      head.setUint32(16, name.length, true);
      head.setUint8(20, list[i][1]);
      for (const piece of [new Uint8Array(head.buffer), name]) {
        out.set(piece.subarray(0, Math.max(0, size - end)), Math.min(end, size));
        end += piece.length;
      }
    }
    this.view.setUint32(used, Math.min(end, size), true);
    return E.SUCCESS;
  }

  /** The functions that the module imports. */
  imports() {
    const s = this;
    const file = (fd, f) => {
      const entry = s.open.get(fd);
      if (!entry) return E.BADF;
      return entry.file ? f(entry) : E.ISDIR;
    };
    const read = (entry, at, vectors, count) => s.pieces(vectors, count, to => {
      const piece = entry.file.read(at, to.length);
      to.set(piece);
      at += piece.length;
      return piece.length;
    });
    const known = {
      args_get: (pointers, text) => s.strings(s.args, pointers, text),
      args_sizes_get: (count, size) => s.sizes(s.args, count, size),
      environ_get: (pointers, text) => s.strings(s.environment, pointers, text),
      environ_sizes_get: (count, size) => s.sizes(s.environment, count, size),
      clock_time_get(clock, precision, result) {
        const ms = clock === 0 ? Date.now() : performance.now();
        s.view.setBigUint64(result, BigInt(Math.round(ms * 1e6)), true);
        return E.SUCCESS;
      },
      fd_close: fd => s.open.delete(fd) ? E.SUCCESS : E.BADF,
      fd_fdstat_get(fd, to) {
        const entry = s.open.get(fd);
        if (!entry) return E.BADF;
        s.view.setUint8(to, entry.folder ? KIND.FOLDER : entry.stream ? KIND.UNKNOWN : KIND.FILE);
        s.view.setUint16(to + 2, 0, true);
        s.view.setBigUint64(to + 8, ALL_RIGHTS, true);
        s.view.setBigUint64(to + 16, ALL_RIGHTS, true);
        return E.SUCCESS;
      },
      fd_fdstat_set_flags: () => E.SUCCESS,
      fd_filestat_get(fd, to) {
        const entry = s.open.get(fd);
        if (!entry) return E.BADF;
        if (entry.folder) return s.stat(to, KIND.FOLDER, 0);
        return s.stat(to, entry.stream ? KIND.CHARACTERS : KIND.FILE, entry.file.size);
      },
      fd_filestat_set_times: () => E.SUCCESS,
      fd_pread: (fd, vectors, count, at, result) => file(fd, entry => {
        s.view.setUint32(result, read(entry, Number(at), vectors, count), true);
        return E.SUCCESS;
      }),
      fd_prestat_get(fd, to) {
        if (fd !== 3) return E.BADF;
        s.view.setUint32(to, 0, true);
        s.view.setUint32(to + 4, 1, true);
        return E.SUCCESS;
      },
      fd_prestat_dir_name(fd, at) {
        s.bytes(at, 1)[0] = "/".charCodeAt(0);
        return E.SUCCESS;
      },
      fd_read: (fd, vectors, count, result) => file(fd, entry => {
        const n = read(entry, entry.at, vectors, count);
        entry.at += n;
        s.view.setUint32(result, n, true);
        return E.SUCCESS;
      }),
      fd_readdir: (fd, at, size, cookie, used) => s.readFolder(fd, at, size, cookie, used),
      fd_seek: (fd, offset, from, result) => file(fd, entry => {
        const at = Number(offset) + (from === 0 ? 0 : from === 1 ? entry.at : entry.file.size);
        if (at < 0) return E.INVAL;
        entry.at = at;
        s.view.setBigUint64(result, BigInt(at), true);
        return E.SUCCESS;
      }),
      fd_sync: () => E.SUCCESS,
      fd_write: (fd, vectors, count, result) => file(fd, entry => {
        const n = s.pieces(vectors, count, piece => {
          entry.file.write(entry.at, piece);
          entry.at += piece.length;
          return piece.length;
        });
        s.view.setUint32(result, n, true);
        return E.SUCCESS;
      }),
      path_create_directory(fd, at, length) {
        const path = s.path(fd, at, length);
        if (s.folders.has(path) || s.files.has(path)) return E.EXIST;
        s.folders.add(path);
        return E.SUCCESS;
      },
      path_filestat_get(fd, flags, at, length, to) {
        const path = s.path(fd, at, length);
        if (s.folders.has(path)) return s.stat(to, KIND.FOLDER, 0);
        return s.files.has(path) ? s.stat(to, KIND.FILE, s.files.get(path).size) : E.NOENT;
      },
      path_open: (fd, follow, at, length, flags, rights, inherited, fdFlags, result) =>
        s.openPath(fd, at, length, flags, result),
      path_readlink: () => E.INVAL,
      path_remove_directory(fd, at, length) {
        const path = s.path(fd, at, length);
        if (!s.folders.has(path)) return E.NOENT;
        if (s.entries(path).length) return E.NOTEMPTY;
        s.folders.delete(path);
        return E.SUCCESS;
      },
      path_rename(fd, at, length, toFd, toAt, toLength) {
        const from = s.path(fd, at, length), to = s.path(toFd, toAt, toLength);
        if (!s.files.has(from)) return E.NOENT;
        s.files.set(to, s.files.get(from));
        s.files.delete(from);
        return E.SUCCESS;
      },
      path_unlink_file: (fd, at, length) => s.files.delete(s.path(fd, at, length)) ? E.SUCCESS : E.NOENT,
      poll_oneoff: () => E.NOSYS,
      proc_exit(status) {
        throw new Exit(status);
      },
      random_get(at, length) {
        for (let i = 0; i < length; i += 65536) crypto.getRandomValues(s.bytes(at + i, Math.min(65536, length - i)));
        return E.SUCCESS;
      },
      sched_yield: () => E.SUCCESS,
    };
    return {wasi_snapshot_preview1: known};
  }
}

/** Runs the command once. {status, out, err, files}: exit status, what it printed, files that are new or changed. */
async function runCommand(module, {args, environment, files = {}}) {
  const system = new System({args: ["tessera", ...args], environment, files});
  const instance = await WebAssembly.instantiate(module, system.imports());
  system.memory = instance.exports.memory;
  let status = 0, trap = "";
  try {
    instance.exports._start();
  } catch (e) {
    if (e instanceof Exit) status = e.status;
    else [status, trap] = [134, `tessera: error: the program ended early: ${e.message}\n`];
  }
  const changed = {};
  for (const [path, file] of system.files) {
    const before = files[path], now = file.contents();
    if (!before || before.length !== now.length || before.some((b, i) => b !== now[i])) changed[path] = now;
  }
  const text = fd => new TextDecoder().decode(system.streams[fd].contents());
  return {status, out: text(1), err: text(2) + trap, files: changed};
}
