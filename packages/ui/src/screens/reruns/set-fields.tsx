import { FolderUp, Upload } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';

import { PERIOD_NAMES, toPeriodTexts } from '../../format/days.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { readFixtureFolder } from './fixture-folder.ts';
import { rerunFormMessages } from './form-messages.ts';
import { countRequests, type DraftIssues, type RerunDraft } from './rerun-draft.ts';

export interface DraftFieldProps {
  readonly draft: RerunDraft;
  readonly onChange: (part: Partial<RerunDraft>) => void;
  readonly issues: DraftIssues;
  /** What the gateway said of the form. */
  readonly error: unknown;
}

export const GROUP = 'flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3';

/** Which calls are run again: those that a filter finds, these, or the requests of a file. */
export function SetFields({ draft, onChange, issues, error }: DraftFieldProps) {
  const t = rerunFormMessages();
  const setError =
    issues.set ?? issueFor(error, 'set') ?? issueFor(error, 'set.ndjson') ?? issueFor(error, 'set.fixture_cases');
  if (draft.upload !== null) {
    const count = countRequests(draft.upload);
    return (
      <fieldset className={GROUP}>
        <legend className="px-1 text-sm font-semibold">{t.calls}</legend>
        <p className="text-sm break-words">{t.uploaded(draft.upload.name, count, formatCount(count))}</p>
        {setError !== undefined && <p className="text-xs text-bad">{setError}</p>}
        <Button className="self-start" onClick={() => onChange({ upload: null })}>
          {t.useFilter}
        </Button>
      </fieldset>
    );
  }
  if (draft.ids.length > 0) {
    return (
      <fieldset className={GROUP}>
        <legend className="px-1 text-sm font-semibold">{t.calls}</legend>
        <p className="text-sm">{t.chosen(draft.ids.length)}</p>
        <ul className="font-mono text-xs break-all text-ink-soft">
          {draft.ids.map((id) => (
            <li key={id}>{id}</li>
          ))}
        </ul>
        {setError !== undefined && <p className="text-xs text-bad">{setError}</p>}
        <Button className="self-start" onClick={() => onChange({ ids: [] })}>
          {t.useFilter}
        </Button>
      </fieldset>
    );
  }
  return (
    <fieldset className={GROUP}>
      <legend className="px-1 text-sm font-semibold">{t.calls}</legend>
      <LabelledInput
        label={t.filter}
        hint={t.filterHint}
        error={setError}
        data-first-focus
        spellCheck={false}
        autoComplete="off"
        placeholder={t.filterExample}
        value={draft.filter}
        onChange={(filter) => onChange({ filter })}
      />
      <div className="grid grid-cols-2 gap-3">
        <LabelledSelect
          label={t.span}
          value={draft.range}
          options={[
            ['', toSpanText(draft)],
            ...PERIOD_NAMES.map((period) => [period, toPeriodTexts(period).label] as const),
          ]}
          onChange={(range) => onChange({ range })}
        />
        <LabelledInput
          label={t.limit}
          hint={t.limitHint}
          type="number"
          min={1}
          max={5000}
          value={draft.limit}
          onChange={(limit) => onChange({ limit })}
        />
      </div>
      <UploadButton onChange={onChange} />
      <FixturesButton onChange={onChange} />
    </fieldset>
  );
}

/** Takes a file in the place of the filter. What is wrong with a line of it, the gateway says. */
function UploadButton({ onChange }: Pick<DraftFieldProps, 'onChange'>) {
  const t = rerunFormMessages();
  const take = async ([file]: readonly File[]): Promise<void> => {
    if (file !== undefined) onChange({ upload: { name: file.name, text: await file.text() } });
  };
  return (
    <FilesButton input={REQUEST_FILE} icon={<Upload size={14} />} label={t.upload} hint={t.uploadHint} take={take} />
  );
}

/** Takes the cases of a folder of fixtures in the place of the filter. */
function FixturesButton({ onChange }: Pick<DraftFieldProps, 'onChange'>) {
  const t = rerunFormMessages();
  const [isEmpty, setIsEmpty] = useState(false);
  const take = async (files: readonly File[]): Promise<void> => {
    const cases = await readFixtureFolder(files);
    const [name = ''] = files[0]?.webkitRelativePath.split('/') ?? [];
    setIsEmpty(cases.length === 0);
    if (cases.length > 0) onChange({ upload: { name, cases } });
  };
  const hint = isEmpty ? t.noFixtures : t.fixturesHint;
  return <FilesButton input={FOLDER} icon={<FolderUp size={14} />} label={t.fixtures} hint={hint} take={take} />;
}

const REQUEST_FILE = { accept: '.ndjson,.jsonl,application/x-ndjson' };
/** All files of a folder; React does not type the attribute, which all browsers have. */
const FOLDER = { webkitdirectory: '' };

interface FilesButtonProps {
  /** Attributes that say what can be chosen. */
  readonly input: object;
  readonly icon: ReactNode;
  readonly label: string;
  readonly hint: string;
  readonly take: (files: readonly File[]) => Promise<void>;
}

function FilesButton({ input: kind, icon, label, hint, take }: FilesButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <input
        ref={input}
        type="file"
        {...kind}
        aria-label={label}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          void take([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button icon={icon} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <span role="status" className="text-xs text-ink-faint">
        {hint}
      </span>
    </div>
  );
}

/** The span that the list had where it was no period by name. */
function toSpanText({ from, to }: RerunDraft): string {
  if (from === undefined && to === undefined) return rerunFormMessages().anyTime;
  return [from, to].map((at) => (at === undefined ? '' : formatMoment(at))).join(' – ');
}
