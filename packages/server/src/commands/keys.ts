import process from 'node:process';

import type { NamedStore } from '../open/find-store.ts';
import {
  asksForHelp,
  guess,
  type Parsed,
  readAmount,
  readFlags,
  readWordAndFlags,
  STORE_FLAGS,
  toHelp,
  UsageError,
  type StoreFlags,
} from '../process/flags.ts';
import { GATEWAY_FLAGS, GATEWAY_HELP, readGatewayFlags } from '../process/gateway-flags.ts';
import { askOwner, describeReply, type Owner } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';
import type { RevokeOptions, ShowOptions } from '../terminal/show.ts';

export interface KeysCreateOptions extends StoreFlags {
  readonly name: string;
  readonly management: boolean;
  readonly limitUsd: number | null;
}

const KEYS_HELP = `Usage: model-gateway keys <action> [flags]

  create --name NAME  issue a key
  list                show the keys of the running gateway, with what they have spent
  revoke KEY          end a key for good, by its name or the beginning of its id

  --help              of an action, too: model-gateway keys create --help
`;

const HELP = `Usage: model-gateway keys create --name NAME [flags]

  --name NAME        what the key is for
  --management       a key that administers, but cannot call models
  --limit USD        spending limit of the key
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

const LIST_HELP = `Usage: model-gateway keys list [flags]

Shows the keys of the running gateway, with what they have spent.

  --json             the list as the API returns it
${GATEWAY_HELP}`;

const REVOKE_HELP = `Usage: model-gateway keys revoke KEY [flags]

Ends a key for good at the running gateway. KEY is its name, or the beginning of its id in "keys list".

${GATEWAY_HELP}`;

export type KeysCommand =
  | Parsed<'keys-create', KeysCreateOptions>
  | Parsed<'keys-list', ShowOptions>
  | Parsed<'keys-revoke', RevokeOptions>;

const ACTIONS = ['create', 'list', 'revoke'] as const;

/** Reads the arguments after `keys`. Throws `UsageError`. */
export function parseKeys([action = '', ...rest]: readonly string[]): KeysCommand {
  if (asksForHelp(action)) return toHelp(KEYS_HELP);
  if (action === 'create') return parseCreate(rest);
  if (action === 'list') {
    const values = readFlags(rest, { ...GATEWAY_FLAGS, json: { type: 'boolean' } }, LIST_HELP);
    if (values.help === true) return toHelp(LIST_HELP);
    return { type: 'keys-list', options: { ...readGatewayFlags(values), json: values.json ?? false } };
  }
  if (action === 'revoke') {
    const { values, word } = readWordAndFlags(rest, GATEWAY_FLAGS, REVOKE_HELP);
    if (values.help === true) return toHelp(REVOKE_HELP);
    if (word === undefined) throw new UsageError(`Missing the key to revoke.\n\n${REVOKE_HELP}`);
    return { type: 'keys-revoke', options: { ...readGatewayFlags(values), key: word } };
  }
  if (action === '') throw new UsageError(`Missing action: create, list or revoke.\n\n${KEYS_HELP}`);
  throw new UsageError(`There is no "keys ${action}".${guess(action, ACTIONS)}\n\n${KEYS_HELP}`);
}

function parseCreate(rest: readonly string[]): Parsed<'keys-create', KeysCreateOptions> {
  const values = readFlags(rest, CREATE_FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { name = '', management = false, limit, config, 'data-dir': dataDir } = values;
  if (name.trim() === '') throw new UsageError('Missing --name: a name to recognise the key, e.g. --name "my app"');
  if (management && limit !== undefined) {
    throw new UsageError('A management key cannot call models, so --limit does not apply.');
  }
  const limitUsd = limit === undefined ? null : readAmount(limit);
  return { type: 'keys-create', options: { name, management, limitUsd, config, dataDir } };
}

/**
 * Issues a key and prints it on stdout, once. If a running gateway owns the data directory, that gateway issues the
 * key; otherwise the store is opened here.
 */
export async function createKey(options: KeysCreateOptions): Promise<void> {
  // Loaded here, as the command line is read with all commands.
  const { createKeyIn, findOwner, findStore, isDatabase } = await import('../open/find-store.ts');
  const { name, management, limitUsd } = options;
  const found = await findStore(options);
  const owned = isDatabase(found) ? undefined : await findOwner(found, options);
  const owner = owned?.owner;
  // The directory whose gateway does not respond, so that the key is that gateway's.
  const named: NamedStore = owned === undefined ? found : { store: { type: 'json', dir: owned.dir } };
  const issued = owner && (await issueAt(owner, options));
  const key = issued ?? (await createKeyIn(named, { name, kind: management ? 'management' : 'api', limitUsd }));
  process.stdout.write(`${key}\n`);
  const kind = management ? 'management key' : 'API key';
  const where = issued === undefined ? describeStore(named) : `by the gateway at ${owner?.url}`;
  process.stderr.write(
    `The ${kind} "${name}" was created ${where}. It won’t be shown again.\n` +
      'Send it with every request, as the header "Authorization: Bearer <key>".\n',
  );
}

/** Undefined without a response. */
async function issueAt(owner: Owner, { name, management, limitUsd }: KeysCreateOptions): Promise<string | undefined> {
  const body = { name, limit: limitUsd, ...(management && { management }) };
  const reply = await askOwner(owner, 'POST', '/api/v1/keys', body);
  if (reply === undefined) return undefined;
  const { key } = reply.body as { key?: unknown };
  if (reply.status === 201 && typeof key === 'string') return key;
  throw new StartError(`The gateway with PID ${owner.pid} did not create a key: ${describeReply(reply)}.`);
}

const describeStore = (named: NamedStore): string =>
  named.store.type === 'postgres'
    ? 'in the database, so every gateway on it accepts it'
    : `in ${named.store.dir}, where no gateway is running`;
