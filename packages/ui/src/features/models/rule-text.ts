import { modelMessages } from './messages.ts';

/** Where the rule of an exclusion comes from, and how to lift it. */
export function toRuleText(rule: string, guardrailId: string | null): string {
  const t = modelMessages().rules;
  const [, known] = RULES.find(([pattern]) => pattern.test(rule)) ?? [];
  const text = known === undefined ? t.unknown : t[known];
  return guardrailId === null ? t.ofRequest(text, rule) : t.ofGuardrail(text, rule);
}

const RULES = [
  [/ignore/, 'ignore'],
  [/only|allowed_providers|allowed_models/, 'only'],
  [/zdr/, 'zdr'],
  [/training|data_collection/, 'training'],
  [/require_parameters|parameters/, 'parameters'],
  [/max_price|price/, 'price'],
  [/quantization/, 'quantization'],
  [/region/, 'region'],
  [/context/, 'context'],
] as const;
