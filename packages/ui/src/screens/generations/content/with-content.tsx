import { useQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import type { GenerationContent } from '../../../api/types.ts';
import {
  contentQuery,
  ContentTooLong,
  generationQuery,
  openContent,
} from '../../../features/generations/content/generation-queries.ts';
import { formatBytes } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import { showFailure } from '../../../parts/messages/toast-store.ts';
import { saveFile } from '../../../parts/save-file.ts';
import { contentMessages } from './messages.tsx';

/** From here on a program of one's own shows them better. */
const OFFER_FILE_BYTES = 5 * 1024 * 1024;

/** Shows contents; where there are none, or too many, why. */
export function WithContent({ id, children }: { id: string; children: (content: GenerationContent) => ReactNode }) {
  const t = contentMessages();
  const query = useQuery(contentQuery(id));
  const { data, error } = query;
  if (error instanceof ApiError && error.status === 404) return <NotStored id={id} />;
  if (error instanceof ContentTooLong) {
    return (
      <EmptyState title={t.tooLarge(formatBytes(error.bytes))}>
        <p>{t.tooLargeNote}</p>
        <SaveContent id={id} />
      </EmptyState>
    );
  }
  if (data === undefined || error !== null) return <NotLoaded what={t.what} query={query} />;
  return (
    <div className="flex h-full flex-col">
      {data.bytes > OFFER_FILE_BYTES && (
        <div className="flex flex-wrap items-center justify-between gap-x-3 border-b border-line px-4 py-1 text-xs text-ink-faint">
          <span>{formatBytes(data.bytes)}</span>
          <SaveContent id={id} />
        </div>
      )}
      <div className="flex min-h-0 flex-1 flex-col">{children(data)}</div>
    </div>
  );
}

function NotStored({ id }: { id: string }) {
  const t = contentMessages();
  const { data: generation } = useQuery(generationQuery(id));
  if (generation?.interrupted === true) return <EmptyState title={t.notStored}>{t.interrupted}</EmptyState>;
  return (
    <EmptyState title={t.notStored}>
      <p>{t.whyNotStored(<code className="font-mono text-xs">logging.inputOutput</code>)}</p>
      <Link to="/settings" search={{ section: 'gateway' }} className="text-accent underline">
        {t.whatIsStored}
      </Link>
    </EmptyState>
  );
}

function SaveContent({ id }: { id: string }) {
  const t = contentMessages();
  const save = useMutation({
    mutationFn: async () => saveFile(`${id}.json`, await (await openContent(id)).blob()),
    onError: (error) => showFailure(contentMessages().notSaved, error),
  });
  return (
    <Button isBusy={save.isPending} icon={<Download size={14} />} onClick={() => save.mutate()}>
      {t.save}
    </Button>
  );
}
