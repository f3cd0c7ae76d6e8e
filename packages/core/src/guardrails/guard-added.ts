import { mapStrings } from '../calls/text-map.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createTextGuard } from './create-text-guard.ts';
import type { CompletionGuard } from './guard-call.ts';
import { toBlockError, toUnavailableError } from './verdict.ts';

/**
 * Applies the output filters to annotations that the gateway itself adds to a completion. Returns the same value where
 * nothing is redacted. Throws `permission_denied` for blocked text, and when a filter fails.
 */
export function guardAdded<Value>(value: Value, completionGuard: CompletionGuard | null): Value {
  if (completionGuard === null) return value;
  const { filters, onFinding } = completionGuard;
  const pass = (text: string): string => {
    const guard = createTextGuard(filters, onFinding);
    const begun = guard.push(text);
    const ended = begun.blockedBy === null ? guard.end() : begun;
    if (ended.blockedBy === null) return begun.text + ended.text;
    onFinding(ended.blockedBy);
    throw toBlockError(ended.blockedBy, 'Response');
  };
  try {
    return mapStrings(value, pass) as Value;
  } catch (error) {
    throw error instanceof GatewayError ? error : toUnavailableError('Response', error);
  }
}
