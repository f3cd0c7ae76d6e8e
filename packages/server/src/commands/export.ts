import type { ExportOptions } from '../moving/export-data.ts';
import { type Parsed, readFlags, toHelp, UsageError } from '../process/flags.ts';

const HELP = `Usage: model-gateway export --to DIR --config FILE

  --to DIR           a new data directory, or that of an earlier export
  --config FILE      the config file that names the database
  --force            replace the data of another gateway in DIR

Copies the database into a JSON-file store, which "serve --data-dir DIR" can use, beside running gateways.
Uploaded files and batches stay in the database.
`;

const FLAGS = { config: { type: 'string' }, to: { type: 'string' }, force: { type: 'boolean' } } as const;

/** Reads the arguments after `export`. Throws `UsageError`. */
export function parseExport(args: readonly string[]): Parsed<'export', ExportOptions> {
  const { help, config, to, force = false } = readFlags(args, FLAGS, HELP);
  if (help === true) return toHelp(HELP);
  if (to === undefined) throw new UsageError(`Missing --to.\n\n${HELP}`);
  return { type: 'export', options: { config, to, force } };
}
