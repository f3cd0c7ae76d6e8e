import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';

import { providersQuery } from '../../../api/queries.ts';
import { may } from '../../../api/session.ts';
import { setPreferences, usePreferences } from '../../../app/preferences.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { type CatalogChange, catalogStateQuery, statementOf } from './catalog-queries.ts';
import { updateMessages } from './messages.ts';

/** Says what the comparison on the schedule has found, a sentence a provider. Nothing where it has found nothing. */
export function UpdateNotice({ onOpen }: { readonly onOpen: () => void }) {
  const { data: state } = useQuery({ ...catalogStateQuery, enabled: may('getCatalogState') });
  const { data: providers = [] } = useQuery(providersQuery);
  const { dismissedUpdates } = usePreferences();
  const changes = state?.latest?.changes ?? [];
  const statements = changes.map(statementOf);
  // What was dismissed is told again as soon as a list states something else.
  if (statements.every((statement) => dismissedUpdates.includes(statement))) return null;
  const t = updateMessages();
  const slugs = [...new Set(changes.map(({ provider }) => provider))];
  const nameOf = (slug: string): string => providers.find((one) => one.slug === slug)?.name ?? slug;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
      <RefreshCw size={14} className="shrink-0 text-accent" />
      {slugs.map((slug) => (
        <span key={slug}>
          {toSentence(
            changes.filter(({ provider }) => provider === slug),
            nameOf(slug),
          )}
        </span>
      ))}
      <Button look="quiet" onClick={onOpen}>
        {t.review}
      </Button>
      <Button look="quiet" onClick={() => setPreferences({ dismissedUpdates: statements })}>
        {t.dismiss}
      </Button>
    </p>
  );
}

function toSentence(changes: readonly CatalogChange[], provider: string): string {
  const t = updateMessages();
  const arePrices = changes.every(({ field }) => field.startsWith('pricing.'));
  return (arePrices ? t.foundPrices : t.found)(changes.length, provider);
}
