import type { Health } from '@model-gateway/core/wire';
import type { LinkProps } from '@tanstack/react-router';

import type { Key } from '../../api/types.ts';
import type { ProviderState } from '../../features/providers/provider-queries.ts';
import { DAY_MS } from '../../format/days.ts';
import { formatCount } from '../../format/quantity.ts';
import { overviewMessages } from './messages.ts';

export interface Concern {
  readonly level: 'bad' | 'caution';
  readonly text: string;
  readonly link: Pick<LinkProps, 'to' | 'search'> | null;
}

/** How the requests of the span that is shown ended, as its figures say it. */
export interface SpanEnds {
  readonly failed: number;
  readonly interrupted: number;
  /** `Last 24 hours`. */
  readonly span: string;
  /** The filters of the span. */
  readonly filter: Readonly<Record<string, string>>;
}

interface Facts {
  readonly health: Health | undefined;
  readonly isUnreachable: boolean;
  readonly keys: readonly Pick<Key, 'name' | 'disabled' | 'limit' | 'limit_remaining' | 'expires_at'>[];
  /** Undefined until they are known. */
  readonly ends: SpanEnds | undefined;
  readonly providers: readonly Pick<ProviderState, 'name' | 'health' | 'keys'>[] | undefined;
}

const SOON_MS = 7 * DAY_MS;
const LOW = 0.1;

/** Finds present and expected problems, the worst first. `now` is in Unix milliseconds. */
export function findConcerns({ health, isUnreachable, keys, ends, providers }: Facts, now: number): Concern[] {
  const t = overviewMessages().attention;
  const concerns: Concern[] = [];
  const add = (level: Concern['level'], text: string, link: Concern['link'] = null): void =>
    void concerns.push({ level, text, link });
  if (isUnreachable) add('bad', t.unreachable);
  if (health?.trouble === 'store_away')
    add('caution', t.storeAway, { to: '/settings', search: { section: 'gateway' } });
  if (health?.trouble === 'shared_away')
    add('caution', t.sharedAway, { to: '/settings', search: { section: 'gateway' } });
  if (health?.status === 'degraded') add('bad', t.unrecorded);
  if (providers?.length === 0) add('bad', t.noProvider, { to: '/providers' });
  for (const { name, health: state, keys: own } of providers ?? []) {
    if (state.status === 'down') add('bad', t.down(name), { to: '/providers' });
    if (state.status === 'degraded') add('caution', t.degraded(name), { to: '/providers' });
    for (const { name: key, disabled } of own) {
      if (disabled !== null) add('bad', t.keyRefused(name, key, String(disabled.status)), { to: '/providers' });
    }
  }
  for (const [status, tell] of [
    ['failed', t.failed],
    ['interrupted', t.interrupted],
  ] as const) {
    const count = ends?.[status] ?? 0;
    if (ends === undefined || count === 0) continue;
    const text = tell(count, formatCount(count), ends.span);
    add('bad', text, { to: '/generations', search: { ...ends.filter, status } });
  }
  for (const { name, limit, limit_remaining: left, expires_at: end } of keys.filter(({ disabled }) => !disabled)) {
    if (limit !== null && left !== null && left <= 0) add('bad', t.usedUp(name), { to: '/keys' });
    else if (limit !== null && left !== null && left < limit * LOW) add('caution', t.nearlyUsed(name), { to: '/keys' });
    const remainingMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - now;
    if (remainingMs > 0 && remainingMs < SOON_MS) add('caution', t.expires(name), { to: '/keys' });
  }
  return concerns;
}
