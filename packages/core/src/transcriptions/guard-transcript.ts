import type { PreparedCall } from '../dispatch/prepare-call.ts';
import type { GuardedResult, WholeCallParts } from '../dispatch/run-whole-call.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { runInSlices } from '../foundation/queues.ts';
import { decideTexts } from '../guardrails/filter-functions.ts';
import { toCompletionGuard } from '../guardrails/guard-call.ts';
import { createTextGuard, guardInSteps } from '../guardrails/text-guard.ts';
import { toBlockError, toUnavailableError } from '../guardrails/verdict.ts';
import type { TranscriptionResult } from '../providers/audio-contract.ts';

type GuardParts = Pick<WholeCallParts, 'filterFunctions' | 'logger' | 'platform'>;

/** Whether filters read the text that comes back: those of guardrails, or the embedder's own. */
export const isGuarded = ({ caller: { policy } }: PreparedCall, { filterFunctions }: GuardParts): boolean =>
  (policy !== null && policy.output !== null) || filterFunctions.output !== null;

/**
 * Runs the output filters over a transcript. Where one changes the text, its segments and words are left out, because
 * they repeat it in pieces in which a filter would not find it.
 */
export async function guardTranscript<Result extends TranscriptionResult>(
  result: Result,
  prepared: PreparedCall,
  parts: GuardParts,
  signal: AbortSignal,
): Promise<GuardedResult<Result>> {
  if (!isGuarded(prepared, parts)) return { result, refusal: null };
  const { text, refusal } = await guardText(result.text, prepared, parts, signal);
  if (refusal !== null) return { result: { ...result, text: '', segments: undefined, words: undefined }, refusal };
  if (text === result.text) return { result, refusal: null };
  return { result: { ...result, text, segments: undefined, words: undefined }, refusal: null };
}

async function guardText(
  whole: string,
  { call, caller: { policy }, pipeline }: PreparedCall,
  { filterFunctions, logger, platform }: GuardParts,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly refusal: GatewayError | null }> {
  const guard = policy && toCompletionGuard(policy, pipeline);
  let text = whole;
  if (guard !== null) {
    try {
      const guarded = await runInSlices(guardInSteps(createTextGuard(guard.filters, guard.onFinding), whole), platform);
      if (guarded.blockedBy !== null) {
        guard.onFinding(guarded.blockedBy);
        return { text: '', refusal: toBlockError(guarded.blockedBy, 'Response') };
      }
      text = guarded.text;
    } catch (cause) {
      return { text: '', refusal: toUnavailableError('Response', cause) };
    }
  }
  const { output: filters } = filterFunctions;
  if (filters === null) return { text, refusal: null };
  const { id: generationId, principal } = call;
  const { refusal, decided } = await decideTexts([{ text, role: 'assistant', isJson: false }], {
    filters,
    side: 'Response',
    pipeline,
    logger,
    signal,
    generationId,
    principal,
  });
  return { text: refusal === null ? (decided?.[0] ?? text) : '', refusal };
}
