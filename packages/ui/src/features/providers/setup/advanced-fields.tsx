import { Plus, Trash2 } from 'lucide-react';

import { Button } from '../../../parts/controls/button.tsx';
import { Checkbox, Folded } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { KeyFields } from './key-fields.tsx';
import { providerSetupMessages } from './messages.ts';
import {
  type DataPolicyDraft,
  isOfPackage,
  mayHaveBatches,
  type PairDraft,
  type ProviderDraft,
  speaksChatCompletions,
} from './provider-draft.ts';

interface AdvancedFieldsProps {
  readonly draft: ProviderDraft;
  readonly onChange: (change: Partial<ProviderDraft>) => void;
  readonly issue: (field: string) => string | undefined;
}

const FIELDS = [
  'apiKeys',
  'headers',
  'query',
  'options',
  'byok',
  'dataPolicy',
  'responses',
  'batches',
  'batchPriceShare',
] as const;

/** What few providers need: headers, a query, who pays, further APIs, and what becomes of data. */
export function AdvancedFields({ draft, onChange, issue }: AdvancedFieldsProps) {
  const t = providerSetupMessages().advanced;
  return (
    <Folded title={t.title} hasIssue={FIELDS.some((field) => issue(field) !== undefined)}>
      <div className="mt-3 flex flex-col gap-5">
        {!isOfPackage(draft) && <KeyFields keys={draft.keys} onChange={(keys) => onChange({ keys })} issue={issue} />}
        <DataPolicyFields draft={draft} onChange={onChange} issue={issue} />
        <Checkbox
          label={t.byok}
          hint={t.byokHint}
          checked={draft.byok}
          onChange={(event) => onChange({ byok: event.target.checked })}
        />
        <PairFields
          noun="header"
          pairs={draft.headers}
          onChange={(headers) => onChange({ headers })}
          issue={(name) => issue(`headers.${name}`)}
        />
        {speaksChatCompletions(draft) && (
          <ResponsesField draft={draft} onChange={onChange} error={issue('responses')} />
        )}
        {mayHaveBatches(draft) && <BatchFields draft={draft} onChange={onChange} issue={issue} />}
        {isOfPackage(draft) && (
          <PairFields
            noun="option"
            pairs={draft.query}
            onChange={(query) => onChange({ query })}
            issue={(name) => issue(`options.${name}`) ?? issue('options')}
          />
        )}
        {speaksChatCompletions(draft) && (
          <PairFields
            noun="parameter"
            pairs={draft.query}
            onChange={(query) => onChange({ query })}
            issue={(name) => issue(`query.${name}`) ?? issue('query')}
          />
        )}
      </div>
    </Folded>
  );
}

interface ResponsesFieldProps extends Pick<AdvancedFieldsProps, 'draft' | 'onChange'> {
  readonly error: string | undefined;
}

/** Without a preset nothing is known, which counts as no. */
function ResponsesField({ draft: { preset, responses }, onChange, error }: ResponsesFieldProps) {
  const t = providerSetupMessages().advanced;
  const unsaid = preset === null ? 'no' : 'preset';
  const toValue = (word: string): boolean | null => (word === unsaid ? null : word === 'yes');
  return (
    <LabelledSelect
      label={t.responses}
      hint={t.responsesHint}
      error={error}
      value={responses === null ? unsaid : responses ? 'yes' : 'no'}
      options={[...(preset === null ? [] : [['preset', t.auto] as const]), ['no', t.no], ['yes', t.yes]]}
      onChange={(word) => onChange({ responses: toValue(word) })}
    />
  );
}

/** Whether lines of batches go to its own batch API, and what a call costs there. */
function BatchFields({ draft: { batches, batchPrice }, onChange, issue }: AdvancedFieldsProps) {
  const t = providerSetupMessages().advanced;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <LabelledSelect
        label={t.batches}
        hint={t.batchesHint}
        error={issue('batches')}
        value={batches === null ? 'auto' : batches ? 'yes' : 'no'}
        options={(['auto', 'no', 'yes'] as const).map((word) => [word, t[word]] as const)}
        onChange={(word) => onChange({ batches: word === 'auto' ? null : word === 'yes' })}
      />
      {batches !== false && (
        <LabelledInput
          label={t.batchPrice}
          hint={t.batchPriceHint}
          error={issue('batchPriceShare')}
          type="number"
          min={0}
          max={100}
          step={0.1}
          placeholder="50"
          value={batchPrice}
          onChange={(percent) => onChange({ batchPrice: percent })}
        />
      )}
    </div>
  );
}

const UNKNOWN: DataPolicyDraft = { training: null, retainsPrompts: null };
const WORDS = { no: false, yes: true, unknown: null } as const;
type Word = keyof typeof WORDS;

const toWord = (value: boolean | null): Word => (value === null ? 'unknown' : value ? 'yes' : 'no');

/** By which rules about data go: what is known of the preset, or what the user says. */
function DataPolicyFields({ draft: { preset, dataPolicy }, onChange, issue }: AdvancedFieldsProps) {
  const t = providerSetupMessages().advanced;
  const known = preset?.data_policy;
  const ofPreset = known === undefined ? UNKNOWN : { training: known.training, retainsPrompts: known.retains_prompts };
  const set = (change: Partial<DataPolicyDraft>): void =>
    onChange({ dataPolicy: { ...(dataPolicy ?? ofPreset), ...change } });
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{t.policy}</legend>
      <p className="text-xs text-ink-faint">{t.policyHint}</p>
      <Checkbox
        label={t.standard(t.training[toWord(ofPreset.training)], t.retention[toWord(ofPreset.retainsPrompts)])}
        checked={dataPolicy === null}
        onChange={(event) => onChange({ dataPolicy: event.target.checked ? null : ofPreset })}
      />
      {dataPolicy !== null && (
        <div className="grid gap-4 sm:grid-cols-2">
          <PolicySelect
            label={t.trains}
            value={dataPolicy.training}
            error={issue('dataPolicy.training')}
            onChange={(training) => set({ training })}
          />
          <PolicySelect
            label={t.retains}
            value={dataPolicy.retainsPrompts}
            error={issue('dataPolicy.retainsPrompts')}
            onChange={(retainsPrompts) => set({ retainsPrompts })}
          />
        </div>
      )}
    </fieldset>
  );
}

interface PolicySelectProps {
  readonly label: string;
  readonly value: boolean | null;
  readonly error: string | undefined;
  readonly onChange: (value: boolean | null) => void;
}

function PolicySelect({ label, value, error, onChange }: PolicySelectProps) {
  const t = providerSetupMessages().advanced;
  return (
    <LabelledSelect
      label={label}
      error={error}
      value={toWord(value)}
      options={(Object.keys(WORDS) as Word[]).map((word) => [word, t[word]] as const)}
      onChange={(word) => onChange(WORDS[word as Word])}
    />
  );
}

interface PairFieldsProps {
  readonly noun: 'header' | 'parameter' | 'option';
  readonly pairs: readonly PairDraft[];
  readonly onChange: (pairs: readonly PairDraft[]) => void;
  /** The gateway's message about the pair of a name. */
  readonly issue: (name: string) => string | undefined;
}

function toPairTexts(noun: PairFieldsProps['noun']) {
  const t = providerSetupMessages().advanced;
  const { savedValue } = t;
  return noun === 'header'
    ? {
        legend: t.headers,
        hint: t.headersHint,
        name: t.headerName,
        value: t.headerValue,
        remove: t.removeHeader,
        add: t.addHeader,
        savedValue,
      }
    : {
        legend: noun === 'option' ? t.options : t.query,
        hint: noun === 'option' ? t.optionsHint : t.queryHint,
        name: noun === 'option' ? t.optionName : t.parameterName,
        value: noun === 'option' ? t.optionValue : t.parameterValue,
        remove: noun === 'option' ? t.removeOption : t.removeParameter,
        add: noun === 'option' ? t.addOption : t.addParameter,
        savedValue,
      };
}

/** Names with values, a row each. */
function PairFields({ noun, pairs, onChange, issue }: PairFieldsProps) {
  const t = toPairTexts(noun);
  const change = (at: number, next: Partial<PairDraft>): void =>
    onChange(pairs.map((pair, place) => (place === at ? { ...pair, ...next } : pair)));
  const add = (): void => {
    const key = Math.max(-1, ...pairs.map((pair) => pair.key)) + 1;
    onChange([...pairs, { key, name: '', value: '' }]);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{t.legend}</legend>
      <p className="text-xs text-ink-faint">{t.hint}</p>
      {pairs.map((pair, at) => {
        const { key, name, value, isSaved = false } = pair;
        const message = name.trim() === '' ? undefined : issue(name.trim());
        return (
          <div key={key} className="flex flex-col gap-1">
            <div className="flex gap-2">
              <input
                aria-label={t.name(at + 1)}
                aria-invalid={message !== undefined || undefined}
                autoComplete="off"
                spellCheck={false}
                required
                disabled={isSaved}
                className="field min-w-0 flex-1 font-mono"
                value={name}
                onChange={(event) => change(at, { name: event.target.value })}
              />
              <input
                aria-label={t.value(at + 1)}
                aria-invalid={message !== undefined || undefined}
                // Values of headers are secret.
                type={noun === 'header' ? 'password' : 'text'}
                autoComplete="off"
                spellCheck={false}
                placeholder={isSaved ? t.savedValue : ''}
                className="field min-w-0 flex-1 font-mono"
                value={value}
                onChange={(event) => change(at, { value: event.target.value })}
              />
              <Button
                look="quiet"
                aria-label={t.remove(at + 1)}
                icon={<Trash2 size={14} />}
                onClick={() => onChange(pairs.toSpliced(at, 1))}
              />
            </div>
            {message !== undefined && (
              <p role="alert" className="text-xs text-bad">
                {name.trim()}: {message}
              </p>
            )}
          </div>
        );
      })}
      <Button className="self-start" icon={<Plus size={14} />} onClick={add}>
        {t.add}
      </Button>
    </fieldset>
  );
}
