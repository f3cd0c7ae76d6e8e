import type { BatchRow } from '@model-gateway/core/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, Download } from 'lucide-react';
import { useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { downloadFile } from '../../features/files/file-queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount, formatDuration } from '../../format/quantity.ts';
import { formatFull } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { Facts } from '../../parts/facts.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { showFailure, showToast } from '../../parts/messages/toast-store.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { BatchLines } from './batch-lines.tsx';
import { BatchProgress, BatchStatus, toKind } from './batch-parts.tsx';
import { BATCHES_KEY, batchQuery, cancelBatch, isOpen } from './batch-queries.ts';
import { batchesMessages } from './messages.tsx';

/** A batch with its files and lines. */
export function BatchPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { panel: t, what } = batchesMessages();
  const client = useQueryClient();
  const query = useQuery(batchQuery(id));
  const [isCancelling, setIsCancelling] = useState(false);
  const batch = query.data;
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  const cancel = async (): Promise<void> => {
    await cancelBatch(id);
    showToast({ tone: 'neutral', title: t.cancelled });
    await client.invalidateQueries({ queryKey: BATCHES_KEY });
  };
  return (
    <SidePanel
      label={t.label(id)}
      title={
        <h2 className="flex items-center gap-2 font-semibold">
          <span className="truncate">{batch === undefined ? id : toKind(batch.endpoint)}</span>
          {batch !== undefined && <BatchStatus status={batch.status} />}
        </h2>
      }
      actions={
        <>
          {batch !== undefined && ['validating', 'in_progress'].includes(batch.status) && (
            <Button look="danger" icon={<Ban size={14} />} onClick={() => setIsCancelling(true)}>
              {t.cancel}
            </Button>
          )}
          <CopyButton look="quiet" label={t.copyId} text={id} />
        </>
      }
      onClose={onClose}
    >
      {batch === undefined ? (
        <NotLoaded what={what} failure={isMissing ? t.missing : t.notLoaded} query={query} />
      ) : (
        <div className="scroll-thin flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-4">
          {batch.status !== 'failed' && <BatchProgress counts={batch.request_counts} look="wide" />}
          <Problems batch={batch} />
          <BatchFacts batch={batch} />
          <BatchFiles batch={batch} />
          {batch.status !== 'failed' && <BatchLines batch={batch} />}
        </div>
      )}
      {isCancelling && (
        <ConfirmDialog
          title={t.cancelTitle}
          action={t.cancel}
          dismiss={t.keepRunning}
          onConfirm={cancel}
          onClose={() => setIsCancelling(false)}
        >
          <p>{t.cancelNote}</p>
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}

function Problems({ batch: { errors } }: { batch: BatchRow }) {
  const { panel: t, form } = batchesMessages();
  if (errors === null) return null;
  return (
    <section
      role="group"
      aria-label={t.problems}
      className="rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm"
    >
      <h3 className="mb-1 font-medium">{t.problems}</h3>
      <ul className="flex flex-col gap-1">
        {errors.data.map(({ line, message }, at) => (
          <li key={at} className="break-words">
            {line !== null && <span className="figures mr-2 text-ink-faint">{form.line(formatCount(line))}</span>}
            {showControls(message)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function BatchFacts({ batch }: { batch: BatchRow }) {
  const { cost, created, panel: t } = batchesMessages();
  const endedAt = batch.completed_at ?? batch.failed_at ?? batch.expired_at ?? batch.cancelled_at;
  const took = endedAt === null ? null : formatDuration((endedAt - batch.created_at) * 1000);
  return (
    <Facts
      facts={[
        [t.endpoint, <code className="font-mono text-xs break-all">{batch.endpoint}</code>],
        [isOpen(batch) ? t.costSoFar : cost, formatUsd(batch.cost)],
        [
          t.key,
          <Link to="/keys/$hash" params={{ hash: batch.key_hash }} className="text-accent underline">
            {showControls(batch.key_name)}
          </Link>,
        ],
        [created, toFull(batch.created_at)],
        endedAt === null ? [t.expires, toFull(batch.expires_at)] : [t.ended, `${toFull(endedAt)} (${took})`],
        ...Object.entries(batch.metadata ?? {}).map(
          ([name, value]) => [showControls(name), showControls(value)] as const,
        ),
        [t.id, <code className="font-mono text-xs break-all">{batch.id}</code>],
      ]}
    />
  );
}

const toFull = (seconds: number): string => formatFull(new Date(seconds * 1000).toISOString());

function BatchFiles({ batch }: { batch: BatchRow }) {
  const { panel: t } = batchesMessages();
  const files = [
    { label: t.input, id: batch.input_file_id, isMade: false },
    { label: t.output, id: batch.output_file_id, isMade: true },
    { label: t.errors, id: batch.error_file_id, isMade: true },
  ];
  const save = (id: string, name: string): void =>
    void downloadFile({ id, filename: `${batch.id}_${name}.jsonl`, workspace_id: batch.workspace_id }).catch(
      (error: unknown) => showFailure(t.notDownloaded, error),
    );
  return (
    <section aria-label={t.files}>
      <h3 className="mb-1 text-sm font-semibold">{t.files}</h3>
      <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
        {files.map(({ label, id, isMade }) =>
          id === null ? null : (
            <li key={label} className="flex items-center gap-3 px-3 py-1 text-sm">
              <span className="min-w-0 flex-1 truncate">{label}</span>
              <Link
                to="/files"
                search={{ open: id, q: id }}
                aria-label={`${t.openFile}: ${label}`}
                className="text-sm text-accent underline"
              >
                {t.openFile}
              </Link>
              {isMade && (
                <Button
                  look="quiet"
                  icon={<Download size={14} />}
                  aria-label={`${t.download}: ${label}`}
                  onClick={() => save(id, id === batch.output_file_id ? 'output' : 'error')}
                >
                  {t.download}
                </Button>
              )}
            </li>
          ),
        )}
      </ul>
    </section>
  );
}
