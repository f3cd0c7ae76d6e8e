import type { Awaitable } from '../foundation/async/awaitable.ts';
import type { BroadcastDelivery, BroadcastRow } from './broadcast-row.ts';
import type { Repository } from './repository.ts';

/** What is left to broadcast. The narrower questions are absent where one process is alone, and asks them of the whole list. */
export interface BroadcastRepository extends Repository<BroadcastRow> {
  /** The deliveries to a destination, oldest first. */
  listOf?(destinationId: string): Awaitable<readonly BroadcastDelivery[]>;
  /** Of the deliveries that a query chooses, the last stored, and how many there are in all. Reads no others. */
  page?(query: BroadcastDeliveryQuery): Awaitable<BroadcastDeliveryPage>;
}

export interface BroadcastDeliveryQuery {
  readonly destinationId?: string | undefined;
  readonly state?: BroadcastDelivery['state'] | undefined;
  readonly limit: number;
}

export interface BroadcastDeliveryPage {
  /** The last stored first. */
  readonly deliveries: readonly BroadcastDelivery[];
  readonly totalCount: number;
}
