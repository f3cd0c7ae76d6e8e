import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { replay } from './replay.ts';

test('names the port that is taken, its process, and what to do', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void holder.close());
  await new Promise((resolve) => void holder.once('listening', resolve));
  const { port } = holder.address() as AddressInfo;
  const options = { dir: undefined, port, apiKey: undefined, speed: 'instant', allowsLoopbackWebhooks: false } as const;
  await expect(replay(options)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is taken\\..*\\nChoose another`)),
  });
}, 60_000);
