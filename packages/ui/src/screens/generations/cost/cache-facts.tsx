import type { CacheReport } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { cacheMessages } from '../../../features/generations/cost/cache-messages.ts';
import { formatUsdExactly } from '../../../format/money.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Facts } from '../../../parts/facts.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';

const cacheReportQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'cache'],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: CacheReport }>(`/admin/v1/generations/${id}/cache`, { signal })).data,
  });

/** Why the prompt of a call was, or was not, read from the provider's cache, and what that was worth. */
export function CacheFacts({ id }: { id: string }) {
  const t = cacheMessages();
  const query = useQuery(cacheReportQuery(id));
  const report = query.data;
  if (report === undefined) return <NotLoaded what={t.what} failure={t.failure} query={query} isFlush />;
  const { cause, difference } = report;
  return (
    <Facts
      facts={[
        [t.result, t.causes[cause]],
        ...(difference === null
          ? []
          : ([
              [t.place, difference.path],
              [t.before, showControls(difference.before)],
              [t.after, showControls(difference.after)],
            ] as const)),
        [t.read, formatCount(report.read_tokens)],
        // What is not known, as without a price, has no row.
        ...toRow(t.written, report.written_tokens, formatCount),
        ...toRow(t.saved, report.saved, formatUsdExactly),
        ...toRow(t.missed, report.would_have_saved, formatUsdExactly),
      ]}
    />
  );
}

const toRow = (
  name: string,
  value: number | null,
  format: (value: number) => string,
): readonly (readonly [string, string])[] => (value === null ? [] : [[name, format(value)]]);
