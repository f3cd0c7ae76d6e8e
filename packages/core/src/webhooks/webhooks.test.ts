import { createHmac } from 'node:crypto';

import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

import { createWebPlatform } from '../foundation/platform.ts';
import {
  findWebhookSecretProblem,
  MAX_DELIVERY_ATTEMPTS,
  nextDeliveryDelayMs,
  signWebhook,
  verifyWebhook,
} from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLD_SECRET = 'an older secret of 24 letters or more';
const platform = { ...createWebPlatform(), now: () => Date.now() };

/** Parsed and written again, none of these stays the same. */
const BODIES = [
  '{"a":"\u{1f98a} caf\u00e9"}',
  '{"n":1e21}',
  '{"a":"\\u0041\\/ \\"quoted\\" \\\\"}',
  '{ "spaced" : [1 , 2] }',
];

test.each(BODIES)('169: the verifiers of both schemes accept %s as it was sent', async (body) => {
  const headers = await signWebhook({ id: 'msg_1', body }, [SECRET], platform);
  expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
  expect(headers['x-service-signature']).toBe(headers['x-openrouter-signature']);
  const [, seconds = '', hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature'] ?? '') ?? [];
  expect(hex).toBe(createHmac('sha256', SECRET).update(`${seconds},`).update(body).digest('hex'));
  const signature = headers['x-openrouter-signature'];
  expect(await verifyWebhook({ body, signature, secrets: [SECRET] })).toEqual(JSON.parse(body));
});

test('170: while two secrets are active either verifies', async () => {
  const body = '{"a":1}';
  const headers = await signWebhook({ id: 'msg_1', body }, [SECRET, OLD_SECRET], platform);
  const signature = headers['x-service-signature'];
  for (const secret of [SECRET, OLD_SECRET]) {
    expect(await verifyWebhook({ body, signature, secrets: [secret] })).toEqual({ a: 1 });
  }
  expect(new Webhook(SECRET).verify(body, headers)).toEqual({ a: 1 });
  const asBase64 = Buffer.from(OLD_SECRET).toString('base64');
  expect(new Webhook(asBase64).verify(body, headers)).toEqual({ a: 1 });
});

test('171: an old message, a changed one, another secret and no signature are rejected', async () => {
  const body = '{"a":1}';
  const signedAt = 1_767_323_045;
  const at = (offsetSeconds: number) => ({ ...platform, now: () => (signedAt + offsetSeconds) * 1000 });
  const { 'x-service-signature': signature } = await signWebhook({ id: 'msg_1', body }, [SECRET], at(0));
  const verify = (given: object): Promise<unknown> =>
    verifyWebhook({ body, signature, secrets: [SECRET], platform: at(0), ...given });
  await expect(verify({ platform: at(300) })).resolves.toEqual({ a: 1 });
  await expect(verify({ platform: at(-300) })).resolves.toEqual({ a: 1 });
  await expect(verify({ platform: at(301) })).rejects.toThrow('is too old');
  await expect(verify({ platform: at(-301) })).rejects.toThrow('is too old');
  await expect(verify({ body: '{"a":2}' })).rejects.toThrow('does not match');
  await expect(verify({ secrets: [OLD_SECRET] })).rejects.toThrow('does not match');
  await expect(verify({ signature: signature?.replace(/t=\d+/, `t=${signedAt - 9}`) })).rejects.toThrow(
    'does not match',
  );
  for (const odd of [null, undefined, '', 'v1=', 't=,v1=', `t=${'9'.repeat(400)}`, 'nonsense']) {
    await expect(verify({ signature: odd })).rejects.toMatchObject({ code: 'authentication' });
  }
});

test('171: an empty secret neither verifies nor is fit to sign', async () => {
  await expect(verifyWebhook({ body: '{}', signature: 't=1,v1=', secrets: [''] })).rejects.toThrow(RangeError);
  await expect(verifyWebhook({ body: '{}', signature: 't=1,v1=', secrets: [] })).rejects.toThrow(RangeError);
  expect(findWebhookSecretProblem('')).toBe('must be at least 24 characters');
  expect(findWebhookSecretProblem(` ${SECRET}`)).toBe('must not begin or end with white space');
  expect(findWebhookSecretProblem(`whsec_${'%'.repeat(24)}`)).toBe('must be base64 after whsec_');
  for (const fit of [SECRET, OLD_SECRET]) expect(findWebhookSecretProblem(fit)).toBeUndefined();
});

test('signs nothing without a secret, and still includes the id of the message', async () => {
  const headers = await signWebhook({ id: 'msg_1', body: '{}' }, [], { ...platform, now: () => 1_700_000_000_999 });
  expect(headers).toEqual({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1700000000' });
});

test('tries ten times over about 75 hours, never all at once', () => {
  const waits = Array.from({ length: MAX_DELIVERY_ATTEMPTS }, (_, i) => nextDeliveryDelayMs({ attempts: i + 1 }, 0));
  expect(MAX_DELIVERY_ATTEMPTS).toBe(10);
  expect(waits.at(-1)).toBeNull();
  const hours = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0) / 3_600_000;
  expect(hours).toBeGreaterThan(73);
  expect(hours).toBeLessThan(77);
  expect(nextDeliveryDelayMs({ attempts: 2 }, 1)).toBe(330_000);
});

test('waits as long as a receiver requires, up to a day', () => {
  expect(nextDeliveryDelayMs({ attempts: 1, retryAfterSeconds: 60 }, 0)).toBe(60_000);
  expect(nextDeliveryDelayMs({ attempts: 5, retryAfterSeconds: 1 }, 0)).toBe(1000);
  expect(nextDeliveryDelayMs({ attempts: 1, retryAfterSeconds: 0 }, 0)).toBe(1000);
  expect(nextDeliveryDelayMs({ attempts: 1, retryAfterSeconds: 1e9 }, 0)).toBe(86_400_000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
      const least = nextDeliveryDelayMs({ attempts }, 0) ?? 0;
      const wait = nextDeliveryDelayMs({ attempts }, random) ?? 0;
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(least * 1.1 + 1);
    }),
  );
});
