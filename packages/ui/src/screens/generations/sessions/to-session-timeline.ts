import type { Generation } from '@model-gateway/core/wire';

import { isObject } from '../../../api/is-object.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { GENERATION_STATUSES } from '../../../features/generations/list/generation-status.tsx';
import type { ListRow } from '../../../features/generations/list/list-row.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount } from '../../../format/quantity.ts';
import { type Piece, type Timeline, type TimelineRow, toTimeline } from '../../../parts/timeline/timeline.ts';
import { sessionsMessages } from './messages.tsx';

/** A request of a session, with its labels. */
export type SessionCall = ListRow & Pick<Generation, 'trace'>;

/** A tool that a response calls. `result` is what a later request tells of it. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The tools in a content: those that its response calls, and results that its request brings, by the id of the call. */
export interface ToolUse {
  readonly calls: readonly CalledTool[];
  readonly results: ReadonlyMap<string, string>;
}

/** What a row tells of a long text. */
const MAX_TEXT = 240;
/** Results are those of the last calls: the beginning of a long conversation has been read before. */
const MAX_READ = 200;

/** Reads the tools of a content. It was written by others: what is no call or result is left out. */
export function toToolUse({ input, output }: Pick<GenerationContent, 'input' | 'output'>): ToolUse {
  const results = new Map<string, string>();
  for (const message of (input.messages ?? []).slice(-MAX_READ)) {
    if (!isObject(message) || message['role'] !== 'tool' || typeof message['tool_call_id'] !== 'string') continue;
    results.set(message['tool_call_id'], toText(message['content']));
  }
  const calls = (output.tool_calls ?? []).flatMap(({ id, function: called }) =>
    typeof id === 'string' ? [{ id, name: called.name, arguments: called.arguments.slice(0, MAX_TEXT) }] : [],
  );
  return { calls, results };
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content.slice(0, MAX_TEXT);
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  return parts
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join(' ')
    .slice(0, MAX_TEXT);
}

/** A longer pause ends a part of a session: bars of both sides would be too small to be seen on one axis. */
const PAUSE_MS = 10 * 60_000;
/** More rows than that are no picture. */
const MAX_CALLS = 60;

const startOf = ({ created_at: at }: SessionCall): number => Date.parse(at);
const endOf = (call: SessionCall): number => startOf(call) + (call.generation_time ?? 0);

/** Splits the requests of a session, the first one first, where nothing happened for long. */
export function splitByPauses(calls: readonly SessionCall[]): readonly (readonly SessionCall[])[] {
  const parts: SessionCall[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    const last = parts.at(-1);
    if (last === undefined || startOf(call) - end > PAUSE_MS || last.length >= MAX_CALLS) parts.push([call]);
    else last.push(call);
    end = Math.max(end, endOf(call));
  }
  return parts;
}

interface Drawn {
  /** The requests of a part, the first one first. */
  readonly calls: readonly SessionCall[];
  /** The place of the first of them in the session, from 1. */
  readonly firstPlace: number;
  /** By the id of the request; those that are not loaded are left out. */
  readonly tools: ReadonlyMap<string, ToolUse>;
}

/** Puts the requests of a part on one axis: below each the tools that it calls, and requests of an agent below its name. */
export function toSessionTimeline({ calls, firstPlace, tools }: Drawn): Timeline {
  const [first] = calls;
  if (first === undefined) return toTimeline([], [], 0);
  const startMs = startOf(first);
  const endMs = Math.max(...calls.map(endOf)) - startMs;
  const rows: TimelineRow[] = [];
  const told = new Set<string>();
  for (const [at, call] of calls.entries()) {
    const agent = agentOf(call);
    if (agent !== null && !told.has(agent)) {
      told.add(agent);
      rows.push(toAgentRow(agent, calls, startMs));
    }
    const depth = agent === null ? 0 : 1;
    rows.push(toCallRow(call, { place: firstPlace + at, depth, startMs }));
    for (const called of tools.get(call.id)?.calls ?? []) {
      rows.push(toToolRow(called, { call, later: calls.slice(at + 1), tools, depth: depth + 1, startMs }));
    }
  }
  return toTimeline(rows, [], endMs);
}

const indent = (depth: number, text: string): string => (depth === 0 ? text : `${'\u2003'.repeat(depth - 1)}└ ${text}`);

/** The sub-agent that a request belongs to, as its labels say; null for the session's own. */
export function agentOf({ trace }: Pick<SessionCall, 'trace'>): string | null {
  if (trace?.['parent_span_id'] === undefined) return null;
  const name = trace['span_name'] ?? trace['trace_name'] ?? trace['parent_span_id'];
  return String(name);
}

function toAgentRow(agent: string, calls: readonly SessionCall[], startMs: number): TimelineRow {
  const t = sessionsMessages().timeline;
  const own = calls.filter((call) => agentOf(call) === agent);
  const from = Math.min(...own.map(startOf)) - startMs;
  const to = Math.max(...own.map(endOf)) - startMs;
  const piece: Piece = { atMs: from, tookMs: to - from, tone: 'plain', label: t.agent(agent) };
  return {
    id: `agent-${agent}`,
    label: t.agent(agent),
    status: '',
    tone: 'plain',
    pieces: [piece],
    detail: [t.agentRequests(own.length), formatUsd(own.reduce((sum, { total_cost: cost }) => sum + cost, 0))],
  };
}

function toCallRow(
  call: SessionCall,
  { place, depth, startMs }: { readonly place: number; readonly depth: number; readonly startMs: number },
): TimelineRow {
  const t = sessionsMessages().timeline;
  const { id, model, status, generation_time: tookMs, latency, streamed } = call;
  const atMs = startOf(call) - startMs;
  const all = tookMs ?? 0;
  const tone = status === 'ok' ? 'work' : 'bad';
  const waited = streamed === true && latency !== null && status === 'ok' ? Math.min(latency, all) : 0;
  const pieces: Piece[] = [
    ...(waited > 0 ? [{ atMs, tookMs: waited, tone: 'wait', label: t.waiting } as const] : []),
    { atMs: atMs + waited, tookMs: all - waited, tone, label: t.response },
  ];
  return {
    id,
    label: indent(depth, `${place}. ${model.slice(model.indexOf('/') + 1)}`),
    status: status === 'ok' ? '' : GENERATION_STATUSES[status].label,
    tone,
    pieces,
    detail: [
      t.tokens(formatCount(call.tokens_prompt), formatCount(call.tokens_completion)),
      ...(call.cost_known ? [formatUsd(call.total_cost)] : []),
    ],
  };
}

interface ToolPlace {
  readonly call: SessionCall;
  readonly later: readonly SessionCall[];
  readonly tools: ReadonlyMap<string, ToolUse>;
  readonly depth: number;
  readonly startMs: number;
}

/** The first request that brings the result of a tool. */
const findResult = (called: CalledTool, later: readonly SessionCall[], tools: ReadonlyMap<string, ToolUse>) =>
  later.find(({ id }) => tools.get(id)?.results.has(called.id) === true);

/** A tool runs from the response that calls it to the first request that brings its result. */
function toToolRow(called: CalledTool, { call, later, tools, depth, startMs }: ToolPlace): TimelineRow {
  const t = sessionsMessages().timeline;
  const next = findResult(called, later, tools);
  const result = next && tools.get(next.id)?.results.get(called.id);
  const atMs = endOf(call) - startMs;
  const tookMs = next === undefined ? null : Math.max(0, startOf(next) - endOf(call));
  return {
    id: `${call.id} ${called.id}`,
    label: indent(depth, called.name),
    status: next === undefined ? t.noResult : '',
    tone: next === undefined ? 'plain' : 'good',
    pieces: [{ atMs, tookMs, tone: next === undefined ? 'plain' : 'good', label: t.tool }],
    detail: [called.arguments, ...(result === undefined || result === '' ? [] : [`→ ${result}`])],
  };
}

/** How often a tool was called, and how long it took in all and at most; `open` calls have no result. */
export interface ToolSum {
  readonly name: string;
  readonly count: number;
  readonly tookMs: number;
  readonly longestMs: number;
  readonly open: number;
}

/** Adds up the tools that requests call, the one that took longest first. */
export function toToolSums(calls: readonly SessionCall[], tools: ReadonlyMap<string, ToolUse>): readonly ToolSum[] {
  const sums = new Map<string, ToolSum>();
  for (const [at, call] of calls.entries()) {
    for (const called of tools.get(call.id)?.calls ?? []) {
      const next = findResult(called, calls.slice(at + 1), tools);
      const tookMs = next === undefined ? 0 : Math.max(0, startOf(next) - endOf(call));
      const { name } = called;
      const before = sums.get(name) ?? { count: 0, tookMs: 0, longestMs: 0, open: 0 };
      sums.set(name, {
        name,
        count: before.count + 1,
        tookMs: before.tookMs + tookMs,
        longestMs: Math.max(before.longestMs, tookMs),
        open: before.open + (next === undefined ? 1 : 0),
      });
    }
  }
  return [...sums.values()].toSorted((one, other) => other.tookMs - one.tookMs);
}

/** What each request had in its context, and what all of them up to it have cost. */
export interface Growth {
  readonly context: readonly number[];
  readonly cost: readonly number[];
}

export function toGrowth(calls: readonly SessionCall[]): Growth {
  let sum = 0;
  return {
    context: calls.map(({ tokens_prompt: tokens }) => tokens ?? 0),
    cost: calls.map(({ total_cost: cost, cost_known: isKnown }) => (sum += isKnown ? cost : 0)),
  };
}
