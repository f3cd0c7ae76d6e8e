import process from 'node:process';
import { styleText } from 'node:util';

import type { AnyKey, Instance, Model } from '@model-gateway/core/wire';

import type { GatewayFlags } from '../process/gateway-flags.ts';
import { StartError } from '../process/start-error.ts';
import { askGateway, findGateway } from './find-gateway.ts';
import { toTable, toUsd } from './table.ts';

/** Where a command writes. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
  /** For what is not the result. */
  readonly note: (text: string) => void;
  readonly isTTY: boolean;
}

export const PROCESS_TERMINAL: Terminal = {
  env: process.env,
  write: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  isTTY: process.stdout.isTTY,
};

/** Fires when the user stops the command, which then ends what it has begun. */
export function stoppedByUser(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  return stop.signal;
}

export interface ShowOptions extends GatewayFlags {
  /** Prints what the API has returned. */
  readonly json: boolean;
}

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Colour for people; none in a file, and none where NO_COLOR is set. */
export const paint = (style: Parameters<typeof styleText>[0], text: string, { isTTY, env }: Terminal): string =>
  isTTY && !env['NO_COLOR'] ? styleText(style, text, { validateStream: false }) : text;

/** Prints the keys, newest last. */
export async function listKeys(options: ShowOptions, terminal = PROCESS_TERMINAL): Promise<void> {
  const gateway = await findGateway(options, terminal.env);
  const keys = await readAllKeys(gateway);
  if (options.json) return terminal.write(toJson(keys));
  if (keys.length === 0)
    return terminal.write(
      'There are no keys besides those of the config file. Create one with "keys create --name NAME".\n',
    );
  const rows = keys.map((key) => [
    key.hash.slice(0, SHORT_HASH),
    key.name,
    key.label,
    key.management ? 'management' : 'API',
    toState(key),
    toUsd(key.usage),
    key.limit === null ? 'none' : toUsd(key.limit),
  ]);
  terminal.write(toTable(['id', 'name', 'key', 'kind', 'state', 'spent', 'limit'], rows));
}

const SHORT_HASH = 8;
const PAGE = 100;

/** The keys of all workspaces that were made here: those of the configuration are changed there. */
async function readAllKeys(gateway: Parameters<typeof askGateway>[0]): Promise<readonly AnyKey[]> {
  const keys: AnyKey[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const path = `/admin/v1/keys?limit=${PAGE}&offset=${offset}`;
    const { data } = await askGateway<{ readonly data: readonly AnyKey[] }>(gateway, 'GET', path);
    keys.push(...data.filter(({ source }) => source === 'stored'));
    if (data.length < PAGE) return keys;
  }
}

function toState({ disabled, expires_at: expiresAt }: AnyKey): string {
  if (disabled) return 'disabled';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

export interface RevokeOptions extends GatewayFlags {
  /** The name of a key, or the beginning of its id. */
  readonly key: string;
}

/** Revokes one key for good. Throws `StartError` where none is meant, or several are. */
export async function revokeKey({ key, ...flags }: RevokeOptions, terminal = PROCESS_TERMINAL): Promise<void> {
  const gateway = await findGateway(flags, terminal.env);
  const keys = await readAllKeys(gateway);
  const meant = keys.filter(({ hash, name }) => name === key || (key.length >= 4 && hash.startsWith(key)));
  const [only] = meant;
  if (only === undefined) throw new StartError(`No key is named "${key}", and none has such an id. See "keys list".`);
  if (meant.length > 1) {
    const ids = meant.map(({ hash }) => hash.slice(0, SHORT_HASH)).join(', ');
    throw new StartError(`Several keys are named "${key}". Use one of their ids: ${ids}.`);
  }
  await askGateway(gateway, 'DELETE', `/api/v1/keys/${only.hash}`);
  terminal.write(`The key "${only.name}" is revoked. Its calls stay in the records.\n`);
}

const PER_MILLION = 1_000_000;
/** Without this parameter the list has only models that write text. */
const ALL_MODELS = '/api/v1/models?output_modalities=all';

/** Prints the models that are served, those of every kind, with their prices. */
export async function showModels(
  { search = '', ...options }: ShowOptions & { readonly search?: string | undefined },
  terminal = PROCESS_TERMINAL,
): Promise<void> {
  const gateway = await findGateway(options, terminal.env);
  const { data } = await askGateway<{ readonly data: readonly Model[] }>(gateway, 'GET', ALL_MODELS);
  const models = data.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(search.toLowerCase()));
  if (options.json) return terminal.write(toJson(models));
  if (models.length === 0) {
    const advice = 'Set up a provider in the web UI, or set a variable such as OPENAI_API_KEY.';
    return terminal.write(data.length === 0 ? `No models are served. ${advice}\n` : `No model matches "${search}".\n`);
  }
  const rows = models.map(({ id, context_length: context, pricing, architecture }) => [
    id,
    toKind(architecture.output_modalities),
    context === null ? '-' : context.toLocaleString('en-US'),
    toPrice(pricing.prompt),
    toPrice(pricing.completion),
  ]);
  terminal.write(toTable(['model', 'kind', 'context', '$/M input', '$/M output'], rows));
}

/** What a model makes; what writes text is for chats. */
const toKind = (modalities: readonly string[]): string =>
  modalities.includes('text') ? 'chat' : modalities.join(', ');

function toPrice(price: string | undefined): string {
  if (price === undefined || Number(price) < 0) return '-';
  return Number(price) === 0
    ? 'free'
    : (Number(price) * PER_MILLION).toLocaleString('en-US', { maximumFractionDigits: 3 });
}

interface ProviderRow {
  readonly name: string;
  readonly models: number;
  readonly health: { readonly status: string };
}

/** Prints whether the gateway runs, what it calls, and what was spent. */
export async function showStatus(options: ShowOptions, terminal = PROCESS_TERMINAL): Promise<void> {
  const gateway = await findGateway(options, terminal.env);
  const read = <Body>(path: string): Promise<Body> => askGateway<Body>(gateway, 'GET', path);
  const [{ data: instance }, { data: providers }, { data: credits }, running] = await Promise.all([
    read<{ readonly data: Instance }>('/admin/v1/instance'),
    read<{ readonly data: readonly ProviderRow[] }>('/admin/v1/providers'),
    read<{ readonly data: { readonly total_usage: number } }>('/api/v1/credits'),
    read<{ readonly total_count: number }>('/admin/v1/generations/running'),
  ]);
  const calls = running.total_count;
  if (options.json) return terminal.write(toJson({ url: gateway.url, instance, providers, credits, running: calls }));
  const { version, process_id: pid, trouble, reason, store } = instance;
  const state = trouble === null ? paint('green', 'ready', terminal) : paint('red', reason ?? 'in trouble', terminal);
  const facts = [
    ['gateway', gateway.url],
    ['state', state],
    ['version', `${version ?? 'unknown'}${pid === null ? '' : `, process ${pid}`}`],
    ['data', store?.address ?? 'in memory'],
    ['calls under way', String(calls)],
    ['spent', toUsd(credits.total_usage)],
  ];
  const width = Math.max(...facts.map(([name = '']) => name.length));
  terminal.write(facts.map(([name = '', value = '']) => `${name.padEnd(width)}  ${value}\n`).join(''));
  if (providers.length === 0) return terminal.write('\nNo providers are set up.\n');
  const rows = providers.map(({ name, models, health }) => [name, String(models), health.status]);
  terminal.write(`\n${toTable(['provider', 'models', 'health'], rows)}`);
}
