import type { GenerationRow, VideoRow } from '@model-gateway/core/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import type { GenerationList } from '../../api/types.ts';
import { isOpen, videoDetailQuery } from '../../features/videos/video-queries.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { videosMessages } from './messages.tsx';
import { toBatch } from './to-batch.ts';

type Preview = Pick<GenerationRow, 'id' | 'prompt_preview'>;

/** How the prompts of ended jobs begin, by the ids of their generations; with these they are deleted. */
const previewsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['videos', 'prompts', ids],
    queryFn: async ({ signal }) => {
      const query = { id: ids.join(','), fields: 'id,prompt_preview', limit: ids.length };
      const { data } = await callApi<GenerationList<Preview>>('/admin/v1/generations', { query, signal });
      return new Map(data.map(({ id, prompt_preview: preview }) => [id, preview]));
    },
    staleTime: 60_000,
  });

/** How the prompt of a job begins. Those of ended jobs are read together with their neighbours'. */
export function VideoPrompt({ job, jobs }: { job: VideoRow; jobs: readonly VideoRow[] }) {
  const isRunning = isOpen(job);
  const { data: detail } = useQuery({ ...videoDetailQuery(job.id, true), enabled: isRunning });
  const { data: previews } = useQuery({ ...previewsQuery(toBatch(job, jobs)), enabled: !isRunning });
  const isLoaded = isRunning ? detail !== undefined : previews !== undefined;
  const prompt = isRunning ? detail?.prompt : previews?.get(job.generation_id);
  if (!isLoaded) return <span className="text-ink-faint">…</span>;
  if (prompt == null || prompt.trim() === '')
    return <span className="text-ink-faint">{videosMessages().list.promptNotStored}</span>;
  return <span title={showControls(prompt)}>{showControls(prompt)}</span>;
}
