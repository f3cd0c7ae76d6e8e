import type { Endpoint } from '../../../catalog/catalog.ts';
import type { ChatChunk } from '../../../wire/chat/chat-chunk.ts';
import { batchesOf, type CachedAnswer, identify, type ResponseCache } from './response-cache.ts';
import type { AttemptsOptions, BeginAnswer, CommittedAnswer } from '../../../dispatch/run-attempts.ts';

/** What an answer that is repeated has used. The cost is said outright, because a price may be by the request. */
const NOTHING_USED: ChatChunk = {
  choices: [],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  upstreamCostUsd: 0,
};

/** Repeats an answer that was kept, batch by batch. */
export function replayAnswer(answer: CachedAnswer, endpoint: Endpoint): BeginAnswer {
  return ({ observer }) => {
    observer.noteReplay(endpoint, answer.sourceId);
    const [first = [], ...others] = batchesOf(answer);
    const rest = [...others, [NOTHING_USED]].values();
    return Promise.resolve({
      endpoint,
      startedAt: 0,
      first,
      rest: { next: () => Promise.resolve(rest.next()) },
      isAccountedFor: true,
    });
  };
}

export interface KeepOptions {
  readonly cache: ResponseCache;
  readonly key: string;
  readonly ttlMs: number;
}

/** Keeps the answer that `begin` gives, once it has come to a good end. */
export function keepAnswer(begin: BeginAnswer, options: KeepOptions): BeginAnswer {
  return async (attempts) => {
    const answer = await begin(attempts);
    return record(answer, attempts, options);
  };
}

function record(answer: CommittedAnswer, { observer, runtime }: AttemptsOptions, keep: KeepOptions): CommittedAnswer {
  const { rest } = answer;
  const pieces: string[] = [];
  let hasFinished = false;
  const add = (batch: readonly ChatChunk[]): void => {
    for (const { choices } of batch) {
      for (const { finish_reason: reason } of choices) if (reason !== null) hasFinished = reason !== 'error';
    }
    const kept = batch.map(({ usage: _usage, upstreamCostUsd: _cost, ...chunk }) => chunk);
    pieces.push(JSON.stringify(kept));
  };
  add(answer.first);
  // The answer's own object, because what stands between may change it as it goes on.
  return Object.assign(answer, {
    rest: {
      async next() {
        const step = await rest.next();
        if (step.done !== true) add(step.value);
        else if (hasFinished) {
          keep.cache.keep(keep.key, {
            sourceId: observer.id,
            endpoint: identify(answer.endpoint),
            batches: `[${pieces.join()}]`,
            storedAt: runtime.platform.monotonicNow(),
            ttlMs: keep.ttlMs,
          });
        }
        return step;
      },
      return: () => rest.return?.() ?? Promise.resolve({ done: true as const, value: undefined }),
    },
  });
}
