import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';

import { type FormatDraft, isUnset, type Problems, type Setup } from '../../../features/playground/setup/setup.ts';
import { Checkbox, Choice } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledText } from '../../../parts/controls/labelled.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { toSentence } from './to-sentence.ts';
import { ToolsEditor } from './tools-editor.tsx';

export type Section = 'system' | 'parameters' | 'tools' | 'format';

const SECTIONS: Readonly<Record<Section, { readonly label: string; readonly fields: readonly (keyof Setup)[] }>> = {
  system: { label: 'System message', fields: ['system'] },
  parameters: {
    label: 'Parameters',
    fields: [
      'temperature',
      'topP',
      'maxTokens',
      'seed',
      'effort',
      'isStreamed',
      'providerSort',
      'providerOnly',
      'hasFallbacks',
      'more',
    ],
  },
  tools: { label: 'Tools', fields: ['tools'] },
  format: { label: 'Response format', fields: ['format'] },
};

/** The section of the field with this path. */
export function sectionOf(path: string): Section {
  const [first = ''] = path.split('.');
  return first === 'tools' || first === 'format' || first === 'system' ? first : 'parameters';
}

interface SetupPanelProps {
  readonly setup: Setup;
  readonly problems: Problems;
  readonly onChange: (setup: Setup) => void;
  readonly section: Section | null;
  readonly onSection: (section: Section | null) => void;
  /** Changes each time the first field with a problem is to have the focus. */
  readonly focusKey: number;
}

/** What is the same for all columns, a section at a time. */
export const SetupPanel = memo(function SetupPanel(props: SetupPanelProps) {
  const { setup, problems, onChange, section, onSection, focusKey } = props;
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusKey > 0) panel.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [focusKey]);
  const wrong = new Set(Object.keys(problems).map(sectionOf));
  return (
    <section aria-label="Settings for all columns" className="card flex flex-col">
      <div className="flex flex-wrap gap-1 p-1">
        {(Object.keys(SECTIONS) as Section[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-expanded={section === name}
            onClick={() => onSection(section === name ? null : name)}
            className={`inline-flex min-h-8 items-center gap-1 rounded-md px-2 text-sm hover:bg-raised ${section === name ? 'bg-raised font-medium' : 'text-ink-soft'}`}
          >
            {section === name ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
            {SECTIONS[name].label}
            {name === 'tools' && setup.tools.length > 0 && ` (${setup.tools.length})`}
            {wrong.has(name) ? (
              <span className="text-bad">invalid</span>
            ) : (
              name !== 'tools' && !isUnset(setup, SECTIONS[name].fields) && <span className="text-accent">set</span>
            )}
          </button>
        ))}
      </div>
      {section !== null && (
        <div ref={panel} className="border-t border-line p-3">
          {section === 'system' && (
            <LabelledText
              label="System message"
              hint="Sent before each conversation."
              rows={4}
              value={setup.system}
              onChange={(system) => onChange({ ...setup, system })}
            />
          )}
          {section === 'parameters' && <ParameterFields setup={setup} problems={problems} onChange={onChange} />}
          {section === 'tools' && (
            <ToolsEditor tools={setup.tools} problems={problems} onChange={(tools) => onChange({ ...setup, tools })} />
          )}
          {section === 'format' && (
            <FormatEditor
              format={setup.format}
              problems={problems}
              onChange={(format) => onChange({ ...setup, format })}
            />
          )}
        </div>
      )}
    </section>
  );
});

interface FormatEditorProps {
  readonly format: FormatDraft;
  readonly problems: Problems;
  readonly onChange: (format: FormatDraft) => void;
}

/** The form that completions are to have. */
function FormatEditor({ format, problems, onChange }: FormatEditorProps) {
  return (
    <div className="flex flex-col items-start gap-3">
      <Choice
        label="Response format"
        value={format.type}
        options={{ text: 'Text', json_object: 'JSON object', json_schema: 'JSON schema' }}
        onChange={(type) => onChange({ ...format, type })}
      />
      {format.type === 'json_object' && (
        <p className="text-sm text-ink-faint">Many models also require the word JSON in a message.</p>
      )}
      {format.type === 'json_schema' && (
        <div className="flex w-full flex-col gap-3">
          <div className="flex flex-wrap items-end gap-4">
            <LabelledInput
              label="Name of the schema"
              error={toSentence(problems['format.name'])}
              autoComplete="off"
              className="field font-mono text-xs"
              value={format.name}
              onChange={(text) => onChange({ ...format, name: text })}
            />
            <Checkbox
              label="Strict"
              hint="Models that support it must follow the schema."
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
