import { Plus, X } from 'lucide-react';
import { useState } from 'react';

import {
  canHaveChoices,
  EMPTY_ROW,
  fromRows,
  fromText,
  ROW_TYPES,
  type RowType,
  type SchemaDraft,
  type SchemaRow,
} from '../../../features/playground/setup/schema-draft.ts';
import type { Problems } from '../../../features/playground/setup/setup.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Choice } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect, LabelledText } from '../../../parts/controls/labelled.tsx';
import { useRowFocus } from '../../../parts/controls/use-row-focus.ts';
import { setupMessages } from './messages.ts';
import { toSentence } from './to-sentence.ts';

interface SchemaEditorProps {
  /** What the rows are: “Parameters”. */
  readonly label: string;
  readonly schema: SchemaDraft;
  /** Where it is: `tools.0.schema`. */
  readonly path: string;
  readonly problems: Problems;
  readonly onChange: (schema: SchemaDraft) => void;
}

/** A JSON schema, by rows or as JSON: a change of either updates the other. */
export function SchemaEditor({ label, schema, path, problems, onChange }: SchemaEditorProps) {
  const { schema: t } = setupMessages();
  const [isText, setIsText] = useState(schema.rows === null);
  const textProblem = problems[`${path}.text`];
  const rows = schema.rows;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-sm font-medium">{label}</span>
        <Choice
          label={t.by(label)}
          value={isText ? 'json' : 'rows'}
          options={{ rows: t.rows, json: t.json }}
          onChange={(value) => setIsText(value === 'json')}
        />
      </div>
      {isText ? (
        <LabelledText
          label={t.asJson(label)}
          error={toSentence(textProblem)}
          hint={rows === null ? t.noRows : t.rowsFollow}
          rows={Math.min(16, Math.max(6, schema.text.split('\n').length))}
          spellCheck={false}
          className="field resize-y font-mono text-xs"
          value={schema.text}
          onChange={(text) => onChange(fromText(text, schema))}
        />
      ) : rows === null || textProblem !== undefined ? (
        <p className="text-sm text-ink-faint">{textProblem === undefined ? t.tooComplex : t.problem(textProblem)}</p>
      ) : (
        <Rows label={label} rows={rows} path={path} problems={problems} onChange={(next) => onChange(fromRows(next))} />
      )}
    </div>
  );
}

interface RowsProps extends Pick<SchemaEditorProps, 'label' | 'path' | 'problems'> {
  readonly rows: readonly SchemaRow[];
  readonly onChange: (rows: readonly SchemaRow[]) => void;
}

function Rows({ label, rows, path, problems, onChange }: RowsProps) {
  const { schema: t } = setupMessages();
  const { around, beforeRemoval } = useRowFocus();
  return (
    <div {...around} className="contents">
      {rows.length === 0 && <p className="text-sm text-ink-faint">{t.empty}</p>}
      {rows.map((row, at) => (
        <Row
          key={at}
          row={row}
          at={at}
          path={`${path}.rows.${at}`}
          problems={problems}
          onChange={(next) => onChange(rows.with(at, next))}
          onRemove={() => {
            beforeRemoval(at);
            onChange(rows.toSpliced(at, 1));
          }}
        />
      ))}
      <Button
        data-add
        look="quiet"
        className="self-start"
        icon={<Plus size={15} />}
        aria-label={t.addRowTo(label)}
        onClick={() => onChange([...rows, EMPTY_ROW])}
      >
        {t.addRow}
      </Button>
    </div>
  );
}

interface RowProps {
  readonly row: SchemaRow;
  readonly at: number;
  readonly path: string;
  readonly problems: Problems;
  readonly onChange: (row: SchemaRow) => void;
  readonly onRemove: () => void;
}

function Row({ row, at, path, problems, onChange, onRemove }: RowProps) {
  const { schema: t } = setupMessages();
  const set = (change: Partial<SchemaRow>): void => onChange({ ...row, ...change });
  return (
    <div
      role="group"
      aria-label={t.row(at + 1)}
      className="grid grid-cols-2 items-start gap-2 rounded-md border border-line p-2 md:grid-cols-[1fr_9rem_2fr_1fr_auto_auto]"
    >
      <LabelledInput
        label={t.name}
        error={toSentence(problems[`${path}.name`])}
        autoComplete="off"
        spellCheck={false}
        className="field font-mono text-xs"
        value={row.name}
        onChange={(text) => set({ name: text })}
      />
      <LabelledSelect
        label={t.type}
        value={row.type}
        options={ROW_TYPES.map((type) => [type, t.types[type]] as const)}
        onChange={(type) => set({ type: type as RowType })}
      />
      <LabelledInput
        label={t.description}
        autoComplete="off"
        value={row.description}
        onChange={(text) => set({ description: text })}
      />
      <LabelledInput
        label={t.oneOf}
        error={toSentence(problems[`${path}.choices`])}
        autoComplete="off"
        placeholder={canHaveChoices(row.type) ? 'a, b, c' : ''}
        disabled={!canHaveChoices(row.type)}
        value={row.choices}
        onChange={(text) => set({ choices: text })}
      />
      <label className="flex min-h-[34px] items-center gap-2 text-sm md:mt-6">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={row.isRequired}
          onChange={(event) => set({ isRequired: event.target.checked })}
        />
        {t.required}
      </label>
      <Button
        data-remove
        look="quiet"
        aria-label={t.removeRow(at + 1)}
        className="justify-self-end md:mt-6"
        icon={<X size={15} />}
        onClick={onRemove}
      />
    </div>
  );
}
