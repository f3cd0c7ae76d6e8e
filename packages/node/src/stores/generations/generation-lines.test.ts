import { type Generation, toAttemptFacts, toGenerationFacts } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { parseFactSource, parseGenerationText, toGenerationText } from './generation-lines.ts';

const head = { id: 'gen-1', workspaceId: 'workspace-1' };

/** Says something else than usual wherever it can. */
const unusual: Generation = {
  id: 'gen-1',
  request_id: 'request-1',
  upstream_id: 'upstream-1',
  session_id: 'session-1',
  created_at: '2026-11-21T10:00:00.000Z',
  model: 'author/model',
  router: 'auto',
  provider_name: 'Provider',
  api_type: 'video',
  origin: 'https://example.com',
  http_referer: 'https://example.com',
  app_id: 7,
  user_agent: 'agent',
  external_user: 'Grüße 🎬',
  preset_id: 'preset',
  workspace_id: 'workspace-1',
  data_region: 'europe',
  is_byok: true,
  streamed: true,
  cancelled: true,
  finish_reason: 'stop',
  native_finish_reason: 'end',
  service_tier: 'flex',
  tokens_prompt: 1,
  tokens_completion: 2,
  native_tokens_prompt: 3,
  native_tokens_completion: 4,
  native_tokens_reasoning: 5,
  native_tokens_cached: 6,
  native_tokens_completion_images: 7,
  num_media_prompt: 8,
  num_media_completion: 9,
  num_input_audio_prompt: 10,
  num_search_results: 11,
  num_fetches: 12,
  web_search_engine: 'exa',
  total_cost: 0.1,
  usage: 0.2,
  upstream_inference_cost: 0.3,
  cache_discount: 0.4,
  latency: 13,
  moderation_latency: 14,
  generation_time: 15,
  response_cache_source_id: 'gen-0',
  provider_responses: [{ endpoint_id: 'a', status: 200 }],
  cost_known: false,
  pipeline: [{ type: 'guardrail', name: 'one' }],
  routing_rule: 'background',
  requested_model: 'author/asked',
  trace: { step: 1 },
  called_region: 'eu',
  cancelled_by: 'operator',
  upstream_provider_name: 'Behind',
  upstream_is_byok: true,
  server_tool_use_details: { web_search_requests: 2 },
  feedback: [{ category: 'other', comment: null, created_at: '2026-11-21T11:00:00.000Z' }],
  usage_estimated: true,
};

const NOTHINGS = [null, 0, '', false] as const;

const roundTrip = (generation: Generation): Generation =>
  parseGenerationText(toGenerationText(generation), {
    ...head,
    workspaceId: generation.workspace_id ?? undefined,
  });

test('a generation that says something everywhere comes back whole', () => {
  expect(roundTrip(unusual)).toEqual(unusual);
});

test('every way of saying nothing comes back as it was said, in every member', () => {
  for (const member of Object.keys(unusual) as (keyof Generation)[]) {
    // Of the region there is nothing that could be unknown.
    if (member === 'id' || member === 'workspace_id' || member === 'data_region') continue;
    for (const nothing of NOTHINGS) {
      const generation = { ...unusual, [member]: nothing };
      expect(roundTrip(generation), `${member} ${JSON.stringify(nothing)}`).toEqual(generation);
    }
  }
  expect(roundTrip({ ...unusual, workspace_id: null }).workspace_id).toBeNull();
});

test('the facts of a generation are those of the whole, whatever it does not say', () => {
  const others = Object.keys(unusual).flatMap((member) =>
    NOTHINGS.map((nothing) => ({ ...unusual, [member]: nothing })),
  );
  const whole = { ...unusual, streamed: false, generation_time: unusual.latency };
  const only = {
    endpoint_id: 'acme:chat-1',
    is_byok: unusual.is_byok,
    latency: unusual.latency,
    model_permaslug: unusual.model,
    provider_name: unusual.provider_name,
    status: 200,
  };
  const plain = { ...unusual, provider_responses: [only] };
  for (const generation of [unusual, whole, plain, { ...unusual, interrupted: true }, ...others] as Generation[]) {
    // It is a text in any case, and these a list or null.
    if (typeof generation.origin !== 'string' || typeof generation.provider_responses !== 'object') continue;
    const rest = { principalId: 'key-1', costNanoUsd: 1 };
    const source = parseFactSource(toGenerationText(generation));
    const record = roundTrip(generation);
    expect(toGenerationFacts({ generation: source, ...rest })).toEqual(
      toGenerationFacts({ generation: record, ...rest }),
    );
    expect(toAttemptFacts(source)).toEqual(toAttemptFacts(record));
  }
});

test.each([
  [{ data_region: 'eu', called_region: 'eu' }, 'europe'],
  [{ data_region: 'us', called_region: 'us' }, 'us'],
  [{ data_region: 'mars', called_region: 'mars' }, 'global'],
  [{ data_region: 'us' }, 'global'],
  [{}, 'global'],
  [{ data_region: 'europe', called_region: 'mars' }, 'europe'],
])('of a record of former versions with %j, data_region is %s', (regions, expected) => {
  const text = JSON.stringify({ created_at: unusual.created_at, model: unusual.model, ...regions });
  expect(parseGenerationText(text, head).data_region).toBe(expected);
});

test('what is absent stays absent', () => {
  const { pipeline: _, trace: __, called_region: ___, feedback: ____, ...plain } = unusual;
  expect(Object.keys(roundTrip(plain)).toSorted()).toEqual(Object.keys(plain).toSorted());
});

test('what is usual, or said already, takes no room', () => {
  const usual = { ...unusual, request_id: 'gen-1', session_id: null, streamed: false, usage: unusual.total_cost };
  const text = toGenerationText(usual);
  for (const member of ['id', 'request_id', 'workspace_id', 'session_id', 'streamed', 'usage']) {
    expect(JSON.parse(text)).not.toHaveProperty(member);
  }
});

test('a single response that says no more than its generation takes no room but its endpoint, and comes back', () => {
  const response = {
    endpoint_id: 'a:one',
    is_byok: true,
    latency: 13,
    model_permaslug: 'author/model',
    provider_name: 'Provider',
    status: 200,
  };
  const generation: Generation = { ...unusual, provider_responses: [response] };
  expect(toGenerationText(generation)).not.toContain('provider_responses');
  expect(roundTrip(generation)).toEqual(generation);

  const others: NonNullable<Generation['provider_responses']> = [
    { ...response, is_byok: false },
    { ...response, latency: 14 },
    { ...response, model_permaslug: 'author/other' },
    { ...response, provider_name: 'Other' },
    { ...response, status: 503 },
    { ...response, key: 'team-b' },
    { ...response, id: 'call-1' },
    { id: 'call-1', status: 200 },
  ];
  for (const other of others) {
    const unlike: Generation = { ...unusual, provider_responses: [other] };
    expect(roundTrip(unlike)).toEqual(unlike);
  }
  // The name of its key is that of the call.
  const keyed: Generation = {
    ...unusual,
    provider_key: 'team-a',
    provider_responses: [{ ...response, key: 'team-a' }],
  };
  expect(toGenerationText(keyed)).not.toContain('provider_responses');
  expect(roundTrip(keyed)).toEqual(keyed);
  const both: Generation = { ...unusual, provider_responses: [response, response] };
  expect(roundTrip(both)).toEqual(both);
});

test('a text that says everything, as former versions wrote it, is read as it stands', () => {
  const former = { ...unusual, session_id: null, streamed: false };
  expect(parseGenerationText(JSON.stringify(former), head)).toEqual(former);
});
