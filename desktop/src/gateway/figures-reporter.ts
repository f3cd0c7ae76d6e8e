import type { Gateway, GenerationRecord, Store } from '@model-gateway/core';
import type { PanelCall } from '@model-gateway/ui/desktop-bridge';

import type { Failure, GatewayFigures } from '../shared/gateway-messages.ts';

/** Reports calls to the tray, only after something has happened and at most once per interval. */
export interface FiguresReporter {
  /** Must be called when a call begins or has been recorded. */
  note(): void;
  reportNow(): Promise<void>;
}

export interface FiguresReporterOptions {
  readonly gateway: Pick<Gateway, 'stats'>;
  readonly store: Pick<Store, 'generations'>;
  readonly tell: (figures: GatewayFigures) => void;
}

/** Adding up a day takes longer the more calls it has, so it is not done for every call. */
const REPORT_AFTER_MS = 1000;
const LOOK_FOR_MIDNIGHT_MS = 30_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_CALLS = 5;
const NANO_PER_USD = 1e9;
const FAILED: ReadonlySet<'failed'> = new Set(['failed']);

/** The day of the user's clock, as in the window. */
const startOfToday = (): number => new Date().setHours(0, 0, 0, 0);

export function createFiguresReporter({ gateway, store, tell }: FiguresReporterOptions): FiguresReporter {
  let isDue = false;
  /** When the day began that was reported last. */
  let reportedDay: number | undefined;
  const reportNow = async (): Promise<void> => {
    const startMs = startOfToday();
    reportedDay = startMs;
    const filter = { createdFromMs: startMs };
    // A day may have 25 hours.
    const { total } = await store.generations.histogram({ filter, startMs, bucketMs: 2 * DAY_MS, buckets: 1 });
    const latest = await store.generations.page({ limit: MAX_CALLS, filter: {} });
    const failed = await store.generations.page({ limit: MAX_CALLS, filter: { statuses: FAILED } });
    tell({
      openCalls: gateway.stats().openCalls,
      today: { requests: total.requests, costUsd: total.costNanoUsd / NANO_PER_USD },
      latest: latest.records.map(toPanelCall),
      failures: failed.records.map(toFailure),
    });
  };
  // Nothing happens at midnight that would be noted. It is looked for, because a machine that sleeps delays timers.
  setInterval(() => {
    if (reportedDay !== undefined && reportedDay !== startOfToday()) reportNow().catch(() => undefined);
  }, LOOK_FOR_MIDNIGHT_MS).unref();
  return {
    reportNow,
    note() {
      if (isDue) return;
      isDue = true;
      const report = (): void => {
        isDue = false;
        // The store may have been closed meanwhile; then no one receives the figures.
        reportNow().catch(() => undefined);
      };
      setTimeout(report, REPORT_AFTER_MS).unref();
    },
  };
}

function toPanelCall({ generation }: GenerationRecord): PanelCall {
  const { id, created_at: createdAt, model, total_cost: costUsd, cost_known: isCostKnown } = generation;
  const status = toStatus(generation);
  return { id, at: Date.parse(createdAt), model, status, costUsd: isCostKnown === false ? null : costUsd };
}

function toStatus({
  interrupted,
  cancelled,
  finish_reason: reason,
}: GenerationRecord['generation']): PanelCall['status'] {
  if (interrupted === true) return 'interrupted';
  if (cancelled === true) return 'cancelled';
  return reason === 'error' ? 'failed' : 'ok';
}

function toFailure({ generation }: GenerationRecord): Failure {
  const { id, created_at: createdAt, model, provider_responses: responses } = generation;
  return { id, at: Date.parse(createdAt), model, status: responses?.at(-1)?.status ?? null };
}
