import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { DirectoryInUseError, ownDirectory } from './directory-owner.ts';

let dir: string;
let children: ChildProcess[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-owner-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) await endProcess(child);
  await rm(dir, { recursive: true });
});

// Where abstract sockets exist the other kind is tried, too: nothing in it is special to another system.
const platforms: readonly NodeJS.Platform[] = process.platform === 'linux' ? ['linux', 'darwin'] : [process.platform];

/** Starts another process that takes the directory; resolves when it has, or with why it could not. */
async function ownInOtherProcess(platform: NodeJS.Platform): Promise<{ child: ChildProcess; said: string }> {
  const source = fileURLToPath(new URL('directory-owner.ts', import.meta.url));
  const script = `
    import { ownDirectory } from ${JSON.stringify(source)};
    setInterval(() => {}, 1000);
    ownDirectory(process.argv[1], { platform: process.argv[2] }).then(() => console.log('owned'), (error) => console.log(error.message));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dir, platform], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: said.toString().trim() };
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test.each(platforms)('a second process is refused with the PID of the first (%s)', async (platform) => {
  const first = await ownInOtherProcess(platform);
  expect(first.said).toBe('owned');
  const second = await ownInOtherProcess(platform);
  expect(second.said).toBe(
    `The data directory ${dir} is in use by the process with PID ${first.child.pid}; end it, or choose another directory`,
  );
});

test.each(platforms)('the directory is free at once when its owner is killed (%s)', async (platform) => {
  const { child } = await ownInOtherProcess(platform);
  await endProcess(child);
  const owner = await ownDirectory(dir, { platform });
  await owner.release();
});

test.each(platforms)('a stopped owner keeps the directory although it cannot answer (%s)', async (platform) => {
  const { child } = await ownInOtherProcess(platform);
  child.kill('SIGSTOP');
  await expect(ownDirectory(dir, { platform, respondWithinMs: 50 })).rejects.toThrow(
    /another process that does not answer \(it may be stopped\)/,
  );
  child.kill('SIGCONT');
  await expect(ownDirectory(dir, { platform, respondWithinMs: 30_000 })).rejects.toThrow(`PID ${child.pid}`);
});

test.each(platforms)(
  'the same process cannot take a directory twice, until it lets go of it (%s)',
  async (platform) => {
    const owner = await ownDirectory(dir, { platform });
    const refusal = await ownDirectory(dir, { platform }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DirectoryInUseError);
    expect(refusal).toMatchObject({ ownerPid: process.pid, message: expect.stringContaining('this very process') });
    await owner.release();
    const again = await ownDirectory(dir, { platform });
    await again.release();
  },
);

test('two directories do not get in each other’s way', async () => {
  const other = await mkdtemp(join(tmpdir(), 'gateway-owner-'));
  const owners = [await ownDirectory(dir), await ownDirectory(other)];
  for (const owner of owners) await owner.release();
  await rm(other, { recursive: true });
});
