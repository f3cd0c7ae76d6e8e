import { GatewayError } from '../foundation/errors.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import type { SharedEntries, Store } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';

/**
 * Asked once the job with this id is stored, and before upstream is called. False: another process, which took the turn
 * of this one for given up, has made a job with the key, so that this job has to go.
 */
export type ConfirmOrder = (jobId: string) => Promise<boolean>;

/** Makes one job of calls that carry the same key. */
export interface IdempotencyGuard {
  /** Resolves with the job that the same call has made before or is making now, else with the result of `make`. */
  once(call: IdempotentCall, make: (confirm: ConfirmOrder) => Promise<VideoJob>): Promise<VideoJob>;
}

/** No submission takes longer. */
const LONGEST_SUBMISSION_MS = 5 * 60_000;
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Creates the guard: a key is valid for 24 hours and for its own caller. With another body it is refused as `conflict`.
 * A call that failed has made no job and leaves its key free.
 */
export function createIdempotencyGuard(
  { videoJobs: jobs, entries }: Pick<Store, 'videoJobs' | 'entries'>,
  platform: ClaimPlatform & Pick<Platform, 'now' | 'isPerRequest'>,
): IdempotencyGuard {
  const underWay = new Map<
    string,
    { readonly bodyHash: string; readonly job: Promise<VideoJob>; readonly startedAt: number }
  >();

  const find = async ({ principalId, key }: IdempotentCall, exceptId?: string): Promise<VideoJob | undefined> => {
    const isIts = (job: VideoJob): boolean =>
      job.principalId === principalId && job.idempotency?.key === key && job.id !== exceptId;
    const newest =
      jobs.findByIdempotencyKey === undefined
        ? (await jobs.list()).findLast(isIts)
        : await jobs.findByIdempotencyKey(principalId, key, exceptId);
    return newest !== undefined && newest.createdAt > platform.now() - KEPT_MS ? newest : undefined;
  };
  /**
   * A process that is paused for longer than its claim lives may store its job after another has looked for one. It
   * therefore looks at its claim once more after that. Where it still has the claim, a process that takes it over later finds
   * the job. Otherwise it waits for its turn again, and goes on only if there is no other job by then.
   */
  const findOrMake = async (
    call: IdempotentCall,
    make: (confirm: ConfirmOrder) => Promise<VideoJob>,
    claim?: HeldClaim,
  ): Promise<VideoJob> => {
    const found = await find(call);
    if (found !== undefined) return checked(call, found.idempotency?.bodyHash, found);
    let other: VideoJob | undefined;
    const confirm: ConfirmOrder = async (jobId) => {
      if (claim === undefined || (await claim.isHeld())) return true;
      await claim.regain();
      other = await find(call, jobId);
      return other === undefined;
    };
    try {
      return await make(confirm);
    } catch (error) {
      if (other === undefined) throw error;
      return checked(call, other.idempotency?.bodyHash, other);
    }
  };

  return {
    async once(call, make) {
      const id = `${call.principalId}\n${call.key}`;
      const running = underWay.get(id);
      if (running !== undefined && platform.isPerRequest === true) refuseUnderWay(running.startedAt, platform.now());
      else if (running !== undefined) return checked(call, running.bodyHash, await running.job);
      const work = (claim?: HeldClaim): Promise<VideoJob> => findOrMake(call, make, claim);
      const job = entries === undefined ? work() : withClaim(call, work, { entries, platform });
      underWay.set(id, { bodyHash: call.bodyHash, job, startedAt: platform.now() });
      try {
        return await job;
      } finally {
        underWay.delete(id);
      }
    },
  };
}

function checked({ bodyHash }: IdempotentCall, known: string | undefined, job: VideoJob): VideoJob {
  if (bodyHash === known) return job;
  throw otherBody();
}

/** Where a request cannot wait for the promise of another; one that has taken too long has ended without its end. */
function refuseUnderWay(startedAt: number, now: number): void {
  if (now - startedAt <= LONGEST_SUBMISSION_MS) throw toUnderWayError();
}

interface IdempotentCall {
  readonly principalId: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  /** SHA-256 of what was sent with it. */
  readonly bodyHash: string;
}

type ClaimPlatform = Pick<Platform, 'monotonicNow' | 'randomBytes' | 'setTimer' | 'sha256'>;

/** A process that dies while it submits leaves its claim behind for this long. */
const CLAIM_MS = 60_000;
const LOOK_EVERY_MS = 200;
const MAX_WAIT_MS = 60_000;

/** A claim that a call has, unless its process was paused for so long that it has expired. */
interface HeldClaim {
  /** Whether it is still this call's; if so, it is for a minute more. */
  isHeld(): Promise<boolean>;
  /** Waits its turn again. */
  regain(): Promise<void>;
}

/**
 * Runs `work` while no other process does for the same key; a call that comes meanwhile waits its turn. Throws
 * `conflict` when another body is under way, and when the turn does not come within a minute.
 */
async function withClaim<Result>(
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
      if (platform.monotonicNow() >= giveUpAt) throw toUnderWayError();
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

const otherBody = (): GatewayError =>
  new GatewayError('conflict', 'This Idempotency-Key was used with another body; choose another key');

export const toUnderWayError = (): GatewayError =>
  new GatewayError('conflict', 'A call with this Idempotency-Key is under way; send it again in a moment');
