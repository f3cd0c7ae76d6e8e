import type { Awaitable } from '../foundation/async/awaitable.ts';
import type { BroadcastDelivery, BroadcastRow } from './broadcast-row.ts';
import type { Repository } from './repository.ts';

/** What is left to broadcast. The narrower question is absent where one process is alone, and asks it of the whole list. */
export interface BroadcastRepository extends Repository<BroadcastRow> {
  /** The deliveries to a destination, oldest first. */
  listOf?(destinationId: string): Awaitable<readonly BroadcastDelivery[]>;
}
