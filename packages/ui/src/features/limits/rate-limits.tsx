import type { RateLimitList as RateLimitRules } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';

import { allKeysQuery, rateLimitsQuery } from '../../api/queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { limitsMessages } from './messages.ts';

/** A limit, wherever it is set. */
export type RateLimitRule = Omit<RateLimitRules['data'][number], 'source'>;

/** What rules are looked for of: a key by its name and hash, a model, or all of them. */
interface RateLimitSubject {
  readonly keyNames?: readonly string[];
  readonly model?: string;
}

/** The rules for requests of a key, or to a model. */
export const pickRateLimits = <Rule extends RateLimitRule>(
  rules: readonly Rule[],
  { keyNames, model }: RateLimitSubject,
): readonly Rule[] =>
  rules.filter(
    (rule) =>
      (keyNames === undefined || rule.key === '*' || keyNames.includes(rule.key)) &&
      (model === undefined || rule.model === '*' || rule.model === model),
  );

/** A rule in words. `nameOf` has the name of a key that the rule names by its hash. */
export function describeRateLimit(
  { key, model, requests_per_minute: requests, tokens_per_minute: tokens }: RateLimitRule,
  nameOf: (key: string) => string = (name) => name,
): string {
  const t = limitsMessages();
  const parts = [
    ...(requests === null ? [] : [t.requests(requests, formatCount(requests))]),
    ...(tokens === null ? [] : [t.tokens(tokens, formatCount(tokens))]),
  ];
  const limits = parts.length === 2 ? t.both(parts[0] ?? '', parts[1] ?? '') : (parts[0] ?? '');
  const who = key === '*' ? t.each : t.oneKey(nameOf(key));
  return model === '*' ? t.perMinute(limits, who) : t.perMinuteOf(limits, who, model);
}

/** Finds the name of a key that is named by its hash. */
export function useKeyNames(): (key: string) => string {
  const { data: keys } = useQuery(allKeysQuery);
  return (key) => keys?.find(({ hash }) => hash === key)?.name ?? key;
}

/** The rate limits for something; nothing where there are none. */
export function RateLimitList(subject: RateLimitSubject) {
  const t = limitsMessages();
  const { data: rules = [] } = useQuery(rateLimitsQuery);
  const nameOf = useKeyNames();
  const held = pickRateLimits(rules, subject);
  if (held.length === 0) return null;
  return (
    <section aria-label={t.title} className="text-sm">
      <h3 className="font-semibold">{t.title}</h3>
      {held.every(({ source }) => source === 'config') && <FromConfig />}
      <ul className="mt-1 flex flex-col gap-0.5">
        {held.map((rule, at) => (
          <li key={at} className="break-words">
            {describeRateLimit(rule, nameOf)}
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
      <Lock size={11} className="shrink-0" /> {limitsMessages().fromConfig}
    </span>
  );
}
