import type { Awaitable } from '../foundation/awaitable.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GuardrailHitsRow, GuardrailRefusal } from '../stores/rows.ts';
import type { GenerationRecord, GuardrailDaysQuery, GuardrailHitsRepository, Store } from '../stores/store.ts';
import type { GuardrailHitCounts, GuardrailHitList } from '../wire/guardrails.ts';
import type { PipelineStage } from '../wire/routing.ts';
import { GUARDRAIL_EFFECTS, type GuardrailEffect } from '../wire/values.ts';

/** The caller of a refused call, and what they asked for. */
type RefusedCaller = Pick<GuardrailRefusal, 'principalId' | 'model'>;

/**
 * Counts how often guardrails act. What is counted is in the store some seconds later, or once the store takes it: a
 * crash loses those seconds, which no limit depends on.
 */
export interface GuardrailHits {
  /** Counts a call that ended before any endpoint was asked. */
  noteRefused(hits: readonly GuardrailHit[], caller: RefusedCaller): void;
  /** Counts a call that was recorded; where timers belong to requests, resolves when that is in the store. */
  noteRecorded(record: GenerationRecord): Awaitable<void>;
  /** Resolves when all that was counted is in the store, or the store does not take it; never rejects. */
  save(): Promise<void>;
}

interface GuardrailHitsParts {
  readonly store: Pick<Store, 'guardrailHits'>;
  readonly platform: Pick<Platform, 'now' | 'setTimer' | 'isPerRequest'>;
  readonly logger: Logger;
}

const SAVE_AFTER_MS = 5000;
const MAX_REFUSALS = 50;
/** Rows, one a guardrail and day, that wait for a store that does not take them; beyond it the oldest are dropped. */
const MAX_UNSAVED = 1000;
/** Rows of a store that does not drop them itself. */
const KEPT_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;

export function createGuardrailHits({ store, platform, logger }: GuardrailHitsParts): GuardrailHits {
  let unsaved = new Map<string, GuardrailHitsRow>();
  let saving: Promise<void> | undefined;
  let isTimed = false;
  let sweptDay = '';
  let isFailing = false;

  const begin = (): void => {
    if (isTimed || platform.isPerRequest === true) return;
    isTimed = true;
    platform.setTimer(() => {
      isTimed = false;
      void save();
    }, SAVE_AFTER_MS);
  };
  const count = ({ guardrailId, effect, rule }: GuardrailHit, at: number, refused: RefusedCaller | null): void => {
    const time = new Date(at).toISOString();
    const day = time.slice(0, 10);
    const id = `${guardrailId} ${day}`;
    const refusals = refused === null ? [] : [{ at, effect, rule, ...refused }];
    const hit = { id, guardrailId, day, hours: { [Number(time.slice(11, 13))]: { [effect]: 1 } }, refusals };
    unsaved.set(id, addRows(unsaved.get(id), hit));
    begin();
  };

  /** Counts what the store did not take again with what came meanwhile. */
  const keep = (rows: ReadonlyMap<string, GuardrailHitsRow>, failure: unknown): void => {
    const since = unsaved;
    unsaved = new Map(rows);
    for (const [id, row] of since) unsaved.set(id, addRows(unsaved.get(id), row));
    let dropped = 0;
    for (const id of unsaved.keys()) {
      if (unsaved.size <= MAX_UNSAVED) break;
      unsaved.delete(id);
      dropped += 1;
    }
    begin();
    // Logged once, because it is tried again every few seconds.
    if (isFailing && dropped === 0) return;
    isFailing = true;
    logger.warn('counts of guardrails could not be stored; they are kept and stored later', {
      rows: unsaved.size,
      ...(dropped > 0 && { dropped }),
      reason: String(failure),
    });
  };
  const write = async (): Promise<void> => {
    const rows = unsaved;
    unsaved = new Map();
    let failure: unknown;
    for (const [id, row] of rows) {
      try {
        await store.guardrailHits.update(id, (present) => addRows(present, row), toEmpty(row));
        rows.delete(id);
      } catch (error) {
        failure = error;
      }
    }
    if (rows.size > 0) {
      keep(rows, failure);
      return;
    }
    isFailing = false;
    const today = new Date(platform.now()).toISOString().slice(0, 10);
    if (today === sweptDay) return;
    sweptDay = today;
    const to = new Date(platform.now() - (KEPT_DAYS + 1) * DAY_MS).toISOString().slice(0, 10);
    for (const { id } of await listHitDays(store.guardrailHits, { to })) await store.guardrailHits.remove(id);
  };
  const save = async (): Promise<void> => {
    if (platform.isPerRequest !== true) await saving;
    if (unsaved.size === 0) return;
    const writing = write().catch((error: unknown) => {
      logger.warn('old counts of guardrails could not be removed', { reason: String(error) });
    });
    saving = writing;
    await writing;
  };

  return {
    noteRefused(hits, caller) {
      const at = platform.now();
      for (const hit of hits) count(hit, at, caller);
    },
    noteRecorded({ generation: { pipeline, narrowed_by: narrowedBy, created_at: createdAt } }) {
      if (pipeline === undefined && narrowedBy === undefined) return;
      const at = Date.parse(createdAt);
      for (const hit of effectsOfStages(pipeline ?? [])) count(hit, at, null);
      for (const guardrailId of narrowedBy ?? []) count({ guardrailId, effect: 'narrowed', rule: '' }, at, null);
      return platform.isPerRequest === true ? save() : undefined;
    },
    save,
  };
}

const toEmpty = (row: GuardrailHitsRow): GuardrailHitsRow => ({ ...row, hours: {}, refusals: [] });

type Counts = GuardrailHitsRow['hours'][string];

function addRows(row: GuardrailHitsRow | undefined, more: GuardrailHitsRow): GuardrailHitsRow {
  if (row === undefined) return more;
  const hours: Record<string, Counts> = { ...row.hours };
  for (const [hour, counts] of Object.entries(more.hours)) hours[hour] = addCounts(hours[hour], counts);
  const refusals = [...more.refusals, ...row.refusals].slice(0, MAX_REFUSALS);
  return { ...row, hours, refusals };
}

function addCounts(counts: Counts | undefined, more: Counts): Counts {
  const sum: Partial<Record<GuardrailEffect, number>> = { ...counts };
  for (const [effect, number] of Object.entries(more) as [GuardrailEffect, number][]) {
    sum[effect] = (sum[effect] ?? 0) + number;
  }
  return sum;
}

/** What one guardrail did to one call. */
interface GuardrailHit {
  readonly guardrailId: string;
  readonly effect: GuardrailEffect;
  /** The label of the filter, or the field of the guardrail. */
  readonly rule: string;
}

/** What filters did, each guardrail and effect once. */
export function effectsOfStages(stages: readonly PipelineStage[]): readonly GuardrailHit[] {
  const hits = stages.flatMap(({ guardrail_id: guardrailId, name, data }) => {
    const action = data?.['action'];
    if (guardrailId === undefined || !isEffect(action)) return [];
    const kinds = data?.['matched_entity_types'];
    const rule = Array.isArray(kinds) && typeof kinds[0] === 'string' ? kinds[0] : name;
    return [{ guardrailId, effect: action, rule }];
  });
  return eachOnce(hits);
}

/** The guardrails that exclude endpoints, each once. */
export function effectsOfExclusions(
  excluded: readonly { readonly rule: string; readonly guardrailId?: string | undefined }[],
  effect: 'narrowed' | 'unserved',
): readonly GuardrailHit[] {
  return eachOnce(
    excluded.flatMap(({ guardrailId, rule }) => (guardrailId === undefined ? [] : [{ guardrailId, effect, rule }])),
  );
}

const eachOnce = (hits: readonly GuardrailHit[]): readonly GuardrailHit[] =>
  hits.length < 2
    ? hits
    : [...new Map(hits.toReversed().map((hit) => [`${hit.guardrailId} ${hit.effect}`, hit])).values()];

const isEffect = (action: unknown): action is 'blocked' | 'redacted' | 'flagged' =>
  action === 'blocked' || action === 'redacted' || action === 'flagged';

/** What guardrails did on some days, oldest first. Where a store is not asked that narrowly, of all that it lists. */
export async function listHitDays(
  hits: GuardrailHitsRepository,
  query: GuardrailDaysQuery,
): Promise<readonly GuardrailHitsRow[]> {
  if (hits.listDays !== undefined) return hits.listDays(query);
  const { from = '', to, guardrailId: wanted } = query;
  return (await hits.list()).filter(
    ({ day, guardrailId }) =>
      day >= from && (to === undefined || day <= to) && (wanted === undefined || guardrailId === wanted),
  );
}

interface HitsSpan {
  /** Beginning of an hour in UTC, or of a day where a bucket is one. */
  readonly startMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
  /** Is in the result although it did nothing. */
  readonly guardrailId: string | undefined;
}

interface Sum {
  readonly totals: GuardrailHitCounts;
  readonly buckets: readonly GuardrailHitCounts[];
}

const HOUR_MS = 60 * 60 * 1000;

/** Adds rows up by guardrail and time. */
export function sumHits(rows: readonly GuardrailHitsRow[], span: HitsSpan): GuardrailHitList['data'] {
  const { startMs, bucketMs, buckets, guardrailId: always } = span;
  const sums = new Map<string, Sum>();
  const sumOf = (id: string): Sum => {
    const sum = sums.get(id) ?? { totals: toNone(), buckets: Array.from({ length: buckets }, toNone) };
    sums.set(id, sum);
    return sum;
  };
  if (always !== undefined) sumOf(always);
  for (const { guardrailId, day, hours } of rows) {
    for (const [hour, counts] of Object.entries(hours)) {
      const at = Math.floor((Date.parse(day) + Number(hour) * HOUR_MS - startMs) / bucketMs);
      if (at < 0 || at >= buckets) continue;
      const { totals, buckets: parts } = sumOf(guardrailId);
      for (const effect of GUARDRAIL_EFFECTS) {
        const number = counts[effect] ?? 0;
        totals[effect] += number;
        (parts[at] as GuardrailHitCounts)[effect] += number;
      }
    }
  }
  return [...sums].map(([id, sum]) => ({ guardrail_id: id, totals: sum.totals, buckets: [...sum.buckets] }));
}

const toNone = (): GuardrailHitCounts => ({
  blocked: 0,
  redacted: 0,
  flagged: 0,
  narrowed: 0,
  unserved: 0,
  over_budget: 0,
});
