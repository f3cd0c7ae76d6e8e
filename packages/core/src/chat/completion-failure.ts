import { GatewayError } from '../foundation/errors.ts';
import type { CompletionAccumulator } from '../generations/completion-accumulator.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

type Ended = Pick<CompletionAccumulator, 'finish' | 'upstream'>;

/** The error with which upstream itself ended a completion; null for one that it ended otherwise. */
export function failureOf({ finish, upstream }: Ended, providerName: string): GatewayError | null {
  return finish?.reason === 'error' ? toFailure(finish.native, upstream?.failure, providerName) : null;
}

/** The error of a stream that is over, but was not ended. */
export const withoutFinish = (providerName: string): GatewayError =>
  new GatewayError('provider_unavailable', `${providerName} ended its completion without a finish reason`);

/** Returns the error of chunks in which upstream has ended a completion with an error, and said nothing before. */
export function failureWithoutOutput(chunks: readonly ChatChunk[], providerName: string): GatewayError | null {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  if (choices.length === 0 || choices.some(hasOutput)) return null;
  const failure = chunks.find(({ upstream }) => upstream?.failure !== undefined)?.upstream?.failure;
  return toFailure(choices[0]?.native_finish_reason ?? null, failure, providerName);
}

/** Whether a choice adds to a completion; the finish reason `error` alone does not. */
export function hasOutput({ delta, finish_reason: reason }: ChatChunk['choices'][number]): boolean {
  if (reason !== 'error') return true;
  for (const _ in delta) return true;
  return false;
}

const SHOWN_REASON = /^[\w. -]{1,64}$/;

function toFailure(native: string | null, failure: GatewayError | undefined, providerName: string): GatewayError {
  if (failure !== undefined) return failure;
  const reason = native !== null && native !== 'error' && SHOWN_REASON.test(native) ? `: ${native}` : '';
  return new GatewayError('provider_unavailable', `${providerName} ended the completion with an error${reason}`, {
    metadata: { provider_name: providerName },
    upstreamStatus: 200,
  });
}
