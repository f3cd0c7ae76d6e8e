import { onTestFinished } from 'vitest';

import type { EngineServer } from './engine-server.ts';
import { type PostgresServer, type PostgresStandby, startPostgres, startStandby } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';

/** A PostgreSQL of this test alone, which it may kill, with an empty database. */
export async function startOwnPostgres(
  settings?: Readonly<Record<string, string>>,
): Promise<{ readonly server: PostgresServer; readonly url: string }> {
  const server = await startPostgres(settings);
  onTestFinished(() => server.remove());
  return { server, url: await server.createDatabase() };
}

/** A standby of such a server, for the same test. */
export async function startOwnStandby(primary: PostgresServer): Promise<PostgresStandby> {
  const standby = await startStandby(primary);
  onTestFinished(() => standby.remove());
  return standby;
}

/** A Redis of this test alone, which it may kill. */
export async function startOwnRedis(settings?: readonly string[]): Promise<EngineServer> {
  const server = await startRedis(settings);
  onTestFinished(() => server.remove());
  return server;
}
