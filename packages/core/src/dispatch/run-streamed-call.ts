import { type Outcome, outcomeOf } from '../calls/attempt.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/to-generation.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import { toCallError } from './ask-endpoint.ts';
import type { CallContext } from './prepare-call.ts';
import { noteOutcome } from './run-attempts.ts';
import {
  guardResult,
  type OpenWholeCall,
  openWholeCall,
  prepareWholeCall,
  type WholeCallParts,
  type WholeKind,
} from './run-whole-call.ts';

/** A result whose first piece has come: from here on the call stays at its endpoint. */
export interface BegunPieces {
  readonly first: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** A kind whose result goes to the caller piece by piece. What is recorded of it is read once the pieces have ended. */
export interface StreamedKind<Request, Begun extends BegunPieces> extends WholeKind<Request, Begun> {
  /** Makes the last piece, from the usage as it is recorded. Default: none. */
  lastPieceOf?(begun: Begun, usage: Usage | undefined): Uint8Array;
  /** Makes the piece that tells an error after the first one. Default: the connection breaks. */
  errorPieceOf?(error: GatewayError): Uint8Array;
}

export interface StreamedResult<Begun> {
  readonly endpoint: Endpoint;
  readonly begun: Begun;
  /** What goes to the caller. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Runs a call whose result goes to the caller piece by piece, as it comes. Resolves at the first piece, or rejects with
 * what ended it before. Either way it is recorded: at the end of its pieces, when they break off, and when the client
 * leaves.
 */
export async function runStreamedCall<Request, Begun extends BegunPieces>(
  received: ModelCall<Request>,
  kind: StreamedKind<Request, Begun>,
  context: CallContext<WholeCallParts>,
): Promise<StreamedResult<Begun>> {
  const prepared = await prepareWholeCall(received, kind, context);
  const open = openWholeCall(prepared, kind, context, true);
  try {
    const { endpoint, startedAt, first } = await open.askEndpoints();
    const guarded = await guardResult({ whole: kind, open, prepared, endpoint }, first);
    const { result: begun, refusal } = guarded ?? { result: first, refusal: null };
    if (refusal !== null) {
      await open.record(outcomeOf(refusal), { endpoint, result: begun });
      throw refusal;
    }
    const body = relayPieces({ open, kind, parts: context.parts, endpoint, startedAt, begun });
    return { endpoint, begun, body };
  } catch (thrown) {
    const error = await open.fail(thrown).finally(() => open.end());
    throw error;
  }
}

interface Relay<Request, Begun extends BegunPieces> {
  readonly open: OpenWholeCall<Begun, Begun>;
  readonly kind: StreamedKind<Request, Begun>;
  readonly parts: WholeCallParts;
  readonly endpoint: Endpoint;
  readonly startedAt: number;
  readonly begun: Begun;
}

/** A step that ends the pieces. */
const END: IteratorResult<Uint8Array> = { done: true, value: undefined };

/**
 * Hands the pieces on, one at a time as they are asked for, so that nothing is held. It is no generator, because the
 * end of a client must be noticed while upstream is silent (docs/decisions/0002).
 */
function relayPieces<Request, Begun extends BegunPieces>(relay: Relay<Request, Begun>): AsyncIterable<Uint8Array> {
  const { open, kind, begun } = relay;
  const { signal } = open;
  let first: Uint8Array | null = begun.first;
  let settling: Promise<SettledGeneration> | null = null;
  let isOver = false;

  const settle = (outcome: Outcome): Promise<SettledGeneration> => {
    signal.removeEventListener('abort', onAbort);
    return (settling ??= settleRelay(relay, outcome));
  };
  const leaveUpstream = (): void => {
    begun.rest.return?.().then(undefined, () => undefined);
  };
  const onAbort = (): void => {
    // A reader that waits gets the error by its own step.
    settle(outcomeOf(toCallError(signal.reason, ''))).catch(() => undefined);
    leaveUpstream();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  const fail = async (thrown: unknown): Promise<IteratorResult<Uint8Array>> => {
    isOver = true;
    const error = toCallError(signal.aborted ? signal.reason : thrown, relay.endpoint.provider.name);
    await settle(outcomeOf(error));
    leaveUpstream();
    if (kind.errorPieceOf === undefined) throw error;
    return { done: false, value: kind.errorPieceOf(error) };
  };
  const finish = async (): Promise<IteratorResult<Uint8Array>> => {
    isOver = true;
    // The last byte waits for the record: an acknowledged call is never lost.
    const { usage } = await settle({ status: 'completed' });
    return kind.lastPieceOf === undefined ? END : { done: false, value: kind.lastPieceOf(begun, usage) };
  };
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (isOver) return END;
        if (signal.aborted) return fail(signal.reason);
        if (first !== null) {
          const value = first;
          first = null;
          return { done: false, value };
        }
        try {
          const step = await begun.rest.next();
          if (step.done !== true && !signal.aborted) return step;
        } catch (thrown) {
          return fail(thrown);
        }
        return signal.aborted ? fail(signal.reason) : finish();
      },
      return() {
        if (!isOver) open.interrupt(new GatewayError('client_closed_request', 'The client closed the request'));
        isOver = true;
        return Promise.resolve(END);
      },
    }),
  };
}

/** Records a relay whose outcome is decided. Upstream charges for what it has begun, so it is counted in any case. */
async function settleRelay<Request, Begun extends BegunPieces>(
  { open, parts, endpoint, startedAt, begun }: Relay<Request, Begun>,
  outcome: Outcome,
): Promise<SettledGeneration> {
  try {
    noteOutcome({ endpoint, startedAt, outcome, usage: undefined }, parts.attempts);
    return await open.record(outcome, { endpoint, result: begun });
  } finally {
    open.end();
  }
}
