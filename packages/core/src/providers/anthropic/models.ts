import { GatewayError } from '../../foundation/errors.ts';
import { isObject, type Unchecked, parseReturned } from '../../foundation/parse.ts';
import { readListedFacts } from '../kit/read-listed-models.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Differences between models of the Messages wire that affect requests. */
export interface ModelTraits {
  /** The parameter for reasoning: a budget of tokens, an effort (`adaptive`), either of them, or none. */
  readonly thinking: 'none' | 'budget' | 'either' | 'adaptive';
  /** The way to turn reasoning off: omit the parameter, disable it explicitly, or none. */
  readonly thinkingOff: 'by-default' | 'on-request' | 'never';
  /** Efforts that the model supports, lowest first; empty when it supports none. */
  readonly efforts: readonly string[];
  /** Whether sampling parameters may be sent: freely, temperature or top_p alone, or not. */
  readonly sampling: 'free' | 'one' | 'none';
  /** Whether completions can be bound to a JSON schema; `unsure` where the field is harmless at worst. */
  readonly outputFormat: 'known' | 'unsure' | 'unknown';
  /** The output limit that is sent when neither the caller nor the catalog names one; the wire demands one. */
  readonly defaultMaxTokens: number;
  /** Whether a conversation may end with the beginning of the completion. Not known of other vendors' servers. */
  readonly takesPrefill: boolean;
}

/**
 * Other vendors' servers for this wire follow its older form. They serve clients that send newer fields to every server,
 * so that they pass over what they do not know.
 */
const OTHER_MODEL: ModelTraits = {
  thinking: 'budget',
  thinkingOff: 'by-default',
  efforts: [],
  sampling: 'free',
  outputFormat: 'unsure',
  defaultMaxTokens: 8192,
  takesPrefill: false,
};

const EFFORTS_OF_4_6 = ['low', 'medium', 'high', 'max'];
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Derives the request parameters of a model from its name (Anthropic's model pages and migration guides, October 2026).
 * There is no other source: the model list does not contain them.
 */
export function readModelTraits(providerModel: string): ModelTraits {
  // Whatever their number, they behave like the newest.
  const isAlwaysThinking = /claude-(fable|mythos)/.test(providerModel);
  const isHaiku = /claude-(.*-)?haiku/.test(providerModel);
  const version = isAlwaysThinking ? 5.1 : readVersion(providerModel);
  if (version === undefined) return OTHER_MODEL;
  if (version < 4.6) {
    return {
      thinking: version < 3.7 ? 'none' : 'budget',
      thinkingOff: 'by-default',
      efforts: [],
      sampling: version < 4.1 ? 'free' : 'one',
      outputFormat: version >= 4.1 ? 'known' : 'unknown',
      defaultMaxTokens: version < 3.5 ? 4096 : version < 4 ? 8192 : 32_000,
      takesPrefill: true,
    };
  }
  return {
    thinking: version < 4.7 ? 'either' : 'adaptive',
    thinkingOff: version < 5 ? 'by-default' : version === 5 || isHaiku ? 'on-request' : 'never',
    efforts: version < 4.7 ? EFFORTS_OF_4_6 : EFFORTS,
    sampling: version < 4.7 ? 'one' : 'none',
    outputFormat: 'known',
    defaultMaxTokens: 32_000,
    takesPrefill: false,
  };
}

/** `claude-opus-4-5-20251101` and `claude-4.5-opus` are 4.5, `claude-sonnet-4-20250514` is 4. */
function readVersion(providerModel: string): number | undefined {
  const match = /claude-(?:[a-z]+-)*(\d{1,2})(?:[-.](\d))?(?!\d)/.exec(providerModel);
  return match === null ? undefined : Number(`${match[1]}.${match[2] ?? '0'}`);
}

/** Reads the response of `GET /models`. Throws `provider_unavailable` when it is no list. */
export function readAnthropicModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const body = parseReturned(text, providerName, 'a model list');
  const data = isObject(body) ? body['data'] : undefined;
  if (!Array.isArray(data)) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "data"`);
  }
  return data.flatMap((entry: unknown) => (isObject(entry) ? toDiscoveredModel(entry) : []));
}

function toDiscoveredModel(entry: Unchecked): DiscoveredModel[] {
  const { id, created_at } = entry;
  if (typeof id !== 'string') return [];
  // Models from before dates were recorded have the year 1970.
  const created = typeof created_at === 'string' ? Date.parse(created_at) / 1000 : 0;
  return [{ id, ...(created > 0 && { created: Math.floor(created) }), ...readListedFacts(entry) }];
}
