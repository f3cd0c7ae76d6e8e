import type { SessionList } from '@model-gateway/core/wire';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { GenerationContent, GenerationList } from '../../../api/types.ts';
import { contentQuery } from '../../../features/generations/content/generation-queries.ts';
import { messagesOf } from '../../../features/generations/content/messages-of.ts';
import { ROW_QUERY } from '../../../features/generations/list/list-row.ts';
import { type GenerationSearch, toGenerationQuery } from '../../../features/generations/search/generation-search.ts';
import { toParts, toToolNames } from '../detail/message-parts.ts';
import { type SessionCall, toToolUse, type ToolUse } from './to-session-timeline.ts';

const PATH = '/admin/v1/generations/sessions';
const PAGE_SESSIONS = 50;
/** As many as one read may have: most sessions are opened by it alone, as each read looks at all calls that are stored. */
const PAGE_CALLS = 200;
const REFRESH_MS = 15_000;

/** The sessions of which a call matches the filters. A text cannot be looked for there. */
export const sessionsQuery = ({ text: _text, ...search }: GenerationSearch) =>
  infiniteQueryOptions({
    queryKey: ['generations', 'sessions', search],
    refetchInterval: (query) => (query.state.data?.pages.length ?? 0) <= 1 && refreshEvery(REFRESH_MS)(query),
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi<SessionList>(PATH, {
        query: { ...toGenerationQuery(search, Date.now()), limit: PAGE_SESSIONS, cursor },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }: SessionList) => next ?? undefined,
  });

/** The sums of one session; null when no call of it is stored. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['generations', 'session', id],
    refetchInterval: refreshEvery(REFRESH_MS),
    queryFn: async ({ signal }) => {
      const list = await callApi<SessionList>(PATH, { query: { session: id, limit: 1 }, signal });
      const row = list.data[0];
      return row === undefined ? null : { ...row, keyNames: list.key_names };
    },
  });

/** The calls of a session, the first one first. */
export const sessionCallsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['generations', 'session', id, 'calls'],
    refetchInterval: (query) => (query.state.data?.pages.length ?? 0) <= 2 && refreshEvery(REFRESH_MS)(query),
    queryFn: ({ pageParam: cursor, signal }) => {
      const fields = `${ROW_QUERY.fields},trace`;
      const query = { fields, session: id, sort: 'time', order: 'asc', limit: PAGE_CALLS, cursor };
      return callApi<GenerationList<SessionCall>>('/admin/v1/generations', { query, signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }: GenerationList<SessionCall>) => next ?? undefined,
  });

/** A call of a thread: what is new in it, and what came back. */
export interface ThreadCallContent extends Pick<GenerationContent, 'output' | 'error'> {
  readonly pieces: readonly ThreadPiece[];
  /** Names of tools by the ids of their calls: results that are new are of calls that are folded. */
  readonly toolNames: ReadonlyMap<string, string>;
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
      return { pieces, toolNames: toToolNames(messagesOf(content)), output, error };
    },
  });

/** The tools of a request; null where nothing was stored, or more than a page can read. The contents leave the cache soon. */
export const toolUseQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'tools'],
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
    queryFn: async (): Promise<ToolUse | null> => {
      const content = await findContent(id);
      return content === null ? null : toToolUse(content);
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

/** Messages of a call in their order: those that are new, and runs of others that are folded. */
type ThreadPiece =
  | { readonly type: 'new'; readonly messages: readonly unknown[] }
  /** `known`: a call before had them. `early`: a long beginning that no call before had. */
  | { readonly type: 'folded'; readonly reason: 'known' | 'early'; readonly count: number };

/** New messages that are shown at most; what comes before them is folded. */
const MAX_SHOWN = 12;

/**
 * Compares the messages of a call with those of a call before and its completion. What that call had already, in the
 * same order, is folded, also where something before it has changed, such as a date in a system prompt.
 */
export function toThreadPieces(content: GenerationContent, before: GenerationContent | null): ThreadPiece[] {
  const messages = messagesOf(content);
  const isKnown = before === null ? () => false : createKnown(before);
  const marked = messages.map((message) => ({ message, isNew: !isKnown(message) }));
  const surplus = marked.filter(({ isNew }) => isNew).length - MAX_SHOWN;
  const pieces: ThreadPiece[] = [];
  let early = 0;
  for (const { message, isNew } of marked) {
    const reason = isNew && early < surplus ? 'early' : 'known';
    if (isNew && reason === 'early') early += 1;
    const last = pieces.at(-1);
    if (isNew && reason === 'known') {
      if (last?.type === 'new') pieces[pieces.length - 1] = { type: 'new', messages: [...last.messages, message] };
      else pieces.push({ type: 'new', messages: [message] });
    } else if (last?.type === 'folded' && last.reason === reason) {
      pieces[pieces.length - 1] = { ...last, count: last.count + 1 };
    } else pieces.push({ type: 'folded', reason, count: 1 });
  }
  return pieces;
}

/** Number of messages of a call that a call before had. */
export const countKnown = (pieces: readonly ThreadPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (piece.type === 'folded' && piece.reason === 'known' ? piece.count : 0), 0);

/** Tells of one message after the other whether the call had it after the one before. */
function createKnown(before: GenerationContent): (message: unknown) => boolean {
  const keys = messagesOf(before).map(keyOf);
  const { completion, tool_calls: calls } = before.output;
  if (completion !== null || calls !== undefined) {
    keys.push(keyOf({ role: 'assistant', content: completion, tool_calls: calls }));
  }
  let at = 0;
  return (message) => {
    const found = keys.indexOf(keyOf(message), at);
    if (found === -1) return false;
    at = found + 1;
    return true;
  };
}

/** What a message says, however its client has written it down: with a text or with parts, and white space around it. */
function keyOf(message: unknown): string {
  const { role, parts } = toParts(message);
  const said = parts.map((part) =>
    part.type === 'text'
      ? part.text.trim()
      : part.type === 'tool-call'
        ? [part.name, part.text]
        : [part.origin, part.bytes],
  );
  return JSON.stringify([role, ...said.filter((text) => text !== '')]);
}
