import type { StoredFileRow } from '@model-gateway/core/wire';
import { Copy, Download, Trash2 } from 'lucide-react';

import { downloadFile } from '../../features/files/file-queries.ts';
import { RowMenu } from '../../features/list-screen/list-screen.tsx';
import { formatBytes } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { copyText } from '../../parts/controls/copy-button.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import type { Column } from '../../parts/table/table-row.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { filesMessages } from './messages.tsx';

export const saveStored = (file: StoredFileRow): void =>
  void downloadFile(file).catch((error: unknown) => showFailure(filesMessages().notDownloaded, error));

/** The name of the key that a file is of; undefined for one that is gone. */
export const toOwner = (
  { key_name: name, key_hash: hash }: StoredFileRow,
  keyNames: ReadonlyMap<string, string>,
): string | undefined => name ?? keyNames.get(hash);

/** The columns of the list of files. The name and what can be done stay longest. */
export function toFileColumns(
  keyNames: ReadonlyMap<string, string>,
  onDelete: (file: StoredFileRow) => void,
): readonly Column<StoredFileRow>[] {
  const t = filesMessages();
  return [
    {
      id: 'name',
      header: t.name,
      width: 'minmax(180px,3fr)',
      narrow: { width: 'minmax(110px,3fr)' },
      cell: ({ filename }) => <span title={filename}>{showControls(filename)}</span>,
    },
    { id: 'purpose', leaves: 3, header: t.purpose, width: '124px', cell: ({ purpose }) => purpose },
    { id: 'size', header: t.size, width: '88px', isNumeric: true, cell: (file) => formatBytes(file.size_bytes) },
    {
      id: 'owner',
      leaves: 2,
      header: t.owner,
      width: 'minmax(110px,1fr)',
      cell: (file) => {
        const name = toOwner(file, keyNames);
        if (name !== undefined) return <span title={name}>{showControls(name)}</span>;
        return (
          <span className="text-ink-faint" title={t.unknownKey}>
            —
          </span>
        );
      },
    },
    {
      id: 'created',
      leaves: 4,
      header: t.created,
      width: '136px',
      cell: ({ created_at: at }) => (
        <Moment at={at} className="figures text-ink-soft">
          {formatMoment(at)}
        </Moment>
      ),
    },
    {
      id: 'expires',
      leaves: 1,
      header: t.expires,
      width: '136px',
      cell: ({ expires_at: at }) =>
        at === null ? (
          <span className="text-ink-faint">{t.never}</span>
        ) : (
          <Moment at={at} className="figures text-ink-soft">
            {formatMoment(at)}
          </Moment>
        ),
    },
    {
      id: 'menu',
      header: <span className="sr-only">{t.actions}</span>,
      width: '44px',
      narrow: { width: '32px' },
      cell: (file) => (
        <RowMenu
          label={t.menu(file.filename)}
          items={[
            { label: t.copyId, icon: <Copy size={14} />, onSelect: () => void copyText(file.id, t.copied) },
            {
              label: t.download,
              icon: <Download size={14} />,
              isDisabled: !file.downloadable,
              onSelect: () => saveStored(file),
            },
            { label: t.remove, icon: <Trash2 size={14} />, isDangerous: true, onSelect: () => onDelete(file) },
          ]}
        />
      ),
    },
  ];
}
