import type { GenerationRow, Health } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info } from 'lucide-react';

import { healthQuery, keysQuery, refreshEvery } from '../../api/queries.ts';
import type { Key } from '../../api/types.ts';
import { type ProviderState, providerStatesQuery } from '../../features/providers/provider-queries.ts';

/** What is wrong or soon will be. Without the latest calls this is unknown: then it is left out. */
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
          <CircleCheck size={17} className="text-good" /> Nothing right now
        </p>
      ) : (
        <ul className="flex min-w-0 flex-1 basis-48 flex-col gap-2 text-sm">
          {concerns.map(({ level, text, to }) => (
            <li key={text} className="flex gap-2">
              {level === 'bad' ? (
                <CircleAlert size={17} className="mt-0.5 shrink-0 text-bad" />
              ) : (
                <Info size={17} className="mt-0.5 shrink-0 text-caution" />
              )}
              <span>
                {text}{' '}
                {to !== null && (
                  <Link to={to} className="text-accent underline">
                    View
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

export interface Concern {
  readonly level: 'bad' | 'caution';
  readonly text: string;
  readonly to: '/keys' | '/generations' | '/providers' | '/settings' | null;
}

interface Facts {
  readonly health: Health | undefined;
  readonly keys: readonly Pick<Key, 'name' | 'disabled' | 'limit' | 'limit_remaining' | 'expires_at'>[];
  /** The latest. */
  readonly rows: readonly Pick<GenerationRow, 'status'>[];
  /** Undefined until they are known. */
  readonly providers: readonly Pick<ProviderState, 'name' | 'health'>[] | undefined;
}

const SOON_MS = 7 * 86_400_000;
const LOW = 0.1;

/** Finds present and expected problems. `now` is in Unix milliseconds. */
export function findConcerns({ health, keys, rows, providers }: Facts, now: number): Concern[] {
  const concerns: Concern[] = [];
  if (health?.trouble === 'store_away') {
    const text =
      'The database is unavailable. Calls continue and are recorded when it returns; calls with a budget may be refused.';
    concerns.push({ level: 'caution', text, to: '/settings' });
  }
  if (health?.trouble === 'shared_away') {
    const text =
      'Redis is unavailable. Each process counts rate limits separately, or refuses limited calls, as configured.';
    concerns.push({ level: 'caution', text, to: '/settings' });
  }
  if (health?.status === 'degraded') {
    concerns.push({ level: 'bad', text: 'A generation could not be recorded: check the disk and the log.', to: null });
  }
  if (providers?.length === 0)
    concerns.push({ level: 'bad', text: 'No provider is configured, so no calls can be served.', to: null });
  for (const { name, health } of providers ?? []) {
    if (health.status === 'down')
      concerns.push({
        level: 'bad',
        text: `${name} is down: none of the called endpoints responds.`,
        to: '/providers',
      });
  }
  const failed = rows.filter(({ status }) => status === 'failed').length;
  if (failed > 0)
    concerns.push({ level: 'bad', text: `${failed} of the latest ${rows.length} calls failed.`, to: '/generations' });
  const interrupted = rows.filter(({ status }) => status === 'interrupted').length;
  if (interrupted > 0) {
    const text = `${interrupted} of the latest ${rows.length} calls ${interrupted === 1 ? 'was' : 'were'} interrupted because the gateway stopped.`;
    concerns.push({ level: 'bad', text, to: '/generations' });
  }
  for (const key of keys.filter(({ disabled }) => !disabled)) {
    const { name, limit, limit_remaining: left, expires_at: end } = key;
    if (limit !== null && left !== null && left <= 0)
      concerns.push({ level: 'bad', text: `The key “${name}” has used up its limit.`, to: '/keys' });
    else if (limit !== null && left !== null && left < limit * LOW) {
      concerns.push({ level: 'caution', text: `“${name}” has used over 90% of its limit.`, to: '/keys' });
    }
    const remainingMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - now;
    if (remainingMs > 0 && remainingMs < SOON_MS)
      concerns.push({ level: 'caution', text: `The key “${name}” expires within a week.`, to: '/keys' });
  }
  return concerns;
}
