import type { StoredFileRow } from '@model-gateway/core/wire';
import { Download, Trash2 } from 'lucide-react';

import { useKeyNames } from '../../features/files/file-queries.ts';
import { formatBytes } from '../../format/quantity.ts';
import { formatFull } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Code } from '../../parts/text/code.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { saveStored, toOwner } from './file-columns.tsx';
import { filesMessages } from './messages.tsx';

interface FilePanelProps {
  readonly file: StoredFileRow;
  readonly onDelete: (file: StoredFileRow) => void;
  readonly onClose: () => void;
}

/** What is known of a file, and how requests name it. */
export function FilePanel({ file, onDelete, onClose }: FilePanelProps) {
  const t = filesMessages();
  const { panel } = t;
  const owner = toOwner(file, useKeyNames());
  const isBatch = file.purpose === 'batch';
  const part = isBatch
    ? { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' }
    : { type: 'file', file: { file_id: file.id } };
  const code = JSON.stringify(part, null, 2);
  return (
    <SidePanel
      label={panel.label(file.filename)}
      title={<h2 className="truncate font-semibold">{showControls(file.filename)}</h2>}
      actions={<CopyButton look="quiet" label={t.copyId} text={file.id} />}
      onClose={onClose}
    >
      <div className="scroll-thin flex flex-1 flex-col gap-5 overflow-y-auto p-4">
        <Facts
          facts={[
            [t.purpose, file.purpose],
            [t.size, formatBytes(file.size_bytes)],
            [panel.type, file.mime_type],
            [t.owner, owner === undefined ? t.unknownKey : showControls(owner)],
            [t.created, formatFull(file.created_at)],
            [t.expires, file.expires_at === null ? t.never : formatFull(file.expires_at)],
            [panel.workspace, <code className="font-mono text-xs break-all">{file.workspace_id}</code>],
            [panel.id, <code className="font-mono text-xs break-all">{file.id}</code>],
          ]}
        />
        {file.origin === 'uploaded' && (
          <section aria-label={panel.use}>
            <div className="mb-1 flex items-center justify-between gap-2">
              <h3 className="text-sm font-semibold">{panel.use}</h3>
              <CopyButton look="quiet" text={code} label={panel.copyPart} />
            </div>
            <p className="mb-2 text-sm text-ink-soft">{isBatch ? panel.useBatch : panel.useNote}</p>
            <pre
              tabIndex={0}
              aria-label={panel.use}
              className="scroll-thin overflow-x-auto rounded-lg bg-raised p-3 font-mono text-xs"
            >
              <Code text={code} language="json" />
            </pre>
          </section>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<Download size={14} />}
            disabled={!file.downloadable}
            title={file.downloadable ? undefined : t.notDownloadable}
            onClick={() => saveStored(file)}
          >
            {t.download}
          </Button>
          <Button look="danger" icon={<Trash2 size={14} />} onClick={() => onDelete(file)}>
            {t.remove}
          </Button>
        </div>
        {!file.downloadable && <p className="text-xs text-ink-faint">{t.notDownloadable}</p>}
      </div>
    </SidePanel>
  );
}
