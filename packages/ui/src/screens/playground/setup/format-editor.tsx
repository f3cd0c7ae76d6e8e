import type { FormatDraft, Problems } from '../../../features/playground/setup/setup.ts';
import { Checkbox, Choice, Field } from '../../../parts/controls/field.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { toSentence } from './to-sentence.ts';

interface FormatEditorProps {
  readonly format: FormatDraft;
  readonly problems: Problems;
  readonly onChange: (format: FormatDraft) => void;
}

/** The form that completions are to have. */
export function FormatEditor({ format, problems, onChange }: FormatEditorProps) {
  return (
    <div className="flex flex-col items-start gap-3">
      <Choice
        label="Response format"
        value={format.type}
        options={{ text: 'Text', json_object: 'JSON object', json_schema: 'JSON schema' }}
        onChange={(type) => onChange({ ...format, type })}
      />
      {format.type === 'json_object' && (
        <p className="text-sm text-ink-faint">Many models want the word JSON in a message, too.</p>
      )}
      {format.type === 'json_schema' && (
        <div className="flex w-full flex-col gap-3">
          <div className="flex flex-wrap items-end gap-4">
            <Field label="Name of the schema" error={toSentence(problems['format.name'])}>
              {(control) => (
                <input
                  {...control}
                  autoComplete="off"
                  className="field font-mono text-xs"
                  value={format.name}
                  onChange={(event) => onChange({ ...format, name: event.target.value })}
                />
              )}
            </Field>
            <Checkbox
              label="Strict"
              hint="Models that can are held to the schema."
              checked={format.isStrict}
              onChange={(event) => onChange({ ...format, isStrict: event.target.checked })}
            />
          </div>
          <SchemaEditor
            label="Properties"
            schema={format.schema}
            path="format.schema"
            problems={problems}
            onChange={(schema) => onChange({ ...format, schema })}
          />
        </div>
      )}
    </div>
  );
}
