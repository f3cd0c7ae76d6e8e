import type { GenerationRow } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

import { callApi, openApi } from '../../api/call-api.ts';
import { allKeysQuery, modelsQuery, providersQuery, recentCallsQuery, refreshEvery } from '../../api/queries.ts';
import type { GenerationList } from '../../api/types.ts';
import { SNIPPETS, toBaseUrl } from '../../app/base-url.ts';
import { toStateText, useGatewayState } from '../../app/gateway-state.ts';
import { setPreferences, usePreferences } from '../../app/preferences.ts';
import { ActivitySection, RecentCard } from '../../features/activity/activity-section.tsx';
import { RunningBar } from '../../features/generations/running/running-bar.tsx';
import { DAY_MS } from '../../format/days.ts';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import { useIsSettled } from '../../parts/use-is-settled.ts';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { Attention } from './attention.tsx';
import { FirstRun } from './first-run.tsx';

/** The state of the gateway; on the first run, what to do first. */
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
            <span title="Share of prompt tokens, where reported: latest calls of the last 24 hours">
              {cached === undefined && !isCachedUnknown ? '…' : toShareText(cached)}
            </span>,
          ],
        ]}
      />
    </section>
  );
}

function ConnectCard() {
  const { data: models } = useQuery(modelsQuery);
  const [label, setLabel] = useState('curl');
  const model =
    models?.find(({ architecture }) => architecture.output_modalities.includes('text'))?.id ?? 'author/model';
  const snippet = SNIPPETS.find((candidate) => candidate.label === label);
  const text = snippet?.toText(model) ?? '';
  return (
    <section className="card min-w-0 p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">Connect a tool</h2>
        <div className="flex min-w-0 gap-2">
          <Select
            label="Tool"
            className="field w-auto max-w-full min-w-0"
            value={label}
            options={SNIPPETS.map((candidate) => candidate.label)}
            onChange={setLabel}
          />
          <CopyButton text={text} label="Copy" />
        </div>
      </div>
      <pre
        tabIndex={0}
        aria-label={`Snippet for ${label}`}
        className="scroll-thin max-h-72 overflow-auto rounded-lg bg-raised p-3 font-mono text-xs"
      >
        {text}
      </pre>
      <p className="mt-2 text-xs text-ink-faint">
        Set GATEWAY_API_KEY to a key from Keys; the snippets contain none.{' '}
        <Link to="/connect" search={{}} className="text-accent underline">
          Connect a tool
        </Link>{' '}
        creates a key for your tool and shows its settings.
      </p>
    </section>
  );
}

/** Number of calls that the share is computed from: one page of the list. */
const MAX_CALLS = 200;

type CacheFacts = Pick<GenerationRow, 'native_tokens_cached' | 'native_tokens_prompt' | 'status'>;

/** The part of the prompts that came from a cache, of those whose providers told; null without any. Failed calls do not count. */
export function toCachedShare(rows: readonly CacheFacts[]): number | null {
  let prompt = 0;
  let cached = 0;
  for (const row of rows) {
    if (row.status === 'failed' || row.native_tokens_cached === null || row.native_tokens_prompt === null) continue;
    prompt += row.native_tokens_prompt;
    cached += row.native_tokens_cached;
  }
  return prompt === 0 ? null : cached / prompt;
}

/** The share of the latest calls of the last 24 hours. */
const cachedShareQuery = queryOptions({
  queryKey: ['generations', 'cached share'],
  refetchInterval: refreshEvery(60_000),
  queryFn: async ({ signal }) => {
    const fields = 'status,native_tokens_cached,native_tokens_prompt';
    const query = { from: new Date(Date.now() - DAY_MS).toISOString(), limit: MAX_CALLS, fields };
    return toCachedShare((await callApi<GenerationList<CacheFacts>>('/admin/v1/generations', { query, signal })).data);
  },
});

/** Calls to models that have not ended. */
export interface OpenCalls {
  readonly all: number;
  readonly streamed: number;
}

/** Reads the metrics; null where they do not tell. */
export function parseOpenCalls(metrics: string): OpenCalls | null {
  const read = (name: string): number | undefined => {
    const found = new RegExp(`^model_gateway_${name} (\\d+)$`, 'm').exec(metrics)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const all = read('open_calls');
  const streamed = read('open_streams');
  return all === undefined || streamed === undefined ? null : { all, streamed };
}

const openCallsQuery = queryOptions({
  queryKey: ['open-calls'],
  refetchInterval: refreshEvery(10_000),
  retry: false,
  queryFn: async ({ signal }) => parseOpenCalls(await (await openApi('/metrics', { signal })).text()),
});
