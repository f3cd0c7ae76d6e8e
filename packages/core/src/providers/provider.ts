import type { ChatChunk } from '../wire/chat/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import type { EmbeddingsCall, EmbeddingsResult } from './embeddings-contract.ts';
import type { VideoProvider } from './video-contract.ts';

/** What a provider does with the data it is sent; `null` where it is not known, which no privacy filter accepts. */
export interface DataPolicy {
  /** May train on prompts or answers. */
  readonly training: boolean | null;
  /** Keeps prompts or answers after the call. */
  readonly retainsPrompts: boolean | null;
}

export const UNKNOWN_DATA_POLICY: DataPolicy = { training: null, retainsPrompts: null };

/** Limits of one upstream call in milliseconds. */
export interface CallTimeouts {
  /** To the answer's headers, when streaming. */
  readonly headersMs: number;
  /** To the whole answer, when not streaming. */
  readonly nonStreamMs: number;
  /** Between two pieces of a streamed answer. */
  readonly idleMs: number;
  /** The whole of a streamed call. */
  readonly totalMs: number;
}

export interface ChatCall {
  /** Unique to the call; what a provider must make up (ids of tool calls) is made from it. */
  readonly generationId: string;
  /** The checked request. `model`, `stream` and routing fields in it are not for the provider: the ones below are. */
  readonly request: ChatCompletionRequest;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  readonly stream: boolean;
  /** What the endpoint accepts; null when not known, in which case nothing is dropped for it. */
  readonly supportedParameters: ReadonlySet<string> | null;
  /** The endpoint's limit of output tokens, for wires that demand one; null or absent when not known. */
  readonly maxOutputTokens?: number | null | undefined;
  /**
   * The caller named a family and got its newest model: where that cannot do without reasoning, a wish for none becomes
   * the least there is, and is not refused (wire.md 6.6).
   */
  readonly isOfFamily?: boolean | undefined;
  /** Told what is sent upstream, fit to be shown; absent where nobody wants to know. */
  readonly onUpstreamBody?: ((body: unknown) => void) | undefined;
  /** Aborting closes the upstream connection at once. */
  readonly signal: AbortSignal;
  readonly timeouts: CallTimeouts;
}

/** A model as a provider's own list names it. */
export interface DiscoveredModel {
  readonly id: string;
  /** Unix seconds. */
  readonly created?: number | undefined;
  readonly contextLength?: number | undefined;
}

/**
 * A company or server that answers calls in its own wire format. Holds no memory and no loop: one call in, one answer
 * out. An operation that is absent is not supported, and routing knows it by that.
 */
export interface Provider {
  /** Names it in preferences and configuration: `google-ai-studio`. */
  readonly slug: string;
  /** For people: `Google AI Studio`. */
  readonly name: string;
  readonly dataPolicy: DataPolicy;
  /** Where it runs, in the words of `regions`; undefined when not said. */
  readonly region?: string | undefined;
  /** The caller pays this provider directly. */
  readonly byok?: boolean | undefined;
  /** Ask `listModels` at start and serve what it names. */
  readonly discoverModels?: boolean | undefined;
  listModels?(signal: AbortSignal): Promise<readonly DiscoveredModel[]>;
  /**
   * Yields the answer's chunks, in batches: all that one piece of upstream's bytes completed. Without `stream` there
   * is one batch of one chunk that holds the whole answer. Ends normally only after upstream's answer was complete;
   * whatever else happens is thrown as `GatewayError` (upstream said no, or broke) or `TransportError`.
   *
   * Deltas are in order and well formed: tool calls with a unique rising index, id and name once.
   */
  chat?(call: ChatCall): AsyncIterable<readonly ChatChunk[]>;
  /**
   * The same without `stream`, for less: the one chunk, or why there is none. Where it is absent, `chat` is asked. It
   * has to reject as soon as the call's signal fires: nobody stands between it and the caller.
   */
  chatWhole?(call: ChatCall): Promise<ChatChunk>;
  /** Makes vectors of texts. Throws as `chat` does. */
  embeddings?(call: EmbeddingsCall): Promise<EmbeddingsResult>;
  /** Starts, looks at and fetches videos. */
  readonly video?: VideoProvider | undefined;
}
