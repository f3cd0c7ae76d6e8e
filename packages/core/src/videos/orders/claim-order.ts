import { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createRandomId } from '../../foundation/random-id.ts';
import type { SharedEntries } from '../../stores/shared-entries.ts';

export interface IdempotentCall {
  readonly principalId: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  /** SHA-256 of what was sent with it. */
  readonly bodyHash: string;
}

export type ClaimPlatform = Pick<Platform, 'monotonicNow' | 'randomBytes' | 'setTimer' | 'sha256'>;

/** A process that dies while it submits leaves its claim behind for this long. */
const CLAIM_MS = 60_000;
const LOOK_EVERY_MS = 200;
const MAX_WAIT_MS = 60_000;

/**
 * Runs `work` while no other process does for the same key; a call that comes meanwhile waits its turn. Throws
 * `conflict` when another body is under way, and when the turn does not come within a minute.
 */
export async function withClaim<Result>(
  { principalId, key, bodyHash }: IdempotentCall,
  work: () => Promise<Result>,
  { entries, platform }: { readonly entries: SharedEntries; readonly platform: ClaimPlatform },
): Promise<Result> {
  const id = `video-order:${await platform.sha256(`${principalId}\n${key}`)}`;
  const claim = `${createRandomId(platform)} ${bodyHash}`;
  const giveUpAt = platform.monotonicNow() + MAX_WAIT_MS;
  for (;;) {
    const other = await entries.claim(id, claim, CLAIM_MS);
    if (other === undefined) break;
    if (other.split(' ')[1] !== bodyHash) throw otherBody();
    if (platform.monotonicNow() >= giveUpAt) throw underWay();
    await new Promise<void>((resolve) => platform.setTimer(resolve, LOOK_EVERY_MS));
  }
  const release = hold(id, claim, entries, platform);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Renews a claim until it is released. That the store is away meanwhile only lets it end earlier, or later. */
function hold(id: string, claim: string, entries: SharedEntries, platform: ClaimPlatform): () => Promise<void> {
  let renewing: Promise<unknown> = Promise.resolve();
  let cancelTimer = (): void => undefined;
  const renewLater = (): void => {
    cancelTimer = platform.setTimer(() => {
      renewing = entries.put(id, claim, CLAIM_MS).catch(() => undefined);
      renewLater();
    }, CLAIM_MS / 3);
  };
  renewLater();
  return async () => {
    cancelTimer();
    await renewing;
    try {
      if ((await entries.get(id)) === claim) await entries.take(id);
    } catch {
      // It ends by itself.
    }
  };
}

export const otherBody = (): GatewayError =>
  new GatewayError('conflict', 'This Idempotency-Key was used with another body; choose another key');

export const underWay = (): GatewayError =>
  new GatewayError('conflict', 'A call with this Idempotency-Key is under way; send it again in a moment');
