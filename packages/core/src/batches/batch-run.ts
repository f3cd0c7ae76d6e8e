import { toKeyPrincipal } from '../auth/authenticate.ts';
import type { FileLibrary } from '../files/file-library.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { BatchOwner, StoredBatch } from '../stores/batches.ts';
import type { Store } from '../stores/store.ts';
import type { LineCalls } from './line-calls.ts';

/** What the lines of a batch are run with. */
export interface LineParts {
  readonly store: Pick<Store, 'batches' | 'files' | 'generations' | 'keys'>;
  readonly files: FileLibrary;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly calls: () => LineCalls;
  /** Lines of one batch under way at once. */
  readonly concurrency: number;
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
  return { batch, principal: await findPrincipal(batch.owner, parts), isResumed };
}

/** A gateway that closes waits for it. */
const MAX_WAIT_SECONDS = 5;

/** Waits so long, but not so long that the end of the process would have to wait for it. */
export const wait = (seconds: number, { platform }: Pick<LineParts, 'platform'>): Promise<void> =>
  new Promise((resolve) => {
    platform.setTimer(resolve, Math.min(seconds, MAX_WAIT_SECONDS) * 1000);
  });

/** The present principal of an owner. Throws where its key is gone, or must not call any more. */
async function findPrincipal(owner: BatchOwner, { store, platform }: LineParts): Promise<Principal> {
  const { id, name, userId, workspaceId, isKey } = owner;
  if (!isKey) return { kind: 'api', id, name, userId, workspaceId };
  const record = await store.keys.get(id);
  const isOver = record?.expiresAt != null && Date.parse(record.expiresAt) <= platform.now();
  if (record === undefined || record.disabled || isOver) {
    throw new GatewayError('conflict', `The key "${name}", as which the calls are made, is gone, disabled or expired`);
  }
  return toKeyPrincipal(record);
}
