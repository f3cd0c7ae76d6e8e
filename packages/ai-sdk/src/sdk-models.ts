import type {
  EmbeddingModelV4,
  ImageModelV4,
  LanguageModelV4,
  RerankingModelV4,
  SpeechModelV4,
  TranscriptionModelV4,
} from '@ai-sdk/provider';
import { GatewayError } from '@model-gateway/core';

import type { SdkProvider } from './load-package.ts';

/** The models of the specification, in the form of its current version. What differs before is read where it is used. */
interface SdkModels {
  readonly language: LanguageModelV4;
  readonly embedding: EmbeddingModelV4;
  readonly image: ImageModelV4;
  readonly speech: SpeechModelV4;
  readonly transcription: TranscriptionModelV4;
  readonly reranking: RerankingModelV4;
}
export type SdkModelKind = keyof SdkModels;

/** Opens the provider, which may have to be loaded first. */
export type OpenProvider = () => Promise<SdkProvider>;

/** The members that make each kind of model: that of the specification, then the names that some packages have alone. */
const MEMBERS = {
  language: ['languageModel'],
  embedding: ['embeddingModel', 'textEmbeddingModel'],
  image: ['imageModel'],
  speech: ['speechModel', 'speech'],
  transcription: ['transcriptionModel', 'transcription'],
  reranking: ['rerankingModel', 'reranking'],
} as const satisfies Readonly<Record<SdkModelKind, readonly (keyof SdkProvider)[]>>;

const NAMES: Readonly<Record<SdkModelKind, string>> = {
  language: 'chats',
  embedding: 'embeddings',
  image: 'images',
  speech: 'speech',
  transcription: 'transcriptions',
  reranking: 'reranking',
};

/** Whether a provider has models of a kind. A member that the specification demands may throw all the same. */
export const hasModels = (provider: SdkProvider, kind: SdkModelKind): boolean =>
  MEMBERS[kind].some((member) => typeof provider[member] === 'function');

const VERSIONS: ReadonlySet<unknown> = new Set(['v2', 'v3', 'v4']);

/** Makes a model. Throws `not_found` where the provider has none of the kind, or one of a version that is not read. */
export function toModel<Kind extends SdkModelKind>(
  provider: SdkProvider,
  kind: Kind,
  { id, name }: { readonly id: string; readonly name: string },
): SdkModels[Kind] {
  const member = MEMBERS[kind].find((one) => typeof provider[one] === 'function');
  const model = member === undefined ? undefined : provider[member]?.(id);
  if (typeof model !== 'object' || model === null) {
    throw new GatewayError('not_found', `${name} has no models for ${NAMES[kind]}`);
  }
  const { specificationVersion: version } = model as { readonly specificationVersion?: unknown };
  if (!VERSIONS.has(version)) {
    throw new GatewayError(
      'not_found',
      `${name} is a package of version ${String(version)} of the AI SDK's specification; v2, v3 and v4 are supported`,
    );
  }
  return model as SdkModels[Kind];
}

/** Whether a model is of the current version, whose files, results of tools and reasoning have a form of their own. */
export const isCurrent = ({ specificationVersion }: { readonly specificationVersion: string }): boolean =>
  specificationVersion === 'v4';

/** The names under which a model may look for options of its provider: `amazon-bedrock` reads `amazonBedrock`, too. */
export function optionsFor(
  { provider }: { readonly provider: string },
  options: Readonly<Record<string, unknown>>,
): { providerOptions: Record<string, never> } | object {
  if (Object.keys(options).length === 0) return {};
  const name = provider.split('.')[0] ?? provider;
  const camel = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { providerOptions: { [name]: options, [camel]: options } };
}
