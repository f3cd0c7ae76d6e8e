import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';

import { Button } from '../../../parts/controls/button.tsx';
import { Checkbox } from '../../../parts/controls/field.tsx';
import { AttachedFiles } from './attached-files.tsx';
import { LIMITS } from './attachments.ts';
import type { Draft } from './draft.ts';

interface DraftEditorProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onSend: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  /** Models that do not take what is attached, with what they do not take. */
  readonly unsupported: readonly string[];
  /** The first message takes the focus. */
  readonly isFocused: boolean;
}

export function DraftEditor({ draft, onChange, onSend, onFiles, unsupported, isFocused }: DraftEditorProps) {
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFocused) first.current?.focus();
  }, [isFocused]);
  const set = (change: Partial<Draft>): void => onChange({ ...draft, ...change });
  const setMessage = (at: number, change: Partial<Draft['messages'][number]>): void =>
    set({ messages: draft.messages.map((message, index) => (index === at ? { ...message, ...change } : message)) });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSend();
  };
  return (
    <div className="card flex flex-col gap-3 p-3" onKeyDown={onKeyDown}>
      <div className="flex flex-col gap-2">
        {draft.messages.map((message, at) => (
          <div key={at} className="flex items-start gap-2">
            <select
              aria-label={`Role of message ${at + 1}`}
              className="field w-auto"
              value={message.role}
              onChange={(event) => setMessage(at, { role: event.target.value === 'assistant' ? 'assistant' : 'user' })}
            >
              <option value="user">User</option>
              <option value="assistant">Assistant</option>
            </select>
            <textarea
              ref={at === 0 ? first : undefined}
              aria-label={`Message ${at + 1}`}
              placeholder="Ask something. Ctrl Enter sends it."
              rows={Math.min(8, Math.max(2, message.content.split('\n').length))}
              className="field resize-y"
              value={message.content}
              onChange={(event) => setMessage(at, { content: event.target.value })}
            />
            {draft.messages.length > 1 && (
              <Button
                look="quiet"
                aria-label={`Remove message ${at + 1}`}
                icon={<X size={15} aria-hidden />}
                onClick={() => set({ messages: draft.messages.filter((_, index) => index !== at) })}
              />
            )}
          </div>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button
          look="quiet"
          icon={<Plus size={15} aria-hidden />}
          onClick={() =>
            set({
              messages: [
                ...draft.messages,
                { role: draft.messages.at(-1)?.role === 'user' ? 'assistant' : 'user', content: '' },
              ],
            })
          }
        >
          Message
        </Button>
        <AttachedFiles attached={draft.attached} onAdd={onFiles} onChange={(attached) => set({ attached })} />
        <label className="flex items-center gap-2 text-sm">
          Temperature
          <input
            type="number"
            min={0}
            max={2}
            step={0.1}
            placeholder="default"
            className="field w-24"
            value={draft.temperature}
            onChange={(event) => set({ temperature: event.target.value })}
          />
        </label>
        <label className="flex items-center gap-2 text-sm">
          Max tokens
          <input
            type="number"
            min={1}
            placeholder="default"
            className="field w-24"
            value={draft.maxTokens}
            onChange={(event) => set({ maxTokens: event.target.value })}
          />
        </label>
        <Checkbox
          label="Stream"
          checked={draft.isStreamed}
          onChange={(event) => set({ isStreamed: event.target.checked })}
        />
      </div>
      <p role="status" className="text-xs text-ink-faint">
        {unsupported.length === 0 ? (
          `${LIMITS}; they can be dropped or pasted here.`
        ) : (
          <span className="text-caution">
            By the catalog these do not take everything that is attached: {unsupported.join('; ')}.
          </span>
        )}
      </p>
      <details>
        <summary className="text-sm text-ink-soft">
          System message and further fields{draft.system !== '' || draft.more !== '' ? ' (set)' : ''}
        </summary>
        <div className="mt-2 grid gap-3 md:grid-cols-2">
          <label className="text-sm font-medium">
            System message
            <textarea
              rows={3}
              className="field mt-1 resize-y font-normal"
              value={draft.system}
              onChange={(event) => set({ system: event.target.value })}
            />
          </label>
          <label className="text-sm font-medium">
            Further fields of the request, as JSON
            <textarea
              rows={3}
              spellCheck={false}
              placeholder={'{"provider": {"sort": "price"}}'}
              className="field mt-1 resize-y font-mono text-xs font-normal"
              value={draft.more}
              onChange={(event) => set({ more: event.target.value })}
            />
          </label>
        </div>
      </details>
    </div>
  );
}
