import { readFileSync } from 'node:fs';

import type { AppliedChanges, CatalogComparison } from '@model-gateway/core/wire';

import { UsageError } from '../process/flags.ts';
import type { GatewayFlags } from '../process/gateway-flags.ts';
import type { Owner } from '../process/owner-file.ts';
import { describeFileError, StartError } from '../process/start-error.ts';
import { openTerminal, type TalkingTerminal } from './chat.ts';
import { askGateway, findGateway } from './find-gateway.ts';
import { toTable } from './table.ts';

/** What `catalog update` is asked to do. */
export interface UpdateCatalogOptions extends GatewayFlags {
  readonly source:
    | { readonly provider: string | undefined }
    | { readonly provider: string; readonly url: string }
    | { readonly provider: string; readonly file: string };
  /** The variable with the key for the address. */
  readonly keyEnv: string | undefined;
  readonly apply: boolean;
  readonly json: boolean;
}

/** The gateway reads the lists of all providers meanwhile. */
const TIMEOUT_MS = 60_000;
const PATH = '/admin/v1/setup/catalog';

/** Prints what lists of models state otherwise, and applies it when it is told to, or after a yes at a terminal. */
export async function updateCatalog(options: UpdateCatalogOptions, terminal = openTerminal()): Promise<void> {
  try {
    await compareAndApply(options, terminal);
  } finally {
    terminal.close();
  }
}

async function compareAndApply(options: UpdateCatalogOptions, terminal: TalkingTerminal): Promise<void> {
  const { apply, json } = options;
  const gateway = await findGateway(options, terminal.env);
  const body = toBody(options, terminal.env);
  const { data } = await askGateway<{ data: CatalogComparison }>(
    gateway,
    'POST',
    `${PATH}/comparisons`,
    body,
    TIMEOUT_MS,
  );
  const open = data.changes.filter(({ blocked }) => blocked === null);
  if (json) {
    const applied = apply && open.length > 0 ? await applyAll(gateway, open) : null;
    return terminal.write(`${JSON.stringify({ ...data, applied }, null, 2)}\n`);
  }
  terminal.write(describe(data));
  if (open.length === 0) return;
  if (!apply && !(await isWanted(open.length, terminal))) {
    return terminal.note('Nothing was changed. Apply it with --apply.\n');
  }
  const { applied, models } = await applyAll(gateway, open);
  terminal.write(
    `Applied ${count(applied, 'change')} to ${count(models.length, 'model')}. Take it back in the UI, under Models.\n`,
  );
}

function toBody({ source, keyEnv }: UpdateCatalogOptions, env: NodeJS.ProcessEnv): object {
  if ('file' in source) return { provider: source.provider, document: readDocument(source.file) };
  if (!('url' in source)) return source;
  if (keyEnv === undefined) return source;
  const key = env[keyEnv]?.trim();
  if (!key) throw new UsageError(`Set ${keyEnv} to the key for ${source.url}.`);
  return { ...source, api_key: key };
}

function readDocument(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? `it is not JSON (${cause.message})` : describeFileError(cause);
    throw new StartError(`The list of models ${file} cannot be read: ${reason}.`, { cause });
  }
}

type Change = CatalogComparison['changes'][number];

async function applyAll(gateway: Owner, open: readonly Change[]): Promise<AppliedChanges> {
  const changes = open.map(({ blocked: _, ...change }) => change);
  const { data } = await askGateway<{ data: AppliedChanges }>(
    gateway,
    'POST',
    `${PATH}/changes`,
    { changes },
    TIMEOUT_MS,
  );
  return data;
}

async function isWanted(changes: number, { isTTY, note, ask }: TalkingTerminal): Promise<boolean> {
  if (!isTTY) return false;
  note(`Apply ${count(changes, 'change')}? [y/N] `);
  return /^y(es)?$/i.test((await ask())?.trim() ?? '');
}

/** The whole comparison for people. */
function describe({ changes, notes, lists }: CatalogComparison): string {
  const rows = changes.map((change) => [
    change.model,
    change.tag === null ? change.provider : `${change.provider}/${change.tag}`,
    change.blocked === null ? change.field : `${change.field} (config file)`,
    ...toCells(change),
  ]);
  const read = lists.map(({ provider, from, listed, compared, problem }) =>
    problem === null
      ? `${provider}${from === null ? '' : ` (${from})`}: ${compared} of ${count(listed, 'listed model')} compared`
      : `${provider}: its list could not be read: ${problem}`,
  );
  const blocked = changes.filter(({ blocked: reason }) => reason !== null).length;
  const lines = [
    ...notes.map(({ model, provider, text }) => `note  ${model} at ${provider}: ${text}`),
    ...read,
    changes.length === 0 ? 'No change was found.' : `${count(changes.length, 'change')} found.`,
    ...(blocked === 0 ? [] : [`${blocked} of them only in the config file, where these models are.`]),
  ];
  const table = rows.length === 0 ? '' : `${toTable(['model', 'provider', 'fact', 'now', 'listed'], rows)}\n`;
  return table + lines.map((line) => `${line}\n`).join('');
}

function toCells({ from, to }: Change): [string, string] {
  if (isWords(to)) {
    const known = isWords(from) ? from : [];
    const more = to.filter((word) => !known.includes(word)).map((word) => `+${word}`);
    const less = known.filter((word) => !to.includes(word)).map((word) => `-${word}`);
    return [isWords(from) ? `${known.length} of them` : 'unknown', [...more, ...less].join(' ')];
  }
  return [toText(from), toText(to)];
}

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Prices of tokens are small: people know them by the million. */
function toText(value: Change['from']): string {
  if (value === null) return 'unknown';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value !== 'string') return JSON.stringify(value);
  const isByToken = Number(value) < 0.001;
  return isByToken ? `$${Number((Number(value) * 1e6).toPrecision(12))}/M` : `$${value}`;
}

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;
