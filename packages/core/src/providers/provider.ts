import type { CacheTtl } from '../wire/cache-report.ts';
import type { ChatChunk, UpstreamCosts } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { EmbeddingsRequest } from '../wire/embeddings.ts';
import type { EndpointPricing, PrefillForm } from '../wire/model-definition.ts';
import type { NativeRequest } from '../wire/native-request.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import type { OnSent } from '../wire/stored-request.ts';
import type { SpeechFormat } from '../wire/values.ts';
import type { SpeechCall, SpeechResult, TranscriptionCall, TranscriptionResult } from './audio-contract.ts';
import type { BatchContract } from './batch-contract.ts';
import type { ImageCall, ImageResult } from './image-contract.ts';
import type { ModerationCall, ModerationOutcome } from './moderation-contract.ts';
import type { OcrCall, OcrResult } from './ocr-contract.ts';
import type { RerankCall, RerankResult } from './rerank-contract.ts';
import type { VideoProvider } from './video-contract.ts';

/** A provider's use of the data it receives; `null` where it is not known, which no privacy filter accepts. */
export interface DataPolicy {
  /** Whether the provider may train on prompts or completions. */
  readonly training: boolean | null;
  /** Whether the provider stores prompts or completions after the call. */
  readonly retainsPrompts: boolean | null;
}

export const UNKNOWN_DATA_POLICY: DataPolicy = { training: null, retainsPrompts: null };

/** Limits of one upstream call in milliseconds. */
export interface CallTimeouts {
  /** Limit to the headers of the response, when streaming. */
  readonly headersMs: number;
  /** Limit to the whole response, when not streaming. */
  readonly nonStreamMs: number;
  /** Limit between two pieces of a streamed response. */
  readonly idleMs: number;
  /** The whole of a streamed call. */
  readonly totalMs: number;
}

type Plugins = NonNullable<ChatCompletionRequest['plugins']>;

/** What a provider that is a gateway does beyond a call to the model. */
interface GatewayAbilities {
  /** Plugins that it can run where this gateway cannot. */
  readonly plugins: ReadonlySet<string>;
}

/** The part of a call that only a provider that is a gateway itself can do. */
export interface OnwardCall {
  /** For its choice among the providers behind it; undefined for none. */
  readonly preferences: ProviderPreferences | undefined;
  readonly plugins: Plugins;
}

export interface ChatCall {
  /** Unique to the call; what a provider must make up (ids of tool calls) is made from it. */
  readonly generationId: string;
  /** The checked request. `model`, `stream` and routing fields in it are not for the provider: the ones below are. */
  readonly request: ChatCompletionRequest;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  readonly stream: boolean;
  /** The parameters that the endpoint accepts; null when not known, in which case none is dropped. */
  readonly supportedParameters: ReadonlySet<string> | null;
  /** The endpoint's limit of output tokens, for wires that demand one; null or absent when not known. */
  readonly maxOutputTokens?: number | null | undefined;
  /**
   * The caller named a family and got its newest model: where that cannot do without reasoning, a wish for none becomes
   * the least there is, and is not refused (wire.md 6.6).
   */
  readonly isOfFamily?: boolean | undefined;
  /**
   * `tool_choice` is `none` by the gateway's own wish, which ignores calls of its tools now: a wire that cannot say it
   * leaves it out, where a caller's own is refused.
   */
  readonly ignoresCalls?: boolean | undefined;
  /**
   * The request as it came in, which a wire of the same form sends in its place (docs/decisions/0038). Absent where the
   * request has been changed since.
   */
  readonly native?: NativeRequest | undefined;
  /** Chunks are to hold what they were read from; only where nothing looks at the completion on its way. */
  readonly keepsNative?: boolean | undefined;
  /** The last message is the beginning of the completion, which is to be continued in this way. */
  readonly prefill?: PrefillForm | undefined;
  /** W3C Trace Context, sent as a header; absent where the caller has sent none. */
  readonly traceparent?: string | undefined;
  /** Present for providers that are gateways. */
  readonly onward?: OnwardCall | undefined;
  /** Receives the body that is sent upstream, in a form that may be shown; absent unless the caller requested it. */
  readonly onUpstreamBody?: ((body: unknown) => void) | undefined;
  /** Receives what is sent upstream, as it is, to be stored; absent where it is not. */
  readonly onSent?: OnSent | undefined;
  /** Aborting closes the upstream connection at once. It fires, too, when a time limit of the gateway runs out. */
  readonly signal: AbortSignal;
  readonly timeouts: CallTimeouts;
  /**
   * Call it where upstream shows that it is alive without a chunk (a comment, a ping): the limit between two chunks
   * restarts.
   */
  readonly onSignOfLife?: (() => void) | undefined;
}

/** A provider's own API for batches of chats. */
export type BatchApi = BatchContract<ChatCall>;

/** A model as a provider's own list names it. */
export interface DiscoveredModel {
  readonly id: string;
  /** Unix seconds. */
  readonly created?: number | undefined;
  readonly contextLength?: number | undefined;
  readonly maxCompletionTokens?: number | undefined;
  /** What it reads and writes, as in `architecture`; absent where the list does not say. */
  readonly inputModalities?: readonly string[] | undefined;
  readonly outputModalities?: readonly string[] | undefined;
  /** The parameters that it takes, in our words; absent where the list does not state all of them. */
  readonly supportedParameters?: readonly string[] | undefined;
  /** Whether it calls tools; absent where the list does not say. */
  readonly callsTools?: boolean | undefined;
  /** Whether it reads images; absent where the list does not say. */
  readonly readsImages?: boolean | undefined;
  /** Whether it reasons; absent where the list does not say. */
  readonly reasons?: boolean | undefined;
  /** Whether its responses keep to a JSON schema; absent where the list does not say. */
  readonly keepsSchemas?: boolean | undefined;
  /** What the list says of prices, which is compared and shown: nothing is charged by it. */
  readonly listedPrices?: ListedPrices | undefined;
}

/** Prices of a provider's list: in a form that is accepted, or as the text that is not. */
export type ListedPrices = { readonly pricing: EndpointPricing } | { readonly doubtful: string };

/**
 * A company or server that serves calls in its own wire format. It has no state and no loop: one call in, one response
 * out. An absent operation is not supported, and routing reads its absence. The gateway keeps the time limits of every
 * call, also where a provider ignores its signal (keep-limits.ts).
 */
export interface Provider {
  /** Names it in preferences and configuration: `google-ai-studio`. */
  readonly slug: string;
  /** Display name: `Google AI Studio`. */
  readonly name: string;
  /** The preset that it was made from, whose names stand for it too in lists of providers; null or absent without one. */
  readonly preset?: string | null | undefined;
  readonly dataPolicy: DataPolicy;
  /** Its region, as in `regions`; undefined when not configured. */
  readonly region?: string | undefined;
  /** The caller pays this provider directly. */
  readonly byok?: boolean | undefined;
  /** Present where the provider is a gateway with this same API, which chooses among providers of its own. */
  readonly gateway?: GatewayAbilities | undefined;
  /** Whether the provider's name of a model is a part of the address of a call, so that not every name is fit. */
  readonly putsModelInPath?: boolean | undefined;
  /**
   * The keys that calls are shared among, of which this provider is made with the first that is not off; absent where it has one alone.
   * Lists go by the first; jobs and batches by the key that made them, because only its account knows them.
   */
  readonly keys?: readonly ProviderKey[] | undefined;
  /** Call `listModels` at start and serve the models it returns. */
  readonly discoverModels?: boolean | undefined;
  /** How a model is asked to continue a completion; null where it cannot. Absent: not known. */
  prefillOf?(providerModel: string): PrefillForm | null;
  /** How long marks may keep a prompt in the cache of a model; empty where it takes none. Absent: not known. */
  cacheTtlsOf?(providerModel: string): readonly CacheTtl[];
  listModels?(signal: AbortSignal): Promise<readonly DiscoveredModel[]>;
  /**
   * Yields the completion's chunks in batches: all that one piece of upstream's bytes completed (docs/decisions/0001).
   * Without `stream`: one batch of one chunk. Ends normally only after a complete completion; every other end throws a
   * `GatewayError` (upstream refused, or broke off) or a `TransportError`. Deltas are in order: tool calls have unique,
   * rising indices, and id and name once.
   */
  chat?(call: ChatCall): AsyncIterable<readonly ChatChunk[]>;
  /** The number of tokens of a call's prompt; undefined when upstream names none. Throws as `chat` does. */
  countTokens?(call: ChatCall): Promise<number | undefined>;
  /** Makes vectors of texts. Throws as `chat` does. */
  embeddings?(call: EmbeddingsCall): Promise<EmbeddingsResult>;
  /** Scores documents by their relevance to a query. Throws as `chat` does. */
  rerank?(call: RerankCall): Promise<RerankResult>;
  /** Speaks a text. Resolves when the speech begins; throws as `chat` does, before it and in its body. */
  speech?(call: SpeechCall): Promise<SpeechResult>;
  /** Writes down what is said in audio. Throws as `chat` does. */
  transcription?(call: TranscriptionCall): Promise<TranscriptionResult>;
  /** The formats in which a model speaks. Absent: not known, so all are asked for. */
  speechFormatsOf?(providerModel: string): readonly SpeechFormat[];
  /** Makes images. Throws as `chat` does; also where there is none. */
  image?(call: ImageCall): Promise<ImageResult>;
  moderation?(call: ModerationCall): Promise<ModerationOutcome>;
  /** Makes many calls within a day, at a lower price; absent where it cannot, or is not to. */
  readonly batches?: BatchApi | undefined;
  /** Reads the pages of a document, scanned ones as well. Throws as `chat` does. */
  ocr?(call: OcrCall): Promise<OcrResult>;
  /** Starts, polls and fetches videos (docs/decisions/0014). */
  readonly video?: VideoProvider | undefined;
}

/** Limits of one key; absent means none. */
export interface ProviderKeyLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Calls under way at once, of this process. */
  readonly callsUnderWay?: number | undefined;
}

/** One of several keys of a provider. */
export interface ProviderKey {
  /** Names it for people; unique among the keys of its provider. */
  readonly name: string;
  /** The beginning of its SHA-256, by which processes and operators know it. Never the key. */
  readonly fingerprint: string;
  /** Its share of the calls, relative to the other keys. Above 0. */
  readonly weight: number;
  readonly limits: ProviderKeyLimits;
  /** The operator has disabled it: no new calls are sent with it. Default: false. */
  readonly isOff?: boolean | undefined;
  /** The provider as it is called with this key. */
  readonly provider: Provider;
}

/**
 * A provider of this package's own wires, which may have a shorter way for unstreamed completions (docs/decisions/0012).
 * It is no part of the public contract.
 */
export interface WholeProvider extends Provider {
  /** Where it is absent, `chat` is called. Rejects as soon as the call's signal fires. */
  chatWhole?(call: ChatCall): Promise<ChatChunk>;
}

export interface EmbeddingsCall {
  /** The checked request. `model` and `provider` in it are not for the provider. */
  readonly request: EmbeddingsRequest;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  /** Present for providers that are gateways, for their choice among the providers behind them. */
  readonly preferences?: ProviderPreferences | undefined;
  /** As in `ChatCall`. */
  readonly onSent?: OnSent | undefined;
  /** Aborting closes the upstream connection at once. */
  readonly signal: AbortSignal;
  /** Limit on the whole call. */
  readonly timeoutMs: number;
}

export interface EmbeddingsResult {
  /** In the order of the input: numbers, or little-endian 32-bit floats in base64. */
  readonly vectors: readonly (readonly number[] | string)[];
  /** Absent where upstream reports no count. */
  readonly promptTokens?: number | undefined;
  /** What the tokens were of, where upstream tells them apart: `image_tokens`, … */
  readonly tokensByModality?: Readonly<Record<string, number>> | undefined;
  readonly upstreamId?: string | undefined;
  /** USD as upstream itself charges; wins over catalog prices. */
  readonly upstreamCostUsd?: number | undefined;
  readonly upstreamCosts?: UpstreamCosts | undefined;
  /** Whether upstream has used a key of the account's own at the provider behind it; absent if it does not report it. */
  readonly isByok?: boolean | undefined;
  /** Display name of the provider behind an upstream that is a gateway. */
  readonly upstreamProvider?: string | undefined;
}
