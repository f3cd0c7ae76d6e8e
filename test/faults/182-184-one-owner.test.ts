import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';
import { afterEach, beforeEach, expect, test } from 'vitest';

import {
  type OwningProcess,
  type OwningProcessOptions,
  startOwningProcess,
  whyNot,
} from '../support/stores/owning-process.ts';

const isLinux = process.platform === 'linux';
const FULL = process.env['TEST_FULL'] === '1';
const IN_OWN_NETWORK = ['unshare', '--net'];

let root: string;
let dir: string;
let processes: OwningProcess[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gateway-owner-'));
  dir = join(root, 'data');
  await mkdir(dir);
  processes = [];
});
afterEach(async () => {
  for (const each of processes) await each.kill();
  await rm(root, { recursive: true });
});

async function start(options?: OwningProcessOptions): Promise<OwningProcess> {
  const started = await startOwningProcess(options);
  processes.push(started);
  return started;
}

/** What is in the directory, without the file that other systems than Linux lock and keep. */
async function list(): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => name !== 'owner.lock');
}

/** What a second process is told. */
const inUseBy = (directory: string, { pid }: OwningProcess): string =>
  `The data directory ${directory} is in use by the process with PID ${pid}; end it, or choose another directory`;

const noNetwork = whyNot(...(IN_OWN_NETWORK as [string, string]), 'true');
const noMounts = whyNot('unshare', '--mount', 'mount', '--bind', tmpdir(), tmpdir());
const noPids = whyNot('unshare', '--pid', '--uts', '--fork', 'true');

test('182: a second process is refused with the PID of the first, and may have the directory when that lets go', async () => {
  const [first, second] = [await start(), await start()];
  expect(await first.own(dir)).toBe('owned');
  expect(await second.own(dir)).toBe(inUseBy(dir, first));
  expect(await first.release()).toBe('released');
  expect(await list()).toEqual([]);
  expect(await second.own(dir)).toBe('owned');
});

test.skipIf(noNetwork !== '')(`182: a process in another network namespace is refused, too${noNetwork}`, async () => {
  const [first, second] = [await start(), await start({ within: IN_OWN_NETWORK })];
  expect(await first.own(dir)).toBe('owned');
  expect(await second.own(dir)).toBe(inUseBy(dir, first));
  await first.kill();
  expect(await second.own(dir)).toBe('owned');
  expect(await (await start()).own(dir)).toBe(inUseBy(dir, second));
});

test.skipIf(noMounts !== '')(
  `182: a process that has the directory under another path, by a bind mount, is refused, too${noMounts}`,
  async () => {
    const mounted = join(root, 'mounted');
    await mkdir(mounted);
    const first = await start();
    const within = ['unshare', '--mount', 'sh', '-c', `mount --bind "${dir}" "${mounted}" && exec "$@"`, 'sh'];
    const second = await start({ within });
    expect(await second.own(mounted)).toBe('owned');
    expect(await first.own(dir)).toBe(inUseBy(dir, second));
    await second.release();
    expect(await first.own(dir)).toBe('owned');
    expect(await second.own(mounted)).toBe(inUseBy(mounted, first));
  },
);

test.skipIf(noPids !== '')(`182: an owner in another container is named with its container${noPids}`, async () => {
  // In its container a process has another PID than here, and maybe that of the process that reads it.
  const container = [
    'unshare',
    '--net',
    '--pid',
    '--uts',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    'hostname elsewhere && exec "$@"',
    'sh',
  ];
  const first = await start({ within: container });
  expect(await first.own(dir)).toBe('owned');
  expect(await (await start()).own(dir)).toBe(
    `The data directory ${dir} is in use by the process with PID 1 of the container or machine elsewhere; ` +
      'end it, or choose another directory',
  );
});

test('182: two paths of one directory have one owner: a symbolic link, and one that is longer than an address may be', async () => {
  const long = join(root, 'x'.repeat(120), 'data');
  await mkdir(long, { recursive: true });
  await symlink(long, join(root, 'link'));
  const [first, second] = [await start(), await start()];
  expect(await first.own(long)).toBe('owned');
  expect(await second.own(long)).toBe(inUseBy(long, first));
  expect(await second.own(join(root, 'link'))).toBe(inUseBy(join(root, 'link'), first));
  await first.kill();
  expect(await second.own(join(root, 'link'))).toBe('owned');
});

test('182: a directory that is renamed keeps its owner', async () => {
  const [first, second] = [await start(), await start()];
  expect(await first.own(dir)).toBe('owned');
  await rename(dir, `${dir}-2`);
  expect(await second.own(`${dir}-2`)).toBe(inUseBy(`${dir}-2`, first));
});

test('183: the directory is free at once when its owner is killed, and the next leaves nothing of it', async () => {
  for (let round = 1; round <= 5; round += 1) {
    const owner = await start();
    expect(await owner.own(dir)).toBe('owned');
    await owner.kill();
  }
  const [last, other] = [await start(), await start()];
  expect(await last.own(dir)).toBe('owned');
  expect(await list()).toHaveLength(1);
  expect(await other.own(dir)).toBe(inUseBy(dir, last));
});

// Elsewhere the PID of a stopped owner is not known.
test.runIf(isLinux)(
  '184: an owner that is stopped keeps the directory, also when its queue of those who ask is full',
  async () => {
    const [owner, other] = [await start(), await start()];
    expect(await owner.own(dir)).toBe('owned');
    owner.signal('SIGSTOP');
    const refusal =
      `The data directory ${dir} is in use by the process with PID ${owner.pid}, which does not answer ` +
      '(it may be stopped); end it, or choose another directory';
    expect(await other.own(dir)).toBe(refusal);
    const asking = await fillQueue(join(dir, (await list())[0] ?? ''));
    expect(await other.own(dir)).toBe(refusal);
    for (const socket of asking) socket.destroy();
    owner.signal('SIGCONT');
    await expect.poll(() => other.own(dir)).toBe(inUseBy(dir, owner));
  },
);

/** Connects until no more connections are taken. */
async function fillQueue(address: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (;;) {
    const socket = connect(address);
    sockets.push(socket);
    const isTaken = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    if (!isTaken) return sockets;
  }
}

/** Puts a socket into the directory that nobody listens at, as a killed owner leaves one. */
async function leaveDeadSocket(): Promise<void> {
  if (!isLinux) return;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
  // Closing removes the name that it was made under.
  await rename(join(root, 'socket'), join(dir, `owner-1-${'0'.repeat(16)}.sock`));
  await new Promise((resolve) => server.close(resolve));
}

test(`182, 183: of two starts at the same moment exactly one becomes the owner, 100 times${noNetwork.replace('skipped', 'in one network')}`, async () => {
  const inNetwork = noNetwork === '' ? { within: IN_OWN_NETWORK } : {};
  const [one, other] = [await start(), await start(inNetwork)];
  const winners = new Set<OwningProcess>();
  for (let round = 1; round <= 100; round += 1) {
    if (round % 2 === 0) await leaveDeadSocket();
    const said = await Promise.all([one.own(dir), other.own(dir)]);
    const winner = said[0] === 'owned' ? one : other;
    expect(said.toSorted(), `round ${round}`).toEqual([inUseBy(dir, winner), 'owned'].toSorted());
    winners.add(winner);
    expect(await winner.release()).toBe('released');
    expect(await list(), `round ${round}`).toEqual([]);
  }
}, 60_000);

test(
  '182, 183: of eight starts at the same moment one becomes the owner, whichever of them are killed meanwhile',
  async () => {
    for (let round = 1; round <= (FULL ? 100 : 5); round += 1) {
      await leaveDeadSocket();
      const all = await Promise.all(Array.from({ length: 8 }, () => start()));
      const killed = all.filter((_, index) => index % 2 === 0);
      const left = all.filter((_, index) => index % 2 === 1);
      const said = left.map((each) => each.own(dir));
      // Their own words are not waited for: they end in the middle of it.
      for (const each of killed) void each.own(dir).catch(() => undefined);
      await Promise.all(killed.map((each) => each.kill()));
      const owners = (await Promise.all(said)).filter((text) => text === 'owned').length;
      // One of those that were killed may have been the owner while the others asked.
      expect(owners, `round ${round}`).toBeLessThanOrEqual(1);
      if (owners === 0) expect(await left[0]?.own(dir), `round ${round}`).toBe('owned');
      for (const each of all) await each.kill();
    }
  },
  FULL ? 300_000 : 60_000,
);

/** A program of Node on PATH with another main version than this one. */
function findOtherNode(): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.find((node) => {
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    return typeof stdout === 'string' && stdout !== '' && stdout.split('.')[0] !== process.version.split('.')[0];
  });
}

const otherNode = findOtherNode();
test.skipIf(otherNode === undefined)(
  `182: two versions of Node keep each other out${otherNode === undefined ? ' (skipped: PATH has one version)' : ''}`,
  async () => {
    const input = fileURLToPath(new URL('../support/stores/own-directories.ts', import.meta.url));
    const script = join(root, 'own-directories.mjs');
    const bundle = await rolldown({ input, platform: 'node' });
    await bundle.write({ file: script });
    const here = await start();
    const there = await start({ node: otherNode ?? '', script });
    expect(await here.own(dir)).toBe('owned');
    expect(await there.own(dir)).toBe(inUseBy(dir, here));
    await here.release();
    expect(await there.own(dir)).toBe('owned');
    expect(await here.own(dir)).toBe(inUseBy(dir, there));
  },
);
