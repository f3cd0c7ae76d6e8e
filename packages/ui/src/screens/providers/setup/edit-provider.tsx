import type { ProviderSetup, TestDraftRequest, UpdateProviderRequest } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';

import { withTyped } from '../../../features/form/changes.ts';
import { type ProviderDraft, toSettings } from '../../../features/providers/setup/provider-draft.ts';
import { ProviderFields } from '../../../features/providers/setup/provider-fields.tsx';
import { type ProviderPreset, updateProvider } from '../../../features/providers/setup/setup-queries.ts';
import { TestArea } from '../../../features/providers/setup/test-area.tsx';
import { useDraftTest } from '../../../features/providers/use-layer-test.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Checkbox, issueFor } from '../../../parts/controls/field.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { providersMessages } from '../messages.ts';
import { changesConnection, toStoredDraft, toUpdate } from './to-update.ts';

interface EditProviderProps {
  readonly setup: ProviderSetup;
  readonly preset: ProviderPreset | null;
}

interface Sent {
  readonly change: UpdateProviderRequest;
  /** What was typed then. */
  readonly sent: ProviderDraft;
}

/** The form of a saved provider. A new key or address is tested first, and saved once it works. */
export function EditProvider({ setup, preset }: EditProviderProps) {
  const t = providersMessages().setup;
  const client = useQueryClient();
  const [before, setBefore] = useState(() => toStoredDraft(setup, preset));
  const [draft, setDraft] = useState(before);
  const wasListed = setup.settings?.discoverModels === true;
  const [isListed, setIsListed] = useState(wasListed);
  const [savesWhenTested, setSavesWhenTested] = useState(false);
  const test = useDraftTest();
  const update: UpdateProviderRequest = {
    ...toUpdate(draft, before),
    ...(isListed !== wasListed && { discoverModels: isListed }),
  };
  const isChanged = Object.keys(update).length > 0;
  const isConnectionChanged = changesConnection(update);
  const needsTest = isConnectionChanged && test.found?.ok !== true;
  const save = useMutation({
    mutationFn: ({ change }: Sent) => updateProvider(setup.slug, change),
    async onSuccess(saved, { sent }) {
      const now = toStoredDraft(saved, preset);
      setBefore(now);
      // What was typed while it was being saved stays typed.
      setDraft((current) => withTyped(now, sent, current));
      showToast({ tone: 'good', title: (saved.enabled ? t.saved : t.savedDisabled)(saved.name) });
      await client.invalidateQueries();
    },
  });
  const saveNow = (): void => save.mutate({ change: update, sent: draft });
  const reset = (): void => {
    setSavesWhenTested(false);
    test.reset();
    save.reset();
  };
  const change = (next: Partial<ProviderDraft>): void => {
    setDraft({ ...draft, ...next });
    reset();
  };
  const runTest = (model?: string): void => test.run(toTestOfStored(draft, model));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isChanged) return;
    setSavesWhenTested(needsTest);
    if (needsTest) runTest();
    else saveNow();
  };
  const { found, isPending, wasStopped, error } = test;
  useEffect(() => {
    if (!savesWhenTested || isPending || (found === null && !wasStopped && error === null)) return;
    setSavesWhenTested(false);
    if (found?.ok === true && !wasStopped && error === null) saveNow();
  });
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <ProviderFields
        draft={draft}
        onChange={change}
        issue={(field) => issueFor(save.error, field) ?? issueFor(error, `provider.${field}`)}
        existing={{ keyHint: setup.key_hint, hasKey: setup.has_key === true }}
      />
      <Checkbox
        label={t.listed}
        hint={t.listedHint}
        checked={isListed}
        onChange={(event) => setIsListed(event.target.checked)}
      />
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate(save.variables)} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          disabled={!isChanged}
          isBusy={save.isPending || (savesWhenTested && isPending)}
        >
          {needsTest ? t.testAndSave : t.save}
        </Button>
        {needsTest && (found?.ok === false || error !== null) ? (
          <Button onClick={saveNow}>{t.saveUntested}</Button>
        ) : (
          <Button isBusy={isPending && !savesWhenTested} onClick={() => runTest()}>
            {t.test}
          </Button>
        )}
      </div>
      <TestArea name={setup.name} test={test} onTry={runTest} />
    </form>
  );
}

/** The test of what is typed; saved secrets that are not changed are the gateway's to add. */
const toTestOfStored = (draft: ProviderDraft, model?: string): TestDraftRequest => ({
  provider: toSettings(draft),
  ...(model !== undefined && { model }),
});
