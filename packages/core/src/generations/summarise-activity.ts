import type { Runtime } from '../runtime.ts';
import type { ActivityItem } from '../schemas/activity.ts';
import type { Generation } from '../schemas/generation.ts';
import type { GenerationRecord } from '../stores/store.ts';

/** Days in UTC, both included. */
export interface ActivityRange {
  readonly first: string;
  readonly last: string;
}

export interface ActivitySum extends ActivityRange {
  /** Default: everybody. */
  readonly principalIds?: ReadonlySet<string> | undefined;
  readonly workspaceId?: string | undefined;
  readonly byWorkspace: boolean;
}

const PAGE_SIZE = 500;
/** Records are in the order in which calls ended; no call lasts longer than this. */
const SLACK_MS = 24 * 60 * 60 * 1000;
const NANO_PER_USD = 1e9;

interface Row extends Omit<ActivityItem, 'usage' | 'byok_usage_inference'> {
  creditsNanoUsd: number;
  byokNanoUsd: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
}

/** Adds up the generations of some days by day, model and endpoint. Newest days first. As far back as records are kept. */
export async function summariseActivity(
  { store, catalog, platform }: Pick<Runtime, 'store' | 'catalog' | 'platform'>,
  query: ActivitySum,
): Promise<ActivityItem[]> {
  const rows = new Map<string, Row>();
  const oldest = new Date(Date.parse(query.first) - SLACK_MS).toISOString();
  const permaslugOf = (model: string): string => catalog.find(model)?.definition.canonical_slug ?? model;
  let before: string | undefined;
  do {
    const { records, next } = await store.generations.page({ limit: PAGE_SIZE, before });
    for (const record of records) if (isAskedFor(record, query)) addTo(rows, record, query, permaslugOf);
    const last = records.at(-1);
    before = last === undefined || last.generation.created_at < oldest ? undefined : (next ?? undefined);
    // Other requests get their turn between pages: there may be a hundred thousand records.
    if (before !== undefined) await new Promise<void>((resolve) => platform.setTimer(resolve, 0));
  } while (before !== undefined);
  return [...rows.values()].map(toItem).toSorted((a, b) => compare(b.date, a.date) || compare(a.model, b.model));
}

function isAskedFor({ generation, principalId }: GenerationRecord, query: ActivitySum): boolean {
  const day = generation.created_at.slice(0, 10);
  return (
    day >= query.first &&
    day <= query.last &&
    query.principalIds?.has(principalId) !== false &&
    (query.workspaceId === undefined || query.workspaceId === generation.workspace_id)
  );
}

function addTo(
  rows: Map<string, Row>,
  { generation, costNanoUsd }: GenerationRecord,
  { byWorkspace }: ActivitySum,
  permaslugOf: (model: string) => string,
): void {
  const { model, provider_name: provider, is_byok: isByok } = generation;
  const date = generation.created_at.slice(0, 10);
  const endpoint = generation.provider_responses?.at(-1)?.endpoint_id ?? '';
  const workspace = byWorkspace ? { workspace_id: generation.workspace_id ?? '' } : undefined;
  const id = JSON.stringify([date, model, provider, endpoint, workspace]);
  const row = rows.get(id) ?? {
    date,
    model,
    model_permaslug: permaslugOf(model),
    endpoint_id: endpoint,
    provider_name: provider ?? '',
    ...workspace,
    requests: 0,
    creditsNanoUsd: 0,
    byokNanoUsd: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
  };
  rows.set(id, row);
  row.requests += 1;
  if (isByok) row.byokNanoUsd += costNanoUsd;
  else row.creditsNanoUsd += costNanoUsd;
  addTokens(row, generation);
}

function addTokens(row: Row, generation: Generation): void {
  row.prompt_tokens += generation.tokens_prompt ?? 0;
  row.completion_tokens += generation.tokens_completion ?? 0;
  row.reasoning_tokens += generation.native_tokens_reasoning ?? 0;
}

function toItem({ creditsNanoUsd, byokNanoUsd, ...row }: Row): ActivityItem {
  return { ...row, usage: creditsNanoUsd / NANO_PER_USD, byok_usage_inference: byokNanoUsd / NANO_PER_USD };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
