import { asksForHelp, type Parsed, readAmount, readFlags, STORE_FLAGS, toHelp, UsageError } from '../flags.ts';

export interface KeysCreateOptions {
  /** The config file that names the store, unless a directory is given. */
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  readonly name: string;
  readonly management: boolean;
  readonly limitUsd: number | null;
}

const HELP = `Usage: model-gateway keys create --name NAME [flags]

  --name NAME        what the key is for
  --management       a key that administers, but cannot call models
  --limit USD        what may be spent with the key
  --data-dir DIR     the data directory of the gateway (./data)
  --config FILE      or the config file that names it

The new key is printed on stdout, once; only its SHA-256 is kept. A running gateway accepts it at once.
`;

const CREATE_FLAGS = {
  ...STORE_FLAGS,
  name: { type: 'string' },
  management: { type: 'boolean' },
  limit: { type: 'string' },
} as const;

/** Reads the arguments after `keys`. Throws `UsageError`. */
export function parseKeys([action, ...rest]: readonly string[]): Parsed<'keys-create', KeysCreateOptions> {
  if (asksForHelp(action)) return toHelp(HELP);
  if (action !== 'create') throw new UsageError(`Say what to do with keys.\n\n${HELP}`);
  const values = readFlags(rest, CREATE_FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { name = '', management = false, limit, config, 'data-dir': dataDir } = values;
  if (name.trim() === '') throw new UsageError('Give the key a name, by which you will recognise it: --name "my app"');
  if (management && limit !== undefined) {
    throw new UsageError('A management key cannot call models, so it takes no --limit.');
  }
  const limitUsd = limit === undefined ? null : readAmount(limit);
  return { type: 'keys-create', options: { name, management, limitUsd, config, dataDir } };
}
