import type { RoutingExplanation } from '../../wire/routing-rules.ts';
import type { RuleParts } from './apply-rules.ts';
import type { CallOrigin, ChatModelCall } from './call-facts.ts';
import { failingCondition, unknownModelOf } from './match-rule.ts';

type RuleExplanation = NonNullable<RoutingExplanation['rules']>[number];

/** Reports for every rule of the account whether it is applied to a call, or why not. */
export function explainRules(
  call: ChatModelCall,
  origin: CallOrigin,
  { account, catalog }: RuleParts,
): RuleExplanation[] {
  const query = { call, origin, catalog, defaultModel: account.defaultModel };
  let isDecided = false;
  return (account.rules ?? []).map((rule) => {
    const facts = { name: rule.name, model: rule.model, condition: null };
    if (isDecided) return { ...facts, outcome: 'not_reached' };
    const condition = failingCondition(rule, query);
    if (condition !== null) return { ...facts, outcome: 'not_met', condition };
    if (unknownModelOf(rule, catalog) !== null) return { ...facts, outcome: 'unknown_model' };
    isDecided = true;
    return { ...facts, outcome: 'applied' };
  });
}
