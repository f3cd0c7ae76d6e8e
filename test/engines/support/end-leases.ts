import { runStatement } from './postgres-server.ts';

/**
 * Ends every ownership of video jobs, of their idempotency keys, of reruns, of batches and of destinations, as if its time had
 * passed: a minute after an owner has died, another process takes over what it owned. An owner that lives loses it as
 * after a long pause.
 */
export async function endLeases(database: string): Promise<void> {
  const ended = `jsonb_set(row::jsonb, '{lease,untilMs}', '0')::text`;
  await runStatement(
    database,
    `update gateway.video_jobs set row = ${ended}, lease_until_ms = 0 where is_working and lease_until_ms > 0`,
  );
  await runStatement(
    database,
    `update gateway.entries set expires_at = clock_timestamp() where id like 'video-order:%'`,
  );
  for (const table of ['broadcasts', 'reruns', 'batches']) {
    await runStatement(
      database,
      `update gateway.${table} set row = ${ended} where row::jsonb #> '{lease,untilMs}' is not null`,
    );
  }
}
