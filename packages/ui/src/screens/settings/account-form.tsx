import type { Settings } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { modelsQuery, providersQuery, settingsQuery } from '../../api/queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox, Field } from '../../parts/controls/field.tsx';
import { issueFor } from '../../parts/controls/issue-for.ts';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { showUndo } from '../../parts/messages/undo-toast.ts';
import { withListedNames } from './with-listed-names.ts';

export function AccountForm({ settings }: { settings: Settings }) {
  const client = useQueryClient();
  const listId = useId();
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: providers = [] } = useQuery(providersQuery);
  const [draft, setDraft] = useState(settings);
  const write = (body: Settings) => callApi<{ data: Settings }>('/admin/v1/settings', { method: 'PATCH', body });
  const refresh = () => client.invalidateQueries({ queryKey: settingsQuery.queryKey });
  const save = useMutation({
    mutationFn: () => write(draft),
    onSuccess: async ({ data }) => {
      const before = settings;
      setDraft(data);
      showUndo({
        title: 'Saved',
        async undo() {
          setDraft((await write(before)).data);
          await refresh();
        },
        undone: 'The settings are what they were before',
      });
      await refresh();
    },
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(settings);
  const set = (change: Partial<Settings>): void => setDraft({ ...draft, ...change });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const toggle = (list: readonly string[], slug: string): string[] =>
    list.includes(slug) ? list.filter((other) => other !== slug) : [...list, slug];
  return (
    <form onSubmit={submit} className="card flex flex-col gap-4 p-5">
      <h2 className="text-base font-semibold">Account</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Default model" hint="For requests that name none" error={issueFor(save.error, 'default_model')}>
          {(control) => (
            <>
              <input
                {...control}
                list={listId}
                placeholder="none"
                className="field font-mono text-xs"
                value={draft.default_model ?? ''}
                onChange={(event) => set({ default_model: event.target.value === '' ? null : event.target.value })}
              />
              <datalist id={listId}>
                {models.map(({ id }) => (
                  <option key={id} value={id} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field
          label="Credits in USD"
          hint="What all calls together may cost; empty for no limit"
          error={issueFor(save.error, 'credits_usd')}
        >
          {(control) => (
            <input
              {...control}
              type="number"
              min={0}
              step="any"
              placeholder="no limit"
              className="field"
              value={draft.credits_usd ?? ''}
              onChange={(event) => set({ credits_usd: event.target.value === '' ? null : event.target.valueAsNumber })}
            />
          )}
        </Field>
      </div>
      <fieldset>
        <legend className="mb-1 text-sm font-medium">Providers</legend>
        <p className="mb-2 text-xs text-ink-faint">With none under “only”, all that are not ignored may be asked.</p>
        <div className="scroll-thin max-h-56 overflow-y-auto rounded-lg border border-line">
          <table className="w-full text-sm">
            <thead>
              <tr className="border-b border-line text-left text-xs text-ink-faint">
                <th scope="col" className="px-3 py-1.5 font-medium">
                  Provider
                </th>
                <th scope="col" className="w-20 px-3 py-1.5 font-medium">
                  Only
                </th>
                <th scope="col" className="w-20 px-3 py-1.5 font-medium">
                  Ignore
                </th>
              </tr>
            </thead>
            <tbody>
              {withListedNames(providers, [settings, draft]).map(({ slug, name }) => (
                <tr key={slug} className="border-b border-line/60 last:border-0">
                  <th scope="row" className="px-3 py-1.5 text-left font-normal">
                    {name} {slug !== name && <code className="font-mono text-xs text-ink-faint">{slug}</code>}
                  </th>
                  {(['only', 'ignore'] as const).map((list) => (
                    <td key={list} className="px-3">
                      <input
                        type="checkbox"
                        aria-label={list === 'only' ? `Ask ${name} alone` : `Ignore ${name}`}
                        className="size-4 align-middle accent-accent"
                        checked={draft.providers[list].includes(slug)}
                        onChange={() =>
                          set({ providers: { ...draft.providers, [list]: toggle(draft.providers[list], slug) } })
                        }
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </fieldset>
      <div className="flex flex-col gap-1">
        <Checkbox
          label="Only endpoints that keep nothing (ZDR)"
          checked={draft.privacy.zdr}
          onChange={(event) => set({ privacy: { ...draft.privacy, zdr: event.target.checked } })}
        />
        <Checkbox
          label="Allow endpoints that train on what they are sent"
          checked={draft.privacy.allow_training}
          onChange={(event) => set({ privacy: { ...draft.privacy, allow_training: event.target.checked } })}
        />
      </div>
      {save.error !== null && <ErrorPanel error={save.error} title="Not saved" />}
      <div className="flex justify-end gap-2">
        <Button
          disabled={!isChanged}
          onClick={() => {
            setDraft(settings);
            save.reset();
          }}
        >
          Undo
        </Button>
        <Button type="submit" look="primary" disabled={!isChanged} isBusy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
