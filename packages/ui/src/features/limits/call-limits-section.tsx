import type { CallLimitList } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Lock, Plus } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { queryClient } from '../../api/query-client.ts';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { showFailure, showUndo } from '../../parts/messages/toast-store.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { RowMenu } from '../list-screen/list-screen.tsx';
import { type CallLimit, CallLimitForm } from './call-limit-form.tsx';
import { callLimitMessages } from './call-limit-messages.ts';
import { useKeyNames } from './rate-limits.tsx';

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

/** Puts these in the place of the stored limits, and offers to take that back. Throws `ApiError`. */
async function changeCallLimits(before: readonly CallLimit[], after: readonly CallLimit[], title: string) {
  await putCallLimits(after);
  showUndo({ title, undo: () => putCallLimits(before), undone: callLimitMessages().restored });
}

/** The limits on calls at once, with what is under way and waiting; those of the configuration are changed there. */
export function CallLimitsSection() {
  const t = callLimitMessages();
  const query = useQuery(callLimitsQuery);
  return (
    <section aria-label={t.title} className="flex flex-col gap-3">
      <Loaded what={t.what} failure={t.notLoaded} query={query} data={query.data} isFlush>
        {(list) => <LoadedSection data={list.data} />}
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

const isSame = (one: CallLimit, other: CallLimit): boolean =>
  one.key === other.key && one.model === other.model && one.provider === other.provider;

function LoadedSection({ data }: { readonly data: readonly ShownLimit[] }) {
  const t = callLimitMessages();
  const [open, setOpen] = useState<'new' | CallLimit | null>(null);
  const stored = data.filter(({ source }) => source === 'stored').map(toLimit);
  const remove = useMutation({
    mutationFn: (limit: CallLimit) =>
      changeCallLimits(
        stored,
        stored.filter((other) => !isSame(other, limit)),
        t.deleted,
      ),
    onError: (failure) => showFailure(t.notSaved, failure),
  });
  /** The place of the limit that is open among those that are stored. */
  const at = open === null || open === 'new' ? -1 : stored.findIndex((other) => isSame(other, open));
  const place = at < 0 ? stored.length : at;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="flex-1 text-base font-semibold">{t.title}</h2>
        <Button icon={<Plus size={15} />} onClick={() => setOpen('new')}>
          {t.add}
        </Button>
      </div>
      <p className="max-w-prose text-sm text-ink-soft">{t.about}</p>
      {data.length === 0 ? (
        <p className="text-sm text-ink-faint">{t.none}</p>
      ) : (
        <ul aria-label={t.title} className="flex flex-col gap-2">
          {data.map((limit) => (
            <LimitItem
              key={JSON.stringify([limit.source, limit.key, limit.model, limit.provider])}
              limit={limit}
              onEdit={() => setOpen(toLimit(limit))}
              onDelete={() => remove.mutate(limit)}
            />
          ))}
        </ul>
      )}
      {open !== null && (
        <CallLimitForm
          existing={open === 'new' ? undefined : open}
          onClose={() => setOpen(null)}
          onSave={async (limit) => {
            await changeCallLimits(stored, stored.toSpliced(place, 1, limit), t.saved);
            setOpen(null);
          }}
          place={place}
        />
      )}
    </>
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
        {source === 'config' ? (
          <span title={t.fromConfig} className="inline-flex text-ink-faint">
            <Lock size={14} aria-label={t.fromConfig} />
          </span>
        ) : (
          <RowMenu
            label={t.actionsFor(title)}
            items={[
              { label: t.edit, onSelect: onEdit },
              { label: t.delete, isDangerous: true, onSelect: onDelete },
            ]}
          />
        )}
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
