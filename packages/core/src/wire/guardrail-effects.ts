/** What guardrails do to calls. A call counts once for each guardrail and effect. */
export const GUARDRAIL_EFFECTS = ['blocked', 'redacted', 'flagged', 'narrowed', 'unserved', 'over_budget'] as const;
export type GuardrailEffect = (typeof GUARDRAIL_EFFECTS)[number];
