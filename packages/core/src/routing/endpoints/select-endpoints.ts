import type { Endpoint } from '../../catalog/catalog.ts';
import { isSupported } from '../../wire/chat/chat-parameters.ts';
import { ENDPOINT_FILTERS, type EndpointQuery } from './endpoint-filters.ts';

/** Why an endpoint may not serve a request. */
export interface Exclusion {
  readonly endpoint: Endpoint;
  /** The preference, setting or need that decided, by its field name. */
  readonly rule: string;
  /** The guardrail whose rule it is, where it is one's. */
  readonly guardrailId?: string | undefined;
}

export interface Selection {
  /** In the order of the catalog. */
  readonly endpoints: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
}

/**
 * The endpoints of one model that may serve a request, and why the others may not.
 *
 * Makes no call and never throws: what an empty list means is the caller's to decide.
 */
export function selectEndpoints(query: EndpointQuery): Selection {
  const endpoints: Endpoint[] = [];
  const excluded: Exclusion[] = [];
  for (const endpoint of query.resolved.model.endpoints) {
    const exclusion = findExclusion(endpoint, query);
    if (exclusion === null) endpoints.push(endpoint);
    else excluded.push(exclusion);
  }
  if (endpoints.length < 2) return { endpoints, excluded };
  const roomy = preferRoomy(endpoints, excluded, query);
  return preferAble(roomy.endpoints, roomy.excluded, query);
}

function findExclusion(endpoint: Endpoint, query: EndpointQuery): Exclusion | null {
  for (const { rule, excludes } of ENDPOINT_FILTERS) if (excludes(endpoint, query)) return { endpoint, rule };
  for (const { rule, guardrailId, excludes } of query.narrowings ?? []) {
    if (excludes(endpoint, query.region ?? null)) return { endpoint, rule, guardrailId };
  }
  return null;
}

/**
 * A prompt that has to be shortened goes to endpoints with room for at least half of it; without any, to the endpoint
 * with the largest context (wire.md 9.2). Nothing is cut that another endpoint would accept whole, unless the caller
 * requested it.
 */
function preferRoomy(
  endpoints: readonly Endpoint[],
  excluded: readonly Exclusion[],
  { needs }: EndpointQuery,
): Selection {
  if (needs === undefined || needs.compression === 'never') return { endpoints, excluded };
  const needed = needs.minPromptTokens + needs.outputTokens;
  const roomOf = ({ contextLength }: Endpoint): number => contextLength ?? Number.POSITIVE_INFINITY;
  if (endpoints.every((endpoint) => roomOf(endpoint) >= needed)) return { endpoints, excluded };
  const most = Math.max(...endpoints.map(roomOf));
  const least = needs.compression === 'small' && most >= needed ? needed : Math.min(needed / 2, most);
  const cramped = endpoints.filter((endpoint) => roomOf(endpoint) < least);
  return {
    endpoints: endpoints.filter((endpoint) => roomOf(endpoint) >= least),
    excluded: [...excluded, ...cramped.map((endpoint) => ({ endpoint, rule: 'context_length' }))],
  };
}

/** Parameters worth choosing an endpoint for even where they are not required (wire.md 8.2). */
export const PREFERRED_PARAMETERS = ['tools', 'response_format', 'verbosity'] as const;

/**
 * Where some endpoints support a parameter, the others are excluded; where none does, all remain, and the parameter is
 * dropped.
 */
function preferAble(endpoints: readonly Endpoint[], excluded: readonly Exclusion[], query: EndpointQuery): Selection {
  let able = endpoints;
  const unable: Exclusion[] = [];
  for (const rule of PREFERRED_PARAMETERS) {
    if (!query.needs?.parameters.includes(rule)) continue;
    const supporting = able.filter((endpoint) => isSupported(endpoint, rule) !== false);
    if (supporting.length === 0 || supporting.length === able.length) continue;
    for (const endpoint of able) if (!supporting.includes(endpoint)) unable.push({ endpoint, rule });
    able = supporting;
  }
  return { endpoints: able, excluded: unable.length === 0 ? excluded : [...excluded, ...unable] };
}
