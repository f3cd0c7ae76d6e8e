import type { ProviderSetup, TestDraftRequest, UpdateProviderRequest } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import { deleteModel } from '../../../features/models/model-setup-queries.ts';
import {
  type PairDraft,
  type ProviderDraft,
  toPairs,
  toSettings,
} from '../../../features/providers/setup/provider-draft.ts';
import { ProviderFields } from '../../../features/providers/setup/provider-fields.tsx';
import {
  type ProviderPreset,
  deleteProvider,
  presetsQuery,
  updateProvider,
} from '../../../features/providers/setup/setup-queries.ts';
import { TestArea } from '../../../features/providers/setup/test-area.tsx';
import { useDraftTest } from '../../../features/providers/use-layer-test.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Checkbox, issueFor } from '../../../parts/controls/field.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';

const CURES: Readonly<Record<ProviderSetup['status'], string | null>> = {
  ready: null,
  off: null,
  locked: 'Enter the key again and save.',
  failed: 'Correct it and save, or delete it and add it again.',
  shadowed:
    'The configuration has a provider with this slug, which takes precedence. Delete this one, or remove the other from the configuration.',
};

interface ProviderSetupSectionProps {
  readonly setup: ProviderSetup;
  /** Called when it has been deleted. */
  readonly onGone: () => void;
}

/** What was set up here of a provider: its problem with the cure, and all that can be changed. */
export function ProviderSetupSection({ setup, onGone }: ProviderSetupSectionProps) {
  const { data: presets } = useQuery(presetsQuery);
  const [isDeleting, setIsDeleting] = useState(false);
  const { problem, status, settings } = setup;
  return (
    <section aria-label="Set-up" className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">Set-up</h3>
        <Button look="danger" icon={<Trash2 size={14} />} onClick={() => setIsDeleting(true)}>
          Delete
        </Button>
      </div>
      {CURES[status] !== null && (
        <p role="alert" className="rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm break-words">
          {problem !== null && <>{problem}. </>}
          <span className="font-medium">{CURES[status]}</span>
        </p>
      )}
      {presets !== undefined && settings !== null && (
        <EditProvider setup={setup} preset={presets.find(({ id }) => id === settings.preset) ?? null} />
      )}
      {isDeleting && <DeleteProvider setup={setup} onClose={() => setIsDeleting(false)} onGone={onGone} />}
    </section>
  );
}

function EditProvider({ setup, preset }: { setup: ProviderSetup; preset: ProviderPreset | null }) {
  const client = useQueryClient();
  const [before, setBefore] = useState(() => toStoredDraft(setup, preset));
  const [draft, setDraft] = useState(before);
  const test = useDraftTest();
  const update = toUpdate(draft, before);
  const save = useMutation({
    mutationFn: (change: UpdateProviderRequest) => updateProvider(setup.slug, change),
    async onSuccess(saved, sent) {
      const { name, status } = saved;
      const now = toStoredDraft(saved, preset);
      setBefore(now);
      // A switch leaves what is typed as it is.
      if (!('enabled' in sent || 'discoverModels' in sent)) setDraft(now);
      const isCalled = status === 'ready';
      showToast({
        tone: 'good',
        title: isCalled ? `${name} saved` : `${name} disabled`,
      });
      await client.invalidateQueries();
    },
  });
  const change = (next: Partial<ProviderDraft>): void => {
    setDraft({ ...draft, ...next });
    test.reset();
    save.reset();
  };
  const runTest = (model?: string): void => test.run(toTestOfStored(draft, model));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (Object.keys(update).length > 0) save.mutate(update);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <ProviderFields
        draft={draft}
        onChange={change}
        issue={(field) => issueFor(save.error, field) ?? issueFor(test.error, `provider.${field}`)}
        existing={{ keyHint: setup.key_hint, hasKey: setup.has_key === true }}
      />
      <div>
        <Checkbox
          label="On"
          hint="If disabled, it is saved but not called."
          checked={setup.enabled}
          onChange={(event) => save.mutate({ enabled: event.target.checked })}
        />
        <Checkbox
          label="Include all listed models"
          checked={setup.settings?.discoverModels === true}
          onChange={(event) => save.mutate({ discoverModels: event.target.checked })}
        />
      </div>
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate(save.variables)} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={Object.keys(update).length === 0} isBusy={save.isPending}>
          Save
        </Button>
        <Button isBusy={test.isPending} onClick={() => runTest()}>
          Test before saving
        </Button>
      </div>
      <TestArea name={setup.slug} test={test} onTry={runTest} />
    </form>
  );
}

/** A stored provider as it is edited; its key is never there. */
function toStoredDraft(
  { slug, settings, header_names: headerNames }: ProviderSetup,
  preset: ProviderPreset | null,
): ProviderDraft {
  return {
    preset,
    wire: settings?.wire ?? 'openai',
    address: settings?.baseUrl ?? '',
    key: '',
    name: settings?.name ?? '',
    slug,
    region: settings?.region ?? '',
    headers: headerNames.map((name, key) => ({ key, name, value: '', isSaved: true })),
    query: Object.entries(settings?.query ?? {}).map(([name, value], key) => ({ key, name, value })),
    byok: settings?.byok ?? false,
    dataPolicy: settings?.dataPolicy ?? null,
    responses: settings?.responses ?? null,
    removesKey: false,
  };
}

/** What differs. An empty text removes a value, but for the key, which stays. */
export function toUpdate(draft: ProviderDraft, before: ProviderDraft): UpdateProviderRequest {
  const changed = (field: 'address' | 'name' | 'region'): boolean => draft[field].trim() !== before[field];
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  const [query, headers] = [toPairs(draft.query), toHeaderChanges(draft.headers, before.headers)];
  return {
    ...(draft.key.trim() !== '' ? { apiKey: draft.key.trim() } : draft.removesKey && { apiKey: null }),
    ...(changed('address') && { baseUrl: orNull(draft.address) }),
    ...(changed('name') && { name: orNull(draft.name) }),
    ...(changed('region') && { region: orNull(draft.region) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(!areSame(query, toPairs(before.query)) && { query }),
    ...(draft.byok !== before.byok && { byok: draft.byok }),
    ...(draft.responses !== before.responses && { responses: draft.responses }),
    ...(!areSame(draft.dataPolicy, before.dataPolicy) && { dataPolicy: draft.dataPolicy }),
  };
}

const areSame = (one: object | null, other: object | null): boolean => JSON.stringify(one) === JSON.stringify(other);

/** New values by name; null for a saved header that is there no more. */
function toHeaderChanges(
  draft: readonly PairDraft[],
  before: readonly PairDraft[],
): Readonly<Record<string, string | null>> {
  const left = new Set(draft.map(({ name }) => name.trim()));
  const gone = before.filter(({ name }) => !left.has(name)).map(({ name }) => [name, null] as const);
  return { ...Object.fromEntries(gone), ...toPairs(draft) };
}

/** The test of what is typed; saved secrets that are not changed are the gateway's to add. */
const toTestOfStored = (draft: ProviderDraft, model?: string): TestDraftRequest => ({
  provider: toSettings(draft),
  ...(model !== undefined && { model }),
});

interface DeleteProviderProps {
  readonly setup: ProviderSetup;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

/** Asks first: the key cannot be brought back. Models that were set up with the provider go with it, once they are named. */
function DeleteProvider({ setup: { slug, name }, onClose, onGone }: DeleteProviderProps) {
  const client = useQueryClient();
  const [models, setModels] = useState<readonly string[]>([]);
  const remove = async (): Promise<void> => {
    try {
      for (const id of models) await deleteModel(id);
      await deleteProvider(slug);
    } catch (error) {
      setModels(readModels(error));
      throw error;
    }
    await client.invalidateQueries();
    onGone();
  };
  return (
    <ConfirmDialog
      title={`Delete “${name}”?`}
      action={
        models.length === 0
          ? 'Delete provider'
          : `Delete it and ${models.length === 1 ? 'the model' : `${models.length} models`}`
      }
      onClose={onClose}
      onConfirm={remove}
    >
      <p>Its key is deleted too. Calls under way finish; no new calls are sent.</p>
      {models.length > 0 && (
        <>
          <p>These models use it and will be deleted too, even if other providers serve them:</p>
          <ul aria-label="Models of the provider" className="scroll-thin max-h-40 list-disc overflow-y-auto pl-5">
            {models.map((id) => (
              <li key={id} className="font-mono text-xs break-all">
                {id}
              </li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}

function readModels(error: unknown): readonly string[] {
  const named = error instanceof ApiError ? error.metadata['models'] : undefined;
  return Array.isArray(named) ? named.filter((id) => typeof id === 'string') : [];
}
