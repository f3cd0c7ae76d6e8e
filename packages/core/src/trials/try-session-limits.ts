import { NANO_PER_USD } from '../foundation/money.ts';
import { inTurns, startOf, toOldestFirst } from '../generations/cache-doctor/report-caches.ts';
import { type GenerationListParts, listGenerations } from '../generations/list-generations.ts';
import { findLoop } from '../limits/sessions/find-loop.ts';
import { findPassedLimit, type SessionStop, toLoopWords } from '../limits/sessions/session-guard.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import type { SessionLimits, SessionTrial } from '../wire/session-limits.ts';

type Limits = Omit<SessionLimits, 'action'>;

/** Calls that are looked at for one response. */
const MAX_CALLS = 10_000;
/** Sessions that are named, the ones with the highest saving first. */
const MAX_SESSIONS = 100;

interface PastStop extends SessionStop {
  /** Index of the first call that would have been refused. */
  readonly at: number;
}

/**
 * What limits would have done to the sessions since a moment, by the functions that hold calls to them. Nothing is sent or
 * changed. A session that began before is looked at from its first call after the moment.
 */
export async function trySessionLimits(
  fromMs: number,
  limits: Limits,
  parts: GenerationListParts,
): Promise<SessionTrial> {
  const found = await listGenerations({ filter: { createdFromMs: fromMs }, limit: MAX_CALLS }, parts);
  const records = toOldestFirst(found.records);
  const sessions = new Map<string, GenerationRecord[]>();
  for (const record of records) {
    const { session_id: session } = record.generation;
    if (session === null) continue;
    const calls = sessions.get(session);
    if (calls === undefined) sessions.set(session, [record]);
    else calls.push(record);
  }
  const rows: SessionTrial['data'] = [];
  let withoutContents = 0;
  for await (const last of inTurns(
    [...sessions.values()].map((calls) => calls.at(-1) as GenerationRecord),
    parts.platform,
  )) {
    const id = last.generation.session_id ?? '';
    const calls = sessions.get(id) ?? [];
    const messages = limits.max_repeats === null ? [] : await readMessages(last, parts);
    if (messages === null) withoutContents += 1;
    const stop = findFirst(findCap(calls, limits), findPastLoop(messages ?? [], calls.length, limits));
    if (stop === null) continue;
    const { at, reason, message } = stop;
    rows.push({
      session_id: id,
      reason,
      message,
      calls: calls.length,
      cost_usd: costOf(calls) / NANO_PER_USD,
      stopped_at_call: at + 1,
      saved_usd: costOf(calls.slice(at)) / NANO_PER_USD,
    });
  }
  rows.sort((a, b) => b.saved_usd - a.saved_usd || b.calls - a.calls);
  const searchedFromMs = found.next === null ? undefined : startOf(records[0]);
  const counted = [...sessions.values()].flat();
  return {
    from: new Date(fromMs).toISOString(),
    sessions: sessions.size,
    calls: counted.length,
    cost_usd: costOf(counted) / NANO_PER_USD,
    without_contents: withoutContents,
    data: rows.slice(0, MAX_SESSIONS),
    saved_usd: rows.reduce((sum, row) => sum + row.saved_usd, 0),
    ...(searchedFromMs !== undefined && { searched_from: new Date(searchedFromMs).toISOString() }),
  };
}

const costOf = (calls: readonly GenerationRecord[]): number =>
  calls.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0);

/** The stop that comes first; a limit before a loop at the same call. */
function findFirst(cap: PastStop | null, loop: PastStop | null): PastStop | null {
  if (cap === null || loop === null) return cap ?? loop;
  return loop.at < cap.at ? loop : cap;
}

function findCap(calls: readonly GenerationRecord[], limits: Limits): PastStop | null {
  const firstAtMs = Date.parse(calls[0]?.generation.created_at ?? '');
  let costNanoUsd = 0;
  for (const [at, record] of calls.entries()) {
    const nowMs = Date.parse(record.generation.created_at);
    const stop = findPassedLimit({ calls: at, costNanoUsd, firstAtMs }, limits, nowMs);
    if (stop !== null) return { ...stop, at };
    costNanoUsd += record.costNanoUsd;
  }
  return null;
}

/** The last prompt of a session has all turns before it; null where it is not stored. */
async function readMessages(
  { generation: { id } }: GenerationRecord,
  { store }: GenerationListParts,
): Promise<readonly ChatMessage[] | null> {
  const stored = await store.generations.getContent(id);
  const input = stored?.input;
  return input !== undefined && 'messages' in input ? (input.messages as readonly ChatMessage[]) : null;
}

/** The first call whose prompt ends in a loop. Turns and calls are counted from the end, where both are the same. */
function findPastLoop(
  messages: readonly ChatMessage[],
  calls: number,
  { max_repeats: times }: Limits,
): PastStop | null {
  if (times === null) return null;
  const turns = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
  // The prompts of the calls: all before each turn, and all of it, which has no turn yet.
  const ends = [...turns, messages.length];
  for (const [turn, end] of ends.entries()) {
    const loop = turn < times ? null : findLoop(messages.slice(0, end), times);
    if (loop === null) continue;
    const at = Math.max(0, calls - (ends.length - turn));
    return { reason: 'loop', message: toLoopWords(loop), at };
  }
  return null;
}
