import { FileText, Music, Paperclip, X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';

import { ACCEPTED, type Attachment, LIMITS } from '../../../features/playground/attachments.ts';
import { formatBytes } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';

interface AttachedFilesProps {
  readonly attached: readonly Attachment[];
  readonly onAdd: (files: readonly File[]) => void;
  readonly onChange: (attached: readonly Attachment[]) => void;
}

const ICONS: Readonly<Record<Attachment['kind'], (attachment: Attachment) => ReactNode>> = {
  image: ({ url }) => <img src={url} alt="" className="size-6 rounded object-cover" />,
  file: () => <FileText size={16} aria-hidden className="m-1" />,
  audio: () => <Music size={16} aria-hidden className="m-1" />,
};

export function AttachedFiles({ attached, onAdd, onChange }: AttachedFilesProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        ref={input}
        type="file"
        multiple
        accept={ACCEPTED}
        aria-label="Files to attach"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file can be chosen again after it was removed.
          target.value = '';
          onAdd(files);
        }}
      />
      <Button
        look="quiet"
        icon={<Paperclip size={15} aria-hidden />}
        title={`${LIMITS}. Can be dropped or pasted, too.`}
        onClick={() => input.current?.click()}
      >
        Attach
      </Button>
      {attached.map((attachment, at) => (
        <span
          key={`${at} ${attachment.name}`}
          className="flex items-center gap-1.5 rounded-md border border-line bg-raised p-1 text-xs"
        >
          {ICONS[attachment.kind](attachment)}
          <span className="max-w-32 truncate">{showControls(attachment.name)}</span>
          <span className="figures text-ink-faint">{formatBytes(attachment.bytes)}</span>
          <button
            type="button"
            aria-label={`Remove ${attachment.name}`}
            className="grid size-6 place-items-center rounded text-ink-faint hover:text-ink"
            onClick={() => onChange(attached.filter((other) => other !== attachment))}
          >
            <X size={14} aria-hidden />
          </button>
        </span>
      ))}
    </div>
  );
}
