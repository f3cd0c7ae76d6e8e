/*
 * The entry of what is configured, `@model-gateway/core/setup`: schemas for those who read a configuration, and what
 * opens stored rows of providers. The main entry has no schema, so that a gateway without a configuration starts sooner
 * (docs/decisions/0121-schemas-where-they-are-used.md).
 */
export { baseUrlSchema, httpUrlSchema, keyText, secretText } from '../wire/fields.ts';
export { guardrailSchema } from '../wire/guardrails.ts';
export { defaultKeyName, providerSettingsSchema } from '../wire/provider-settings.ts';
export { maxPriceSchema, sortKeySchema } from '../wire/routing.ts';
export { configuredRoutingRulesSchema } from '../wire/routing-rules.ts';
export { openProviderRow, resealRow } from './provider-rows.ts';
