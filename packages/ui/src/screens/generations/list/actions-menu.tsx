import type { FixtureSuite } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { Download, Repeat2, TestTubeDiagonal, Wrench } from 'lucide-react';

import { openApi } from '../../../api/call-api.ts';
import { may } from '../../../api/session.ts';
import { useTask } from '../../../app/tasks.ts';
import {
  type GenerationSearch,
  isGrouping,
  toGenerationQuery,
} from '../../../features/generations/search/generation-search.ts';
import { formatBytes } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { showFailure, showToast } from '../../../parts/messages/toast-store.ts';
import { saveFile } from '../../../parts/save-file.ts';
import { generationsMessages } from './messages.ts';

const FORMATS = [
  { name: 'csv', format: 'csv', content: 'false' },
  { name: 'ndjson', format: 'ndjson', content: 'false' },
  { name: 'whole', format: 'ndjson', content: 'true' },
] as const;
const SUITES = ['vitest', 'jest', 'node', 'pytest'] as const satisfies readonly FixtureSuite[];
const ICON_PX = 15;

interface ActionsMenuProps {
  readonly search: GenerationSearch;
  /** Ids of the requests that are chosen, which fixtures are made of in the place of those that the list has. */
  readonly ids: readonly string[];
  readonly onRerun: () => void;
}

/** What can be done with all requests of the list: run them again, export them, make fixtures of them. */
export function ActionsMenu({ search, ids, onRerun }: ActionsMenuProps) {
  const t = generationsMessages();
  const exported = useExport(search);
  const fixtures = useFixtures(search, ids);
  const isWhole = search.pinned === undefined;
  const items = [
    ...(isWhole ? [{ label: t.rerunThese, icon: <Repeat2 size={ICON_PX} />, onSelect: onRerun }] : []),
    ...(isWhole
      ? FORMATS.map((format) => ({
          label: t.export[format.name],
          icon: <Download size={ICON_PX} />,
          onSelect: () => exported.mutate(format),
        }))
      : []),
    ...(!isGrouping(search.group) && may('exportFixtures')
      ? SUITES.map((suite) => ({
          label: t.fixtures.suites[suite],
          icon: <TestTubeDiagonal size={ICON_PX} />,
          onSelect: () => fixtures.mutate(suite),
        }))
      : []),
  ];
  if (items.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button
          isBusy={exported.isPending || fixtures.isPending}
          icon={<Wrench size={ICON_PX} />}
          aria-label={t.actions.title}
          title={t.actions.hint}
        >
          <span className="@max-5xl:hidden">{t.actions.title}</span>
        </Button>
      }
      items={items}
    />
  );
}

function useExport(search: GenerationSearch) {
  const t = generationsMessages().export;
  const save = useMutation({
    mutationFn: async ({ format, content }: Pick<(typeof FORMATS)[number], 'format' | 'content'>) => {
      const query = { ...toGenerationQuery(search, Date.now()), format, content };
      const file = await (await openApi('/admin/v1/generations/export', { query })).blob();
      saveFile(`generations.${format}`, file);
      return file.size;
    },
    onSuccess: (bytes) => showToast({ tone: 'good', title: t.done(formatBytes(bytes)) }),
    onError: (error) => showFailure(t.failed, error),
  });
  useTask('export-generations', () => save.mutate(FORMATS[0]));
  return save;
}

/** Downloads fixtures of the chosen requests, or the latest of the list, with a suite that runs them. */
function useFixtures(search: GenerationSearch, ids: readonly string[]) {
  const t = generationsMessages().fixtures;
  return useMutation({
    mutationFn: async (suite: FixtureSuite) => {
      const chosen = ids.length > 0 ? { ids: ids.join() } : toGenerationQuery(search, Date.now());
      const file = await (await openApi('/admin/v1/fixtures/export', { query: { ...chosen, suite } })).blob();
      saveFile('fixtures.zip', file);
      return file.size;
    },
    onSuccess: (bytes) => showToast({ tone: 'good', title: t.done(formatBytes(bytes)), detail: t.detail }),
    onError: (error) => showFailure(t.failed, error),
  });
}
