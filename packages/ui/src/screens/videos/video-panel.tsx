import type { VideoRow } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { allKeysQuery } from '../../api/queries.ts';
import { contentQuery, generationQuery } from '../../features/generations/content/generation-queries.ts';
import { videoMessages } from '../../features/videos/messages.ts';
import { toVideoTimeline } from '../../features/videos/timeline/to-video-timeline.ts';
import { useFilmDeliveries, VideoTimelineChart } from '../../features/videos/timeline/video-timeline.tsx';
import {
  isOpen,
  STATUS_TONES,
  videoDetailQuery,
  videoInputsQuery,
  WATCHED_MS,
  webhooksQuery,
} from '../../features/videos/video-queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatDuration } from '../../format/quantity.ts';
import { formatFull } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { MediaInputs } from '../../parts/media-inputs.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { expectDuration, JobProgress, tookMs } from './job-progress.tsx';
import { videosMessages } from './messages.tsx';
import { toSpecification } from './to-specification.ts';
import { VideoPlayer } from './video-player.tsx';
import { WebhookEntry } from './webhook-log.tsx';

interface VideoPanelProps {
  readonly job: VideoRow;
  readonly jobs: readonly VideoRow[];
  readonly onClose: () => void;
}

export function VideoPanel({ job, jobs, onClose }: VideoPanelProps) {
  const { panel: t } = videosMessages();
  const { id, status, model, error } = job;
  return (
    <SidePanel
      label={t.job(id)}
      onClose={onClose}
      title={
        <h2 className="flex items-center gap-2 font-semibold">
          <span className="truncate">{model}</span>
          <Badge tone={STATUS_TONES[status] ?? 'neutral'}>{showControls(videoMessages().status(status))}</Badge>
        </h2>
      }
      actions={<CopyButton look="quiet" label={t.copyId} text={id} />}
    >
      <div className="scroll-thin flex flex-1 flex-col gap-5 overflow-y-auto p-4">
        {isOpen(job) && <JobProgress createdAt={job.created_at} expectedMs={expectDuration(model, jobs)} isDetailed />}
        {error !== null && (
          <div className="rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm">
            <p className="mb-1 font-medium">{t.error}</p>
            <PlainText text={error} />
          </div>
        )}
        {Array.from({ length: job.videos }, (_, index) => (
          <VideoPlayer key={`${id} ${index}`} jobId={id} index={index} label={t.video(index + 1, id)} />
        ))}
        <Prompt job={job} />
        <Times job={job} />
        <JobFacts job={job} />
        <Announcement jobId={id} />
      </div>
    </SidePanel>
  );
}

function JobFacts({ job }: { job: VideoRow }) {
  const { cost, created, options, panel: t } = videosMessages();
  const { data: keys } = useQuery(allKeysQuery);
  const key = keys?.find(({ hash }) => hash === job.key_hash)?.name;
  return (
    <Facts
      facts={[
        [t.provider, job.provider_name],
        [options, toSpecification(job) ?? videosMessages().defaults],
        [cost, isOpen(job) ? t.costLater : formatUsd(job.cost)],
        [created, formatFull(job.created_at)],
        [t.ended, job.ended_at === null ? t.notYet : t.endedAt(formatFull(job.ended_at), formatDuration(tookMs(job)))],
        [t.key, key ?? (keys === undefined ? '…' : t.otherKey)],
        [t.jobId, <code className="font-mono text-xs break-all">{job.id}</code>],
        [
          t.generation,
          isOpen(job) ? (
            t.generationLater
          ) : (
            <Link
              to="/generations/$id"
              params={{ id: job.generation_id }}
              className="font-mono text-xs break-all text-accent underline"
            >
              {job.generation_id}
            </Link>
          ),
        ],
      ]}
    />
  );
}

/** The prompt, and which pictures and sounds went in: of the job while it is open, of its generation after that. */
function Prompt({ job }: { job: VideoRow }) {
  const { prompt: title, panel: t } = videosMessages();
  const isRunning = isOpen(job);
  const { data, error } = useQuery({ ...contentQuery(job.generation_id), enabled: !isRunning });
  const detail = useQuery({ ...videoDetailQuery(job.id, true), enabled: isRunning });
  const prompt = isRunning ? (detail.data?.prompt ?? undefined) : data?.input.prompt;
  const failure = isRunning ? detail.error : error;
  const isLoading = isRunning ? detail.data === undefined : data === undefined;
  const isAbsent = error instanceof ApiError && error.status === 404;
  const inputs = detail.data?.inputs ?? [];
  const whole = useQuery({ ...videoInputsQuery(job.id), enabled: isRunning && inputs.length > 0 });
  // Until it is there, and where it is not held any more, at least its beginning.
  const known = inputs.map(({ origin, ...input }) => ({ ...input, url: origin }));
  const media = isRunning ? (whole.data?.length === inputs.length ? whole.data : known) : (data?.input.media ?? []);
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-sm font-semibold">{title}</h3>
      {prompt === undefined ? (
        <p className="text-sm text-ink-faint">
          {!isRunning && isAbsent
            ? t.promptGone
            : failure !== null
              ? failure.message
              : isLoading
                ? t.loading
                : t.promptNone}
        </p>
      ) : (
        <PlainText text={prompt} />
      )}
      <MediaInputs media={media} />
    </section>
  );
}

const ENDED_MS = 5000;

/** Submission, polls, status, announcements and deliveries on one axis; it grows while the job is open. */
function Times({ job }: { job: VideoRow }) {
  const { panel: t } = videosMessages();
  const isRunning = isOpen(job);
  const query = useQuery(videoDetailQuery(job.id, isRunning, isRunning ? WATCHED_MS : ENDED_MS));
  const { data, error, refetch, dataUpdatedAt } = query;
  const generation = useQuery({ ...generationQuery(job.generation_id), enabled: !isRunning });
  const attempts = generation.data?.provider_responses;
  const deliveries = useFilmDeliveries(job.generation_id, !isRunning);
  const timeline = useMemo(() => {
    if (data?.timeline == null) return data?.timeline;
    const nowMs = Math.max(0, dataUpdatedAt - Date.parse(job.created_at));
    const asked = attempts ?? [{ provider_name: job.provider_name, status: null }];
    return toVideoTimeline({
      timeline: data.timeline,
      attempts: asked,
      endMs: tookMs(job),
      nowMs,
      deliveries: { ...deliveries, orderedAt: job.created_at },
    });
  }, [data, attempts, job, dataUpdatedAt, deliveries]);
  return (
    <section aria-label={t.times} className="-mx-4">
      <h3 className="px-4 text-sm font-semibold">{t.times}</h3>
      <VideoTimelineChart timeline={timeline} error={error} onRetry={() => void refetch()} />
    </section>
  );
}

function Announcement({ jobId }: { jobId: string }) {
  const { data } = useQuery(webhooksQuery);
  const delivery = data?.data.find(({ job_id: of }) => of === jobId);
  if (delivery === undefined) return null;
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">{videosMessages().panel.webhook}</h3>
      <WebhookEntry delivery={delivery} />
    </section>
  );
}
