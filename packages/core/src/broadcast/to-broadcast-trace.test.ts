import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createNodePlatform } from '../../../node/src/node-platform.ts';
import { toStoredTrace } from '../generations/to-generation.ts';
import { toBroadcastTrace } from './to-broadcast-trace.ts';

const platform = createNodePlatform();
const traceOf = (trace: Parameters<typeof toStoredTrace>[0]) => {
  const stored = toStoredTrace(trace);
  const record = toRecord('gen-1', { generation: stored === undefined ? {} : { trace: stored } });
  return toBroadcastTrace({ record, content: undefined, apiKeyName: null }, platform);
};
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('keeps ids that have the form of a trace and a span, and makes others of what was given', async () => {
  const id = '0AF7651916CD43DD8448EB211C80319C';
  const uuid = '0af76519-16cd-43dd-8448-eb211c80319c';
  for (const given of [id, uuid]) {
    expect(await traceOf({ trace_id: given, parent_span_id: '00F067AA0BA902B7' })).toMatchObject({
      traceId: id.toLowerCase(),
      givenTraceId: given,
      parentSpanId: '00f067aa0ba902b7',
    });
  }
  expect(await traceOf({ trace_id: 'mine', parent_span_id: 'step' })).toMatchObject({
    traceId: hashOf('mine').slice(0, 32),
    parentSpanId: hashOf('step').slice(0, 16),
    givenParentSpanId: 'step',
  });
  // All zeros is no valid id on the wire.
  expect((await traceOf({ trace_id: '0'.repeat(32) })).traceId).toBe(hashOf('0'.repeat(32)).slice(0, 32));
  expect(await traceOf({})).toMatchObject({
    traceId: hashOf('gen-1').slice(0, 32),
    spanId: hashOf('gen-1').slice(0, 16),
    parentSpanId: null,
  });
});

test('names spans as the caller does, else by the model', async () => {
  expect(await traceOf({})).toMatchObject({ traceName: 'acme/chat-1', spanName: 'acme/chat-1' });
  expect(await traceOf({ trace_name: 'T', span_name: 'S' })).toMatchObject({ traceName: 'T', spanName: 'S' });
  expect(await traceOf({ span_name: 'S', generation_name: 'G' })).toMatchObject({ spanName: 'G' });
});

test('keeps of a trace what is of use, in limited size', () => {
  expect(toStoredTrace({})).toBeUndefined();
  expect(toStoredTrace({ none: null })).toBeUndefined();
  expect(toStoredTrace({ text: 'x'.repeat(5000), count: 1, on: true, list: [1, { a: 2 }], none: null })).toEqual({
    text: 'x'.repeat(1024),
    count: 1,
    on: true,
    list: '[1,{"a":2}]',
  });
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key-${i}`, i]));
  expect(Object.keys(toStoredTrace({ [`${'k'.repeat(129)}`]: 1, ...many }) ?? {})).toHaveLength(63);
});

test('leaves out what went in with the prompt of a video, as the pictures of messages', async () => {
  const media = [{ type: 'image' as const, frame: null, url: 'data:image/png;base64,CANARY' }];
  const content = { input: { prompt: 'a fox', media }, output: { completion: null, reasoning: null }, error: null };
  const trace = await toBroadcastTrace({ record: toRecord('gen-1'), content, apiKeyName: null }, platform);
  expect(trace.content?.input).toEqual({ prompt: 'a fox' });
});

test('has each attempt of a call that took several, and none of one that took one', async () => {
  const failed = {
    provider_name: 'Slow',
    model_permaslug: 'acme/chat-1',
    latency: 300,
    status: 503,
    error: { code: 502, error_type: 'provider_unavailable' },
  };
  const served = { provider_name: 'Acme', model_permaslug: 'acme/chat-1', latency: 200, status: 200 };
  const toAttempts = async (responses: object[]) => {
    const generation = {
      created_at: '2026-03-01T10:00:00.000Z',
      generation_time: 900,
      provider_responses: responses as (typeof served)[],
    };
    const record = toRecord('gen-1', { generation });
    return (await toBroadcastTrace({ record, content: undefined, apiKeyName: null }, platform)).attempts;
  };
  expect(await toAttempts([served])).toEqual([]);
  const start = Date.parse('2026-03-01T10:00:00.000Z');
  const [first, second] = await toAttempts([failed, served]);
  expect(first).toMatchObject({ providerName: 'Slow', startedAt: start, endedAt: start + 300, status: 503 });
  expect(first?.errorType).toBe('provider_unavailable');
  expect(second).toMatchObject({ startedAt: start + 300, endedAt: start + 900, status: 200, errorType: null });
  expect(first?.spanId).not.toBe(second?.spanId);
});
