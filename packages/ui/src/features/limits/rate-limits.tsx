import type { RateLimitList as RateLimitRules } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';

import { rateLimitsQuery } from '../../api/queries.ts';
import { formatCount } from '../../format/quantity.ts';

type RateLimitRule = RateLimitRules['data'][number];

/** What rules are looked for of: a key by its name and hash, a model, or all of them. */
interface RateLimitSubject {
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
  return `${limits.join(' and ')} per minute for ${who}, ${model === '*' ? 'all models together' : `for ${model}`}`;
}

/** The rate limits of the configuration that hold for something; nothing where none does. */
export function RateLimitList(subject: RateLimitSubject) {
  const { data: rules = [] } = useQuery(rateLimitsQuery);
  const held = pickRateLimits(rules, subject);
  if (held.length === 0) return null;
  return (
    <section aria-label="Rate limits" className="text-sm">
      <h3 className="font-semibold">Rate limits</h3>
      <FromConfig />
      <ul className="mt-1 flex flex-col gap-0.5">
        {held.map((rule, at) => (
          <li key={at} className="break-words">
            {describeRateLimit(rule)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Marks what the configuration file sets. */
export function FromConfig() {
  return (
    <span className="inline-flex items-center gap-1 text-xs font-normal text-ink-faint">
      <Lock size={11} className="shrink-0" /> Set in the configuration file
    </span>
  );
}
