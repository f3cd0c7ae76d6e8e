import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { startOwningProcess, whyNot } from '../../../../../test/support/stores/owning-process.ts';
import { describeOwnershipFailure, DirectoryInUseError, ownDirectory } from './ownership.ts';

// What needs several processes or namespaces is in test/faults/182-184-one-owner.test.ts.
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-owner-'));
});
afterEach(() => rm(dir, { recursive: true }));

const isLinux = process.platform === 'linux';

test('the same process cannot take a directory twice, until it lets go of it', async () => {
  const owner = await ownDirectory(dir);
  const refusal = await ownDirectory(dir).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DirectoryInUseError);
  expect(refusal).toMatchObject({ ownerPid: process.pid, message: expect.stringContaining('this very process') });
  await owner.release();
  const again = await ownDirectory(dir);
  await again.release();
});

test('two directories do not get in each other’s way', async () => {
  const other = await mkdtemp(join(tmpdir(), 'gateway-owner-'));
  const owners = [await ownDirectory(dir), await ownDirectory(other)];
  for (const owner of owners) await owner.release();
  await rm(other, { recursive: true });
});

test.runIf(isLinux).each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42 - 2 ** 32, 'SMB'],
])('a directory that machines share is refused with the kind of its file system (%i: %s)', async (type, name) => {
  await expect(ownDirectory(dir, { fileSystemType: type })).rejects.toThrow(
    `it is on ${name}, which several machines can use at once, and the others would not see its owner`,
  );
  expect(await readdir(dir)).toEqual([]);
});

const QUEUES = ['sh', '-c', 'mount -t mqueue none "$0" && exec "$@"'];
const noQueues = whyNot('unshare', '--mount', ...QUEUES, tmpdir(), 'true');
test.skipIf(noQueues !== '')(`a file system without sockets is refused with what it says${noQueues}`, async () => {
  const owning = await startOwningProcess({ within: ['unshare', '--mount', ...QUEUES, dir] });
  expect(await owning.own(dir)).toMatch(/^listen EPERM/);
  await owning.kill();
});

test('the refusal of a file system without sockets says so, and that of any other failure what the system says', () => {
  const refused = Object.assign(new Error('listen EPERM: operation not permitted'), { code: 'EPERM' });
  expect(describeOwnershipFailure(refused)).toBe(
    'One process per directory cannot be ensured here: ' +
      'its file system has no sockets or locks (listen EPERM: operation not permitted)',
  );
  expect(describeOwnershipFailure(new Error('no luck'))).toBe(
    'One process per directory cannot be ensured here: no luck',
  );
});

test.runIf(isLinux)('a system that lets two have a locked file is refused', async () => {
  // The flag that locks a file on macOS means nothing to this system.
  await expect(ownDirectory(dir, { platform: 'darwin' })).rejects.toThrow('its file system locks no files');
});

/** The name in the network namespace that was the whole lock of older versions. */
const olderName = (): string => `\0model-gateway-${createHash('sha256').update(dir).digest('hex')}`;

function listenAtOlderName(response: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.end(response)).listen(olderName(), () => resolve(server));
  });
}

test.runIf(isLinux)('an owner of an older version is seen, and leaves nothing of the attempt', async () => {
  const older = await listenAtOlderName('4711');
  await expect(ownDirectory(dir)).rejects.toThrow(
    `The data directory ${dir} is in use by the process with PID 4711; end it, or choose another directory`,
  );
  expect(await readdir(dir)).toEqual([]);
  older.close();
  await (await ownDirectory(dir)).release();
});

test.runIf(isLinux)('an older version sees the owner and reads its PID', async () => {
  const owner = await ownDirectory(dir);
  const said = await new Promise<string>((resolve) =>
    connect(olderName()).once('data', (data) => resolve(String(data))),
  );
  expect(Number.parseInt(said, 10)).toBe(process.pid);
  await owner.release();
});

test.runIf(isLinux)(
  'another directory under the same path, of a container with the same network, is no hindrance',
  async () => {
    const other = await listenAtOlderName('1 owner 5b4c0e0e-0000-4000-8000-000000000000 elsewhere');
    const owner = await ownDirectory(dir);
    await owner.release();
    other.close();
  },
);
