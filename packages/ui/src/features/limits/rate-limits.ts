import type { RateLimitList } from '@model-gateway/core/wire';

import { formatCount } from '../../format/quantity.ts';

type RateLimitRule = RateLimitList['data'][number];

/** What rules are looked for of: a key by its name and hash, a model, or all of them. */
export interface RateLimitSubject {
  readonly keyNames?: readonly string[];
  readonly model?: string;
}

/** The rules that hold for calls of a key, or to a model. */
export const pickRateLimits = (
  rules: readonly RateLimitRule[],
  { keyNames, model }: RateLimitSubject,
): readonly RateLimitRule[] =>
  rules.filter(
    (rule) =>
      (keyNames === undefined || rule.key === '*' || keyNames.includes(rule.key)) &&
      (model === undefined || rule.model === '*' || rule.model === model),
  );

/** A rule in words. */
export function describeRateLimit({
  key,
  model,
  requests_per_minute: requests,
  tokens_per_minute: tokens,
}: RateLimitRule) {
  const limits = [
    ...(requests === null ? [] : [`${formatCount(requests)} requests`]),
    ...(tokens === null ? [] : [`${formatCount(tokens)} tokens`]),
  ];
  const who = key === '*' ? 'each key' : `the key ${key}`;
  return `${limits.join(' and ')} a minute for ${who}, ${model === '*' ? 'all models together' : `to ${model}`}`;
}
