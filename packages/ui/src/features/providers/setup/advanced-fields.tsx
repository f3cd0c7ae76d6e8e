import { Plus, Trash2 } from 'lucide-react';

import { Button } from '../../../parts/controls/button.tsx';
import { Checkbox, Folded } from '../../../parts/controls/field.tsx';
import { LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { type DataPolicyDraft, type PairDraft, type ProviderDraft, speaksChatCompletions } from './provider-draft.ts';

interface AdvancedFieldsProps {
  readonly draft: ProviderDraft;
  readonly onChange: (change: Partial<ProviderDraft>) => void;
  readonly issue: (field: string) => string | undefined;
}

const FIELDS = ['headers', 'query', 'byok', 'dataPolicy', 'responses'] as const;

/** What few providers need: headers, a query, who pays, a second API, and what becomes of data. */
export function AdvancedFields({ draft, onChange, issue }: AdvancedFieldsProps) {
  return (
    <Folded title="Advanced" hasIssue={FIELDS.some((field) => issue(field) !== undefined)}>
      <div className="mt-3 flex flex-col gap-5">
        <DataPolicyFields draft={draft} onChange={onChange} issue={issue} />
        <Checkbox
          label="Callers use their own key (BYOK)"
          hint="Tried first; only counts toward limits that include BYOK."
          checked={draft.byok}
          onChange={(event) => onChange({ byok: event.target.checked })}
        />
        <PairFields
          legend="Headers"
          hint="Sent with every call. Values are encrypted when saved and never shown again."
          noun="header"
          areSecret
          pairs={draft.headers}
          onChange={(headers) => onChange({ headers })}
          issue={(name) => issue(`headers.${name}`)}
        />
        {speaksChatCompletions(draft) && (
          <ResponsesField draft={draft} onChange={onChange} error={issue('responses')} />
        )}
        {speaksChatCompletions(draft) && (
          <PairFields
            legend="Query"
            hint="Added to every address, e.g. ?api-version=2024-10-21."
            noun="parameter"
            areSecret={false}
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
  const unsaid = preset === null ? 'no' : 'preset';
  const toValue = (word: string): boolean | null => (word === unsaid ? null : word === 'yes');
  return (
    <LabelledSelect
      label="Has the Responses API"
      hint="Forward /responses requests as is; otherwise convert them to chat completions."
      error={error}
      value={responses === null ? unsaid : responses ? 'yes' : 'no'}
      options={[...(preset === null ? [] : [['preset', `as is known of ${preset.name}`] as const]), 'no', 'yes']}
      onChange={(word) => onChange({ responses: toValue(word) })}
    />
  );
}

const UNKNOWN: DataPolicyDraft = { training: null, retainsPrompts: null };
const WORDS = { no: false, yes: true, unknown: null } as const;
type Word = keyof typeof WORDS;

const toWord = (value: boolean | null): Word => (value === null ? 'unknown' : value ? 'yes' : 'no');

/** By which rules about data go: what is known of the preset, or what the user says. */
function DataPolicyFields({ draft: { preset, dataPolicy }, onChange, issue }: AdvancedFieldsProps) {
  const known = preset?.data_policy;
  const ofPreset = known === undefined ? UNKNOWN : { training: known.training, retainsPrompts: known.retains_prompts };
  const set = (change: Partial<DataPolicyDraft>): void =>
    onChange({ dataPolicy: { ...(dataPolicy ?? ofPreset), ...change } });
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">Data policy</legend>
      <p className="text-xs text-ink-faint">
        Used by routing rules about data; “unknown” passes none of them. Check your contract.
      </p>
      <Checkbox
        label={`Use the provider’s standard terms: ${describePolicy(ofPreset)}`}
        checked={dataPolicy === null}
        onChange={(event) => onChange({ dataPolicy: event.target.checked ? null : ofPreset })}
      />
      {dataPolicy !== null && (
        <div className="grid gap-4 sm:grid-cols-2">
          <PolicySelect
            label="Trains on prompts"
            value={dataPolicy.training}
            error={issue('dataPolicy.training')}
            onChange={(training) => set({ training })}
          />
          <PolicySelect
            label="Retains prompts"
            value={dataPolicy.retainsPrompts}
            error={issue('dataPolicy.retainsPrompts')}
            onChange={(retainsPrompts) => set({ retainsPrompts })}
          />
        </div>
      )}
    </fieldset>
  );
}

function describePolicy({ training, retainsPrompts }: DataPolicyDraft): string {
  const say = (value: boolean | null, verb: string, plain: string): string =>
    value === null ? `unknown whether it ${verb}` : value ? verb : `does not ${plain}`;
  return `${say(training, 'trains', 'train')}, ${say(retainsPrompts, 'keeps them', 'keep them')}`;
}

interface PolicySelectProps {
  readonly label: string;
  readonly value: boolean | null;
  readonly error: string | undefined;
  readonly onChange: (value: boolean | null) => void;
}

function PolicySelect({ label, value, error, onChange }: PolicySelectProps) {
  return (
    <LabelledSelect
      label={label}
      error={error}
      value={toWord(value)}
      options={Object.keys(WORDS)}
      onChange={(word) => onChange(WORDS[word as Word])}
    />
  );
}

interface PairFieldsProps {
  readonly legend: string;
  readonly hint: string;
  /** What one of them is called: “header”. */
  readonly noun: string;
  /** Whether values are secret: they are hidden while they are typed. */
  readonly areSecret: boolean;
  readonly pairs: readonly PairDraft[];
  readonly onChange: (pairs: readonly PairDraft[]) => void;
  /** The gateway's message about the pair of a name. */
  readonly issue: (name: string) => string | undefined;
}

/** Names with values, a row each. */
function PairFields({ legend, hint, noun, areSecret, pairs, onChange, issue }: PairFieldsProps) {
  const change = (at: number, next: Partial<PairDraft>): void =>
    onChange(pairs.map((pair, place) => (place === at ? { ...pair, ...next } : pair)));
  const add = (): void => {
    const key = Math.max(-1, ...pairs.map((pair) => pair.key)) + 1;
    onChange([...pairs, { key, name: '', value: '' }]);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{legend}</legend>
      <p className="text-xs text-ink-faint">{hint}</p>
      {pairs.map((pair, at) => {
        const { key, name, value, isSaved = false } = pair;
        const message = name.trim() === '' ? undefined : issue(name.trim());
        return (
          <div key={key} className="flex flex-col gap-1">
            <div className="flex gap-2">
              <input
                aria-label={`Name of ${noun} ${at + 1}`}
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
                aria-label={`Value of ${noun} ${at + 1}`}
                aria-invalid={message !== undefined || undefined}
                type={areSecret ? 'password' : 'text'}
                autoComplete="off"
                spellCheck={false}
                placeholder={isSaved ? 'saved value' : ''}
                className="field min-w-0 flex-1 font-mono"
                value={value}
                onChange={(event) => change(at, { value: event.target.value })}
              />
              <Button
                look="quiet"
                aria-label={`Remove ${noun} ${at + 1}`}
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
        Add a {noun}
      </Button>
    </fieldset>
  );
}
