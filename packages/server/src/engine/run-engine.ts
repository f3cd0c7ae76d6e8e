import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** How llama.cpp is started. */
export interface EngineCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it came from, for people. */
  readonly from: string;
  /** It is the engine inside of Node.js, behind a server of ours that has chat completions alone. */
  readonly isBinding: boolean;
}

/** A running engine. */
export interface Engine {
  /** Without a trailing slash; the API is below `/v1`. */
  readonly url: string;
  /** Ends its process and removes its model. */
  close(): Promise<void>;
}

/** What the engine calls its model. */
export const ENGINE_MODEL = 'bigrams';
/** Tokens that a call may have. */
export const ENGINE_CONTEXT = 4096;

const BINDING = '@fugood/llama.node';
/** Where the binding may be installed by itself, from the folder that the command is started in. */
export const BINDING_FOLDER = 'data/engine';
/**
 * Installs the binding without its packages for graphics cards, which have 270 MB. In a folder of its own, because npm
 * would remove the optional packages of the project in that folder, too.
 */
const INSTALL = `npm install --prefix ${BINDING_FOLDER} --omit=optional ${BINDING} @fugood/node-llama-${process.platform}-${process.arch}`;

/** Said to those who want an engine and have none. */
export const HOW_TO_GET_ENGINE =
  `there is neither llama-server on the PATH nor the package ${BINDING}. ` +
  `Install llama.cpp (brew install llama.cpp, apt install llama.cpp-tools), or: ${INSTALL}`;

/**
 * Finds llama.cpp on this machine: its server on the path, else the binding of npm, where that is installed. Undefined
 * without either; nothing is downloaded.
 *
 * @param places Files from which the binding is looked for, as `require` would from there.
 */
export function findEngine(env: NodeJS.ProcessEnv, places: readonly string[]): EngineCommand | undefined {
  const name = process.platform === 'win32' ? 'llama-server.exe' : 'llama-server';
  const server = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  if (server !== undefined) return { file: server, args: [], env: {}, from: server, isBinding: false };
  const place = places.find(hasBinding);
  return place === undefined ? undefined : toBindingCommand(place);
}

function hasBinding(place: string): boolean {
  try {
    createRequire(place).resolve(BINDING);
    return existsSync(BINDING_SERVER);
  } catch {
    return false;
  }
}

const BINDING_SERVER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './binding-server.ts' : './binding-server.js', import.meta.url),
);

/** Starts the binding that `require` finds from a file. */
export const toBindingCommand = (place: string): EngineCommand => ({
  file: process.execPath,
  args: [BINDING_SERVER, place],
  env: {},
  from: BINDING,
  isBinding: true,
});

interface EngineOptions {
  /** Writes the model to a path. */
  readonly writeModel: (path: string) => void;
  /** Calls at the same time. */
  readonly places: number;
  /** More flags of `llama-server`. */
  readonly flags?: readonly string[] | undefined;
}

/**
 * Starts an engine with a model at a free port of the loopback interface. It ends with this process, whatever ends that.
 * Rejects with the end of its log when it does not respond; the caller closes it.
 */
export async function startEngine(
  command: EngineCommand,
  { writeModel, places, flags = [] }: EngineOptions,
): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-engine-'));
  const model = join(folder, 'model.gguf');
  let child: ChildProcess | undefined;
  const close = async (): Promise<void> => {
    if (child !== undefined) await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeModel(model);
    const port = await findPort();
    const words = ['--model', model, '--alias', ENGINE_MODEL, '--host', '127.0.0.1', '--port', String(port)];
    const own = ['--parallel', String(places), '--ctx-size', String(places * ENGINE_CONTEXT), '--threads', '1'];
    const all = [...command.args, ...words, ...(command.isBinding ? [] : [...own, '--jinja', ...flags])];
    child = spawnTied(command.file, all, { ...process.env, ...command.env });
    const url = `http://127.0.0.1:${port}`;
    await untilHealthy(url, child);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts the program, and ends it when its standard input ends, which it does with this process, even one that is killed.
 * The program itself reads none.
 */
const TIE =
  'exec 3<&0; "$@" </dev/null 3<&- & engine=$!; ' +
  '{ cat <&3 >/dev/null; kill "$engine"; } 2>/dev/null & exec 3<&-; wait "$engine"';

/** Out of the terminal's group: Ctrl-C would end it before the calls that it is answering. */
function spawnTied(file: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  if (process.platform === 'win32') return spawn(file, args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
  return spawn('/bin/sh', ['-c', TIE, 'engine', file, ...args], {
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
}

const END_LIMIT_MS = 3000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  if (process.platform === 'win32') child.kill();
  const { pid } = child;
  const timer = setTimeout(() => {
    // The whole group: the engine as well as the shell that holds it.
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  }, END_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return address === null || typeof address === 'string' ? 0 : address.port;
}

const START_MS = 30_000;

async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-2000)));
  let failure: Error | undefined;
  child.on('error', (error) => (failure = error));
  child.stdin?.on('error', () => undefined);
  child.on('exit', () => child.stdin?.destroy());
  const endMs = performance.now() + START_MS;
  for (;;) {
    if (failure !== undefined) throw failure;
    if (child.exitCode !== null) throw new Error(`llama.cpp ended:\n${log}`);
    const response = await fetch(`${url}/health`).catch(() => null);
    if (response?.ok === true) return;
    if (performance.now() > endMs) throw new Error(`llama.cpp did not respond at ${url} within ${START_MS / 1000} s`);
    await wait(50);
  }
}

/** Makes the model of a file of Markdown. */
export async function toModelWriter(textFile: string): Promise<(path: string) => void> {
  const { makeModel } = await import('./make-model.ts');
  const text = readFileSync(textFile, 'utf8');
  return (path) => void makeModel(text, path);
}
