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
import { videosMessages } from './messages.tsx';
import { estimatePrice, toVideoBody, toVideoDraft, type VideoDraft } from './video-draft.ts';
import { VideoFields } from './video-fields.tsx';

interface NewVideoProps {
  readonly onClose: () => void;
  readonly onStarted: (jobId: string) => void;
}

/** Starts a job, as the playground starts a chat: with the playground's key, and recorded like every other call. */
export function NewVideo(props: NewVideoProps) {
  const { newVideo, form: t } = videosMessages();
  const caller = usePlaygroundCaller();
  const models = useQuery(videoModelsQuery);
  const keys = useQuery(keysQuery);
  const [first] = models.data ?? [];
  if (caller != null && first !== undefined)
    return <VideoForm {...props} caller={caller} models={models.data ?? []} first={first} />;
  return (
    <Dialog title={newVideo} width="wide" onClose={props.onClose}>
      {caller === null ? (
        <KeyCard title={t.needsKey} />
      ) : models.data === undefined || models.error !== null ? (
        <NotLoaded what={t.models} failure={t.modelsNotLoaded} query={models} isFlush />
      ) : caller === undefined ? (
        <NotLoaded what={t.models} failure={t.keysNotLoaded} query={keys} isFlush />
      ) : (
        <EmptyState title={t.noModels}>{t.noModelsHint}</EmptyState>
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
  const { newVideo, model: modelLabel, prompt: promptLabel, form: t } = videosMessages();
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
      title={newVideo}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <p className="flex-1 self-center text-sm text-ink-faint">
            {price === null ? t.costLater : t.costAbout(formatUsd(price))}
          </p>
          <FormActions formId={formId} submit={t.start} isBusy={start.isPending} onClose={onClose} />
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <LabelledSelect
          label={modelLabel}
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
          label={promptLabel}
          error={issueFor(start.error, 'prompt')}
          data-first-focus
          rows={3}
          placeholder={t.example}
          value={draft.prompt}
          onChange={(prompt) => change({ prompt })}
        />
        <VideoFields model={model} draft={draft} onChange={change} error={start.error} />
        {start.error !== null && (
          <div ref={scrollIntoView}>
            <UnsavedPanel error={start.error} title={t.notStarted} onRetry={() => start.mutate()} />
          </div>
        )}
      </form>
    </Dialog>
  );
}
