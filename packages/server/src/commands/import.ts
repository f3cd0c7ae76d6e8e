import type { ForeignImportOptions } from '../foreign/import-foreign.ts';
import { FOREIGN_GATEWAYS, type ForeignGateway } from '../foreign/plan.ts';
import type { ImportOptions } from '../moving/import-data.ts';
import { guess, type Parsed, readWordsAndFlags, STORE_FLAGS, toHelp, UsageError } from '../process/flags.ts';

const HELP = `Usage: model-gateway import --from DIR --config FILE
       model-gateway import --from GATEWAY FILE... [flags]

  --from DIR         a data directory: a JSON-file store, or the journal of a gateway that no longer exists
  --from GATEWAY     files of another gateway: litellm, portkey, helicone or openrouter (docs/moving.md)
  --config FILE      the config file that names the database
  --apply            write; without it, only show what becomes of the files
  --out FILE         the config file to write (gateway.imported.json)
  --new-keys         make keys for those whose text is not in the files, and print each once
  --force            replace a config file that exists
  --data-dir DIR     the data directory to write into (./data)

From a directory it copies keys, members, guardrails, settings, generations and what else is there, beside running
gateways and as often as you like: nothing is doubled, and what the database has already stays as it is there.
Uploaded files and batches stay in the directory. The directory must not be in use.

From files of another gateway it writes a config file with providers, models and limits, and workspaces, keys and
guardrails into the store. Secrets become names of variables. Run twice, it changes nothing.
`;

const FLAGS = {
  ...STORE_FLAGS,
  from: { type: 'string' },
  out: { type: 'string' },
  apply: { type: 'boolean' },
  'new-keys': { type: 'boolean' },
  force: { type: 'boolean' },
} as const;

export type ImportCommand = Parsed<'import', ImportOptions> | Parsed<'import-foreign', ForeignImportOptions>;

/** Reads the arguments after `import`. Throws `UsageError`. */
export function parseImport(args: readonly string[]): ImportCommand {
  const { values, words } = readWordsAndFlags(args, FLAGS, HELP);
  const { help, config, from, out, apply: applies, 'new-keys': makesKeys, force, 'data-dir': dataDir } = values;
  if (help === true) return toHelp(HELP);
  if (from === undefined) {
    const [word] = words;
    const problem =
      word === undefined ? 'Missing --from.' : `Unexpected argument '${word}': say whose it is with --from.`;
    throw new UsageError(`${problem}\n\n${HELP}`);
  }
  if (words.length === 0) {
    if (isForeign(from)) throw new UsageError(`Missing the files of ${from}.\n\n${HELP}`);
    const others = { out, apply: applies, 'new-keys': makesKeys, force, 'data-dir': dataDir };
    const [odd] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    if (odd !== undefined) throw new UsageError(`--${odd} needs files of another gateway.\n\n${HELP}`);
    return { type: 'import', options: { config, from } };
  }
  if (!isForeign(from)) {
    throw new UsageError(`There is no import from "${from}".${guess(from, FOREIGN_GATEWAYS)}\n\n${HELP}`);
  }
  return {
    type: 'import-foreign',
    options: {
      from,
      files: words,
      out: out ?? 'gateway.imported.json',
      applies: applies ?? false,
      makesKeys: makesKeys ?? false,
      force: force ?? false,
      config,
      dataDir,
    },
  };
}

const isForeign = (from: string): from is ForeignGateway => FOREIGN_GATEWAYS.some((one) => one === from);
