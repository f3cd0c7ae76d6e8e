import type { GenerationHistogram } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { activityQuery, keysQuery, modelsQuery, providersQuery, recentCallsQuery } from '../../api/queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import { useIsSettled } from '../../parts/use-is-settled.ts';
import { toBaseUrl } from '../../shell/base-url.ts';
import { setPreferences, usePreferences } from '../../shell/preferences.ts';
import { useGatewayState } from '../../shell/use-gateway-state.ts';
import { Attention } from './attention.tsx';
import { MAX_CALLS, openCallsQuery, paceQuery } from './call-figures.ts';
import { ConnectCard } from './connect-card.tsx';
import { CostCard } from './cost-card.tsx';
import { FirstRun } from './first-run.tsx';
import { RecentCard } from './recent-card.tsx';

/** How things stand; on the first run, what to do first. */
export function OverviewScreen() {
  const { isIntroduced } = usePreferences();
  const recent = useQuery(recentCallsQuery);
  const [isFirstRun, setIsFirstRun] = useState(false);
  if (recent.isPending) return <Loading what="the overview" />;
  const rows = recent.data?.data ?? [];
  // Its test call is one of the latest calls, and not its end.
  if (!isIntroduced && !isFirstRun && recent.error === null && rows.length === 0) setIsFirstRun(true);
  if (isFirstRun && recent.error === null) {
    const finish = (): void => {
      setPreferences({ isIntroduced: true });
      setIsFirstRun(false);
    };
    return <FirstRun onDone={finish} />;
  }
  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 p-4 md:p-6">
      <ScreenHeader title="Overview">
        <Button
          look="quiet"
          onClick={() => setPreferences({ isIntroduced: false })}
          disabled={rows.length > 0}
          title="Shown while nothing was called yet"
        >
          First steps
        </Button>
      </ScreenHeader>
      {recent.error !== null && (
        <ErrorPanel
          error={recent.error}
          title="The latest calls could not be loaded"
          onRetry={() => void recent.refetch()}
        />
      )}
      <div className="grid gap-4 lg:grid-cols-3">
        <StatusCard />
        <LastDayCard />
        {recent.data !== undefined && <Attention rows={rows} />}
      </div>
      <CostCard />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {recent.data !== undefined && <RecentCard rows={rows} />}
        <ConnectCard />
      </div>
    </div>
  );
}

function StatusCard() {
  const state = useGatewayState();
  const { data: providers } = useQuery(providersQuery);
  const { data: models } = useQuery(modelsQuery);
  const { data: keys } = useQuery(keysQuery);
  const { data: open } = useQuery(openCallsQuery);
  return (
    <section className="card p-4">
      <h2 className="mb-3 text-sm font-semibold">Status</h2>
      <Facts
        facts={[
          ['Gateway', state === 'degraded' ? `${state}: look at its log` : state],
          [
            'Under way',
            open === undefined || open === null
              ? '—'
              : `${formatCount(open.all)} ${open.all === 1 ? 'call' : 'calls'}${open.streamed > 0 ? `, ${formatCount(open.streamed)} streamed` : ''}`,
          ],
          ['API', <code className="font-mono text-xs break-all">{toBaseUrl()}</code>],
          ['Providers', providers === undefined ? '…' : providers.map(({ name }) => name).join(', ') || 'none yet'],
          [
            'Models',
            <Link to="/models" className="text-accent hover:underline">
              {formatCount(models?.length)}
            </Link>,
          ],
          [
            'Keys',
            <Link to="/keys" className="text-accent hover:underline">
              {formatCount(keys?.length)}
            </Link>,
          ],
        ]}
      />
    </section>
  );
}

function LastDayCard() {
  const { data } = useQuery({
    queryKey: ['histogram', 'last day'],
    queryFn: ({ signal }) =>
      callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query: { buckets: 24 }, signal }),
    refetchInterval: 30_000,
  });
  const isSettled = useIsSettled();
  const { data: activity } = useQuery({ ...activityQuery, enabled: isSettled });
  const { data: pace } = useQuery({ ...paceQuery, enabled: isSettled });
  const sum = (name: 'requests' | 'failed' | 'cancelled' | 'interrupted' | 'cost'): number =>
    data?.data.reduce((total, bucket) => total + bucket[name], 0) ?? 0;
  const sample = pace?.calls === MAX_CALLS ? `, of the latest ${MAX_CALLS} calls` : '';
  const month = activity?.reduce((total, { usage }) => total + usage, 0);
  return (
    <section className="card p-4">
      <h2 className="mb-3 text-sm font-semibold">Last 24 hours</h2>
      <div className="mb-3 flex flex-wrap gap-x-6 gap-y-2">
        <Figure label="requests" value={data === undefined ? '…' : formatCount(sum('requests'))} />
        <Figure
          label="failed"
          value={data === undefined ? '…' : formatCount(sum('failed'))}
          isBad={sum('failed') > 0}
        />
        <Figure label="spent" value={data === undefined ? '…' : formatUsd(sum('cost'))} />
      </div>
      <Facts
        facts={[
          ['Cancelled by callers', formatCount(sum('cancelled'))],
          ...(sum('interrupted') > 0
            ? [['Interrupted by an end of the gateway', formatCount(sum('interrupted'))] as const]
            : []),
          [
            'First token after',
            <span title={`Half of the streamed calls, and 95 of 100${sample}`}>
              {pace === undefined
                ? '…'
                : pace.firstTokenMs === null
                  ? '—'
                  : `${formatDuration(pace.firstTokenMs.median)}\u00a0(p50), ${formatDuration(pace.firstTokenMs.p95)}\u00a0(p95)`}
            </span>,
          ],
          [
            'Prompts from a cache',
            <span title={`Of their tokens, where the provider told${sample}`}>
              {pace === undefined ? '…' : pace.cachedShare === null ? '—' : `${Math.round(pace.cachedShare * 100)} %`}
            </span>,
          ],
          ['Spent in 30 days', month === undefined ? '…' : formatUsd(month)],
        ]}
      />
    </section>
  );
}

function Figure({ label, value, isBad = false }: { label: string; value: string; isBad?: boolean }) {
  return (
    <div>
      <div className={`figures text-2xl font-semibold tracking-tight ${isBad ? 'text-bad' : ''}`}>{value}</div>
      <div className="text-xs text-ink-faint">{label}</div>
    </div>
  );
}
