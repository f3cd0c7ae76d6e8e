import type { CallLimitList } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { queryClient } from '../../api/query-client.ts';
import { formatCount } from '../../format/quantity.ts';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { type CallLimit, CallLimitForm } from './call-limit-form.tsx';
import { callLimitMessages } from './call-limit-messages.ts';
import { useKeyNames } from './rate-limits.tsx';
import { LimitActions, StoredLimits } from './stored-limits.tsx';

/** Calls come and go, so it is asked again while it is looked at. */
const REFRESH_MS = 3000;

const callLimitsQuery = queryOptions({
  queryKey: ['call-limits'],
  queryFn: ({ signal }) => callApi<CallLimitList>('/admin/v1/call-limits', { signal }),
  refetchInterval: REFRESH_MS,
});

async function putCallLimits(limits: readonly CallLimit[]): Promise<void> {
  await callApi('/admin/v1/call-limits', { method: 'PUT', body: { data: limits } });
  await queryClient.invalidateQueries({ queryKey: callLimitsQuery.queryKey });
}

/** The limits on calls at once, with what is under way and waiting; those of the configuration are changed there. */
export function CallLimitsSection() {
  const t = callLimitMessages();
  const query = useQuery(callLimitsQuery);
  return (
    <section aria-label={t.title} className="flex flex-col gap-3">
      <Loaded what={t.what} failure={t.notLoaded} query={query} data={query.data} isFlush>
        {(list) => <LoadedSection list={list} />}
      </Loaded>
    </section>
  );
}

type ShownLimit = CallLimitList['data'][number];

const toLimit = ({ key, model, provider, calls_under_way, queue }: ShownLimit): CallLimit => ({
  key,
  model,
  provider,
  calls_under_way,
  queue,
});

const toStored = (limits: readonly ShownLimit[]): readonly CallLimit[] =>
  limits.filter(({ source }) => source === 'stored').map(toLimit);

const loadStored = async (): Promise<readonly CallLimit[]> =>
  toStored((await queryClient.fetchQuery({ ...callLimitsQuery, staleTime: 0 })).data);

const isSame = (one: CallLimit, other: CallLimit): boolean =>
  one.key === other.key && one.model === other.model && one.provider === other.provider;

function LoadedSection({ list: { data, instances, missing } }: { readonly list: CallLimitList }) {
  const t = callLimitMessages();
  return (
    <StoredLimits
      texts={t}
      stored={toStored(data)}
      isSame={isSame}
      load={loadStored}
      put={putCallLimits}
      canAdd
      form={CallLimitForm}
    >
      {({ edit, remove }) =>
        data.length === 0 ? (
          <p className="text-sm text-ink-faint">{t.none}</p>
        ) : (
          <>
            <ul aria-label={t.title} className="flex flex-col gap-2">
              {data.map((limit) => (
                <LimitItem
                  key={JSON.stringify([limit.source, limit.key, limit.model, limit.provider])}
                  limit={limit}
                  onEdit={() => edit(toLimit(limit))}
                  onDelete={() => remove(toLimit(limit))}
                />
              ))}
            </ul>
            {(instances > 1 || missing !== null) && (
              <p className="text-xs text-ink-faint">
                {missing === null ? t.counted(instances, formatCount(instances)) : t.countedHere}
              </p>
            )}
          </>
        )
      }
    </StoredLimits>
  );
}

/** How many of its places are named; the gateway has the busiest first. */
const MAX_PLACES = 5;

interface LimitItemProps {
  readonly limit: ShownLimit;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function LimitItem({ limit, onEdit, onDelete }: LimitItemProps) {
  const t = callLimitMessages();
  const nameOf = useKeyNames();
  const { source, calls_under_way: most, queue, under_way: running, waiting, places } = limit;
  const title = describe(limit, nameOf);
  return (
    <li className="flex flex-col gap-1 rounded-lg border border-line p-3 text-sm">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 font-medium break-words">{title}</span>
        <LimitActions source={source} texts={t} label={t.actionsFor(title)} onEdit={onEdit} onDelete={onDelete} />
      </div>
      <p className="figures text-ink-soft">
        {t.atMost(most, formatCount(most))}
        {queue !== null && t.queue(queue.length, formatCount(queue.length), formatCount(queue.seconds))}
      </p>
      <p className="figures text-xs text-ink-faint">{t.now(formatCount(running), formatCount(waiting))}</p>
      {(limit.key === '*' || limit.model === '*' || limit.provider === '*') && places.length > 0 && (
        <ul aria-label={t.busiest} className="flex flex-col text-xs text-ink-faint">
          {places.slice(0, MAX_PLACES).map((one) => (
            <li key={JSON.stringify([one.key, one.model, one.provider])} className="figures break-words">
              {[one.key_name ?? one.key?.slice(0, 8), one.model, one.provider]
                .flatMap((part) => (part == null ? [] : [showControls(part)]))
                .join(' · ')}
              {': '}
              {t.now(formatCount(one.under_way), formatCount(one.waiting))}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** What a limit counts, in words: each part that it has. */
function describe({ key, model, provider }: ShownLimit, nameOf: (key: string) => string): string {
  const t = callLimitMessages();
  const parts = [
    key === null ? null : key === '*' ? t.each.key : t.one.key(showControls(nameOf(key))),
    model === null ? null : model === '*' ? t.each.model : t.one.model(showControls(model)),
    provider === null ? null : provider === '*' ? t.each.provider : t.one.provider(showControls(provider)),
  ].filter((part) => part !== null);
  return parts.length === 0 ? t.all : parts.join(', ');
}
