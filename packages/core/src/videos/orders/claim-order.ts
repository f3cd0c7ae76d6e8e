import { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createRandomId } from '../../foundation/random-id.ts';
import type { SharedEntries } from '../../stores/store.ts';

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

/** A claim that a call has, unless its process was paused for so long that it has expired. */
export interface HeldClaim {
  /** Whether it is still this call's; if so, it is for a minute more. */
  isHeld(): Promise<boolean>;
  /** Waits its turn anew. */
  regain(): Promise<void>;
}

/**
 * Runs `work` while no other process does for the same key; a call that comes meanwhile waits its turn. Throws
 * `conflict` when another body is under way, and when the turn does not come within a minute.
 */
export async function withClaim<Result>(
  call: IdempotentCall,
  work: (claim: HeldClaim) => Promise<Result>,
  { entries, platform }: { readonly entries: SharedEntries; readonly platform: ClaimPlatform },
): Promise<Result> {
  const id = `video-order:${await platform.sha256(`${call.principalId}\n${call.key}`)}`;
  const value = `${createRandomId(platform)} ${call.bodyHash}`;
  const gain = async (): Promise<void> => {
    const giveUpAt = platform.monotonicNow() + MAX_WAIT_MS;
    for (;;) {
      const other = await entries.claim(id, value, CLAIM_MS);
      if (other === undefined) return;
      if (other.split(' ')[1] !== call.bodyHash) throw otherBody();
      if (platform.monotonicNow() >= giveUpAt) throw underWay();
      await new Promise<void>((resolve) => platform.setTimer(resolve, LOOK_EVERY_MS));
    }
  };
  const renew = (): Promise<boolean> => entries.renew(id, value, CLAIM_MS);
  await gain();
  const stopRenewing = renewRegularly(renew, platform);
  try {
    return await work({ isHeld: renew, regain: gain });
  } finally {
    await stopRenewing();
    // Where the store is away, it ends by itself.
    await entries.take(id, value).catch(() => undefined);
  }
}

/** Renews a claim until it is stopped. That the store is away meanwhile only lets the claim end earlier. */
function renewRegularly(renew: () => Promise<boolean>, platform: ClaimPlatform): () => Promise<void> {
  let renewing: Promise<unknown> = Promise.resolve();
  let cancelTimer = (): void => undefined;
  const renewLater = (): void => {
    cancelTimer = platform.setTimer(() => {
      renewing = renew().catch(() => undefined);
      renewLater();
    }, CLAIM_MS / 3);
  };
  renewLater();
  return async () => {
    cancelTimer();
    await renewing;
  };
}

export const otherBody = (): GatewayError =>
  new GatewayError('conflict', 'This Idempotency-Key was used with another body; choose another key');

export const underWay = (): GatewayError =>
  new GatewayError('conflict', 'A call with this Idempotency-Key is under way; send it again in a moment');
