import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { isLoopbackAddress } from '../http/request.ts';
import type { ShareFailures } from './share-failures.ts';

/** Wrong keys that one address may send before further ones are slowed. */
export const DEFAULT_WRONG_KEYS_PER_ADDRESS = 10;

const LONGEST_WAIT_S = 300;
/** An address that has sent no wrong key for so long begins anew. */
const FORGET_AFTER_MS = 10 * 60 * 1000;
/** The address that has been quiet for longest is forgotten for a further one. */
const MAX_ADDRESSES = 10_000;

/** Counts the wrong keys of each address. */
export interface WrongKeys {
  /**
   * Notes a wrong key and returns its refusal: `authentication` at first, then `rate_limit_exceeded` with a wait that
   * doubles each time. An unknown address and those of this machine are never slowed.
   */
  refuse(address: string | undefined): GatewayError;
}

/** `perAddress` is the number of wrong keys that are not slowed; null slows none. Without `share` this process counts alone. */
export function createWrongKeys(
  perAddress: number | null,
  platform: Pick<Platform, 'monotonicNow'>,
  share?: ShareFailures,
): WrongKeys {
  /** The address of the latest wrong key comes last. */
  const failures = new Map<string, { readonly count: number; readonly at: number }>();

  const note = (network: string, more = 1): number => {
    const at = platform.monotonicNow();
    const former = failures.get(network);
    const count = former === undefined || at - former.at > FORGET_AFTER_MS ? more : former.count + more;
    failures.delete(network);
    failures.set(network, { count, at });
    const [oldest] = failures.size > MAX_ADDRESSES ? failures.keys() : [];
    if (oldest !== undefined) failures.delete(oldest);
    return count;
  };
  const tell = share?.(note);

  return {
    refuse(address) {
      const network = perAddress === null ? undefined : toNetwork(address);
      if (network !== undefined) tell?.(network);
      const tooMany = network === undefined || perAddress === null ? 0 : note(network) - perAddress;
      if (tooMany <= 0) return new GatewayError('authentication', 'Unknown API key');
      const retryAfterSeconds = Math.min(2 ** (tooMany - 1), LONGEST_WAIT_S);
      return new GatewayError(
        'rate_limit_exceeded',
        `Unknown API key, as were others from this address; wait ${retryAfterSeconds} s before the next attempt`,
        { retryAfterSeconds },
      );
    },
  };
}

/**
 * What stands for one client: its IPv4 address, or the first half of its IPv6 address, as the other half is the
 * client's own to choose. Undefined for this machine, and for an address that the host does not know.
 */
function toNetwork(address: string | undefined): string | undefined {
  if (address === undefined || !/[.:]/.test(address) || isLoopbackAddress(address)) return undefined;
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (!plain.includes(':')) return plain;
  const [before = '', after = ''] = plain.split('::');
  const first = before.split(':');
  const last = after.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
