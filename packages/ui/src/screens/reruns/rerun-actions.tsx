import type { Rerun } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download, Pause, Play } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';

import { openApi } from '../../api/call-api.ts';
import { formatUsd } from '../../format/money.ts';
import { formatBytes } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { Menu } from '../../parts/controls/menu.tsx';
import { ConfirmDialog, Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showFailure, showToast } from '../../parts/messages/toast-store.ts';
import { saveFile } from '../../parts/save-file.ts';
import { rerunsMessages } from './messages.ts';
import { changeRerun, removeRerun, rerunQuery, rerunsQuery, resumeRerun, toExportPath } from './rerun-queries.ts';

interface RerunActionsProps {
  readonly rerun: Rerun;
  /** It was deleted. */
  readonly onGone: () => void;
}

/** What can be done about a rerun in its present state. */
export function RerunActions({ rerun, onGone }: RerunActionsProps) {
  const { actions: t } = rerunsMessages();
  const { id, state } = rerun;
  const client = useQueryClient();
  const [asked, setAsked] = useState<'resume' | 'cancel' | 'delete' | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: rerunsQuery.queryKey });
  const pause = useMutation({
    mutationFn: () => changeRerun(id, 'pause'),
    onError: (error) => showFailure(t.notPaused, error),
    onSettled: refresh,
  });
  const close = (): void => setAsked(null);
  const remove = async (): Promise<void> => {
    await removeRerun(id);
    onGone();
    client.removeQueries({ queryKey: rerunQuery(id).queryKey });
    showToast({ tone: 'good', title: t.deleted });
    await client.invalidateQueries({ queryKey: rerunsQuery.queryKey, exact: true });
  };
  const isHeld = state === 'ready' || state === 'paused';
  const isOpen = isHeld || state === 'running' || state === 'estimating';
  return (
    <div className="flex flex-wrap items-center gap-2">
      {state === 'running' && (
        <Button icon={<Pause size={15} />} isBusy={pause.isPending} onClick={() => pause.mutate()}>
          {t.pause}
        </Button>
      )}
      {isHeld && (
        <Button look="primary" icon={<Play size={15} />} onClick={() => setAsked('resume')}>
          {state === 'ready' ? t.start : t.resume}
        </Button>
      )}
      <ExportMenu id={id} />
      {isOpen && (
        <Button look="danger" onClick={() => setAsked('cancel')}>
          {t.cancel}
        </Button>
      )}
      {state !== 'running' && (
        <Button look="danger" onClick={() => setAsked('delete')}>
          {t.delete}
        </Button>
      )}
      {asked === 'resume' && <ResumeDialog rerun={rerun} onResumed={refresh} onClose={close} />}
      {asked === 'cancel' && (
        <ConfirmDialog
          title={t.cancelTitle}
          action={t.cancel}
          dismiss={t.keep}
          onConfirm={async () => {
            await changeRerun(id, 'cancel');
            await refresh();
          }}
          onClose={close}
        >
          <p>{t.cancelNote}</p>
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog title={t.deleteTitle} action={t.delete} onConfirm={remove} onClose={close}>
          <p>{t.deleteNote}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

interface ResumeDialogProps {
  readonly rerun: Rerun;
  readonly onResumed: () => Promise<void>;
  readonly onClose: () => void;
}

/** Goes on, with a higher limit where one is entered. */
function ResumeDialog({ rerun, onResumed, onClose }: ResumeDialogProps) {
  const { actions: t } = rerunsMessages();
  const { id, state, max_cost_usd: limit, spent_usd: spent } = rerun;
  const formId = useId();
  const [text, setText] = useState(String(limit));
  const resume = useMutation({
    mutationFn: () => resumeRerun(id, text.trim() === '' || Number(text) === limit ? undefined : Number(text)),
    onSuccess: async () => {
      await onResumed();
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    resume.mutate();
  };
  const action = state === 'ready' ? t.start : t.resume;
  return (
    <Dialog
      title={state === 'ready' ? t.start : t.resumeTitle}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={action} isBusy={resume.isPending} onClose={onClose} />}
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-sm">{t.resumeSpent(formatUsd(spent), formatUsd(limit))}</p>
        <LabelledInput
          label={t.newLimit}
          error={issueFor(resume.error, 'max_cost_usd')}
          data-first-focus
          type="number"
          inputMode="decimal"
          min={0}
          step="any"
          value={text}
          onChange={setText}
        />
        {resume.error !== null && (
          <UnsavedPanel error={resume.error} title={t.notResumed} onRetry={() => resume.mutate()} />
        )}
      </form>
    </Dialog>
  );
}

function ExportMenu({ id }: { id: string }) {
  const { actions: t } = rerunsMessages();
  const save = useMutation({
    mutationFn: async (format: 'csv' | 'ndjson') => {
      const file = await (await openApi(toExportPath(id), { query: { format } })).blob();
      saveFile(`${id}.${format}`, file);
      return file.size;
    },
    onSuccess: (bytes) => showToast({ tone: 'good', title: t.exported(formatBytes(bytes)) }),
    onError: (error) => showFailure(t.notExported, error),
  });
  return (
    <Menu
      trigger={
        <Button isBusy={save.isPending} icon={<Download size={15} />}>
          {t.exportAs}
        </Button>
      }
      items={(['csv', 'ndjson'] as const).map((format) => ({ label: t[format], onSelect: () => save.mutate(format) }))}
    />
  );
}
