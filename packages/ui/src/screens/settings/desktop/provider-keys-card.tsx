import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { getDesktop } from '../../../app/desktop.ts';
import type { DesktopInfo } from '../../../desktop-bridge.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { useOutcome } from '../../../parts/messages/toast-store.ts';
import { partMessages } from '../../../parts/part-messages.ts';
import { desktopMessages } from './messages.tsx';

/** Suggested; the gateway knows further names, and any may be typed. */
const NAMES = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'OPENROUTER_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'PERPLEXITY_API_KEY',
  'CEREBRAS_API_KEY',
  'FAL_KEY',
  'REPLICATE_API_TOKEN',
];

/** Keys of providers: can be saved and removed, and are never shown again. */
export function ProviderKeysCard({ info: { providerKeys, secretStorage } }: { info: DesktopInfo }) {
  const t = desktopMessages().keys;
  const { actions, removeNamed } = partMessages();
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <section className="card flex flex-col gap-4 p-4">
      <div>
        <h2 className="text-base font-semibold">{t.title}</h2>
        <p className="text-sm text-ink-soft">
          {t.note((text) => (
            <Link to="/providers" className="text-accent underline">
              {text}
            </Link>
          ))}
        </p>
        <p className="mt-1 text-sm text-ink-faint">{t.restarts}</p>
      </div>
      <StorageNotice storage={secretStorage} />
      {providerKeys.length === 0 ? (
        <p className="text-sm text-ink-soft">{t.none}</p>
      ) : (
        <ul aria-label={t.list} className="flex flex-col rounded-lg border border-line">
          {providerKeys.map((name) => (
            <li
              key={name}
              className="flex items-center justify-between gap-3 border-b border-line px-3 py-1.5 last:border-0"
            >
              <code className="font-mono text-xs break-all">{name}</code>
              <Button look="danger" aria-label={removeNamed(name)} onClick={() => setRemoving(name)}>
                {actions.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {secretStorage !== 'none' && <NewKeyForm />}
      {removing !== null && (
        <ConfirmDialog
          title={t.askRemove(removing)}
          action={t.remove}
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            const outcome = await getDesktop()?.removeProviderKey(removing);
            if (outcome?.done !== true) throw new Error(outcome?.message ?? t.unavailable);
          }}
        >
          <p>{t.removeNote}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function StorageNotice({ storage }: { storage: DesktopInfo['secretStorage'] }) {
  const t = desktopMessages().keys;
  if (storage === 'keyring') return <p className="text-sm text-ink-soft">{t.encrypted}</p>;
  return (
    <p className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      {storage === 'plain' ? t.plain : t.noStorage}
    </p>
  );
}

function NewKeyForm() {
  const t = desktopMessages().keys;
  const { ask, isBusy } = useOutcome();
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found = findKeyProblem(name, key);
    setProblem(found);
    if (found !== undefined) return;
    const isSaved = await ask(getDesktop()?.saveProviderKey(name, key.trim()), t.saved(name));
    if (!isSaved) return;
    setName('');
    setKey('');
  };
  return (
    <form className="flex flex-wrap items-end gap-3" onSubmit={(event) => void submit(event)}>
      <LabelledInput
        label={t.name}
        fieldClass="min-w-48 flex-1"
        suggestions={NAMES}
        required
        pattern="[A-Z][A-Z0-9_]{2,63}"
        title={t.namePattern}
        placeholder="OPENAI_API_KEY"
        autoComplete="off"
        aria-invalid={problem !== undefined || undefined}
        spellCheck={false}
        className="field font-mono text-xs"
        value={name}
        onChange={(text) => setName(text.toUpperCase())}
      />
      <LabelledInput
        label={t.key}
        fieldClass="min-w-48 flex-1"
        type="password"
        required
        maxLength={4096}
        autoComplete="off"
        className="field font-mono text-xs"
        value={key}
        onChange={setKey}
      />
      <Button type="submit" look="primary" isBusy={isBusy}>
        {t.save}
      </Button>
      {problem !== undefined && (
        <p role="alert" className="basis-full text-sm break-words text-bad">
          {problem}
        </p>
      )}
    </form>
  );
}

const ADDRESS_NAME = /_(HOST|URL|URI|ENDPOINT|ADDRESS|PORT|API_BASE)$/;
const ADDRESS = /^(https?:\/\/|[\w.-]+:\d{2,5}(\/|$))/i;

/** Why a variable cannot be kept as the key of a provider, and what to do instead; undefined where nothing is wrong. */
export function findKeyProblem(name: string, key: string): string | undefined {
  if (!ADDRESS_NAME.test(name) && !ADDRESS.test(key.trim())) return undefined;
  return desktopMessages().keys.isAddress;
}
