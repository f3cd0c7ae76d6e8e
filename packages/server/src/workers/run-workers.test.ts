import cluster from 'node:cluster';

import { expect, onTestFinished, test } from 'vitest';

import { startWorker } from './run-workers.ts';

const PLACE = { slot: 1, of: 1, isFirst: true };

test('a worker whose program is gone fails, and has no exit', async () => {
  cluster.setupPrimary({ exec: 'worker.js' });
  const { execPath } = process;
  onTestFinished(() => void (process.execPath = execPath));
  process.execPath = '/no/such/node';
  const worker = startWorker(PLACE);
  const reports: unknown[] = [];
  worker.onExit((...end) => reports.push(end));
  worker.onFailure((error) => reports.push(error));
  await expect.poll(() => reports).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
  expect(worker.pid).toBeUndefined();
});

test('a worker that the system refuses at once fails', async () => {
  cluster.setupPrimary({ exec: 'worker.js\0' });
  const error = await new Promise<Error>((resolve) => startWorker(PLACE).onFailure(resolve));
  expect(error.message).toMatch(/null bytes/);
});
