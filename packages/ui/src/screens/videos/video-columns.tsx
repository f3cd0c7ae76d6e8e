import type { VideoRow } from '@model-gateway/core/wire';

import { videoMessages } from '../../features/videos/messages.ts';
import { isOpen, STATUS_TONES } from '../../features/videos/video-queries.ts';
import { formatUsd, toUsdColumn } from '../../format/money.ts';
import { formatDuration } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { expectDuration, JobProgress, tookMs } from './job-progress.tsx';
import { videosMessages } from './messages.tsx';
import { toSpecification } from './to-specification.ts';
import { VideoPrompt } from './video-prompt.tsx';
import { VideoThumbnail } from './video-thumbnail.tsx';

/** The columns of the list of jobs. What was wanted comes first and stays; how long a job is to take depends on the others. */
export function toVideoColumns(jobs: readonly VideoRow[]): readonly Column<VideoRow>[] {
  const t = videosMessages();
  const writeUsd = toUsdColumn(jobs.map(({ cost }) => cost));
  return [
    {
      id: 'video',
      header: t.list.video,
      width: 'minmax(228px,4fr)',
      narrow: { width: 'minmax(150px,4fr)' },
      cell: (job) => (
        <div className="flex items-center gap-3">
          <VideoThumbnail job={job} />
          <div className="min-w-0 flex-1 leading-tight">
            <p className="truncate">
              <VideoPrompt job={job} jobs={jobs} />
            </p>
            <Description job={job} />
          </div>
        </div>
      ),
    },
    {
      id: 'status',
      header: t.status,
      width: '104px',
      narrow: { width: '100px' },
      cell: ({ status }) => <JobStatus status={status} />,
    },
    {
      id: 'duration',
      leaves: 1,
      header: t.list.duration,
      width: 'minmax(110px,1fr)',
      cell: (job) =>
        isOpen(job) ? (
          <JobProgress createdAt={job.created_at} expectedMs={expectDuration(job.model, jobs)} />
        ) : job.error === null ? (
          formatDuration(tookMs(job))
        ) : (
          '—'
        ),
    },
    {
      id: 'began',
      leaves: 2,
      header: t.created,
      width: '136px',
      cell: ({ created_at: at }) => (
        <Moment at={at} className="figures text-ink-soft">
          {formatMoment(at)}
        </Moment>
      ),
    },
    {
      id: 'cost',
      header: t.cost,
      width: 'minmax(76px,0.6fr)',
      narrow: { width: '64px', cell: (job) => (isOpen(job) ? '' : formatUsd(job.cost)) },
      isNumeric: true,
      cell: (job) => (isOpen(job) ? '' : writeUsd(job.cost)),
    },
  ];
}

/** The model and what was asked of it; of a job that failed, the reason. */
function Description({ job }: { job: VideoRow }) {
  const text = job.error === null ? toDescription(job) : showControls(job.error);
  return (
    <p className={`mt-0.5 truncate text-xs ${job.error === null ? 'text-ink-faint' : 'text-bad'}`} title={text}>
      {text}
    </p>
  );
}

const toDescription = (job: VideoRow): string =>
  [job.model, toSpecification(job)].filter((part) => part !== null).join(' · ');

/** Only what is not as one wants it stands out. */
function JobStatus({ status }: { status: string }) {
  const word = showControls(videoMessages().status(status));
  if (status === 'completed') return <span className="text-ink-soft">{word}</span>;
  return <Badge tone={STATUS_TONES[status] ?? 'neutral'}>{word}</Badge>;
}
