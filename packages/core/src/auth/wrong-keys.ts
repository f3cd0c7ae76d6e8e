import { GatewayError } from '../foundation/errors.ts';
import type { SharedChannel } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { createPacer } from '../foundation/timers.ts';
import { isLoopbackAddress } from '../http/request.ts';

/** Wrong keys that one address may send before further ones are slowed. */
export const DEFAULT_WRONG_KEYS_PER_ADDRESS = 10;

const LONGEST_WAIT_S = 300;
/** An address that has sent no wrong key for so long begins again. */
const FORGET_AFTER_MS = 10 * 60 * 1000;
/** The address that has been quiet for longest is forgotten for a further one. */
const MAX_ADDRESSES = 10_000;

/** Counts the wrong keys of each address. */
interface WrongKeys {
  /**
   * Notes a wrong key and returns its refusal: `authentication` at first, then `rate_limit_exceeded` with a wait that
   * doubles each time. An unknown address and those of this machine are never slowed. `what` is what was sent.
   */
  refuse(address: string | undefined, what?: 'API key' | 'token'): GatewayError;
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
    refuse(address, what = 'API key') {
      const network = perAddress === null ? undefined : toNetwork(address);
      if (network !== undefined) tell?.(network);
      const tooMany = network === undefined || perAddress === null ? 0 : note(network) - perAddress;
      if (tooMany <= 0) return new GatewayError('authentication', `Unknown ${what}`);
      const retryAfterSeconds = Math.min(2 ** (tooMany - 1), LONGEST_WAIT_S);
      return new GatewayError(
        'rate_limit_exceeded',
        `Unknown ${what}, after others from this address; wait ${retryAfterSeconds} s before the next attempt`,
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

/**
 * Takes what counts the failures of other processes by address, and returns what tells them of a failure of this one.
 */
export type ShareFailures = (note: (address: string, count: number) => void) => (address: string) => void;

/** What is told goes out at once, further things together. */
const TELL_EVERY_MS = 100;
/** Addresses a message. Of an attack from more, each process counts what it sees itself. */
const MAX_UNTOLD_ADDRESSES = 1000;

/** Shares failures over a channel until `signal` ends it. */
export function createShareFailures(
  channel: SharedChannel,
  platform: TellingPlatform,
  signal: AbortSignal,
): ShareFailures {
  return (note) => {
    const untold = new Map<string, number>();
    const take = (): object => {
      const told = Object.fromEntries(untold);
      untold.clear();
      return told;
    };
    const ask = tellOthers({ channel, platform, signal }, take, (told) => {
      for (const [address, count] of Object.entries(Object(told) as object)) {
        if (typeof count === 'number' && count > 0) note(address, count);
      }
    });
    return (address) => {
      const before = untold.get(address) ?? 0;
      if (before > 0 || untold.size < MAX_UNTOLD_ADDRESSES) untold.set(address, before + 1);
      ask();
    };
  };
}

type TellingPlatform = Pick<Platform, 'monotonicNow' | 'setTimer'>;

export interface Telling {
  readonly channel: SharedChannel;
  readonly platform: TellingPlatform;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Exchanges small values with the other processes. `take` returns what is untold and begins anew; `hear` gets each value
 * of another process. Returns the function that asks for telling.
 */
export function tellOthers(
  { channel, platform, signal }: Telling,
  take: () => unknown,
  hear: (told: unknown) => void,
): () => void {
  const pacer = createPacer(() => channel.publish(JSON.stringify(take())), TELL_EVERY_MS, platform);
  const unsubscribe = channel.subscribe((text) => hear(JSON.parse(text)));
  signal.addEventListener('abort', () => {
    pacer.stop();
    unsubscribe();
  });
  return pacer.ask;
}
