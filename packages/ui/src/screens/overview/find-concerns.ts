import type { GenerationRow, Health } from '@model-gateway/core/wire';

import type { Key } from '../../api/types.ts';
import type { ProviderState } from '../../features/providers/provider-queries.ts';

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
      'The database is away. Calls go on and are recorded when it is back; calls of keys with a budget may be refused.';
    concerns.push({ level: 'caution', text, to: '/settings' });
  }
  if (health?.trouble === 'shared_away') {
    const text = 'Redis is away. Rate limits are counted by each process for itself, or refuse calls, as configured.';
    concerns.push({ level: 'caution', text, to: '/settings' });
  }
  if (health?.status === 'degraded') {
    concerns.push({ level: 'bad', text: 'A generation could not be recorded: check the disk and the log.', to: null });
  }
  if (providers?.length === 0)
    concerns.push({ level: 'bad', text: 'No provider is configured, so that no call can be answered.', to: null });
  for (const { name, health } of providers ?? []) {
    if (health.status === 'down')
      concerns.push({ level: 'bad', text: `${name} is down: no endpoint that was called answers.`, to: '/providers' });
  }
  const failed = rows.filter(({ status }) => status === 'failed').length;
  if (failed > 0)
    concerns.push({ level: 'bad', text: `${failed} of the latest ${rows.length} calls failed.`, to: '/generations' });
  const interrupted = rows.filter(({ status }) => status === 'interrupted').length;
  if (interrupted > 0) {
    const text = `${interrupted} of the latest ${rows.length} calls ${interrupted === 1 ? 'was' : 'were'} interrupted: the gateway ended in the middle.`;
    concerns.push({ level: 'bad', text, to: '/generations' });
  }
  for (const key of keys.filter(({ disabled }) => !disabled)) {
    const { name, limit, limit_remaining: left, expires_at: end } = key;
    if (limit !== null && left !== null && left <= 0)
      concerns.push({ level: 'bad', text: `The limit of the key “${name}” is spent.`, to: '/keys' });
    else if (limit !== null && left !== null && left < limit * LOW) {
      concerns.push({ level: 'caution', text: `Less than a tenth is left of the limit of “${name}”.`, to: '/keys' });
    }
    const remainingMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - now;
    if (remainingMs > 0 && remainingMs < SOON_MS)
      concerns.push({ level: 'caution', text: `The key “${name}” expires within a week.`, to: '/keys' });
  }
  return concerns;
}
