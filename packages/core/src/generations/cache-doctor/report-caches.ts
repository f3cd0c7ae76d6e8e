import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { attoToUsd } from '../../catalog/prices.ts';
import type { GenerationRecord } from '../../stores/generations.ts';
import type { CacheCause, CacheCausePart, CacheCauseRow, CacheReport, CacheSums } from '../../wire/cache-report.ts';
import { type GenerationListParts, listGenerations } from '../list-generations.ts';
import { recordedEndpointId } from '../to-generation.ts';
import { diagnose, type Diagnosis } from './diagnose.ts';
import { HOUR_MS } from './provider-rules.ts';
import {
  type CachedCall,
  type FindPrices,
  LOSES_NOTHING,
  missedAttoOf,
  readCachedCall,
  savedAttoOf,
  toUsdOrNull,
} from './read-call.ts';
import { toSentences } from './sentences.ts';

/** The prices of endpoints now: where a call was charged for a unit, the doctor takes the price it was charged at. */
export function toFindPrices(catalog: Pick<Catalog, 'list'>): FindPrices {
  const endpoints = catalog.list().flatMap((model) => model.endpoints);
  const prices = new Map(endpoints.map((endpoint) => [recordedEndpointId(endpoint), endpoint.prices]));
  return (endpointId) => prices.get(endpointId);
}

export interface CacheDoctorParts extends GenerationListParts {
  readonly findPrices: FindPrices;
}

/** Earlier calls of a session that a call is compared with: prompts are large. */
const WINDOW = 20;
/** Sessions of one name in so many workspaces, with as many calls as the one asked for, are told apart. */
const MANY_WORKSPACES = 5;
/** Calls that are looked at for one response. */
export const MAX_CALLS = 2000;
/** Calls that a row of sums names. */
const MAX_EXAMPLES = 3;
/** Other calls are served after each step of so long. */
const STEP_MS = 10;

interface Examined {
  readonly call: CachedCall;
  readonly diagnosis: Diagnosis;
  /** In 10^-18 USD. */
  readonly savedAtto: bigint | null;
  readonly missedAtto: bigint | null;
  /** Tokens that could have been read and were not. */
  readonly missedTokens: number;
}

/** The report of one call, which is compared with the calls of its session before it. */
export async function reportCall(record: GenerationRecord, parts: CacheDoctorParts): Promise<CacheReport> {
  return toReport(await examineLast(record, parts));
}

/** Why a call missed the cache of its provider, or did not, and what that cost. */
export interface ExaminedCache {
  readonly cause: CacheCause;
  /** Tokens that could have been read and were not. */
  readonly missedTokens: number;
  /** Null where a price is not known. */
  readonly missedUsd: number | null;
}

/** The cause of one call, and what it missed. */
export async function examineCall(record: GenerationRecord, parts: CacheDoctorParts): Promise<ExaminedCache> {
  const { diagnosis, missedTokens, missedAtto } = await examineLast(record, parts);
  return { cause: diagnosis.cause, missedTokens, missedUsd: toUsdOrNull(missedAtto) };
}

async function examineLast(record: GenerationRecord, parts: CacheDoctorParts): Promise<Examined> {
  const { id, session_id: sessionId, created_at: createdAt } = record.generation;
  const earlier =
    sessionId === null
      ? []
      : await listGenerations(
          { filter: { sessionId, createdBeforeMs: Date.parse(createdAt) + 1 }, limit: MANY_WORKSPACES * (WINDOW + 1) },
          parts,
        ).then(({ records }) =>
          records
            .filter((one) => one.generation.id !== id && workspaceOf(one) === workspaceOf(record))
            .slice(0, WINDOW),
        );
  let last: Examined | undefined;
  for await (const examined of examine([...earlier.toReversed(), record], parts)) last = examined;
  return last as Examined;
}

/** The reports of the calls of a session, oldest first, and their sums. */
export async function reportSession(
  sessionId: string,
  parts: CacheDoctorParts,
): Promise<{ data: CacheReport[]; sums: CacheSums; searchedFromMs: number | undefined }> {
  const found = await listGenerations({ filter: { sessionId }, limit: MAX_CALLS }, parts);
  const data: CacheReport[] = [];
  const sums = createSums();
  const records = toOldestFirst(found.records);
  for (const session of groupBySession(records)) {
    for await (const examined of examine(session, parts)) {
      data.push(toReport(examined));
      sums.add(examined);
    }
  }
  const places = new Map(records.map(({ generation }, at) => [generation.id, at]));
  data.sort((one, other) => (places.get(one.generation_id) ?? 0) - (places.get(other.generation_id) ?? 0));
  return { data, sums: sums.total(), searchedFromMs: found.next === null ? undefined : startOf(records[0]) };
}

/** What was missed within a span, by cause and app, also over its time. The calls of the hour before are only compared with. */
export async function reportCauses(
  { fromMs, toMs, bucketMs }: { readonly fromMs: number; readonly toMs: number; readonly bucketMs: number },
  parts: CacheDoctorParts,
): Promise<{ data: CacheCauseRow[]; timeline: CacheCausePart[]; calls: number; searchedFromMs: number | undefined }> {
  const filter = { createdFromMs: fromMs - HOUR_MS, createdBeforeMs: toMs };
  const found = await listGenerations({ filter, limit: MAX_CALLS }, parts);
  const records = toOldestFirst(found.records);
  const rows = new Map<string, { row: CacheCauseRow; saved: bigint; missed: bigint }>();
  const timeline = new Map<string, CacheCausePart & { missed: bigint }>();
  let calls = 0;
  // Session by session, so that only the prompts of one are held at a time.
  for (const session of groupBySession(records)) {
    for await (const { call, diagnosis, savedAtto, missedAtto } of examine(session, parts)) {
      if (call.createdAtMs < fromMs) continue;
      calls += 1;
      const { cause } = diagnosis;
      const key = JSON.stringify([cause, call.app]);
      const sum = rows.get(key) ?? { row: toEmptyRow(cause, call.app), saved: 0n, missed: 0n };
      rows.set(key, sum);
      sum.row.calls += 1;
      // The oldest come first.
      sum.row.examples = [call.id, ...sum.row.examples].slice(0, MAX_EXAMPLES);
      sum.row.prompt_tokens += call.promptTokens ?? 0;
      sum.row.read_tokens += call.readTokens ?? 0;
      sum.saved += savedAtto ?? 0n;
      sum.missed += missedAtto ?? 0n;
      const startMs = fromMs + Math.floor((call.createdAtMs - fromMs) / bucketMs) * bucketMs;
      const start = new Date(startMs).toISOString();
      const partKey = `${start} ${key}`;
      const part = timeline.get(partKey) ?? { start, cause, app: call.app, calls: 0, would_have_saved: 0, missed: 0n };
      timeline.set(partKey, part);
      part.calls += 1;
      part.missed += missedAtto ?? 0n;
    }
  }
  const data = [...rows.values()].map(({ row, saved, missed }) => ({
    ...row,
    saved: toUsdOrNull(saved) ?? 0,
    would_have_saved: toUsdOrNull(missed) ?? 0,
  }));
  const searchedMs = found.next === null ? undefined : startOf(records[0]);
  return {
    data: data.toSorted((a, b) => b.would_have_saved - a.would_have_saved || b.calls - a.calls),
    timeline: [...timeline.values()]
      .map(({ missed, ...part }) => ({ ...part, would_have_saved: toUsdOrNull(missed) ?? 0 }))
      .toSorted((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0)),
    calls,
    searchedFromMs: searchedMs !== undefined && searchedMs > fromMs ? searchedMs : undefined,
  };
}

/** Clients choose the names of sessions, and two workspaces may have the same one. A call without a session is alone. */
function groupBySession(records: readonly GenerationRecord[]): Iterable<readonly GenerationRecord[]> {
  const sessions = new Map<string, GenerationRecord[]>();
  for (const record of records) {
    const { session_id: sessionId, id } = record.generation;
    const key = sessionId === null ? `call ${id}` : `session ${workspaceOf(record)} ${sessionId}`;
    const session = sessions.get(key);
    if (session === undefined) sessions.set(key, [record]);
    else session.push(record);
  }
  return sessions.values();
}

/** The workspace of a call; old records name none. */
export const workspaceOf = ({ generation }: GenerationRecord): string =>
  generation.workspace_id ?? DEFAULT_WORKSPACE_ID;

const toEmptyRow = (cause: CacheCauseRow['cause'], app: string | null): CacheCauseRow => ({
  cause,
  app,
  calls: 0,
  prompt_tokens: 0,
  read_tokens: 0,
  saved: 0,
  would_have_saved: 0,
  examples: [],
});

/** When a call began, in Unix milliseconds. */
export const startOf = (record: GenerationRecord | undefined): number | undefined =>
  record === undefined ? undefined : Date.parse(record.generation.created_at);

export const toOldestFirst = (records: readonly GenerationRecord[]): GenerationRecord[] =>
  records.toReversed().toSorted((a, b) => (startOf(a) ?? 0) - (startOf(b) ?? 0));

/** Examines the calls of one session, oldest first. */
async function* examine(records: readonly GenerationRecord[], parts: CacheDoctorParts): AsyncGenerator<Examined> {
  const earlier: CachedCall[] = [];
  for await (const record of inTurns(records, parts.platform)) {
    const content = await parts.store.generations.getContent(record.generation.id);
    const call = readCachedCall(record, content, parts.findPrices);
    const found = diagnose(call, earlier);
    // Without a session, what is called first only is not known to continue anything.
    const isAlone = record.generation.session_id === null && found.cause === 'first_call';
    const diagnosis: Diagnosis = isAlone ? { ...found, cause: 'unknown' } : found;
    const missed = LOSES_NOTHING.has(diagnosis.cause)
      ? 0
      : Math.max(0, diagnosis.readableTokens - (call.readTokens ?? 0));
    yield {
      call,
      diagnosis,
      savedAtto: savedAttoOf(call),
      missedAtto: missedAttoOf(call, missed),
      missedTokens: missed,
    };
    earlier.push(call);
    if (earlier.length > WINDOW) earlier.shift();
  }
}

/** Goes through records and lets others have their turn between them. */
export async function* inTurns(
  records: readonly GenerationRecord[],
  platform: CacheDoctorParts['platform'],
): AsyncGenerator<GenerationRecord> {
  let yieldsAt = platform.monotonicNow() + STEP_MS;
  for (const record of records) {
    yield record;
    if (platform.monotonicNow() < yieldsAt) continue;
    await new Promise<void>((resolve) => platform.setTimer(resolve, 0));
    yieldsAt = platform.monotonicNow() + STEP_MS;
  }
}

function toReport({ call, diagnosis, savedAtto, missedAtto }: Examined): CacheReport {
  const { cause, earlier, common, commonTokens, difference } = diagnosis;
  return {
    generation_id: call.id,
    created_at: call.createdAt,
    model: call.model,
    endpoint: call.endpoint,
    cause,
    ...toSentences(call, diagnosis),
    compared_with: earlier?.id ?? null,
    gap_ms: earlier === null ? null : call.createdAtMs - earlier.createdAtMs,
    prompt_tokens: call.promptTokens,
    read_tokens: call.readTokens,
    written_tokens: call.writtenTokens,
    common_prefix: common === null ? null : { characters: common.characters, tokens: commonTokens },
    difference,
    cost: toUsdOrNull(call.costAtto),
    saved: toUsdOrNull(savedAtto),
    would_have_saved: toUsdOrNull(missedAtto),
    stable_mark: toStableMark(call, diagnosis),
  };
}

function toStableMark(call: CachedCall, { stable }: Diagnosis): CacheReport['stable_mark'] {
  const more = (stable?.tokens ?? 0) - (call.readTokens ?? 0);
  if (stable === null || more <= 0) return null;
  return { path: stable.path, would_have_saved: toUsdOrNull(missedAttoOf(call, more)) };
}

interface Sums {
  add(examined: Examined): void;
  total(): CacheSums;
}

const FIVE_MINUTES_MS = 5 * 60_000;

function createSums(): Sums {
  const tokens = { calls: 0, prompt_tokens: 0, read_tokens: 0, written_tokens: 0 };
  const atto = { cost: 0n, saved: 0n, missed: 0n };
  let marked5m: bigint | null = 0n;
  let marked1h: bigint | null = 0n;
  return {
    add(examined) {
      const { call, savedAtto, missedAtto } = examined;
      tokens.calls += 1;
      tokens.prompt_tokens += call.promptTokens ?? 0;
      tokens.read_tokens += call.readTokens ?? 0;
      tokens.written_tokens += call.writtenTokens ?? 0;
      atto.cost += call.costAtto ?? 0n;
      atto.saved += savedAtto ?? 0n;
      atto.missed += missedAtto ?? 0n;
      const { input_cache_write: five, input_cache_write_1h: hour } = call.prices;
      marked5m = addMarked(marked5m, examined, five, FIVE_MINUTES_MS);
      marked1h = addMarked(marked1h, examined, hour, HOUR_MS);
    },
    total: () => ({
      ...tokens,
      cost: attoToUsd(atto.cost),
      saved: toUsdOrNull(atto.saved) ?? 0,
      would_have_saved: toUsdOrNull(atto.missed) ?? 0,
      marked_5m: toUsdOrNull(marked5m),
      marked_1h: toUsdOrNull(marked1h),
    }),
  };
}

/** Adds what the prompt would have cost with a mark at its end that is kept so long; null where a price is not known. */
function addMarked(
  sum: bigint | null,
  { call, diagnosis }: Examined,
  write: bigint | undefined,
  keptMs: number,
): bigint | null {
  const { input_cache_read: read } = call.prices;
  if (sum === null || write === undefined || read === undefined || call.promptTokens === null) return null;
  const { earlier, commonTokens } = diagnosis;
  const isKept = earlier !== null && call.createdAtMs - earlier.createdAtMs <= keptMs;
  const isSameCache = earlier?.endpoint === call.endpoint && earlier?.account === call.account;
  const common = isKept && isSameCache ? Math.min(commonTokens, call.promptTokens) : 0;
  return sum + BigInt(common) * read + BigInt(call.promptTokens - common) * write;
}
