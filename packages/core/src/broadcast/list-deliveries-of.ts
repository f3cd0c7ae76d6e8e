import type { BroadcastDelivery } from '../stores/rows.ts';
import type { BroadcastRepository } from '../stores/store.ts';

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
