import type { GenerationRow } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';

import { formatDuration } from '../../format/quantity.ts';
import { formatRelative } from '../../format/time.ts';
import { StatusBadge } from '../generations/generation-status.tsx';
import { Cost } from '../generations/list/generation-columns.tsx';
import type { GenerationSearch } from '../generations/search/generation-search.ts';

interface RecentCardProps {
  readonly rows: readonly GenerationRow[];
  /** The filter that they are the latest of. */
  readonly filter?: GenerationSearch;
}

export function RecentCard({ rows, filter = {} }: RecentCardProps) {
  return (
    <section className="card min-w-0 p-4">
      <div className="mb-2 flex items-center justify-between">
        <h2 className="text-base font-semibold">Latest calls</h2>
        <Link to="/generations" search={filter} className="text-sm text-accent hover:underline">
          All
        </Link>
      </div>
      {rows.length === 0 ? (
        <p className="py-6 text-center text-sm text-ink-faint">Nothing has been called yet.</p>
      ) : (
        <ul className="text-sm">
          {rows.map((row) => (
            <li key={row.id} className="border-b border-line/60 last:border-0">
              <Link
                to="/generations"
                search={{ ...filter, open: row.id }}
                className="figures flex min-h-9 items-center gap-3 rounded-md px-1 hover:bg-raised"
              >
                <StatusBadge status={row.status} />
                <span className="min-w-0 flex-1 truncate font-medium">{row.model}</span>
                <span className="text-ink-soft">
                  <Cost generation={row} />
                </span>
                <span className="hidden w-24 text-right text-ink-soft sm:inline">
                  {formatDuration(row.generation_time)}
                </span>
                <span className="w-28 truncate text-right text-xs text-ink-faint">
                  {formatRelative(row.created_at)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
