// Python in the reader's tab: a worker that runs the cells of a page, one at a time, as a notebook does.
//
//   const python = new Worker(new URL("_static/live/worker.js", root), {type: "module"});
//
// Everything comes from the folder of this file: `files.json` lists it, with sizes and hashes (scripts/get_live.py
// writes the folder). What was loaded once is kept in the browser's cache for the next page. The page stays responsive,
// and nothing is sent anywhere.
//
// To the worker:
//   {type: "run", id, code, name}   run a cell; `name` is what tracebacks call it, such as "cell 3". The names that a
//                                   cell defines are there for the next one. Cells queue up.
//   {type: "put", id, name, file}   give Python a File or a Blob: it reads it as `name` (a plain name), from the disk,
//                                   as it goes.
//   {type: "get", id, name}         ask for a file that Python wrote.
//   {type: "evaluate", id, code}    the text of an expression, as numbers in the prose have it.
//
// From the worker:
//   {type: "progress", loaded, total, what}  bytes while it starts; `what` says in words what happens.
//   {type: "ready"}                          it runs cells now (they may be sent before).
//   {type: "failed", message}                it could not start.
//   {type: "stream", id, name, text}         what a cell prints; `name` is "stdout" or "stderr".
//   {type: "display", id, data}              what a cell shows: a mapping of MIME types to texts, as in a notebook.
//                                            HTML may hold scripts. The value of the last line comes with `value: true`.
//   {type: "error", id, name, message, traceback}
//   {type: "done", id, ok, seconds}          after everything else about a run.
//   {type: "file", id, name, data}           an ArrayBuffer.
//   {type: "text", id, text}                 of an expression; an error if there is none.
//
// To stop a cell, terminate the worker and start another: the names are gone then, and the page should say so. An
// interrupt that keeps them needs memory that page and worker share, which browsers allow only where the host sends
// special headers. Static hosts do not send them, a service worker that adds them would have to reload the page and
// answer all its requests, and even then a long computation inside NumPy would not stop.

const here = new URL(".", import.meta.url);
const KEPT = "isotropy-lab-live-"; // what names of our caches begin with
const HOME = "/home/pyodide/";
const send = (message, transfer) => self.postMessage(message, transfer ?? []);

let loaded = 0;
let total = 0;
let what = "Loading Python";
const progress = () => send({type: "progress", loaded, total, what});

// --- files ----------------------------------------------------------------------------------------------------------

async function openCache(files) {
  // Only secure contexts have it: https and this machine itself. Elsewhere the browser's ordinary cache must do.
  if (!self.caches) return null;
  try {
    const own = KEPT + files.id;
    for (const name of await caches.keys()) if (name.startsWith(KEPT) && name !== own) await caches.delete(name);
    return await caches.open(own);
  } catch {
    return null; // a private window, or no room
  }
}

async function load(file, cache) {
  const address = new URL(`${file.name}?${file.sha256.slice(0, 8)}`, here);
  let response = await cache?.match(address);
  const kept = Boolean(response);
  response ??= await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname}: the server says ${response.status} ${response.statusText}`);
  const data = new Uint8Array(file.size);
  let at = 0;
  for (const reader = response.body.getReader(); ; ) {
    const {done, value} = await reader.read();
    if (done) break;
    if (at + value.length <= data.length) data.set(value, at);
    at += value.length;
    loaded += value.length;
    progress();
  }
  if (at !== file.size) throw new Error(`${address.pathname} has ${at} bytes instead of ${file.size}; reload the page`);
  if (!kept) await cache?.put(address, new Response(data)).catch(() => {}); // no room: the next page loads it anew
  return data;
}

// --- start ----------------------------------------------------------------------------------------------------------

async function start() {
  const response = await fetch(new URL("files.json", here), {cache: "no-cache"});
  if (!response.ok) throw new Error("this site was built without Python in the tab");
  const files = await response.json();
  const cache = await openCache(files);
  total = [...files.scripts, ...files.core, ...files.packages].reduce((sum, file) => sum + file.size, 0);
  progress();
  const [wasm, library, ...packages] = [...files.core, ...files.packages].map((file) => load(file, cache));
  for (const one of [wasm, library, ...packages]) one.catch(() => {}); // the first that fails is told below
  const {loadPyodide} = await import(new URL("pyodide.mjs", here));
  // Pyodide asks for this part by its address; it is here already.
  const outside = self.fetch;
  self.fetch = async (asked, options) =>
    String(asked?.url ?? asked).endsWith(files.core[0].name)
      ? new Response(await wasm, {headers: {"Content-Type": "application/wasm"}})
      : outside(asked, options);
  const pyodide = await loadPyodide({
    indexURL: here.href,
    stdLibURL: URL.createObjectURL(new Blob([await library])),
    lockFileContents: {info: files.info, packages: {}},
    env: {HOME, MPLBACKEND: "agg", PYTHONHASHSEED: "0"},
  });
  loaded += files.scripts.reduce((sum, file) => sum + file.size, 0);
  self.fetch = outside;
  const site = pyodide.runPython("import site; site.getsitepackages()[0]");
  for (const [i, file] of files.packages.entries()) {
    const data = await packages[i];
    what = `Unpacking ${file.name.split("-")[0].replaceAll("_", " ")}`;
    progress();
    pyodide.unpackArchive(data, "zip", {extractDir: site});
  }
  // Bundled data come when they are first read.
  for (const file of files.data) {
    const path = `${site}/${file.path}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    pyodide.FS.mkdirTree(folder);
    pyodide.FS.createLazyFile(folder, path.slice(folder.length + 1), new URL(file.name, here).href, true, false);
  }
  what = "Starting Python";
  progress();
  const bytecode = await keepBytecode(pyodide, cache);
  pyodide.pyimport("webassembly").install(); // before anything multiplies matrices
  const module = pyodide.pyimport("reanalyses.live");
  const session = module.Session((kind, fields) => {
    send({...fields.toJs({dict_converter: Object.fromEntries}), type: kind, id: running});
  });
  return {pyodide, session, bytecode};
}

// Half of the time that imports take goes into compiling them. What was compiled is kept for the next page, as files of
// the same release of the site never change; cells that come meanwhile wait a second.
const BYTECODE = "/bytecode";
const IDLE = 4000; // milliseconds without a cell before it is stored

async function keepBytecode(pyodide, cache) {
  if (!cache) return () => {};
  const address = new URL("bytecode.zip", here);
  pyodide.FS.mkdir(BYTECODE);
  const stored = await cache.match(address);
  if (stored) pyodide.unpackArchive(await stored.arrayBuffer(), "zip", {extractDir: BYTECODE});
  const count = pyodide.runPython(`
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode, sys.pycache_prefix = False, "${BYTECODE}"
_stats = SourceFileLoader.path_stats
# Archives are unpacked without times.
SourceFileLoader.path_stats = lambda self, path: {"mtime": 0, "size": None} if "site-packages" in path else _stats(self, path)
lambda: sum(1 for _ in Path("${BYTECODE}").rglob("*.pyc"))
`);
  let known = count();
  return async () => {
    const now = count();
    if (now < known + 50) return;
    known = now;
    pyodide.runPython(`
import zipfile
with zipfile.ZipFile("/tmp/bytecode.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as _zip:
    for _file in Path("${BYTECODE}").rglob("*.pyc"):
        _zip.write(_file, _file.relative_to("${BYTECODE}"))
`);
    await cache.put(address, new Response(pyodide.FS.readFile("/tmp/bytecode.zip"))).catch(() => {});
    pyodide.FS.unlink("/tmp/bytecode.zip");
  };
}

// --- work -----------------------------------------------------------------------------------------------------------

let running = null;
const mounted = new Map();
let puts = 0;

function put({pyodide}, {name, file}) {
  if (/[/\\]/.test(name) || name.startsWith(".")) throw new Error(`${name} is not a plain name of a file`);
  const {FS} = pyodide;
  if (mounted.has(name)) {
    FS.unlink(HOME + name);
    FS.unmount(mounted.get(name));
  }
  const folder = `/given-${(puts += 1)}`;
  FS.mkdir(folder);
  FS.mount(FS.filesystems.WORKERFS, {blobs: [{name, data: file}]}, folder);
  FS.symlink(`${folder}/${name}`, HOME + name);
  mounted.set(name, folder);
}

function answer({pyodide, session}, message) {
  const {type, id, name} = message;
  if (type === "run") {
    const begun = performance.now();
    const ok = session.run(message.code, name ?? "cell");
    send({type: "done", id, ok, seconds: (performance.now() - begun) / 1000});
  } else if (type === "put") {
    put({pyodide}, message);
    send({type: "done", id, ok: true, seconds: 0});
  } else if (type === "get") {
    if (!pyodide.FS.analyzePath(HOME + name).exists) throw new Error(`there is no file ${name}`);
    const data = pyodide.FS.readFile(HOME + name).slice().buffer;
    send({type: "file", id, name, data}, [data]);
  } else if (type === "evaluate") {
    const text = session.evaluate(message.code);
    if (text !== undefined) send({type: "text", id, text});
  } else {
    throw new Error(`a message of unknown type ${type}`);
  }
}

const started = start();
started.then(
  () => send({type: "ready"}),
  (error) => send({type: "failed", message: error.message ?? String(error)}),
);
let queue = started.catch(() => null);
let idle;
self.onmessage = ({data}) => {
  clearTimeout(idle);
  queue = queue.then((python) => {
    if (!python) return python;
    running = data.id;
    try {
      answer(python, data);
    } catch (error) {
      send({type: "error", id: data.id, name: error.name ?? "Error", message: error.message ?? String(error), traceback: ""});
      send({type: "done", id: data.id, ok: false, seconds: 0});
    }
    clearTimeout(idle);
    idle = setTimeout(() => (queue = queue.then((one) => one.bytecode().then(() => one))), IDLE);
    return python;
  });
};
