import type { Policy } from './policy.ts';
import type { GuardrailStage } from '../wire/chat/pipeline-stage.ts';
import type { TextMap } from '../calls/text-map.ts';
import type { Logger } from '../foundation/logger.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { guardInput, type InputVerdict } from './guard-input.ts';
import { toBlockError, toStages, toUnavailableError } from './verdict.ts';

/** A request that its guardrails have seen. */
export interface GuardedRequest<Request> {
  /** What goes on: sent, stored and told of. */
  readonly request: Request;
  /** What the guardrails did, to which those of the answer are added as it comes. */
  readonly stages: GuardrailStage[];
  /** Set when the request must go no further. */
  readonly refusal: GatewayError | null;
}

export interface GuardRequestOptions<Request> {
  readonly policy: Policy | null;
  /** Finds the texts of a request of this kind. */
  readonly map: TextMap<Request>;
  readonly logger: Logger;
}

/** Runs the input filters of a policy over a request. Never throws: a filter that fails refuses the request. */
export function guardRequest<Request>(
  request: Request,
  { policy, map, logger }: GuardRequestOptions<Request>,
): GuardedRequest<Request> {
  if (policy === null || policy.input === null) return { request, stages: [], refusal: null };
  let verdict: InputVerdict<Request>;
  try {
    verdict = guardInput(request, policy.input, map);
  } catch (cause) {
    logger.error('a guardrail has failed', { reason: String(cause) });
    return { request, stages: [], refusal: toUnavailableError('Request', cause) };
  }
  const stages = toStages(verdict.findings);
  for (const stage of stages) logger.info('a guardrail has acted on a request', toLogFields(stage));
  const strongest = verdict.findings[0];
  const isBlocked = strongest?.compiled.origin.action === 'block';
  return { request: verdict.request, stages, refusal: isBlocked ? toBlockError(strongest, 'Request') : null };
}

/** Never what was found. */
function toLogFields({ guardrail_id, guardrail_scope, name, data }: GuardrailStage): Record<string, unknown> {
  return {
    guardrail: guardrail_id,
    scope: guardrail_scope,
    filter: data.matched_entity_types?.[0] ?? name,
    action: data.action,
  };
}
