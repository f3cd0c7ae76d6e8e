import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info } from 'lucide-react';

import { allKeysQuery, healthQuery, refreshEvery } from '../../api/queries.ts';
import type { SpanFigures } from '../../features/activity/figures-query.ts';
import { type OverviewSearch, rangeOf } from '../../features/activity/overview-search.ts';
import { providerStatesQuery } from '../../features/providers/provider-queries.ts';
import { toPeriodTexts } from '../../format/days.ts';
import { findConcerns, type SpanEnds } from './find-concerns.ts';
import { overviewMessages } from './messages.ts';

interface AttentionProps {
  readonly search: OverviewSearch;
  /** The figures that are shown below: both count the same failures. Undefined where they could not be loaded. */
  readonly figures: SpanFigures | undefined;
}

/** What is wrong or soon will be. */
export function Attention({ search, figures }: AttentionProps) {
  const t = overviewMessages().attention;
  const { data: health, isError: isUnreachable } = useQuery(healthQuery);
  const { data: keys = [] } = useQuery(allKeysQuery);
  const { data: providers } = useQuery(attentionProvidersQuery);
  const ends = figures && toEnds(search, figures);
  const concerns = findConcerns({ health, isUnreachable, keys, ends, providers }, Date.now());
  return (
    <section className="card flex flex-wrap gap-x-6 gap-y-2 px-4 py-3">
      <h2 className="text-base font-semibold">{t.title}</h2>
      {concerns.length === 0 && figures === undefined ? (
        <p className="text-sm text-ink-soft">{t.unknown}</p>
      ) : concerns.length === 0 ? (
        <p className="flex items-center gap-2 text-sm text-ink-soft">
          <CircleCheck size={17} className="text-good" /> {t.nothing}
        </p>
      ) : (
        <ul className="flex min-w-0 flex-1 basis-48 flex-wrap gap-x-8 gap-y-2 pt-0.5 text-sm">
          {concerns.map(({ level, text, link }) => (
            <li key={text} className="flex gap-2">
              {level === 'bad' ? (
                <CircleAlert size={17} className="mt-0.5 shrink-0 text-bad" />
              ) : (
                <Info size={17} className="mt-0.5 shrink-0 text-caution" />
              )}
              <span>
                {text}{' '}
                {link !== null && (
                  <Link {...link} className="text-accent underline">
                    {t.view}
                  </Link>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const PROVIDERS_EVERY_MS = 10_000;

/** Providers, often enough to see that one is in trouble. */
export const attentionProvidersQuery = queryOptions({
  ...providerStatesQuery,
  refetchInterval: refreshEvery(PROVIDERS_EVERY_MS),
});

/** How requests of the shown span ended, with the filters that list just these. */
function toEnds(search: OverviewSearch, { span, histogram }: SpanFigures): SpanEnds {
  const range = rangeOf(search);
  const { failed, interrupted } = histogram.totals;
  return {
    failed,
    interrupted,
    span: range === null ? overviewMessages().attention.selected : toPeriodTexts(range).label,
    filter: { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() },
  };
}
