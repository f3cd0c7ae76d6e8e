import type { Endpoint, ProviderKey } from '../../catalog/catalog.ts';
import type { Logger, SharedChannel } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createPacer } from '../../foundation/timers.ts';
import { createKeyHealth, type KeyAdvice, type KeyHealth } from './key-health.ts';

type PooledProvider = Pick<Endpoint['provider'], 'slug' | 'keys'>;

/** The health of the keys of all providers that have several. */
export interface KeyBoard {
  of(slug: string, key: ProviderKey): KeyHealth;
  /** The key of a provider that has this name; undefined for none. */
  named(slug: string, name: string): { readonly key: ProviderKey; readonly health: KeyHealth } | undefined;
  /**
   * These are the providers from now on. A key that stays goes on as it is; one that was changed begins anew, whatever
   * its name, and one that was removed is forgotten.
   */
  follow(providers: readonly PooledProvider[]): void;
}

/** What the processes of a gateway tell each other through. */
interface KeySharing {
  readonly channel: SharedChannel;
  readonly signal: AbortSignal;
}

type BoardPlatform = Pick<Platform, 'now' | 'monotonicNow' | 'setTimer'>;

/** What is found out is told at once, further news together. */
const TELL_EVERY_MS = 100;
/** What still holds is told again: to a process that has missed it, or has started later. */
const SUM_UP_EVERY_MS = 2000;

const idOf = (slug: string, { fingerprint }: Pick<ProviderKey, 'fingerprint'>): string => `${slug}\n${fingerprint}`;

/** Creates the board. With `sharing`, a key that rests or is disabled at one process does so at all of them. */
export function createKeyBoard(
  { platform, logger }: { readonly platform: BoardPlatform; readonly logger: Logger },
  sharing?: KeySharing,
): KeyBoard {
  const byId = new Map<string, KeyHealth>();
  const byName = new Map<string, ReturnType<KeyBoard['named']>>();
  // Spares every call the making of an id.
  const byKey = new WeakMap<ProviderKey, KeyHealth>();
  const note = sharing === undefined ? undefined : shareAdvice(byId, sharing, platform);
  const of = (slug: string, key: ProviderKey): KeyHealth => {
    let health = byKey.get(key);
    if (health === undefined) {
      const id = idOf(slug, key);
      const onChange = (advice: KeyAdvice): void => {
        if ('disabledBy' in advice && advice.disabledBy !== 0) {
          const fields = { provider: slug, key: key.name, fingerprint: key.fingerprint, status: advice.disabledBy };
          logger.warn('a key was refused by its provider and is not used any more', fields);
        }
        note?.(id, advice);
      };
      health = byId.get(id) ?? createKeyHealth(key, platform, onChange);
      byId.set(id, health);
      byKey.set(key, health);
    }
    return health;
  };
  return {
    of,
    named: (slug, name) => byName.get(`${slug}\n${name}`),
    follow(providers) {
      byName.clear();
      const held = new Set<string>();
      for (const { slug, keys = [] } of providers) {
        for (const key of keys) {
          const health = of(slug, key);
          held.add(idOf(slug, key));
          // It may have been forgotten, where a change is taken back.
          byId.set(idOf(slug, key), health);
          byName.set(`${slug}\n${key.name}`, { key, health });
        }
      }
      for (const id of byId.keys()) if (!held.has(id)) byId.delete(id);
    },
  };
}

/** Carries advice between processes; the function tells others what this one has found out about a key. */
function shareAdvice(
  byId: ReadonlyMap<string, KeyHealth>,
  { channel, signal }: KeySharing,
  platform: BoardPlatform,
): (id: string, advice: KeyAdvice) => void {
  const news = new Map<string, KeyAdvice>();
  const tell = (): void => {
    if (news.size > 0) channel.publish(JSON.stringify(Object.fromEntries(news)));
    news.clear();
  };
  const pacer = createPacer(tell, TELL_EVERY_MS, platform);
  const sumUp = (): void => {
    for (const [id, health] of byId) {
      const advice = health.ownAdvice();
      if (advice !== null) news.set(id, advice);
    }
    tell();
    cancel = platform.setTimer(sumUp, SUM_UP_EVERY_MS);
  };
  let cancel = platform.setTimer(sumUp, SUM_UP_EVERY_MS);
  const unsubscribe = channel.subscribe((text) => {
    for (const [id, advice] of Object.entries(Object(JSON.parse(text)) as Record<string, unknown>)) {
      if (isAdvice(advice)) byId.get(id)?.advise(advice);
    }
  });
  signal.addEventListener('abort', () => {
    cancel();
    pacer.stop();
    unsubscribe();
  });
  return (id, advice) => {
    news.set(id, advice);
    pacer.ask();
  };
}

/** Another process may be of another version: what cannot be used is left out. */
function isAdvice(value: unknown): value is KeyAdvice {
  const { restMs, disabledBy } = Object(value) as { restMs?: unknown; disabledBy?: unknown };
  return [restMs, disabledBy].some((number) => typeof number === 'number' && Number.isFinite(number) && number >= 0);
}
