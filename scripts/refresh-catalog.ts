// Compares the built-in catalog with a list of models, shows what differs, and takes it over:
//   npm run catalog:refresh -- --from groq
//   npm run catalog:refresh -- --from https://gateway.example/api/v1 --provider openai [--key-env NAME] [--dry-run]
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import type { CatalogChange } from '../packages/core/src/catalog/compare-endpoints.ts';
import { readListedModels } from '../packages/core/src/providers/kit/read-listed-models.ts';
import type { Preset } from '../packages/core/src/providers/provider-preset.ts';
import { PRESETS } from '../packages/core/src/providers/provider-presets.ts';
import { readDataFiles, saveDataFile } from './catalog/data-files.ts';
import { refreshEndpoints } from './catalog/refresh-endpoints.ts';

const DATA = fileURLToPath(new URL('../packages/core/src/catalog/built-in', import.meta.url));
const TIMEOUT_MS = 30_000;
/** The query for a page with more models than any list has. */
const PAGE = { openai: '', 'openai-responses': '', anthropic: '?limit=1000', google: '?pageSize=1000' } as const;

interface Source {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The provider whose endpoints the list describes. */
  readonly provider: string;
}

class UsageError extends Error {}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      provider: { type: 'string' },
      'key-env': { type: 'string' },
      data: { type: 'string' },
      'dry-run': { type: 'boolean' },
    },
  });
  const source = toSource(values.from, values.provider, values['key-env']);
  const listed = readListedModels(await fetchJson(source));
  if (listed === undefined) throw new Error('The response is no list of models: it has neither "data" nor "models".');
  const date = new Date().toISOString().slice(0, 10);
  const compared = new Set<string>();
  for (const { path, data } of readDataFiles(values.data ?? DATA)) {
    const refresh = refreshEndpoints(data, listed, source.provider);
    for (const id of refresh.compared) compared.add(id);
    for (const change of refresh.changes) print(describeChange(change));
    for (const { model, kind, text } of refresh.notes) print(`${kind === 'unlisted' ? '?' : '!'} ${model}: ${text}`);
    if (refresh.compared.size === 0 || values['dry-run'] === true) continue;
    const url = source.url.replace(/\?.*/, '');
    const sources = [...data.sources.filter((known) => known.url !== url), { url, date }];
    saveDataFile(path, { ...data, sources, models: refresh.models });
  }
  const others = listed.map(({ id }) => id).filter((id) => !compared.has(id));
  print(`${compared.size} of ${listed.length} listed models are in the catalog at ${source.provider}.`);
  if (others.length > 0) print(`Not in it: ${others.join(', ')}`);
}

function toSource(from: string | undefined, provider: string | undefined, keyEnv: string | undefined): Source {
  if (from === undefined) throw new UsageError('Say from where: --from PRESET, or --from URL --provider PRESET.');
  if (/^https?:\/\//.test(from)) {
    if (provider === undefined || !Object.hasOwn(PRESETS, provider)) {
      throw new UsageError(
        `A list does not say whose prices it passes on: name the provider with --provider, one of ${Object.keys(PRESETS).join(', ')}.`,
      );
    }
    const url = from.replace(/\/+$/, '').replace(/(\/models)?$/, '/models');
    return { url, provider, headers: toHeaders('openai', keyEnv === undefined ? undefined : readKey(keyEnv)) };
  }
  const preset: Preset | undefined = Object.hasOwn(PRESETS, from) ? PRESETS[from] : undefined;
  if (preset?.baseUrl == null) throw new UsageError(`"${from}" is neither an address nor a preset with one.`);
  if (
    preset.wire === 'fal' ||
    preset.wire === 'replicate' ||
    preset.wire === 'elevenlabs' ||
    preset.wire === 'deepgram' ||
    preset.wire === 'bedrock'
  )
    throw new UsageError(`"${from}" has no list of models.`);
  const variable = keyEnv ?? preset.apiKeyEnv;
  const key = variable === null ? undefined : readKey(variable);
  const url = `${preset.baseUrl}/models${PAGE[preset.wire]}`;
  return { url, provider: from, headers: toHeaders(preset.wire, key) };
}

function readKey(variable: string): string {
  const key = process.env[variable]?.trim();
  if (key === undefined || key === '') throw new UsageError(`Set ${variable} to the key for this list.`);
  return key;
}

function toHeaders(wire: keyof typeof PAGE, key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  switch (wire) {
    case 'openai':
    case 'openai-responses':
      return { authorization: `Bearer ${key}` };
    case 'anthropic':
      return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    case 'google':
      return { 'x-goog-api-key': key };
  }
}

async function fetchJson({ url, headers }: Source): Promise<unknown> {
  // A redirect would send the key to another server.
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return response.json();
}

function describeChange({ model, field, from, to }: CatalogChange): string {
  return `${model}  ${field}\n- ${from === undefined ? 'not known' : JSON.stringify(from)}\n+ ${JSON.stringify(to)}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

run().catch((error: unknown) => {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
