import type { SharedChannel } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createPacer } from '../../foundation/timers.ts';
import { type BoardListener, createHealthBoard, type HealthBoard } from './endpoint-health.ts';

/**
 * What processes send each other, by endpoint: for how many milliseconds a circuit has opened, 0 where it has closed;
 * and how many calls have ended well and badly since the last message.
 */
interface HealthMessage {
  readonly circuits: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, readonly [good: number, bad: number]>>;
}

type SharingPlatform = Pick<Platform, 'monotonicNow' | 'setTimer'>;

/** Changed circuits are sent at once, further ones together. */
const TELL_EVERY_MS = 100;
/** Counts, and once more the circuits that are open: a process that has missed them, or has started later, learns of them then. */
const SUM_UP_EVERY_MS = 2000;
const ENDPOINTS_A_MESSAGE = 200;

/**
 * Creates a board that other processes advise, and which advises them. A circuit that opens elsewhere opens here for the
 * same time, until a call gets a response here; calls elsewhere count for uptime. `signal` ends it.
 */
export function createSharedHealthBoard(
  channel: SharedChannel,
  platform: SharingPlatform,
  signal: AbortSignal,
): HealthBoard {
  const changed = new Map<string, number>();
  const pacer = createPacer(() => tell(channel, changed, new Map()), TELL_EVERY_MS, platform);
  const note = (id: string, openForMs: number): void => {
    changed.set(id, openForMs);
    pacer.ask();
  };
  const listener: BoardListener = { onOpened: note, onClosed: (id) => note(id, 0) };
  const board = createHealthBoard(platform, listener);

  const sumUp = (): void => {
    const counts = new Map<string, readonly [number, number]>();
    for (const [id, health] of board.entries()) {
      health.takeOwnCounts((good, bad) => counts.set(id, [good, bad]));
      const openForMs = health.ownOpenMs();
      if (openForMs > 0) changed.set(id, openForMs);
    }
    tell(channel, changed, counts);
    cancel = platform.setTimer(sumUp, SUM_UP_EVERY_MS);
  };
  let cancel = platform.setTimer(sumUp, SUM_UP_EVERY_MS);

  const unsubscribe = channel.subscribe((text) => {
    const { circuits, counts } = readMessage(text);
    for (const [id, openForMs] of Object.entries(circuits)) board.named(id)?.advise(openForMs);
    for (const [id, [good, bad]] of Object.entries(counts)) board.named(id)?.noteElsewhere(good, bad);
  });
  signal.addEventListener('abort', () => {
    cancel();
    pacer.stop();
    unsubscribe();
  });
  return board;
}

/** Publishes and empties both, a bounded number of endpoints a message. */
function tell(
  channel: SharedChannel,
  circuits: Map<string, number>,
  counts: Map<string, readonly [number, number]>,
): void {
  while (circuits.size + counts.size > 0) {
    const message: HealthMessage = { circuits: takeSome(circuits), counts: takeSome(counts) };
    channel.publish(JSON.stringify(message));
  }
}

function takeSome<Value>(map: Map<string, Value>): Record<string, Value> {
  const some = [...map].slice(0, ENDPOINTS_A_MESSAGE);
  for (const [id] of some) map.delete(id);
  return Object.fromEntries(some);
}

/** Another process may be of another version: what cannot be used of its message is left out. */
function readMessage(text: string): HealthMessage {
  const { circuits, counts } = Object(JSON.parse(text)) as Partial<Record<keyof HealthMessage, unknown>>;
  return {
    circuits: pick(circuits, isCount),
    counts: pick(counts, (value) => Array.isArray(value) && value.length === 2 && value.every(isCount)),
  };
}

const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value);

function pick<Value>(record: unknown, isUsable: (value: unknown) => boolean): Record<string, Value> {
  const entries = Object.entries(Object(record) as Record<string, Value>);
  return Object.fromEntries(entries.filter(([, value]) => isUsable(value)));
}
