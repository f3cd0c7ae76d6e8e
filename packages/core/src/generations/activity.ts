import type { Catalog } from '../catalog/catalog.ts';
import { NANO_PER_USD } from '../foundation/money.ts';
import { createActivityBook } from '../stores/kit/aggregates.ts';
import type { ActivitySum, Store } from '../stores/store.ts';
import type { ActivityItem } from '../wire/generation-list.ts';

/** Days in UTC, both included. */
export interface ActivityRange {
  readonly first: string;
  readonly last: string;
}

interface ActivitySelection extends ActivityRange {
  /** Stores have the sums from this day on in memory; at or before `first`. */
  readonly since: string;
  /** Default: all principals. */
  readonly principalIds?: ReadonlySet<string> | undefined;
  /** The member for whom calls were made. */
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly byWorkspace: boolean;
}

interface Row extends Omit<ActivityItem, 'usage' | 'byok_usage_inference'> {
  creditsNanoUsd: number;
  byokNanoUsd: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
}

interface ActivityParts {
  readonly store: Pick<Store, 'generations'>;
  readonly catalog: Pick<Catalog, 'find'>;
}

/** The generations of some days by day, model and endpoint. Newest days first. As far back as records are kept. */
export async function summariseActivity(
  { store, catalog }: ActivityParts,
  { since, first, last, principalIds, userId, workspaceId, byWorkspace }: ActivitySelection,
): Promise<ActivityItem[]> {
  const rows = new Map<string, Row>();
  const permaslugOf = (model: string): string => catalog.find(model)?.definition.canonical_slug ?? model;
  const selection = { since, principalIds };
  const sums =
    userId === undefined
      ? store.generations.activity(selection)
      : readSumsOf(userId, { first, last, principalIds, generations: store.generations });
  for (const sum of await sums) {
    const isAskedFor = sum.date >= first && sum.date <= last;
    if (!isAskedFor || (workspaceId !== undefined && workspaceId !== sum.workspaceId)) continue;
    const id = JSON.stringify([
      sum.date,
      sum.model,
      sum.providerName,
      sum.endpointId,
      byWorkspace ? sum.workspaceId : '',
    ]);
    const row = rows.get(id) ?? toRow(sum, permaslugOf(sum.model), byWorkspace);
    rows.set(id, row);
    addTo(row, sum);
  }
  return [...rows.values()].map(toItem).toSorted((a, b) => compare(b.date, a.date) || compare(a.model, b.model));
}

/** The sums of stores know keys alone, of which some are deleted, and no member has a key for calls by token. */
async function readSumsOf(
  userId: string,
  {
    first,
    last,
    principalIds,
    generations,
  }: ActivityRange & Pick<ActivitySelection, 'principalIds'> & Pick<Store, 'generations'>,
): Promise<ActivitySum[]> {
  const book = createActivityBook();
  const days = { fromMs: Date.parse(`${first}T00:00:00Z`), toMs: Date.parse(`${last}T24:00:00Z`) };
  await generations.scan({ ...days, reach: { userId, workspaceIds: new Set() } }, (generation) => {
    const facts = generation.readFacts();
    // Another member who asks reaches their own calls alone, whatever is asked for.
    if (facts.userId === userId && principalIds?.has(facts.principalId) !== false) book.add(generation.readRecord());
  });
  return book.sums();
}

function toRow(
  { date, model, endpointId, providerName, workspaceId }: ActivitySum,
  slug: string,
  byWorkspace: boolean,
) {
  return {
    date,
    model,
    model_permaslug: slug,
    endpoint_id: endpointId,
    provider_name: providerName ?? '',
    ...(byWorkspace && { workspace_id: workspaceId }),
    requests: 0,
    creditsNanoUsd: 0,
    byokNanoUsd: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
  };
}

function addTo(row: Row, sum: ActivitySum): void {
  row.requests += sum.requests;
  row.creditsNanoUsd += sum.creditsNanoUsd;
  row.byokNanoUsd += sum.byokNanoUsd;
  row.prompt_tokens += sum.promptTokens;
  row.completion_tokens += sum.completionTokens;
  row.reasoning_tokens += sum.reasoningTokens;
}

function toItem({ creditsNanoUsd, byokNanoUsd, ...row }: Row): ActivityItem {
  return { ...row, usage: creditsNanoUsd / NANO_PER_USD, byok_usage_inference: byokNanoUsd / NANO_PER_USD };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
