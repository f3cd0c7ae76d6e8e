import type { GatewayError } from '../errors.ts';
import type { Logger } from '../options.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';
import { guardInput, type InputVerdict } from './guard-input.ts';
import type { Policy } from './policy-of.ts';
import { type GuardrailStage, toBlockError, toStages, toUnavailableError } from './verdict.ts';

/** A request that its guardrails have seen. */
export interface GuardedRequest {
  /** What goes on: sent, stored and told of. */
  readonly request: ChatCompletionRequest;
  /** What the guardrails did, to which those of the answer are added as it comes. */
  readonly stages: GuardrailStage[];
  /** Set when the request must go no further. */
  readonly refusal: GatewayError | null;
}

/** Runs the input filters of a policy over a request. Never throws: a filter that fails refuses the request. */
export function guardRequest(request: ChatCompletionRequest, policy: Policy | null, logger: Logger): GuardedRequest {
  if (policy === null || policy.input === null) return { request, stages: [], refusal: null };
  let verdict: InputVerdict;
  try {
    verdict = guardInput(request, policy.input);
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
