import { expect, test } from 'vitest';

import type { CacheCause, CacheReport } from '../../packages/core/src/wire/cache-report.ts';
import { readSession } from '../support/agent-sessions/read-sessions.ts';
import { playSession, type RecordedSession } from '../support/agent-sessions/recorded-session.ts';
import { createDice } from '../support/gateways/cached-chats.ts';
import { type CountedCall, createCachingGateway, nanoOf } from '../support/gateways/caching-provider.ts';
import { jsonOf, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** How long an agent rests before a request: what it runs takes seconds, and now and then a person is asked. */
const RESTS = {
  'at work': (dice: (limit: number) => number, step: number) =>
    step % 10 === 9 ? 8 * MINUTE_MS : (3 + dice(40)) * SECOND_MS,
  'with a person in between': (dice: (limit: number) => number) => 9 * MINUTE_MS + dice(60) * SECOND_MS,
} as const;

/** Without the marks that a program sets itself. */
const unmarked = ({ path, parts, requests }: RecordedSession): RecordedSession => ({
  path,
  requests,
  parts: JSON.parse(
    JSON.stringify(parts, (name, value: unknown) => (name === 'cache_control' ? undefined : value)),
  ) as [],
});

const SESSIONS = {
  Codex: readSession('codex'),
  'Claude Code without its own marks': unmarked(readSession('claude')),
  'Claude Code': readSession('claude'),
} as const;
const CASES = Object.keys(SESSIONS).flatMap((name) =>
  Object.keys(RESTS).map((rest) => [name, rest] as [keyof typeof SESSIONS, keyof typeof RESTS]),
);

interface Played {
  readonly share: number;
  readonly usd: number;
  /** Why each request was, or was not, read. */
  readonly causes: readonly CacheCause[];
}

/** Plays a session at a provider that caches by marks. */
async function play(session: RecordedSession, rest: keyof typeof RESTS, automatic: boolean): Promise<Played> {
  const { core, counted } = createCachingGateway(automatic);
  const dice = createDice(5);
  for (const [step, body] of playSession(session).entries()) {
    await core.platform.advance(RESTS[rest](dice, step));
    const response = await core.post(
      session.path,
      { ...body, model: 'test/model', stream: false },
      { headers: { authorization: 'Bearer sk-test-api', 'x-session-id': 'session-1' } },
    );
    expect(response.status, JSON.stringify(jsonOf(response))).toBe(200);
  }
  expect(counted).toHaveLength(40);
  const sum = (name: keyof CountedCall): number => counted.reduce((total, call) => total + call[name], 0);
  const report = await core.get('/admin/v1/generations/sessions/cache?session_id=session-1', MANAGEMENT_KEY);
  return {
    share: sum('read') / sum('prompt'),
    usd: counted.reduce((total, call) => total + nanoOf(call), 0) / 1e9,
    causes: (jsonOf(report) as { data: CacheReport[] }).data.map(({ cause }) => cause),
  };
}

const told = ({ share, usd }: Played): string => `${(100 * share).toFixed(1)} % cached for $${usd.toFixed(4)}`;

test.each(CASES)('40 recorded requests of %s, %s, are read from the cache with automatic marks', async (name, rest) => {
  const [before, after] = [await play(SESSIONS[name], rest, false), await play(SESSIONS[name], rest, true)];
  process.stdout.write(`${name}, ${rest}: ${told(before)} -> ${told(after)}\n`);
  if (name === 'Claude Code') {
    // What a caller marks is left as it is.
    expect(after).toEqual(before);
    const isExpired = (step: number): boolean => rest !== 'at work' || step % 10 === 9;
    expect(after.causes).toEqual(
      after.causes.map((_, step) => (step === 0 ? 'first_call' : isExpired(step) ? 'expired' : 'hit')),
    );
    return;
  }
  expect(before.share).toBe(0);
  expect(new Set(before.causes)).toEqual(new Set(['first_call', 'marks_missing']));
  // A mark is set for an hour from the first long rest on.
  expect(new Set(after.causes)).toEqual(new Set(['first_call', 'hit', 'expired']));
  expect(after.share).toBeGreaterThan(0.85);
  expect(after.usd).toBeLessThan(before.usd * 0.4);
});
