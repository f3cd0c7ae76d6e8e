import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { killProgram } from './engine-server.ts';
import { findProgram } from './find-program.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/compose/nginx/', import.meta.url));

export interface Nginx {
  readonly url: string;
  /** Makes it read `upstream.conf` again, in which these servers take no new calls. */
  reload(down: readonly number[]): Promise<void>;
  remove(): Promise<void>;
}

/** Starts nginx at a port with the example's configuration, before gateways at others. Throws where there is none. */
export async function startNginx(port: number, ports: readonly number[]): Promise<Nginx> {
  const program = findProgram('nginx');
  if (program === undefined) throw new Error('there is no nginx on this machine');
  const dir = mkdtempSync(join(tmpdir(), 'gateway-nginx-'));
  cpSync(EXAMPLE, dir, { recursive: true });
  const conf = join(dir, 'nginx.conf');
  const text = readFileSync(conf, 'utf8')
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('/tmp/nginx.pid', `${dir}/pid`)
    // More than this machine may allow.
    .replace(/^worker_rlimit_nofile .*$/m, '');
  writeFileSync(conf, text);
  const example = readFileSync(join(dir, 'upstream.conf'), 'utf8');
  const writeUpstream = (down: readonly number[]): void => {
    let index = -1;
    const lines = example.replaceAll(/^server \S+/gm, () => {
      index += 1;
      const server = `server 127.0.0.1:${ports[index]}`;
      return down.includes(index) ? `${server} down` : server;
    });
    writeFileSync(join(dir, 'upstream.conf'), lines);
  };
  writeUpstream([]);
  // The folder is its prefix, too, so that it writes nothing elsewhere.
  const words = ['-p', dir, '-c', conf];
  // The folder is of the user who runs the tests.
  const directives = process.getuid?.() === 0 ? 'daemon off; user root;' : 'daemon off;';
  const child: ChildProcess = spawn(program, [...words, '-g', directives], { stdio: 'ignore' });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error('nginx did not start');
    await delay(20);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async reload(down) {
      writeUpstream(down);
      const reloading = spawn(program, [...words, '-s', 'reload'], { stdio: 'ignore' });
      await once(reloading, 'exit');
    },
    async remove() {
      child.kill('SIGTERM');
      await Promise.race([once(child, 'exit'), delay(2000)]);
      await killProgram(child);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
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
