import { useState } from 'react';

interface Failing {
  readonly error: unknown;
  /** When it failed last, which tells its failures from those of another query. */
  readonly errorUpdatedAt?: number;
  readonly data?: unknown;
}

/**
 * Why data is not there: its error; and while what has never loaded is asked for again, when the query has no error,
 * that of the last time. A panel that turned into a loading one and back would move what is below it. Null for none.
 */
export function useLastingFailure({ error, errorUpdatedAt: at, data }: Failing): unknown {
  const [last, setLast] = useState<Pick<Failing, 'error'> & { at?: number | undefined }>({ error: null });
  if (error !== null && (last.error !== error || last.at !== at)) setLast({ error, at });
  return error ?? (data === undefined && last.at === at ? last.error : null);
}
