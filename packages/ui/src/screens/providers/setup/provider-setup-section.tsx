import type { ProviderSetup, UpdateProviderRequest } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import type { ProviderDraft } from '../../../features/providers/setup/provider-draft.ts';
import { ProviderFields } from '../../../features/providers/setup/provider-fields.tsx';
import { presetsQuery, type ProviderPreset, updateProvider } from '../../../features/providers/setup/setup-queries.ts';
import { TestArea } from '../../../features/providers/setup/test-area.tsx';
import { useDraftTest } from '../../../features/providers/use-layer-test.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Checkbox, issueFor } from '../../../parts/controls/field.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { DeleteProvider } from './delete-provider.tsx';
import { toStoredDraft, toTestOfStored, toUpdate } from './to-update.ts';

const CURES: Readonly<Record<ProviderSetup['status'], string | null>> = {
  ready: null,
  off: null,
  locked: 'Enter the key again and save.',
  failed: 'Correct it and save, or delete it and add it again.',
  shadowed:
    'The configuration has a provider of this slug, which is called. Delete this one, or remove the other there.',
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
        <Button look="danger" icon={<Trash2 size={14} aria-hidden />} onClick={() => setIsDeleting(true)}>
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
        title: isCalled ? `${name} is in force as it is now` : `${name} is saved, and not called`,
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
          hint="Off, it is saved and not called."
          checked={setup.enabled}
          onChange={(event) => save.mutate({ enabled: event.target.checked })}
        />
        <Checkbox
          label="Serve all of its list of models"
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
