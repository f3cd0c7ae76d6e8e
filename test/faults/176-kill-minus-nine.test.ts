import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import type { Store } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { toKilledContent } from '../support/stores/generation-records.ts';

const CYCLES = process.env['TEST_FULL'] === '1' ? 200 : 20;
const SCRIPT = fileURLToPath(new URL('../support/stores/append-until-killed.ts', import.meta.url));

const TRACES_OF_A_KILL =
  /^The last line of a log was cut short|^Content that was being written in a crash is lost|it is searched once$/;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-kill-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** Lets a process append until it has acknowledged about so many, kills it, and returns all it has acknowledged. */
async function appendUntilKilled(prefix: string, acknowledgements: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [SCRIPT, dir, prefix], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  let lines = 0;
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    printed += text;
    lines += text.split('\n').length - 1;
    if (lines >= acknowledgements) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return printed.trimEnd().split('\n');
}

/** Whether the store has what this id was printed for, and all of it. */
async function isThere({ keys, generations }: Store, id: string): Promise<boolean> {
  if (id.startsWith('key-')) return (await keys.get(id)) !== undefined;
  const content = await generations.getContent(id);
  return (await generations.get(id))?.generation.id === id && isDeepStrictEqual(content, toKilledContent(id));
}

test(
  '176: every generation and key that was acknowledged is there after kill -9 at any moment',
  async () => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const logger = { info: () => undefined, warn, error: warn };

    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const killAfter = 1 + Math.floor(Math.random() * 600);
      const acknowledged = await appendUntilKilled(`cycle-${cycle}`, killAfter);

      // The directory is free at once: the kernel has taken it back.
      const store = await createJsonFileStore({ dir, logger });
      const missing: string[] = [];
      for (const id of acknowledged) if (!(await isThere(store, id))) missing.push(id);
      expect(missing, `cycle ${cycle}, killed after ${killAfter}`).toEqual([]);
      await store.close();
      expect((await readdir(dir, { recursive: true })).filter((name) => /tmp|corrupt/.test(name))).toEqual([]);
    }
    // Lines that were not acknowledged may be there in part; no other damage is expected.
    expect(warnings.filter((message) => !TRACES_OF_A_KILL.test(message))).toEqual([]);
  },
  CYCLES * 10_000,
);
