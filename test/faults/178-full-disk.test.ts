import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, expect, test } from 'vitest';

import { whyNot } from '../support/stores/owning-process.ts';

// The real command as it is installed, so this needs a build; `npm test` makes one first.
const BIN = fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gateway-full-'));
afterAll(() => rmSync(root, { recursive: true }));

const MOUNT = 'mount -t tmpfs -o size=64k tmpfs "$0"';
const PAGES = 16;
const noMounts = whyNot('unshare', '--mount', 'sh', '-c', MOUNT, root);

/** Runs a script on a disk of 16 pages that is gone afterwards; `gateway` is the command, `fill N` leaves N free pages. */
function runOnSmallDisk(script: string) {
  const functions = `
    gateway() { timeout 20 "${process.execPath}" "${BIN}" "$@" --data-dir "$0/data"; echo "exit $?"; }
    fill() { head -c $(( (${PAGES} - $1) * 4096 )) /dev/zero > "$0/filler" 2> /dev/null; }
    list() { find "$0/data" -type f -printf '%P %s\\n' | sort; }`;
  const args = ['--mount', 'sh', '-c', `${MOUNT}\n${functions}\n${script}`, root];
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '' && line[0] !== '{');
  return { said: lines(stdout), complaints: lines(stderr) };
}

const FULL = /^Cannot (?:use the data directory|write) \S+: the disk is full; free some space or .* \[ENOSPC\]$/;

test.skipIf(noMounts !== '').each([0, 1])(
  `178: a start on a disk with %i free pages says in one line that it is full, and leaves nothing${noMounts}`,
  (pages) => {
    const { said, complaints } = runOnSmallDisk(`fill ${pages}; gateway serve --demo --port 0; ls "$0"`);
    expect(complaints).toEqual([expect.stringMatching(FULL)]);
    expect(said).toEqual(['exit 1', 'filler']);
  },
);

test.skipIf(noMounts !== '')(
  `178: a start that finds no room for its address says so in one line, and leaves nothing half written${noMounts}`,
  () => {
    const { said, complaints } = runOnSmallDisk('fill 4; gateway serve --demo --port 0; list');
    expect(complaints).toEqual([expect.stringMatching(FULL)]);
    const [code, ...files] = said;
    expect(code).toBe('exit 1');
    expect(files).toContainEqual(expect.stringMatching(/^config\.json \d+$/));
    expect(files.filter((file) => /tmp|owner|generations-\S+ 0$/.test(file))).toEqual([]);
  },
);

test.skipIf(noMounts !== '')(`178: a key that finds no room is refused in one line${noMounts}`, () => {
  const { said, complaints } = runOnSmallDisk(
    'gateway keys create --name one > /dev/null 2>&1; list; fill 0; gateway keys create --name two; list',
  );
  expect(complaints).toEqual([expect.stringMatching(/^The disk is full; free some space \(ENOSPC: /)]);
  const code = said.indexOf('exit 1');
  expect(said.slice(code + 1)).toEqual(said.slice(0, code));
});
