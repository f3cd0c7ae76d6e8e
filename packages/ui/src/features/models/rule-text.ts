/** Where the rule of an exclusion comes from, and how to lift it. */
export function toRuleText(rule: string, guardrailId: string | null): string {
  const whose = guardrailId === null ? 'of the request or the account' : 'of a guardrail';
  const known = RULES.find(([pattern]) => pattern.test(rule));
  return `${known?.[1] ?? 'A rule excludes it.'} Rule ${whose}: ${rule}.`;
}

const RULES: readonly (readonly [RegExp, string])[] = [
  [/ignore/, 'It is on a list of what is to be ignored: take it off under Settings or Guardrails.'],
  [/only|allowed_providers|allowed_models/, 'A list names what is allowed, and it is not on it.'],
  [/zdr/, 'Only endpoints that keep nothing are allowed, and this one keeps data or does not say.'],
  [/training|data_collection/, 'Endpoints that may train on what they are sent are excluded.'],
  [/require_parameters|parameters/, 'It does not support a parameter of the request.'],
  [/max_price|price/, 'It costs more than the request allows.'],
  [/quantization/, 'Its quantization is not one of those asked for.'],
  [/region/, 'It is not in the region asked for.'],
  [/context/, 'The request is longer than its context.'],
];
