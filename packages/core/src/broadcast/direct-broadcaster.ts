import { createUuid } from '../foundation/random-id.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';
import { type Broadcaster, type BroadcasterOptions, createBroadcaster, createDeliver } from './broadcaster.ts';
import { createDestinationFilter } from './destination-filter.ts';

/**
 * For runtimes where nothing goes on between requests: a generation is sent within the request that it was made for,
 * once. What was not delivered is stored as failed, to be sent again on request.
 */
export function createDirectBroadcaster(options: BroadcasterOptions): Broadcaster {
  const { store, platform, logger, broadcast } = options;
  const deliver = createDeliver(options);
  const doNothing = (): Promise<void> => Promise.resolve();

  const send = async (delivery: BroadcastDelivery, destination: Destination): Promise<void> => {
    const { outcome, remaining } = await deliver(delivery.generationIds, destination, new AbortController().signal);
    if (outcome.isDelivered) return void (await store.broadcasts.remove(delivery.id));
    const failed: BroadcastDelivery = {
      ...delivery,
      generationIds: remaining,
      state: 'failed',
      attempts: delivery.attempts + 1,
      lastResult: outcome.result,
    };
    await store.broadcasts.update(delivery.id, () => failed, failed);
    logger.warn('generations were not delivered', { destination: destination.id, result: outcome.result });
  };

  const sendToAll = async (record: GenerationRecord): Promise<void> => {
    const destinations = (await store.destinations.list()).filter(
      (destination) => destination.enabled && createDestinationFilter(destination)(record),
    );
    const now = platform.now();
    const what = { kind: 'delivery', generationIds: [record.generation.id], state: 'waiting' } as const;
    const never = { attempts: 0, lastResult: null, nextAttemptAt: now, createdAt: now };
    await Promise.all(
      destinations.map((destination) =>
        send({ ...what, ...never, id: createUuid(platform), destinationId: destination.id }, destination),
      ),
    );
  };

  return {
    ...createBroadcaster(options),
    offer: (record) => (broadcast === undefined ? undefined : sendToAll(record)),
    start: doNothing,
    refresh: doNothing,
    async resend(deliveryId) {
      const row = await store.broadcasts.get(deliveryId);
      if (row?.kind !== 'delivery') return undefined;
      const destination = await store.destinations.get(row.destinationId);
      if (destination?.enabled !== true) return undefined;
      const renewed: BroadcastDelivery = { ...row, state: 'waiting', attempts: 0, nextAttemptAt: platform.now() };
      await send(renewed, destination);
      return renewed;
    },
    close: doNothing,
  };
}
