import type { Catalog } from '../catalog/catalog.ts';
import { NANO_PER_USD } from '../foundation/money.ts';
import type { GenerationFacts } from '../stores/generation-queries.ts';
import type { Store } from '../stores/store.ts';
import {
  type AppRanking,
  CONTEXT_BUCKETS,
  type ContextBucket,
  type ModelRanking,
  type RankingModality,
  type RankingPeriod,
  type SessionCost,
  TURN_RANGES,
  type TurnRange,
} from '../wire/datasets.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Generations of some time, of one principal or of all. */
export interface DatasetScope {
  readonly fromMs: number;
  readonly toMs: number;
  /** Undefined for all. */
  readonly principalId: string | undefined;
}

interface DatasetParts {
  readonly store: Pick<Store, 'generations'>;
  readonly catalog: Pick<Catalog, 'find'>;
}

const scan = ({ store }: DatasetParts, scope: DatasetScope, look: (facts: GenerationFacts) => void): Promise<void> =>
  store.generations.scan(scope, (generation) => {
    const facts = generation.readFacts();
    if (scope.principalId === undefined || facts.principalId === scope.principalId) look(facts);
  });

const tokensOf = ({ promptTokens, completionTokens }: GenerationFacts): number =>
  (promptTokens ?? 0) + (completionTokens ?? 0);

const permaslugOf = (model: string, { catalog }: DatasetParts): string =>
  catalog.find(model)?.definition.canonical_slug ?? model;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface ModelRankingOptions {
  readonly period: RankingPeriod;
  readonly modality?: RankingModality | undefined;
  readonly context_bucket?: ContextBucket | undefined;
}

const MAX_MODELS = 50;
const OTHERS = 'other';

/** The models of each day, week or month by their tokens; those beyond the first fifty are one row, the last. */
export async function rankModels(
  parts: DatasetParts,
  scope: DatasetScope,
  { period, modality, context_bucket: bucket }: ModelRankingOptions,
): Promise<ModelRanking[]> {
  const dates = new Map<string, Map<string, number>>();
  await scan(parts, scope, (facts) => {
    const tokens = tokensOf(facts);
    if (tokens === 0 || !isOfModality(facts, modality, parts)) return;
    if (bucket !== undefined && bucketOf(facts.promptTokens ?? 0) !== bucket) return;
    const date = startOf(period, facts.createdAtMs);
    const models = dates.get(date) ?? new Map<string, number>();
    dates.set(date, models);
    const slug = permaslugOf(facts.model, parts);
    models.set(slug, (models.get(slug) ?? 0) + tokens);
  });
  return [...dates]
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([date, models]) => {
      const ranked = [...models].toSorted(([a, more], [b, fewer]) => fewer - more || compare(a, b));
      const rest = ranked.slice(MAX_MODELS).reduce((sum, [, tokens]) => sum + tokens, 0);
      const rows = ranked.slice(0, MAX_MODELS).concat(rest > 0 ? [[OTHERS, rest]] : []);
      return rows.map(([model_permaslug, tokens]) => ({ date, model_permaslug, total_tokens: String(tokens) }));
    });
}

/** By what the model reads and writes; of a model that is gone nothing is known. */
function isOfModality(
  facts: GenerationFacts,
  modality: RankingModality | undefined,
  { catalog }: DatasetParts,
): boolean {
  if (modality === undefined) return true;
  if (modality === 'tool_calling') return facts.finishReason === 'tool_calls';
  const definition = catalog.find(facts.model)?.definition;
  if (definition === undefined) return false;
  const { input_modalities: inputs = ['text'], output_modalities: outputs = ['text'] } = definition.architecture ?? {};
  if (modality === 'text') return outputs.includes('text');
  return modality === 'image_output' ? outputs.includes('image') : inputs.includes(modality);
}

const bucketOf = (promptTokens: number): ContextBucket =>
  (Object.keys(CONTEXT_BUCKETS) as ContextBucket[]).find((name) => promptTokens <= CONTEXT_BUCKETS[name]) ?? '10M';

export const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The first day of the period in which a moment is. Weeks begin on Mondays. */
function startOf(period: RankingPeriod, ms: number): string {
  if (period === 'day') return dayAt(ms);
  if (period === 'month') return `${dayAt(ms).slice(0, 7)}-01`;
  return dayAt(ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS);
}

/** Spans of the same length before one, from whose average a trend is told. */
const SPANS_BEFORE = 3;

/** The apps by their tokens, or by how many more these are than the average of the three spans before. */
export async function rankApps(
  parts: DatasetParts,
  scope: DatasetScope,
  sort: 'popular' | 'trending',
): Promise<AppRanking[]> {
  const apps = new Map<string, { tokens: number; requests: number; before: number }>();
  const length = scope.toMs - scope.fromMs;
  const fromMs = sort === 'popular' ? scope.fromMs : scope.fromMs - SPANS_BEFORE * length;
  await scan(parts, { ...scope, fromMs }, (facts) => {
    if (facts.app === null) return;
    const sum = apps.get(facts.app) ?? { tokens: 0, requests: 0, before: 0 };
    apps.set(facts.app, sum);
    const tokens = tokensOf(facts);
    if (facts.createdAtMs < scope.fromMs) sum.before += tokens;
    else {
      sum.tokens += tokens;
      sum.requests += 1;
    }
  });
  return [...apps]
    .map(([name, sum]) => ({ name, ...sum, by: sum.tokens - (sort === 'popular' ? 0 : sum.before / SPANS_BEFORE) }))
    .filter(({ requests, by }) => requests > 0 && (sort === 'popular' || by > 0))
    .toSorted((a, b) => b.by - a.by || compare(a.name, b.name))
    .map(({ name, tokens, requests }, index) => ({
      rank: index + 1,
      app_id: toAppId(name),
      app_name: name,
      total_tokens: String(tokens),
      total_requests: requests,
    }));
}

/** A number that is always the same for a name (FNV-1a). */
function toAppId(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

interface SessionFigures {
  readonly app: string;
  costNanoUsd: number;
  isCostKnown: boolean;
  /** The number of calls of each model. */
  readonly models: Map<string, number>;
}

/**
 * The median cost of sessions by app, model and number of calls. A session counts for the model of most of its calls, and
 * for each of its apps apart. Sessions of unknown cost are left out.
 */
export async function sumSessionCosts(parts: DatasetParts, scope: DatasetScope): Promise<SessionCost[]> {
  const sessions = new Map<string, SessionFigures>();
  await scan(parts, scope, (facts) => {
    if (facts.sessionId === null || facts.app === null) return;
    const id = JSON.stringify([facts.sessionId, facts.app, facts.principalId]);
    const sum = sessions.get(id) ?? { app: facts.app, costNanoUsd: 0, isCostKnown: true, models: new Map() };
    sessions.set(id, sum);
    sum.costNanoUsd += facts.costNanoUsd;
    sum.isCostKnown &&= facts.isCostKnown;
    sum.models.set(facts.model, (sum.models.get(facts.model) ?? 0) + 1);
  });
  const cells = new Map<string, { readonly cell: Cell; readonly costs: number[] }>();
  for (const session of sessions.values()) {
    if (!session.isCostKnown) continue;
    const cell = toCell(session, parts);
    const id = JSON.stringify(cell);
    const known = cells.get(id) ?? { cell, costs: [] };
    cells.set(id, known);
    known.costs.push(session.costNanoUsd);
  }
  return [...cells.values()]
    .map(({ cell, costs }) => ({ ...cell, median_session_cost_usd: medianOf(costs) / NANO_PER_USD }))
    .toSorted(
      (a, b) =>
        compare(a.app_slug, b.app_slug) ||
        compare(a.model_permaslug, b.model_permaslug) ||
        TURN_RANGES[a.turn_range] - TURN_RANGES[b.turn_range],
    );
}

type Cell = Omit<SessionCost, 'median_session_cost_usd'>;

function toCell({ app, models }: SessionFigures, parts: DatasetParts): Cell {
  const calls = [...models.values()].reduce((sum, count) => sum + count, 0);
  const [model = ''] = [...models].toSorted(([a, more], [b, fewer]) => fewer - more || compare(a, b))[0] ?? [];
  return {
    app_slug: toSlug(app),
    app_name: app,
    turn_range: rangeOf(calls),
    model_permaslug: permaslugOf(model, parts),
  };
}

const rangeOf = (calls: number): TurnRange =>
  (Object.keys(TURN_RANGES) as TurnRange[]).findLast((name) => calls >= TURN_RANGES[name]) ?? '1-turn';

const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return (lower + upper) / 2;
}
