import type { ProviderPreferences } from '../wire/chat/provider-preferences.ts';
import type { EmbeddingsRequest } from '../wire/embeddings/embeddings.ts';

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
}
