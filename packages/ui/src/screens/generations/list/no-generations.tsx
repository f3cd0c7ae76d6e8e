import { Link } from '@tanstack/react-router';
import { ListTree, Pin, SearchX } from 'lucide-react';

import {
  type GenerationSearch,
  NO_FILTERS,
  hasGenerationFilters,
} from '../../../features/generations/search/generation-search.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import type { ChangeSearch } from '../search/filter-bar.tsx';
import { WhyNothing } from '../search/why-nothing.tsx';
import { generationsMessages } from './messages.ts';

interface NoGenerationsProps {
  readonly search: GenerationSearch;
  /** Whether the search was stopped before its end. */
  readonly isStopped: boolean;
  readonly onChange: ChangeSearch;
}

/** What stands in place of a list without rows: what would be there, or which filter leaves nothing. */
export function NoGenerations({ search, isStopped, onChange }: NoGenerationsProps) {
  const t = generationsMessages();
  if (search.pinned !== undefined) {
    return (
      <EmptyState icon={<Pin size={22} />} title={t.noPins}>
        <p>{t.noPinsHint}</p>
      </EmptyState>
    );
  }
  if (!hasGenerationFilters(search)) {
    return (
      <EmptyState icon={<ListTree size={22} />} title={t.none}>
        <p>{t.noneHint}</p>
        <Link to="/playground" className="text-accent underline">
          {t.openPlayground}
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchX size={22} />} title={isStopped ? t.stopped : t.noMatch}>
      {!isStopped && <WhyNothing search={search} onChange={onChange} />}
      <Button onClick={() => onChange(NO_FILTERS)}>{t.clearFilters}</Button>
    </EmptyState>
  );
}
