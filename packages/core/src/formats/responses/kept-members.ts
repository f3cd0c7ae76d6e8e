import type { EndedCompletion } from '../../chat/format.ts';
import type { Unchecked } from '../../foundation/parse.ts';
import type { ResponsesRequest } from '../../wire/responses.ts';
import { toEnding, toOwn, toOwnEnding, toResponse } from './to-response.ts';

interface KnownResponse {
  readonly body: ResponsesRequest;
  /** Whether it is stored, and what it continues. */
  readonly about: Unchecked;
  /** The response as upstream gave it, where upstream's form is this one and it is complete; else null. */
  readonly own: Unchecked | null;
}

/** The members of a response that are stored with its items, because its request does not say them. */
export function toKeptMembers(completion: EndedCompletion, { body, about, own }: KnownResponse): Unchecked {
  const { id, created, model, provider, serviceTier = 'default', chunks, isCancelled } = completion;
  const { reason, error, usage } = completion;
  if (own !== null) {
    const response = { ...toResponse(completion, body), ...about };
    const base = toResponse({ id, created: 0, model: '', provider: '' }, body);
    return toDifference(toOwnEnding(toOwn(own, completion, response), usage, undefined), base);
  }
  const known = { created_at: created, model, provider, service_tier: serviceTier, ...about };
  if (isCancelled) return { ...known, status: 'cancelled' };
  const hasUsage = error === null || chunks !== null;
  // A stream that fails ends without its usage.
  const ending = hasUsage
    ? { completed_at: created, ...toEnding({ reason, output: [], usage, error }) }
    : toEnding({ reason: 'error', output: [], usage: undefined, error });
  return withoutOutput({ ...known, ...ending });
}

const withoutOutput = ({ output: _output, ...members }: Unchecked): Unchecked => members;

/** The members that are not as the base has them. */
function toDifference(response: Unchecked, base: Unchecked): Unchecked {
  const isSame = (name: string): boolean =>
    name in base && (response[name] === base[name] || JSON.stringify(response[name]) === JSON.stringify(base[name]));
  return Object.fromEntries(Object.entries(withoutOutput(response)).filter(([name]) => !isSame(name)));
}
