import type { FormatName, RoutingConditions, RoutingRule } from '@model-gateway/core/wire';
import { useState } from 'react';

import { Checkbox } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { ruleMessages } from './rule-messages.ts';

export interface RuleFieldsProps {
  readonly rule: RoutingRule;
  /** The id of a list of models to complete from. */
  readonly modelList: string;
  readonly isFixed: boolean;
  /** The gateway's message about a field, by its path within the rule. */
  readonly issue: (path: string) => string | undefined;
  readonly onChange: (rule: RoutingRule) => void;
}

const FORMATS = [
  'chat',
  'messages',
  'responses',
  'completions',
  'ollama-chat',
  'ollama-generate',
  'gemini',
] as const satisfies readonly FormatName[];
const YES_NO = ['background', 'thinking', 'sub_agent', 'has_tools', 'has_images'] as const;
const NUMBERS = ['min_prompt_tokens', 'min_tools'] as const;
const LISTS = ['models', 'apps', 'keys', 'except_keys'] as const;

/** One rule: its name, the model that it chooses, and its conditions. */
export function RuleFields({ rule, modelList, isFixed, issue, onChange }: RuleFieldsProps) {
  const t = ruleMessages();
  return (
    <fieldset disabled={isFixed} className="flex min-w-0 flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <LabelledInput
          label={t.name}
          error={issue('name')}
          value={rule.name}
          onChange={(text) => onChange({ ...rule, name: text })}
        />
        <LabelledInput
          label={t.model}
          hint={t.modelHint}
          error={issue('model')}
          list={modelList}
          className="field font-mono text-xs"
          value={rule.model}
          onChange={(text) => onChange({ ...rule, model: text })}
        />
        <ListField
          className="sm:col-span-2"
          placeholder={t.none}
          label={t.fallbacks}
          hint={t.fallbacksHint}
          values={rule.models}
          error={issue('models')}
          onChange={(models) => {
            const { models: _, ...others } = rule;
            onChange(models === undefined ? others : { ...others, models });
          }}
        />
      </div>
      <p className="text-sm font-medium">{t.conditions}</p>
      <ConditionFields
        when={rule.when}
        issue={(name) => issue(`when.${name}`)}
        onChange={(when) => onChange({ ...rule, when })}
      />
    </fieldset>
  );
}

interface ConditionFieldsProps {
  readonly when: RoutingConditions;
  readonly issue: (name: string) => string | undefined;
  readonly onChange: (when: RoutingConditions) => void;
}

function ConditionFields({ when, issue, onChange }: ConditionFieldsProps) {
  const t = ruleMessages();
  const set = <Name extends keyof RoutingConditions>(name: Name, value: RoutingConditions[Name]): void => {
    const { [name]: _, ...others } = when;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const setFormats = (formats: FormatName[]): void => {
    const { formats: _, doors: _former, ...others } = when;
    onChange(formats.length === 0 ? others : { ...others, formats });
  };
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        {YES_NO.map((name) => (
          <LabelledSelect
            key={name}
            {...t[name]}
            value={String(when[name] ?? '')}
            options={[
              ['', t.either],
              ['true', t.yes],
              ['false', t.no],
            ]}
            onChange={(value) => set(name, value === '' ? undefined : value === 'true')}
          />
        ))}
        {NUMBERS.map((name) => (
          <LabelledInput
            key={name}
            {...t[name]}
            error={issue(name)}
            type="number"
            min={1}
            placeholder={t.any}
            value={when[name] ?? ''}
            onChange={(value) => set(name, value === '' ? undefined : Number(value))}
          />
        ))}
        {LISTS.map((name) => (
          <ListField
            key={name}
            {...t[name]}
            placeholder={name === 'except_keys' ? t.none : t.any}
            values={when[name]}
            error={issue(name)}
            onChange={(values) => set(name, values)}
          />
        ))}
      </div>
      <FormatFields formats={when.formats ?? when.doors ?? []} onChange={setFormats} />
    </>
  );
}

function FormatFields({
  formats,
  onChange,
}: {
  formats: readonly FormatName[];
  onChange: (formats: FormatName[]) => void;
}) {
  const t = ruleMessages();
  const toggle = (format: FormatName, isOn: boolean): void =>
    onChange(FORMATS.filter((one) => (one === format ? isOn : formats.includes(one))));
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t.formats}</legend>
      <div className="flex flex-wrap gap-x-4">
        {FORMATS.map((format) => (
          <Checkbox
            key={format}
            label={t.formatNames[format]}
            checked={formats.includes(format)}
            onChange={(event) => toggle(format, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface ListFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly className?: string;
  readonly placeholder?: string;
  readonly values: readonly string[] | undefined;
  readonly error: string | undefined;
  /** Undefined for none. */
  readonly onChange: (values: string[] | undefined) => void;
}

/** Texts with commas between them. What is being typed stays as it is, a comma at its end included. */
function ListField({ label, hint, placeholder, className = '', values = [], error, onChange }: ListFieldProps) {
  const [typed, setTyped] = useState(values.join(', '));
  const isCurrent = toList(typed).join() === values.join();
  return (
    <LabelledInput
      label={label}
      hint={hint}
      error={error}
      fieldClass={className}
      placeholder={placeholder}
      className="field font-mono text-xs"
      value={isCurrent ? typed : values.join(', ')}
      onChange={(value) => {
        const list = toList(value);
        setTyped(value);
        onChange(list.length === 0 ? undefined : list);
      }}
    />
  );
}

const toList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
