import type { ConfiguredRoutingRule, RoutingRule } from '../wire/routing-rules.ts';

/** Converts a rule of the configuration to its form on the wire. */
export function toRoutingRule({ when, ...rule }: ConfiguredRoutingRule): RoutingRule {
  const {
    minPromptTokens: min_prompt_tokens,
    hasImages: has_images,
    hasTools: has_tools,
    minTools: min_tools,
    subAgent: sub_agent,
    exceptKeys: except_keys,
    ...same
  } = when;
  const renamed = { min_prompt_tokens, has_images, has_tools, min_tools, sub_agent, except_keys };
  const given = Object.entries(renamed).filter(([, value]) => value !== undefined);
  return { ...rule, when: { ...same, ...Object.fromEntries(given) } };
}
