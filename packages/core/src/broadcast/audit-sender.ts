import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { once } from '../foundation/awaitable.ts';
import type { Logger } from '../foundation/host.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import { createTurns } from '../foundation/queues.ts';
import type { AuditRecord, AuditRepository } from '../stores/audit.ts';
import type { BroadcastFeed } from '../stores/rows.ts';
import type { Store } from '../stores/store.ts';
import { type DeliveryOutcome, nextDeliveryDelayMs } from '../webhooks/webhooks.ts';
import type { Destination } from '../wire/destinations.ts';
import type { Broadcaster } from './broadcaster.ts';
import { configOf, sendRequest } from './deliver-generations.ts';
import type { BroadcastOptions } from './destination-format.ts';
import type { QueueStatus } from './destination-queue.ts';
import { createFeedRows, type FeedRows } from './owned-destination.ts';

/** Sends records of the audit log to the destinations that want them, each by one process at a time. */
export interface AuditSender {
  /** Reads the destinations again. One that is new begins with what is recorded from now on. */
  refresh(): Promise<void>;
  /** Called when something was recorded here. */
  wake(): void;
  /** How the destinations do, by their ids, even if another process sends to them. */
  status(): Promise<ReadonlyMap<string, QueueStatus>>;
  /** Sends what can be sent now, and leaves the rest to the next process. */
  close(): Promise<void>;
}

export interface AuditSenderOptions {
  readonly repository: AuditRepository;
  readonly store: Pick<Store, 'broadcasts' | 'destinations' | 'isShared'>;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
  readonly broadcast: BroadcastOptions;
}

/** How often a process looks for what others, or commands, have recorded, and for destinations that nobody sends to. */
const LOOK_EVERY_MS = 5000;
/** Records in a request. */
const BATCH = 100;
/** Nothing is given up: after the last delay of the schedule it is tried that often. */
const LAST_DELAY_MS = 5 * 60_000;

/** Its ownership is renewed that often while a batch is sent: each request may take 15 seconds. */
const RENEW_MS = 5000;
/** A little less than an ownership lasts: after a longer wait another process may send. */
const OWNED_FOR_MS = 25_000;

const wantsAudit = ({ enabled, audit_log: wants }: Destination): boolean => enabled && wants === true;

/** The row of a destination's progress; its own is that of generations. */
const toRowId = (destinationId: string): string => `audit:${destinationId}`;

/** Creates the sender; its first `refresh` begins the work. */
export function createAuditSender(options: AuditSenderOptions): AuditSender {
  const { repository, store, platform, logger } = options;
  const rows = createFeedRows({
    store,
    platform,
    ownerId: once(() => createRandomId(platform)),
    findEnd: async () => String(await findEnd(repository)),
  });
  const work = new Map<string, DestinationWork>();
  const inTurn = createTurns();
  let isClosed = false;

  const update = async (): Promise<void> => {
    const all = await store.destinations.list();
    for (const [id, each] of work) {
      if (all.some((destination) => destination.id === id && wantsAudit(destination))) continue;
      work.delete(id);
      await each.close();
      if (!all.some((destination) => destination.id === id)) await store.broadcasts.remove(toRowId(id));
    }
    for (const destination of all) {
      const { id, updated_at: since } = destination;
      const known = work.get(id);
      if (wantsAudit(destination)) {
        if (known !== undefined) known.change(destination);
        else {
          await rows.findOrMake({ id: toRowId(id), updated_at: since });
          work.set(id, startWork({ ...options, rows, destination }));
        }
        continue;
      }
      const row = await store.broadcasts.get(toRowId(id));
      // A newer row is that of a destination which was switched on again, of which this process has not heard yet.
      if (row?.kind === 'feed' && row.since <= since) await store.broadcasts.remove(row.id);
    }
  };
  return {
    refresh: () =>
      inTurn(async () => {
        if (isClosed) return;
        await update().catch((error: unknown) => {
          logger.error('the destinations of the audit log could not be read', { reason: String(error) });
        });
      }),
    wake() {
      for (const each of work.values()) each.wake();
    },
    async status() {
      const found = new Map<string, QueueStatus>();
      for (const [id, each] of work) {
        const own = each.status();
        const row = own === null ? await store.broadcasts.get(toRowId(id)) : undefined;
        const status = own ?? (row?.kind === 'feed' ? row.status : undefined);
        if (status !== undefined) found.set(id, status);
      }
      return found;
    },
    async close() {
      isClosed = true;
      await inTurn(() => undefined);
      await Promise.allSettled([...work.values()].map((each) => each.close()));
    },
  };
}

/** A broadcaster that sends the audit log, too. */
export function withAuditSender(broadcaster: Broadcaster, sender: AuditSender): Broadcaster {
  return {
    ...broadcaster,
    async start() {
      await broadcaster.start();
      await sender.refresh();
    },
    async refresh() {
      await Promise.all([broadcaster.refresh(), sender.refresh()]);
    },
    auditStatus: sender.status,
    async close(limitMs) {
      await Promise.all([broadcaster.close(limitMs), sender.close()]);
    },
  };
}

async function findEnd(repository: AuditRepository): Promise<number> {
  const { records } = await repository.page({ filter: {}, limit: 1 });
  return records[0]?.sequence ?? 0;
}

interface WorkOptions extends AuditSenderOptions {
  readonly rows: FeedRows;
  readonly destination: Destination;
}

interface DestinationWork {
  change(destination: Destination): void;
  wake(): void;
  /** Null while another process sends to it. */
  status(): QueueStatus | null;
  close(): Promise<void>;
}

/** Sends to one destination, in the order of the chain. What is refused is tried again until it is taken. */
function startWork(options: WorkOptions): DestinationWork {
  const { platform, logger, rows, random, store } = options;
  let { destination } = options;
  let row: BroadcastFeed | undefined;
  /** By the monotonic clock. */
  let savedAtMs = 0;
  let status: QueueStatus = { queued: 0, lastDeliveredAt: null, lastFailure: null };
  let attempts = 0;
  let notBeforeMs = 0;
  let phase: 'idle' | 'running' | 'again' | 'closed' = 'idle';
  let running: Promise<void> = Promise.resolve();
  let cancel = (): void => undefined;
  const abort = new AbortController();

  const take = async (): Promise<BroadcastFeed | undefined> => {
    const found = await rows.findOrMake({ id: toRowId(destination.id), updated_at: destination.updated_at });
    const taken = await rows.take(found);
    if (taken !== undefined) ({ status } = taken);
    savedAtMs = platform.monotonicNow();
    return taken;
  };
  const save = async (place: number): Promise<void> => {
    const startedAtMs = platform.monotonicNow();
    if (row !== undefined) row = await rows.save(row, { place: String(place), status });
    savedAtMs = startedAtMs;
  };
  /** False once another process sends. */
  const keep = async (place: number): Promise<boolean> => {
    if (platform.monotonicNow() - savedAtMs >= RENEW_MS) await save(place);
    return row !== undefined;
  };
  /** One request, or none; false when there is nothing more to do now. */
  const sendSome = async (): Promise<boolean> => {
    if (row === undefined) return false;
    const end = await findEnd(options.repository);
    // Beyond the end after a move without the log: this is another chain, of which it knows nothing.
    const through = Math.min(Number(row.place), end);
    if (end === through) {
      if (store.isShared === true || row.place !== String(end)) await save(end);
      return false;
    }
    const records = await readBehind(options.repository, through);
    const last = records.at(-1)?.sequence ?? Math.min(end, through + BATCH);
    const wanted = records.filter((record) => isFor(record, destination));
    const outcome =
      wanted.length === 0
        ? NOTHING
        : await sendRecords(wanted, destination, { ...options, signal: abort.signal, keep: () => keep(through) });
    if (outcome === null) return false;
    if (abort.signal.aborted && !outcome.isDelivered) return false;
    const now = platform.now();
    if (!outcome.isDelivered) {
      attempts += 1;
      const delayMs = nextDeliveryDelayMs({ attempts, ...outcome }, random()) ?? LAST_DELAY_MS;
      notBeforeMs = platform.monotonicNow() + Math.min(delayMs, LAST_DELAY_MS);
      status = { ...status, queued: end - through, lastFailure: { at: now, result: outcome.result } };
      if (attempts === 1) {
        logger.warn('the audit log was not delivered; it is tried again', {
          destination: destination.id,
          result: outcome.result,
        });
      }
    } else {
      attempts = 0;
      status = { ...status, queued: end - last, lastDeliveredAt: wanted.length === 0 ? status.lastDeliveredAt : now };
    }
    await save(outcome.isDelivered ? last : through);
    return outcome.isDelivered && row !== undefined;
  };
  const pass = async (): Promise<void> => {
    if (notBeforeMs > platform.monotonicNow()) return;
    if (store.isShared === true && platform.monotonicNow() - savedAtMs > OWNED_FOR_MS) row = undefined;
    row ??= await take();
    while (!isClosed() && (await sendSome()));
  };
  const isClosed = (): boolean => phase === 'closed';
  const run = (): void => {
    if (phase === 'running') phase = 'again';
    if (phase !== 'idle') return;
    phase = 'running';
    cancel();
    running = pass()
      .catch((error: unknown) => {
        // Whether it is still this process's is looked up anew.
        row = undefined;
        logger.error('the audit log could not be sent', { destination: destination.id, reason: String(error) });
      })
      .then(() => {
        if (isClosed()) return;
        const isAgain = phase === 'again';
        phase = 'idle';
        if (isAgain) run();
        else cancel = platform.setTimer(run, Math.max(LOOK_EVERY_MS, notBeforeMs - platform.monotonicNow()));
      });
  };
  run();
  return {
    change(next) {
      if (JSON.stringify(next) === JSON.stringify(destination)) return;
      destination = next;
      attempts = 0;
      notBeforeMs = 0;
      run();
    },
    wake: run,
    status: () => (row === undefined ? null : status),
    async close() {
      const last = phase === 'idle' && notBeforeMs <= platform.monotonicNow() ? pass() : undefined;
      phase = 'closed';
      cancel();
      const cancelLimit = platform.setTimer(() => abort.abort(), CLOSE_LIMIT_MS);
      await Promise.allSettled([running, last]);
      cancelLimit();
      if (row !== undefined) await rows.leave(row, { place: row.place, status });
      row = undefined;
    },
  };
}

const CLOSE_LIMIT_MS = 2000;
const NOTHING: DeliveryOutcome = { isDelivered: true, result: 'nothing to send' };

/** Those that come next, oldest first; none where retention has dropped all of that part. */
async function readBehind(repository: AuditRepository, through: number): Promise<readonly AuditRecord[]> {
  const { records } = await repository.page({ filter: {}, limit: BATCH, before: through + BATCH + 1 });
  return records.filter(({ sequence }) => sequence > through).toReversed();
}

/** A destination of a workspace gets what was done to that workspace; the default one's get all. */
const isFor = ({ target }: AuditRecord, { workspace_id: workspace }: Destination): boolean =>
  workspace === DEFAULT_WORKSPACE_ID || target.workspace === workspace;

interface SendingOptions extends AuditSenderOptions {
  readonly signal: AbortSignal;
  /** False where another process sends by now. */
  readonly keep: () => Promise<boolean>;
}

/** Null where another process has taken over. */
async function sendRecords(
  records: readonly AuditRecord[],
  destination: Destination,
  { broadcast, platform, logger, signal, keep }: SendingOptions,
): Promise<DeliveryOutcome | null> {
  const format = broadcast.formats.find(({ type }) => type === destination.type);
  const requests = await format?.toAuditRequests?.(records, configOf(destination));
  if (requests === undefined) {
    return { isDelivered: false, result: `${destination.type} takes no audit log here`, isFinal: false };
  }
  const { transport } = broadcast;
  for (const request of requests) {
    if (!(await keep())) return null;
    const outcome = await sendRequest(request, { transport, platform, signal, readResponse: format?.readResponse });
    if (outcome.isDelivered) continue;
    // The receiver has taken the request and refuses some of it for good: sent again, the rest would be there twice.
    if (!outcome.result.startsWith('HTTP 2')) return outcome;
    logger.warn('a part of the audit log was refused', { destination: destination.id, result: outcome.result });
  }
  return { isDelivered: true, result: 'HTTP 200' };
}
