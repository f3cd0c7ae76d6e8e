import { GatewayError } from '../foundation/errors.ts';
import type { SharedChannel } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { createPacer } from '../foundation/timers.ts';
import { firstValue, type GatewayRequest, isLoopbackAddress, type Principal } from '../http/request.ts';

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
        `Unknown API key, after others from this address; wait ${retryAfterSeconds} s before the next attempt`,
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

/** Failures are sent at once, further ones together. */
const TELL_EVERY_MS = 100;
/** Addresses a message. Of an attack from more, each process counts what it sees itself. */
const MAX_UNTOLD_ADDRESSES = 1000;

/** Shares failures over a channel until `signal` ends it. */
export function createShareFailures(
  channel: SharedChannel,
  platform: Pick<Platform, 'monotonicNow' | 'setTimer'>,
  signal: AbortSignal,
): ShareFailures {
  return (note) => {
    const untold = new Map<string, number>();
    const tell = (): void => {
      channel.publish(JSON.stringify(Object.fromEntries(untold)));
      untold.clear();
    };
    const pacer = createPacer(tell, TELL_EVERY_MS, platform);
    const unsubscribe = channel.subscribe((text) => {
      for (const [address, count] of Object.entries(Object(JSON.parse(text)) as object)) {
        if (typeof count === 'number' && count > 0) note(address, count);
      }
    });
    signal.addEventListener('abort', () => {
      pacer.stop();
      unsubscribe();
    });
    return (address) => {
      const before = untold.get(address) ?? 0;
      if (before > 0 || untold.size < MAX_UNTOLD_ADDRESSES) untold.set(address, before + 1);
      pacer.ask();
    };
  };
}

/** A request of a tool that was refused before it became a call, and so is recorded nowhere else. */
interface Refusal {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly error: { readonly status: number; readonly errorType: string; readonly message: string };
  /** The id of the key; null where there was none that is valid. */
  readonly principalId: string | null;
  readonly userAgent: string | null;
  /** Null where it was refused before that was known. */
  readonly model: string | null;
}

/** What was known of a request when it was refused. */
interface AskedFor {
  readonly principal: Principal | undefined;
  readonly model: string | null;
}

/** The latest refusals, for people who are connecting a tool and wait for its first call. Nothing of it is stored. */
export interface Refusals {
  /** Does nothing for an error of the gateway or a provider, and for requests of those who administer. */
  note(request: GatewayRequest, error: GatewayError, asked: AskedFor): void;
  /** Newest first. */
  list(): readonly Refusal[];
}

const MAX_REFUSALS = 1000;
const MAX_MESSAGE = 500;
const MAX_TEXT = 200;

export function createRefusals({ now }: Pick<Platform, 'now'>): Refusals {
  // In the order of their coming, from the place of the next on: a flood of refusals moves nothing.
  const ring: Refusal[] = [];
  let next = 0;
  return {
    note(request, error, { principal, model }) {
      const { method, path, headers } = request;
      const isOfTool = headers['authorization'] !== undefined || principal !== undefined;
      if (!isOfTool || principal?.kind === 'management' || !path.startsWith('/api/')) return;
      if (error.status >= 500 || error.code === 'client_closed_request') return;
      const refusal: Refusal = {
        atMs: now(),
        method,
        path: path.slice(0, MAX_TEXT),
        error: {
          status: error.status,
          errorType: error.errorType,
          message: error.message.slice(0, MAX_MESSAGE),
        },
        principalId: principal?.id ?? null,
        userAgent: firstValue(headers['user-agent'])?.slice(0, MAX_TEXT) ?? null,
        model: model?.slice(0, MAX_TEXT) ?? null,
      };
      ring[next] = refusal;
      next = (next + 1) % MAX_REFUSALS;
    },
    list: () => [...ring.slice(next), ...ring.slice(0, next)].reverse(),
  };
}
