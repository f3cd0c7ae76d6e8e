import type { AccountSettings, Settings } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { modelsQuery, providersQuery, settingsQuery } from '../../api/queries.ts';
import { FromConfig } from '../../features/limits/rate-limits.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox, Field, issueFor } from '../../parts/controls/field.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showUndo } from '../../parts/messages/toast-store.ts';
import { RoutingFields } from './routing-fields.tsx';
import { RuleList } from './rule-list.tsx';
import { withListedNames } from './with-listed-names.ts';

/** The account: default model, credits, and where its calls may go. What the configuration says is shown and fixed. */
export function AccountForm({ settings: { configured, ...settings } }: { settings: AccountSettings }) {
  const client = useQueryClient();
  const listId = useId();
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: providers = [] } = useQuery(providersQuery);
  const [draft, setDraft] = useState<Settings>(settings);
  const write = (body: Settings) => callApi<{ data: AccountSettings }>('/admin/v1/settings', { method: 'PATCH', body });
  const show = ({ data: { configured: _, ...saved } }: { data: AccountSettings }): void => setDraft(saved);
  const refresh = () => client.invalidateQueries({ queryKey: settingsQuery.queryKey });
  const save = useMutation({
    mutationFn: () => write(draft),
    onSuccess: async (saved) => {
      const before = settings;
      show(saved);
      showUndo({
        title: 'Saved',
        async undo() {
          show(await write(before));
          await refresh();
        },
        undone: 'The settings are what they were before',
      });
      await refresh();
    },
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(settings);
  const isConfigured = (path: string): boolean => configured.includes(path);
  const issue = (path: string): string | undefined => issueFor(save.error, path);
  const set = (change: Partial<Settings>): void => {
    setDraft({ ...draft, ...change });
    save.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const toggle = (list: readonly string[], slug: string): string[] =>
    list.includes(slug) ? list.filter((other) => other !== slug) : [...list, slug];
  return (
    <form onSubmit={submit} className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">Account</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Default model"
          hint={isConfigured('default_model') ? <FromConfig /> : 'For requests that name none'}
          error={issue('default_model')}
        >
          {(control) => (
            <>
              <input
                {...control}
                list={listId}
                placeholder="none"
                disabled={isConfigured('default_model')}
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
          hint={isConfigured('credits_usd') ? <FromConfig /> : 'What all calls together may cost; empty for no limit'}
          error={issue('credits_usd')}
        >
          {(control) => (
            <input
              {...control}
              type="number"
              min={0}
              step="any"
              placeholder="no limit"
              disabled={isConfigured('credits_usd')}
              className="field"
              value={draft.credits_usd ?? ''}
              onChange={(event) => set({ credits_usd: event.target.value === '' ? null : event.target.valueAsNumber })}
            />
          )}
        </Field>
      </div>
      <fieldset className="min-w-0">
        <legend className="mb-1 text-sm font-medium">Providers</legend>
        <p className="mb-2 text-xs text-ink-faint">
          For every call, whatever it asks for. With none under “only”, all that are not ignored may be asked.
        </p>
        {isConfigured('providers.only') && <ConfiguredList name="Only" />}
        {isConfigured('providers.ignore') && <ConfiguredList name="Ignore" />}
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
                  <th scope="row" className="px-3 py-1.5 text-left font-normal wrap-anywhere">
                    {name} {slug !== name && <code className="font-mono text-xs text-ink-faint">{slug}</code>}
                  </th>
                  {(['only', 'ignore'] as const).map((list) => (
                    <td key={list} className="px-3">
                      <input
                        type="checkbox"
                        aria-label={list === 'only' ? `Ask ${name} alone` : `Ignore ${name}`}
                        className="size-4 align-middle accent-accent"
                        disabled={isConfigured(`providers.${list}`)}
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
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-sm font-medium">Data</legend>
        <Checkbox
          label="Only endpoints that keep nothing (ZDR)"
          hint={isConfigured('privacy.zdr') ? <FromConfig /> : undefined}
          disabled={isConfigured('privacy.zdr')}
          checked={draft.privacy.zdr}
          onChange={(event) => set({ privacy: { ...draft.privacy, zdr: event.target.checked } })}
        />
        <Checkbox
          label="Allow endpoints that train on what they are sent"
          hint={isConfigured('privacy.allow_training') ? <FromConfig /> : undefined}
          disabled={isConfigured('privacy.allow_training')}
          checked={draft.privacy.allow_training}
          onChange={(event) => set({ privacy: { ...draft.privacy, allow_training: event.target.checked } })}
        />
      </fieldset>
      <RoutingFields
        routing={draft.routing}
        providers={withListedNames(providers, [
          { providers: { only: settings.routing.order, ignore: draft.routing.order } },
        ])}
        isConfigured={isConfigured}
        issue={issue}
        onChange={(change) => set({ routing: { ...draft.routing, ...change } })}
      />
      <RuleList
        rules={draft.routing.rules}
        modelList={listId}
        isFixed={isConfigured('routing.rules')}
        issue={issue}
        onChange={(rules) => set({ routing: { ...draft.routing, rules } })}
      />
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => save.mutate()} />}
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

function ConfiguredList({ name }: { name: string }) {
  return (
    <p className="mb-2 flex flex-wrap gap-1 text-xs">
      {name}: <FromConfig />
    </p>
  );
}
