import { queryOptions } from '@tanstack/react-query';

import { queryClient } from '../../../api/query-client.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { contentQuery } from '../../../features/generations/content/generation-queries.ts';
import { countKnown, type ThreadPiece, toThreadPieces } from './to-thread-pieces.ts';

/** A call of a thread: what is new in it, and what came back. */
export interface ThreadCallContent extends Pick<GenerationContent, 'output' | 'error'> {
  readonly pieces: readonly ThreadPiece[];
}

/**
 * Calls before that are looked at: agents put small calls of another kind, for a title, between those of a
 * conversation.
 */
export const MAX_BEFORE = 3;

/** Ids of the calls before, the nearest first. The whole contents, which repeat one another, leave the cache soon. */
export const threadQuery = (id: string, before: readonly string[]) =>
  queryOptions({
    queryKey: ['generation', id, 'thread', before],
    gcTime: 30_000,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
    queryFn: async (): Promise<ThreadCallContent> => {
      const { input, output, error } = await queryClient.fetchQuery(contentQuery(id));
      const content = { input, output, error };
      let pieces = toThreadPieces(content, null);
      for (const other of before) {
        const compared = toThreadPieces(content, await findContent(other));
        if (countKnown(compared) > countKnown(pieces)) pieces = compared;
        // The conversation goes on from there.
        if (pieces.length === 2 && countKnown(pieces) > 1) break;
      }
      return { pieces, output, error };
    },
  });

/** Null where nothing was stored, or more than a page can read. */
async function findContent(id: string): Promise<GenerationContent | null> {
  try {
    return await queryClient.fetchQuery(contentQuery(id));
  } catch {
    return null;
  }
}
