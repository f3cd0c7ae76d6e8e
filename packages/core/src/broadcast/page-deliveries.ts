import type { BroadcastDeliveryPage, BroadcastDeliveryQuery, BroadcastRepository } from '../stores/store.ts';
import { listDeliveriesOf } from './list-deliveries-of.ts';

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
