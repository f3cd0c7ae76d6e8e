import type { VideoRow } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { ApiError } from '../../api/api-error.ts';
import { keysQuery } from '../../api/queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatDuration } from '../../format/quantity.ts';
import { formatFull } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { contentQuery } from '../generations/content/generation-queries.ts';
import { expectDuration, tookMs } from './expect-duration.ts';
import { JobProgress } from './job-progress.tsx';
import { VideoPlayer } from './video-player.tsx';
import { isOpen, STATUS_TONES, webhooksQuery } from './video-queries.ts';
import { WebhookEntry } from './webhook-log.tsx';

interface VideoPanelProps {
  readonly job: VideoRow;
  readonly jobs: readonly VideoRow[];
  readonly onClose: () => void;
}

export function VideoPanel({ job, jobs, onClose }: VideoPanelProps) {
  const { id, status, model, error } = job;
  return (
    <SidePanel
      label={`Video job ${id}`}
      onClose={onClose}
      title={
        <h2 className="flex items-center gap-2 font-semibold">
          <span className="truncate">{model}</span>
          <Badge tone={STATUS_TONES[status] ?? 'neutral'}>{showControls(status).replaceAll('_', ' ')}</Badge>
        </h2>
      }
      actions={<CopyButton look="quiet" label="Copy id" text={id} />}
    >
      <div className="scroll-thin flex flex-1 flex-col gap-5 overflow-y-auto p-4">
        {isOpen(job) && <JobProgress createdAt={job.created_at} expectedMs={expectDuration(model, jobs)} isDetailed />}
        {error !== null && (
          <div className="rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm">
            <p className="mb-1 font-medium">Why there is no video</p>
            <PlainText text={error} />
          </div>
        )}
        {Array.from({ length: job.videos }, (_, index) => (
          <VideoPlayer key={`${id} ${index}`} jobId={id} index={index} label={`Video ${index + 1} of job ${id}`} />
        ))}
        <Prompt job={job} />
        <JobFacts job={job} />
        <Announcement jobId={id} />
      </div>
    </SidePanel>
  );
}

function JobFacts({ job }: { job: VideoRow }) {
  const { data: keys = [] } = useQuery(keysQuery);
  const key = keys.find(({ hash }) => hash === job.key_hash)?.name;
  return (
    <Facts
      facts={[
        ['Provider', job.provider_name],
        ['Asked for', toSpecification(job)],
        ['Cost', isOpen(job) ? 'known when it ends' : formatUsd(job.cost)],
        ['Began', formatFull(job.created_at)],
        [
          'Ended',
          job.ended_at === null ? 'not yet' : `${formatFull(job.ended_at)}, after ${formatDuration(tookMs(job))}`,
        ],
        ['Key', key ?? 'of the configuration or the desktop'],
        ['Job', <code className="font-mono text-xs break-all">{job.id}</code>],
        [
          'Generation',
          isOpen(job) ? (
            'recorded when it ends'
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

/** `4 s · 640x360`. */
export function toSpecification({ duration, size, resolution, aspect_ratio: ratio }: VideoRow): string {
  const parts = [duration === null ? null : `${duration} s`, size, ...(size === null ? [resolution, ratio] : [])];
  return parts.filter((part) => part !== null).join(' · ') || 'the defaults';
}

function Prompt({ job }: { job: VideoRow }) {
  const { data, error } = useQuery({ ...contentQuery(job.generation_id), enabled: !isOpen(job) });
  const isAbsent = error instanceof ApiError && error.status === 404;
  return (
    <section>
      <h3 className="mb-1 text-sm font-semibold">Prompt</h3>
      {data?.input.prompt === undefined ? (
        <p className="text-sm text-ink-faint">
          {isOpen(job)
            ? 'Shown with the generation, when the job has ended.'
            : isAbsent
              ? 'Not stored: contents are switched off, or were deleted.'
              : error === null
                ? 'Loading…'
                : error.message}
        </p>
      ) : (
        <PlainText text={data.input.prompt} />
      )}
    </section>
  );
}

function Announcement({ jobId }: { jobId: string }) {
  const { data } = useQuery(webhooksQuery);
  const delivery = data?.data.find(({ job_id: of }) => of === jobId);
  if (delivery === undefined) return null;
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">Webhook</h3>
      <WebhookEntry delivery={delivery} />
    </section>
  );
}
