import type { SharedChannel } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { createPacer } from '../foundation/timers.ts';

/**
 * Takes what counts the failures of other processes by address, and returns what tells them of a failure of this one.
 */
export type ShareFailures = (note: (address: string, count: number) => void) => (address: string) => void;

/** Failures are told at once, further ones together. */
const TELL_EVERY_MS = 100;
/** Addresses a message. Of an attack from more, each process counts what it sees itself. */
const MAX_ADDRESSES = 1000;

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
      if (before > 0 || untold.size < MAX_ADDRESSES) untold.set(address, before + 1);
      pacer.ask();
    };
  };
}
