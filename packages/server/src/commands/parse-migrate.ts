import { type Parsed, readFlags, toHelp } from '../flags.ts';

export interface MigrateOptions {
  readonly config: string | undefined;
}

const HELP = `Usage: model-gateway migrate --config FILE

  --config FILE      the config file that names the database

Brings the tables to this version and says what it did. A gateway does the same when it starts; several at once are no
harm. There is no way back to an older version but a backup.
`;

const FLAGS = { config: { type: 'string' } } as const;

/** Reads the arguments after `migrate`. Throws `UsageError`. */
export function parseMigrate(args: readonly string[]): Parsed<'migrate', MigrateOptions> {
  const { help, config } = readFlags(args, FLAGS, HELP);
  return help === true ? toHelp(HELP) : { type: 'migrate', options: { config } };
}
