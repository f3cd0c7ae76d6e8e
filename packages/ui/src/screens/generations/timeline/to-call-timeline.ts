import type { CallTimeline, CallTimelineReport, Generation, StreamTimeline } from '@model-gateway/core/wire';

import { toFirstTokenMs } from '../../../features/generations/list/list-row.ts';
import { type Deliveries, toDeliveryRows } from '../../../features/generations/timeline/to-delivery-rows.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import {
  type Timeline,
  type TimelineRow,
  type Marker,
  type Piece,
  toTimeline,
} from '../../../parts/timeline/timeline.ts';
import { timelineMessages } from './messages.ts';

/** Puts a request on one axis of time, which begins when its request came. */
export function toCallTimeline(
  generation: Generation,
  report: CallTimelineReport,
  deliveries: Omit<Deliveries, 'arrivals'>,
): Timeline {
  const { call: timeline, stream, arrivals } = report;
  const before = timeline?.before_ms;
  const startMs = before === undefined ? 0 : before.request + before.guardrails + before.routing + before.rate_limits;
  const call: Call = { generation, timeline, startMs, endMs: startMs + (generation.generation_time ?? 0) };
  const createdAt = Date.parse(generation.created_at);
  const sinceReceived = (iso: string): number => Math.max(0, Date.parse(iso) - createdAt + startMs);
  const asked = [...toStepRows(call), ...toAttemptRows(call)].toSorted((a, b) => beginOf(a) - beginOf(b));
  const rows = [
    ...(before === undefined ? [] : toRowsBefore(before, generation)),
    ...asked,
    ...(stream === null ? [] : toStreamRow(stream, call)),
    ...toDeliveryRows({ ...deliveries, arrivals }, sinceReceived),
  ];
  return toTimeline(rows, toMarkers(call), call.endMs);
}

interface Call {
  readonly generation: Generation;
  readonly timeline: CallTimeline | null;
  /** When the record begins, on the axis. */
  readonly startMs: number;
  readonly endMs: number;
}

const beginOf = ({ pieces }: TimelineRow): number => pieces[0]?.atMs ?? 0;

const toRow = (
  id: string,
  label: string,
  status: string,
  pieces: readonly Piece[],
  detail: readonly string[] = [],
): TimelineRow => ({ id, label, status, tone: pieces[0]?.tone ?? 'plain', pieces, detail });

const STEPS_BEFORE = ['request', 'guardrails', 'routing', 'rate_limits'] as const;

function toRowsBefore(before: CallTimeline['before_ms'], { pipeline = [] }: Generation): TimelineRow[] {
  const t = timelineMessages().rows;
  let atMs = 0;
  return STEPS_BEFORE.map((name) => {
    const { label, text } = t[name];
    const piece: Piece = { atMs, tookMs: before[name], tone: 'plain', label };
    atMs += before[name];
    const found = name === 'guardrails' ? pipeline.filter(({ type }) => type === 'guardrail').length : 0;
    const detail = found === 0 ? [text] : [text, t.findings(found)];
    return toRow(name, label, found === 0 ? '' : t.found(found), [piece], detail);
  });
}

function toStepRows({ timeline, startMs }: Call): TimelineRow[] {
  const t = timelineMessages().rows;
  return (timeline?.steps ?? []).map(({ kind, name, at_ms: at, took_ms: tookMs, has_failed: hasFailed }, index) => {
    const tone = hasFailed === true ? 'bad' : kind === 'tool' ? 'good' : 'plain';
    const label = kind === 'budget' ? t.budgets : kind === 'tool' ? t.tool(name) : name;
    const piece: Piece = { atMs: startMs + at, tookMs, tone, label };
    return toRow(`step-${index}`, label, hasFailed === true ? t.failed : '', [piece], [t.steps[kind]]);
  });
}

/** Without recorded times, the next attempt begins when the one before has failed. */
function toAttemptRows({ generation, timeline, startMs, endMs }: Call): TimelineRow[] {
  if (generation.api_type === 'video') return [];
  const t = timelineMessages().rows;
  const attempts = generation.provider_responses ?? [];
  let next = startMs;
  const begins = attempts.map(({ latency }, index) => {
    const known = timeline?.attempts_ms[index];
    const atMs = known === undefined ? next : startMs + known;
    next = atMs + (latency ?? 0);
    return atMs;
  });
  return attempts.map((attempt, index) => {
    const {
      status,
      latency,
      error,
      provider_name: name,
      model_permaslug: model,
      broke_off_after: after,
      key,
    } = attempt;
    const hasBegun = status !== null && status < 400;
    const atMs = begins[index] ?? 0;
    const waited: Piece = {
      atMs,
      tookMs: latency ?? 0,
      tone: hasBegun ? 'wait' : 'bad',
      label: hasBegun ? t.waiting : t.attemptFailed,
    };
    const relayedMs = (begins[index + 1] ?? endMs) - (atMs + (latency ?? 0));
    const relayed: Piece = { atMs: atMs + (latency ?? 0), tookMs: relayedMs, tone: 'work', label: t.completion };
    const isBroken = hasBegun && error !== undefined;
    const detail = [
      ...(model === undefined ? [] : [model]),
      ...(key === undefined ? [] : [t.withKey(key)]),
      ...(error === undefined ? [] : [`${error.code} ${error.message ?? error.error_type}`]),
      ...(after === undefined ? [] : [toSeam(after, attempts[index + 1])]),
    ];
    const row = toRow(
      `attempt-${index}`,
      `${index + 1}. ${name ?? t.unnamed}`,
      isBroken ? t.brokeOff(String(status)) : String(status ?? t.noResponse),
      hasBegun && relayedMs > 0 ? [waited, relayed] : [waited],
      detail,
    );
    return { ...row, tone: hasBegun && !isBroken ? 'good' : 'bad' };
  });
}

/** What became of a completion that broke off and was to be continued. */
const toSeam = (after: number, next: { readonly status: number | null } | undefined): string =>
  timelineMessages().rows.seam(next?.status === 200, after, formatCount(after));

/** A pause is what stands out from the others of the same stream. */
const LEAST_PAUSE_MS = 100;
const PAUSE_FACTOR = 3;

function toStreamRow(
  { gaps_ms: gaps, interval_ms: intervalMs }: StreamTimeline,
  { startMs, endMs }: Call,
): TimelineRow[] {
  const t = timelineMessages().rows;
  const later = gaps.slice(1);
  const median = later.toSorted((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0;
  // Two pauses are no rhythm to stand out from.
  const least = later.length < 5 ? LEAST_PAUSE_MS : Math.max(LEAST_PAUSE_MS, median * PAUSE_FACTOR);
  const pieces: Piece[] = [];
  let atMs = startMs;
  for (const [index, gapMs] of gaps.entries()) {
    if (index > 0 && gapMs >= least) {
      const from = Math.min(atMs + intervalMs, atMs + gapMs);
      pieces.push({ atMs: from, tookMs: gapMs - (from - atMs), tone: 'gap', label: t.gap(formatDuration(gapMs)) });
    }
    atMs += gapMs;
    const untilNext = gaps[index + 1] ?? Math.max(0, endMs - atMs);
    pieces.push({ atMs, tookMs: Math.min(intervalMs, untilNext), tone: 'work', label: t.text });
  }
  if (pieces.length === 0) return [];
  const longest = Math.max(0, ...later);
  const detail = [
    t.pieces(gaps.length, formatCount(gaps.length)),
    ...(longest === 0 ? [] : [t.longestGap(formatDuration(longest))]),
  ];
  return [toRow('stream', t.stream, '', pieces, detail)];
}

function toMarkers({ generation, startMs, endMs }: Call): Marker[] {
  if (generation.generation_time === null) return [];
  const t = timelineMessages().rows;
  const firstTokenMs = toFirstTokenMs(generation);
  const end = { atMs: endMs, label: t.end };
  return firstTokenMs === null ? [end] : [{ atMs: startMs + firstTokenMs, label: t.firstToken }, end];
}
