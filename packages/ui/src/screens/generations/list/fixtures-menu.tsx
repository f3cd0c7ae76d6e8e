import type { FixtureSuite } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { TestTubeDiagonal } from 'lucide-react';

import { openApi } from '../../../api/call-api.ts';
import { type GenerationSearch, toGenerationQuery } from '../../../features/generations/search/generation-search.ts';
import { formatBytes } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { showFailure, showToast } from '../../../parts/messages/toast-store.ts';
import { saveFile } from '../../../parts/save-file.ts';
import { generationsMessages } from './messages.ts';

const SUITES = ['vitest', 'jest', 'node', 'pytest'] as const satisfies readonly FixtureSuite[];

interface FixturesMenuProps {
  readonly search: GenerationSearch;
  /** Ids of the requests that are chosen, in the place of those that the list has; none for the latest of the list. */
  readonly ids: readonly string[];
}

/** Downloads fixtures of the chosen requests, or the latest of the list, with a suite that runs them. */
export function FixturesMenu({ search, ids }: FixturesMenuProps) {
  const t = generationsMessages().fixtures;
  const save = useMutation({
    mutationFn: async (suite: FixtureSuite) => {
      const chosen = ids.length > 0 ? { ids: ids.join() } : toGenerationQuery(search, Date.now());
      const file = await (await openApi('/admin/v1/fixtures/export', { query: { ...chosen, suite } })).blob();
      saveFile('fixtures.zip', file);
      return file.size;
    },
    onSuccess: (bytes) => showToast({ tone: 'good', title: t.done(formatBytes(bytes)), detail: t.detail }),
    onError: (error) => showFailure(t.failed, error),
  });
  return (
    <Menu
      trigger={
        <Button isBusy={save.isPending} icon={<TestTubeDiagonal size={15} />} aria-label={t.title} title={t.hint}>
          {/* Its icon alone, where the words of all would take a second line. */}
          <span className="@max-7xl:hidden">{t.title}</span>
        </Button>
      }
      items={SUITES.map((suite) => ({ label: t.suites[suite], onSelect: () => save.mutate(suite) }))}
    />
  );
}
