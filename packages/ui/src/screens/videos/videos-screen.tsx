import type { VideoRow } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus, Video } from 'lucide-react';
import { useMemo, useState } from 'react';

import { ListBody, ListScreen, type SearchChange, useSearchChange } from '../../features/list-screen/list-screen.tsx';
import { isOpen, STATUS_TONES, videosQuery } from '../../features/videos/video-queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { expectDuration, JobProgress, tookMs } from './job-progress.tsx';
import { NewVideo } from './new-video.tsx';
import { toSpecification, VideoPanel } from './video-panel.tsx';
import type { VideoSearch } from './video-search.ts';
import { WebhookLog } from './webhook-log.tsx';

export function VideosScreen() {
  const search = useSearch({ from: '/videos' });
  const change = useSearchChange<VideoSearch>('/videos');
  const [isCreating, setIsCreating] = useState(false);
  const { data } = useQuery(videosQuery);
  const jobs = data?.data ?? [];
  const opened = jobs.find(({ id }) => id === search.open);
  const view = search.view === 'webhooks' ? 'webhooks' : 'jobs';
  const create = (): void => setIsCreating(true);
  return (
    <ListScreen
      title="Videos"
      note="Only completed videos are billed."
      actions={
        <>
          <Choice
            label="What to list"
            value={view}
            onChange={(next) => change({ view: next === 'jobs' ? undefined : next })}
            options={{ jobs: 'Jobs', webhooks: 'Webhooks' }}
          />
          <Button look="primary" icon={<Plus size={15} />} onClick={create}>
            New video
          </Button>
        </>
      }
      filters={view === 'jobs' && jobs.length > 0 && <Filters search={search} jobs={jobs} onChange={change} />}
      opened={
        <>
          {opened !== undefined && <VideoPanel job={opened} jobs={jobs} onClose={() => change({ open: undefined })} />}
          {isCreating && (
            <NewVideo
              onClose={() => setIsCreating(false)}
              onStarted={(id) => {
                setIsCreating(false);
                change({ open: id, view: undefined });
              }}
            />
          )}
        </>
      }
    >
      {view === 'jobs' ? (
        <JobList search={search} onChange={change} onCreate={create} />
      ) : (
        <WebhookLog onOpen={(id) => change({ open: id })} />
      )}
    </ListScreen>
  );
}

interface JobListProps {
  readonly search: VideoSearch;
  readonly onChange: (change: SearchChange<VideoSearch>) => void;
  readonly onCreate: () => void;
}

function JobList({ search: { status, model, open }, onChange, onCreate }: JobListProps) {
  const query = useQuery(videosQuery);
  const jobs = query.data?.data;
  const columns = useMemo(() => toColumns(jobs ?? []), [jobs]);
  const shown = jobs?.filter(
    (job) => (status === undefined || job.status === status) && (model === undefined || job.model === model),
  );
  return (
    <ListBody
      what="jobs"
      query={query}
      isKept
      rows={shown}
      empty={
        jobs?.length === 0 ? (
          <NoJobs onCreate={onCreate} />
        ) : (
          <EmptyState title="No matching jobs">
            <p>
              None of {formatCount(jobs?.length)} is{' '}
              {status === undefined ? 'of this model' : `“${status.replaceAll('_', ' ')}”`}.
            </p>
            <Button onClick={() => onChange({ status: undefined, model: undefined })}>Clear the filter</Button>
          </EmptyState>
        )
      }
    >
      {(rows) => (
        <VirtualTable
          label="Video jobs"
          rows={rows}
          columns={columns}
          idOf={({ id }) => id}
          total={status === undefined && model === undefined ? query.data?.total_count : rows.length}
          openId={open}
          onOpen={({ id }) => onChange({ open: id })}
        />
      )}
    </ListBody>
  );
}

function NoJobs({ onCreate }: { onCreate: () => void }) {
  return (
    <EmptyState icon={<Video size={22} />} title="No videos yet">
      <p>
        Start one here, or with <code className="font-mono text-xs">POST /api/v1/videos</code>. Progress, video and cost
        appear here.
      </p>
      <Button onClick={onCreate}>New video</Button>
    </EmptyState>
  );
}

interface FiltersProps {
  readonly search: VideoSearch;
  readonly jobs: readonly VideoRow[];
  readonly onChange: (change: SearchChange<VideoSearch>) => void;
}

function Filters({ search, jobs, onChange }: FiltersProps) {
  const statuses = [...new Set([...Object.keys(STATUS_TONES), ...jobs.map(({ status }) => status)])];
  const models = [...new Set(jobs.map(({ model }) => model))].toSorted((a, b) => a.localeCompare(b));
  const cost = jobs.reduce((sum, job) => sum + (job.cost ?? 0), 0);
  return (
    <div role="search" className="flex flex-wrap items-center gap-2">
      <FilterSelect
        label="Status"
        any="Any status"
        value={search.status}
        options={statuses.map((status) => [status, status.replaceAll('_', ' ')] as const)}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label="Model"
        any="Any model"
        value={search.model}
        options={models}
        onChange={(model) => onChange({ model })}
      />
      <span className="figures flex-1 text-right text-sm whitespace-nowrap text-ink-faint">
        total {formatUsd(cost)}
      </span>
    </div>
  );
}

const toColumns = (jobs: readonly VideoRow[]): readonly Column<VideoRow>[] => [
  {
    id: 'began',
    leaves: 3,
    header: 'Created',
    width: '136px',
    cell: ({ created_at: at }) => (
      <Moment at={at} className="figures">
        {formatMoment(at)}
      </Moment>
    ),
  },
  {
    id: 'model',
    header: 'Model',
    width: 'minmax(130px,2fr)',
    narrow: { width: 'minmax(96px,2fr)' },
    cell: ({ model }) => model,
  },
  { id: 'asked', leaves: 1, header: 'Options', width: 'minmax(120px,1fr)', cell: toSpecification },
  {
    id: 'status',
    header: 'Status',
    width: '110px',
    narrow: { width: '92px' },
    cell: ({ status }) => (
      <Badge tone={STATUS_TONES[status] ?? 'neutral'}>{showControls(status).replaceAll('_', ' ')}</Badge>
    ),
  },
  {
    id: 'progress',
    leaves: 2,
    header: 'Progress',
    width: 'minmax(120px,2fr)',
    cell: (job) =>
      isOpen(job) ? (
        <JobProgress createdAt={job.created_at} expectedMs={expectDuration(job.model, jobs)} />
      ) : job.error === null ? (
        <span className="text-ink-faint">took {formatDuration(tookMs(job))}</span>
      ) : (
        <span className="text-bad" title={showControls(job.error)}>
          {showControls(job.error)}
        </span>
      ),
  },
  {
    id: 'cost',
    header: 'Cost',
    width: '104px',
    narrow: { width: '90px' },
    isNumeric: true,
    cell: (job) => (isOpen(job) ? '' : formatUsd(job.cost)),
  },
];
