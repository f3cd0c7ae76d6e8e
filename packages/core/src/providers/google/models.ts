import { GatewayError } from '../../foundation/errors.ts';
import { isObject, objectsOf, parseJson } from '../../foundation/parse.ts';
import { readListedFacts } from '../kit/read-listed-models.ts';
import { toModelSegments } from '../kit/to-upstream.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Levels of thinking, least first. */
export type ThinkingLevel = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';

/** The parameter by which a model receives the amount of thinking. */
export type GeminiThinking =
  | { readonly kind: 'none' }
  | { readonly kind: 'budget'; readonly min: number; readonly max: number; readonly canBeOff: boolean }
  | { readonly kind: 'level'; readonly levels: readonly ThinkingLevel[] };

/** Differences between models of this wire that affect requests. */
export interface GeminiTraits {
  readonly thinking: GeminiThinking;
  /** Refuses a call in its history that has no thought signature. */
  readonly needsSignatures: boolean;
  /** Reads images and files inside a function's result; others read them beside it. */
  readonly hasMediaInResults: boolean;
}

const LEVELS: readonly ThinkingLevel[] = ['LOW', 'MEDIUM', 'HIGH'];
const NOT_THINKING: GeminiTraits = {
  thinking: { kind: 'none' },
  needsSignatures: false,
  hasMediaInResults: false,
};

/**
 * From the name (Google's guides to thinking and to thought signatures, November 2026): the model list lacks these
 * facts. An unknown model does not think, unless the catalog lists `reasoning` among its parameters.
 */
export function readGeminiTraits(providerModel: string, supportedParameters: ReadonlySet<string> | null): GeminiTraits {
  const traits = readName(providerModel.toLowerCase());
  if (supportedParameters === null || traits.thinking.kind !== 'none') return traits;
  return supportedParameters.has('reasoning') ? { ...traits, thinking: { kind: 'level', levels: LEVELS } } : traits;
}

function readName(name: string): GeminiTraits {
  const match = /gemini-(?:(\d+)(?:\.(\d+))?-)?(.*)$/.exec(name);
  if (match === null) return NOT_THINKING;
  const [, major, minor = '0', rest = ''] = match;
  // An alias without a version names the newest model of its family.
  const isAlias = major === undefined && /^(pro|flash|flash-lite)-latest/.test(rest);
  const version = isAlias ? Number.POSITIVE_INFINITY : Number(`${major ?? 0}.${minor}`);
  const family = /^(pro|flash-lite|flash)\b/.exec(rest)?.[1] ?? '';
  const isMedia = /image|tts|audio|live/.test(rest);
  if (version < 3) {
    const thinking = version < 2.5 || isMedia ? undefined : BUDGETS[family];
    return thinking === undefined ? NOT_THINKING : { ...NOT_THINKING, thinking };
  }
  return {
    thinking: isMedia ? { kind: 'none' } : { kind: 'level', levels: levelsOf(family, version) },
    needsSignatures: true,
    hasMediaInResults: true,
  };
}

/** Budgets of the 2.5 models. */
const BUDGETS: Readonly<Record<string, GeminiThinking>> = {
  pro: { kind: 'budget', min: 128, max: 32_768, canBeOff: false },
  flash: { kind: 'budget', min: 1, max: 24_576, canBeOff: true },
  'flash-lite': { kind: 'budget', min: 512, max: 24_576, canBeOff: true },
};

function levelsOf(family: string, version: number): readonly ThinkingLevel[] {
  if (family === 'pro' && version < 3.1) return ['LOW', 'HIGH'];
  return family.startsWith('flash') && version < 3.7 ? ['MINIMAL', ...LEVELS] : LEVELS;
}

/** What a model is for, by the method that serves it. Of others, no call here makes use. */
const OUTPUT_OF_METHOD: Readonly<Record<string, string>> = {
  embedContent: 'embeddings',
  predict: 'image',
  predictLongRunning: 'video',
};

/** Lists the models that chat or make vectors, images or videos. Throws `provider_unavailable` when the body is no list. */
export function readGoogleModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const body = parseJson(text);
  if (!isObject(body) || !Array.isArray(body['models'])) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "models"`);
  }
  return objectsOf(body['models']).flatMap((model) => {
    const { name, supportedGenerationMethods: methods } = model;
    if (typeof name !== 'string') return [];
    const found = { id: name.replace(/^models\//, ''), ...readListedFacts(model) };
    if (!Array.isArray(methods) || methods.includes('generateContent')) return [found];
    const [output] = methods.flatMap((method) => OUTPUT_OF_METHOD[String(method)] ?? []);
    return output === undefined ? [] : [{ ...found, outputModalities: [output] }];
  });
}

/**
 * `gemini-x` is a model; a name with a slash contains its own kind (`tunedModels/x`). Throws `invalid_request` for a name
 * that cannot stand in an address.
 */
export function toModelPath(providerModel: string): string {
  return toModelSegments(providerModel.includes('/') ? providerModel : `models/${providerModel}`);
}
