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

/** From here on a program of one's own shows them better. */
const OFFER_FILE_BYTES = 5 * 1024 * 1024;

/** Shows contents and how long they are; where there are none, or too many, why. */
export function WithContent({ id, children }: { id: string; children: (content: GenerationContent) => ReactNode }) {
  const query = useQuery(contentQuery(id));
  const { data, error } = query;
  if (error instanceof ApiError && error.status === 404) return <NotStored id={id} />;
  if (error instanceof ContentTooLong) {
    return (
      <EmptyState title={`Prompt and response are ${formatBytes(error.bytes)}`}>
        <p>Too large to show here. Save as JSON to open it in another program.</p>
        <SaveContent id={id} />
      </EmptyState>
    );
  }
  if (data === undefined || error !== null) return <NotLoaded what="prompt and response" query={query} />;
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 border-b border-line px-4 py-1 text-xs text-ink-faint">
        <span>{formatBytes(data.bytes)} of prompt and response</span>
        {data.bytes > OFFER_FILE_BYTES && <SaveContent id={id} />}
      </div>
      <div className="flex min-h-0 flex-1 flex-col">{children(data)}</div>
    </div>
  );
}

function NotStored({ id }: { id: string }) {
  const { data: generation } = useQuery(generationQuery(id));
  if (generation?.interrupted === true) {
    return (
      <EmptyState title="Prompt and response are not stored">
        The gateway stopped during this call, before storing them. Tokens and cost are estimates.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Prompt and response are not stored">
      <p>
        They are stored if logging.inputOutput is on, up to a size limit, until retention or a user deletes them. The
        other data of this call is complete.
      </p>
      <Link to="/settings" className="text-accent underline">
        What is stored
      </Link>
    </EmptyState>
  );
}

function SaveContent({ id }: { id: string }) {
  const save = useMutation({
    mutationFn: async () => saveFile(`${id}.json`, await (await openContent(id)).blob()),
    onError: (error) => showFailure('Prompt and response could not be saved', error),
  });
  return (
    <Button isBusy={save.isPending} icon={<Download size={14} />} onClick={() => save.mutate()}>
      Save as a file
    </Button>
  );
}
