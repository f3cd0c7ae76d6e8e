import process from 'node:process';

import { type Parsed, readFlags, toHelp } from '../process/flags.ts';

export interface MigrateOptions {
  readonly config: string | undefined;
}

const HELP = `Usage: model-gateway migrate --config FILE

  --config FILE      the config file that names the database

Brings the tables to this version and says what it did. A gateway does the same when it starts; running
several at once does no harm. Only a backup brings an older version back.
`;

const FLAGS = { config: { type: 'string' } } as const;

/** Reads the arguments after `migrate`. Throws `UsageError`. */
export function parseMigrate(args: readonly string[]): Parsed<'migrate', MigrateOptions> {
  const { help, config } = readFlags(args, FLAGS, HELP);
  return help === true ? toHelp(HELP) : { type: 'migrate', options: { config } };
}

/** Brings the database of a config to the schema of this version. */
export async function migrate({ config }: MigrateOptions): Promise<void> {
  const { findDatabase, toStderr } = await import('../open/find-store.ts');
  const { store } = await findDatabase(config);
  const { migrateDatabase } = await import('@model-gateway/postgres');
  const applied = await migrateDatabase({ url: store.url, urlName: 'store.url', logger: toStderr });
  const did = applied.length === 0 ? 'The database is up to date' : `Applied ${applied.join(', ')}`;
  process.stderr.write(`${did}.\n`);
}
