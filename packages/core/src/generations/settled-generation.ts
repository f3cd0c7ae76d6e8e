import type { Principal } from '../http/request.ts';
import type { GenerationRecord, StoredContent } from '../stores/store.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { EndedCall } from './ended-call.ts';
import { toPublicUsage } from './observe/spending.ts';
import { toGeneration } from './to-generation.ts';

/** A call that has ended, ready to be recorded. */
export interface SettledGeneration {
  /** The usage as it is sent to the caller; undefined when nothing was used. */
  readonly usage: Usage | undefined;
  readonly record: GenerationRecord;
  readonly principal: Principal;
  /** Null when contents are not to be stored. */
  readonly content: StoredContent | null;
  /** About how long the content is in characters. */
  readonly contentLength: number;
}

export function toSettled(
  ended: EndedCall,
  { content, contentLength }: Pick<SettledGeneration, 'content' | 'contentLength'>,
): SettledGeneration {
  const { call, usage, cost } = ended;
  const { principal } = call;
  const { id: principalId, userId } = principal;
  return {
    usage: usage && toPublicUsage(usage, ended),
    record: {
      generation: toGeneration(ended, content !== null),
      principalId,
      ...(userId !== undefined && { userId }),
      costNanoUsd: cost?.nanoUsd ?? 0,
    },
    principal,
    content,
    contentLength,
  };
}
