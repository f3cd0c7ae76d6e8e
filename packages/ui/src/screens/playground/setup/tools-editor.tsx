import { Plus } from 'lucide-react';

import { EMPTY_TOOL, type Problems, type ToolDraft } from '../../../features/playground/setup/setup.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { useRowFocus } from '../../../parts/controls/use-row-focus.ts';
import { setupMessages } from './messages.ts';
import { SchemaEditor } from './schema-editor.tsx';
import { toSentence } from './to-sentence.ts';

interface ToolsEditorProps {
  readonly tools: readonly ToolDraft[];
  readonly problems: Problems;
  readonly onChange: (tools: readonly ToolDraft[]) => void;
}

/** Functions that the models may call. What they give is typed by hand. */
export function ToolsEditor({ tools, problems, onChange }: ToolsEditorProps) {
  const { tools: t } = setupMessages();
  const { around, beforeRemoval } = useRowFocus();
  return (
    <div {...around} className="flex flex-col gap-3">
      {tools.length === 0 && <p className="text-sm text-ink-faint">{t.none}</p>}
      {tools.map((tool, at) => (
        <Tool
          key={at}
          tool={tool}
          at={at}
          problems={problems}
          onChange={(next) => onChange(tools.with(at, next))}
          onRemove={() => {
            beforeRemoval(at);
            onChange(tools.toSpliced(at, 1));
          }}
        />
      ))}
      <Button
        data-add
        className="self-start"
        icon={<Plus size={15} />}
        onClick={() => onChange([...tools, EMPTY_TOOL])}
      >
        {t.add}
      </Button>
    </div>
  );
}

interface ToolProps {
  readonly tool: ToolDraft;
  readonly at: number;
  readonly problems: Problems;
  readonly onChange: (tool: ToolDraft) => void;
  readonly onRemove: () => void;
}

function Tool({ tool, at, problems, onChange, onRemove }: ToolProps) {
  const { tools: t } = setupMessages();
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="sr-only">{t.place(at + 1)}</legend>
      <div className="grid items-start gap-3 md:grid-cols-[14rem_1fr_auto]">
        <LabelledInput
          label={t.name}
          error={toSentence(problems[`tools.${at}.name`])}
          autoComplete="off"
          spellCheck={false}
          placeholder="get_weather"
          className="field font-mono text-xs"
          value={tool.name}
          onChange={(text) => onChange({ ...tool, name: text })}
        />
        <LabelledInput
          label={t.purpose}
          autoComplete="off"
          placeholder={t.purposeExample}
          value={tool.description}
          onChange={(text) => onChange({ ...tool, description: text })}
        />
        <Button data-remove look="quiet" className="md:mt-6" aria-label={t.removeTool(at + 1)} onClick={onRemove}>
          {t.remove}
        </Button>
      </div>
      <SchemaEditor
        label={t.parameters}
        schema={tool.schema}
        path={`tools.${at}.schema`}
        problems={problems}
        onChange={(schema) => onChange({ ...tool, schema })}
      />
    </fieldset>
  );
}
