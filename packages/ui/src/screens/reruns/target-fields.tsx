import type { Model, ModelEndpoint, Preset } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { endpointsQuery, modelsQuery } from '../../api/queries.ts';
import { formatTokenPrice, providerSlugOf } from '../../features/models/model-facts.ts';
import { presetsQuery, slugOfModel, toPresetModel } from '../../features/models/preset-models.ts';
import { Field, Folded, issueFor } from '../../parts/controls/field.tsx';
import { LabelledSelect, LabelledText } from '../../parts/controls/labelled.tsx';
import type { SelectOption } from '../../parts/controls/multi-select-options.ts';
import { MultiSelect } from '../../parts/controls/multi-select.tsx';
import { rerunFormMessages } from './form-messages.ts';
import type { RerunDraft } from './rerun-draft.ts';
import { type DraftFieldProps, GROUP } from './set-fields.tsx';

const NOTHING: readonly never[] = [];

/** The models that respond with text, with their prices for a million tokens. */
export function useChatModels(): readonly SelectOption[] {
  const { data: models = NOTHING } = useQuery(modelsQuery);
  return useMemo(() => models.filter(isChat).map(toOption), [models]);
}

/** Presets, and models: a preset brings its own. */
function useTargets(): readonly SelectOption[] {
  const t = rerunFormMessages();
  const models = useChatModels();
  const { data } = useQuery(presetsQuery());
  return useMemo(
    () => [...(data?.data.filter(isUsable).map((preset) => toPresetOption(preset, t.preset)) ?? []), ...models],
    [data, models, t],
  );
}

const isUsable = ({ status }: Preset): boolean => status === 'active';

const toPresetOption = ({ slug, name }: Preset, note: string): SelectOption => ({
  value: toPresetModel(slug),
  label: toPresetModel(slug),
  note,
  words: name,
});

const isChat = ({ architecture }: Model): boolean => architecture.output_modalities.includes('text');

const toOption = ({ id, name, pricing }: Model): SelectOption => ({
  value: id,
  label: id,
  note: `${formatTokenPrice(pricing, 'prompt')} / ${formatTokenPrice(pricing, 'completion')}`,
  words: name,
});

/** What the calls are run against: models, and what is changed of the requests for all of them. */
export function TargetFields({ draft, onChange, issues, error }: DraftFieldProps) {
  const t = rerunFormMessages();
  const options = useTargets();
  const parametersIssue = issues.parameters ?? issueForTarget(error, 'parameters');
  const systemIssue = issueForTarget(error, 'system');
  return (
    <fieldset className={GROUP}>
      <legend className="px-1 text-sm font-semibold">{t.targets}</legend>
      <Field
        label={t.models}
        hint={t.modelsHint}
        error={
          issues.targets ??
          issueFor(error, 'targets') ??
          issueForTarget(error, 'model') ??
          issueForTarget(error, 'preset')
        }
      >
        {(control) => (
          <MultiSelect
            control={control}
            noun={t.modelNoun}
            options={options}
            chosen={draft.models}
            onChange={(models) => onChange({ models })}
            allowsOther
            unknownNote={t.unknownModel}
          />
        )}
      </Field>
      {draft.models.length > 0 && (
        <Folded title={t.providers} hasIssue={issueForTarget(error, 'provider') !== undefined}>
          <div className="mt-3 flex flex-col gap-3">
            <p className="text-xs text-ink-faint">{t.providersHint}</p>
            {draft.models
              .filter((model) => slugOfModel(model) === undefined)
              .map((model) => (
                <ProviderField
                  key={model}
                  model={model}
                  chosen={draft.providers[model] ?? NOTHING}
                  onChange={(chosen) => onChange({ providers: { ...draft.providers, [model]: chosen } })}
                />
              ))}
            {issueForTarget(error, 'provider') !== undefined && (
              <p className="text-xs text-bad">{issueForTarget(error, 'provider')}</p>
            )}
          </div>
        </Folded>
      )}
      <Folded title={t.changes} hasIssue={parametersIssue !== undefined || systemIssue !== undefined}>
        <div className="mt-3 flex flex-col gap-3">
          <LabelledSelect
            label={t.systemChange}
            value={draft.systemChange}
            options={Object.entries(t.systemChanges)}
            onChange={(change) => onChange({ systemChange: change as RerunDraft['systemChange'] })}
          />
          {draft.systemChange !== 'keep' && (
            <LabelledText
              label={t.system}
              error={systemIssue}
              rows={3}
              value={draft.system}
              onChange={(system) => onChange({ system })}
            />
          )}
          <LabelledText
            label={t.parameters}
            hint={t.parametersHint}
            error={parametersIssue}
            rows={2}
            spellCheck={false}
            className="field resize-y font-mono text-xs"
            value={draft.parameters}
            onChange={(parameters) => onChange({ parameters })}
          />
        </div>
      </Folded>
    </fieldset>
  );
}

interface ProviderFieldProps {
  readonly model: string;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The providers of a model that are compared with each other; without any, the gateway chooses for each request. */
function ProviderField({ model, chosen, onChange }: ProviderFieldProps) {
  const t = rerunFormMessages();
  const { data: endpoints = NOTHING } = useQuery({ ...endpointsQuery(model), retry: false });
  const options = useMemo(() => toProviders(endpoints), [endpoints]);
  return (
    <Field label={t.providersOf(model)}>
      {(control) => (
        <MultiSelect
          control={control}
          noun={t.providerNoun}
          options={options}
          chosen={chosen}
          onChange={onChange}
          placeholder={t.anyProvider}
          allowsOther
        />
      )}
    </Field>
  );
}

/** Once each: a provider may have several endpoints of a model. */
function toProviders(endpoints: readonly ModelEndpoint[]): SelectOption[] {
  const names = new Map(endpoints.map((endpoint) => [providerSlugOf(endpoint), endpoint.provider_name]));
  return Array.from(names, ([value, name]) => ({ value, label: value, words: name }));
}

/** The gateway's message about a member of the first target that has one, or about all targets. */
function issueForTarget(
  error: unknown,
  member: 'model' | 'preset' | 'provider' | 'parameters' | 'system',
): string | undefined {
  const places = Array.from({ length: 8 }, (_, at) => issueFor(error, `targets.${at}.${member}`));
  return places.find((issue) => issue !== undefined);
}
