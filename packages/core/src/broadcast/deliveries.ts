import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { BroadcastDelivery, BroadcastRow } from '../stores/rows.ts';
import type {
  BroadcastDeliveryPage,
  BroadcastDeliveryQuery,
  BroadcastRepository,
  Repository,
  Store,
} from '../stores/store.ts';
import type { BroadcastDeliveryBody, Destination } from '../wire/destinations.ts';
import { createDestinationFilter } from './destination-filter.ts';

interface DeliveryCursorOptions {
  /** The id of the destination. */
  readonly id: string;
  readonly rows: Repository<BroadcastRow>;
  readonly platform: Pick<Platform, 'setTimer'>;
  readonly logger: Logger;
}

/**
 * The last generation that needs no delivery to a destination any more. Saved every few seconds: what was delivered
 * after the last save is sent again after a crash.
 */
export interface DeliveryCursor {
  moveTo(generationId: string): void;
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 5000;

export function createDeliveryCursor({ id, rows, platform, logger }: DeliveryCursorOptions): DeliveryCursor {
  let through: string | undefined;
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  const write = (): void => {
    cancelTimer = undefined;
    if (through === undefined) return;
    const row: BroadcastRow = { kind: 'progress', id, through };
    through = undefined;
    writing = rows
      .update(id, () => row, row)
      .catch((error: unknown) => {
        logger.error('the progress of a broadcast could not be written', { destination: id, reason: String(error) });
      });
  };

  return {
    moveTo(generationId) {
      through = generationId;
      cancelTimer ??= platform.setTimer(write, WRITE_EVERY_MS);
    },
    async close() {
      cancelTimer?.();
      await writing;
      write();
      await writing;
    },
  };
}

const PAGE = 500;
const MAX_UNDELIVERED = 10_000;

/**
 * Ids of generations that were recorded and not sent, oldest first: those newer than the destination's cursor or,
 * without a cursor, than its last change. At most the newest 10,000; none in a shared store, where each process sends its own.
 */
export async function findUndelivered(
  destination: Destination,
  { isShared, broadcasts, generations }: Pick<Store, 'isShared' | 'broadcasts' | 'generations'>,
): Promise<readonly string[]> {
  if (isShared === true) return [];
  const takes = createDestinationFilter(destination);
  const progress = await broadcasts.get(destination.id);
  const through = progress?.kind === 'progress' ? progress.through : undefined;
  const since = Date.parse(destination.updated_at);
  const undelivered: string[] = [];
  let before: string | undefined;
  for (let looked = 0; looked < MAX_UNDELIVERED; looked += PAGE) {
    const { records, next } = await generations.page({ limit: PAGE, before });
    for (const record of records) {
      const { id, created_at: createdAt } = record.generation;
      const isOld = through === undefined ? Date.parse(createdAt) < since : id === through;
      if (isOld) return undelivered.toReversed();
      if (takes(record)) undelivered.push(id);
    }
    if (next === null) break;
    before = next;
  }
  return undelivered.toReversed();
}

/** The last deliveries of those that a query chooses. Where a store is not asked for a page, of all that it lists. */
export async function pageDeliveries(
  broadcasts: Pick<BroadcastRepository, 'list' | 'listOf' | 'page'>,
  query: BroadcastDeliveryQuery,
): Promise<BroadcastDeliveryPage> {
  if (broadcasts.page !== undefined) return broadcasts.page(query);
  const { destinationId, state, limit } = query;
  const rows =
    destinationId === undefined ? await broadcasts.list() : await listDeliveriesOf(destinationId, broadcasts);
  const chosen = rows
    .filter((row) => row.kind === 'delivery')
    .filter((row) => state === undefined || row.state === state)
    .toReversed();
  return { deliveries: chosen.slice(0, limit), totalCount: chosen.length };
}

/** The deliveries to a destination, oldest first. Where a store is not asked that narrowly, of all that it lists. */
export async function listDeliveriesOf(
  destinationId: string,
  broadcasts: Pick<BroadcastRepository, 'list' | 'listOf'>,
): Promise<readonly BroadcastDelivery[]> {
  if (broadcasts.listOf !== undefined) return broadcasts.listOf(destinationId);
  return (await broadcasts.list())
    .filter((row) => row.kind === 'delivery')
    .filter((row) => row.destinationId === destinationId);
}

/** A delivery as management sees it. */
export function toDeliveryBody(delivery: BroadcastDelivery): BroadcastDeliveryBody {
  const isWaiting = delivery.state === 'waiting';
  return {
    id: delivery.id,
    destination_id: delivery.destinationId,
    generation_ids: [...delivery.generationIds],
    state: delivery.state,
    attempts: delivery.attempts,
    last_result: delivery.lastResult,
    next_attempt_at: isWaiting ? new Date(delivery.nextAttemptAt).toISOString() : null,
    created_at: new Date(delivery.createdAt).toISOString(),
  };
}
