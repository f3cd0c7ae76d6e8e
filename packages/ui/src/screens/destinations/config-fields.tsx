import type { DestinationType } from '@model-gateway/core/wire';

import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect, LabelledText } from '../../parts/controls/labelled.tsx';
import { CONFIG_FIELDS, type ConfigField, type DestinationDraft } from './destination-draft.ts';
import { destinationsMessages } from './messages.ts';

interface ConfigFieldsProps {
  readonly type: DestinationType;
  readonly draft: Pick<DestinationDraft, 'config' | 'headers'>;
  readonly onChange: (change: Partial<Pick<DestinationDraft, 'config' | 'headers'>>) => void;
  readonly error: unknown;
}

export function ConfigFields({ type, draft, onChange, error }: ConfigFieldsProps) {
  const t = destinationsMessages();
  const set = (name: string, value: string): void => onChange({ config: { ...draft.config, [name]: value } });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {CONFIG_FIELDS[type].map((field) => (
        <OneField
          key={field.name}
          field={field}
          texts={t.types[type].fields[field.name] ?? { label: field.name }}
          value={draft.config[field.name] ?? ''}
          onChange={(value) => set(field.name, value)}
          error={issueFor(error, `config.${field.name}`)}
        />
      ))}
      <LabelledText
        label={t.headers}
        hint={t.headersHint}
        error={issueFor(error, 'config.headers')}
        fieldClass="sm:col-span-2"
        rows={Math.min(6, Math.max(2, draft.headers.split('\n').length))}
        spellCheck={false}
        placeholder="Authorization: Bearer …"
        className="field resize-y font-mono text-xs"
        value={draft.headers}
        onChange={(headers) => onChange({ headers })}
      />
    </div>
  );
}

interface OneFieldProps {
  readonly field: ConfigField;
  readonly texts: { readonly label: string; readonly hint?: string };
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

function OneField({ field, texts: { label, hint }, value, onChange, error }: OneFieldProps) {
  const { isRequired = false, isSecret = false, placeholder, options } = field;
  if (options !== undefined) {
    return (
      <LabelledSelect
        label={label}
        hint={hint}
        error={error}
        value={value || (options[0] ?? '')}
        options={options}
        onChange={onChange}
      />
    );
  }
  return (
    <LabelledInput
      label={isRequired ? label : destinationsMessages().optional(label)}
      hint={hint}
      error={error}
      // A masked secret is shown, so that it is seen that there is one.
      type={isSecret && !value.startsWith('********') ? 'password' : 'text'}
      required={isRequired}
      autoComplete="off"
      spellCheck={false}
      placeholder={placeholder}
      className="field font-mono text-xs"
      value={value}
      onChange={onChange}
    />
  );
}
