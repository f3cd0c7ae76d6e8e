import type { Model } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import type { Caller } from '../../api/call-api.ts';
import { keysQuery, modelsQuery } from '../../api/queries.ts';
import { toOtherKind } from '../../app/call-kinds.ts';
import { uploadFile } from '../../features/files/file-queries.ts';
import { ProgressBar } from '../../features/files/progress-bar.tsx';
import { KeyCard } from '../../features/playground/key-card.tsx';
import { usePlaygroundCaller } from '../../features/playground/playground-key.ts';
import { formatBytes, formatCount, formatPercent } from '../../format/quantity.ts';
import { classNames } from '../../parts/class-names.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { scrollIntoView } from '../../parts/scroll-into-view.ts';
import { Code } from '../../parts/text/code.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { createBatch } from './batch-queries.ts';
import { checkLines } from './check-lines.ts';
import { CheckReport } from './check-report.tsx';
import { batchesMessages } from './messages.tsx';

interface NewBatchProps {
  readonly onClose: () => void;
  readonly onStarted: (id: string) => void;
}

/** Makes a batch of a file, which is read and checked here before anything is sent. */
export function NewBatch(props: NewBatchProps) {
  const { newBatch, form: t } = batchesMessages();
  const caller = usePlaygroundCaller();
  const models = useQuery(modelsQuery);
  const keys = useQuery(keysQuery);
  if (caller != null && models.data !== undefined) return <BatchForm {...props} caller={caller} models={models.data} />;
  return (
    <Dialog title={newBatch} width="wide" onClose={props.onClose}>
      {caller === null ? (
        <KeyCard title={t.needsKey} />
      ) : models.data === undefined ? (
        <NotLoaded what={t.models} failure={t.modelsNotLoaded} query={models} isFlush />
      ) : (
        <NotLoaded what={t.models} failure={t.keysNotLoaded} query={keys} isFlush />
      )}
    </Dialog>
  );
}

interface BatchFormProps extends NewBatchProps {
  readonly caller: Caller;
  readonly models: readonly Model[];
}

function BatchForm({ caller, models, onClose, onStarted }: BatchFormProps) {
  const { newBatch, form: t } = batchesMessages();
  const formId = useId();
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const abort = useRef<AbortController>(null);
  /** The id of the file once it is uploaded: when only the batch fails, trying again does not upload it twice. */
  const uploaded = useRef<string>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const check = useMutation({
    mutationFn: (chosen: File) => {
      const known = new Set(models.map(({ id }) => id));
      return checkLines(chosen.stream(), (model) => known.has(model) || known.has(model.replace(/:[a-z]+$/, '')));
    },
  });
  const sendFile = async (chosen: File): Promise<string> => {
    const own = new AbortController();
    abort.current = own;
    setShare(0);
    const upload = { caller, signal: own.signal, onProgress: setShare };
    return (await uploadFile({ file: chosen, purpose: 'batch', livesSeconds: null }, upload)).id;
  };
  const create = useMutation({
    mutationFn: async () => {
      if (file === null || check.data?.endpoint == null) throw new Error(t.needsFile);
      uploaded.current ??= await sendFile(file);
      return createBatch(uploaded.current, check.data.endpoint, caller);
    },
    onSuccess: ({ id }) => onStarted(id),
    onError(error) {
      // It may have been deleted meanwhile.
      if (error instanceof ApiError && error.status === 404) uploaded.current = null;
    },
    onSettled: () => setShare(null),
  });
  const take = (chosen: File | undefined): void => {
    if (chosen === undefined) return;
    setFile(chosen);
    uploaded.current = null;
    create.reset();
    check.mutate(chosen);
  };
  const result = check.data;
  const isReady = result !== undefined && result.problemCount === 0;
  return (
    <Dialog
      title={newBatch}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{partMessages().actions.cancel}</Button>
          <Button
            type="submit"
            form={formId}
            look="primary"
            isBusy={create.isPending}
            disabled={file !== null && !isReady}
          >
            {isReady ? t.submit(result.total, formatCount(result.total)) : t.submit(null, '')}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) create.mutate();
          else showToast({ tone: 'neutral', title: t.needsFile });
        }}
      >
        {/* Another file would not stop the batch of this one, which is paid for. */}
        <FileField file={file} isLocked={create.isPending} onFile={take} onExample={() => take(toExample(models))} />
        {check.isPending && (
          <p role="status" className="text-sm text-ink-faint">
            {t.checking}
          </p>
        )}
        {check.error !== null && (
          <UnsavedPanel error={check.error} title={t.unreadable} onRetry={() => take(file ?? undefined)} />
        )}
        {result !== undefined && <CheckReport check={result} />}
        {share !== null && (
          <div className="flex items-center gap-3 text-xs text-ink-faint">
            <ProgressBar
              label={t.uploading}
              text={formatPercent(share * 100)}
              total={1}
              done={share}
              className="h-2 flex-1"
            />
            <span className="figures">{formatPercent(share * 100)}</span>
          </div>
        )}
        {create.error !== null && (
          <div ref={scrollIntoView}>
            <UnsavedPanel error={create.error} title={t.notCreated} onRetry={() => create.mutate()} />
          </div>
        )}
      </form>
    </Dialog>
  );
}

const QUESTIONS = ['Hello!', 'Write a haiku about autumn', 'Tell me a joke', 'What is the meaning of life?'];

/** A file with which a batch can be tried at once. */
function toExample(models: readonly Model[]): File {
  const model = models.find((one) => toOtherKind(one) === null)?.id ?? 'demo/chat';
  const lines = QUESTIONS.map((content, at) =>
    JSON.stringify({
      custom_id: `example-${at + 1}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content }] },
    }),
  );
  return new File([`${lines.join('\n')}\n`], 'example.jsonl', { type: 'application/x-ndjson' });
}

const LINE =
  '{"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "…", "messages": […]}}';

interface FileFieldProps {
  readonly file: File | null;
  readonly isLocked: boolean;
  readonly onFile: (file: File | undefined) => void;
  readonly onExample: () => void;
}

function FileField({ file, isLocked, onFile, onExample }: FileFieldProps) {
  const { form: t } = batchesMessages();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  return (
    <div
      role="group"
      aria-label={t.file}
      className={classNames(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed p-4 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong/60',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(!isLocked);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        if (!isLocked) onFile(event.dataTransfer.files[0]);
      }}
    >
      <input
        ref={input}
        type="file"
        accept=".jsonl,.ndjson,.txt,application/x-ndjson"
        aria-label={t.choose}
        className="sr-only"
        tabIndex={-1}
        disabled={isLocked}
        onChange={({ target }) => {
          const chosen = target.files?.[0];
          target.value = '';
          onFile(chosen);
        }}
      />
      {file === null ? (
        <>
          <p className="text-sm">{t.drop}</p>
          <div className="flex w-full flex-col gap-1 text-left text-xs text-ink-faint">
            <span>{t.lineForm}</span>
            <code className="rounded-md bg-raised p-2 font-mono break-words whitespace-pre-wrap">
              <Code text={LINE} language="json" />
            </code>
          </div>
        </>
      ) : (
        <p className="flex max-w-full items-baseline gap-2 text-sm">
          <span className="truncate font-medium" title={file.name}>
            {showControls(file.name)}
          </span>
          <span className="figures shrink-0 text-xs text-ink-faint">{formatBytes(file.size)}</span>
        </p>
      )}
      <div className="flex flex-wrap justify-center gap-2">
        <Button data-first-focus disabled={isLocked} onClick={() => input.current?.click()}>
          {file === null ? t.choose : t.another}
        </Button>
        {file === null && (
          <Button look="quiet" onClick={onExample}>
            {t.example}
          </Button>
        )}
      </div>
    </div>
  );
}
