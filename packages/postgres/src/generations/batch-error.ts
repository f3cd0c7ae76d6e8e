import { codeOf } from '../connection/errors.ts';

/** A record has values of which no row can be made. */
export class UnfitRecordError extends Error {
  override readonly name = 'UnfitRecordError';

  constructor(cause: unknown) {
    super(`No row can be made of the record: ${causeOf(cause)}`);
  }
}

/** Whether something in the rows of a batch is refused: wrong data, a broken constraint, too long for an index. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof UnfitRecordError) return true;
  return /^(22|23|54)/.test(codeOf(error)) && !isMissingDay(error);
}

/** Whether another process has removed the partition since it was found. */
export function isMissingDay(error: unknown): boolean {
  return codeOf(error) === '23514' && /no partition of relation/.test(causeOf(error));
}

/** One line for logs. The 503 that a passing error has become says less than its cause. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
