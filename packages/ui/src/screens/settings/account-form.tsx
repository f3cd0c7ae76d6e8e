import type { AccountSettings, Settings } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import { type UseFormReturn, useController, useWatch } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { modelsQuery, providersQuery, settingsQuery } from '../../api/queries.ts';
import { CheckField, InputField, numberOrNull, textOrNull } from '../../features/form/fields.tsx';
import { useChangeForm } from '../../features/form/use-change-form.ts';
import { FromConfig } from '../../features/limits/rate-limits.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showUndo } from '../../parts/messages/toast-store.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { toggled } from '../../parts/toggled.ts';
import { settingsMessages } from './messages.ts';
import { type AccountParts, type NamedProvider, RoutingFields, toFixed, withListedNames } from './routing-fields.tsx';
import { RuleList } from './rule-list.tsx';
import { SessionFields } from './session-limits.tsx';
import { toSettingsChange } from './settings-change.ts';

/** The sections that are saved together. */
export type AccountSection = 'account' | 'routing' | 'rules' | 'sessions';

interface AccountFormProps {
  readonly settings: AccountSettings;
  /** The section that is shown; what is entered in the others stays. */
  readonly section: AccountSection;
}

/** The account: default model, credits, and where its calls may go. What the configuration sets is shown and fixed. */
export function AccountForm({ settings: { configured, ...settings }, section }: AccountFormProps) {
  const listId = useId();
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: providers = [] } = useQuery(providersQuery);
  const { form, before, isChanged, show } = useChangeForm<Settings>(settings, toSettingsChange);
  const save = useSaveSettings(form, show);
  const draft = useWatch({ control: form.control }) as Settings;
  const fields = { form, error: save.error };
  const parts: AccountParts = { ...fields, isConfigured: (path) => configured.includes(path) };
  const send = (values: Settings): void =>
    save.mutate({
      sent: values,
      change: toSettingsChange(values, before),
      reversal: toSettingsChange(before, values),
    });
  const submit = form.handleSubmit(send);
  const { undo, save: saveLabel } = partMessages().actions;
  return (
    <form onSubmit={(event) => void submit(event)} className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">{settingsMessages().sections[section]}</h2>
      {section === 'account' && (
        <AccountFields {...parts} listId={listId} providers={withListedNames(providers, [settings, draft])} />
      )}
      {section === 'routing' && (
        <RoutingFields
          {...parts}
          providers={withListedNames(providers, [
            { providers: { only: settings.routing.order, ignore: draft.routing.order } },
          ])}
        />
      )}
      {section === 'rules' && <RuleList {...parts} modelList={listId} />}
      {section === 'sessions' && <SessionFields {...parts} limits={draft.sessions} />}
      <datalist id={listId}>
        {models.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => send(form.getValues())} />}
      <div className="flex justify-end gap-2">
        <Button disabled={!isChanged} onClick={() => form.reset(settings)}>
          {undo}
        </Button>
        <Button type="submit" look="primary" disabled={!isChanged} isBusy={save.isPending}>
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}

interface AccountFieldsProps extends AccountParts {
  readonly listId: string;
  readonly providers: readonly NamedProvider[];
}

function AccountFields({ listId, providers, ...parts }: AccountFieldsProps) {
  const t = settingsMessages().account;
  const { form, error } = parts;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <InputField
          form={form}
          error={error}
          name="default_model"
          label={t.model}
          {...toFixed(parts, 'default_model', t.modelHint)}
          list={listId}
          placeholder={t.none}
          className="field font-mono text-xs"
          read={textOrNull}
        />
        <InputField
          form={form}
          error={error}
          name="credits_usd"
          label={t.credits}
          {...toFixed(parts, 'credits_usd', t.creditsHint)}
          type="number"
          min={0}
          step="any"
          placeholder={t.noLimit}
          read={numberOrNull}
        />
      </div>
      <ProviderLists {...parts} providers={providers} />
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-sm font-medium">{t.data}</legend>
        <CheckField form={form} name="privacy.zdr" label={t.zdr} {...toFixed(parts, 'privacy.zdr')} />
        <CheckField
          form={form}
          name="privacy.allow_training"
          label={t.training}
          {...toFixed(parts, 'privacy.allow_training')}
        />
      </fieldset>
    </>
  );
}

interface SentSettings {
  readonly sent: Settings;
  readonly change: Record<string, unknown>;
  /** What takes the change back. */
  readonly reversal: Record<string, unknown>;
}

/** Saves what was changed in the form, and offers to take that back. What went wrong is forgotten with the next change. */
function useSaveSettings(form: UseFormReturn<Settings>, show: (saved: Settings, sent?: Settings) => void) {
  const client = useQueryClient();
  const write = async (body: Record<string, unknown>): Promise<Settings> => {
    const { data } = await callApi<{ data: AccountSettings }>('/admin/v1/settings', { method: 'PATCH', body });
    const { configured: _, ...saved } = data;
    return saved;
  };
  const refresh = () => client.invalidateQueries({ queryKey: settingsQuery.queryKey });
  const save = useMutation({
    mutationFn: ({ change }: SentSettings) => write(change),
    onSuccess: async (saved, { sent, reversal }) => {
      show(saved, sent);
      showUndo({
        title: settingsMessages().saved,
        async undo() {
          show(await write(reversal));
          await refresh();
        },
        undone: settingsMessages().restored,
      });
      await refresh();
    },
  });
  const { isError, reset } = save;
  useEffect(
    () => (isError ? form.subscribe({ formState: { values: true }, callback: () => reset() }) : undefined),
    [form, isError, reset],
  );
  return save;
}

function ProviderLists({ form, isConfigured, providers }: AccountParts & { providers: readonly NamedProvider[] }) {
  const t = settingsMessages().account;
  const { control } = form;
  const lists = {
    only: useController({ control, name: 'providers.only' }).field,
    ignore: useController({ control, name: 'providers.ignore' }).field,
  };
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">{t.providers}</legend>
      <p className="mb-2 text-xs text-ink-faint">{t.providersHint}</p>
      {isConfigured('providers.only') && <ConfiguredList name={t.only} />}
      {isConfigured('providers.ignore') && <ConfiguredList name={t.ignore} />}
      <div className="scroll-thin max-h-80 overflow-y-auto rounded-lg border border-line">
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b border-line text-left text-xs text-ink-faint">
              <th scope="col" className="px-3 py-1.5 font-medium">
                {t.provider}
              </th>
              <th scope="col" className="w-20 px-3 py-1.5 font-medium">
                {t.only}
              </th>
              <th scope="col" className="w-20 px-3 py-1.5 font-medium">
                {t.ignore}
              </th>
            </tr>
          </thead>
          <tbody>
            {providers.map(({ slug, name }) => (
              <tr key={slug} className="border-b border-line/60 last:border-0">
                <th scope="row" className="px-3 py-1.5 text-left font-normal wrap-anywhere">
                  {name} {slug !== name && <code className="font-mono text-xs text-ink-faint">{slug}</code>}
                </th>
                {(['only', 'ignore'] as const).map((list) => (
                  <td key={list} className="px-3">
                    <input
                      type="checkbox"
                      aria-label={list === 'only' ? t.onlyNamed(name) : t.ignoreNamed(name)}
                      className="size-4 align-middle accent-accent"
                      disabled={isConfigured(`providers.${list}`)}
                      checked={lists[list].value.includes(slug)}
                      onChange={() => lists[list].onChange(toggled(lists[list].value, slug))}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </fieldset>
  );
}

function ConfiguredList({ name }: { name: string }) {
  return (
    <p className="mb-2 flex flex-wrap gap-1 text-xs">
      {name}: <FromConfig />
    </p>
  );
}
