import { expect, test } from 'vitest';

import { DEFAULT_WORKSPACE_ID } from '../../packages/core/src/auth/keys.ts';
import type { CacheMarksDryRun } from '../../packages/core/src/wire/cache-report.ts';
import { toAgentCalls } from '../support/gateways/agent-sessions.ts';
import {
  type AgentCall,
  type CachingGateway,
  createCachingGateway,
  type CountedCall,
  NANO,
  nanoOf,
  makeWorkspace,
  playCalls,
  setMarks,
} from '../support/gateways/caching-provider.ts';
import { jsonOf, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';

const dryRun = async ({ core }: CachingGateway, query = ''): Promise<CacheMarksDryRun> =>
  jsonOf(await core.get(`/admin/v1/generations/cache-marks?${query}`, MANAGEMENT_KEY)) as unknown as CacheMarksDryRun;

const sumOf = (counted: readonly CountedCall[], value: (call: CountedCall) => number): number =>
  counted.reduce((sum, call) => sum + value(call), 0);

test.each([1, 2, 3])(
  'what marks would have saved in sessions of agents is what they save when they are set (seed %i)',
  async (seed) => {
    const calls = toAgentCalls(seed);
    const [without, marked] = [createCachingGateway(false), createCachingGateway(true)];
    for (const gateway of [without, marked]) await playCalls(gateway, calls);
    const report = await dryRun(without);
    const saved = (sumOf(without.counted, nanoOf) - sumOf(marked.counted, nanoOf)) / 1e9;
    const share = (read: number): string => `${((100 * read) / report.sums.prompt_tokens).toFixed(1)} %`;
    process.stdout.write(
      `seed ${seed}, ${report.calls} calls, ${report.marked_calls} marked: predicted $${report.sums.would_have_saved.toFixed(4)} ` +
        `and a share of ${share(report.sums.would_have_read)}, ` +
        `came to $${saved.toFixed(4)} and ${share(sumOf(marked.counted, ({ read }) => read))}\n`,
    );
    expect(report).toMatchObject({ enabled: false, calls: calls.length });
    expect(report.sums.cost).toBeCloseTo(sumOf(without.counted, nanoOf) / 1e9, 9);
    expect(Math.abs(report.sums.would_have_saved / saved - 1)).toBeLessThan(0.03);
    for (const { app, would_have_saved: predicted, calls: number } of report.apps) {
      const own = ({ counted }: CachingGateway): number =>
        sumOf(
          counted.filter((_, at) => calls[at]?.app === app),
          nanoOf,
        ) / 1e9;
      const isNear = Math.abs(predicted - (own(without) - own(marked))) < 0.03 * own(without);
      expect({ app, number, isNear }).toEqual({ app, number, isNear: true });
    }
    expect(report.models.map(({ model }) => model)).toEqual(['test/model']);
    expect(report.sessions[0]?.session_id).toMatch(/^(coder|review)-/);
  },
);

const WORDS = 'a river that runs past old mills '.repeat(400);
const ask = (questions: number, restMs: number, change: object = {}): AgentCall => ({
  app: 'https://app.example',
  session: 'session-1',
  restMs,
  body: {
    messages: [
      { role: 'system', content: WORDS },
      ...Array.from({ length: questions }, (_, at) => ({ role: 'user', content: `Question ${at}` })),
    ],
    ...change,
  },
});

test('a session is priced as by hand: written once, then read, with the rest at the common price', async () => {
  const gateway = createCachingGateway(false);
  await playCalls(gateway, [ask(1, 0), ask(1, 60_000), ask(1, 400_000)]);
  const { sums, sessions, marked_calls: marked } = await dryRun(gateway);
  const tokens = gateway.counted[0]?.prompt ?? 0;
  // The second call reads what the first wrote. Before the third, 400 s pass: it is written again, for an hour.
  const nano = tokens * (NANO.write5m + NANO.read + NANO.write1h);
  expect(marked).toBe(3);
  expect(Math.round(sums.would_have_cost * 1e9)).toBe(nano);
  expect(Math.round(sums.would_have_saved * 1e9)).toBe(3 * tokens * NANO.prompt - nano);
  expect(sums).toMatchObject({ would_have_read: tokens, would_have_written: 2 * tokens });
  expect(sessions).toEqual([{ session_id: 'session-1', ...sums }]);
});

test('calls that the caller has marked, and those that the gateway has marked already, are left as they were', async () => {
  const text = { type: 'text', text: WORDS, cache_control: { type: 'ephemeral' } };
  for (const [automatic, change] of [
    [false, { messages: [{ role: 'user', content: [text] }] }],
    [true, {}],
  ] as const) {
    const gateway = createCachingGateway(automatic);
    await playCalls(gateway, [ask(1, 0, change), ask(1, 1000, change)]);
    const report = await dryRun(gateway);
    expect(report).toMatchObject({ enabled: automatic, marked_calls: 0, sessions: [] });
    expect(report.sums).toMatchObject({ would_have_saved: 0, would_have_read: report.sums.read_tokens });
    expect(report.sums.read_tokens).toBeGreaterThan(1000);
  }
});

test('a filter chooses the calls, and a span that ends before it begins is refused', async () => {
  const gateway = createCachingGateway(false);
  await playCalls(gateway, [ask(1, 0), { ...ask(1, 1000), session: 'session-2', app: 'https://other.example' }]);
  expect(await dryRun(gateway, 'session=session-2')).toMatchObject({
    calls: 1,
    apps: [{ app: 'https://other.example' }],
  });
  const response = await gateway.core.get(
    '/admin/v1/generations/cache-marks?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    MANAGEMENT_KEY,
  );
  expect(response.status).toBe(400);
});

test('a call whose content is not stored is counted and left as it was', async () => {
  const gateway = createCachingGateway(false);
  const [id = ''] = await playCalls(gateway, [ask(1, 0), ask(1, 1000)]);
  await gateway.core.store.generations.deleteContent(id);
  expect(await dryRun(gateway)).toMatchObject({ calls: 2, marked_calls: 1 });
});

test('the dry run says what each workspace would have saved, and a filter shows one alone', async () => {
  const gateway = createCachingGateway(false);
  const { id, key } = await makeWorkspace(gateway);
  await playCalls(gateway, [ask(1, 0), ask(2, 1000), ask(3, 1000)]);
  await playCalls(gateway, [ask(1, 0), ask(2, 1000)], key);
  await setMarks(gateway, id, true);
  const all = await dryRun(gateway);
  expect(all.workspaces.map(({ workspace_id, enabled, calls }) => ({ workspace_id, enabled, calls }))).toEqual([
    // It reads what the other one has paid for.
    { workspace_id: id, enabled: true, calls: 2 },
    { workspace_id: DEFAULT_WORKSPACE_ID, enabled: false, calls: 3 },
  ]);
  const [own, other] = all.workspaces.map(({ would_have_saved }) => would_have_saved);
  expect((own ?? 0) + (other ?? 0)).toBeCloseTo(all.sums.would_have_saved, 9);
  const one = await dryRun(gateway, `where=${encodeURIComponent(`workspace:${id}`)}`);
  expect(one.calls).toBe(2);
  expect(one.workspaces.map(({ workspace_id }) => workspace_id)).toEqual([id]);
});
