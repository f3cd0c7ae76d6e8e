import { findOwnerPrincipal } from '../auth/find-owner.ts';
import type { MemberDirectory } from '../auth/keys.ts';
import type { FileLibrary } from '../files/file-library.ts';
import type { Logger } from '../foundation/host.ts';
import type { JobStop } from '../foundation/leased-jobs.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { StoredBatch } from '../stores/batches.ts';
import type { Store } from '../stores/store.ts';
import type { LineCalls } from './line-calls.ts';

/** What the lines of a batch are run with. */
export interface LineParts {
  readonly store: Pick<Store, 'batches' | 'files' | 'generations' | 'keys' | 'members' | 'workspaces'>;
  readonly members: MemberDirectory;
  readonly files: FileLibrary;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly calls: () => LineCalls;
  /** Lines of one batch under way at once. */
  readonly concurrency: number;
  readonly stop: JobStop;
  readonly isStopped: () => boolean;
  /** Whether a batch is still to be run, and here. */
  readonly mayGoOn: (id: string) => Promise<boolean>;
}

/** A batch, and whose calls its lines are. */
export interface BatchRun {
  readonly batch: StoredBatch;
  readonly principal: Principal;
  /** A process has run it before. */
  readonly isResumed: boolean;
}

export async function openRun(batch: StoredBatch, isResumed: boolean, parts: LineParts): Promise<BatchRun> {
  return { batch, principal: await findOwnerPrincipal(batch.owner, parts), isResumed };
}

/** A gateway that closes waits for it. */
const MAX_WAIT_SECONDS = 5;

/** Waits so long, but not so long that the end of the process would have to wait for it. */
export const wait = (seconds: number, { platform }: Pick<LineParts, 'platform'>): Promise<void> =>
  new Promise((resolve) => {
    platform.setTimer(resolve, Math.min(seconds, MAX_WAIT_SECONDS) * 1000);
  });
