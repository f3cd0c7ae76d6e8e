import { sql } from 'kysely';

import { codeOf, describeDatabaseError } from '../connection/errors.ts';
import type { StorePart, StorePartOptions } from '../store-part.ts';

/** What was written reads a little slower than sums until it is in them. */
const FOLD_EVERY_MS = 2000;
/** At once: it takes some seconds at most, and less is taken where it does not end in time. */
const MAX_FOLDED = 10_000;
/** More is taken at once again after a piece that took less. */
const QUICK_MS = 500;
const STATEMENT_TIMEOUT = '57014';

/**
 * Adds what was written to the sums every few seconds, as long as the store is open. One process at a time does it for
 * all; what is not in the sums yet is counted nevertheless.
 */
export function createFolding({
  connection,
  logger,
}: Pick<StorePartOptions, 'connection' | 'logger'>): Required<StorePart> {
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();
  let isOpen = true;
  let isFailing = false;

  let most = MAX_FOLDED;
  /** Whether there may be more. */
  const foldPiece = async (): Promise<boolean> => {
    const asked = most;
    const beganAt = performance.now();
    try {
      const folded = await foldChanges(connection, asked);
      if (performance.now() - beganAt < QUICK_MS) most = Math.min(asked * 2, MAX_FOLDED);
      return folded === asked;
    } catch (error) {
      if (codeOf(error) !== STATEMENT_TIMEOUT || asked === 1) throw error;
      most = Math.ceil(asked / 2);
      return true;
    }
  };
  const fold = async (): Promise<void> => {
    while (isOpen && (await foldPiece()));
  };
  const schedule = (): void => {
    if (!isOpen) return;
    timer = setTimeout(() => {
      work = fold()
        .then(
          () => (isFailing = false),
          (error: unknown) => {
            const reason = describeDatabaseError(error, connection.address).message;
            if (!isFailing) logger?.warn('Generations are not added to their sums; it is tried again', { reason });
            isFailing = true;
          },
        )
        .then(schedule);
    }, FOLD_EVERY_MS);
    timer.unref();
  };

  return {
    async start() {
      clearTimeout(timer);
      schedule();
    },
    async close() {
      isOpen = false;
      clearTimeout(timer);
      await work;
    },
  };
}

/** Adds up to so many changes to the sums; resolves with how many. 0 where another process is at it. */
async function foldChanges(
  { database }: Pick<StorePartOptions['connection'], 'database'>,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ folded: number }>`select gateway.fold_generation_changes(${most}) as folded`.execute(
    database,
  );
  return rows[0]?.folded ?? 0;
}

const CHANGE_COLUMNS = `created_at_ms, model, provider_name, endpoint_id, principal_id, user_id, workspace_id, app, status, cost_nano,
  fee_nano, is_byok, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, saved_nano, first_token_ms, duration_ms,
  tokens_per_second, attempts`;

/**
 * Notes rows of a table with the columns of generations for the sums, in the transaction that writes them: its `sign` is
 * 1 for a version that is new and -1 for one that is replaced. It never waits for others, as it only inserts.
 */
export const toAddChanges = (incoming: string): string =>
  `insert into gateway.generation_changes (sign, ${CHANGE_COLUMNS}) select sign, ${CHANGE_COLUMNS} from ${incoming}`;
