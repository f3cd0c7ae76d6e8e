import type { ImportOptions } from '../moving/import-data.ts';
import { type Parsed, readFlags, toHelp, UsageError } from '../process/flags.ts';

const HELP = `Usage: model-gateway import --from DIR --config FILE

  --from DIR         a data directory: a JSON-file store, or the journal of a gateway that no longer exists
  --config FILE      the config file that names the database

Copies keys, members, guardrails, settings, generations and what else is there, beside running gateways and as often as
you like: nothing is doubled, and what the database has already stays as it is there. The directory must not be in use.
`;

const FLAGS = { config: { type: 'string' }, from: { type: 'string' } } as const;

/** Reads the arguments after `import`. Throws `UsageError`. */
export function parseImport(args: readonly string[]): Parsed<'import', ImportOptions> {
  const { help, config, from } = readFlags(args, FLAGS, HELP);
  if (help === true) return toHelp(HELP);
  if (from === undefined) throw new UsageError(`Missing --from.\n\n${HELP}`);
  return { type: 'import', options: { config, from } };
}
