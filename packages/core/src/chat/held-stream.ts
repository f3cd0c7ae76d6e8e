import type { LiveAccount } from '../account/account.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { type CompletionAccumulator, createCompletionAccumulator } from '../generations/completion-accumulator.ts';
import { isCompletionBlocked } from '../guardrails/verdict.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { type Beginning, failureOf, readMore, withoutFinish } from './committed-completion.ts';
import { endWith } from './filtered-completion.ts';

/** Chunks that are held of one stream. A longer one goes on from there like any other, so that memory has a bound. */
const MOST_CHUNKS = 50_000;

/** Whether the stream of a request is sent only when it is whole (docs/decisions/0066). */
export function isHeld(
  { provider }: Pick<ChatCompletionRequest, 'provider'>,
  { account }: { readonly account: Pick<LiveAccount, 'routing'> },
): boolean {
  return (provider?.hold_stream ?? account.routing?.holdStreams) === true;
}

interface Holding {
  readonly providerName: string;
  readonly signal: AbortSignal;
  /** Observes what is held, of which it keeps no text. */
  readonly completion: CompletionAccumulator;
  readonly mostChunks?: number | undefined;
}

/** What counts the tokens of a completion that is held; the chunks have its texts. */
export const createHeldCompletion = (): CompletionAccumulator => createCompletionAccumulator({ maxLength: 0 });

/**
 * Reads a stream that has begun to its end. Throws what it breaks off with, so that the attempt counts as one that never
 * began, and another can begin anew. What a guardrail ends stays ended: the caller gets that as of any other stream.
 */
export async function holdToEnd(
  begun: Beginning,
  { providerName, signal, completion, mostChunks = MOST_CHUNKS }: Holding,
): Promise<Beginning> {
  const held: ChatChunk[] = [...begun.first];
  completion.observe(held);
  try {
    while (held.length < mostChunks) {
      const step = await raceAbort(readMore(begun), signal);
      if (step.done === true) {
        const failure =
          completion.finish === undefined ? withoutFinish(providerName) : failureOf(completion, providerName);
        if (failure !== null) throw failure;
        return { first: held, rest: null };
      }
      completion.observe(step.value);
      for (const chunk of step.value) held.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof GatewayError) || !isCompletionBlocked(error)) throw error;
    return { first: held, rest: endWith(error) };
  }
  return { first: held, rest: begun.rest };
}
