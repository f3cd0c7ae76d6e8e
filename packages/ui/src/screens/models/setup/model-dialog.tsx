import type { ConfiguredModel } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';

import { OUTPUTS } from '../../../app/call-kinds.ts';
import { createModel, deleteModel, replaceModel } from '../../../features/models/model-setup-queries.ts';
import { providerSetupsQuery } from '../../../features/providers/setup/setup-queries.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { issueFor } from '../../../parts/controls/field.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { Dialog, FormActions } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showUndo } from '../../../parts/messages/toast-store.ts';
import { scrollIntoView } from '../../../parts/scroll-into-view.ts';
import { toggled } from '../../../parts/toggled.ts';
import { EndpointFields } from './endpoint-fields.tsx';
import { modelSetupMessages } from './messages.ts';
import { type ModelDraft, emptyEndpoint, startModelDraft, toDefinition, toModelDraft } from './model-draft.ts';

interface ModelDialogProps {
  /** The model as it was set up; absent for a new one. */
  readonly existing?: ConfiguredModel;
  /** The id that a new one begins with. */
  readonly startId?: string;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

/** Sets up a model: its id, other names, and where it is served at what price. */
export function ModelDialog({ existing, startId = '', onClose, onSaved }: ModelDialogProps) {
  const t = modelSetupMessages().dialog;
  const formId = useId();
  const client = useQueryClient();
  const { data: setups } = useQuery(providerSetupsQuery);
  const providers = (setups?.data ?? []).filter(({ status }) => status !== 'shadowed');
  const [typed, setDraft] = useState<ModelDraft | null>(existing === undefined ? null : toModelDraft(existing));
  const draft =
    typed ??
    startModelDraft(
      startId,
      providers.map(({ slug }) => slug),
    );
  const save = useMutation({
    mutationFn: () => (existing === undefined ? createModel : replaceModel)(toDefinition(draft)),
    async onSuccess() {
      const id = draft.id.trim();
      showUndo({
        title: t.saved(id),
        async undo() {
          await (existing === undefined ? deleteModel(id) : replaceModel(existing));
          await client.invalidateQueries();
        },
        undone: (existing === undefined ? t.removed : t.restored)(id),
      });
      await client.invalidateQueries();
      onSaved(id);
    },
  });
  const change = (next: Partial<ModelDraft>): void => setDraft({ ...draft, ...next });
  const addEndpoint = (): void => {
    const key = Math.max(-1, ...draft.endpoints.map((endpoint) => endpoint.key)) + 1;
    change({ endpoints: [...draft.endpoints, emptyEndpoint(key, providers[0]?.slug ?? '')] });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      title={toTitle(existing, startId)}
      width="wide"
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.save} isBusy={save.isPending} onClose={onClose} />}
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <NameFields
          draft={draft}
          hasFixedId={existing !== undefined || startId !== ''}
          onChange={change}
          error={save.error}
        />
        <Modalities draft={draft} onChange={change} error={save.error} />
        {draft.endpoints.map((endpoint, at) => (
          <EndpointFields
            key={endpoint.key}
            draft={endpoint}
            place={at + 1}
            providers={providers}
            onChange={(next) => change({ endpoints: draft.endpoints.with(at, next) })}
            onRemove={() => change({ endpoints: draft.endpoints.toSpliced(at, 1) })}
            issue={(field) => issueFor(save.error, `endpoints.${at}.${field}`)}
          />
        ))}
        <Button className="self-start" icon={<Plus size={14} />} onClick={addEndpoint}>
          {t.addEndpoint}
        </Button>
        {save.error !== null && (
          <div ref={scrollIntoView}>
            <UnsavedPanel error={save.error} onRetry={() => save.mutate()} />
          </div>
        )}
      </form>
    </Dialog>
  );
}

function toTitle(existing: ConfiguredModel | undefined, startId: string): string {
  const t = modelSetupMessages().dialog;
  if (existing !== undefined) return t.change(existing.id);
  return startId === '' ? t.add : t.setUp(startId);
}

interface NameFieldsProps {
  readonly draft: ModelDraft;
  readonly hasFixedId: boolean;
  readonly onChange: (change: Partial<ModelDraft>) => void;
  readonly error: unknown;
}

const NAME_FIELDS = [
  { field: 'id', path: 'id', hint: 'idHint' },
  { field: 'aliases', path: 'aliases', hint: 'aliasesHint' },
  { field: 'name', path: 'name', hint: 'nameHint' },
  { field: 'context', path: 'context_length', hint: 'contextHint' },
] as const;

function NameFields({ draft, hasFixedId, onChange, error }: NameFieldsProps) {
  const t = modelSetupMessages().dialog;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {NAME_FIELDS.map(({ field, path, hint }) => (
        <LabelledInput
          key={field}
          label={t[field]}
          hint={t[hint]}
          error={issueFor(error, path)}
          autoComplete="off"
          spellCheck={false}
          required={field === 'id'}
          disabled={field === 'id' && hasFixedId}
          inputMode={field === 'context' ? 'numeric' : 'text'}
          pattern={field === 'context' ? '[0-9]*' : undefined}
          value={draft[field]}
          onChange={(text) => onChange({ [field]: text })}
        />
      ))}
    </div>
  );
}

interface ModalitiesProps {
  readonly draft: ModelDraft;
  readonly onChange: (change: Partial<ModelDraft>) => void;
  readonly error: unknown;
}

const KINDS = [
  {
    field: 'inputs',
    path: 'architecture.input_modalities',
    known: ['text', 'image', 'file', 'audio', 'video'],
  },
  {
    field: 'outputs',
    path: 'architecture.output_modalities',
    known: OUTPUTS,
  },
] as const;

/** What a model takes and makes. None of a kind: not known, so nothing is refused. */
function Modalities({ draft, onChange, error }: ModalitiesProps) {
  const t = modelSetupMessages().dialog;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {KINDS.map(({ field, path, known }) => {
        const chosen = draft[field];
        const message = issueFor(error, path);
        const all = [...known, ...chosen.filter((one) => !(known as readonly string[]).includes(one))];
        return (
          <fieldset key={field} className="min-w-0 text-sm">
            <legend className="mb-1 font-medium">{t[field]}</legend>
            <div className="flex flex-wrap gap-x-4 gap-y-1">
              {all.map((modality) => (
                <label key={modality} className="flex cursor-pointer items-center gap-1.5">
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={chosen.includes(modality)}
                    onChange={() => onChange({ [field]: toggled(chosen, modality) })}
                  />
                  {modality}
                </label>
              ))}
            </div>
            <p className={message === undefined ? 'mt-1 text-xs text-ink-faint' : 'mt-1 text-xs text-bad'}>
              {message ?? t.noneChosen}
            </p>
          </fieldset>
        );
      })}
    </div>
  );
}
