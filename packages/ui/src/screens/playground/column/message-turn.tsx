import { FileText, Image as ImageIcon, Music, Pencil, Trash2, User, Wrench } from 'lucide-react';
import { memo, useState } from 'react';

import type { Attachment } from '../../../features/playground/attachments.ts';
import type { ToolTurn, UserTurn } from '../../../features/playground/experiment.ts';
import { formatBytes } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { columnMessages, type TurnKind } from './messages.tsx';
import { type TurnActions, TurnEditor } from './turn-editor.tsx';

interface MessageTurnProps {
  readonly turn: UserTurn | ToolTurn;
  /** Absent where nothing can be changed. */
  readonly actions: TurnActions | undefined;
  /** Columns in which it stands, of all that can be changed. */
  readonly sharedBy: number;
}

const ICONS = { image: ImageIcon, file: FileText, audio: Music };
/** Longer ones are shown whole on request: the completions are what is compared. */
const MAX_SHOWN = 800;

/** A message of the user, or the result of a tool. */
export const MessageTurn = memo(function MessageTurn({ turn, actions, sharedBy }: MessageTurnProps) {
  const { turn: t } = columnMessages();
  const [isEditing, setIsEditing] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const { text } = turn;
  const what = turn.type === 'user' ? 'message' : 'result';
  if (isEditing && actions !== undefined) {
    return (
      <TurnEditor turn={turn} what={what} sharedBy={sharedBy} actions={actions} onClose={() => setIsEditing(false)} />
    );
  }
  const isLong = text.length > MAX_SHOWN;
  return (
    <article
      aria-label={turn.type === 'user' ? t.user : t.resultOfTool}
      className="group rounded-lg bg-raised px-3 py-2"
    >
      <header className="mb-0.5 flex min-h-6 items-center gap-1.5 text-xs text-ink-faint">
        {turn.type === 'user' ? <User size={13} /> : <Wrench size={13} />}
        <span className="min-w-0 flex-1 truncate">
          {turn.type === 'user' ? t.user : t.resultOf(showControls(turn.name))}
        </span>
        {actions !== undefined && (
          <TurnButtons what={what} onEdit={() => setIsEditing(true)} onRemove={() => actions.remove(turn.id)} />
        )}
      </header>
      <PlainText text={isLong && !isWhole ? `${text.slice(0, MAX_SHOWN)}…` : text} />
      {isLong && (
        <Button look="quiet" className="mt-1" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? t.showLess : t.showAll}
        </Button>
      )}
      {turn.type === 'user' && <Carried attached={turn.attached} kept={turn.kept.length} />}
    </article>
  );
});

interface TurnButtonsProps {
  readonly what: TurnKind;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

export function TurnButtons({ what, onEdit, onRemove }: TurnButtonsProps) {
  const { turn: t } = columnMessages();
  const look = 'grid size-6 place-items-center rounded text-ink-faint hover:bg-surface hover:text-ink';
  return (
    <>
      <button type="button" aria-label={t.editThe[what]} title={t.edit} className={look} onClick={onEdit}>
        <Pencil size={13} />
      </button>
      <button type="button" aria-label={t.removeThe[what]} title={t.remove} className={look} onClick={onRemove}>
        <Trash2 size={13} />
      </button>
    </>
  );
}

function Carried({ attached, kept }: { attached: readonly Attachment[]; kept: number }) {
  const { turn: t } = columnMessages();
  if (attached.length === 0 && kept === 0) return null;
  return (
    <ul className="mt-1.5 flex flex-wrap gap-1.5">
      {attached.map(({ name, kind, url, bytes }, at) => {
        const Icon = ICONS[kind];
        return (
          <li key={`${at} ${name}`}>
            {kind === 'image' && url !== '' ? (
              <img src={url} alt={name} title={name} className="max-h-24 rounded border border-line" />
            ) : (
              <Badge>
                <Icon size={12} /> {showControls(name)} · {url === '' ? t.tooLarge : formatBytes(bytes)}
              </Badge>
            )}
          </li>
        );
      })}
      {kept > 0 && (
        <li>
          <Badge title={t.linkedHint}>{t.linked(kept)}</Badge>
        </li>
      )}
    </ul>
  );
}
