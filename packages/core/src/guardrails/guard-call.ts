import { type ModelCall, type Pipeline, withRequest } from '../calls/model-call.ts';
import type { TextMap } from '../calls/texts.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { SlicingPlatform } from '../foundation/queues.ts';
import type { GuardrailStage } from '../wire/routing.ts';
import type { OutputFilters } from './filters/compile-filters.ts';
import { guardInput, type InputVerdict } from './guard-input.ts';
import type { Policy } from './policy.ts';
import { actionOf, type Finding, toBlockError, toStages, toUnavailableError, toUnreadableError } from './verdict.ts';

export interface GuardedCall<Request> {
  /** The call in the form that is sent and stored. */
  readonly call: ModelCall<Request>;
  /** Set when the call must go no further. */
  readonly refusal: GatewayError | null;
}

/**
 * Runs the input filters of a policy over a call. Never throws: a filter that fails refuses the call. A promise only
 * where it takes long.
 */
export function guardCall<Request>(call: ModelCall<Request>, options: GuardOptions): Awaitable<GuardedCall<Request>> {
  const { kind } = call;
  const unreadable = kind.unreadableIn?.(call.request) ?? null;
  if (unreadable !== null && actsOnInput(options.policy)) {
    options.logger.info('a guardrail has refused texts that no filter can read', { texts: unreadable });
    return { call, refusal: toUnreadableError(unreadable) };
  }
  return whenKnown(guardRequest(call.request, kind.mapTexts, options), ({ request, refusal }) => ({
    call: request === call.request ? call : withRequest(call, request),
    refusal,
  }));
}

/** Whether a filter of a policy changes or blocks requests. */
export const actsOnInput = (policy: Policy | null): boolean =>
  policy?.input?.filters.some(({ origin }) => origin.action !== 'flag') === true;

export interface GuardOptions {
  readonly policy: Policy | null;
  /** Receives the effects of the guardrails. */
  readonly pipeline: Pipeline;
  readonly logger: Logger;
  /** Long texts are read in slices. */
  readonly platform: SlicingPlatform;
}

export interface GuardedRequest<Request> {
  readonly request: Request;
  readonly refusal: GatewayError | null;
}

/**
 * Runs the input filters over the texts of a request. Never throws: a filter that fails refuses the request. A promise
 * only where it takes long.
 */
export function guardRequest<Request>(
  request: Request,
  mapTexts: TextMap<Request>,
  options: GuardOptions,
): Awaitable<GuardedRequest<Request>> {
  const { policy, platform, logger } = options;
  if (policy === null || policy.input === null) return { request, refusal: null };
  const refuse = (cause: unknown): GuardedRequest<Request> => {
    logger.error('a guardrail has failed', { reason: String(cause) });
    return { request, refusal: toUnavailableError('Request', cause) };
  };
  try {
    const verdict = guardInput(request, policy.input, mapTexts, platform);
    return verdict instanceof Promise
      ? verdict.then((known) => report(known, options), refuse)
      : report(verdict, options);
  } catch (cause) {
    return refuse(cause);
  }
}

/** Reports what was found, and refuses the request where that blocks it. */
function report<Request>(
  { request, findings }: InputVerdict<Request>,
  { pipeline, logger }: GuardOptions,
): GuardedRequest<Request> {
  for (const stage of toStages(findings)) {
    pipeline.add(stage);
    logger.info('a guardrail has acted on a request', toLogFields(stage));
  }
  const blocking = findings.find((finding) => actionOf(finding) === 'block');
  return { request, refusal: blocking === undefined ? null : toBlockError(blocking, 'Request') };
}

/** Never includes the matched text. */
function toLogFields({ guardrail_id, guardrail_scope, name, data }: GuardrailStage): Record<string, unknown> {
  return {
    guardrail: guardrail_id,
    scope: guardrail_scope,
    filter: data.matched_entity_types?.[0] ?? name,
    action: data.action,
  };
}

export interface CompletionGuard {
  readonly filters: OutputFilters;
  /** Receives every match, the one that blocks included. */
  readonly onFinding: (finding: Finding) => void;
}

/** Null when the policy does not guard completions. Each filter's finding is added to the pipeline once. */
export function toCompletionGuard(policy: Policy | null, pipeline: Pipeline): CompletionGuard | null {
  if (policy === null || policy.output === null) return null;
  const noted = new Set<Finding['compiled']>();
  return {
    filters: policy.output,
    onFinding(finding) {
      if (noted.has(finding.compiled)) return;
      noted.add(finding.compiled);
      for (const stage of toStages([finding])) pipeline.add(stage);
    },
  };
}
