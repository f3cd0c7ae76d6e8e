import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, type ReactNode, useEffect, useRef } from 'react';

import { type FormatDraft, isUnset, type Problems, type Setup } from '../../../features/playground/setup/setup.ts';
import { Checkbox, Choice } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledText } from '../../../parts/controls/labelled.tsx';
import { setupMessages } from './messages.ts';
import { ParameterFields } from './parameter-fields.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { toSentence } from './to-sentence.ts';
import { ToolsEditor } from './tools-editor.tsx';

export type Section = 'system' | 'parameters' | 'tools' | 'format';

const FIELDS: Readonly<Record<Section, readonly (keyof Setup)[]>> = {
  system: ['system'],
  parameters: [
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
  tools: ['tools'],
  format: ['format'],
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
  /** All sections at once, where there is room beside the conversations. */
  readonly isWhole?: boolean;
  /** Changes each time the first field with a problem is to have the focus. */
  readonly focusKey: number;
}

/** What is the same for all columns, a section at a time. */
export const SetupPanel = memo(function SetupPanel(props: SetupPanelProps) {
  const { setup, problems, onChange, section, onSection, focusKey, isWhole = false } = props;
  const t = setupMessages();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusKey > 0) panel.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [focusKey]);
  const wrong = new Set(Object.keys(problems).map(sectionOf));
  const toMark = (name: Section): ReactNode =>
    wrong.has(name) ? (
      <span className="text-bad">{t.invalid}</span>
    ) : (
      name !== 'tools' && !isUnset(setup, FIELDS[name]) && <span className="text-accent">{t.set}</span>
    );
  if (isWhole) {
    return (
      <section ref={panel} aria-label={t.label} className="card flex flex-col divide-y divide-line">
        {(Object.keys(FIELDS) as Section[]).map((name) => (
          <div key={name} className="flex flex-col gap-2 p-4">
            {name !== 'system' && (
              <h2 className="flex items-center gap-1 text-sm font-medium">
                {t.sections[name]} {toMark(name)}
              </h2>
            )}
            <SectionFields name={name} setup={setup} problems={problems} onChange={onChange} />
          </div>
        ))}
      </section>
    );
  }
  return (
    <section aria-label={t.label} className="card flex flex-col">
      <div className="flex flex-wrap gap-1 p-1 max-sm:gap-0">
        {(Object.keys(FIELDS) as Section[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-expanded={section === name}
            onClick={() => onSection(section === name ? null : name)}
            className={`inline-flex min-h-8 items-center gap-1 rounded-md px-2 text-sm hover:bg-raised max-sm:px-1 max-sm:text-[13px] ${section === name ? 'bg-raised font-medium' : 'text-ink-soft'}`}
          >
            {section === name ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
            {t.sections[name]}
            {name === 'tools' && setup.tools.length > 0 && ` (${setup.tools.length})`}
            {toMark(name)}
          </button>
        ))}
      </div>
      {section !== null && (
        <div ref={panel} className="border-t border-line p-3">
          <SectionFields name={section} setup={setup} problems={problems} onChange={onChange} />
        </div>
      )}
    </section>
  );
});

interface SectionFieldsProps extends Pick<SetupPanelProps, 'setup' | 'problems' | 'onChange'> {
  readonly name: Section;
}

function SectionFields({ name, setup, problems, onChange }: SectionFieldsProps) {
  const t = setupMessages();
  switch (name) {
    case 'system':
      return (
        <LabelledText
          label={t.sections.system}
          hint={t.systemHint}
          rows={4}
          value={setup.system}
          onChange={(system) => onChange({ ...setup, system })}
        />
      );
    case 'parameters':
      return <ParameterFields setup={setup} problems={problems} onChange={onChange} />;
    case 'tools':
      return (
        <ToolsEditor tools={setup.tools} problems={problems} onChange={(tools) => onChange({ ...setup, tools })} />
      );
    case 'format':
      return (
        <FormatEditor format={setup.format} problems={problems} onChange={(format) => onChange({ ...setup, format })} />
      );
  }
}

interface FormatEditorProps {
  readonly format: FormatDraft;
  readonly problems: Problems;
  readonly onChange: (format: FormatDraft) => void;
}

/** The form that completions are to have. */
function FormatEditor({ format, problems, onChange }: FormatEditorProps) {
  const { format: t } = setupMessages();
  return (
    <div className="flex flex-col items-start gap-3">
      <Choice
        label={t.label}
        value={format.type}
        options={t.types}
        onChange={(type) => onChange({ ...format, type })}
      />
      {format.type === 'json_object' && <p className="text-sm text-ink-faint">{t.needsWord}</p>}
      {format.type === 'json_schema' && (
        <div className="flex w-full flex-col gap-3">
          <div className="flex flex-wrap items-end gap-4">
            <LabelledInput
              label={t.name}
              error={toSentence(problems['format.name'])}
              autoComplete="off"
              className="field font-mono text-xs"
              value={format.name}
              onChange={(text) => onChange({ ...format, name: text })}
            />
            <Checkbox
              label={t.strict}
              hint={t.strictHint}
              checked={format.isStrict}
              onChange={(event) => onChange({ ...format, isStrict: event.target.checked })}
            />
          </div>
          <SchemaEditor
            label={t.properties}
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
