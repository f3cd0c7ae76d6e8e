import { type CatalogChange, compareEndpoints } from '../catalog/compare-endpoints.ts';
import { isWildcard } from '../catalog/discovered-models.ts';
import { readPriceMap } from '../catalog/read-price-map.ts';
import { GatewayError, messageOf } from '../foundation/errors.ts';
import { parseJson } from '../foundation/parse.ts';
import type { Platform } from '../foundation/platform.ts';
import { readErrorText, readText, type Transport } from '../foundation/transport.ts';
import { readListedModels } from '../providers/kit/read-listed-models.ts';
import type { DiscoveredModel, Provider } from '../providers/provider.ts';
import type { CatalogComparisonBody, CompareCatalogRequest } from '../wire/catalog-comparison.ts';
import { refuseField } from '../wire/fields.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import type { LiveSetup } from './live-setup.ts';

export interface CompareParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly providers: readonly Provider[];
  /** The models in force, with what was set up. */
  readonly models: readonly ModelDefinition[];
  /** Ids of models of the configuration, which nothing stored changes. */
  readonly configured: ReadonlySet<string>;
  /** For addresses that operators name: reaches public ones only. Undefined: none can be named. */
  readonly transport: Transport | undefined;
}

/** What a gateway has in force. */
export interface GatewayInForce extends Pick<CompareParts, 'platform' | 'providers'> {
  readonly setup: { readonly models?: readonly ModelDefinition[] | undefined };
  readonly web: { readonly transport?: Transport | undefined };
  readonly liveSetup: LiveSetup | undefined;
}

export function toCompareParts({ platform, providers, setup, web, liveSetup }: GatewayInForce): CompareParts {
  const configured = liveSetup?.host.configured.models.map(({ id }) => id) ?? [];
  return {
    platform,
    providers,
    models: (setup.models ?? []).filter((model) => !isWildcard(model)),
    configured: new Set(configured),
    transport: web.transport,
  };
}

type List = CatalogComparisonBody['lists'][number];

const TIMEOUT_MS = 30_000;
/** Ten times the longest list there is. */
const MAX_LIST_BYTES = 20_000_000;
const SHOWN_CHARACTERS = 300;

/**
 * Compares the models in force with lists of models: of one provider, of an address, a document, or of every provider
 * that lists its models. Of those, one that does not respond is reported and the others are compared; a list that was
 * named rejects with `invalid_request` when it cannot be read.
 */
export async function compareCatalog(
  { provider: slug, url, api_key: apiKey, document }: CompareCatalogRequest,
  parts: CompareParts,
  signal: AbortSignal,
): Promise<CatalogComparisonBody> {
  const provider = slug === undefined ? undefined : findProvider(slug, parts.providers);
  const comparedAt = new Date(parts.platform.now()).toISOString();
  if (provider !== undefined && (url ?? document) !== undefined) {
    const body = url === undefined ? document : await fetchList(url, { apiKey, signal, transport: parts.transport });
    const listed = readListedModels(body) ?? readPriceMap(body, provider);
    if (listed === undefined) {
      const what = 'is no list of models: it has neither "data" nor "models", nor prices by model as LiteLLM has them';
      throw refuseField(url === undefined ? 'document' : 'url', what);
    }
    const from = url === undefined ? 'document' : withoutSecrets(url);
    return toBody(comparedAt, [compareList({ provider, listed, from }, parts)]);
  }
  if (provider !== undefined && provider.listModels === undefined) {
    throw refuseField('provider', `"${provider.slug}" has no list of models: name an address or give a document`);
  }
  const asked = provider === undefined ? parts.providers.filter(({ listModels }) => listModels) : [provider];
  return toBody(comparedAt, await Promise.all(asked.map((one) => compareOwnList(one, parts, signal))));
}

function findProvider(slug: string, providers: readonly Provider[]): Provider {
  const provider = providers.find((one) => one.slug === slug);
  if (provider !== undefined) return provider;
  const known = providers.map((one) => one.slug).join(', ') || 'none';
  throw refuseField('provider', `"${slug.slice(0, 100)}" is not the slug of a provider in force; those are: ${known}`);
}

interface Fetching {
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
  readonly transport: Transport | undefined;
}

async function fetchList(url: string, { apiKey, signal, transport }: Fetching): Promise<unknown> {
  if (transport === undefined)
    throw refuseField('url', 'cannot be read: this gateway has no access to other addresses');
  let text: string;
  try {
    // A redirect is not followed: it would send the key to another server.
    const { status, body } = await transport.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
      signal,
      headersTimeoutMs: TIMEOUT_MS,
      idleTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_LIST_BYTES,
    });
    if (status !== 200) {
      await readErrorText(body);
      throw refuseField('url', `answered with status ${status}`);
    }
    text = await readText(body, MAX_LIST_BYTES);
  } catch (error) {
    if (error instanceof GatewayError || signal.aborted) throw error;
    throw refuseField('url', `could not be read: ${hide(messageOf(error), apiKey)}`);
  }
  return parseJson(text);
}

const hide = (text: string, secret: string | undefined): string =>
  secret === undefined || secret === '' ? text : text.replaceAll(secret, '[redacted]');

/** The address without what may be a credential. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

interface ReadList {
  readonly provider: Provider;
  readonly listed: readonly DiscoveredModel[];
  readonly from: string | null;
}

interface ComparedList extends Pick<CatalogComparisonBody, 'changes' | 'notes'> {
  readonly list: List;
}

async function compareOwnList(provider: Provider, parts: CompareParts, signal: AbortSignal): Promise<ComparedList> {
  try {
    const listed = (await provider.listModels?.(signal)) ?? [];
    return compareList({ provider, listed, from: null }, parts);
  } catch (error) {
    if (signal.aborted) throw error;
    const problem = messageOf(error).slice(0, SHOWN_CHARACTERS);
    return { changes: [], notes: [], list: { provider: provider.slug, from: null, listed: 0, compared: 0, problem } };
  }
}

function compareList(
  { provider: { slug }, listed, from }: ReadList,
  { models, configured }: CompareParts,
): ComparedList {
  const { changes, notes, compared } = compareEndpoints(models, listed, slug);
  return {
    changes: changes.map((change) => toChange(change, configured)),
    notes: notes.map((note) => ({ ...note, provider: slug })),
    list: { provider: slug, from, listed: listed.length, compared: compared.size, problem: null },
  };
}

type FoundChange = CatalogComparisonBody['changes'][number];

function toChange(change: CatalogChange, configured: ReadonlySet<string>): FoundChange {
  const blocked = configured.has(change.model)
    ? 'The configuration has this model, and it is changed there alone'
    : null;
  const { tag = null, from, to } = change;
  return { ...change, tag, from: (from ?? null) as FoundChange['from'], to: to as FoundChange['to'], blocked };
}

const toBody = (comparedAt: string, lists: readonly ComparedList[]): CatalogComparisonBody => ({
  compared_at: comparedAt,
  changes: lists.flatMap(({ changes }) => changes),
  notes: lists.flatMap(({ notes }) => notes),
  lists: lists.map(({ list }) => list),
});
