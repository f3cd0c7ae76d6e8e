import type { GuardrailEffect } from '../../wire/guardrails.ts';
import type { PipelineStage } from '../../wire/routing.ts';

/** What one guardrail did to one call. */
export interface GuardrailHit {
  readonly guardrailId: string;
  readonly effect: GuardrailEffect;
  /** The label of the filter, or the field of the guardrail. */
  readonly rule: string;
}

/** What filters did, each guardrail and effect once. */
export function effectsOfStages(stages: readonly PipelineStage[]): readonly GuardrailHit[] {
  const hits = stages.flatMap(({ guardrail_id: guardrailId, name, data }) => {
    const action = data?.['action'];
    if (guardrailId === undefined || !isEffect(action)) return [];
    const kinds = data?.['matched_entity_types'];
    const rule = Array.isArray(kinds) && typeof kinds[0] === 'string' ? kinds[0] : name;
    return [{ guardrailId, effect: action, rule }];
  });
  return eachOnce(hits);
}

/** The guardrails that exclude endpoints, each once. */
export function effectsOfExclusions(
  excluded: readonly { readonly rule: string; readonly guardrailId?: string | undefined }[],
  effect: 'narrowed' | 'unserved',
): readonly GuardrailHit[] {
  return eachOnce(
    excluded.flatMap(({ guardrailId, rule }) => (guardrailId === undefined ? [] : [{ guardrailId, effect, rule }])),
  );
}

const eachOnce = (hits: readonly GuardrailHit[]): readonly GuardrailHit[] =>
  hits.length < 2
    ? hits
    : [...new Map(hits.toReversed().map((hit) => [`${hit.guardrailId} ${hit.effect}`, hit])).values()];

const isEffect = (action: unknown): action is 'blocked' | 'redacted' | 'flagged' =>
  action === 'blocked' || action === 'redacted' || action === 'flagged';
