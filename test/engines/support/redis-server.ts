import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type EngineServer, findFreePort, killProgram, startProgram } from './engine-server.ts';
import { findProgram } from './find-program.ts';

/** Starts a Redis of its own on loopback. The caller removes it. Throws where there is no program. */
export async function startRedis(settings: readonly string[] = []): Promise<EngineServer> {
  const path = findProgram('redis-server');
  if (path === undefined) throw new Error('there is no Redis server on this machine');
  const dir = mkdtempSync(join(tmpdir(), 'gateway-redis-'));
  const port = await findFreePort();
  const password = randomBytes(12).toString('hex');
  const common = ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', password, '--dir', dir];
  const args = [...common, '--save', '', '--appendonly', 'no', ...settings];
  const program = { path, args, user: undefined, isUp: () => takesConnections(port) };
  let child: ChildProcess = await startProgram(program);
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    kill: () => killProgram(child),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async start() {
      child = await startProgram(program);
    },
    async remove() {
      await killProgram(child);
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
