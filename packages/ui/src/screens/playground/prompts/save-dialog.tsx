import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';

import type { Experiment, PromptLink } from '../../../features/playground/experiment.ts';
import { findProblems } from '../../../features/playground/setup/setup.ts';
import { findVariables } from '../../../features/playground/variables.ts';
import { Checkbox, Choice, issueFor } from '../../../parts/controls/field.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { Dialog, FormActions } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { playgroundMessages } from '../messages.tsx';
import { promptsMessages } from './messages.tsx';
import { countTaken, isSameAs, openedMessages, type PromptContents, toPromptDraft } from './prompt-draft.ts';
import { addVersion, createPrompt, promptQuery } from './prompt-queries.ts';

const MAX_NAME = 100;
const MAX_NOTE = 500;

interface SaveDialogProps {
  readonly experiment: Experiment;
  readonly onSaved: (prompt: PromptLink) => void;
  readonly onClose: () => void;
}

/** Keeps what stands in the playground as a prompt, or as the next version of the one that it came from. */
export function SaveDialog({ experiment, onSaved, onClose }: SaveDialogProps) {
  const { save: t } = promptsMessages();
  const { prompt: link } = experiment;
  const { data: prompt, isPending } = useQuery({ ...promptQuery(link?.id ?? ''), enabled: link !== undefined });
  const [problem] = Object.entries(findProblems(experiment.setup));
  const stop = (text: ReactNode) => (
    <Dialog title={t.title} onClose={onClose}>
      <p className="text-sm">{text}</p>
    </Dialog>
  );
  if (problem !== undefined) return stop(playgroundMessages().problems.settings(problem[0], problem[1]));
  const draft = toPromptDraft(experiment);
  if (draft.messages.length === 0) return stop(t.none);
  if (link !== undefined && isPending) return null;
  const base = prompt?.versions.find(({ version }) => version === link?.version);
  return (
    <SaveForm
      draft={draft}
      isCut={draft.isCut}
      link={prompt === undefined ? undefined : link}
      name={experiment.name}
      base={base}
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

interface SaveFormProps extends Pick<SaveDialogProps, 'onSaved' | 'onClose'> {
  readonly draft: PromptContents;
  readonly isCut: boolean;
  /** The prompt that can have another version. */
  readonly link: PromptLink | undefined;
  readonly name: string;
  readonly base: Parameters<typeof openedMessages>[0] | undefined;
}

function SaveForm({ draft, isCut, link, name: named, base, onSaved, onClose }: SaveFormProps) {
  const { save: t } = promptsMessages();
  const formId = useId();
  const [mode, setMode] = useState<'version' | 'prompt'>(link === undefined ? 'prompt' : 'version');
  const [name, setName] = useState(link === undefined ? named : '');
  const [description, setDescription] = useState('');
  const [note, setNote] = useState('');
  const [isCurrent, setIsCurrent] = useState(true);
  const [taken, setTaken] = useState(() => {
    const count = countTaken(draft.messages, base && openedMessages(base).length);
    return draft.messages.map((_message, at) => at < count);
  });
  const isVersion = link !== undefined && mode === 'version';
  const contents = { ...draft, messages: draft.messages.filter((_message, at) => taken[at] === true) };
  const isSame = isVersion && base !== undefined && isSameAs(contents, base);
  const save = useMutation({
    mutationFn: async (): Promise<PromptLink> => {
      const { messages, model, parameters } = contents;
      const body = { messages, model, parameters, note: note.trim() === '' ? null : note.trim() };
      if (isVersion) {
        const { version } = await addVersion(link.id, { ...body, make_current: isCurrent });
        return { ...link, version };
      }
      const made = await createPrompt({ ...body, name, description: description.trim() === '' ? null : description });
      return { id: made.id, name: made.name, version: made.current_version };
    },
    onSuccess: (saved) => {
      const title = isVersion ? t.savedVersion(saved.name, saved.version) : t.savedPrompt(saved.name);
      showToast({ tone: 'good', title: showControls(title) });
      onSaved(saved);
      onClose();
    },
  });
  const isReady = contents.messages.length > 0 && !isSame;
  return (
    <Dialog
      title={t.title}
      width="wide"
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.submit} isBusy={save.isPending} onClose={onClose} />}
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) save.mutate();
        }}
      >
        {link !== undefined && (
          <div>
            <Choice label={t.as} value={mode} options={t.modes} onChange={setMode} />
          </div>
        )}
        {isVersion ? (
          <p className="text-sm text-ink-soft">{showControls(t.versionOf(link.name))}</p>
        ) : (
          <div className="grid gap-4 sm:grid-cols-2">
            <LabelledInput
              label={t.name}
              required
              maxLength={MAX_NAME}
              error={issueFor(save.error, 'name')}
              value={name}
              onChange={setName}
            />
            <LabelledInput
              label={t.description}
              placeholder={t.optional}
              error={issueFor(save.error, 'description')}
              value={description}
              onChange={setDescription}
            />
          </div>
        )}
        <MessageChoice messages={draft.messages} taken={taken} isCut={isCut} onTaken={setTaken} />
        <Summary contents={contents} />
        <LabelledInput
          label={t.note}
          maxLength={MAX_NOTE}
          error={issueFor(save.error, 'note')}
          value={note}
          onChange={setNote}
        />
        {isVersion && (
          <Checkbox
            label={t.makeCurrent}
            checked={isCurrent}
            onChange={(event) => setIsCurrent(event.target.checked)}
          />
        )}
        <p role="status" className="text-sm text-caution empty:hidden">
          {contents.messages.length === 0 ? t.noneTaken : isSame ? t.same(base.version) : ''}
        </p>
        {save.error !== null && <UnsavedPanel error={save.error} title={t.notSaved} onRetry={() => save.mutate()} />}
      </form>
    </Dialog>
  );
}

interface MessageChoiceProps {
  readonly messages: PromptContents['messages'];
  readonly taken: readonly boolean[];
  readonly isCut: boolean;
  readonly onTaken: (taken: boolean[]) => void;
}

/** Which messages of the conversation are the prompt, and which were said while trying it. */
function MessageChoice({ messages, taken, isCut, onTaken }: MessageChoiceProps) {
  const { roles, save: t } = promptsMessages();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{t.messages}</legend>
      {messages.map(({ role, content }, at) => (
        <Checkbox
          key={at}
          aria-label={t.take(roles[role], at + 1)}
          checked={taken[at] === true}
          onChange={(event) => onTaken(taken.map((one, other) => (other === at ? event.target.checked : one)))}
          label={
            <>
              <span className="font-medium">{roles[role]}</span>{' '}
              <span className="line-clamp-2 break-words text-ink-soft">{showControls(content)}</span>
            </>
          }
        />
      ))}
      {isCut && <p className="text-xs text-ink-faint">{t.cut}</p>}
    </fieldset>
  );
}

/** What is kept beside the messages. */
function Summary({ contents: { messages, model, parameters } }: { contents: PromptContents }) {
  const { history, save: t } = promptsMessages();
  const variables = findVariables(messages.map(({ content }) => content));
  const rows = [
    [t.model, model ?? history.anyModel],
    [t.parameters, parameters === null ? t.nothing : JSON.stringify(parameters)],
    [t.variables, variables.length === 0 ? t.nothing : variables.join(', ')],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-lg bg-raised p-3 text-sm">
      {rows.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-ink-soft">{label}</dt>
          <dd
            className={
              value === t.nothing || value === history.anyModel
                ? 'text-ink-soft'
                : 'font-mono text-xs leading-5 break-words'
            }
          >
            {showControls(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
