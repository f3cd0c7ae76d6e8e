/** Where the rule of an exclusion comes from, and how to lift it. */
export function toRuleText(rule: string, guardrailId: string | null): string {
  const whose = guardrailId === null ? 'of the request or the account' : 'of a guardrail';
  const known = RULES.find(([pattern]) => pattern.test(rule));
  return `${known?.[1] ?? 'Excluded by a rule.'} Rule ${whose}: ${rule}.`;
}

const RULES: readonly (readonly [RegExp, string])[] = [
  [/ignore/, 'It is on an ignore list. Remove it under Settings or Guardrails.'],
  [/only|allowed_providers|allowed_models/, 'It is not on the list of allowed providers or models.'],
  [/zdr/, 'Only endpoints with zero data retention are allowed; this one retains data or doesn’t state its policy.'],
  [/training|data_collection/, 'Endpoints that may train on prompts are excluded.'],
  [/require_parameters|parameters/, 'It does not support a parameter of the request.'],
  [/max_price|price/, 'It costs more than the request allows.'],
  [/quantization/, 'Its quantization was not requested.'],
  [/region/, 'It is not in the requested region.'],
  [/context/, 'The request is longer than its context.'],
];
