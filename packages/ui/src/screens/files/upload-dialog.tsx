import { useQueryClient } from '@tanstack/react-query';
import { Upload, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';

import { messageOf } from '../../api/api-error.ts';
import { FILES_KEY, toUploader, uploadFile } from '../../features/files/file-queries.ts';
import { ProgressBar } from '../../features/files/progress-bar.tsx';
import { usePlaygroundCaller } from '../../features/playground/playground-key.ts';
import { formatBytes, formatPercent } from '../../format/quantity.ts';
import { classNames } from '../../parts/class-names.ts';
import { Button } from '../../parts/controls/button.tsx';
import { LabelledSelect } from '../../parts/controls/labelled.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { filesMessages } from './messages.tsx';

interface Sending {
  readonly file: File;
  readonly status: 'waiting' | 'sending' | 'done' | 'failed' | 'stopped';
  /** From 0 to 1. */
  readonly share: number;
  readonly error: unknown;
}

const HOUR_SECONDS = 3600;
const LIVES = {
  never: null,
  hour: HOUR_SECONDS,
  day: 24 * HOUR_SECONDS,
  week: 7 * 24 * HOUR_SECONDS,
  month: 30 * 24 * HOUR_SECONDS,
} as const;

interface UploadDialogProps {
  /** Dropped on the list. */
  readonly files: readonly File[];
  readonly onClose: () => void;
}

/** Uploads files one after the other, each with its progress. */
export function UploadDialog({ files, onClose }: UploadDialogProps) {
  const { upload, dialog: t, purpose: purposeLabel } = filesMessages();
  const client = useQueryClient();
  const caller = usePlaygroundCaller();
  const [sendings, setSendings] = useState<readonly Sending[]>(() => files.map(toSending));
  /** The same for an upload that goes on while files are added. */
  const latest = useRef(sendings);
  const [purpose, setPurpose] = useState('');
  const [life, setLife] = useState<keyof typeof LIVES>('never');
  const [abort, setAbort] = useState<AbortController | null>(null);
  useEffect(() => () => abort?.abort(), [abort]);
  const exchange = (toNext: (before: readonly Sending[]) => readonly Sending[]): void => {
    latest.current = toNext(latest.current);
    setSendings(latest.current);
  };
  const change = (file: File, next: Partial<Sending>): void =>
    exchange((before) => before.map((one) => (one.file === file ? { ...one, ...next } : one)));
  const run = async (): Promise<void> => {
    const tried = new Set<File>();
    const toNext = (): File | undefined =>
      latest.current.find(({ file, status }) => status !== 'done' && !tried.has(file))?.file;
    if (toNext() === undefined) return showToast({ tone: 'neutral', title: t.needsFiles });
    const own = new AbortController();
    setAbort(own);
    let count = 0;
    while (!own.signal.aborted) {
      const file = toNext();
      if (file === undefined) break;
      tried.add(file);
      change(file, { status: 'sending', share: 0, error: null });
      try {
        await uploadFile(
          { file, purpose: purpose || toPurpose(file.name), livesSeconds: LIVES[life] },
          { caller: toUploader(caller), signal: own.signal, onProgress: (share) => change(file, { share }) },
        );
        change(file, { status: 'done', share: 1 });
        count += 1;
      } catch (error) {
        change(file, own.signal.aborted ? { status: 'stopped' } : { status: 'failed', error });
      }
    }
    setAbort(null);
    await client.invalidateQueries({ queryKey: FILES_KEY });
    if (latest.current.some(({ status }) => status !== 'done')) return;
    showToast({ tone: 'good', title: t.uploaded(count) });
    onClose();
  };
  return (
    <Dialog
      title={upload}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.close}</Button>
          {abort === null ? (
            <Button look="primary" icon={<Upload size={14} />} onClick={() => void run()}>
              {t.submit}
            </Button>
          ) : (
            <Button look="primary" onClick={() => abort.abort()}>
              {t.stop}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <DropField onFiles={(chosen) => exchange((before) => [...before, ...chosen.map(toSending)])} />
        {sendings.length > 0 && (
          <ul aria-label={t.files} className="flex flex-col divide-y divide-line rounded-lg border border-line">
            {sendings.map((sending, at) => (
              <SendingRow
                key={`${at} ${sending.file.name}`}
                sending={sending}
                onRemove={
                  abort === null ? () => exchange((before) => before.filter((other) => other !== sending)) : undefined
                }
              />
            ))}
          </ul>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <LabelledSelect
            label={purposeLabel}
            value={purpose}
            options={[['', t.auto], ...Object.entries(t.purposes)]}
            onChange={setPurpose}
          />
          <LabelledSelect
            label={t.expires}
            value={life}
            options={Object.entries(t.lives)}
            onChange={(next) => setLife(next as keyof typeof LIVES)}
          />
        </div>
      </div>
    </Dialog>
  );
}

const toSending = (file: File): Sending => ({ file, status: 'waiting', share: 0, error: null });

/** What a file is most likely for. */
export const toPurpose = (name: string): string => (/\.jsonl$/i.test(name) ? 'batch' : 'user_data');

function DropField({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const { dialog: t } = filesMessages();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  return (
    <div
      role="group"
      aria-describedby={id}
      className={classNames(
        'flex flex-col items-center gap-2 rounded-lg border border-dashed p-5 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong/60',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <input
        ref={input}
        type="file"
        multiple
        aria-label={t.choose}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          target.value = '';
          onFiles(chosen);
        }}
      />
      <p className="text-sm">{t.drop}</p>
      <Button data-first-focus onClick={() => input.current?.click()}>
        {t.choose}
      </Button>
      <p id={id} className="text-xs text-ink-faint">
        {t.hint}
      </p>
    </div>
  );
}

interface SendingRowProps {
  readonly sending: Sending;
  readonly onRemove: (() => void) | undefined;
}

function SendingRow({ sending: { file, status, share, error }, onRemove }: SendingRowProps) {
  const { dialog: t } = filesMessages();
  const text = status === 'sending' ? formatPercent(share * 100) : t[status];
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <div className="flex items-center gap-3 text-sm">
        <span className="min-w-0 flex-1 truncate" title={file.name}>
          {showControls(file.name)}
        </span>
        <span className="figures text-xs whitespace-nowrap text-ink-faint">{formatBytes(file.size)}</span>
        <span
          role="status"
          className={classNames(
            'figures w-24 text-right text-xs whitespace-nowrap',
            status === 'failed' ? 'text-bad' : status === 'done' ? 'text-good' : 'text-ink-soft',
          )}
        >
          {text}
        </span>
        {onRemove !== undefined && status !== 'done' && (
          <Button look="quiet" aria-label={t.remove(file.name)} icon={<X size={14} />} onClick={onRemove} />
        )}
      </div>
      {status === 'sending' && (
        <ProgressBar label={t.progress(file.name)} text={text} total={1} done={share} className="h-1.5 w-full" />
      )}
      {status === 'failed' && (
        <p role="alert" className="text-xs break-words text-bad">
          {messageOf(error)}
        </p>
      )}
    </li>
  );
}
