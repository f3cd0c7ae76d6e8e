import type { ProviderKey } from '../catalog/catalog.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import type { CreateRateCounter, RateCounter } from './rate-limits.ts';

/** Counts what goes through the keys of providers against their own limits a minute. */
export interface KeyLimits {
  /**
   * Counts a call. 0 where it may be sent with this key, else the milliseconds until it may. A promise only for a key
   * with a limit; a counter that is away lets the call pass.
   */
  admit(slug: string, key: ProviderKey): Awaitable<number>;
  /** Counts the tokens of a call that has ended. */
  noteTokens(slug: string, key: ProviderKey, tokens: number): void;
}

interface KeyCounters {
  readonly requests: RateCounter | null;
  readonly tokens: RateCounter | null;
}

const PASS = { isExceeded: false, resetInMs: 0 };

/** Creates the counts. Without counters, no key can have a limit a minute: `refuseUncounted` says so. */
export function createKeyLimits(createCounter: CreateRateCounter | undefined): KeyLimits {
  const byKey = new Map<string, KeyCounters>();
  const countersOf = (slug: string, { fingerprint, limits }: ProviderKey): KeyCounters => {
    const { requestsPerMinute, tokensPerMinute } = limits;
    const id = `key ${slug} ${fingerprint} ${requestsPerMinute} ${tokensPerMinute}`;
    const toCounter = (what: string, limitPerMinute: number | undefined): RateCounter | null =>
      limitPerMinute === undefined
        ? null
        : (createCounter?.({ name: `key-${slug}-${fingerprint}-${what}`, limitPerMinute }) ?? null);
    let counters = byKey.get(id);
    if (counters === undefined) {
      counters = { requests: toCounter('requests', requestsPerMinute), tokens: toCounter('tokens', tokensPerMinute) };
      byKey.set(id, counters);
    }
    return counters;
  };
  return {
    admit(slug, key) {
      const { requestsPerMinute, tokensPerMinute } = key.limits;
      if (requestsPerMinute === undefined && tokensPerMinute === undefined) return 0;
      const { requests, tokens } = countersOf(slug, key);
      return askBoth(requests, tokens);
    },
    noteTokens(slug, key, tokens) {
      if (key.limits.tokensPerMinute === undefined) return;
      // Nothing waits for it, and a counter that is away has been reported where calls are counted.
      countersOf(slug, key)
        .tokens?.add(ID, tokens)
        .catch(() => undefined);
    },
  };
}

/** A counter has the key in its name, so that it counts for one alone. */
const ID = 'all';

async function askBoth(requests: RateCounter | null, tokens: RateCounter | null): Promise<number> {
  const used = (await tokens?.look(ID).catch(() => PASS)) ?? PASS;
  if (used.isExceeded) return Math.max(1, used.resetInMs);
  const counted = (await requests?.take(ID).catch(() => PASS)) ?? PASS;
  return counted.isExceeded ? Math.max(1, counted.resetInMs) : 0;
}

/** Throws `RangeError` for a key with a limit a minute where there is nothing that counts. */
export function refuseUncounted(
  providers: readonly { readonly slug: string; readonly keys?: readonly ProviderKey[] | undefined }[],
  createCounter: CreateRateCounter | undefined,
): void {
  if (createCounter !== undefined) return;
  for (const { slug, keys = [] } of providers) {
    const limited = keys.find(({ limits }) => (limits.requestsPerMinute ?? limits.tokensPerMinute) !== undefined);
    if (limited === undefined) continue;
    throw new RangeError(
      `The key "${limited.name}" of "${slug}" has a limit a minute, which needs rateLimits.createCounter`,
    );
  }
}
