import type { Principal } from '../auth/principal.ts';
import { GatewayError } from '../errors.ts';
import type { Store } from '../stores/store.ts';

/** Most keys have none, and need not wait to be told so. */
export function hasKeyLimit({ limitUsd }: Principal): boolean {
  return limitUsd !== null && limitUsd !== undefined;
}

/** Throws `payment_required` when the key has spent its limit. Calls still under way are not counted yet. */
export async function checkKeyLimit({ id, limitUsd }: Principal, { generations }: Store): Promise<void> {
  if (limitUsd === null || limitUsd === undefined) return;
  const spentUsd = (await generations.spentNanoUsd(id)) / 1e9;
  if (spentUsd >= limitUsd) {
    throw new GatewayError('payment_required', `Key limit exceeded: $${spentUsd.toFixed(6)} of $${limitUsd} is spent`);
  }
}
