import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useState } from 'react';

import { useShortcut } from '../../app/shortcuts.ts';
import { generationQuery } from '../../features/generations/content/generation-queries.ts';
import { withoutFilters } from '../../features/generations/search/generation-search.ts';
import { copyText } from '../../parts/controls/copy-button.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { GenerationActions, PinButton } from './detail/generation-actions.tsx';
import { GenerationTabs } from './detail/generation-tabs.tsx';
import { GenerationTitle, IdChip } from './detail/generation-title.tsx';
import { detailMessages } from './detail/messages.ts';
import { useGenerations } from './list/use-generations.ts';
import { useRowKeys, useStepKeys } from './list/use-row-keys.ts';
import { useRunningCall } from './running/running-detail.tsx';
import type { ChangeSearch } from './search/filter-bar.tsx';

/** A request on a page of its own. Its address has the filters of the list that it was opened from, which keys walk. */
export function GenerationPage() {
  const { page: t, tabs } = detailMessages();
  const { id } = useParams({ from: '/generations/$id' });
  const search = useSearch({ from: '/generations/$id' });
  const navigate = useNavigateWithin('/generations/$id');
  const { call } = useRunningCall(id);
  const { data: generation } = useQuery({ ...generationQuery(id), enabled: call === undefined });
  // An older call is not on the first page of the list; the list then begins with it.
  const [beginning, setBeginning] = useState<string>();
  const from = beginning === undefined ? search : { ...withoutFilters(search, ['range']), to: beginning };
  const { data, rows, loadMore } = useGenerations(from, false, true);
  const isMissing = data !== undefined && generation !== undefined && !rows.some((row) => row.id === id);
  useEffect(() => {
    if (isMissing && beginning === undefined) setBeginning(toMomentAfter(generation.created_at));
  }, [isMissing, beginning, generation]);
  const back = { ...search, open: id };
  useStepKeys({
    rows,
    openId: id,
    open: (row) => void navigate({ to: '/generations/$id', params: { id: row.id }, search, replace: true }),
    onEnd: loadMore,
  });
  // What is chosen for comparison is shown in the list.
  const change: ChangeSearch = (next) =>
    void navigate({ to: '/generations', search: (before) => ({ ...before, open: id, ...next }) as typeof before });
  useRowKeys({ compare: search.compare, opened: generation, change });
  useShortcut(
    { keys: 'Escape', label: t.backToList, group: tabs.thisScreen },
    () => void navigate({ to: '/generations', search: back }),
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Link
          to="/generations"
          search={back}
          className="inline-flex min-h-8 items-center gap-1 rounded-md px-2 text-sm text-ink-soft hover:bg-raised"
        >
          <ArrowLeft size={15} /> {t.list}
        </Link>
        <div className="order-last flex min-w-0 flex-1 basis-full items-center gap-2 md:order-none md:basis-60">
          <h1 className="flex min-w-0 text-base font-semibold">
            <GenerationTitle id={id} model={call?.model} />
          </h1>
          <IdChip id={id} onCopy={() => void copyText(id, t.copiedId)} />
        </div>
        {call === undefined && (
          <div className="ml-auto flex items-center gap-2">
            <PinButton id={id} />
            <GenerationActions id={id} />
          </div>
        )}
      </div>
      <GenerationTabs
        id={id}
        tab={search.tab}
        onTab={(tab) =>
          void navigate({
            search: ({ tab: _, ...kept }) => (tab === undefined ? kept : { ...kept, tab }),
            replace: true,
          })
        }
      />
    </div>
  );
}

const toMomentAfter = (iso: string): string => new Date(Date.parse(iso) + 1).toISOString();
