import { attoToUsd, type UnitPrices } from '../../catalog/prices.ts';
import type { GenerationFilter, GenerationRecord } from '../../stores/store.ts';
import type { CacheMarksDryRun, CacheTtl } from '../../wire/cache-report.ts';
import { listGenerations } from '../list-generations.ts';
import {
  createSessionPast,
  lengthTo,
  type MarkPlan,
  msOfTtl,
  planMarks,
  type PromptShape,
  type SessionPast,
  toShape,
  writePriceOf,
} from './plan-marks.ts';
import { minimumTokensOf } from './provider-rules.ts';
import { type CachedCall, readCachedCall, toUsdOrNull } from './read-call.ts';
import { type CacheDoctorParts, inTurns, MAX_CALLS, startOf, toOldestFirst, workspaceOf } from './report-caches.ts';

export interface DryRunMarksParts extends CacheDoctorParts {
  /** How long marks may keep a prompt at an endpoint; undefined for one that is gone. */
  readonly findTtls: (endpointId: string, model: string) => readonly CacheTtl[] | undefined;
}

/** Sessions that are named, the ones that would have saved most first. */
const MAX_SESSIONS = 50;

type Found = Pick<CacheMarksDryRun, 'calls' | 'marked_calls' | 'sums' | 'apps' | 'models' | 'sessions'> & {
  readonly workspaces: readonly Omit<CacheMarksDryRun['workspaces'][number], 'enabled'>[];
};

/**
 * What automatic marks would have read, written and cost in the sessions of past calls, at the prices that the calls were
 * charged at, against what was. Nothing is sent. It asks the function that sets marks on calls (`planMarks`), and takes
 * a provider to keep what its rules say.
 */
export async function dryRunMarks(
  filter: GenerationFilter,
  parts: DryRunMarksParts,
): Promise<Found & { searchedFromMs: number | undefined }> {
  const found = await listGenerations({ filter, limit: MAX_CALLS }, parts);
  const records = toOldestFirst(found.records);
  const all = createTally();
  const [apps, models, sessions] = [createTallies(), createTallies(), createTallies()];
  const workspaces = createTallies();
  let marked = 0;
  const trial = createTrial(parts);
  // In the order in which they came, as sessions read what others have written of the same tools and system text.
  for await (const record of inTurns(records, parts.platform)) {
    const { id, session_id: sessionId } = record.generation;
    const call = readCachedCall(record, await parts.store.generations.getContent(id), parts.findPrices);
    const was = { read: call.readTokens ?? 0, written: call.writtenTokens ?? 0, atto: call.costAtto ?? 0n };
    const would = sessionId === null ? null : trial.run(call, record, sessionId);
    if (would !== null) marked += 1;
    const tallies = [all, apps.of(call.app), models.of(call.model), workspaces.of(workspaceOf(record))];
    if (sessionId !== null) tallies.push(sessions.of(sessionId));
    for (const tally of tallies) tally.add(call, was, would ?? was);
  }
  return {
    calls: records.length,
    marked_calls: marked,
    sums: all.total(),
    apps: apps.list().map(([app, sums]) => ({ app, ...sums })),
    models: models.list().map(([model, sums]) => ({ model: model ?? '', ...sums })),
    workspaces: workspaces.list().map(([id, sums]) => ({ workspace_id: id ?? '', ...sums })),
    sessions: sessions
      .list()
      .filter(([, sums]) => sums.would_have_saved !== 0)
      .slice(0, MAX_SESSIONS)
      .map(([id, sums]) => ({ session_id: id ?? '', ...sums })),
    searchedFromMs: found.next === null ? undefined : startOf(records[0]),
  };
}

/** What a prompt is charged by. */
interface Counted {
  readonly read: number;
  readonly written: number;
  /** In 10^-18 USD. */
  readonly atto: bigint;
}

interface Trial {
  /** What the call would have been with marks; null where it would have been as it was. */
  run(call: CachedCall, record: GenerationRecord, sessionId: string): Counted | null;
}

/** Providers look back from a mark for an earlier one over so many blocks. */
const LOOK_BACK = 20;

/** Follows sessions, oldest call first, with a cache for each endpoint and account. */
function createTrial({ findTtls }: Pick<DryRunMarksParts, 'findTtls'>): Trial {
  const pasts = new Map<string, SessionPast>();
  const caches = new Map<string, PromptCache>();
  return {
    run(call, record, sessionId) {
      const { principalId, generation } = record;
      const { prompt, promptTokens, prices, endpoint } = call;
      if (prompt === null || promptTokens === null || call.whyUnknown !== null || endpoint === null) return null;
      // The caller's own marks, and those that the gateway has set already, are left as they are.
      const isMarked = prompt.segments.some(({ mark }) => mark !== null) || (call.readTokens ?? 0) > 0;
      const isSet = generation.pipeline?.some(({ type }) => type === 'cache_marks') === true;
      const ttls = findTtls(endpoint, prompt.model) ?? (prompt.wire === 'anthropic' ? (['5m', '1h'] as const) : []);
      if (isMarked || isSet || call.costAtto === null || ttls.length === 0) return null;
      const shape = toShape(prompt.segments);
      const step = getOrMake(pasts, `${workspaceOf(record)} ${principalId} ${sessionId}`, createSessionPast).begin(
        shape,
        call.createdAtMs,
      );
      const tokensPerCharacter = promptTokens / Math.max(1, lengthTo(shape));
      const minimumTokens = minimumTokensOf({ wire: 'anthropic', model: prompt.model });
      const plan = planMarks(shape, step, { ttls, prices, minimumTokens, tokensPerCharacter });
      step.noteMarks(plan);
      if (plan === null) return null;
      const cache = getOrMake(caches, `${endpoint} ${call.account}`, createPromptCache);
      const { read, written } = cache.ask(shape, plan, promptTokens, call.createdAtMs);
      const atto = costOf({ read, written, prompt: promptTokens }, plan.ttl, prices);
      return atto === null ? null : { read, written, atto };
    },
  };
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function costOf(
  { read, written, prompt }: { readonly read: number; readonly written: number; readonly prompt: number },
  ttl: CacheTtl,
  prices: UnitPrices,
): bigint | null {
  const [common, reading, writing] = [prices.prompt, prices.input_cache_read, writePriceOf(prices, ttl)];
  if (common === undefined || reading === undefined || writing === undefined) return null;
  return BigInt(read) * reading + BigInt(written) * writing + BigInt(prompt - read - written) * common;
}

interface PromptCache {
  ask(shape: PromptShape, plan: MarkPlan, promptTokens: number, atMs: number): { read: number; written: number };
}

/** What a provider keeps of prompts, each up to its marks. */
function createPromptCache(): PromptCache {
  const entries = new Map<string, { readonly tokens: number; readonly keptMs: number; untilMs: number }>();
  return {
    ask(shape, { ttl, at }, promptTokens, atMs) {
      const keys = toKeys(shape);
      const toTokens = (segments: number): number =>
        Math.round((promptTokens * lengthTo(shape, segments)) / Math.max(1, lengthTo(shape)));
      let read = 0;
      for (const mark of at) {
        const hit = keys
          .slice(Math.max(0, mark - LOOK_BACK), mark + 1)
          .map((key) => entries.get(key))
          .findLast((entry) => entry !== undefined && entry.untilMs >= atMs);
        if (hit === undefined) continue;
        hit.untilMs = atMs + hit.keptMs;
        read = Math.max(read, hit.tokens);
      }
      read = Math.min(read, promptTokens);
      let last = read;
      for (const mark of at) {
        const tokens = toTokens(mark + 1);
        const key = keys[mark] ?? '';
        last = Math.max(last, tokens);
        const kept = entries.get(key);
        if (kept !== undefined && kept.untilMs >= atMs) continue;
        entries.set(key, { tokens, keptMs: msOfTtl(ttl), untilMs: atMs + msOfTtl(ttl) });
      }
      return { read, written: last - read };
    },
  };
}

/** A key for each prefix of a prompt. */
function toKeys({ hashes }: PromptShape): string[] {
  let mixed = 7;
  return hashes.map((hash, at) => {
    mixed = (Math.imul(mixed, 31) ^ Math.imul(hash % 0x100000000, 2654435761)) >>> 0;
    return `${at} ${mixed} ${hash}`;
  });
}

type Sums = CacheMarksDryRun['sums'];

interface Tally {
  add(call: CachedCall, was: Counted, would: Counted): void;
  total(): Sums;
}

function createTally(): Tally {
  const sums = { calls: 0, prompt_tokens: 0, read_tokens: 0, would_have_read: 0, would_have_written: 0 };
  let [was, would] = [0n, 0n];
  return {
    add(call, before, after) {
      sums.calls += 1;
      sums.prompt_tokens += call.promptTokens ?? 0;
      sums.read_tokens += before.read;
      sums.would_have_read += after.read;
      sums.would_have_written += after.written;
      was += before.atto;
      would += after.atto;
    },
    total: () => ({
      ...sums,
      cost: attoToUsd(was),
      would_have_cost: attoToUsd(would),
      would_have_saved: toUsdOrNull(was - would) ?? 0,
    }),
  };
}

function createTallies(): { of(key: string | null): Tally; list(): (readonly [string | null, Sums])[] } {
  const tallies = new Map<string | null, Tally>();
  return {
    of: (key) => getOrMake(tallies, key, createTally),
    list: () =>
      [...tallies]
        .map(([key, tally]) => [key, tally.total()] as const)
        .toSorted(([, a], [, b]) => b.would_have_saved - a.would_have_saved || b.calls - a.calls),
  };
}
