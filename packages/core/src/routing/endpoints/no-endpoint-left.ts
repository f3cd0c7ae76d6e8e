import { GatewayError } from '../../foundation/errors.ts';
import type { CallPlan } from '../plan-call.ts';
import type { Exclusion } from './select-endpoints.ts';

/**
 * The error for a plan without endpoints. Names the rule for each, and where the caller or the operator can do something
 * about it, what.
 */
export function noEndpointLeft({ models, excluded, unknownProviders }: CallPlan): GatewayError {
  const named = excluded.map(({ endpoint, rule }) => ({ provider: endpoint.tag, model: endpoint.modelId, rule }));
  if (named.length > 0 && named.every(({ rule }) => rule === 'context_length')) {
    const message =
      'The prompt and max_tokens together are longer than any endpoint takes; ' +
      'shorten one of them, or switch on the plugin "context-compression"';
    return new GatewayError('context_length_exceeded', message, { metadata: { excluded: named } });
  }
  // This rule is about the call, so the endpoints that another rule excludes are excluded by it as well.
  if (named.some(({ rule }) => rule === 'allowed_data_regions')) {
    const message = 'A guardrail does not allow calls that come in under this host (allowed_data_regions)';
    return new GatewayError('permission_denied', message, { metadata: { excluded: named } });
  }
  const least = leastOutputTokens(excluded);
  if (least !== null) {
    const message = `max_tokens: must be at least ${least} here; no endpoint that is left accepts less`;
    return new GatewayError('invalid_request', message, {
      metadata: { excluded: named, issues: [{ path: 'max_tokens', message: `must be at least ${least}` }] },
    });
  }
  const reasons = named.map(({ provider, rule }) => `${provider} (${rule})`).join(', ') || 'none';
  const message = `No endpoint of ${models.join(', ')} meets the request's requirements; excluded: ${reasons}`;
  return new GatewayError('not_found', `${message}${adviceOnCost(excluded)}${adviceOnNames(unknownProviders)}`, {
    metadata: { excluded: named, ...(unknownProviders.length > 0 && { unknown_providers: unknownProviders }) },
  });
}

function adviceOnNames(unknownProviders: readonly string[]): string {
  if (unknownProviders.length === 0) return '';
  return `. provider names what this gateway does not know: ${unknownProviders.slice(0, 3).join(', ').slice(0, 200)}`;
}

/** The lowest `max_tokens` with which an endpoint would have served; null when it is not for that. */
function leastOutputTokens(excluded: readonly Exclusion[]): number | null {
  const minimums = excluded.flatMap(({ endpoint, rule }) =>
    rule === 'minOutputTokens' ? [endpoint.minOutputTokens ?? 0] : [],
  );
  return minimums.length === 0 ? null : Math.min(...minimums);
}

/** Within a spending limit, endpoints without an upper bound of the cost are not called; names what would bound it. */
function adviceOnCost(excluded: readonly Exclusion[]): string {
  const unbounded = excluded.filter(({ rule }) => rule === 'cost_unknown').map(({ endpoint }) => endpoint);
  if (unbounded.length === 0) return '';
  const isPriced = unbounded.some(({ prices }) => prices.prompt !== undefined && prices.completion !== undefined);
  const remedy = isPriced
    ? 'send max_tokens, or have a context_length configured for the model; for speech also pricing.audio_output'
    : 'have its prices configured (pricing.prompt and pricing.completion of the endpoint)';
  return `. A limit on spending applies, and what this request may cost at the most is not known: ${remedy}`;
}
