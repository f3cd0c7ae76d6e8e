import type { DestinationArrival, Generation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';

import { describeResult } from '../../../features/destinations/describe-result.ts';
import { deliveriesQuery, destinationsQuery } from '../../../features/destinations/destination-queries.ts';
import { callTimelineQuery } from '../../../features/generations/content/generation-queries.ts';
import { toVideoTimeline } from '../../../features/videos/timeline/to-video-timeline.ts';
import { VideoTimelineChart, useFilmDeliveries } from '../../../features/videos/timeline/video-timeline.tsx';
import { videoDetailQuery } from '../../../features/videos/video-queries.ts';
import { formatDuration } from '../../../format/quantity.ts';
import { formatFull, formatRelative } from '../../../format/time.ts';
import { Badge, DeliveryStateBadge } from '../../../parts/badge.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Choice } from '../../../parts/controls/field.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { Code } from '../../../parts/text/code.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { TimelineChart } from '../../../parts/timeline/timeline-chart.tsx';
import { WithContent } from '../content/with-content.tsx';
import { CostTable } from '../cost/cost-table.tsx';
import { costMessages } from '../cost/messages.ts';
import { UsageFacts } from '../cost/usage-and-cost.tsx';
import { Conversation } from '../detail/conversation.tsx';
import { hasKindContent, KindContent } from '../detail/kind-content.tsx';
import { detailMessages } from '../detail/messages.ts';
import { StreamTab } from '../replay/stream-tab.tsx';
import { Attempts } from './attempts.tsx';
import { EndpointOutcomes } from './endpoint-outcomes.tsx';
import { timelineMessages } from './messages.ts';
import { toCallTimeline } from './to-call-timeline.ts';

export type TimelinePane = 'conversation' | 'stream';

interface TimelineTabProps {
  readonly generation: Generation;
  readonly pane: TimelinePane;
  readonly onPane: (pane: TimelinePane) => void;
}

/** A request on one axis of time, beside it the conversation, and the reasons for its routing. */
export function TimelineTab({ generation, pane, onPane }: TimelineTabProps) {
  const t = timelineMessages().tab;
  const { id, api_type: kind } = generation;
  const isStreamShown = pane === 'stream' && kind === 'completions';
  const [isPlain, setIsPlain] = useState(false);
  const { conversation: raw } = detailMessages();
  return (
    <div className="@container h-full">
      <div className="scroll-thin h-full overflow-y-auto @5xl:grid @5xl:grid-cols-2 @5xl:grid-rows-[fit-content(60%)_minmax(0,1fr)] @5xl:overflow-hidden">
        <div className="scroll-thin min-h-0 min-w-0 @5xl:overflow-y-auto">
          {kind === 'video' ? (
            <FilmTimelineChart generation={generation} />
          ) : (
            <CallTimelineChart generation={generation} />
          )}
        </div>
        <div
          className={classNames(
            'flex min-h-0 min-w-0 flex-col @5xl:row-span-2 @5xl:h-auto @5xl:border-l @5xl:border-line',
            isStreamShown && 'h-[38rem]',
          )}
        >
          <div className="flex items-center justify-between gap-2 px-4 pt-2">
            {kind === 'completions' && (
              <Choice
                label={t.beside}
                value={pane}
                options={{ conversation: t.conversation, stream: t.stream }}
                onChange={onPane}
              />
            )}
            {!isStreamShown && (
              <Button look="quiet" className="ml-auto" aria-pressed={isPlain} onClick={() => setIsPlain(!isPlain)}>
                {isPlain ? raw.formatted : raw.raw}
              </Button>
            )}
          </div>
          <div className="min-h-0 flex-1">
            <WithContent id={id}>
              {(content) =>
                isStreamShown ? (
                  <StreamTab generation={generation} output={content.output} error={content.error} />
                ) : hasKindContent(kind) && !isPlain ? (
                  <KindContent kind={kind} content={content} />
                ) : (
                  <Conversation content={content} isPlain={isPlain} />
                )
              }
            </WithContent>
          </div>
        </div>
        <div className="scroll-thin min-h-0 min-w-0 border-t border-line @5xl:overflow-y-auto @5xl:border-t-0">
          <Reasons generation={generation} />
        </div>
      </div>
    </div>
  );
}

/** A delivery follows its call within a second or two. */
const ARRIVING_MS = 60_000;
const ARRIVING_STEP_MS = 2000;

function CallTimelineChart({ generation }: { generation: Generation }) {
  const t = timelineMessages().tab;
  const { id, created_at: createdAt, generation_time: tookMs } = generation;
  const { data: destinations = [] } = useQuery(destinationsQuery);
  const hasDestinations = destinations.length > 0;
  const isArriving = hasDestinations && Date.now() - Date.parse(createdAt) - (tookMs ?? 0) < ARRIVING_MS;
  const query = useQuery({
    ...callTimelineQuery(id),
    refetchInterval: ({ state }) => isArriving && state.data?.arrivals.length === 0 && ARRIVING_STEP_MS,
  });
  const { data, error } = query;
  const { data: deliveries } = useQuery({ ...deliveriesQuery(), enabled: hasDestinations });
  const timeline = useMemo(() => {
    if (data === undefined) return null;
    const names = new Map(destinations.map((destination) => [destination.id, destination.name]));
    const waiting = deliveries?.data.filter(({ generation_ids: ids }) => ids.includes(id)) ?? [];
    return toCallTimeline(generation, data, { destinations: names, waiting });
  }, [generation, data, destinations, deliveries, id]);
  if (timeline === null || error !== null) return <NotLoaded what={t.times} failure={t.timesNotLoaded} query={query} />;
  if (timeline.rows.length === 0) {
    return <p className="px-4 py-2 text-sm text-ink-faint">{t.noTimes}</p>;
  }
  return <TimelineChart label={t.chart} timeline={timeline} note={data?.call === null ? t.someMissing : undefined} />;
}

function FilmTimelineChart({ generation }: { generation: Generation }) {
  const {
    id,
    request_id: jobId,
    created_at: orderedAt,
    generation_time: tookMs,
    provider_responses: attempts,
  } = generation;
  const { data, error, refetch } = useQuery(videoDetailQuery(jobId ?? ''));
  const deliveries = useFilmDeliveries(id, true);
  const timeline = useMemo(
    () =>
      data?.timeline &&
      toVideoTimeline({
        timeline: data.timeline,
        attempts: attempts ?? [],
        endMs: tookMs,
        nowMs: tookMs ?? 0,
        deliveries: { ...deliveries, orderedAt },
      }),
    [data, attempts, tookMs, deliveries, orderedAt],
  );
  return <VideoTimelineChart timeline={timeline} error={error} onRetry={() => void refetch()} />;
}

/** Why it went where it went, what guardrails and tools did, and what became of its deliveries. */
function Reasons({ generation }: { generation: Generation }) {
  const t = timelineMessages();
  const { id, api_type: kind, request_id: jobId, provider_responses: attempts, pipeline } = generation;
  const isVideo = kind === 'video';
  const { data: report } = useQuery(callTimelineQuery(id));
  const { data: film } = useQuery({ ...videoDetailQuery(jobId ?? ''), enabled: isVideo });
  const { data: destinations = [] } = useQuery(destinationsQuery);
  const decision = report?.call?.decision ?? film?.timeline?.decision;
  return (
    <div className="flex flex-col gap-4 p-4">
      <Section title={t.tab.attempts}>
        <Attempts generation={generation} />
      </Section>
      {decision !== undefined && (
        <Section title={t.tab.endpoints}>
          <EndpointOutcomes decision={decision} attempts={attempts ?? []} />
        </Section>
      )}
      {pipeline !== undefined && pipeline.length > 0 && (
        <Section title={t.tab.findings}>
          <GuardrailFindings stages={pipeline} />
        </Section>
      )}
      {destinations.length > 0 && (
        <Section title={t.deliveries.title}>
          <Deliveries id={id} arrivals={report?.arrivals ?? []} />
        </Section>
      )}
      {/* A wide window has room for what is otherwise a tab away. */}
      <div className="hidden gap-8 @7xl:flex">
        {report?.call?.charges !== undefined && (
          <Section title={costMessages().cost}>
            <CostTable generation={generation} />
          </Section>
        )}
        <Section title={costMessages().usage}>
          <UsageFacts generation={generation} />
        </Section>
      </div>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-1 flex-col gap-2">
      <h2 className="text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** What guardrails, plugins and tools did to a request. */
function GuardrailFindings({ stages }: { stages: NonNullable<Generation['pipeline']> }) {
  const t = timelineMessages().tab;
  return (
    <ol aria-label={t.findingList} className="flex flex-col gap-2">
      {stages.map((stage, at) => (
        <li key={at} className="rounded-lg border border-line p-3 text-sm">
          <div className="flex flex-wrap items-center gap-2">
            <Badge tone="caution">{showControls(stage.type)}</Badge>
            <span className="font-medium break-words">{showControls(stage.name)}</span>
          </div>
          <pre
            tabIndex={0}
            aria-label={t.detailsOf(stage.name)}
            className="scroll-thin mt-2 overflow-x-auto font-mono text-xs text-ink-soft"
          >
            <Code text={JSON.stringify(stage['data'] ?? stage, null, 2)} language="json" />
          </pre>
        </li>
      ))}
    </ol>
  );
}

interface DeliveriesProps {
  readonly id: string;
  readonly arrivals: readonly DestinationArrival[];
}

/** Where the generation has arrived, as far as that is known, and where it has not, or will not any more. */
function Deliveries({ id, arrivals }: DeliveriesProps) {
  const t = timelineMessages().deliveries;
  const query = useQuery(deliveriesQuery());
  const { data, error } = query;
  const { data: destinations = [] } = useQuery(destinationsQuery);
  if (data === undefined || error !== null)
    return <NotLoaded what={t.what} failure={t.notLoaded} query={query} isFlush />;
  const left = data.data.filter(({ generation_ids: ids }) => ids.includes(id));
  const nameOf = (destinationId: string): string =>
    showControls(destinations.find((destination) => destination.id === destinationId)?.name ?? t.aDestination);
  if (left.length === 0 && arrivals.length === 0) {
    return <p className="text-sm text-ink-soft">{t.none}</p>;
  }
  return (
    <ul aria-label={t.title} className="flex flex-col gap-2">
      {arrivals.map(
        ({ destination_id: destinationId, sent_at: at, took_ms: tookMs, has_arrived: hasArrived, result }) => (
          <li key={`${destinationId} ${at}`} className="rounded-lg border border-line p-3 text-sm">
            <div className="flex flex-wrap items-center gap-2">
              {hasArrived ? (
                <DeliveryStateBadge state="delivered" />
              ) : (
                <Badge tone="bad">{describeResult(result)}</Badge>
              )}
              <Link to="/destinations" search={{ open: destinationId }} className="font-medium text-accent underline">
                {nameOf(destinationId)}
              </Link>
              <span className="figures text-ink-faint">{t.sent(formatFull(at), formatDuration(tookMs))}</span>
            </div>
          </li>
        ),
      )}
      {left.map((delivery) => (
        <li key={delivery.id} className="rounded-lg border border-line p-3 text-sm">
          <div className="flex flex-wrap items-center gap-2">
            <DeliveryStateBadge state={delivery.state} />
            <Link
              to="/destinations"
              search={{ open: delivery.destination_id }}
              className="font-medium text-accent underline"
            >
              {nameOf(delivery.destination_id)}
            </Link>
            <span className="text-ink-faint">{t.attempts(delivery.attempts)}</span>
          </div>
          <p className="mt-1 text-ink-soft">
            {delivery.last_result === null ? t.notAttempted : describeResult(delivery.last_result)}
          </p>
          {delivery.next_attempt_at !== null && (
            <p className="text-xs text-ink-faint" title={formatFull(delivery.next_attempt_at)}>
              {t.next(formatRelative(delivery.next_attempt_at))}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
