import { expect, test } from 'vitest';

import {
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createVideoGateway } from '../../../../test/support/videos/video-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

const COMPLETION: readonly ChatChunk[] = [
  {
    choices: [
      { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  },
];
const BEGINNING: readonly ChatChunk[] = [
  { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null, native_finish_reason: null }] },
];

const refuse = (): never => {
  throw new GatewayError('rate_limit_exceeded', 'Acme: too many, said “Hello”', { upstreamStatus: 429 });
};

const asRefusing = () => [createScriptedProvider('acme', [], refuse), createScriptedProvider('beta', [COMPLETION])];

test('records why each attempt failed, also of a call that succeeded in the end', async () => {
  const core = createCoreGateway(asRefusing());
  const response = await core.chat();
  expect(response.status).toBe(200);
  const { id } = jsonOf(response) as { id: string };
  const { data } = jsonOf(await core.get(`/api/v1/generation?id=${id}`)) as {
    data: { provider_responses: object[] };
  };
  expect(data.provider_responses).toEqual([
    expect.objectContaining({
      provider_name: 'Acme',
      status: 429,
      error: { code: 429, error_type: 'rate_limit_exceeded', message: 'Acme: too many, said “Hello”' },
    }),
    expect.not.objectContaining({ error: expect.anything() }),
  ]);
});

test('records no text from upstream where contents are not stored', async () => {
  const core = createCoreGateway(asRefusing(), { logging: { inputOutput: false } });
  await core.chat();
  expect(core.store.appended[0]?.record.generation.provider_responses?.[0]).toMatchObject({
    error: { code: 429, error_type: 'rate_limit_exceeded' },
  });
  expect(JSON.stringify(core.store.appended[0])).not.toContain('too many');
});

test('records why an attempt broke off after it had begun', async () => {
  const breaking = createScriptedProvider('acme', [BEGINNING], () => {
    throw new GatewayError('provider_unavailable', 'Acme hung up', { metadata: { provider_name: 'Acme' } });
  });
  const core = createCoreGateway([breaking, createScriptedProvider('beta', [])]);
  await readFrames(await core.chat({ stream: true })).rest();
  expect(core.store.appended[0]?.record.generation.provider_responses).toEqual([
    expect.objectContaining({
      status: 200,
      error: { code: 502, error_type: 'provider_unavailable', message: 'Acme hung up' },
    }),
  ]);
});

test('records which provider was asked for a video, and why there is none', async () => {
  const gateway = createVideoGateway({ progress: () => ({ status: 'failed', error: 'The prompt is too odd' }) });
  await gateway.submit();
  await gateway.platform.advance(60_000);
  expect(gateway.store.appended[0]?.record.generation.provider_responses).toEqual([
    {
      endpoint_id: 'film:film-1',
      id: 'film-1',
      is_byok: false,
      model_permaslug: 'acme/film',
      provider_name: 'Film',
      status: 200,
      error: { code: 502, error_type: 'provider_unavailable', message: 'The prompt is too odd' },
    },
  ]);
});

test('records which provider refused a video before another took it', async () => {
  const failStart = (number: number): Error | undefined =>
    number === 0 ? new GatewayError('provider_overloaded', 'Film is overloaded', { upstreamStatus: 503 }) : undefined;
  const endpoints = ['one', 'two'].map((tag) => ({ provider: 'film', providerModel: `film-${tag}`, tag }));
  const architecture = { input_modalities: ['text'], output_modalities: ['video'] };
  const gateway = createVideoGateway({ failStart }, { models: [{ id: 'acme/film', architecture, endpoints }] });
  await gateway.submit();
  await gateway.platform.advance(60_000);
  expect(gateway.store.appended[0]?.record.generation.provider_responses).toMatchObject([
    { status: 503, latency: 0, error: { code: 503, message: 'Film is overloaded' } },
    { status: 200, id: 'film-2' },
  ]);
});

test.each([{ is_observability_io_logging_enabled: false }, { io_logging_sampling_rate: 0.0001 }])(
  'records and reports no text from upstream where the workspace does not store the call: %o',
  async (change) => {
    const reported: unknown[] = [];
    const core = createCoreGateway(asRefusing(), { onGeneration: (record) => void reported.push(record) });
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    await core.post('/api/v1/workspaces/default', change, { method: 'PATCH', headers });
    await core.chat();
    const error = { code: 429, error_type: 'rate_limit_exceeded' };
    expect(core.store.appended[0]?.record.generation.provider_responses?.[0]?.error).toEqual(error);
    expect(JSON.stringify([core.store.appended[0], reported])).not.toContain('too many');
  },
);

test('deletes the texts from upstream with the content, and once more for a record that has only them', async () => {
  const core = createCoreGateway(asRefusing());
  const { id } = jsonOf(await core.chat()) as { id: string };
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const remove = async () => (await core.post(`/admin/v1/generations/${id}`, '', { method: 'DELETE', headers })).status;
  const textOf = async () => JSON.stringify(await core.store.generations.get(id));
  expect(await textOf()).toContain('too many');
  await core.store.generations.deleteContent(id);
  expect([await remove(), await remove()]).toEqual([200, 404]);
  expect(await textOf()).not.toContain('too many');
  expect(await textOf()).toContain('rate_limit_exceeded');
});
