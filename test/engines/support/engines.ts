import { afterAll, inject, onTestFinished } from 'vitest';

import { createDatabase, dropDatabase, openClient, type PostgresClient, runStatement } from './postgres-server.ts';

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

/** Databases of the test that runs. */
let opened = 0;

/** The address of the PostgreSQL that all test files share. */
export function postgresUrl(): string {
  return findPostgres().url;
}

/**
 * A database for one test, with all tables and no data, or as another template is, at the server that all test files
 * share. It is dropped when the test has ended.
 */
export async function openDatabase(template = findPostgres().template): Promise<string> {
  const url = await openCopy(template);
  // What is moved from one database to another is told by their ids, which are equal in copies.
  if (opened > 1) await runStatement(url, 'update gateway.store_id set id = default');
  return url;
}

/** As `openDatabase`, without tables: for what the first start or a migration does. */
export function openEmptyDatabase(): Promise<string> {
  return openCopy();
}

async function openCopy(template?: string): Promise<string> {
  const client = await connectOnce();
  const url = await createDatabase(client, template);
  opened += 1;
  onTestFinished(async () => {
    opened -= 1;
    await dropDatabase(client, url);
  });
  return url;
}

/**
 * A connection for the statements of one test, where there are many: to make one takes longer than most statements. It
 * ends with the test.
 */
export async function openTestClient(url: string): Promise<PostgresClient> {
  const client = await openClient(url);
  onTestFinished(() => client.end());
  return client;
}

function findPostgres() {
  if ('missing' in postgres) throw new Error(postgres.missing);
  return postgres;
}

let connecting: Promise<PostgresClient> | undefined;

/** One connection makes all databases of a file: to connect takes as long as to copy. */
function connectOnce(): Promise<PostgresClient> {
  return (connecting ??= openClient(postgresUrl()));
}

afterAll(async () => {
  await (await connecting)?.end();
});
