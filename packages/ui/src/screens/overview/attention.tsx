import type { GenerationRow } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info } from 'lucide-react';

import { healthQuery, keysQuery, refreshEvery } from '../../api/queries.ts';
import { providerStatesQuery } from '../../features/providers/provider-queries.ts';
import { findConcerns } from './find-concerns.ts';

/** What is wrong or soon will be. Without the latest calls nobody knows that nothing is: then it is left out. */
export function Attention({ rows }: { rows: readonly GenerationRow[] | undefined }) {
  const { data: health } = useQuery(healthQuery);
  const { data: keys = [] } = useQuery(keysQuery);
  const { data: providers } = useQuery({ ...providerStatesQuery, refetchInterval: refreshEvery(10_000) });
  const concerns = findConcerns({ health, keys, rows: rows ?? [], providers }, Date.now());
  if (rows === undefined && concerns.length === 0) return null;
  return (
    <section className="card flex flex-wrap gap-x-6 gap-y-2 px-4 py-3">
      <h2 className="text-base font-semibold">Needs attention</h2>
      {concerns.length === 0 ? (
        <p className="flex items-center gap-2 text-sm text-ink-soft">
          <CircleCheck size={17} aria-hidden className="text-good" /> Nothing right now
        </p>
      ) : (
        <ul className="flex min-w-0 flex-1 basis-48 flex-col gap-2 text-sm">
          {concerns.map(({ level, text, to }) => (
            <li key={text} className="flex gap-2">
              {level === 'bad' ? (
                <CircleAlert size={17} aria-hidden className="mt-0.5 shrink-0 text-bad" />
              ) : (
                <Info size={17} aria-hidden className="mt-0.5 shrink-0 text-caution" />
              )}
              <span>
                {text}{' '}
                {to !== null && (
                  <Link to={to} className="text-accent underline">
                    Look
                  </Link>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
