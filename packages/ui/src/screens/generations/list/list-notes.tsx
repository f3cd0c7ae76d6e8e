import { ArrowUp } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';

import { setPreferences, usePreferences } from '../../../app/preferences.ts';
import type { ListRow } from '../../../features/generations/list/list-row.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { generationsMessages } from './messages.ts';

const ANNOUNCE_MS = 10_000;

interface NewRowsBarProps {
  readonly waiting: number;
  /** There may be more than is waiting. */
  readonly isStale: boolean;
  /** Then the bar of the head says what waits. */
  readonly isPaused: boolean;
  readonly onShow: () => void;
}

/** Bar with the number of requests that ended while the user reads further down; announced at most every ten seconds. */
export function NewRowsBar({ waiting, isStale, isPaused, onShow }: NewRowsBarProps) {
  const t = generationsMessages().newRows;
  const announced = useAnnounced(waiting);
  return (
    <>
      <p role="status" className="sr-only">
        {announced === 0 ? '' : t.announced(announced)}
      </p>
      {!isPaused && (waiting > 0 || isStale) && (
        <div className="flex justify-center border-b border-line bg-accent-soft/50 py-1">
          <Button look="quiet" icon={<ArrowUp size={14} />} onClick={onShow} className="text-accent">
            {waiting > 0 ? t.show(formatCount(waiting)) : t.stale}
          </Button>
        </div>
      )}
    </>
  );
}

function useAnnounced(count: number): number {
  const [announced, setAnnounced] = useState(0);
  const announce = useEffectEvent(() => setAnnounced(count));
  useEffect(() => {
    const timer = setInterval(() => announce(), ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, []);
  return announced;
}

/** Says of pinned generations that they are not kept any more, once the others are there. */
export function PinnedNote({ rows }: { rows: readonly ListRow[] }) {
  const t = generationsMessages();
  const { pins } = usePreferences();
  const kept = new Set(rows.map(({ id }) => id));
  const gone = pins.filter((id) => !kept.has(id)).length;
  if (gone === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1.5 text-sm text-ink-soft">
      {t.gone(gone, formatCount(gone))}
      <Button look="quiet" onClick={() => setPreferences({ pins: pins.filter((id) => kept.has(id)) })}>
        {t.forget}
      </Button>
    </p>
  );
}
