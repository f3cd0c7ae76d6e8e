import { type DataPolicy, GatewayError, type Provider, type Transport, UNKNOWN_DATA_POLICY } from '@model-gateway/core';

import { createSdkFetch, type SdkFetch } from './call-sdk.ts';
import { createChat, type SdkParts } from './chat.ts';
import type { PackageSource, SdkProvider } from './load-package.ts';
import { createMedia } from './media.ts';
import { hasModels, type OpenProvider, type SdkModelKind } from './sdk-models.ts';

interface SharedOptions {
  readonly slug: string;
  /** Display name. Default: the slug. */
  readonly name?: string | undefined;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
  /** For addresses that callers and upstreams name. Must refuse internal addresses. Without it, packages fetch them. */
  readonly downloads?: Transport | undefined;
}

/** A provider that the code around the gateway has made. It sends its requests by itself, in its own `fetch`. */
interface MadeOptions extends SharedOptions {
  /** `createCohere({ apiKey })`, or what a community package makes in this form. */
  readonly provider: SdkProvider;
}

/** A provider that is made of an installed package at its first call. */
export interface PackageOptions extends SharedOptions, PackageSource {
  /** Sends what the package sends. Default: the runtime's `fetch`. */
  readonly transport?: Transport | undefined;
}

export type AiSdkProviderOptions = MadeOptions | PackageOptions;

/** The member that serves each kind of model. */
const MEMBER_OF = {
  embedding: 'embeddings',
  image: 'image',
  speech: 'speech',
  transcription: 'transcription',
  reranking: 'rerank',
} as const satisfies Readonly<Record<Exclude<SdkModelKind, 'language'>, keyof Provider>>;

/**
 * Creates a provider over a package of the AI SDK (docs/providers/ai-sdk.md). A provider that is handed in has the kinds
 * of calls that it has models for. One of a package that is not loaded yet has all, and calls fail with `not_found`
 * where the package turns out to have none.
 */
export function createAiSdkProvider(options: AiSdkProviderOptions): Provider {
  const { slug, name = slug, dataPolicy = UNKNOWN_DATA_POLICY, region, byok, downloads } = options;
  const made = 'provider' in options ? options.provider : undefined;
  const sending =
    'package' in options && options.transport !== undefined
      ? createSdkFetch({ transport: options.transport, downloads })
      : undefined;
  const open: OpenProvider =
    'provider' in options ? () => Promise.resolve(options.provider) : openOnce(options, sending);
  const secrets = 'package' in options ? secretsIn(options.options ?? {}) : [];
  const parts: SdkParts = { name, secrets, open, sending, downloads };
  const has = (kind: SdkModelKind): boolean => made === undefined || hasModels(made, kind);
  const media = Object.entries(createMedia(parts)).filter(([member]) =>
    Object.entries(MEMBER_OF).some(([kind, served]) => served === member && has(kind as SdkModelKind)),
  );
  return {
    slug,
    name,
    dataPolicy,
    region,
    byok,
    ...(has('language') && { chat: createChat(parts) }),
    ...(Object.fromEntries(media) as Partial<Provider>),
  };
}

/** Loads the package at the first call. One that could not be loaded is looked for again at the next. */
function openOnce(options: PackageOptions, sending: SdkFetch | undefined): OpenProvider {
  let opening: Promise<SdkProvider> | undefined;
  const load = async (): Promise<SdkProvider> => {
    const { loadPackage, PackageError } = await import('./load-package.ts');
    try {
      return await loadPackage(options, sending?.fetch);
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      const text = `${options.name ?? options.slug} cannot be called: ${error.message}`;
      throw new GatewayError('provider_unavailable', text, { cause: error });
    }
  };
  return () =>
    (opening ??= load().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
}

const SECRET_NAME = /key|token|secret|password|credential|authorization/i;
/** A shorter text is no secret, and blanking it out would garble every text. */
const MIN_SECRET_LENGTH = 4;

/** The texts of options that must not be shown; headers of any name may be one. */
export function secretsIn(options: Readonly<Record<string, unknown>>, isSecret = false): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const hides = isSecret || SECRET_NAME.test(name) || name === 'headers';
    if (typeof value === 'string') return hides && value.length >= MIN_SECRET_LENGTH ? [value] : [];
    return typeof value === 'object' && value !== null
      ? secretsIn(value as Readonly<Record<string, unknown>>, hides)
      : [];
  });
}
