import type { UpstreamCosts } from '../wire/chat-chunk.ts';
import type { RerankRequest } from '../wire/rerank.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import type { OnSent } from '../wire/stored-request.ts';

export interface RerankCall {
  /** The checked request. `model` and `provider` in it are not for the provider. */
  readonly request: RerankRequest;
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

/** A document's relevance. */
export interface RankedDocument {
  /** Place of the document in the request, from 0. */
  readonly index: number;
  readonly score: number;
}

export interface RerankResult {
  /** In any order, each document at most once. */
  readonly ranked: readonly RankedDocument[];
  /** Absent where upstream reports no count. */
  readonly promptTokens?: number | undefined;
  /** What some providers charge by: searches of so many documents. Absent where upstream reports none. */
  readonly searchUnits?: number | undefined;
  readonly upstreamId?: string | undefined;
  /** USD as upstream itself charges; wins over catalog prices. */
  readonly upstreamCostUsd?: number | undefined;
  readonly upstreamCosts?: UpstreamCosts | undefined;
  /** Whether upstream has used a key of the account's own at the provider behind it; absent if it does not report it. */
  readonly isByok?: boolean | undefined;
  /** Display name of the provider behind an upstream that is a gateway. */
  readonly upstreamProvider?: string | undefined;
}
