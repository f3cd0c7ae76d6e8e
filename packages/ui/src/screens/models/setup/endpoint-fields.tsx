import type { ProviderSetup } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useId } from 'react';

import { Button } from '../../../parts/controls/button.tsx';
import { Field } from '../../../parts/controls/field.tsx';
import { providerModelsQuery } from '../../providers/setup/setup-queries.ts';
import type { EndpointDraft } from './model-draft.ts';

interface EndpointFieldsProps {
  readonly draft: EndpointDraft;
  /** Its place, from 1. */
  readonly place: number;
  readonly providers: readonly ProviderSetup[];
  readonly onChange: (draft: EndpointDraft) => void;
  readonly onRemove: () => void;
  readonly issue: (field: string) => string | undefined;
}

/** Where a model is served: the provider, its own name for the model, and what tokens cost there. */
export function EndpointFields({ draft, place, providers, onChange, onRemove, issue }: EndpointFieldsProps) {
  const listId = useId();
  const provider = providers.find(({ slug }) => slug === draft.provider);
  const { data: names } = useQuery({ ...providerModelsQuery(provider), enabled: provider !== undefined });
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">Endpoint {place}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Provider" error={issue('provider')}>
          {(control) => (
            <select
              {...control}
              required
              className="field"
              value={draft.provider}
              onChange={(event) => onChange({ ...draft, provider: event.target.value })}
            >
              {provider === undefined && <option value={draft.provider}>{draft.provider}</option>}
              {providers.map(({ slug, name }) => (
                <option key={slug} value={slug}>
                  {name} ({slug})
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Its name there"
          hint={
            names === undefined || names.length === 0
              ? 'As the provider calls it'
              : `One of ${names.length} that it lists, or another`
          }
          error={issue('providerModel')}
        >
          {(control) => (
            <input
              {...control}
              list={listId}
              autoComplete="off"
              spellCheck={false}
              className="field font-mono"
              value={draft.providerModel}
              onChange={(event) => onChange({ ...draft, providerModel: event.target.value })}
            />
          )}
        </Field>
        <datalist id={listId}>
          {names?.map((id) => (
            <option key={id} value={id} />
          ))}
        </datalist>
        <PriceField
          label="Input"
          value={draft.prompt}
          error={issue('pricing.prompt')}
          onChange={(prompt) => onChange({ ...draft, prompt })}
        />
        <PriceField
          label="Output"
          value={draft.completion}
          error={issue('pricing.completion')}
          onChange={(completion) => onChange({ ...draft, completion })}
        />
      </div>
      <Button look="quiet" className="mt-2" icon={<Trash2 size={14} aria-hidden />} onClick={onRemove}>
        Remove endpoint {place}
      </Button>
    </fieldset>
  );
}

interface PriceFieldProps {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function PriceField({ label, value, error, onChange }: PriceFieldProps) {
  return (
    <Field label={`${label}, USD per million tokens`} hint="Empty: not known. 0: free" error={error}>
      {(control) => (
        <input
          {...control}
          inputMode="decimal"
          autoComplete="off"
          className="field"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
