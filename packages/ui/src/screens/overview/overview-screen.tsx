import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

import { allKeysQuery, modelsQuery, providersQuery, recentCallsQuery } from '../../api/queries.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { toStateText, useGatewayState } from '../../app/gateway-state.ts';
import { setPreferences, usePreferences } from '../../app/preferences.ts';
import { ActivitySection, RecentCard } from '../../features/activity/activity-section.tsx';
import { RunningBar } from '../../features/generations/running/running-bar.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import { useIsSettled } from '../../parts/use-is-settled.ts';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { Attention } from './attention.tsx';
import { cachedShareQuery, openCallsQuery } from './call-figures.ts';
import { ConnectCard } from './connect-card.tsx';
import { FirstRun } from './first-run.tsx';

/** How things stand; on the first run, what to do first. */
export function OverviewScreen() {
  const { isIntroduced } = usePreferences();
  const search = useSearch({ from: '/' });
  const navigate = useNavigateWithin('/');
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
    <div className="flex w-full flex-col gap-4 px-4 py-3">
      <ScreenHeader title="Overview">
        <Button
          look="quiet"
          onClick={() => setPreferences({ isIntroduced: false })}
          disabled={rows.length > 0 || recent.error !== null}
          title="Shown while nothing was called yet"
        >
          First steps
        </Button>
      </ScreenHeader>
      <Attention rows={recent.data?.data} />
      <ActivitySection search={search} onSearch={(next) => void navigate({ search: next })} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <RunningBar
            onOpen={(open) => void navigate({ to: '/generations', search: { open } })}
            className="card border-b"
          />
          {recent.error !== null && (
            <ErrorPanel
              error={recent.error}
              title="The latest calls could not be loaded"
              onRetry={() => void recent.refetch()}
            />
          )}
          {recent.data !== undefined && <RecentCard rows={rows} />}
        </div>
        <StatusCard />
      </div>
      <ConnectCard />
    </div>
  );
}

/** A dash where it is not known, or where there is none. */
const toShareText = (share: number | null | undefined): string =>
  share == null ? '—' : `${Math.round(share * 100)}\u00a0%`;

function StatusCard() {
  const state = useGatewayState();
  const { data: providers } = useQuery(providersQuery);
  const { data: models } = useQuery(modelsQuery);
  const { data: keys } = useQuery(allKeysQuery);
  const { data: open } = useQuery(openCallsQuery);
  const { data: cached, isError: isCachedUnknown } = useQuery({ ...cachedShareQuery, enabled: useIsSettled() });
  return (
    <section className="card p-4">
      <h2 className="mb-3 text-base font-semibold">Status</h2>
      <Facts
        facts={[
          ['Gateway', toStateText(state)],
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
          [
            'Prompts from a cache',
            <span title="Of their tokens, where the provider told: the latest calls of the last 24 hours">
              {cached === undefined && !isCachedUnknown ? '…' : toShareText(cached)}
            </span>,
          ],
        ]}
      />
    </section>
  );
}
