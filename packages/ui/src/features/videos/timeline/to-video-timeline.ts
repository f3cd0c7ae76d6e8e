import type { Generation, VideoTimeline } from '@model-gateway/core/wire';

import { formatCount } from '../../../format/quantity.ts';
import {
  type Timeline,
  type TimelineRow,
  type Marker,
  type Piece,
  toTimeline,
} from '../../../parts/timeline/timeline.ts';
import { describeResult } from '../../destinations/describe-result.ts';
import { type Deliveries, toDeliveryRows } from '../../generations/timeline/to-delivery-rows.ts';
import { videoMessages } from '../messages.ts';

interface FilmedJob {
  readonly timeline: VideoTimeline;
  /** The attempts of its generation; empty while the job is open. */
  readonly attempts: NonNullable<Generation['provider_responses']>;
  /** Milliseconds since the job was ordered; null while it is open. */
  readonly endMs: number | null;
  readonly nowMs: number;
  /** Deliveries of its generation, with the time when the job was ordered. */
  readonly deliveries?: (Deliveries & { readonly orderedAt: string }) | undefined;
}

/** Puts a video job on one axis of time, which begins when its request came. */
export function toVideoTimeline({ timeline, attempts, endMs, nowMs, deliveries }: FilmedJob): Timeline {
  const before = timeline.before_ms;
  const startMs = before === undefined ? 0 : before.request + before.guardrails + before.routing + before.rate_limits;
  const end = startMs + (endMs ?? nowMs - startMs);
  const rows: TimelineRow[] = [
    ...(before === undefined ? [] : [toRowBefore(startMs, before)]),
    ...toAttemptRows(timeline, attempts, { startMs, end }),
    toStatusRow(timeline, { startMs, end }),
    ...toPollRow(timeline, startMs),
    ...toWebhookRow(timeline, startMs),
    ...(deliveries === undefined
      ? []
      : toDeliveryRows(deliveries, (iso) => Math.max(0, Date.parse(iso) - Date.parse(deliveries.orderedAt) + startMs))),
  ];
  const last = timeline.statuses.at(-1);
  const markers: Marker[] =
    endMs === null || last === undefined ? [] : [{ atMs: startMs + last.at_ms, label: toWords(last.status) }];
  return toTimeline(rows, markers, end);
}

interface Frame {
  readonly startMs: number;
  readonly end: number;
}

const toWords = (status: string): string => videoMessages().status(status);

function toRowBefore(startMs: number, before: NonNullable<VideoTimeline['before_ms']>): TimelineRow {
  const { timeline: t } = videoMessages();
  const piece: Piece = { atMs: 0, tookMs: startMs, tone: 'plain', label: t.checks };
  const detail = [t.checksDetail(before.guardrails, before.routing, before.rate_limits)];
  return { id: 'before', label: t.checks, status: '', tone: 'plain', pieces: [piece], detail };
}

function toAttemptRows(
  timeline: VideoTimeline,
  attempts: FilmedJob['attempts'],
  { startMs, end }: Frame,
): TimelineRow[] {
  const { timeline: t } = videoMessages();
  const { attempts_ms: begins, accepted_ms: accepted } = timeline;
  return begins.map((at, index): TimelineRow => {
    const isLast = index === begins.length - 1;
    // While the job is open, only the last provider is known, which is the only one there is then.
    const known = attempts.length === begins.length ? attempts[index] : isLast ? attempts.at(-1) : undefined;
    const { provider_name: name, status = null, error, latency, key } = known ?? {};
    const isTaken = isLast && accepted !== undefined;
    const until = isTaken ? startMs + accepted : isLast ? end : startMs + (begins[index + 1] ?? at);
    const atMs = startMs + at;
    const tone = isTaken ? 'work' : isLast && error === undefined ? 'wait' : 'bad';
    const word = isTaken ? t.accepted : isLast && error === undefined ? t.submitting : `${status ?? t.noResponse}`;
    return {
      id: `attempt-${index}`,
      label: `${index + 1}. ${name ?? t.submission}`,
      status: word,
      tone: tone === 'bad' ? 'bad' : 'good',
      pieces: [{ atMs, tookMs: Math.max(0, isLast ? until - atMs : (latency ?? until - atMs)), tone, label: word }],
      detail: [
        isTaken ? t.acceptedDetail : t.submittedDetail,
        ...(key === undefined ? [] : [t.withKey(key)]),
        ...(error === undefined ? [] : [`${error.code} ${error.message ?? error.error_type}`]),
      ],
    };
  });
}

function toStatusRow({ statuses }: VideoTimeline, { startMs, end }: Frame): TimelineRow {
  const last = statuses.at(-1);
  const seen = [{ status: 'pending', at_ms: 0 }, ...statuses];
  const pieces = seen.flatMap(({ status, at_ms: at }, index): Piece[] => {
    const next = seen[index + 1];
    const isOver = next === undefined && status !== 'pending' && status !== 'in_progress';
    if (isOver) return [];
    const atMs = startMs + at;
    const until = next === undefined ? end : startMs + next.at_ms;
    const tone = status === 'pending' ? 'wait' : 'work';
    return [{ atMs, tookMs: Math.max(0, until - atMs), tone, label: toWords(status) }];
  });
  const isBad = last !== undefined && ['failed', 'expired'].includes(last.status);
  return {
    id: 'status',
    label: videoMessages().timeline.status,
    status: toWords(last?.status ?? 'pending'),
    tone: isBad ? 'bad' : 'good',
    pieces,
    detail: [videoMessages().timeline.statusDetail],
  };
}

function toPollRow({ polls, poll_count: count }: VideoTimeline, startMs: number): TimelineRow[] {
  const { timeline: t } = videoMessages();
  if (count === 0) return [];
  const failed = polls.filter(({ has_failed: hasFailed }) => hasFailed === true).length;
  const hidden = count - polls.length;
  return [
    {
      id: 'polls',
      label: t.polls,
      status: t.pollCount(formatCount(count), failed === 0 ? null : formatCount(failed)),
      tone: 'plain',
      pieces: polls.map(({ at_ms: at, took_ms: tookMs, has_failed: hasFailed, status }) => ({
        atMs: startMs + at,
        tookMs,
        tone: hasFailed === true ? 'bad' : 'work',
        label: hasFailed === true ? t.pollFailed : t.poll(status === undefined ? null : toWords(status)),
      })),
      detail: hidden > 0 ? [t.hidden(hidden, formatCount(hidden))] : [],
    },
  ];
}

function toWebhookRow({ announcements }: VideoTimeline, startMs: number): TimelineRow[] {
  const { timeline: t } = videoMessages();
  const last = announcements.at(-1);
  if (last === undefined) return [];
  return [
    {
      id: 'webhook',
      label: t.webhook,
      status: last.has_arrived ? t.delivered : t.notDelivered,
      tone: last.has_arrived ? 'good' : 'bad',
      pieces: announcements.map(({ at_ms: at, took_ms: tookMs, result, has_arrived: hasArrived }) => ({
        atMs: startMs + at,
        tookMs,
        tone: hasArrived ? 'good' : 'bad',
        label: describeResult(result),
      })),
      detail: [t.lastResult(describeResult(last.result))],
    },
  ];
}
