import { Link } from '@tanstack/react-router';

import { type GenerationSearch, withoutFilters } from '../../../features/generations/search/generation-search.ts';
import { sessionsMessages } from './messages.tsx';

const LOOK =
  'inline-flex min-h-7 items-center rounded px-2.5 text-sm text-ink-soft hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent';

/** Whether single requests are listed, or sessions of them; the filters stay. */
export function ListKind({ search }: { search: GenerationSearch }) {
  const t = sessionsMessages().kind;
  const filters = withoutFilters(search, ['open', 'compare', 'tab', 'pinned', 'sort', 'order']);
  const exact = { exact: true, includeSearch: false } as const;
  return (
    <div
      role="group"
      aria-label={t.label}
      className="inline-flex rounded-md border border-line-strong/50 bg-surface p-0.5"
    >
      <Link to="/generations" search={filters} activeOptions={exact} className={LOOK}>
        {t.requests}
      </Link>
      <Link to="/generations/sessions" search={filters} activeOptions={exact} className={LOOK}>
        {t.sessions}
      </Link>
    </div>
  );
}
