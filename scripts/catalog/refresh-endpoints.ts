import type { DatedEndpoint, DatedModel } from '../../packages/core/src/catalog/built-in-models.ts';
import type { ListedModel } from './read-listed-models.ts';

/** One fact that is different in the list. */
export interface Change {
  readonly model: string;
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface Refresh {
  readonly models: readonly DatedModel[];
  readonly changes: readonly Change[];
  /** Ids of the list that an endpoint of ours was compared with. */
  readonly compared: ReadonlySet<string>;
  /** Endpoints of ours that the list does not have. */
  readonly unlisted: readonly string[];
  /** Notes for a person to check. */
  readonly notes: readonly string[];
}

/**
 * Takes over what a list says of one provider's endpoints: context, output limit, prices. What the list does not state
 * stays as it was; nothing is added and nothing removed.
 */
export function refreshEndpoints(
  models: readonly DatedModel[],
  listed: readonly ListedModel[],
  provider: string,
): Refresh {
  const byId = new Map(listed.map((entry) => [entry.id, entry]));
  const changes: Change[] = [];
  const compared = new Set<string>();
  const unlisted: string[] = [];
  const notes: string[] = [];
  const refreshed = models.map((model) => ({
    ...model,
    endpoints: model.endpoints.map((endpoint) => {
      if (endpoint.provider !== provider) return endpoint;
      const entry = byId.get(endpoint.providerModel) ?? byId.get(model.id);
      if (entry === undefined) {
        unlisted.push(`${model.id} (${endpoint.providerModel})`);
        return endpoint;
      }
      compared.add(entry.id);
      if (entry.doubtful !== undefined) notes.push(`${model.id}: its prices are not taken over: ${entry.doubtful}`);
      const own = refreshEndpoint(model, endpoint, entry);
      changes.push(...own.changes);
      if (own.changes.some(({ field }) => field.startsWith('pricing.')) && hasOldOverrides(endpoint, entry)) {
        notes.push(
          `${model.id}: its prices changed, but the list has none for long prompts or times; check pricing.overrides`,
        );
      }
      return own.endpoint;
    }),
  }));
  return { models: refreshed, changes, compared, unlisted, notes };
}

const hasOldOverrides = (endpoint: DatedEndpoint, entry: ListedModel): boolean =>
  endpoint.pricing?.overrides !== undefined && entry.pricing?.overrides === undefined;

function refreshEndpoint(
  model: DatedModel,
  endpoint: DatedEndpoint,
  { contextLength, maxCompletionTokens, pricing }: ListedModel,
): { endpoint: DatedEndpoint; changes: Change[] } {
  const changes: Change[] = [];
  const note = (field: string, from: unknown, to: unknown): boolean => {
    const isChange = to !== undefined && !isSame(from, to);
    if (isChange) changes.push({ model: model.id, field, from, to });
    return isChange;
  };
  const refreshed = { ...endpoint };
  if (note('context_length', endpoint.context_length ?? model.context_length, contextLength)) {
    refreshed.context_length = contextLength;
  }
  if (note('max_completion_tokens', endpoint.max_completion_tokens, maxCompletionTokens)) {
    refreshed.max_completion_tokens = maxCompletionTokens;
  }
  const changed = Object.entries(pricing ?? {}).filter(([unit, price]) =>
    note(`pricing.${unit}`, endpoint.pricing?.[unit as keyof typeof pricing], price),
  );
  if (changed.length > 0) refreshed.pricing = { ...endpoint.pricing, ...Object.fromEntries(changed) };
  return { endpoint: refreshed, changes };
}

/** Prices are the same when their values are equal, however many zeros are written. */
function isSame(from: unknown, to: unknown): boolean {
  if (typeof from === 'string' && typeof to === 'string') return Number(from) === Number(to);
  return JSON.stringify(from) === JSON.stringify(to);
}
