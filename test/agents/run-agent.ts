import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { BROKEN, type Place, type Program } from './place.ts';

const BIN = fileURLToPath(new URL('node_modules/.bin', import.meta.url));
const LIMIT_MS = 90_000;
/** The user "nobody", where this process may become it; else it is nobody special already. */
const NOBODY = process.getuid?.() === 0 && process.env['AGENTS_AS_SELF'] === undefined ? 65_534 : undefined;

const AS_USER = NOBODY === undefined ? {} : { uid: NOBODY, gid: NOBODY };

export interface AgentRun {
  readonly pid: number;
  /** Resolves when it has ended, or has been ended after 90 seconds. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly mended: string }>;
  /** As Ctrl+C does. */
  interrupt(): void;
  /** Addresses other than loopback that it wanted to reach. */
  readonly wanted: readonly string[];
}

/** Why an agent cannot run here; undefined when it can. */
export function findObstacle({ command }: Program): string | undefined {
  const file = join(BIN, command);
  if (!existsSync(file)) return 'it could not be installed';
  const { error } = spawnSync(file, ['--version'], {
    cwd: '/',
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
    timeout: LIMIT_MS,
    ...AS_USER,
  });
  return error === undefined ? undefined : `its user cannot start it: ${error.message}`;
}

/** Makes the folder of a job, and a home beside it; they go with the test. */
export function makePlace(): Pick<Place, 'home' | 'folder'> {
  const root = mkdtempSync(join(tmpdir(), 'gateway-agent-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const place = { home: join(root, 'home'), folder: join(root, 'work') };
  for (const folder of [place.home, place.folder]) mkdirSync(folder);
  writeFileSync(join(place.folder, 'sum.mjs'), BROKEN);
  return place;
}

/** Runs an agent on the job, as a user without rights where that can be arranged. */
export async function runAgent(program: Program, place: Place): Promise<AgentRun> {
  const { wanted, address } = await startRefusingProxy();
  const { args, env } = program.prepare(place);
  giveAway(dirname(place.folder));

  const child = spawn(join(BIN, program.command), args, {
    cwd: place.folder,
    env: { ...toEnvironment(place.home, address), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...AS_USER,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  }
  const pid = child.pid ?? 0;
  const stop = (signal: NodeJS.Signals): void => {
    // The whole group, because agents start programs of their own; it may be gone already.
    if (pid !== 0 && child.exitCode === null && child.signalCode === null) process.kill(-pid, signal);
  };
  onTestFinished(() => stop('SIGKILL'));
  const limit = setTimeout(() => stop('SIGKILL'), LIMIT_MS);
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    clearTimeout(limit);
    return { code: code ?? null, output, mended: readFileSync(join(place.folder, 'sum.mjs'), 'utf8') };
  });
  return { pid, ended, interrupt: () => stop('SIGINT'), wanted };
}

const toEnvironment = (home: string, proxy: string): Record<string, string> => ({
  PATH: `${BIN}:${process.env['PATH'] ?? ''}`,
  HOME: home,
  TMPDIR: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_DATA_HOME: join(home, '.data'),
  XDG_CACHE_HOME: join(home, '.cache'),
  TERM: 'dumb',
  NO_COLOR: '1',
  CI: '1',
  DO_NOT_TRACK: '1',
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
});

function giveAway(path: string): void {
  chmodSync(path, 0o755);
  if (NOBODY === undefined) return;
  chownSync(path, NOBODY, NOBODY);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    chownSync(join(path, name), NOBODY, NOBODY);
}

/** A proxy that lets nobody through, and remembers where they wanted to go. */
async function startRefusingProxy(): Promise<{ readonly address: string; readonly wanted: readonly string[] }> {
  const wanted: string[] = [];
  const server = createServer((request, response) => {
    wanted.push(request.url ?? '');
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    wanted.push(request.url ?? '');
    // Who is refused may reset the connection.
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, wanted };
}
