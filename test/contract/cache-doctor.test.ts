import { expect, test } from 'vitest';

import type { StoredContent } from '../../packages/core/src/stores/generations.ts';
import type { CacheCause, CacheReport } from '../../packages/core/src/wire/cache-report.ts';
import type { Generation } from '../../packages/core/src/wire/generation.ts';
import {
  bodyOf,
  type Chat,
  continued,
  createChat,
  createDice,
  createDoctorGateway,
  type Name,
  NAMES,
  NANO,
  reportOf,
  sendChat,
} from '../support/gateways/cached-chats.ts';
import { jsonOf, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';

interface Case {
  readonly first: Chat;
  readonly second: Chat;
  readonly gapMs: number;
  readonly tokens: number;
  /** Share of the first prompt that is read. */
  readonly read: number;
  readonly words?: readonly [before: string, after: string];
}

type MakeCase = (chat: Chat, next: Chat, dice: (limit: number) => number) => Partial<Case>;

const changed = (texts: readonly string[], at: number, to: string): string[] => texts.with(at, to);

const CASES: Partial<Record<CacheCause, MakeCase>> = {
  hit: () => ({ read: 1 }),
  system_changed: (_, next, dice) => ({ second: { ...next, system: `${next.system} Now it is ${dice(1000)}.` } }),
  tools_changed: (_, next, dice) =>
    dice(2) === 0
      ? { second: { ...next, tools: [...next.tools, { name: 'another', description: 'One more' }] } }
      : { second: { ...next, tools: next.tools.map((tool) => ({ ...tool, description: `New ${tool.description}` })) } },
  tools_reordered: (_, next) => ({ second: { ...next, tools: next.tools.toReversed() } }),
  message_changed: (chat, next, dice) => {
    const at = dice(chat.turns.length - 1);
    const text = next.turns[at] ?? '';
    // Half of these read what is before the change, as providers do.
    const before = [chat.system, ...chat.turns.slice(0, at)].join('').length;
    const share = before / [chat.system, ...chat.turns].join('').length;
    return {
      read: dice(2) * share,
      second: { ...next, turns: changed(next.turns, at, `${text.slice(0, 5)}CHANGED ${text.slice(5)}`) },
      words: [text.slice(5, 20), `${text.slice(0, 5)}CHANGED`],
    };
  },
  marks_missing: (_, next) => ({ second: { ...next, mark: -1 } }),
  marks_moved: (chat, next) => ({ second: { ...next, mark: chat.mark - 2 } }),
  expired: (_, _next, dice) => ({ gapMs: 301_000 + dice(3_000_000) }),
  other_endpoint: (_, next) => ({ second: { ...next, endpoint: 'beta' } }),
  other_key: (_, next) => ({ second: { ...next, cacheKey: 'another' } }),
  too_short: (_, _next, dice) => ({ tokens: 200 + dice(800) }),
  provider: () => ({}),
};

/** Causes that there are on some wires only. */
const WIRES_OF: Partial<Record<CacheCause, readonly Name[]>> = {
  marks_missing: ['anthropic'],
  marks_moved: ['anthropic'],
  other_key: ['openai', 'openai-responses'],
};
const SEEDS = 23;

const toCases = (name: Name): (readonly [CacheCause, MakeCase])[] =>
  (Object.entries(CASES) as [CacheCause, MakeCase][]).filter(([cause]) => WIRES_OF[cause]?.includes(name) ?? true);

/** Makes both calls of a case and returns the report of the second, with the counts that it had. */
async function runCase(name: Name, make: MakeCase, seed: number): Promise<{ made: Case; report: CacheReport }> {
  const dice = createDice(seed);
  const { core, counts } = createDoctorGateway(name);
  const first = createChat(dice);
  const next = continued(first, dice);
  const usual = { first, second: next, gapMs: 1000 + dice(200_000), tokens: 6000 + dice(60_000), read: 0 };
  const made: Case = { ...usual, ...make(first, next, dice) };
  const isMarked = name === 'anthropic';
  Object.assign(counts, { prompt: made.tokens, read: 0, written: isMarked ? made.tokens : 0 });
  await sendChat(core, made.first, name);
  await core.platform.advance(made.gapMs);
  const prompt = made.tokens + 500;
  const read = Math.floor((made.tokens * made.read) / 128) * 128;
  Object.assign(counts, { prompt, read, written: isMarked && made.second.mark >= 0 ? prompt - read : 0 });
  return { made, report: await reportOf(core, await sendChat(core, made.second, name)) };
}

/** By hand, in nano-dollars: what the second call paid for the tokens of the first, less what reading them costs. */
function wouldHaveSavedNano(name: Name, cause: CacheCause, { tokens, second }: Case, read: number): number {
  if (['hit', 'too_short'].includes(cause)) return 0;
  const isInSteps = name === 'openai' || name === 'openai-responses';
  const readable = isInSteps ? Math.floor(tokens / 128) * 128 : tokens;
  const paid = name === 'anthropic' && second.mark >= 0 ? NANO.write : NANO.prompt;
  return (readable - read) * (paid - NANO.read);
}

test.each(NAMES)('95 of 100 seeded causes on the wire %s are named, and priced to the nano-dollar', async (name) => {
  const rows: Record<string, { named: number; of: number; others: string[] }> = {};
  let right = 0;
  let all = 0;
  for (const [cause, make] of toCases(name)) {
    const row = { named: 0, of: 0, others: [] as string[] };
    rows[cause] = row;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { made, report } = await runCase(name, make, seed * 7919 + all);
      all += 1;
      row.of += 1;
      if (report.cause !== cause) {
        row.others.push(report.cause);
        continue;
      }
      row.named += 1;
      right += 1;
      const wanted = wouldHaveSavedNano(name, cause, made, report.read_tokens ?? 0);
      expect(Math.round((report.would_have_saved ?? -1) * 1e9), `${cause} ${seed}`).toBe(wanted);
      const [before, after] = made.words ?? [];
      if (before !== undefined) expect(report.difference?.before).toContain(before);
      if (after !== undefined) expect(report.difference?.after).toContain(after);
    }
  }
  const table = Object.entries(rows).map(
    ([cause, { named, of, others }]) => `${cause} ${named}/${of} ${others.join()}`,
  );
  process.stdout.write(`${name}: ${right} of ${all}\n  ${table.join('\n  ')}\n`);
  expect(all).toBeGreaterThanOrEqual(200);
  expect(right / all).toBeGreaterThanOrEqual(0.95);
});

test('the first call of a session is named so, and a call without a session is not judged', async () => {
  const { core, counts } = createDoctorGateway('openai');
  Object.assign(counts, { prompt: 5000 });
  const chat = createChat(createDice(1));
  expect(await reportOf(core, await sendChat(core, chat, 'openai'))).toMatchObject({ cause: 'first_call' });
  const { session_id: _, ...alone } = bodyOf(chat, 'openai');
  const { headers } = await core.chat(alone);
  const report = await reportOf(core, headers['x-generation-id'] ?? '');
  expect(report).toMatchObject({ cause: 'unknown', sentence: expect.stringContaining('names no session') });
});

test('a call whose content is not stored is unknown, and the report says why', async () => {
  const { core, counts } = createDoctorGateway('openai');
  Object.assign(counts, { prompt: 5000 });
  const id = await sendChat(core, createChat(createDice(1)), 'openai');
  await core.store.generations.deleteContent(id);
  const report = await reportOf(core, id);
  expect(report).toMatchObject({ cause: 'unknown', sentence: expect.stringContaining('is not stored') });
});

test('a session is shown call by call, with sums and what marks for 5 minutes and an hour would have cost', async () => {
  const { core, counts } = createDoctorGateway('anthropic');
  const dice = createDice(3);
  let chat = createChat(dice);
  const prompts = [5000, 6000, 7000];
  const gaps = [0, 60_000, 600_000];
  const ids: string[] = [];
  for (const [at, prompt] of prompts.entries()) {
    await core.platform.advance(gaps[at] ?? 0);
    const read = at === 1 ? 5000 : 0;
    Object.assign(counts, { prompt, read, written: prompt - read });
    ids.push(await sendChat(core, chat, 'anthropic'));
    chat = continued(chat, dice);
  }
  const response = await core.get('/admin/v1/generations/sessions/cache?session_id=session-1', MANAGEMENT_KEY);
  const { data, sums } = jsonOf(response) as { data: CacheReport[]; sums: Record<string, number> };
  expect(data.map(({ generation_id, cause }) => [generation_id, cause])).toEqual([
    [ids[0], 'first_call'],
    [ids[1], 'hit'],
    [ids[2], 'expired'],
  ]);
  const nano = (usd: number | undefined): number => Math.round((usd ?? 0) * 1e9);
  expect(sums).toMatchObject({ calls: 3, prompt_tokens: 18_000, read_tokens: 5000, written_tokens: 13_000 });
  expect(nano(sums['cost'])).toBe(13_000 * NANO.write + 5000 * NANO.read);
  expect(nano(sums['saved'])).toBe(5000 * (NANO.prompt - NANO.read));
  expect(nano(sums['would_have_saved'])).toBe(6000 * (NANO.write - NANO.read));
  expect(nano(sums['marked_5m'])).toBe(13_000 * NANO.write + 5000 * NANO.read);
  expect(nano(sums['marked_1h'])).toBe(7000 * NANO.hour + 11_000 * NANO.read);
});

test('a span is summed up by cause and app, the dearest first', async () => {
  const { core, counts } = createDoctorGateway('openai');
  const dice = createDice(4);
  const chat = createChat(dice);
  Object.assign(counts, { prompt: 12_800 });
  await sendChat(core, chat, 'openai');
  await core.platform.advance(1000);
  const changedId = await sendChat(core, { ...continued(chat, dice), system: 'Another' }, 'openai');
  const response = await core.get('/admin/v1/generations/cache-causes', MANAGEMENT_KEY);
  expect(jsonOf(response)).toMatchObject({
    calls: 2,
    data: [
      {
        cause: 'system_changed',
        calls: 1,
        prompt_tokens: 12_800,
        read_tokens: 0,
        would_have_saved: 0.03456,
        examples: [changedId],
      },
      { cause: 'first_call', calls: 1, would_have_saved: 0 },
    ],
  });
});

test('a span has the same by its parts, with a row for each cause and app of a part', async () => {
  const { core, counts } = createDoctorGateway('openai');
  const dice = createDice(4);
  const chat = createChat(dice);
  Object.assign(counts, { prompt: 12_800 });
  const from = new Date(core.platform.now()).toISOString();
  const call = async (system: string, restMs: number): Promise<void> => {
    await core.platform.advance(restMs);
    await sendChat(core, { ...continued(chat, dice), system }, 'openai');
  };
  for (const [system, restMs] of [
    ['One', 0],
    ['Two', 1000],
    ['Three', 1000],
    ['Four', 3 * 3_600_000],
  ] as const)
    await call(system, restMs);
  const to = new Date(Date.parse(from) + 4 * 3_600_000).toISOString();
  const path = `/admin/v1/generations/cache-causes?from=${from}&to=${to}&buckets=4`;
  const response = jsonOf(await core.get(path, MANAGEMENT_KEY));
  const later = new Date(Date.parse(from) + 3 * 3_600_000).toISOString();
  expect(response).toMatchObject({
    bucket_ms: 3_600_000,
    timeline: [
      { start: from, cause: 'first_call', calls: 1, would_have_saved: 0 },
      { start: from, cause: 'system_changed', calls: 2, would_have_saved: 0.06912 },
      { start: later, cause: 'system_changed', calls: 1, would_have_saved: 0.03456 },
    ],
  });
});

test('conversations side by side in a session are each compared with their own calls', async () => {
  const { core, counts } = createDoctorGateway('openai');
  const dice = createDice(5);
  const [one, other] = [createChat(dice), { ...createChat(dice), tools: [] }];
  const [oneNext, otherNext] = [continued(one, dice), continued(other, dice)];
  Object.assign(counts, { prompt: 12_800 });
  const ids: string[] = [];
  for (const chat of [one, other, oneNext, otherNext]) {
    ids.push(await sendChat(core, chat, 'openai'));
    await core.platform.advance(1000);
  }
  for (const [id, before] of [
    [ids[2], ids[0]],
    [ids[3], ids[1]],
  ]) {
    expect(await reportOf(core, id ?? '')).toMatchObject({
      cause: 'provider',
      compared_with: before,
      difference: null,
    });
  }
});

test('a conversation that comes back to an endpoint is compared with its calls there', async () => {
  const { core, counts } = createDoctorGateway('openai');
  const dice = createDice(6);
  const first = createChat(dice);
  const away: Chat = { ...continued(first, dice), endpoint: 'beta' };
  const back: Chat = { ...continued(away, dice), endpoint: 'acme' };
  Object.assign(counts, { prompt: 12_800 });
  const id = await sendChat(core, first, 'openai');
  await core.platform.advance(1000);
  expect(await reportOf(core, await sendChat(core, away, 'openai'))).toMatchObject({ cause: 'other_endpoint' });
  await core.platform.advance(1000);
  const report = await reportOf(core, await sendChat(core, back, 'openai'));
  expect(report).toMatchObject({ cause: 'provider', compared_with: id });
});

test('a mark at the last unchanged place is priced where a later message was changed', async () => {
  const dice = createDice(7);
  const chat = createChat(dice);
  const next = continued(chat, dice);
  const { core, counts } = createDoctorGateway('anthropic');
  Object.assign(counts, { prompt: 20_000, read: 0, written: 20_000 });
  await sendChat(core, chat, 'anthropic');
  await core.platform.advance(1000);
  const turns = changed(next.turns, 2, 'Changed');
  const report = await reportOf(core, await sendChat(core, { ...next, turns }, 'anthropic'));
  expect(report).toMatchObject({ cause: 'message_changed', stable_mark: { path: 'messages[1]' } });
  // The share of the prompt, counted by hand in the body that was sent.
  const content = core.store.appended.at(-1)?.content as StoredContent;
  const sent = content.request?.attempts[0] ?? { body: {} };
  const { tools, system, messages } = sent.body as Record<'tools' | 'system' | 'messages', object[]>;
  const lengthOf = (list: object[]): number =>
    list.reduce(
      (sum, item) => sum + JSON.stringify(item).replace(',"cache_control":{"type":"ephemeral"}', '').length,
      0,
    );
  const front = lengthOf([...tools, ...system, ...messages.slice(0, 2)]);
  const tokens = (20_000 * front) / lengthOf([...tools, ...system, ...messages]);
  const wanted = (tokens * (NANO.write - NANO.read)) / 1e9;
  expect(Math.abs((report.stable_mark?.would_have_saved ?? 0) / wanted - 1)).toBeLessThan(0.03);
});

test.each([
  [59, 'provider'],
  [61, 'expired'],
])('a prompt that is marked for an hour and rests for %i minutes has the cause %s', async (minutes, cause) => {
  const { core, counts } = createDoctorGateway('anthropic');
  const dice = createDice(8);
  const chat: Chat = { ...createChat(dice), ttl: '1h' };
  Object.assign(counts, { prompt: 20_000, read: 0, written: 20_000 });
  await sendChat(core, chat, 'anthropic');
  await core.platform.advance(minutes * 60_000);
  expect(await reportOf(core, await sendChat(core, continued(chat, dice), 'anthropic'))).toMatchObject({ cause });
});

test('the latest 2,000 calls are looked at, and the response says where they begin', async () => {
  const { core, counts } = createDoctorGateway('openai');
  Object.assign(counts, { prompt: 5000 });
  const chat: Chat = { ...createChat(createDice(9)), turns: ['Hello'], tools: [], system: 'Help.' };
  for (let call = 0; call < 2001; call += 1) {
    await core.platform.advance(1000);
    await sendChat(core, chat, 'openai');
  }
  const first = core.store.appended[1]?.record.generation.created_at;
  for (const path of ['cache-causes', 'sessions/cache?session_id=session-1']) {
    const response = jsonOf(await core.get(`/admin/v1/generations/${path}`, MANAGEMENT_KEY));
    expect(response['searched_from']).toBe(first);
  }
});

/** Sends a chat and what continues it, with changes to what is recorded of each, and returns the report of the second. */
async function reportChanged(first: Partial<Generation>, second: Partial<Generation>): Promise<CacheReport> {
  const { core, counts } = createDoctorGateway('openai');
  const dice = createDice(11);
  const chat = createChat(dice);
  Object.assign(counts, { prompt: 12_800 });
  let id = '';
  for (const [sent, change] of [
    [chat, first],
    [continued(chat, dice), second],
  ] as const) {
    id = await sendChat(core, sent, 'openai');
    const record = await core.store.generations.get(id);
    if (record === undefined) throw new Error('Nothing was recorded');
    await core.store.generations.update({ ...record, generation: { ...record.generation, ...change } });
    await core.platform.advance(1000);
  }
  return reportOf(core, id);
}

test('a call with another key of a pool has another cache', async () => {
  expect(await reportChanged({ provider_key: 'one' }, { provider_key: 'two' })).toMatchObject({ cause: 'other_key' });
  expect(await reportChanged({ provider_key: 'one' }, { provider_key: 'one' })).toMatchObject({ cause: 'provider' });
});

test('a session of the same name in another workspace is another, and records without a workspace are of the default one', async () => {
  expect(await reportChanged({ workspace_id: 'w1' }, {})).toMatchObject({ cause: 'first_call', compared_with: null });
  expect(await reportChanged({ workspace_id: null }, {})).toMatchObject({ cause: 'provider' });
});

test('nothing is said of a call that was charged for several turns, and a failed attempt is none', async () => {
  const turn = {
    endpoint_id: 'acme:chat-1',
    is_byok: false,
    latency: 1,
    model_permaslug: 'test/model',
    provider_name: 'acme',
    status: 200,
  };
  const failed = { ...turn, status: 503, error: { code: 503, error_type: 'provider_unavailable' } };
  const brokeOff = { ...turn, error: { code: 502, error_type: 'provider_unavailable' }, broke_off_after: 20 };
  for (const before of [turn, brokeOff]) {
    expect(await reportChanged({}, { provider_responses: [before, turn] })).toMatchObject({
      cause: 'unknown',
      would_have_saved: 0,
    });
  }
  expect(await reportChanged({}, { provider_responses: [failed, turn] })).toMatchObject({ cause: 'provider' });
});
