import { type Parsed, readFlags, readInteger, readWordAndFlags, toHelp, UsageError } from '../process/flags.ts';
import { GATEWAY_FLAGS, GATEWAY_HELP, readGatewayFlags } from '../process/gateway-flags.ts';
import type { ChatOptions } from '../terminal/chat.ts';
import type { LogsOptions } from '../terminal/follow-calls.ts';
import type { ShowOptions } from '../terminal/show.ts';

const SHOW_FLAGS = { ...GATEWAY_FLAGS, json: { type: 'boolean' } } as const;

const STATUS_HELP = `Usage: model-gateway status [flags]

Shows whether the gateway runs, what it calls, and what was spent.

  --json             the facts as JSON
${GATEWAY_HELP}`;

/** Reads the arguments after `status`. Throws `UsageError`. */
export function parseStatus(args: readonly string[]): Parsed<'status', ShowOptions> {
  const values = readFlags(args, SHOW_FLAGS, STATUS_HELP);
  if (values.help === true) return toHelp(STATUS_HELP);
  return { type: 'status', options: { ...readGatewayFlags(values), json: values.json ?? false } };
}

const MODELS_HELP = `Usage: model-gateway models [TEXT] [flags]

Lists the models that the running gateway serves, with their prices; with TEXT, only models whose
name contains it.

  --json             the models as the API returns them
${GATEWAY_HELP}`;

/** Reads the arguments after `models`. Throws `UsageError`. */
export function parseModels(
  args: readonly string[],
): Parsed<'models', ShowOptions & { readonly search: string | undefined }> {
  const { values, word: search } = readWordAndFlags(args, SHOW_FLAGS, MODELS_HELP);
  if (values.help === true) return toHelp(MODELS_HELP);
  return { type: 'models', options: { ...readGatewayFlags(values), json: values.json ?? false, search } };
}

const LOGS_HELP = `Usage: model-gateway logs [flags]

Shows the latest calls, the newest last.

  -f, --follow       go on with the calls that end from now on
  --where TEXT       which calls, as in the filter of the list: 'model:x status:failed'
  --limit N          show at most N past calls (20)
  --json             a line of JSON for each call
${GATEWAY_HELP}`;

const LOGS_FLAGS = {
  ...SHOW_FLAGS,
  follow: { type: 'boolean', short: 'f' },
  where: { type: 'string' },
  limit: { type: 'string' },
} as const;

/** Reads the arguments after `logs`. Throws `UsageError`. */
export function parseLogs(args: readonly string[]): Parsed<'logs', LogsOptions> {
  const values = readFlags(args, LOGS_FLAGS, LOGS_HELP);
  if (values.help === true) return toHelp(LOGS_HELP);
  const { follow = false, where, limit = '20', json = false } = values;
  const options = { follow, where, limit: readInteger('--limit', limit, 1, 100), json };
  return { type: 'logs', options: { ...readGatewayFlags(values), ...options } };
}

const CHAT_HELP = `Usage: model-gateway chat MODEL [flags]

Talks to a model through the running gateway, line by line. An empty line ends the talk.

  -p, --prompt TEXT  ask this alone, and end
  --system TEXT      a system prompt
  --key KEY          call with this key (default: one that is revoked at the end)
${GATEWAY_HELP}`;

const CHAT_FLAGS = {
  ...GATEWAY_FLAGS,
  prompt: { type: 'string', short: 'p' },
  system: { type: 'string' },
  key: { type: 'string' },
} as const;

/** Reads the arguments after `chat`. Throws `UsageError`. */
export function parseChat(args: readonly string[]): Parsed<'chat', ChatOptions> {
  const { values, word: model } = readWordAndFlags(args, CHAT_FLAGS, CHAT_HELP);
  if (values.help === true) return toHelp(CHAT_HELP);
  if (model === undefined)
    throw new UsageError(`Missing the model. "model-gateway models" lists them.\n\n${CHAT_HELP}`);
  const { prompt, system, key } = values;
  return { type: 'chat', options: { ...readGatewayFlags(values), model, prompt, system, key } };
}
