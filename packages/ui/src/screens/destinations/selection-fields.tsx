import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useController } from 'react-hook-form';

import { keysQuery } from '../../api/queries.ts';
import type { FilterRule, FilterRules } from '../../features/destinations/destination-queries.ts';
import { CheckField, type FormParts, InputField } from '../../features/form/fields.tsx';
import { toKeyEnd } from '../../features/keys/key-parts.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox, issueFor } from '../../parts/controls/field.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { useRowFocus } from '../../parts/controls/use-row-focus.ts';
import { toggled } from '../../parts/toggled.ts';
import type { DestinationDraft } from './destination-draft.ts';
import { destinationsMessages } from './messages.ts';

const REGIONS = ['global', 'europe', 'us'] as const;

const PARTS = [
  'broadcast_generation_cost',
  'broadcast_generation_identity',
  'broadcast_generation_request_context',
] as const;

export function SelectionFields({ form, error }: FormParts<DestinationDraft>) {
  const t = destinationsMessages().selection;
  const { control } = form;
  const { field: regions } = useController({ control, name: 'regions' });
  const { field: keys } = useController({ control, name: 'api_key_hashes' });
  const { field: rules } = useController({ control, name: 'filter_rules' });
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 text-sm font-semibold">{t.fields}</legend>
        <CheckField form={form} name="privacy_mode" isInverted label={t.content} hint={t.contentHint} />
        {PARTS.map((name) => (
          <CheckField key={name} form={form} name={name} label={t[name]} />
        ))}
      </fieldset>
      <InputField
        form={form}
        error={error}
        name="sampling_rate"
        label={t.sample}
        hint={t.sampleHint}
        fieldClass="max-w-72"
        type="number"
        min={0.01}
        max={100}
        step="any"
        show={(rate: number) => Number((rate * 100).toPrecision(6))}
        read={(percent) => (percent === '' ? Number.NaN : Number(percent) / 100)}
      />
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 text-sm font-semibold">{t.regions}</legend>
        {REGIONS.map((region) => (
          <Checkbox
            key={region}
            label={t.regionNames[region]}
            checked={regions.value.includes(region)}
            onChange={() => regions.onChange(toggled(regions.value, region))}
          />
        ))}
        {regions.value.length === 0 && <p className="text-xs text-bad">{t.noRegion}</p>}
      </fieldset>
      <KeyChoice hashes={keys.value} onChange={keys.onChange} />
      <FilterRulesEditor rules={rules.value} onChange={rules.onChange} error={error} />
    </div>
  );
}

interface KeyChoiceProps {
  readonly hashes: readonly string[] | null;
  readonly onChange: (hashes: string[] | null) => void;
}

function KeyChoice({ hashes, onChange }: KeyChoiceProps) {
  const t = destinationsMessages().selection;
  const { data: keys = [] } = useQuery(keysQuery);
  const callers = keys.filter(({ management }) => !management);
  const chosen = hashes ?? [];
  const toggle = (hash: string): void => {
    const next = toggled(chosen, hash);
    onChange(next.length === 0 ? null : next);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-semibold">{t.keys}</legend>
      <Checkbox
        label={t.allKeys}
        checked={hashes === null}
        disabled={hashes === null}
        onChange={() => onChange(null)}
      />
      {callers.map(({ hash, name, label }) => (
        <Checkbox
          key={hash}
          label={t.onlyKey(name)}
          hint={toKeyEnd({ label, source: 'stored' })}
          checked={chosen.includes(hash)}
          onChange={() => toggle(hash)}
        />
      ))}
    </fieldset>
  );
}

// Fields that the gateway supports (destinations.md, filter_rules).
const FIELDS = [
  'model',
  'provider',
  'session_id',
  'user_id',
  'api_key_name',
  'finish_reason',
  'input',
  'output',
  'total_cost',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
] as const satisfies readonly FilterRule['field'][];
const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'regex',
  'starts_with',
  'ends_with',
  'gt',
  'lt',
  'gte',
  'lte',
  'exists',
  'not_exists',
] as const satisfies readonly FilterRule['operator'][];
const IN_NUMBERS: ReadonlySet<string> = new Set(['gt', 'lt', 'gte', 'lte']);
const ALONE: ReadonlySet<string> = new Set(['exists', 'not_exists']);

type Group = FilterRules['groups'][number];

const NEW_RULE: FilterRule = { field: 'model', operator: 'contains', value: '' };
const NEW_GROUP: Group = { logic: 'and', rules: [NEW_RULE] };

interface FilterRulesEditorProps {
  readonly rules: FilterRules | null;
  readonly onChange: (rules: FilterRules | null) => void;
  readonly error: unknown;
}

/** Rules on what a request was like. Of a group all or any must match, and every group must. */
function FilterRulesEditor({ rules, onChange, error }: FilterRulesEditorProps) {
  const t = destinationsMessages().selection;
  const groups = rules?.groups ?? [];
  const set = (next: Group[]): void =>
    onChange(next.length === 0 ? null : { enabled: rules?.enabled ?? true, groups: next });
  const { around, beforeRemoval } = useRowFocus<HTMLFieldSetElement>();
  /** A group goes with its last rule. */
  const remove = (at: number, place: number): void => {
    const group = groups[at];
    if (group === undefined) return;
    beforeRemoval(groups.slice(0, at).reduce((sum, { rules: before }) => sum + before.length, place));
    const left = group.rules.toSpliced(place, 1);
    set(left.length === 0 ? groups.toSpliced(at, 1) : groups.with(at, { ...group, rules: left }));
  };
  return (
    <fieldset {...around} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-semibold">{t.rules}</legend>
      {rules === null ? (
        <p className="text-sm text-ink-faint">{t.noRules}</p>
      ) : (
        <Checkbox
          label={t.useRules}
          checked={rules.enabled}
          onChange={(event) => onChange({ ...rules, enabled: event.target.checked })}
        />
      )}
      {groups.map((group, at) => (
        <RuleGroup
          key={at}
          number={at + 1}
          group={group}
          error={issueFor(error, `filter_rules.groups.${at}`)}
          onChange={(next) => set(groups.with(at, next))}
          onRemove={(place) => remove(at, place)}
        />
      ))}
      <Button data-add icon={<Plus size={14} />} className="self-start" onClick={() => set([...groups, NEW_GROUP])}>
        {groups.length === 0 ? t.addRule : t.addGroup}
      </Button>
    </fieldset>
  );
}

interface RuleGroupProps {
  readonly number: number;
  readonly group: Group;
  readonly error: string | undefined;
  readonly onChange: (group: Group) => void;
  /** Asks for the rule at this place to be removed. */
  readonly onRemove: (place: number) => void;
}

function RuleGroup({ number, group, error, onChange, onRemove }: RuleGroupProps) {
  const t = destinationsMessages().selection;
  const setRules = (rules: FilterRule[]): void => onChange({ ...group, rules });
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line p-3">
      {group.rules.length > 1 && (
        <Select
          label={t.combined(number)}
          className="w-auto max-w-full self-start"
          value={group.logic}
          options={[
            ['and', t.all],
            ['or', t.any],
          ]}
          onChange={(logic) => onChange({ ...group, logic })}
        />
      )}
      {group.rules.map((rule, at) => (
        <RuleRow
          key={at}
          name={t.ruleName(number, at + 1)}
          rule={rule}
          onChange={(next) => setRules(group.rules.with(at, next))}
          onRemove={() => onRemove(at)}
        />
      ))}
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
      <Button
        look="quiet"
        icon={<Plus size={14} />}
        className="self-start"
        onClick={() => setRules([...group.rules, NEW_RULE])}
      >
        {t.addToGroup}
      </Button>
    </div>
  );
}

interface RuleRowProps {
  readonly name: string;
  readonly rule: FilterRule;
  readonly onChange: (rule: FilterRule) => void;
  readonly onRemove: () => void;
}

function RuleRow({ name, rule: { field, operator, value }, onChange, onRemove }: RuleRowProps) {
  const t = destinationsMessages().selection;
  const toRule = (next: Partial<Pick<FilterRule, 'field' | 'operator'>> & { text?: string }): FilterRule => {
    const merged = { field, operator, ...next };
    const text = next.text ?? String(value ?? '');
    if (ALONE.has(merged.operator)) return { field: merged.field, operator: merged.operator };
    // What is still being typed, such as `0.`, stays as it is written; the gateway reads numbers in texts, too.
    const isNumber = IN_NUMBERS.has(merged.operator) && String(Number(text)) === text && Number.isFinite(Number(text));
    return { field: merged.field, operator: merged.operator, value: isNumber ? Number(text) : text };
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        label={t.fieldOf(name)}
        value={field}
        options={FIELDS}
        onChange={(next) => onChange(toRule({ field: next }))}
      />
      <Select
        label={t.comparisonOf(name)}
        value={operator}
        options={OPERATORS.map((option) => [option, option.replaceAll('_', ' ')] as const)}
        onChange={(next) => onChange(toRule({ operator: next }))}
      />
      {!ALONE.has(operator) && (
        <input
          aria-label={t.valueOf(name)}
          className="w-auto max-w-full min-w-32 flex-1"
          value={String(value ?? '')}
          onChange={(event) => onChange(toRule({ text: event.target.value }))}
        />
      )}
      <Button data-remove look="quiet" aria-label={t.remove(name)} icon={<X size={15} />} onClick={onRemove} />
    </div>
  );
}
