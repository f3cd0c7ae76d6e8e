import type { CacheReport, CacheSums } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { callApi } from '../../../api/call-api.ts';
import { cacheMessages } from '../../../features/generations/cost/cache-messages.ts';
import { formatUsdExactly } from '../../../format/money.ts';
import { formatCount, formatPercent } from '../../../format/quantity.ts';
import { formatMoment } from '../../../format/time.ts';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';

/** What the provider read from its cache for the requests of a session. */
export const sessionCacheQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'cache'],
    queryFn: ({ signal }) =>
      callApi<{ readonly data: readonly CacheReport[]; readonly sums: CacheSums }>(
        '/admin/v1/generations/sessions/cache',
        { query: { session_id: id }, signal },
      ),
  });

/** Causes that cost nothing, or that nobody can do anything about. */
const NO_MISSES: ReadonlySet<CacheReport['cause']> = new Set(['hit', 'first_call', 'too_short', 'unknown']);
/** So that the thread below stays in sight. */
const MOST_SHOWN = 5;

/** What of the prompts of a session the provider read from its cache, and which calls missed it. Nothing without either. */
export function SessionCache({ id }: { id: string }) {
  const t = cacheMessages();
  const { data } = useQuery(sessionCacheQuery(id));
  if (data === undefined) return null;
  const { sums } = data;
  const missed = data.data.filter(({ cause }) => !NO_MISSES.has(cause));
  if (sums.read_tokens === 0 && missed.length === 0) return null;
  return (
    <section aria-label={t.title} className="flex flex-col gap-1 text-sm">
      <p>
        <span className="text-ink-soft">
          {t.ofPrompts(formatPercent((100 * sums.read_tokens) / sums.prompt_tokens), formatCount(sums.prompt_tokens))}
        </span>
        {sums.would_have_saved > 0 && <span> {t.missedInAll(formatUsdExactly(sums.would_have_saved))}</span>}
      </p>
      {missed.length > 0 && (
        <ul className="flex flex-col gap-0.5">
          {missed.slice(0, MOST_SHOWN).map((report) => (
            <li key={report.generation_id} className="figures flex flex-wrap gap-x-3">
              <Link
                to="/generations/$id"
                params={{ id: report.generation_id }}
                search={{ tab: 'usage' }}
                className="text-accent hover:underline"
              >
                <Moment at={report.created_at}>{formatMoment(report.created_at)}</Moment>
              </Link>
              <span>{t.causes[report.cause]}</span>
              {report.difference !== null && (
                <code className="min-w-0 truncate font-mono text-xs text-ink-faint">
                  {showControls(report.difference.path)}
                </code>
              )}
            </li>
          ))}
          {missed.length > MOST_SHOWN && (
            <li className="text-ink-faint">{t.more(formatCount(missed.length - MOST_SHOWN))}</li>
          )}
        </ul>
      )}
    </section>
  );
}
