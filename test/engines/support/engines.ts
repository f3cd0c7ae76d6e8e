import { inject, onTestFinished } from 'vitest';

import { createDatabase, runStatement } from './postgres-server.ts';

const { postgres, redis } = inject('engines');

/** Why tests of PostgreSQL cannot run here; undefined where they can. For `test.skipIf`. */
export const missingPostgres = 'missing' in postgres ? postgres.missing : undefined;
/** Why tests of Redis cannot run here; undefined where they can. */
export const missingRedis = 'missing' in redis ? redis.missing : undefined;

/** Why tests of both cannot run here; undefined where they can. */
export const missingEngines = missingPostgres ?? missingRedis;

/** The address of the Redis that all test files share: names of keys have to tell them apart. */
export function redisUrl(): string {
  if ('missing' in redis) throw new Error(redis.missing);
  return redis.url;
}

/** An empty database for one test, at the server that all test files share. It is dropped when the test has ended. */
export async function openDatabase(): Promise<string> {
  if ('missing' in postgres) throw new Error(postgres.missing);
  const serverUrl = postgres.url;
  const url = await createDatabase(serverUrl);
  onTestFinished(async () => {
    await runStatement(serverUrl, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
  });
  return url;
}
