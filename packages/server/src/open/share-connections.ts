/** A pool of one would make its statements wait for one another. */
export const LEAST_CONNECTIONS = 2;

/** How many connections to the database each of so many workers may open, of those of one `serve`. */
export const shareConnections = (maxConnections: number, workers: number): number =>
  Math.max(LEAST_CONNECTIONS, Math.floor(maxConnections / workers));

/** What to say where the workers open more connections than were allowed; undefined where they do not. */
export function warnOfConnections(maxConnections: number, workers: number): string | undefined {
  const opened = workers * shareConnections(maxConnections, workers);
  if (opened <= maxConnections) return undefined;
  const fitting = Math.floor(maxConnections / LEAST_CONNECTIONS);
  return (
    `store.maxConnections is ${maxConnections}, but each worker needs ${LEAST_CONNECTIONS}: these ${workers} open up to ` +
    `${opened}. Set it to ${opened} where the database has room for them, or start at most ${fitting} workers`
  );
}
