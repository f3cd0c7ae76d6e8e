import type { SampleDataState } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Sparkles, Trash2 } from 'lucide-react';

import { callApi } from '../api/call-api.ts';
import { queryClient } from '../api/query-client.ts';
import { formatCount } from '../format/quantity.ts';
import { timeFormats } from '../format/time.ts';
import { createMessages, plural } from '../messages/locale.ts';
import { Button } from '../parts/controls/button.tsx';
import { showFailure, showToast } from '../parts/messages/toast-store.ts';
import { useIsSettled } from '../parts/use-is-settled.ts';

const sampleDataMessages = createMessages(
  {
    label: 'Sample data',
    text: (count: number, from: string) =>
      `${formatCount(count)} made-up ${plural.en(count, { one: 'request', other: 'requests' })} since ${from}, so that ` +
      'you can look around. Requests of your own come on top.',
    remove: 'Delete sample data',
    removed: 'Sample data deleted',
    failed: 'Sample data could not be deleted',
  },
  {
    de: {
      label: 'Beispieldaten',
      text: (count, from) =>
        `${formatCount(count)} erfundene ${plural.de(count, { one: 'Anfrage', other: 'Anfragen' })} seit ${from}, damit ` +
        'es etwas zu sehen gibt. Eigene Anfragen kommen hinzu.',
      remove: 'Beispieldaten löschen',
      removed: 'Beispieldaten gelöscht',
      failed: 'Die Beispieldaten konnten nicht gelöscht werden',
    },
  },
);

const sampleDataQuery = queryOptions({
  queryKey: ['sample-data'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) =>
    (await callApi<{ data: SampleDataState | null }>('/admin/v1/sample-data', { signal })).data,
});

/** Says that the demo's records are made up, and deletes them. Nothing where there are none. */
export function SampleDataBanner() {
  const t = sampleDataMessages();
  const { data } = useQuery({ ...sampleDataQuery, enabled: useIsSettled() });
  const remove = useMutation({
    mutationFn: () => callApi('/admin/v1/sample-data', { method: 'DELETE' }),
    async onSuccess() {
      showToast({ tone: 'good', title: t.removed });
      await queryClient.invalidateQueries();
    },
    onError: (error) => showFailure(t.failed, error),
  });
  if (data === undefined || data === null) return null;
  return (
    <aside
      aria-label={t.label}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line bg-surface px-4 py-1 text-xs"
    >
      <Sparkles size={15} className="shrink-0 text-accent" />
      <p className="min-w-0 flex-1">
        <span className="font-medium">{t.label}</span>{' '}
        <span className="text-ink-soft max-sm:sr-only">
          {t.text(data.generations, timeFormats().day.format(new Date(data.from)))}
        </span>
      </p>
      <Button
        look="quiet"
        className="text-xs"
        icon={<Trash2 size={14} />}
        isBusy={remove.isPending}
        onClick={() => remove.mutate()}
      >
        {t.remove}
      </Button>
    </aside>
  );
}
