import type { ConnectOptions } from '../connect/connect.ts';
import { type Parsed, readAmount, readFlags, STORE_FLAGS, toHelp, UsageError } from '../process/flags.ts';
import { readGatewayUrl } from '../process/gateway-flags.ts';

const HELP = `Usage: model-gateway connect                 list the tools
       model-gateway connect TOOL [flags]    show what a tool needs, with a key of its own
       model-gateway connect TOOL --write    write it into the tool's own file of settings
       model-gateway connect TOOL --undo     take that back, and delete the key

  --model ID         the tool’s initial model (the account's default, else one with tools and a price)
  --limit USD        monthly spending limit of the key, or none (10 where the price of the model is known)
  --url URL          the address of the gateway, as the tool reaches it (that of the running gateway)
  --data-dir DIR     the data directory of the gateway (./data)
  --config FILE      or the config file that names it
  --json             the result as one JSON document on stdout; what happens along the way on stderr

--write leaves everything else in the file as it is and keeps a copy beside it. --undo restores the file to the byte; if
it was changed since, only the gateway's entries are taken out. Without --write nothing is written but the key.
`;

const FLAGS = {
  ...STORE_FLAGS,
  model: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  write: { type: 'boolean' },
  undo: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** Reads the arguments after `connect`. Throws `UsageError`. */
export function parseConnect(args: readonly string[]): Parsed<'connect', ConnectOptions> {
  const isNamed = args[0] !== undefined && !args[0].startsWith('-');
  const values = readFlags(isNamed ? args.slice(1) : args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { config, 'data-dir': dataDir, model, limit, url, write = false, undo = false, json = false } = values;
  if (write && undo) throw new UsageError('--write and --undo cannot be used together.');
  if ((write || undo) && !isNamed) throw new UsageError(`Missing tool.\n\n${HELP}`);
  if (model !== undefined && /^\s*$|\p{Cc}/u.test(model)) throw new UsageError('--model must be a model id.');
  return {
    type: 'connect',
    options: {
      tool: isNamed ? args[0] : undefined,
      action: write ? 'write' : undo ? 'undo' : 'show',
      model,
      limitUsd: limit === undefined ? undefined : limit === 'none' ? null : readAmount(limit, ' or none'),
      url: url === undefined ? undefined : `${readGatewayUrl(url)}/api/v1`,
      config,
      dataDir,
      json,
    },
  };
}
