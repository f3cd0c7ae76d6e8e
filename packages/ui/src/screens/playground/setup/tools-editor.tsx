import { Plus } from 'lucide-react';

import { EMPTY_TOOL, type Problems, type ToolDraft } from '../../../features/playground/setup/setup.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { toSentence } from './to-sentence.ts';

interface ToolsEditorProps {
  readonly tools: readonly ToolDraft[];
  readonly problems: Problems;
  readonly onChange: (tools: readonly ToolDraft[]) => void;
}

/** Functions that the models may call. What they give is typed by hand. */
export function ToolsEditor({ tools, problems, onChange }: ToolsEditorProps) {
  return (
    <div className="flex flex-col gap-3">
      {tools.length === 0 && (
        <p className="text-sm text-ink-faint">
          Models can call the tools defined here. You enter their results and send them.
        </p>
      )}
      {tools.map((tool, at) => (
        <Tool
          key={at}
          tool={tool}
          at={at}
          problems={problems}
          onChange={(next) => onChange(tools.with(at, next))}
          onRemove={() => onChange(tools.toSpliced(at, 1))}
        />
      ))}
      <Button className="self-start" icon={<Plus size={15} />} onClick={() => onChange([...tools, EMPTY_TOOL])}>
        Add a tool
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
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="sr-only">Tool {at + 1}</legend>
      <div className="grid items-start gap-3 md:grid-cols-[14rem_1fr_auto]">
        <LabelledInput
          label="Name of the tool"
          error={toSentence(problems[`tools.${at}.name`])}
          autoComplete="off"
          spellCheck={false}
          placeholder="get_weather"
          className="field font-mono text-xs"
          value={tool.name}
          onChange={(text) => onChange({ ...tool, name: text })}
        />
        <LabelledInput
          label="What it does"
          autoComplete="off"
          placeholder="The weather of a city today"
          value={tool.description}
          onChange={(text) => onChange({ ...tool, description: text })}
        />
        <Button look="quiet" className="md:mt-6" aria-label={`Remove tool ${at + 1}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
      <SchemaEditor
        label="Parameters"
        schema={tool.schema}
        path={`tools.${at}.schema`}
        problems={problems}
        onChange={(schema) => onChange({ ...tool, schema })}
      />
    </fieldset>
  );
}
