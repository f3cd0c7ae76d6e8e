import type { Workspace } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { type UseFormReturn, useController, useWatch } from 'react-hook-form';

import { modelsQuery } from '../../../api/queries.ts';
import { CheckField, InputField, numberOrNull, SelectField, textOrNull } from '../../../features/form/fields.tsx';
import { useChangeForm } from '../../../features/form/use-change-form.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Field, issueFor } from '../../../parts/controls/field.tsx';
import { MultiSelect } from '../../../parts/controls/multi-select.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showUndo } from '../../../parts/messages/toast-store.ts';
import { partMessages } from '../../../parts/part-messages.ts';
import { workspaceMessages } from './messages.ts';
import { changeWorkspace } from './workspace-queries.ts';

/** What can be set of a workspace here, with the share of contents in percent. */
interface WorkspaceDraft extends Pick<
  Workspace,
  | 'name'
  | 'slug'
  | 'description'
  | 'default_text_model'
  | 'default_provider_sort'
  | 'default_callback_url'
  | 'automatic_cache_marks'
  | 'is_observability_io_logging_enabled'
> {
  readonly disabled_server_tools: readonly string[];
  readonly percent: number | null;
}

const toDraft = (workspace: Workspace): WorkspaceDraft => ({
  name: workspace.name,
  slug: workspace.slug,
  description: workspace.description,
  default_text_model: workspace.default_text_model,
  default_provider_sort: workspace.default_provider_sort,
  default_callback_url: workspace.default_callback_url,
  automatic_cache_marks: workspace.automatic_cache_marks,
  is_observability_io_logging_enabled: workspace.is_observability_io_logging_enabled,
  disabled_server_tools: workspace.disabled_server_tools ?? [],
  percent: Number((workspace.io_logging_sampling_rate * 100).toPrecision(6)),
});

/** The body that takes one draft to another: only what differs, so that others may change the rest meanwhile. */
function toChange(draft: WorkspaceDraft, before: WorkspaceDraft): Record<string, unknown> {
  const names = Object.keys(before) as (keyof WorkspaceDraft)[];
  const changed = names.filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(
    changed.map((name) =>
      name === 'percent'
        ? ['io_logging_sampling_rate', draft.percent === null ? null : draft.percent / 100]
        : [name, draft[name]],
    ),
  );
}

interface Sent {
  readonly draft: WorkspaceDraft;
  /** What the form began with. */
  readonly former: WorkspaceDraft;
}

/** Name, defaults and logging of a workspace, which are saved together. */
export function WorkspaceForm({ workspace }: { workspace: Workspace }) {
  const t = workspaceMessages();
  const { form, before, isChanged, show } = useChangeForm(toDraft(workspace), toChange);
  const save = useMutation({
    mutationFn: ({ draft, former }: Sent) => changeWorkspace(workspace.id, toChange(draft, former)),
    onSuccess: (saved, { draft, former }) => {
      const reversal = toChange(former, draft);
      show(toDraft(saved), draft);
      showUndo({
        title: t.saved,
        undo: async () => show(toDraft(await changeWorkspace(workspace.id, reversal))),
        undone: t.restored,
      });
    },
  });
  const send = (): void => save.mutate({ draft: form.getValues(), former: before });
  const { undo, save: saveLabel } = partMessages().actions;
  const parts = { form, error: save.error };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) send();
      }}
      className="card flex flex-col gap-4 p-4"
    >
      <Group title={t.form.general}>
        <div className="grid gap-4 sm:grid-cols-2">
          <InputField {...parts} name="name" label={t.form.name} required maxLength={100} />
          <InputField
            {...parts}
            name="slug"
            label={t.form.slug}
            hint={t.form.slugHint}
            required
            maxLength={50}
            className="field font-mono text-xs"
          />
        </div>
        <InputField {...parts} name="description" label={t.form.description} maxLength={500} read={textOrNull} />
      </Group>
      <Defaults {...parts} />
      <Logging {...parts} />
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={send} />}
      <div className="flex justify-end gap-2">
        <Button
          disabled={!isChanged}
          onClick={() => {
            form.reset(before);
            save.reset();
          }}
        >
          {undo}
        </Button>
        <Button type="submit" look="primary" disabled={!isChanged} isBusy={save.isPending}>
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}

interface GroupParts {
  readonly form: UseFormReturn<WorkspaceDraft>;
  readonly error: unknown;
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-4 border-b border-line/60 pb-4">
      <h3 className="text-base font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Defaults(parts: GroupParts) {
  const t = workspaceMessages().form;
  const listId = useId();
  const { data: models = [] } = useQuery(modelsQuery);
  return (
    <Group title={t.defaults}>
      <datalist id={listId}>
        {models.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <div className="grid gap-4 sm:grid-cols-2">
        <InputField
          {...parts}
          name="default_text_model"
          label={t.model}
          hint={t.modelHint}
          list={listId}
          className="field font-mono text-xs"
          read={textOrNull}
        />
        <SelectField
          {...parts}
          name="default_provider_sort"
          label={t.sort}
          hint={t.sortHint}
          read={textOrNull}
          options={[
            ['', t.sorts.account],
            ...(['price', 'throughput', 'latency', 'exacto'] as const).map((sort) => [sort, t.sorts[sort]] as const),
          ]}
        />
        <SelectField
          {...parts}
          name="automatic_cache_marks"
          label={t.marks}
          hint={t.marksHint}
          read={(text) => (text === '' ? null : text === 'true')}
          options={[
            ['', t.sorts.account],
            ['true', t.marksOn],
            ['false', t.marksOff],
          ]}
        />
      </div>
      <InputField
        {...parts}
        name="default_callback_url"
        label={t.callback}
        hint={t.callbackHint}
        type="url"
        placeholder="https://…"
        maxLength={2048}
        read={(text) => textOrNull(text.trim())}
      />
      <DisabledTools {...parts} />
    </Group>
  );
}

/** Server tools that people disable most; others are typed. */
const TOOLS = ['web_search', 'web_fetch', 'datetime', 'search_models'].map((name) => `openrouter:${name}`);

function DisabledTools({ form, error }: GroupParts) {
  const t = workspaceMessages().form;
  const { value, onChange } = useController({ control: form.control, name: 'disabled_server_tools' }).field;
  return (
    <Field label={t.tools} error={issueFor(error, 'disabled_server_tools')}>
      {(control) => (
        <MultiSelect
          control={control}
          noun={t.toolsNoun}
          options={TOOLS.map((name) => ({ value: name, label: name }))}
          chosen={value}
          onChange={onChange}
          placeholder={t.noTools}
          allowsOther
          unknownNote=""
        />
      )}
    </Field>
  );
}

function Logging({ form, error }: GroupParts) {
  const t = workspaceMessages().form;
  const isEnabled = useWatch({ control: form.control, name: 'is_observability_io_logging_enabled' });
  return (
    <section aria-label={t.logging} className="flex flex-col gap-3">
      <h3 className="text-base font-semibold">{t.logging}</h3>
      <CheckField form={form} name="is_observability_io_logging_enabled" label={t.logs} hint={t.logsHint} />
      {isEnabled && (
        <InputField
          form={form}
          error={error}
          name="percent"
          path="io_logging_sampling_rate"
          label={t.share}
          hint={t.shareHint}
          type="number"
          min={0.01}
          max={100}
          step="any"
          required
          fieldClass="max-w-56"
          read={numberOrNull}
        />
      )}
    </section>
  );
}
