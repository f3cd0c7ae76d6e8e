import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { prepareDataDirectory } from './directory.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'gateway-data-'));
  await chmod(parent, 0o755);
});
afterEach(() => rm(parent, { recursive: true }));

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Prepares a directory as a user without privileges, in a process of its own; returns what it says. */
async function prepareUnprivileged(directory: string): Promise<string> {
  const source = fileURLToPath(new URL('directory.ts', import.meta.url));
  const script = `
    import { prepareDataDirectory } from ${JSON.stringify(source)};
    if (process.getuid() === 0) process.setuid(${NOBODY});
    prepareDataDirectory(process.argv[1]).then(() => console.log('ready'), (error) => console.log(error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, directory]);
  return stdout.trimEnd();
}

test('an empty directory is closed to others', async () => {
  const directory = join(parent, 'data');
  await mkdir(directory, { mode: 0o755 });
  expect(await prepareDataDirectory(directory, undefined)).toEqual({
    path: directory,
    logsPath: join(directory, 'logs'),
    made: [join(directory, 'logs')],
  });
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

test('a directory that may not be created is refused in one line that says what to do', async () => {
  await chmod(parent, 0o555);
  const directory = join(parent, 'data');
  expect(await prepareUnprivileged(directory)).toBe(
    `Cannot use the data directory ${directory}: this user may not use it; ` +
      'change its permissions or choose another directory [EACCES]',
  );
});

test.runIf(isRoot)('a directory of another user is refused with both users named', async () => {
  const directory = join(parent, 'data');
  await mkdir(directory);
  await chmod(directory, 0o777);
  expect(await prepareUnprivileged(directory)).toBe(
    `The data directory ${directory} belongs to another user (uid 0, this process runs as ${NOBODY}); ` +
      'choose another directory, or change its owner with chown',
  );
});

test('directories above it are made, too, and closed to others', async () => {
  const directory = join(parent, 'a', 'b', 'data');
  await prepareDataDirectory(directory, undefined);
  for (const made of [directory, join(parent, 'a', 'b'), join(parent, 'a')]) {
    expect((await stat(made)).mode & 0o777).toBe(0o700);
  }
});

test.runIf(process.platform === 'linux')('a place where nothing can be made is refused, and soon', async () => {
  await expect(prepareDataDirectory('/proc/model-gateway/data', undefined)).rejects.toThrow(
    'Cannot use the data directory /proc/model-gateway/data',
  );
});
