import type { Endpoint } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { AgainReason } from '../wire/routing.ts';

/** One endpoint that was called, with its outcome. */
export interface Attempt {
  readonly endpoint: Endpoint;
  /** Time at which it was called, on the monotonic clock. */
  readonly startedAt: number;
  /** Milliseconds to the first chunk or the failure. */
  readonly latencyMs: number;
  /** Null when it succeeded. */
  readonly error: GatewayError | null;
  /** Its completion broke off, and another endpoint was asked to continue it. */
  readonly brokeOff?: BrokeOff | undefined;
  /** The endpoint had been asked in the attempt before; absent otherwise. */
  readonly again?: AgainReason | undefined;
  /** Name of the provider's key that it was sent with; absent where the provider has one alone. */
  readonly key?: string | undefined;
}

/** Where a completion broke off that another endpoint was asked to continue. */
export interface BrokeOff {
  readonly error: GatewayError;
  /** Characters of text that had come. */
  readonly afterCharacters: number;
}

/** How a call ended. */
export type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly error: GatewayError }
  | { readonly status: 'cancelled'; readonly error: GatewayError };

/** The outcome of a call that an error ended: a client that leaves cancels it, and so may the operator. */
export const outcomeOf = (error: GatewayError): Exclude<Outcome, { readonly status: 'completed' }> => ({
  status: error.code === 'client_closed_request' || error.code === 'call_cancelled' ? 'cancelled' : 'failed',
  error,
});

const MAX_SHOWN = 100;

/** A text as a refusal by moderation shows it (wire.md 4.2): without its middle where it is long. */
export const cutFlagged = (text: string): string => cutMiddle(text, MAX_SHOWN, '...');

interface FlaggedCall {
  /** The model, as callers know it. */
  readonly model: string;
  /** Returns the input, of which upstream may name a part itself. */
  readonly textOf: () => string;
}

/** Adds what upstream cannot know to a refusal by its moderation; any other error stays as it is. */
export function withFlaggedInput(error: GatewayError, { model, textOf }: FlaggedCall): GatewayError {
  if (error.code !== 'moderation_flagged') return error;
  const { flagged_input: told } = error.metadata ?? {};
  return new GatewayError(error.code, error.message, {
    cause: error.cause,
    upstreamStatus: error.upstreamStatus,
    metadata: {
      ...error.metadata,
      flagged_input: cutFlagged(typeof told === 'string' ? told : textOf()),
      model_slug: model,
    },
  });
}

/** Takes the middle out of a text so that `length` characters are left, the mark in its place included. */
export function cutMiddle(text: string, length: number, mark: string): string {
  if (text.length <= length) return text;
  const kept = Math.max(length - mark.length, 1);
  const half = Math.ceil(kept / 2);
  // A cut within a surrogate pair removes the other half too.
  const start = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - (kept - half)).replace(/^[\uDC00-\uDFFF]/, '');
  return start + mark + end;
}

/** All time limits of the gateway, in milliseconds. */
export interface Timeouts {
  /** To connect to upstream. */
  readonly connectMs: number;
  /** From sending a request to the headers of a streamed response. */
  readonly headersMs: number;
  /** A whole response that is not streamed. */
  readonly nonStreamMs: number;
  /** To the first token of a stream; then the next endpoint is tried. */
  readonly firstTokenMs: number;
  /** Between two pieces of a stream. */
  readonly idleMs: number;
  /** A whole stream. */
  readonly totalMs: number;
  /** How long a stream may be silent before the client gets a comment that keeps its connection open. */
  readonly keepAliveMs: number;
  /** How long a client may leave data unread before its connection is closed. */
  readonly clientWriteMs: number;
  /** How long `close` waits for calls under way. */
  readonly drainMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 120_000,
  nonStreamMs: 600_000,
  firstTokenMs: 120_000,
  idleMs: 120_000,
  totalMs: 3_600_000,
  keepAliveMs: 10_000,
  clientWriteMs: 120_000,
  drainMs: 30_000,
};

/**
 * Whether the caller's client takes `null` for a cost that is not known. The AI SDK does not (seen in its provider 3.1):
 * it fails the whole call, so that its users could use no model without a price. It gets no such field instead
 * (docs/decisions/0007). Every request of the AI SDK names it, whatever else the header says.
 */
export function takesNullCost(userAgent: string | null | undefined): boolean {
  return userAgent?.includes('ai-sdk/') !== true;
}
