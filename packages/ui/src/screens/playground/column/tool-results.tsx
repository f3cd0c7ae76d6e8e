import { Send } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';

import type { ToolCall } from '../../../features/playground/experiment.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Field } from '../../../parts/controls/field.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  readonly onSend: (results: ReadonlyMap<string, string>) => void;
}

/** Takes the results of the tools that a model has called, and sends them on. */
export function ToolResults({ calls, onSend }: ToolResultsProps) {
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const submit = (): void => {
    onSend(new Map(calls.map(({ id }) => [id, results.get(id) ?? ''])));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    submit();
  };
  return (
    // No form: in what models have written there is none, which the tests look for.
    <div
      role="group"
      aria-label="Results of tools"
      className="flex flex-col gap-2 rounded-lg border border-accent/50 p-3"
      onKeyDown={onKeyDown}
    >
      {calls.map(({ id, name }, at) => (
        <Field
          key={id}
          label={`Result of ${showControls(name)}${calls.length > 1 ? ` (call ${at + 1})` : ''}`}
          hint={at === 0 ? 'Any text; most tools give JSON.' : undefined}
        >
          {(control) => (
            <textarea
              {...control}
              rows={3}
              spellCheck={false}
              className="field resize-y font-mono text-xs"
              value={results.get(id) ?? ''}
              onChange={(event) => setResults(new Map(results).set(id, event.target.value))}
            />
          )}
        </Field>
      ))}
      <Button look="primary" className="self-start" icon={<Send size={14} aria-hidden />} onClick={submit}>
        {calls.length === 1 ? 'Send the result' : 'Send the results'}
      </Button>
    </div>
  );
}
