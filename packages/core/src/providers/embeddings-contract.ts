import type { UpstreamCosts } from '../wire/chat-chunk.ts';
import type { EmbeddingsRequest } from '../wire/embeddings.ts';
import type { ProviderPreferences } from '../wire/routing.ts';

export interface EmbeddingsCall {
  /** The checked request. `model` and `provider` in it are not for the provider. */
  readonly request: EmbeddingsRequest;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  /** Present for providers that are gateways, for their choice among the providers behind them. */
  readonly preferences?: ProviderPreferences | undefined;
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
  readonly upstreamId?: string | undefined;
  /** USD as upstream itself charges; wins over catalog prices. */
  readonly upstreamCostUsd?: number | undefined;
  readonly upstreamCosts?: UpstreamCosts | undefined;
  /** Whether upstream has used a key of the account's own at the provider behind it; absent where it says nothing. */
  readonly isByok?: boolean | undefined;
  /** Display name of the provider behind an upstream that is a gateway. */
  readonly upstreamProvider?: string | undefined;
}
