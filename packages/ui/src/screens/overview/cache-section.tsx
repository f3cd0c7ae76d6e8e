import { lazy, Suspense, useState } from 'react';

import type { OverviewSearch } from '../../features/activity/overview-search.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { cacheSectionMessages } from './cache-messages.ts';

const CacheCauses = lazy(async () => ({ default: (await import('./cache-causes.tsx')).CacheCauses }));

/**
 * What a span missed in the caches of providers, by cause and by app, and what automatic marks would have saved. It reads
 * the contents of up to 2,000 requests, and so waits until somebody wants to see it.
 */
export function CacheSection({ search }: { search: OverviewSearch }) {
  const t = cacheSectionMessages();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section aria-labelledby="cache-title" className="card flex min-w-0 flex-col gap-4 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-60 flex-1">
          <h2 id="cache-title" className="text-base font-semibold">
            {t.title}
          </h2>
          <p className="text-sm text-ink-soft">{t.about}</p>
        </div>
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t.hide : t.show}
        </Button>
      </div>
      {isOpen && (
        <Suspense fallback={<Loading what={t.what} />}>
          <CacheCauses search={search} />
        </Suspense>
      )}
    </section>
  );
}
