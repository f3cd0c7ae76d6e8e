import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { toFetchHandler } from '@model-gateway/core';
import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { loadConfig } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { startScriptedUpstream } from '../../../../test/support/upstreams/scripted-upstream.ts';
import { openJsonStore } from '../open/find-store.ts';
import { quote } from '../process/own-command.ts';
import { compose } from '../serve/compose.ts';
import { importForeign } from './import-foreign.ts';
import type { ForeignGateway } from './plan.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const SECRET = 'zq-secret-7f3a91';
/** A key as a caller of LiteLLM has it; only its hash is in the files. */
const CALLER_KEY = 'sk-caller-of-billing-bot';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const LITELLM = (address: string) => ({
  'config.yaml': `
model_list:
  - model_name: fast
    litellm_params:
      model: openai/echo
      api_base: ${address}
      api_key: ${SECRET}-openai
      rpm: 60
    model_info: { mode: chat, input_cost_per_token: 1.5e-07, output_cost_per_token: "0.0000006", max_output_tokens: 4096 }
  - model_name: fast
    litellm_params: { model: azure/fast-eu, api_base: "https://eu.azure.example", api_key: os.environ/AZURE_EU_KEY }
  - model_name: careful
    litellm_params: { model: custom_openai/echo, api_base: "${address}", api_key: ${SECRET}-own }
  - model_name: vectors
    litellm_params: { model: text-embedding-3-small }
    model_info: { mode: embedding }
  - model_name: "anthropic/*"
    litellm_params: { model: "anthropic/*", api_key: os.environ/ANTHROPIC_API_KEY }
  - model_name: odd
    litellm_params: { model: sagemaker/own-endpoint }
  - model_name: voice
    litellm_params: { model: whisper-1 }
    model_info: { mode: audio_transcription }
litellm_settings: { drop_params: true, request_timeout: 90, num_retries: 3, success_callback: [langfuse] }
router_settings:
  routing_strategy: latency-based-routing
  model_group_alias: { quick: fast, hidden-one: { model: careful, hidden: true } }
  fallbacks: [{ fast: [careful] }]
  redis_password: ${SECRET}-redis
general_settings: { master_key: sk-${SECRET}-master, database_url: "postgresql://u:${SECRET}@db/litellm" }
`,
  'teams.json': JSON.stringify([
    {
      team_id: 't-1',
      team_alias: 'Billing Team',
      max_budget: 200,
      budget_duration: '30d',
      models: ['fast'],
      tpm_limit: 9,
    },
  ]),
  'keys.json': JSON.stringify({
    keys: [
      {
        token: sha256(CALLER_KEY),
        key_name: 'sk-...-bot',
        key_alias: 'billing-bot',
        team_id: 't-1',
        max_budget: 25,
        budget_duration: '7d',
        models: ['quick'],
        rpm_limit: 30,
        tpm_limit: null,
        max_parallel_requests: 4,
        expires: '2030-01-01T00:00:00',
        blocked: null,
        metadata: {},
      },
      { token: `sk-${SECRET}-plain`, key_alias: 'plain', max_budget: 5, budget_duration: '12h', blocked: true },
    ],
    total_count: 2,
  }),
});

const PORTKEY = (address: string) => ({
  'support.json': JSON.stringify({
    strategy: { mode: 'fallback', on_status_codes: [429] },
    retry: { attempts: 5 },
    cache: { mode: 'semantic' },
    targets: [
      {
        provider: 'openai',
        api_key: `${SECRET}-a`,
        custom_host: address,
        override_params: { model: 'gpt-4o-mini', temperature: 0 },
      },
      { virtual_key: 'claude-prod', override_params: { model: 'claude-sonnet-4-5' } },
    ],
  }),
  'virtual-keys.json': JSON.stringify({
    object: 'list',
    total: 1,
    data: [
      {
        name: 'Claude',
        slug: 'claude-prod',
        provider: 'anthropic',
        status: 'active',
        model_config: {},
        usage_limits: { credit_limit: 10, periodic_reset: 'monthly' },
        object: 'virtual-key',
      },
    ],
  }),
  'workspaces.json': JSON.stringify({
    object: 'list',
    data: [
      {
        id: 'ws-9',
        slug: 'ws-support',
        name: 'Support',
        defaults: {},
        usage_limits: [{ credit_limit: 90, periodic_reset: 'monthly' }],
        object: 'workspace',
      },
    ],
  }),
  'api-keys.json': JSON.stringify({
    object: 'list',
    data: [
      {
        id: 'k-1',
        key: 'Xk*******S4',
        name: 'support desk',
        workspace_id: 'ws-9',
        status: 'active',
        scopes: ['completions.write'],
        rate_limits: [
          { type: 'requests', unit: 'rpm', value: 20 },
          { type: 'tokens', unit: 'rpd', value: 5 },
        ],
        usage_limits: { credit_limit: 12, periodic_reset: 'weekly' },
        object: 'api-key',
      },
    ],
  }),
});

const HELICONE = (address: string) => ({
  'ai-gateway-config.yaml': `
providers:
  openai: { base-url: "${address}", models: [echo] }
  hyperbolic: { models: [m] }
routers:
  live:
    load-balance: { chat: { strategy: model-weighted, models: [{ model: openai/echo, weight: "0.7" }, { model: anthropic/claude-sonnet-4-5, weight: "0.3" }] } }
    cache: { directive: max-age=60 }
    retries: { strategy: exponential, max-retries: 2 }
global: { rate-limit: { store: in-memory, per-api-key: { capacity: 10, refill-frequency: 5s } } }
helicone: { features: all }
`,
  'keys.json': JSON.stringify({
    data: [{ id: 3, api_key_name: 'web app', key_permissions: 'rw', created_at: '2026-01-01' }],
  }),
});

const OPENROUTER = () => ({
  'all.json': JSON.stringify({
    workspaces: {
      data: [
        { id: 'w-1', slug: 'lab', name: 'Lab', default_guardrail_id: 'g', default_text_model: null, created_by: 'u' },
      ],
    },
    budgets: {
      data: [
        { id: 'b', workspace_id: 'w-1', limit_usd: 40, reset_interval: 'weekly', created_at: 'x', updated_at: 'x' },
      ],
    },
    keys: {
      data: [
        {
          hash: 'h-1',
          name: 'bench',
          label: 'sk-or-v1-0e6...1c9',
          disabled: false,
          limit: 3,
          limit_reset: 'daily',
          include_byok_in_limit: true,
          workspace_id: 'w-1',
          expires_at: null,
        },
      ],
    },
    guardrails: {
      data: [
        {
          id: 'gr-1',
          name: 'Only mini',
          workspace_id: 'w-1',
          allowed_models: ['openai/gpt-4o-mini'],
          limit_usd: null,
          created_at: 'x',
          updated_at: null,
        },
      ],
    },
    byok: {
      data: [
        {
          id: 'by-1',
          provider: 'groq',
          name: 'our Groq',
          label: 'gsk...x',
          disabled: false,
          is_fallback: true,
          allowed_models: null,
          workspace_id: null,
        },
      ],
    },
    presets: { data: [{ id: 'p', slug: 'support', designated_version: 1 }] },
  }),
  'assignments.json': JSON.stringify({ data: [{ id: 'a', guardrail_id: 'gr-1', key_hash: 'h-1', key_name: 'bench' }] }),
});

const FILES = { litellm: LITELLM, portkey: PORTKEY, helicone: HELICONE, openrouter: OPENROUTER } as const;
const MODEL = { litellm: 'quick', portkey: 'support', helicone: 'live', openrouter: 'openai/gpt-4o-mini' } as const;

const CALLED = { litellm: 'echo', portkey: 'gpt-4o-mini', helicone: 'echo', openrouter: 'openai/gpt-4o-mini' } as const;

/** A folder with the files of a gateway, and `run` for the command on them. */
function prepare(from: ForeignGateway, address: string, rename = (text: string): string => text) {
  const dir = mkdtempSync(join(tmpdir(), 'gateway moving '));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  const files = Object.entries(FILES[from](address)).map(([name, text]) => {
    writeFileSync(join(dir, name), rename(text));
    return join(dir, name);
  });
  const out = join(dir, 'gateway.imported.json');
  const dataDir = join(dir, 'data');
  const run = async (flags: { applies?: boolean; makesKeys?: boolean; force?: boolean } = {}): Promise<string> => {
    const given = { applies: false, makesKeys: false, force: false, ...flags };
    let printed = '';
    await importForeign({ from, files, out, config: undefined, dataDir, ...given }, (text) => void (printed += text));
    return printed;
  };
  return { out, dataDir, run };
}

const readConfig = (file: string) =>
  JSON.parse(readFileSync(file, 'utf8')) as { providers: { preset?: string; baseUrl?: string }[] };

test.each(['litellm', 'portkey', 'helicone', 'openrouter'] as const)(
  'a gateway starts with what is imported from %s, and a key from there calls a model by its name there',
  async (from) => {
    const upstream = await startScriptedUpstream();
    onTestFinished(() => upstream.close());
    const { out, dataDir, run } = prepare(from, upstream.baseUrl);
    const report = await run({ applies: true, makesKeys: true });
    expect(report).toContain(`serve --config ${quote(out)}\n`);

    const written = readConfig(out);
    if (from === 'openrouter') {
      // OpenRouter's files name no address: its own is replaced here.
      const providers = written.providers.map((one) =>
        one.preset === 'openrouter' ? { ...one, baseUrl: upstream.baseUrl } : one,
      );
      writeFileSync(out, JSON.stringify({ ...written, providers }));
    }
    const named = [...report.matchAll(/^([A-Z][A-Z0-9_]+) {2,}/gm)].map(([, name = '']) => name);
    const env = Object.fromEntries(
      named.map((name) => [name, name.includes('ENDPOINT') ? 'https://eu.azure.example' : `value-of-${name}`]),
    );
    const config = loadConfig({ file: out, env, presets: PRESETS, builtInModels: BUILT_IN_MODELS });
    const store = await openJsonStore(dataDir);
    onTestFinished(() => store.close());
    const composed = await compose({ config, store, logger, extraKeys: [], demoFixturesDir: null });
    onTestFinished(() => composed.gateway.close());

    const key = from === 'litellm' ? CALLER_KEY : (/sk-gw-v1-[0-9a-f]{64}/.exec(report)?.[0] ?? '');
    const response = await toFetchHandler(composed.gateway)(
      new Request('http://gateway.test/api/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL[from], messages: [{ role: 'user', content: 'hello' }], max_tokens: 20 }),
      }),
    );
    expect([response.status, await response.clone().text()]).toEqual([200, expect.stringContaining('choices')]);
    const call = upstream.calls.find(({ url }) => url.endsWith('/chat/completions'));
    expect(call?.body.model).toBe(CALLED[from]);
    expect(call?.headers.authorization).toMatch(/^Bearer value-of-/);
  },
);

test.each(['litellm', 'portkey', 'helicone', 'openrouter'] as const)(
  'an import from %s shows and writes no secret, and the second run changes nothing',
  async (from) => {
    const { out, dataDir, run } = prepare(from, 'https://models.example/v1');
    const dry = await run();
    expect(() => readFileSync(out)).toThrow('ENOENT');
    expect(() => readFileSync(dataDir)).toThrow('ENOENT');

    const first = await run({ applies: true, makesKeys: true });
    expect(first.startsWith(dry.slice(0, dry.indexOf('\nNothing is written')))).toBe(true);
    const config = readFileSync(out, 'utf8');
    const store = await openJsonStore(dataDir);
    const rows = JSON.stringify([
      await store.keys.list(),
      await store.guardrails.list(),
      await store.workspaces.list(),
    ]);
    await store.close();
    expect([dry, first, config, rows].filter((text) => text.includes(SECRET))).toEqual([]);

    const second = await run({ applies: true, makesKeys: true });
    expect(second).toContain('gateway.imported.json is unchanged');
    expect(second).toContain('New: workspaces 0, keys 0, guardrails 0.');
    expect(second).not.toContain('sk-gw-v1-');
    expect(readFileSync(out, 'utf8')).toBe(config);

    writeFileSync(out, '{}');
    await expect(run({ applies: true })).rejects.toThrow('exists and differs');
    expect(await run({ applies: true, force: true })).toContain('is written');
  },
);

test('another guardrail that a key was given meanwhile stays with it', async () => {
  const { dataDir, run } = prepare('litellm', 'https://models.example/v1');
  await run({ applies: true });
  const stricter = randomUUID();
  const change = await openJsonStore(dataDir);
  const [given] = await change.keyAssignments.list();
  const [imported] = await change.guardrails.list();
  if (given === undefined || imported === undefined) throw new Error('nothing was assigned');
  await change.guardrails.insert({ ...imported, id: stricter, name: 'Stricter' });
  await change.keyAssignments.assign([{ ...given, id: randomUUID(), guardrailId: stricter }]);
  await change.close();
  await run({ applies: true });
  const store = await openJsonStore(dataDir);
  onTestFinished(() => store.close());
  const kept = (await store.keyAssignments.list()).find(({ subjectId }) => subjectId === given.subjectId);
  expect(kept).toMatchObject({ guardrailId: stricter });
});

test('keys of LiteLLM keep their text, with limits, team, models and rates', async () => {
  const { out, dataDir, run } = prepare('litellm', 'https://models.example/v1');
  await run({ applies: true });
  const store = await openJsonStore(dataDir);
  onTestFinished(() => store.close());
  const [bot, plain] = await store.keys.list();
  const [workspace] = await store.workspaces.list();
  expect(bot).toMatchObject({ hash: sha256(CALLER_KEY), name: 'billing-bot', limitUsd: 25, limitReset: 'weekly' });
  expect(bot).toMatchObject({ workspaceId: workspace?.id, expiresAt: '2030-01-01T00:00:00.000Z', disabled: false });
  expect(plain).toMatchObject({ hash: sha256(`sk-${SECRET}-plain`), limitUsd: 5, limitReset: null, disabled: true });
  expect(workspace).toMatchObject({
    workspace: { slug: 'billing-team' },
    budgets: [{ limit_usd: 200, reset_interval: 'monthly' }],
  });
  const guardrails = await store.guardrails.list();
  expect(guardrails.map(({ allowed_models: models }) => models)).toEqual([['litellm/fast'], ['litellm/fast']]);
  expect(readConfig(out)).toMatchObject({
    rateLimits: [{ key: sha256(CALLER_KEY), requestsPerMinute: 30 }],
    limits: [{ key: sha256(CALLER_KEY), callsUnderWay: 4 }],
    routing: {
      sort: 'latency',
      retriesAtEndpoint: 2,
      rules: [{ when: { models: ['litellm/fast'] }, model: 'litellm/fast', models: ['litellm/careful'] }],
    },
    timeouts: { nonStreamMs: 90_000 },
    auth: { bootstrapKeys: [{ key: 'env:LITELLM_MASTER_KEY', kind: 'management' }] },
  });
});

test('what has no counterpart is named with the reason', async () => {
  const reports = { litellm: '', portkey: '', helicone: '', openrouter: '' };
  for (const from of ['litellm', 'portkey', 'helicone', 'openrouter'] as const) {
    const report = await prepare(from, 'https://models.example/v1').run();
    reports[from] = report.slice(report.indexOf('No counterpart:'), report.indexOf('Variables to set:'));
  }
  const has = (from: ForeignGateway, ...words: string[]) =>
    words.filter((word) => !reports[from].split('\n').some((line) => line.includes(word)));
  expect(
    has('litellm', 'there is no provider sagemaker', 'audio_transcription', 'database_url', 'success_callback'),
  ).toEqual([]);
  expect(has('portkey', 'support: cache', 'override_params')).toEqual([]);
  expect(has('helicone', 'hyperbolic', 'live: cache', 'helicone ')).toEqual([]);
  expect(has('openrouter', 'preset ')).toEqual([]);
});

test.each(['litellm', 'portkey', 'helicone', 'openrouter'] as const)(
  'names that every object of JavaScript has are those of unknown providers in files of %s',
  async (from) => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const rename = (text: string) =>
        text.replaceAll(/openai|anthropic-prod|cache|latency-based-routing|monthly/g, name);
      expect(await prepare(from, 'https://models.example/v1', rename).run()).toContain('No counterpart:');
    }
  },
);

test.each(['litellm', 'portkey', 'helicone', 'openrouter'] as const)(
  'files that are none of %s are refused',
  async (from) => {
    const dir = mkdtempSync(join(tmpdir(), 'gateway-moving-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(dir, 'other.json');
    const options = { from, files: [file], out: join(dir, 'out'), config: undefined, dataDir: dir } as const;
    const run = () => importForeign({ ...options, applies: false, makesKeys: false, force: false }, () => undefined);
    await expect(run()).rejects.toThrow('cannot be read: there is no such file or folder [ENOENT]');
    writeFileSync(file, '[]');
    await expect(run()).rejects.toThrow('is in these files');
    writeFileSync(file, `a: [${SECRET}\nb: {`);
    const error = await run().catch((caught: Error) => caught.message);
    expect(error).toMatch(/is neither JSON nor YAML/);
    expect(error).not.toContain(SECRET);
  },
);
