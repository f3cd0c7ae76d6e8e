import { GatewayError } from '../foundation/errors.ts';
import type { GuardrailStage } from '../wire/routing.ts';
import type { CompiledFilter } from './filters/compile-filters.ts';
import type { FilterAction, Span } from './filters/filter.ts';

type Side = 'Request' | 'Response';

/** A filter with a match. */
export interface Finding {
  readonly compiled: CompiledFilter;
  /** Matches in the original text; shortened, and not all of them. */
  readonly samples: readonly string[];
  /** A match that the filter is to redact and that must stay as it is: where, as a noun. The call is refused then. */
  readonly unredactable?: string | undefined;
}

/** What a filter does about its matches. */
export const actionOf = ({ compiled, unredactable }: Finding): FilterAction =>
  unredactable === undefined ? compiled.origin.action : 'block';

const WIRE_ACTIONS: Readonly<Record<FilterAction, GuardrailStage['data']['action']>> = {
  block: 'blocked',
  redact: 'redacted',
  flag: 'flagged',
};
const INJECTION = 'regex-prompt-injection';
const MAX_SAMPLES = 20;
const MAX_SAMPLE_LENGTH = 100;

const isInjection = ({ origin: { check } }: CompiledFilter): boolean =>
  check.type === 'built-in' && check.slug === INJECTION;

/** Only prompt injections are shown to callers: the matches of other filters are the very text that must not spread. */
export function toFinding(compiled: CompiledFilter, spans: readonly Span[], read?: (span: Span) => string): Finding {
  const samples =
    read !== undefined && isInjection(compiled)
      ? spans.slice(0, MAX_SAMPLES).map((span) => read(span).slice(0, MAX_SAMPLE_LENGTH))
      : [];
  return { compiled, samples };
}

/** Findings as stages of the pipeline: one for each filter. */
export function toStages(findings: readonly Finding[]): GuardrailStage[] {
  return findings.map((finding) => {
    const { compiled, samples } = finding;
    const { guardrailId, scope } = compiled.origin;
    const common = { type: 'guardrail' as const, guardrail_id: guardrailId, guardrail_scope: scope };
    const data = { action: WIRE_ACTIONS[actionOf(finding)], engines: ['regex'] };
    return isInjection(compiled)
      ? { ...common, name: 'regex_pi_detection', data: { ...data, detected: true, patterns: samples } }
      : {
          ...common,
          name: 'content-filter',
          data: { ...data, flagged: true, matched_entity_types: [compiled.filter.label] },
        };
  });
}

/** The refusal of a call because of a match in a request or a completion (wire.md 16.6). */
export function toBlockError({ compiled, samples, unredactable }: Finding, side: Side): GatewayError {
  if (unredactable !== undefined) {
    const problem = `it matches ${unredactable}, which cannot be redacted`;
    return new GatewayError(
      'permission_denied',
      `${side} blocked by content filter: ${compiled.filter.label}: ${problem}`,
    );
  }
  if (isInjection(compiled)) {
    return new GatewayError('permission_denied', `${side} blocked: prompt injection patterns detected`, {
      metadata: { patterns: samples },
    });
  }
  return new GatewayError('permission_denied', `${side} blocked by content filter: ${compiled.filter.label}`, {
    metadata: metadataOf(side),
  });
}

/** The refusal of texts that no filter can look into. */
export const toUnreadableError = (texts: string): GatewayError =>
  new GatewayError('permission_denied', `Request blocked: content filters cannot read ${texts}; send the text`);

/** The refusal when a guardrail cannot be evaluated: no text passes a filter that has failed. */
export function toUnavailableError(side: Side, cause: unknown): GatewayError {
  return new GatewayError('permission_denied', `${side} blocked: a guardrail is unavailable`, {
    cause,
    metadata: metadataOf(side),
  });
}

/** Whether a call ended because of a guardrail, which is no failure of the endpoint. */
export function isCompletionBlocked({ metadata }: GatewayError): boolean {
  return metadata?.['blocked'] === 'response';
}

/** The compatible body of a blocked request has none. */
function metadataOf(side: Side): { readonly blocked: 'response' } | undefined {
  return side === 'Response' ? { blocked: 'response' } : undefined;
}
