import { expect, test } from 'vitest';

import { VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  MANAGEMENT_KEY,
} from '../../../../test/support/gateways/core-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createKeyRecord } from '../auth/keys.ts';
import { ROUTES } from './routes.ts';

/**
 * The status with which every route responds, by the key of the call: no valid key, an API key, a management key, and
 * an API key of another workspace where that makes a difference. Bodies are `{}`, ids are unknown, `GET /generation`
 * names a generation of the API key. The test fails for a route that is missing here.
 */
type Row = readonly [noKey: number, api: number, management: number, otherWorkspace?: number];
const GRID: Readonly<Record<string, Row>> = {
  'POST /api/v1/chat/completions': [401, 400, 403],
  'POST /api/v1/messages': [401, 400, 403],
  'POST /api/v1/messages/count_tokens': [401, 400, 403],
  'POST /api/v1/responses': [401, 400, 403],
  'GET /api/v1/responses/{id}': [401, 404, 404],
  'DELETE /api/v1/responses/{id}': [401, 404, 404],
  'POST /api/v1/responses/{id}/cancel': [401, 404, 404],
  'GET /api/v1/responses/{id}/input_items': [401, 404, 404],
  'POST /api/v1/completions': [401, 400, 403],
  'POST /api/v1/embeddings': [401, 400, 403],
  'POST /api/v1/rerank': [401, 400, 403],
  'POST /api/v1/audio/speech': [401, 400, 403],
  'POST /api/v1/audio/transcriptions': [401, 400, 403],
  'POST /api/v1/moderations': [401, 400, 403],
  'POST /api/chat': [401, 400, 403],
  'POST /api/generate': [401, 400, 403],
  'POST /api/embed': [401, 400, 403],
  'POST /api/embeddings': [401, 400, 403],
  'GET /api/tags': [401, 200, 200],
  'POST /api/show': [401, 400, 400],
  'GET /api/ps': [401, 200, 200],
  'GET /api/version': [200, 200, 200],
  'GET /': [200, 200, 200],
  'POST /api/pull': [401, 400, 400],
  'POST /api/push': [401, 400, 400],
  'POST /api/create': [401, 400, 400],
  'POST /api/copy': [401, 400, 400],
  'DELETE /api/delete': [401, 400, 400],
  'POST /api/blobs/{digest}': [401, 400, 400],
  'POST /v1beta/models/{model+}:generateContent': [401, 400, 403],
  'POST /v1beta/models/{model+}:streamGenerateContent': [401, 400, 403],
  'POST /v1beta/models/{model+}:countTokens': [401, 400, 403],
  'POST /v1beta/models/{model+}:embedContent': [401, 400, 403],
  'POST /v1beta/models/{model+}:batchEmbedContents': [401, 400, 403],
  'POST /v1/models/{model+}:generateContent': [401, 400, 403],
  'POST /v1/models/{model+}:streamGenerateContent': [401, 400, 403],
  'POST /v1/models/{model+}:countTokens': [401, 400, 403],
  'POST /v1/models/{model+}:embedContent': [401, 400, 403],
  'POST /v1/models/{model+}:batchEmbedContents': [401, 400, 403],
  'GET /v1beta/models': [401, 200, 200],
  'GET /v1beta/models/{model+}': [401, 404, 404],
  'GET /v1/models': [401, 200, 200],
  'GET /v1/models/{model+}': [401, 404, 404],
  'GET /api/v1/models': [401, 200, 200],
  'GET /api/v1/models/user': [401, 200, 200],
  'GET /api/v1/embeddings/models': [401, 200, 200],
  'GET /api/v1/models/count': [401, 200, 200],
  'GET /api/v1/models/{author}/{slug+}/endpoints': [401, 200, 200],
  'GET /api/v1/model/{author}/{slug+}': [401, 200, 200],
  'GET /api/v1/models/{id}': [401, 404, 404],
  'GET /api/v1/batches': [401, 404, 403],
  'POST /api/v1/batches': [401, 400, 403],
  'GET /api/v1/batches/{batch_id}': [401, 404, 403],
  'POST /api/v1/batches/{batch_id}/cancel': [401, 404, 403],
  'POST /api/beta/batches': [401, 400, 403],
  'GET /api/beta/batches/{batch_id}': [401, 404, 403],
  'GET /admin/v1/batches': [401, 403, 404],
  'GET /admin/v1/batches/{batch_id}': [401, 403, 404],
  'POST /admin/v1/batches/{batch_id}/cancel': [401, 403, 404],
  'GET /admin/v1/files': [401, 403, 404],
  'DELETE /admin/v1/files/{file_id}': [401, 403, 404],
  'GET /api/v1/files': [401, 404, 404],
  'POST /api/v1/files': [401, 404, 404],
  'GET /api/v1/files/{file_id}': [401, 404, 404],
  'DELETE /api/v1/files/{file_id}': [401, 404, 404],
  'GET /api/v1/files/{file_id}/content': [401, 404, 404],
  'GET /api/v1/generation': [401, 200, 200, 404],
  'GET /api/v1/generation/content': [401, 200, 200, 404],
  'POST /api/v1/generation/feedback': [401, 400, 400],
  'GET /api/v1/key': [401, 200, 200],
  'GET /api/v1/keys': [401, 401, 200],
  'POST /api/v1/keys': [401, 403, 400],
  'GET /api/v1/keys/{hash}': [401, 401, 404],
  'PATCH /api/v1/keys/{hash}': [401, 401, 404],
  'DELETE /api/v1/keys/{hash}': [401, 401, 404],
  'POST /api/v1/auth/keys': [400, 400, 400],
  'POST /api/v1/auth/keys/code': [401, 403, 400],
  'GET /admin/v1/refusals': [401, 403, 200],
  'GET /admin/v1/keys': [401, 403, 200],
  'GET /admin/v1/keys/{hash}': [401, 403, 404],
  'GET /api/v1/guardrails': [401, 401, 200],
  'POST /api/v1/guardrails': [401, 403, 400],
  'GET /api/v1/guardrails/assignments/keys': [401, 401, 200],
  'GET /api/v1/guardrails/assignments/members': [401, 401, 200],
  'GET /api/v1/guardrails/{id}': [401, 401, 404],
  'PATCH /api/v1/guardrails/{id}': [401, 403, 404],
  'DELETE /api/v1/guardrails/{id}': [401, 401, 404],
  'GET /api/v1/guardrails/{id}/assignments/keys': [401, 401, 404],
  'POST /api/v1/guardrails/{id}/assignments/keys': [401, 403, 404],
  'POST /api/v1/guardrails/{id}/assignments/keys/remove': [401, 401, 404],
  'GET /api/v1/guardrails/{id}/assignments/members': [401, 401, 404],
  'POST /api/v1/guardrails/{id}/assignments/members': [401, 401, 404],
  'POST /api/v1/guardrails/{id}/assignments/members/remove': [401, 401, 404],
  'POST /admin/v1/guardrails/{id}/test': [401, 403, 404],
  'GET /admin/v1/guardrails/hits': [401, 403, 200],
  'POST /admin/v1/guardrails/dry-runs': [401, 403, 400],
  'GET /api/v1/organization/members': [401, 401, 200],
  'POST /admin/v1/members': [401, 403, 400],
  'PATCH /admin/v1/members/{id}': [401, 403, 404],
  'DELETE /admin/v1/members/{id}': [401, 403, 404],
  'GET /admin/v1/settings': [401, 403, 200],
  'PATCH /admin/v1/settings': [401, 403, 200],
  'GET /admin/v1/session-limits': [401, 403, 200],
  'POST /admin/v1/session-limits/allow': [401, 403, 400],
  'POST /admin/v1/session-limits/trial': [401, 403, 200],
  'GET /admin/v1/alarms': [401, 403, 200],
  'POST /admin/v1/alarms': [401, 403, 400],
  'PATCH /admin/v1/alarms/{id}': [401, 403, 404],
  'DELETE /admin/v1/alarms/{id}': [401, 403, 404],
  'POST /admin/v1/alarms/{id}/test': [401, 403, 404],
  'GET /admin/v1/forecast': [401, 403, 200],
  'GET /admin/v1/call-limits': [401, 403, 200],
  'PUT /admin/v1/call-limits': [401, 403, 400],
  'GET /admin/v1/rate-limits': [401, 403, 200],
  'PUT /admin/v1/rate-limits': [401, 403, 400],
  'GET /admin/v1/retention': [401, 403, 200],
  'PUT /admin/v1/retention': [401, 403, 400],
  'POST /admin/v1/explain': [401, 403, 400],
  'GET /api/v1/credits': [401, 403, 200],
  'GET /api/v1/activity': [401, 403, 200],
  'GET /api/v1/analytics/meta': [401, 403, 200],
  'POST /api/v1/analytics/query': [401, 403, 400],
  'GET /api/v1/providers': [401, 200, 200],
  'GET /api/v1/endpoints/zdr': [401, 200, 200],
  'GET /api/v1/workspaces': [401, 401, 200],
  'POST /api/v1/workspaces': [401, 403, 400],
  'GET /api/v1/workspaces/{id}': [401, 401, 404],
  'PATCH /api/v1/workspaces/{id}': [401, 403, 404],
  'DELETE /api/v1/workspaces/{id}': [401, 403, 404],
  'GET /api/v1/workspaces/{id}/budgets': [401, 401, 404],
  'GET /api/v1/workspaces/{id}/budgets/{interval}': [401, 401, 404],
  'PUT /api/v1/workspaces/{id}/budgets/{interval}': [401, 401, 404],
  'DELETE /api/v1/workspaces/{id}/budgets/{interval}': [401, 401, 404],
  'GET /api/v1/workspaces/{id}/members': [401, 403, 404],
  'POST /api/v1/workspaces/{id}/members/add': [401, 403, 404],
  'POST /api/v1/workspaces/{id}/members/remove': [401, 403, 404],
  'GET /api/v1/observability/destinations': [401, 401, 200],
  'POST /api/v1/observability/destinations': [401, 403, 400],
  'GET /api/v1/observability/destinations/{id}': [401, 401, 404],
  'PATCH /api/v1/observability/destinations/{id}': [401, 403, 404],
  'DELETE /api/v1/observability/destinations/{id}': [401, 401, 404],
  'POST /admin/v1/observability/destinations/{id}/test': [401, 403, 404],
  'GET /admin/v1/destinations/deliveries': [401, 403, 200],
  'POST /admin/v1/destinations/deliveries/{id}/resend': [401, 403, 404],
  'POST /api/v1/videos': [401, 400, 403],
  'GET /api/v1/videos/models': [401, 200, 200],
  'GET /api/v1/videos/{jobId}': [401, 404, 404],
  'GET /api/v1/videos/{jobId}/content': [401, 404, 404],
  'GET /admin/v1/videos': [401, 403, 200],
  'GET /admin/v1/videos/{jobId}': [401, 403, 404],
  'GET /admin/v1/videos/{jobId}/inputs': [401, 403, 404],
  'POST /api/v1/images': [401, 400, 403],
  'POST /api/v1/images/generations': [401, 400, 403],
  'POST /api/v1/images/edits': [401, 415, 403],
  'GET /api/v1/images/models': [401, 200, 200],
  'GET /api/v1/images/models/{author}/{slug+}/endpoints': [401, 404, 404],
  'GET /admin/v1/audit': [401, 403, 200],
  'GET /admin/v1/audit/export': [401, 403, 200],
  'GET /admin/v1/webhooks/deliveries': [401, 403, 200],
  'POST /admin/v1/webhooks/deliveries/{jobId}/resend': [401, 403, 404],
  'GET /admin/v1/generations': [401, 403, 200],
  'GET /admin/v1/generations/histogram': [401, 403, 200],
  'GET /admin/v1/generations/sessions': [401, 403, 200],
  'GET /admin/v1/generations/sessions/cache': [401, 403, 400],
  'GET /admin/v1/generations/cache-causes': [401, 403, 200],
  'GET /admin/v1/generations/export': [401, 403, 200],
  'GET /admin/v1/generations/feed': [401, 403, 200],
  'GET /admin/v1/generations/running': [401, 403, 200],
  'POST /admin/v1/generations/{id}/cancel': [401, 403, 404],
  'POST /admin/v1/generations/{id}/resend': [401, 403, 404],
  'GET /admin/v1/generations/{id}/timeline': [401, 403, 404],
  'GET /admin/v1/generations/{id}/call-timeline': [401, 403, 404],
  'GET /admin/v1/generations/{id}/request': [401, 403, 404],
  'GET /admin/v1/generations/cache-marks': [401, 403, 200],
  'GET /admin/v1/generations/{id}/cache': [401, 403, 404],
  'GET /admin/v1/generations/{id}/course': [401, 403, 404],
  'PUT /admin/v1/generations/{id}/review': [401, 403, 400],
  'DELETE /admin/v1/generations/{id}': [401, 403, 404],
  'GET /admin/v1/views': [401, 403, 200],
  'PUT /admin/v1/views/{name}': [401, 403, 400],
  'DELETE /admin/v1/views/{name}': [401, 403, 404],
  'GET /api/v1/presets': [401, 200, 200],
  'GET /api/v1/presets/{slug}': [401, 404, 404],
  'GET /api/v1/presets/{slug}/versions': [401, 404, 404],
  'GET /api/v1/presets/{slug}/versions/{version}': [401, 404, 404],
  'POST /api/v1/presets/{slug}/chat/completions': [401, 200, 200],
  'POST /api/v1/presets/{slug}/messages': [401, 200, 200],
  'POST /api/v1/presets/{slug}/responses': [401, 200, 200],
  'PATCH /admin/v1/presets/{slug}': [401, 403, 404],
  'DELETE /admin/v1/presets/{slug}': [401, 403, 404],
  'GET /admin/v1/prompts': [401, 403, 200],
  'POST /admin/v1/prompts': [401, 403, 400],
  'GET /admin/v1/prompts/{id}': [401, 403, 404],
  'PATCH /admin/v1/prompts/{id}': [401, 403, 404],
  'POST /admin/v1/prompts/{id}/versions': [401, 403, 404],
  'DELETE /admin/v1/prompts/{id}': [401, 403, 404],
  'GET /admin/v1/reruns': [401, 403, 200],
  'POST /admin/v1/reruns': [401, 403, 400],
  'POST /admin/v1/reruns/estimate': [401, 403, 400],
  'GET /admin/v1/reruns/{id}': [401, 403, 404],
  'DELETE /admin/v1/reruns/{id}': [401, 403, 404],
  'POST /admin/v1/reruns/{id}/pause': [401, 403, 404],
  'POST /admin/v1/reruns/{id}/resume': [401, 403, 404],
  'POST /admin/v1/reruns/{id}/cancel': [401, 403, 404],
  'GET /admin/v1/reruns/{id}/items': [401, 403, 404],
  'PUT /admin/v1/reruns/{id}/items/{item}': [401, 403, 404],
  'GET /admin/v1/reruns/{id}/export': [401, 403, 404],
  'GET /admin/v1/fixtures': [401, 403, 404],
  'PATCH /admin/v1/fixtures': [401, 403, 400],
  'POST /admin/v1/fixtures': [401, 403, 400],
  'GET /admin/v1/fixtures/export': [401, 403, 404],
  'GET /admin/v1/fixtures/cases': [401, 403, 404],
  'GET /admin/v1/fixtures/case': [401, 403, 400],
  'GET /admin/v1/fixtures/misses': [401, 403, 404],
  'GET /admin/v1/fixtures/misses/{id}': [401, 403, 404],
  'POST /admin/v1/fixtures/misses/{id}/accept': [401, 403, 404],
  'GET /admin/v1/sample-data': [401, 403, 200],
  'DELETE /admin/v1/sample-data': [401, 403, 404],
  'GET /admin/v1/session': [200, 200, 200],
  'POST /admin/v1/session': [400, 400, 400],
  'DELETE /admin/v1/session': [200, 200, 200],
  'GET /admin/v1/models': [401, 403, 200],
  'GET /admin/v1/providers': [401, 403, 200],
  'GET /admin/v1/providers/history': [401, 403, 200],
  'GET /admin/v1/providers/{slug}/history': [401, 403, 404],
  'POST /admin/v1/providers/{slug}/keys/{name}/enable': [401, 403, 404],
  'POST /admin/v1/providers/{slug}/test': [401, 403, 404],
  'GET /admin/v1/setup/presets': [401, 403, 200],
  'GET /admin/v1/setup/local-servers': [401, 403, 409],
  'POST /admin/v1/setup/provider-tests': [401, 403, 409],
  'GET /admin/v1/setup/providers': [401, 403, 200],
  'POST /admin/v1/setup/providers': [401, 403, 409],
  'PATCH /admin/v1/setup/providers/{slug}': [401, 403, 409],
  'DELETE /admin/v1/setup/providers/{slug}': [401, 403, 409],
  'GET /admin/v1/setup/models': [401, 403, 200],
  'POST /admin/v1/setup/models': [401, 403, 409],
  'PUT /admin/v1/setup/models/{id+}': [401, 403, 409],
  'DELETE /admin/v1/setup/models/{id+}': [401, 403, 409],
  'GET /admin/v1/setup/catalog': [401, 403, 200],
  'POST /admin/v1/setup/catalog/comparisons': [401, 403, 200],
  'POST /admin/v1/setup/catalog/changes': [401, 403, 409],
  'GET /api/v1/datasets/rankings-daily': [401, 200, 200],
  'GET /api/v1/datasets/app-rankings': [401, 200, 200],
  'GET /api/v1/datasets/session-cost': [401, 200, 200],
  'GET /api/v1/benchmarks': [401, 404, 404],
  'GET /api/v1/classifications/task': [401, 404, 404],
  'POST /api/v1/credits/coinbase': [410, 410, 410],
  'GET /health': [200, 200, 200],
  'GET /admin/v1/instance': [401, 403, 200],
  'GET /ready': [200, 200, 200],
  'GET /metrics': [401, 403, 200],
  'GET /openapi.json': [200, 200, 200],
};

const NAMES = ROUTES.map(({ method, path }) => `${method} ${path}`);
const UNKNOWN_ID = 'a4cf0d1e-8f0c-4c51-9c5e-0d6f6a7b8c9d';

/** The columns of the rows, by caller. */
const CALLERS = {
  'no key': 0,
  'an unknown key': 0,
  'a malformed header': 0,
  'a disabled key': 0,
  'an expired key': 0,
  'a disabled management key': 0,
  'an API key': 1,
  'a management key': 2,
  'a key of another workspace': 3,
} as const;
type Caller = keyof typeof CALLERS;

test('has a row for every route, and a route for every row', () => {
  expect(Object.keys(GRID).toSorted()).toEqual(NAMES.toSorted());
});

test('every route that administers says what the audit log calls it, or that it changes nothing', () => {
  const silent = ROUTES.filter(
    ({ auth, surface, method, audit }) =>
      (auth === 'management' || surface === 'admin') && method !== 'GET' && audit === undefined,
  );
  expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test.each(NAMES)('responds to every kind of key on %s as the grid says', async (name) => {
  const core = createCoreGateway(createReplayTransport({ status: 503, pieces: [] }));
  const headers = await issueKeys(core);
  const row = GRID[name] ?? [0, 0, 0];
  for (const caller of Object.keys(CALLERS) as Caller[]) {
    const expected = row[CALLERS[caller]] ?? row[1];
    expect([caller, await call(core, name, headers[caller])]).toEqual([caller, expected]);
  }
});

async function call({ gateway }: CoreGateway, name: string, authorization: string | undefined): Promise<number> {
  const [method = '', path = ''] = name.split(' ');
  const { status } = await gateway.handle({
    method,
    path: path
      .replace('{author}', 'acme')
      .replace('{slug+}', 'chat')
      .replaceAll(/\{\w+\+?\}/g, UNKNOWN_ID),
    query: path.startsWith('/api/v1/generation') ? 'id=gen-1' : '',
    headers: authorization === undefined ? {} : { authorization },
    baseUrl: '',
    signal: new AbortController().signal,
    ...bodyOf('{}'),
  });
  return status;
}

async function issueKeys({ platform, store }: CoreGateway): Promise<Record<Caller, string | undefined>> {
  const issue = async (changes: object, kind: 'api' | 'management' = 'api'): Promise<string> => {
    const { key, record } = await createKeyRecord({ platform, name: 'k', kind, limitUsd: null });
    await store.keys.insert({ ...record, ...changes });
    return `Bearer ${key}`;
  };
  const principalId = await platform.sha256(API_KEY);
  await store.generations.append(toRecord('gen-1', { principalId }), toContent('Hi'));
  return {
    'no key': undefined,
    'an unknown key': 'Bearer sk-gw-v1-unknown',
    'a malformed header': 'Basic sk-gw-v1-unknown',
    'a disabled key': await issue({ disabled: true }),
    'an expired key': await issue({ expiresAt: new Date(VIRTUAL_EPOCH_MS - 1).toISOString() }),
    'a disabled management key': await issue({ disabled: true }, 'management'),
    'an API key': `Bearer ${API_KEY}`,
    'a management key': `Bearer ${MANAGEMENT_KEY}`,
    'a key of another workspace': await issue({ workspaceId: UNKNOWN_ID }),
  };
}
