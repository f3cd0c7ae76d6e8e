import type { ChatChunk } from '../wire/chat-chunk.ts';

/** A call as a provider's batch API takes it. */
export interface BatchRequest {
  /** What all requests of one batch have in common there: an address, a model. */
  readonly group: string;
  /** Its body, as JSON. */
  readonly body: string;
}

/** A batch that is to be sent. */
export interface BatchSubmission {
  /** Names the batch there, so that it is found again. */
  readonly marker: string;
  readonly group: string;
  readonly providerModel: string;
  /** Ids are letters, digits and dashes, 64 characters at most. */
  readonly requests: readonly { readonly id: string; readonly body: string }[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A question about a batch that has been sent. */
export interface BatchCall {
  readonly upstreamId: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** The same about one whose id is not known. */
export interface BatchSearch extends Omit<BatchCall, 'upstreamId'> {
  readonly marker: string;
}

/** `ended`: whatever there are of results can be read. `failed`: none of its requests has been made. */
export type BatchState = 'running' | 'ended' | 'failed';

/** The response to one request; null for one that was not made, because the batch was cancelled or has expired. */
export interface BatchResponse {
  readonly id: string;
  readonly response: { readonly status: number; readonly body: string } | null;
}

/** A provider's own API for batches of one kind of call, which makes them within a day at a lower price. */
export interface BatchContract<Call> {
  /** What a call costs there, as a share of its price. */
  readonly priceShare: number;
  /** The most that one batch may have. */
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Converts a call. Throws `invalid_request` that names what this wire cannot express. */
  toRequest(call: Call): Promise<BatchRequest>;
  /** Reads the response to the request of a call. Throws as `Provider.chat` does. */
  readResponse(call: Call, response: NonNullable<BatchResponse['response']>): Promise<ChatChunk>;
  /** Resolves with upstream's id. Throws as `Provider.chat` does. */
  submit(submission: BatchSubmission): Promise<string>;
  /** Finds one of which it is not known whether it was received. Absent where upstream cannot be asked that. */
  find?(search: BatchSearch): Promise<string | undefined>;
  poll(call: BatchCall): Promise<BatchState>;
  /** The responses of one that has ended, in any order. */
  read(call: BatchCall): AsyncIterable<BatchResponse>;
  /** Upstream goes on until it has ended. */
  cancel(call: BatchCall): Promise<void>;
  /** Removes what upstream holds of one that has ended. */
  discard(call: BatchCall): Promise<void>;
}
