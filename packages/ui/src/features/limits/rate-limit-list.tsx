import { useQuery } from '@tanstack/react-query';

import { rateLimitsQuery } from '../../api/queries.ts';
import { FromConfig } from './from-config.tsx';
import { describeRateLimit, pickRateLimits, type RateLimitSubject } from './rate-limits.ts';

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
