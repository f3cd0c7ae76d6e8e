import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { readOwnerFile, removeOwnerFile, writeOwnerFile } from './owner-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'owner-'));
afterAll(() => rmSync(folder, { recursive: true }));

const owner = { pid: process.pid, url: 'http://127.0.0.1:1', token: 'token-1' };
/** Above any PID that systems give out. */
const NO_PID = 2 ** 30;

test('an owner is written for its user alone, found, and removed without a trace', async () => {
  const dir = join(folder, 'new/deep');
  await writeOwnerFile(dir, owner);
  expect(statSync(join(dir, 'owner.json')).mode & 0o777).toBe(0o600);
  expect(await readOwnerFile(dir)).toEqual(owner);
  await removeOwnerFile(dir, owner);
  expect(readdirSync(dir)).toEqual([]);
});

test('what a crash left behind counts for nothing and is replaced', async () => {
  await writeOwnerFile(folder, { ...owner, pid: NO_PID });
  expect(await readOwnerFile(folder)).toBeUndefined();
  await writeOwnerFile(folder, owner);
  expect(await readOwnerFile(folder)).toEqual(owner);
});

test('a file that meanwhile is another owner’s stays', async () => {
  await writeOwnerFile(folder, { ...owner, token: 'token-2' });
  await removeOwnerFile(folder, owner);
  expect(await readOwnerFile(folder)).toMatchObject({ token: 'token-2' });
});

test.each(['', '{', '[]', 'null', '{"pid":"1"}', `{"pid":${process.pid},"url":"x"}`])(
  '%j is no owner',
  async (text) => {
    writeFileSync(join(folder, 'owner.json'), text);
    expect(await readOwnerFile(folder)).toBeUndefined();
  },
);

// Root may read every file.
test.skipIf(process.getuid?.() === 0)(
  'a file that this user may not read is told, and does not pass as none',
  async () => {
    const dir = join(folder, 'closed');
    await writeOwnerFile(dir, owner);
    chmodSync(join(dir, 'owner.json'), 0o000);
    await expect(readOwnerFile(dir)).rejects.toThrow('Run the command as the user of the gateway');
  },
);

test('a directory that is not there has no owner', async () => {
  expect(await readOwnerFile(join(folder, 'nowhere'))).toBeUndefined();
});
