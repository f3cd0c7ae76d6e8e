import type { Principal } from '../http/request.ts';
import type { WorstCase } from '../limits/ledger.ts';
import type { BatchRequest, BatchResponse } from '../providers/batch-contract.ts';
import type { BatchApi } from '../providers/provider.ts';
import type { BatchEndpoint } from '../wire/batches.ts';

/** What became of the call of a line. */
export interface LineOutcome {
  readonly status: number;
  readonly body: unknown;
  /** Null where the call was refused before it was made. */
  readonly generationId: string | null;
  /** Set where the same call will be admitted after this time. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The endpoint whose provider is sent lines. */
export interface LinePlace {
  readonly modelId: string;
  readonly tag: string;
  readonly providerSlug: string;
  readonly providerModel: string;
}

/**
 * `own`: no batch API takes the line, so its call has to be made. `refused`: it was refused before that. `ready`: it can
 * be sent, and budgets hold its cost.
 */
export type PreparedLine =
  | { readonly type: 'own' }
  | { readonly type: 'refused'; readonly outcome: LineOutcome }
  | {
      readonly type: 'ready';
      readonly place: LinePlace;
      readonly request: BatchRequest;
      readonly hold: WorstCase | null;
    };

/** A line whose response has come from the batch API of a provider. */
export interface SentLine extends Pick<LinePlace, 'modelId' | 'tag'> {
  readonly generationId: string;
  /** The name of the provider's key that it was sent with; absent where the provider has one alone. */
  readonly providerKey?: string | undefined;
  readonly response: NonNullable<BatchResponse['response']>;
}

type LineBody = Readonly<Record<string, unknown>>;

/** What can be done with the lines of batches. */
export interface LineCalls {
  /** Makes the call of a line, as any client would. Never rejects for a call that fails. */
  make(endpoint: BatchEndpoint, body: LineBody, principal: Principal, generationId: string): Promise<LineOutcome>;
  /** Prepares a line for the batch API of the provider that would be asked first. */
  prepare(endpoint: BatchEndpoint, body: LineBody, principal: Principal, generationId: string): Promise<PreparedLine>;
  /** Guards, charges and records a call whose response has come; does so once, also when it is repeated. */
  complete(endpoint: BatchEndpoint, body: LineBody, principal: Principal, sent: SentLine): Promise<LineOutcome>;
  /** The batch API of a provider, with one of its keys; undefined where it has none, or not any more. */
  findApi(providerSlug: string, keyName?: string): BatchApi | undefined;
  /**
   * Sends to the batch API of a provider with one of its keys after the other, while it refuses the key. `send` is given
   * the API with that key, and the name of it; undefined where the provider has one alone. Those of a batch go to one key.
   */
  send<Result>(
    where: { readonly providerSlug: string; readonly batchId: string },
    send: (api: BatchApi, keyName: string | undefined) => Promise<Result>,
  ): Promise<Result>;
  /** Leaves what budgets hold for a line to the row of the store that holds the same. */
  handOver(generationId: string): void;
  /**
   * Ask before a line is completed: resolves once the budgets of every instance count its cost. Undefined where they do
   * so as it is recorded.
   */
  untilCounted(generationId: string): Promise<void> | undefined;
  /** Lets go of what budgets hold for a line that was not made. */
  release(generationId: string): void;
}
