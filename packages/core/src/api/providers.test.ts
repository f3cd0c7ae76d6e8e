import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import {
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../../test/support/gateways/core-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { ProviderChecks } from '../setup/setup-host.ts';

const CHECKS: ProviderChecks = {
  describe: ({ slug }) => (slug === 'acme' ? { host: 'acme.example', hasKey: true } : undefined),
  async *test(_, { call }) {
    yield { layer: 'dns', status: 'ok', detail: '192.0.2.1', durationMs: 7 };
    yield { layer: 'auth', status: call ? 'failed' : 'warning', detail: 'refused', advice: 'Check the key.' };
  },
};

interface State {
  readonly slug: string;
  readonly host: string | null;
  readonly has_key: boolean | null;
  readonly can_test: boolean;
  readonly models: number;
  readonly health: { readonly status: string; readonly endpoints: Readonly<Record<string, number>> };
}

test('shows the address of each provider, its number of models, and null for unknown facts', async () => {
  const { dataOf } = createAdminGateway({ providerChecks: CHECKS });
  const states = (await dataOf('GET', '/admin/v1/providers')) as unknown as State[];
  const none = { steady: 0, unstable: 0, resting: 0, failing: 0, half_open: 0, open: 0 };
  expect(states).toEqual([
    {
      slug: 'acme',
      name: 'Acme',
      host: 'acme.example',
      has_key: true,
      byok: false,
      discovers_models: false,
      models: 1,
      models_left_out: null,
      health: { status: 'unknown', endpoints: { ...none, unused: 1 } },
      can_test: true,
      keys: [],
    },
    expect.objectContaining({ slug: 'beta', host: null, has_key: null, models: 2, can_test: false }),
  ]);
});

test('lists by which providers each model is served', async () => {
  const core = createCoreGateway([createScriptedProvider('acme', []), createScriptedProvider('beta', [])]);
  const { data } = jsonOf(await core.get('/admin/v1/models', MANAGEMENT_KEY)) as {
    data: { id: string; providers: string[] }[];
  };
  expect(data).toEqual([
    { id: 'acme/chat', providers: ['acme', 'beta'] },
    { id: 'acme/other', providers: ['beta'] },
  ]);
});

test('shows the health of a provider’s endpoints', async () => {
  let isDown = false;
  const core = createCoreGateway([
    createScriptedProvider('acme', [], () => {
      if (isDown) throw new GatewayError('provider_unavailable', 'Acme is down');
      throw new GatewayError('invalid_request', 'Acme did not like it');
    }),
    createScriptedProvider('beta', []),
  ]);
  const read = async (): Promise<string | undefined> => {
    const { data } = jsonOf(await core.get('/admin/v1/providers', MANAGEMENT_KEY)) as { data: State[] };
    return data.find(({ slug }) => slug === 'acme')?.health.status;
  };
  const call = () => core.chat({ provider: { only: ['acme'] } });
  await call();
  expect(await read()).toBe('ok');
  isDown = true;
  for (let count = 0; count < 5; count += 1) await call();
  expect(await read()).toBe('down');
});

test('calls a provider down that has refused every call, however few and long ago', async () => {
  const core = createCoreGateway([
    createScriptedProvider('acme', [], () => {
      throw new GatewayError('provider_unavailable', 'Acme cannot be reached');
    }),
    createScriptedProvider('beta', []),
  ]);
  await core.chat({ provider: { only: ['acme'] } });
  await core.platform.advance(3_600_000);
  const { data } = jsonOf(await core.get('/admin/v1/providers', MANAGEMENT_KEY)) as { data: State[] };
  expect(data.find(({ slug }) => slug === 'acme')?.health).toMatchObject({
    status: 'down',
    endpoints: { steady: 0, failing: 1 },
  });
});

test('knows nothing of a provider that a route was explained with and that no call has asked', async () => {
  const core = createCoreGateway([createScriptedProvider('acme', []), createScriptedProvider('beta', [])]);
  const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'Hello' }] };
  const explained = await core.post('/admin/v1/explain', body, {
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
  });
  expect(explained.status).toBe(200);
  const { data } = jsonOf(await core.get('/admin/v1/providers', MANAGEMENT_KEY)) as { data: State[] };
  expect(data.map(({ health }) => health.status)).toEqual(['unknown', 'unknown']);
  expect(data[0]?.health.endpoints).toMatchObject({ steady: 0, unused: 1 });
});

test('tests a provider, and says whether anything has failed', async () => {
  const { call, dataOf } = createAdminGateway({ providerChecks: CHECKS });
  expect(await dataOf('POST', '/admin/v1/providers/acme/test', {})).toEqual({
    slug: 'acme',
    ok: true,
    findings: [
      { layer: 'dns', status: 'ok', detail: '192.0.2.1', duration_ms: 7 },
      { layer: 'auth', status: 'warning', detail: 'refused', advice: 'Check the key.' },
    ],
  });
  expect(await dataOf('POST', '/admin/v1/providers/acme/test', { call: true })).toMatchObject({ ok: false });
  expect((await call('POST', '/admin/v1/providers/acme/test', { call: 'yes' })).status).toBe(400);
  expect((await call('POST', '/admin/v1/providers/acme/test', { odd: true })).status).toBe(400);
  expect((await call('POST', '/admin/v1/providers/beta/test', {})).status).toBe(400);
  expect((await call('POST', '/admin/v1/providers/none/test', {})).status).toBe(404);
});

test('sends each finding of a test in a line of its own, and last what the whole response would be', async () => {
  const core = createAdminGateway({ providerChecks: CHECKS });
  const send = async (body: object) =>
    core.post('/admin/v1/providers/acme/test', body, {
      headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
    });
  const { headers, body } = await send({ stream: true });
  expect(headers['content-type']).toBe('application/x-ndjson');
  const lines: unknown[] = [];
  for await (const line of body as AsyncIterable<Uint8Array>) lines.push(JSON.parse(new TextDecoder().decode(line)));
  const whole = jsonOf(await send({}));
  const { findings } = whole['data'] as { readonly findings: readonly object[] };
  expect(lines).toEqual([...findings.map((finding) => ({ finding })), whole]);
});
