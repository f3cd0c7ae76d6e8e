import type { PromptHead } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';

import { queryClient } from '../../../api/query-client.ts';
import type { Experiment } from '../../../features/playground/experiment.ts';
import { formatCount } from '../../../format/quantity.ts';
import { formatRelative } from '../../../format/time.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { ConfirmDialog, Dialog } from '../../../parts/dialogs/dialog.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { showFailure, showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { newId } from '../use-open-experiment.ts';
import { promptsMessages } from './messages.tsx';
import { openVersion } from './prompt-draft.ts';
import { PromptHistory } from './prompt-history.tsx';
import { deletePrompt, promptQuery, promptsQuery } from './prompt-queries.ts';

interface PromptsDialogProps {
  /** The prompt whose versions are shown at once. */
  readonly initialId: string | null;
  /** The models of the columns that are open: for a prompt without one. */
  readonly models: readonly string[];
  readonly onOpen: (experiment: Experiment) => void;
  readonly onClose: () => void;
}

/** The prompts that the gateway keeps, and the versions of each. */
export function PromptsDialog({ initialId, models, onOpen, onClose }: PromptsDialogProps) {
  const t = promptsMessages();
  const [shownId, setShownId] = useState(initialId);
  const [words, setWords] = useState('');
  const [deleting, setDeleting] = useState<PromptHead | null>(null);
  const open = async ({ id }: PromptHead): Promise<void> => {
    try {
      const prompt = await queryClient.fetchQuery(promptQuery(id));
      const version = prompt.versions.find((one) => one.version === prompt.current_version);
      if (version === undefined) return;
      onOpen(openVersion(prompt, version, models, newId));
      onClose();
    } catch (error) {
      showFailure(t.bar.notLoaded, error);
    }
  };
  return (
    <Dialog title={t.title} width="full" onClose={onClose} actions={<Button onClick={onClose}>{t.close}</Button>}>
      {shownId === null ? (
        <PromptList
          words={words}
          onWords={setWords}
          onOpen={(head) => void open(head)}
          onHistory={setShownId}
          onDelete={setDeleting}
        />
      ) : (
        <PromptHistory
          id={shownId}
          onBack={() => setShownId(null)}
          onOpen={(prompt, version) => {
            onOpen(openVersion(prompt, version, models, newId));
            onClose();
          }}
        />
      )}
      {deleting !== null && (
        <ConfirmDialog
          title={showControls(t.list.deleteTitle(deleting.name))}
          action={t.list.delete}
          onConfirm={async () => {
            await deletePrompt(deleting.id);
            showToast({ tone: 'neutral', title: showControls(t.list.deleted(deleting.name)) });
          }}
          onClose={() => setDeleting(null)}
        >
          <p>{t.list.deleteNote(deleting.version_count)}</p>
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

interface PromptListProps {
  readonly words: string;
  readonly onWords: (words: string) => void;
  readonly onOpen: (head: PromptHead) => void;
  readonly onHistory: (id: string) => void;
  readonly onDelete: (head: PromptHead) => void;
}

function PromptList({ words, onWords, onOpen, onHistory, onDelete }: PromptListProps) {
  const { list: t } = promptsMessages();
  const searched = useDeferredValue(words.trim());
  const query = useQuery(promptsQuery(searched));
  const { data } = query;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-ink-faint">{t.note}</p>
      <input
        type="search"
        data-first-focus
        aria-label={t.find}
        placeholder={t.findHint}
        className="field max-w-md"
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
      {data === undefined ? (
        query.error === null ? (
          <Loading what={t.what} />
        ) : (
          <NotLoaded what={t.what} failure={t.notLoaded} query={query} isFlush />
        )
      ) : data.data.length === 0 ? (
        <p role="status" className="max-w-prose text-sm text-ink-soft">
          {searched === '' ? t.none : t.noneFound}
        </p>
      ) : (
        <>
          <ul className="flex flex-col divide-y divide-line">
            {data.data.map((head) => (
              <PromptRow key={head.id} head={head} onOpen={onOpen} onHistory={onHistory} onDelete={onDelete} />
            ))}
          </ul>
          {data.data.length < data.total_count && (
            <p className="text-xs text-ink-faint">
              {t.shown(formatCount(data.data.length), formatCount(data.total_count))}
            </p>
          )}
        </>
      )}
    </div>
  );
}

type PromptRowProps = Pick<PromptListProps, 'onOpen' | 'onHistory' | 'onDelete'> & { readonly head: PromptHead };

function PromptRow({ head, onOpen, onHistory, onDelete }: PromptRowProps) {
  const { list: t } = promptsMessages();
  const { id, name, description, model, variables, version_count: count, updated_at: changedAt } = head;
  const facts = [
    t.versions(count),
    t.changed(formatRelative(changedAt)),
    ...(model === null ? [] : [model]),
    ...variables.map((variable) => `{{${variable}}}`),
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 py-2.5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="min-w-0 text-sm font-medium break-words">{showControls(name)}</span>
          <span className="font-mono text-xs text-ink-faint">{id}</span>
        </p>
        {description !== null && description !== '' && (
          <p className="line-clamp-2 text-sm break-words text-ink-soft">{showControls(description)}</p>
        )}
        <p className="text-xs break-words text-ink-faint">{showControls(facts.join(' · '))}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={showControls(t.openThe(name))} onClick={() => onOpen(head)}>
          {t.open}
        </Button>
        <Button look="quiet" aria-label={showControls(t.historyOf(name))} onClick={() => onHistory(id)}>
          {t.history}
        </Button>
        <Button look="danger" aria-label={showControls(t.deleteThe(name))} onClick={() => onDelete(head)}>
          {t.delete}
        </Button>
      </div>
    </li>
  );
}
