import { setPreferences, usePreferences } from '../../../app/preferences.ts';
import type { ListRow } from '../../../features/generations/list/list-row.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';

/** Says of pinned generations that they are not kept any more, once the others are there. */
export function PinnedNote({ rows }: { rows: readonly ListRow[] }) {
  const { pins } = usePreferences();
  const kept = new Set(rows.map(({ id }) => id));
  const gone = pins.filter((id) => !kept.has(id)).length;
  if (gone === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5 text-sm text-ink-soft">
      {formatCount(gone)} pinned {gone === 1 ? 'call is' : 'calls are'} not kept by the gateway any more.
      <Button look="quiet" onClick={() => setPreferences({ pins: pins.filter((id) => kept.has(id)) })}>
        Forget {gone === 1 ? 'it' : 'them'}
      </Button>
    </p>
  );
}
