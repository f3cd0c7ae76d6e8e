import { type KeyboardEvent, useState } from 'react';

import type { Turn } from '../../../features/playground/experiment.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { columnMessages, type TurnKind } from './messages.tsx';

interface TurnEditorProps {
  readonly turn: Turn;
  readonly what: TurnKind;
  readonly sharedBy: number;
  readonly actions: TurnActions;
  readonly onClose: () => void;
}

/** Changes the text of a turn, and sends the conversation again from there if wanted. */
export function TurnEditor({ turn, what, sharedBy, actions, onClose }: TurnEditorProps) {
  const { turn: t } = columnMessages();
  const [text, setText] = useState(turn.text);
  const save = (isSent: boolean): void => {
    actions.edit(turn.id, text);
    if (isSent) actions.sendFrom(turn.id);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isSent = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && turn.type !== 'assistant';
    if (!isSent && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (isSent) save(true);
    else onClose();
  };
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line-strong/60 p-2" onKeyDown={onKeyDown}>
      <textarea
        aria-label={t.textOf[what]}
        ref={focusAtEnd}
        rows={Math.min(14, Math.max(3, text.split('\n').length + 1))}
        className="field resize-y"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" onClick={() => save(false)}>
          {t.save}
        </Button>
        {turn.type !== 'assistant' && (
          <Button onClick={() => save(true)} title={t.saveAndSendHint}>
            {t.saveAndSend}
          </Button>
        )}
        <Button look="quiet" onClick={onClose}>
          {t.cancel}
        </Button>
        {sharedBy > 1 && <span className="text-xs text-ink-faint">{t.sharedBy(sharedBy)}</span>}
      </div>
    </div>
  );
}

function focusAtEnd(field: HTMLTextAreaElement | null): void {
  if (field === null || field === document.activeElement) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** What can be done to the conversation of a column. The same object for as long as the experiment is open. */
export interface TurnActions {
  readonly edit: (turnId: string, text: string) => void;
  /** Drops what follows a message and sends the conversation again, in every column that has it. */
  readonly sendFrom: (turnId: string) => void;
  readonly remove: (turnId: string) => void;
  /** Sends results of tools on, by the ids of their calls. */
  readonly answerCalls: (columnId: string, results: ReadonlyMap<string, string>) => void;
}
