import type { Generation, GenerationRecord, StoredContent } from '@model-gateway/core';

import { toRecord } from '../stores/generation-records.ts';

/*
 * Calls that look random and are the same in every run. What the screens say of them is counted anew from these, so each
 * number has one place where it was made up.
 */

/** The afternoon of the day after clocks were changed in America: today, yesterday, the week and the month all differ. */
export const NOW = Date.parse('2026-03-09T17:41:23.456Z');
export const ZONES = ['America/New_York', 'Asia/Kolkata', 'UTC'] as const;
const CALLS = 5000;
const DAYS = 40;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const PROVIDERS = [
  { slug: 'acme', name: 'Acme' },
  { slug: 'beta', name: 'Beta' },
  { slug: 'gamma', name: 'Gamma AI' },
] as const;
export const MODELS = Array.from({ length: 12 }, (_, at) => `author-${at % 4}/model-${at}`);

const toHash = (name: string): string => Buffer.from(name.padEnd(32, '.')).toString('hex');

/** The last was deleted: its calls are there, and it is not. */
export const KEYS = [
  { hash: toHash('website'), name: 'Website', member: 'user-ada', limitUsd: 400, limitReset: null, countsByok: false },
  { hash: toHash('support'), name: 'Support', member: 'user-ada', limitUsd: 60, limitReset: 'daily', countsByok: true },
  { hash: toHash('agents'), name: 'Agents', member: 'user-bob', limitUsd: 9, limitReset: 'weekly', countsByok: false },
  { hash: toHash('nightly'), name: 'Nightly', member: null, limitUsd: 150, limitReset: 'monthly', countsByok: true },
  { hash: toHash('trial'), name: 'Trial', member: 'user-eve', limitUsd: null, limitReset: null, countsByok: false },
  { hash: toHash('gone'), name: null, member: null, limitUsd: null, limitReset: null, countsByok: false },
] as const;
export const MEMBERS = [
  { id: 'user-ada', name: 'Ada Lovelace' },
  { id: 'user-bob', name: 'Bob Kahn' },
  { id: 'user-eve', name: 'Eve Moneypenny' },
] as const;

/** What became of an attempt at a provider. */
export type Fate =
  | 'ok'
  | 'broke_off'
  | 'rate_limited'
  | 'timeout'
  | 'server_error'
  | 'connection'
  | 'refused'
  | 'abandoned';

export interface RecountAttempt {
  readonly slug: string;
  readonly name: string;
  readonly fate: Fate;
  readonly latencyMs: number | null;
}

export interface RecountCall {
  readonly id: string;
  readonly atMs: number;
  readonly model: string;
  readonly provider: string | null;
  readonly key: string;
  readonly member: string | null;
  /** The address of the app, and the name that its user agent begins with; one of both may be missing. */
  readonly origin: string;
  readonly agent: string | null;
  readonly session: string | null;
  readonly status: 'ok' | 'failed' | 'cancelled' | 'interrupted';
  readonly nanoUsd: number;
  readonly isCostKnown: boolean;
  readonly isByok: boolean;
  readonly promptTokens: number | null;
  readonly tokens: number | null;
  readonly reasoningTokens: number | null;
  readonly cachedTokens: number | null;
  readonly savedNanoUsd: number;
  readonly attempts: readonly RecountAttempt[];
  readonly latencyMs: number | null;
  readonly durationMs: number | null;
  readonly isStreamed: boolean;
  /** What the guardrail did to it. */
  readonly effect: 'narrowed' | 'redacted' | 'flagged' | null;
  /** What the cost is the sum of, where that is stored. */
  readonly charges: readonly Charge[];
}

/** Jobs that have made a video, the newest first. */
export const VIDEOS = [1, 2, 3, 4, 5, 6].map((at) => ({
  id: `job-${at}`,
  atMs: NOW - at * 3 * 3_600_000,
  tookMs: at * at * 7_654,
  nanoUsd: at * at * at * 1_234_567,
}));

export interface Charge {
  readonly unit: 'prompt' | 'input_cache_read' | 'completion';
  readonly count: number;
  /** Billionths of a nano-dollar. */
  readonly atto: bigint;
}

export const GUARDRAIL = '00000000-0000-4000-8000-0000000035aa';

/** Numbers that are the same in every run. */
function createDraw(): (below: number) => number {
  let state = 35_35;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const draw = createDraw();
const pick = <Value>(values: readonly Value[]): Value => values[draw(values.length)] as Value;
const chance = (percent: number): boolean => draw(100) < percent;

/** Midnights in the zones within the 40 days, in UTC: on both sides of the day on which clocks were changed. */
const MIDNIGHT_HOURS = [5, 4, 18.5, 0];

function drawMoment(): number {
  const anywhere = NOW - draw(pick([DAYS, 7, 2, 1]) * DAY_MS);
  // One in five is next to a midnight, to the millisecond.
  if (!chance(20)) return anywhere;
  const midnight = Math.floor(anywhere / DAY_MS) * DAY_MS + pick(MIDNIGHT_HOURS) * HOUR_MS;
  const atMs = midnight + pick([-1, 0, 1, draw(2 * MINUTE_MS) - MINUTE_MS]);
  return atMs > NOW || atMs < NOW - DAYS * DAY_MS ? anywhere : atMs;
}

const FAILURES: readonly Fate[] = ['rate_limited', 'timeout', 'server_error', 'connection', 'refused'];

function drawAttempts(status: RecountCall['status']): RecountAttempt[] {
  const toAttempt = (fate: Fate): RecountAttempt => ({
    ...pick(PROVIDERS),
    fate,
    latencyMs: fate === 'connection' ? pick([null, draw(400)]) : 20 + draw(2500),
  });
  const before = Array.from({ length: pick([0, 0, 0, 1, 2]) }, () => toAttempt(pick(FAILURES)));
  switch (status) {
    case 'ok':
    case 'interrupted':
      return [...before, toAttempt('ok')];
    case 'cancelled':
      return chance(10) ? before : [...before, toAttempt(pick(['abandoned', 'ok']))];
    case 'failed':
      return [...before, toAttempt(pick([...FAILURES, 'broke_off']))];
  }
}

function drawCall(at: number): RecountCall {
  const status = chance(75) ? 'ok' : pick(['failed', 'failed', 'cancelled', 'interrupted'] as const);
  const key = KEYS[Math.min(draw(KEYS.length), draw(KEYS.length))] ?? KEYS[0];
  const attempts = drawAttempts(status);
  const last = attempts.at(-1);
  const hasBegun = last !== undefined && (last.fate === 'ok' || last.fate === 'broke_off');
  const promptTokens = chance(94) ? draw(pick([90, 3000, 60_000])) : null;
  const tokens = hasBegun ? draw(pick([3, 400, 4000])) : pick([null, 0]);
  const cachedTokens = promptTokens === null ? null : pick([null, 0, draw(promptTokens + 1)]);
  const latencyMs = last === undefined ? null : 30 + draw(pick([800, 5000]));
  const isCostKnown = chance(95);
  const isFree = !isCostKnown || !hasBegun || chance(5);
  return {
    id: `gen-recount-${String(at).padStart(5, '0')}`,
    atMs: drawMoment(),
    model: MODELS[Math.min(draw(MODELS.length), draw(MODELS.length))] ?? '',
    provider: hasBegun || chance(40) ? (last?.name ?? null) : null,
    key: key.hash,
    member: key.member,
    origin: pick(['', '', 'https://shop.example/', 'https://desk.example/']),
    agent: pick([null, 'OpenAI/JS 7.57.0', 'claude-cli/2.1 (external)']),
    session: chance(40) ? `session-${draw(240)}` : null,
    status,
    nanoUsd: isFree ? 0 : draw(pick([2000, 3_000_000, 90_000_000, 600_000_000])),
    isCostKnown,
    isByok: chance(12),
    promptTokens,
    tokens,
    reasoningTokens: tokens === null ? null : pick([null, 0, draw(tokens + 1)]),
    cachedTokens,
    savedNanoUsd: cachedTokens === null ? 0 : draw(9000) * 1000 - 1_000_000,
    attempts,
    latencyMs,
    durationMs: latencyMs === null ? null : latencyMs + draw(pick([60, 9000, 90_000])),
    isStreamed: chance(75),
    effect: chance(8) ? pick(['narrowed', 'narrowed', 'redacted', 'flagged']) : null,
    charges: [],
  };
}

/** One in a hundred has what its cost is made of, in prices that leave parts of a nano-dollar. */
function withCharges(call: RecountCall, at: number): RecountCall {
  if (at % 100 !== 0 || !call.isCostKnown || !call.tokens || !call.promptTokens) return call;
  const cached = call.cachedTokens ?? 0;
  const charges = [
    { unit: 'prompt', count: call.promptTokens - cached, atto: 1_370_333_333_333n },
    { unit: 'input_cache_read', count: cached, atto: 137_033_333_333n },
    { unit: 'completion', count: call.tokens, atto: 5_480_666_666_667n },
  ] as const;
  const atto = charges.reduce((sum, { count, atto: price }) => sum + BigInt(count) * price, 0n);
  return {
    ...call,
    charges: charges.filter(({ count }) => count > 0),
    nanoUsd: Number((atto + 500_000_000n) / 1_000_000_000n),
  };
}

/** In the order in which they began, as the gateway stores them. */
export const ALL_CALLS: readonly RecountCall[] = Array.from({ length: CALLS }, (_, at) =>
  withCharges(drawCall(at), at),
).toSorted((one, other) => one.atMs - other.atMs);

type WireAttempt = NonNullable<Generation['provider_responses']>[number];

/** Upstream's status, and the gateway's code and word for the failure. */
const FATES: Readonly<Record<Exclude<Fate, 'ok'>, readonly [number | null, number, string]>> = {
  broke_off: [200, 502, 'provider_unavailable'],
  rate_limited: [429, 429, 'rate_limit_exceeded'],
  timeout: [null, 504, 'timeout'],
  server_error: [500, 502, 'provider_unavailable'],
  connection: [null, 502, 'provider_unavailable'],
  refused: [400, 400, 'invalid_request'],
  abandoned: [null, 499, 'client_closed'],
};

const toWireAttempt = (model: string, { slug, name, fate, latencyMs }: RecountAttempt): WireAttempt => {
  const [status, code, type] = fate === 'ok' ? [200, 0, ''] : FATES[fate];
  return {
    endpoint_id: `${slug}:${model}`,
    is_byok: false,
    model_permaslug: model,
    provider_name: name,
    status,
    ...(latencyMs !== null && { latency: latencyMs }),
    ...(fate !== 'ok' && { error: { code, error_type: type } }),
  };
};

/** What is recorded of a guardrail that kept a call from endpoints, or found something in it. */
function toEffect({ effect }: RecountCall): Partial<Generation> {
  if (effect === null) return {};
  if (effect === 'narrowed') return { narrowed_by: [GUARDRAIL] };
  return {
    pipeline: [{ type: 'guardrail', name: 'content-filter', guardrail_id: GUARDRAIL, data: { action: effect } }],
  };
}

/** What is stored of a call beside its record: the prices that it was charged. */
export function toCallContent({ charges }: RecountCall): StoredContent | null {
  if (charges.length === 0) return null;
  return {
    input: { prompt: 'What is the sum?' },
    output: { completion: 'It is this.', reasoning: null },
    error: null,
    callTimeline: {
      before_ms: { request: 1, guardrails: 2, routing: 3, rate_limits: 4 },
      attempts_ms: [],
      charges: charges.map(({ unit, count, atto }) => ({
        unit,
        count,
        price: `0.${String(atto).padStart(18, '0')}`,
      })),
    },
  };
}

/** The record of a call, as the gateway writes it. */
export function toCallRecord(call: RecountCall): GenerationRecord {
  const usd = call.nanoUsd / 1e9;
  return toRecord(call.id, {
    principalId: call.key,
    ...(call.member !== null && { userId: call.member }),
    costNanoUsd: call.nanoUsd,
    generation: {
      created_at: new Date(call.atMs).toISOString(),
      model: call.model,
      provider_name: call.provider,
      session_id: call.session,
      origin: call.origin,
      http_referer: call.origin === '' ? null : call.origin,
      user_agent: call.agent,
      is_byok: call.isByok,
      streamed: call.isStreamed,
      cancelled: call.status === 'cancelled',
      ...(call.status === 'interrupted' && { interrupted: true }),
      finish_reason: call.status === 'failed' || call.status === 'interrupted' ? 'error' : 'stop',
      tokens_prompt: call.promptTokens,
      tokens_completion: call.tokens,
      native_tokens_reasoning: call.reasoningTokens,
      native_tokens_cached: call.cachedTokens,
      cache_discount: call.cachedTokens === null ? null : call.savedNanoUsd / 1e9,
      total_cost: usd,
      usage: usd,
      cost_known: call.isCostKnown,
      latency: call.latencyMs,
      generation_time: call.durationMs,
      ...toEffect(call),
      provider_responses: call.attempts.map((attempt) => toWireAttempt(call.model, attempt)),
    },
  });
}
