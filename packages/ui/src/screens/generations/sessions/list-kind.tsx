import { Link } from '@tanstack/react-router';

import { type GenerationSearch, withoutFilters } from '../../../features/generations/search/generation-search.ts';
import { LIST_KIND, ListKinds } from '../../../features/list-screen/list-screen.tsx';
import { sessionsMessages } from './messages.tsx';

/** Whether single requests are listed, or sessions of them; the filters stay. */
export function ListKind({ search }: { search: GenerationSearch }) {
  const t = sessionsMessages().kind;
  const filters = withoutFilters(search, ['open', 'compare', 'tab', 'pinned', 'sort', 'order']);
  const exact = { exact: true, includeSearch: false } as const;
  return (
    <ListKinds label={t.label}>
      <Link to="/generations" search={filters} activeOptions={exact} className={LIST_KIND}>
        {t.requests}
      </Link>
      <Link to="/generations/sessions" search={filters} activeOptions={exact} className={LIST_KIND}>
        {t.sessions}
      </Link>
    </ListKinds>
  );
}
