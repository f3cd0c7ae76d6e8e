import type { VideoModel } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';

import { type Caller, callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { KeyCard } from '../../features/playground/key-card.tsx';
import { usePlaygroundCaller } from '../../features/playground/playground-key.ts';
import { videoModelsQuery, videosQuery } from '../../features/videos/video-queries.ts';
import { formatUsd } from '../../format/money.ts';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledSelect, LabelledText } from '../../parts/controls/labelled.tsx';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { scrollIntoView } from '../../parts/scroll-into-view.ts';
import { estimatePrice, toVideoBody, toVideoDraft, type VideoDraft } from './video-draft.ts';
import { VideoFields } from './video-fields.tsx';

interface NewVideoProps {
  readonly onClose: () => void;
  readonly onStarted: (jobId: string) => void;
}

/** Starts a job, as the playground starts a chat: with the playground's key, and recorded like every other call. */
export function NewVideo(props: NewVideoProps) {
  const caller = usePlaygroundCaller();
  const models = useQuery(videoModelsQuery);
  const keys = useQuery(keysQuery);
  const [first] = models.data ?? [];
  if (caller != null && first !== undefined)
    return <VideoForm {...props} caller={caller} models={models.data ?? []} first={first} />;
  return (
    <Dialog title="New video" width="wide" onClose={props.onClose}>
      {caller === null ? (
        <KeyCard title="A video needs an API key" />
      ) : models.data === undefined || models.error !== null ? (
        <NotLoaded what="models" failure="The models could not be loaded" query={models} isFlush />
      ) : caller === undefined ? (
        <NotLoaded what="models" failure="The keys could not be loaded" query={keys} isFlush />
      ) : (
        <EmptyState title="No video models">Add a model with the output modality “video”.</EmptyState>
      )}
    </Dialog>
  );
}

interface VideoFormProps extends NewVideoProps {
  readonly caller: Caller;
  readonly models: readonly VideoModel[];
  readonly first: VideoModel;
}

function VideoForm({ caller, models, first, onClose, onStarted }: VideoFormProps) {
  const formId = useId();
  const client = useQueryClient();
  const [model, setModel] = useState(first);
  const [draft, setDraft] = useState(() => toVideoDraft(first));
  const start = useMutation({
    mutationFn: () =>
      callApi<{ id: string }>('/api/v1/videos', { method: 'POST', body: toVideoBody(model, draft), caller }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: videosQuery.queryKey });
      onStarted(id);
    },
  });
  // A file is read while one types.
  const change = (part: Partial<VideoDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const price = estimatePrice(model, draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Dialog
      title="New video"
      width="wide"
      onClose={onClose}
      actions={
        <>
          <p className="flex-1 self-center text-sm text-ink-faint">
            {price === null ? 'The cost is known when it ends.' : `About ${formatUsd(price)}, charged if it completes`}
          </p>
          <FormActions formId={formId} submit="Start" isBusy={start.isPending} onClose={onClose} />
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <LabelledSelect
          label="Model"
          hint={model.description || undefined}
          error={issueFor(start.error, 'model')}
          value={model.id}
          options={models.map(({ id, name }) => [id, `${name} (${id})`] as const)}
          onChange={(text) => {
            const next = models.find(({ id }) => id === text) ?? first;
            setModel(next);
            setDraft({ ...toVideoDraft(next, draft.prompt), callbackUrl: draft.callbackUrl });
          }}
        />
        <LabelledText
          label="Prompt"
          error={issueFor(start.error, 'prompt')}
          data-first-focus
          rows={3}
          placeholder="A fox in the snow, at dusk"
          value={draft.prompt}
          onChange={(prompt) => change({ prompt })}
        />
        <VideoFields model={model} draft={draft} onChange={change} error={start.error} />
        {start.error !== null && (
          <div ref={scrollIntoView}>
            <UnsavedPanel error={start.error} title="Could not start" onRetry={() => start.mutate()} />
          </div>
        )}
      </form>
    </Dialog>
  );
}
