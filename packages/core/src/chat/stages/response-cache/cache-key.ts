import { type Awaitable, whenKnown } from '../../../foundation/awaitable.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { Policy } from '../../../guardrails/policy.ts';
import { nativeOf } from '../../../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';

export interface CacheQuery {
  /** The request as it is sent on: checked, in the order of the schema, with the replacements of guardrails. */
  readonly request: ChatCompletionRequest;
  readonly principalId: string;
  /** Name of the region of the host. */
  readonly region: string | null;
  /** A completion is repeated only under the policy that allowed it. */
  readonly policy: Policy | null;
}

export type KeyOfQuery = (query: CacheQuery) => Awaitable<string>;

/** Makes the keys of stored completions, the same in every process. */
export function createCacheKeys({ sha256 }: Pick<Platform, 'sha256'>): KeyOfQuery {
  // A policy may be long, and serves many calls.
  const hashes = new WeakMap<Policy, string>();
  const hashOf = (policy: Policy | null): Awaitable<string | null> => {
    if (policy === null) return null;
    const known = hashes.get(policy);
    if (known !== undefined) return known;
    return whenKnown(sha256(policy.content), (hash) => {
      hashes.set(policy, hash);
      return hash;
    });
  };
  return ({ request, principalId, region, policy }) =>
    whenKnown(hashOf(policy), (policyHash) =>
      sha256(JSON.stringify([principalId, region, policyHash, request, nativeOf(request)?.body])),
    );
}
