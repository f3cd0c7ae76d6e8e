import type { Place } from '../calls/text-places.ts';
import { GatewayError } from '../foundation/errors.ts';
import { runInSlices, type SlicingPlatform, type Steps } from '../foundation/queues.ts';
import { createTextGuard, guardInSteps } from './create-text-guard.ts';
import type { CompletionGuard } from './guard-call.ts';
import { toBlockError, toUnavailableError } from './verdict.ts';

/**
 * Applies the output filters to what the gateway itself adds to a completion, at this place. Returns the same value where
 * nothing is redacted. Rejects with `permission_denied` for blocked text, and when a filter fails.
 */
export async function guardAdded<Value>(
  value: Value,
  place: Place,
  completionGuard: CompletionGuard | null,
  platform: SlicingPlatform,
): Promise<Value> {
  if (completionGuard === null) return value;
  try {
    const texts: string[] = [];
    place(value, (text) => {
      texts.push(text);
      return text;
    });
    const passed = await runInSlices(passAll(texts, completionGuard), platform);
    let next = 0;
    return place(value, () => {
      next += 1;
      return passed[next - 1] as string;
    }) as Value;
  } catch (error) {
    throw error instanceof GatewayError ? error : toUnavailableError('Response', error);
  }
}

function* passAll(texts: readonly string[], { filters, onFinding }: CompletionGuard): Steps<readonly string[]> {
  const passed: string[] = [];
  for (const whole of texts) {
    const { text, blockedBy } = yield* guardInSteps(createTextGuard(filters, onFinding), whole);
    if (blockedBy !== null) {
      onFinding(blockedBy);
      throw toBlockError(blockedBy, 'Response');
    }
    passed.push(text);
  }
  return passed;
}
