import type { VideoRow } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus, Video } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useTask } from '../../app/tasks.ts';
import { ListBody, ListScreen, type SearchChange, useSearchChange } from '../../features/list-screen/list-screen.tsx';
import { videoMessages } from '../../features/videos/messages.ts';
import { STATUS_TONES, videosQuery } from '../../features/videos/video-queries.ts';
import { formatUsd } from '../../format/money.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { videosMessages } from './messages.tsx';
import { NewVideo } from './new-video.tsx';
import { toVideoColumns } from './video-columns.tsx';
import { VideoPanel } from './video-panel.tsx';
import type { VideoSearch } from './video-search.ts';
import { WebhookLog } from './webhook-log.tsx';

export function VideosScreen() {
  const search = useSearch({ from: '/videos' });
  const change = useSearchChange<VideoSearch>('/videos');
  const [isCreating, setIsCreating] = useState(false);
  useTask('new-video', () => setIsCreating(true));
  const { data } = useQuery(videosQuery);
  const jobs = data?.data ?? [];
  const opened = jobs.find(({ id }) => id === search.open);
  const t = videosMessages();
  const view = search.view === 'webhooks' ? 'webhooks' : 'jobs';
  const create = (): void => setIsCreating(true);
  return (
    <ListScreen
      title={t.title}
      actions={
        <>
          <Choice
            label={t.list.view}
            value={view}
            onChange={(next) => change({ view: next === 'jobs' ? undefined : next })}
            options={{ jobs: t.list.jobs, webhooks: t.list.webhooks }}
          />
          <Button look="primary" icon={<Plus size={15} />} onClick={create}>
            {t.newVideo}
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
  const { list: t } = videosMessages();
  const columns = useMemo(() => toVideoColumns(jobs ?? []), [jobs]);
  const shown = jobs?.filter(
    (job) => (status === undefined || job.status === status) && (model === undefined || job.model === model),
  );
  return (
    <ListBody
      what={t.what}
      failure={t.notLoaded}
      query={query}
      rows={shown}
      empty={
        jobs?.length === 0 ? (
          <NoJobs onCreate={onCreate} />
        ) : (
          <EmptyState title={t.noMatch}>
            <p>{t.noMatchOf(jobs?.length ?? 0)}</p>
            <Button onClick={() => onChange({ status: undefined, model: undefined })}>{t.clear}</Button>
          </EmptyState>
        )
      }
    >
      {(rows) => (
        <VirtualTable
          label={t.label}
          lines={2}
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
  const { newVideo, list: t } = videosMessages();
  return (
    <EmptyState icon={<Video size={22} />} title={t.empty}>
      <p>{t.emptyHint(<code className="font-mono text-xs">POST /api/v1/videos</code>)}</p>
      <Button onClick={onCreate}>{newVideo}</Button>
    </EmptyState>
  );
}

interface FiltersProps {
  readonly search: VideoSearch;
  readonly jobs: readonly VideoRow[];
  readonly onChange: (change: SearchChange<VideoSearch>) => void;
}

function Filters({ search, jobs, onChange }: FiltersProps) {
  const t = videosMessages();
  const statuses = [...new Set([...Object.keys(STATUS_TONES), ...jobs.map(({ status }) => status)])];
  const models = [...new Set(jobs.map(({ model }) => model))].toSorted((a, b) => a.localeCompare(b));
  const cost = jobs.reduce((sum, job) => sum + (job.cost ?? 0), 0);
  return (
    <div role="search" className="flex flex-wrap items-center gap-2">
      <FilterSelect
        label={t.status}
        any={t.list.anyStatus}
        value={search.status}
        options={statuses.map((status) => [status, videoMessages().status(status)] as const)}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label={t.model}
        any={t.list.anyModel}
        value={search.model}
        options={models}
        onChange={(model) => onChange({ model })}
      />
      <span className="figures flex-1 text-right text-sm whitespace-nowrap text-ink-faint">
        {t.list.total(formatUsd(cost))}
      </span>
    </div>
  );
}
