import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { createDeferred } from '../support/async/deferred.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { respondWell, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

const MIB = 1024 * 1024;
const LARGE = 9 * MIB;
/** Two bodies, and not a third one. */
const ROOM = 20 * MIB;

/** A busy machine takes its time for so many bytes. */
const BUSY = { timeout: 20_000 };

const toBody = (bytes: number): string => {
  const text = createHash('sha256').update('noise').digest('hex');
  const content = text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);
  return JSON.stringify({ model: 'test/model', messages: [{ role: 'user', content }] });
};

/** A gateway whose upstream responds when it is told to, and what counts the calls there. */
async function start() {
  const told = createDeferred();
  const asked = { count: 0 };
  const upstream = await startRawUpstream((request) => {
    asked.count += 1;
    void told.promise.then(() => respondWell(request));
  });
  const { port } = await startFaultGateway([upstream], { listen: { bodyMemoryBytes: ROOM } });
  const headers = { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' };
  const post = (body: string | ReadableStream) =>
    fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
      method: 'POST',
      headers,
      body,
      ...(typeof body !== 'string' && { duplex: 'half' }),
    });
  return { post, asked, respond: () => told.resolve() };
}

test('large bodies beyond the memory for them are refused with 503 and Retry-After, until others have ended', async () => {
  const { post, asked, respond } = await start();
  const large = toBody(LARGE);
  const held = [post(large), post(large)];
  await expect.poll(() => asked.count, BUSY).toBe(2);

  // By its length at once, and one that does not say its length as soon as it is too much.
  const inPieces = new Blob([large]).stream();
  for (const body of [large, inPieces]) {
    const refused = await post(body);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('try again in 2 s') } });
  }
  // Smaller ones are not counted.
  const small = post(toBody(1 * MIB));
  await expect.poll(() => asked.count, BUSY).toBe(3);

  respond();
  for (const call of [...held, small]) expect((await call).status).toBe(200);
  expect((await post(large)).status).toBe(200);
});

test('a body that is larger than all the memory for them is served where it is the only one', async () => {
  const { post, asked, respond } = await start();
  respond();
  expect((await post(toBody(ROOM + MIB))).status).toBe(200);
  expect(asked.count).toBe(1);
});
