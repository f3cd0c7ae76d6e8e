import { z } from 'zod';

import type { Catalog } from '../catalog/catalog.ts';
import { type ErrorCode, GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { DAY_MS, dayAt, type DatasetScope, rankApps, rankModels, sumSessionCosts } from '../generations/datasets.ts';
import { operation, publicOperation } from '../http/operation.ts';
import type { Principal } from '../http/request.ts';
import type { Store } from '../stores/store.ts';
import {
  appRankingsQuerySchema,
  appRankingsSchema,
  rankingsQuerySchema,
  rankingsSchema,
  sessionCostQuerySchema,
  sessionCostSchema,
} from '../wire/datasets.ts';
import { refuseField } from '../wire/fields.ts';

export interface DatasetParts {
  readonly store: Pick<Store, 'generations'>;
  readonly catalog: Catalog;
  readonly platform: Pick<Platform, 'now'>;
}

const WINDOW_DAYS = 30;
/** Each day is looked through, and three times as many for a trend. */
const MAX_DAYS = 366;

interface Window {
  readonly start: string;
  readonly end: string;
}

/** The days that a query names. Throws `invalid_request` where they are in the wrong order, or too many. */
function windowOf({ start_date: start, end_date: end }: Partial<Record<string, unknown>>, now: number): Window {
  const last = typeof end === 'string' ? end : dayAt(now - DAY_MS);
  const first = typeof start === 'string' ? start : dayAt(Date.parse(last) - (WINDOW_DAYS - 1) * DAY_MS);
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (days < 1) throw refuseField('start_date', 'must not be after end_date');
  if (days > MAX_DAYS) throw refuseField('start_date', `must leave at most ${MAX_DAYS} days until end_date`);
  return { start: first, end: last };
}

/** Holders of API keys see what they made, as elsewhere; management sees all. */
const toScope = ({ start, end }: Window, { kind, id }: Principal): DatasetScope => ({
  fromMs: Date.parse(start),
  toMs: Date.parse(end) + DAY_MS,
  principalId: kind === 'management' ? undefined : id,
});

const toMeta = ({ start, end }: Window, now: number) => ({
  as_of: new Date(now).toISOString(),
  version: 'v1' as const,
  start_date: start,
  end_date: end,
});

/** `GET /datasets/rankings-daily`: the models that this gateway has called, by tokens. */
export const getRankingsDaily = operation<DatasetParts>()({
  query: rankingsQuerySchema,
  response: rankingsSchema,
  async run({ parts, principal, query }) {
    const now = parts.platform.now();
    const window = windowOf(query, now);
    return { data: await rankModels(parts, toScope(window, principal), query), meta: toMeta(window, now) };
  },
});

/** `GET /datasets/app-rankings`: the apps that have called this gateway, by tokens. */
export const getAppRankings = operation<DatasetParts>()({
  query: appRankingsQuerySchema,
  response: appRankingsSchema,
  async run({ parts, principal, query: { sort, offset, limit, ...query } }) {
    const now = parts.platform.now();
    const window = windowOf(query, now);
    const ranked = await rankApps(parts, toScope(window, principal), sort);
    return { data: ranked.slice(offset, offset + limit), meta: toMeta(window, now) };
  },
});

/** `GET /datasets/session-cost`: the median cost of sessions by app, model and number of calls. */
export const getSessionCost = operation<DatasetParts>()({
  query: sessionCostQuerySchema,
  response: sessionCostSchema,
  async run({ parts, principal, query: { app_slug: app, model, turn_range: range, offset, limit } }) {
    const now = parts.platform.now();
    const window = windowOf({}, now);
    const slug = model === undefined ? undefined : (parts.catalog.find(model)?.definition.canonical_slug ?? model);
    const cells = (await sumSessionCosts(parts, toScope(window, principal))).filter(
      (cell) =>
        (app === undefined || cell.app_slug === app) &&
        (slug === undefined || cell.model_permaslug === slug) &&
        (range === undefined || cell.turn_range === range),
    );
    const { as_of, version, end_date: window_end_date } = toMeta(window, now);
    return {
      data: cells.slice(offset, offset + limit),
      meta: { as_of, version, window_days: WINDOW_DAYS, window_end_date },
    };
  },
});

const refusal = (code: ErrorCode, message: string) => ({
  response: z.object({}),
  errors: [code],
  run(): never {
    throw new GatewayError(code, message);
  },
});

/** `GET /benchmarks`: collected by the public API, of which there is nothing here. */
export const getBenchmarks = operation<object>()(
  refusal(
    'not_found',
    'This gateway collects no benchmarks. Scores that the definitions of models state are in GET /models',
  ),
);

/** `GET /classifications/task`: the public API samples its traffic for it. */
export const getTaskClassifications = operation<object>()(
  refusal('not_found', 'This gateway does not classify what calls are about'),
);

/** `POST /credits/coinbase`: gone from the public API as well. */
export const createCoinbaseCharge = publicOperation<object>()(
  refusal('gone', 'Credits are not bought here: the operator sets them with account.creditsUsd'),
);
