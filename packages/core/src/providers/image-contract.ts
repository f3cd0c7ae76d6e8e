import type { UpstreamCosts, Usage } from '../wire/chat-chunk.ts';
import type { ImageFrame } from '../wire/image-frame.ts';
import type { ImageRequest } from '../wire/images.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import type { OnSent } from '../wire/stored-request.ts';

/** The images that are wanted, in words of no provider. */
export interface ImageOrder extends Readonly<
  Pick<ImageRequest, 'prompt' | 'quality' | 'background' | 'output_format' | 'output_compression' | 'seed'>
> {
  /** The most images to make. */
  readonly count: number;
  readonly frame: ImageFrame;
  /** Pictures to go by: addresses, or `data:`. */
  readonly references: readonly string[];
  /** A picture whose transparent parts are those of the first reference that may change. */
  readonly mask: string | undefined;
  /** Previews of each image; 0 for none. */
  readonly previews: number;
  /** The provider's own parameters. They never replace what the order says itself. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A piece of an image that is still being made. */
export type ImagePart =
  | { readonly type: 'preview'; readonly index: number; readonly base64: string }
  | { readonly type: 'text'; readonly phase: 'content' | 'reasoning' | 'draft'; readonly text: string };

export interface ImageCall {
  /** Unique to the call. */
  readonly generationId: string;
  readonly order: ImageOrder;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  /** For the choice of a provider that is a gateway; undefined for any other, and for none. */
  readonly preferences: ProviderPreferences | undefined;
  /** Receives parts as they come; absent where the images are wanted whole. A provider without parts never calls it. */
  readonly onPart?: ((part: ImagePart) => void) | undefined;
  /** Receives what is sent upstream, as it is, to be stored; absent where it is not. */
  readonly onSent?: OnSent | undefined;
  /** Aborting closes the upstream connection at once. */
  readonly signal: AbortSignal;
  /** Limit on the whole call. */
  readonly timeoutMs: number;
  /** Resolves after a time, for providers that are asked again until the images are made. Does not heed the signal. */
  readonly pause: (forMs: number) => Promise<void>;
}

export interface MadeImage {
  readonly base64: string;
  /** Undefined where upstream does not say it; then it is read from the bytes. */
  readonly mediaType?: string | undefined;
}

export interface ImageResult {
  /** At least one, at most as many as were ordered. */
  readonly images: readonly MadeImage[];
  /** Undefined where upstream counts no tokens. */
  readonly usage?: Usage | undefined;
  readonly upstreamId?: string | undefined;
  /** USD as upstream itself charges; wins over catalog prices. */
  readonly upstreamCostUsd?: number | undefined;
  readonly upstreamCosts?: UpstreamCosts | undefined;
  /** Display name of the provider behind an upstream that is a gateway. */
  readonly upstreamProvider?: string | undefined;
}
