import type { GenerationHistogram } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { callApi } from '../../api/call-api.ts';
import { latestCallsQuery, modelsQuery } from '../../api/queries.ts';
import { ifPermitted } from '../../api/session.ts';
import { formatTokenPrice, toModelParams } from '../../features/models/model-facts.ts';
import { toModelsLike } from '../../features/models/models-like.ts';
import { ResourceCard } from '../../features/resource-page/resource-page.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { LinkButton } from '../../parts/controls/link-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { goneModelMessages } from './gone-model-messages.ts';

/** Before all requests: without it the gateway counts those of a day. */
const BEGINNING = new Date(0).toISOString();
const MOST_PROVIDERS = 5;
const MOST_LIKE = 4;

/** All stored requests to a model, by provider; null for roles that see no sums. */
const pastQuery = (id: string) =>
  queryOptions({
    queryKey: ['generations', 'past', id],
    queryFn: ifPermitted<{ readonly signal: AbortSignal }, GenerationHistogram | null>(
      'getGenerationHistogram',
      ({ signal }) => {
        const query = { model: id, from: BEGINNING, buckets: 1, split: 'provider', parts: MOST_PROVIDERS };
        return callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal });
      },
      null,
    ),
  });

interface GoneModelProps {
  readonly id: string;
  /** Its charts and its latest calls, which come with the rest. */
  readonly children: ReactNode;
}

/** A model that nobody serves: what is known of it from its requests, what can be done, and models like it. */
export function GoneModel({ id, children }: GoneModelProps) {
  const t = goneModelMessages();
  const past = useQuery(pastQuery(id));
  const latest = useQuery(latestCallsQuery({ model: id }));
  const isComing = [past, latest].some(({ data, errorUpdateCount }) => data === undefined && errorUpdateCount === 0);
  if (isComing) return <Loading what={t.what} />;
  return (
    <>
      <p className="text-sm">
        <span className="font-medium">{t.notFound}.</span> <span className="text-ink-soft">{t.why}</span>
      </p>
      <div className="grid gap-4 lg:grid-cols-2">
        <ResourceCard title={t.known}>
          <Known past={past.data ?? null} lastAt={latest.data?.data[0]?.created_at} />
        </ResourceCard>
        <ResourceCard title={t.next}>
          <NextSteps id={id} />
        </ResourceCard>
      </div>
      {children}
    </>
  );
}

function Known({ past, lastAt }: { past: GenerationHistogram | null; lastAt: string | undefined }) {
  const t = goneModelMessages();
  if (past === null || past.totals.requests === 0) return <p className="text-sm text-ink-faint">{t.nothing}</p>;
  const { totals, split = [] } = past;
  const providers = split.flatMap(({ value }) => (value === null ? [] : [value]));
  return (
    <Facts
      facts={[
        ...(lastAt === undefined ? [] : [[t.last, <Moment at={lastAt} />] as const]),
        [
          t.requests,
          totals.failed === 0
            ? formatCount(totals.requests)
            : t.failed(formatCount(totals.requests), formatCount(totals.failed)),
        ],
        [t.spent, formatUsd(totals.cost)],
        [t.providers, providers.length === 0 ? '—' : showControls(providers.join(', '))],
      ]}
    />
  );
}

/** What to do about it, and which models could take its place. */
function NextSteps({ id }: { id: string }) {
  const t = goneModelMessages();
  const { data: models = [] } = useQuery(modelsQuery);
  const like = toModelsLike(id, models, MOST_LIKE);
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p className="text-ink-soft">{t.advice}</p>
      {like.length === 0 ? (
        <p className="text-ink-faint">{t.noneLike}</p>
      ) : (
        <div className="flex flex-col gap-1">
          <h3 className="text-xs font-medium text-ink-faint">{t.like}</h3>
          <ul aria-label={t.like}>
            {like.map((model) => (
              <li key={model.id} className="border-b border-line/60 last:border-0">
                <Link
                  to="/models/$author/$"
                  params={toModelParams(model.id)}
                  className="figures flex min-h-9 flex-wrap items-center gap-x-3 rounded-md hover:bg-raised"
                >
                  <span className="min-w-0 flex-1 truncate font-medium">{showControls(model.id)}</span>
                  <span className="text-ink-soft" title={t.prices}>
                    {formatTokenPrice(model.pricing, 'prompt')} → {formatTokenPrice(model.pricing, 'completion')}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <LinkButton to="/providers">{t.toProviders}</LinkButton>
        <LinkButton to="/models">{t.toModels}</LinkButton>
        <LinkButton to="/generations" search={{ model: id }}>
          {t.toRequests}
        </LinkButton>
      </div>
    </div>
  );
}
