import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';

import { openApi } from '../../api/call-api.ts';
import { allKeysQuery, modelsQuery, providersQuery, recentCallsQuery, refreshEvery } from '../../api/queries.ts';
import { administers, may } from '../../api/session.ts';
import { SNIPPETS, toBaseUrl } from '../../app/base-url.ts';
import { toStateText, useGatewayState } from '../../app/gateway-state.ts';
import { setPreferences, usePreferences } from '../../app/preferences.ts';
import { ActivitySection, RecentCard } from '../../features/activity/activity-section.tsx';
import { figuresQuery } from '../../features/activity/figures-query.ts';
import { ForecastCard } from '../../features/forecast/forecast-card.tsx';
import { RunningBar } from '../../features/generations/running/running-bar.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import { useLastingFailure } from '../../parts/messages/use-lasting-failure.ts';
import { Code } from '../../parts/text/code.tsx';
import { useIsSettled } from '../../parts/use-is-settled.ts';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { Attention, attentionProvidersQuery } from './attention.tsx';
import { CacheSection } from './cache-section.tsx';
import { Checklist } from './checklist.tsx';
import { isAnswered, useFirstSteps } from './first-steps.ts';
import { overviewMessages } from './messages.ts';

const FirstRun = lazy(async () => ({ default: (await import('./first-run.tsx')).FirstRun }));

/** The state of the gateway; on the first run, what to do first. */
export function OverviewScreen() {
  const t = overviewMessages();
  const { isIntroduced } = usePreferences();
  const search = useSearch({ from: '/' });
  const navigate = useNavigateWithin('/');
  const recent = useQuery(recentCallsQuery);
  const recentFailure = useLastingFailure(recent);
  const figures = useQuery({ ...figuresQuery(search), enabled: useIsSettled() });
  const keys = useQuery(allKeysQuery);
  const providers = useQuery(attentionProvidersQuery);
  // Members find a gateway that others have set up.
  const isToIntroduce = !isIntroduced && administers();
  const steps = useFirstSteps(isToIntroduce);
  /** The step that is shown instead of the overview. */
  const [step, setStep] = useState<number | null>(null);
  const rows = recent.data?.data ?? [];
  const undone = steps.done.indexOf(false);
  // Nothing was ever called. Its test call is one of the latest calls, and not its end.
  const isNew = recent.data !== undefined && rows.length === 0 && recent.error === null;
  if (isToIntroduce && step === null && isNew && steps.isKnown && undone >= 0) setStep(undone);
  if (step !== null) {
    const finish = (): void => {
      setPreferences({ isIntroduced: true });
      setStep(null);
    };
    return (
      <Suspense fallback={<Coming />}>
        <FirstRun from={step} onDone={finish} />
      </Suspense>
    );
  }
  // All at once, so that nothing that comes later moves what is there.
  const isComing = !steps.isKnown || ![recent, figures, keys, providers].every(isAnswered);
  return (
    <div className="flex w-full flex-col gap-4 px-4 py-3">
      <ScreenHeader title={t.title} />
      {isComing ? (
        <Loading what={t.loading} />
      ) : (
        <>
          {isToIntroduce && undone >= 0 && keys.data && providers.data && (
            <Checklist done={steps.done} onOpen={setStep} />
          )}
          <Attention search={search} figures={figures.data} />
          <ActivitySection search={search} onSearch={(next) => void navigate({ search: next })} />
          {may('listCacheCauses') && <CacheSection search={search} />}
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2 min-[112rem]:grid-cols-3">
            <div className="flex min-w-0 flex-col gap-4">
              <RunningBar
                onOpen={(open) => void navigate({ to: '/generations', search: { open } })}
                className="card border-b"
              />
              {recentFailure !== null && (
                <ErrorPanel error={recentFailure} title={t.latestFailed} onRetry={() => void recent.refetch()} />
              )}
              {recent.data !== undefined && <RecentCard rows={rows} />}
            </div>
            <div className="flex min-w-0 flex-col gap-4 min-[112rem]:contents">
              <ForecastCard of="account" />
              <StatusCard />
              {administers() && (
                <ConnectCard
                  onSteps={() => {
                    setPreferences({ isIntroduced: false });
                    setStep(Math.max(0, undone));
                  }}
                />
              )}
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function Coming() {
  const t = overviewMessages();
  return (
    <div className="px-4 py-3">
      <ScreenHeader title={t.title} />
      <Loading what={t.loading} />
    </div>
  );
}

function StatusCard() {
  const t = overviewMessages().status;
  const state = useGatewayState();
  const { data: providers } = useQuery(providersQuery);
  const { data: models } = useQuery(modelsQuery);
  const { data: keys } = useQuery(allKeysQuery);
  const { data: open } = useQuery(openCallsQuery);
  const names = providers?.map(({ name }) => name).join(', ');
  return (
    <section className="card p-4">
      <h2 className="mb-3 text-base font-semibold">{t.title}</h2>
      <Facts
        facts={[
          [t.gateway, toStateText(state)],
          [
            t.running,
            open === undefined || open === null
              ? '—'
              : t.runningCount(formatCount(open.all), open.streamed > 0 ? formatCount(open.streamed) : ''),
          ],
          [t.api, <code className="font-mono text-xs break-all">{toBaseUrl()}</code>],
          [t.providers, names === undefined ? '…' : names || t.none],
          [
            t.models,
            <Link to="/models" className="text-accent hover:underline">
              {formatCount(models?.length)}
            </Link>,
          ],
          [
            t.keys,
            <Link to="/keys" className="text-accent hover:underline">
              {formatCount(keys?.length)}
            </Link>,
          ],
        ]}
      />
    </section>
  );
}

function ConnectCard({ onSteps }: { onSteps: () => void }) {
  const t = overviewMessages().connect;
  const { data: models } = useQuery(modelsQuery);
  const [label, setLabel] = useState('curl');
  const model =
    models?.find(({ architecture }) => architecture.output_modalities.includes('text'))?.id ?? 'author/model';
  const snippet = SNIPPETS.find((candidate) => candidate.label === label);
  const text = snippet?.toText(model) ?? '';
  return (
    <section className="card min-w-0 p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{t.title}</h2>
        <div className="flex min-w-0 gap-2">
          <Select
            label={t.tool}
            className="w-auto max-w-full min-w-0"
            value={label}
            options={SNIPPETS.map((candidate) => candidate.label)}
            onChange={setLabel}
          />
          <CopyButton text={text} label={t.copy} />
        </div>
      </div>
      <pre
        tabIndex={0}
        aria-label={t.snippet(label)}
        className="scroll-thin max-h-72 overflow-auto rounded-lg bg-raised p-3 font-mono text-xs"
      >
        <Code text={text} language={snippet?.language} />
      </pre>
      <div className="mt-2 flex flex-wrap items-center gap-x-4 text-xs text-ink-faint">
        <p>
          {t.note}{' '}
          <Link to="/connect" search={{}} className="text-accent underline">
            {t.guide}
          </Link>
        </p>
        <span className="flex-1" />
        <Button look="quiet" className="-mx-2.5 text-xs" onClick={onSteps}>
          {t.steps}
        </Button>
      </div>
    </section>
  );
}

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
