import type { Awaitable } from '../../foundation/awaitable.ts';
import type { Logger } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { GuardrailHitsRow, GuardrailRefusal } from '../../stores/rows.ts';
import type { GenerationRecord, Store } from '../../stores/store.ts';
import type { GuardrailEffect } from '../../wire/guardrails.ts';
import { effectsOfStages, type GuardrailHit } from './effects-of.ts';
import { listHitDays } from './list-hit-days.ts';

/** The caller of a refused call, and what they asked for. */
export type RefusedCaller = Pick<GuardrailRefusal, 'principalId' | 'model'>;

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

export interface GuardrailHitsParts {
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
    logger.warn('what guardrails did could not be stored; it is kept and tried again', {
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
