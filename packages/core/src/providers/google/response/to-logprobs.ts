import { isObject, objectsOf, type Unchecked } from '../../../foundation/parse.ts';

const encoder = new TextEncoder();

/** Turns a `logprobsResult` into the form of our wire; undefined when it holds no token. */
export function toLogprobs(result: unknown): { content: unknown[]; refusal: null } | undefined {
  if (!isObject(result)) return undefined;
  const chosen = objectsOf(result['chosenCandidates']);
  const top = objectsOf(result['topCandidates']);
  if (chosen.length === 0) return undefined;
  const content = chosen.map((candidate, index) => ({
    ...toTokenLogprob(candidate),
    top_logprobs: objectsOf(top[index]?.['candidates']).map(toTokenLogprob),
  }));
  return { content, refusal: null };
}

function toTokenLogprob({ token, logProbability }: Unchecked): object {
  const text = typeof token === 'string' ? token : '';
  // A probability of 1 is left out on this wire, as every number is that is 0.
  const logprob = typeof logProbability === 'number' ? logProbability : 0;
  return { token: text, logprob, bytes: [...encoder.encode(text)] };
}
