import { TriangleAlert } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { getDesktop } from '../../../app/desktop.ts';
import type { DesktopInfo } from '../../../desktop-bridge.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { useOutcome } from '../../../parts/messages/toast-store.ts';

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
export function ProviderKeysCard({ info: { providerKeys, secretStorage, state } }: { info: DesktopInfo }) {
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <section className="card flex flex-col gap-4 p-4">
      <div>
        <h2 className="text-base font-semibold">Provider keys</h2>
        <p className="text-sm text-ink-faint">
          Keys are never shown again. Each change restarts the gateway after calls under way have finished.
        </p>
      </div>
      <StorageNotice storage={secretStorage} />
      {providerKeys.length === 0 ? (
        <p className="text-sm text-ink-soft">
          {state.isDemo === true ? 'None yet: the gateway responds with the demo’s recordings.' : 'None yet.'}
        </p>
      ) : (
        <ul aria-label="Saved provider keys" className="flex flex-col rounded-lg border border-line">
          {providerKeys.map((name) => (
            <li
              key={name}
              className="flex items-center justify-between gap-3 border-b border-line px-3 py-1.5 last:border-0"
            >
              <code className="font-mono text-xs break-all">{name}</code>
              <Button look="danger" aria-label={`Remove ${name}`} onClick={() => setRemoving(name)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {secretStorage !== 'none' && <NewKeyForm />}
      {removing !== null && (
        <ConfirmDialog
          title={`Remove ${removing}?`}
          action="Remove key"
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            const outcome = await getDesktop()?.removeProviderKey(removing);
            if (outcome?.done !== true) throw new Error(outcome?.message ?? 'The app is not available');
          }}
        >
          <p>Its provider is no longer called. The key stays valid until you revoke it at the provider.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const NOTICES = {
  plain:
    'This machine has no usable keyring, so saved keys aren’t effectively encrypted: anyone who can read your files can read them. Install and unlock one (GNOME Keyring, KWallet), or keep keys in the environment instead.',
  none: 'This machine has no way to store keys safely, so none can be saved here. Use environment variables instead.',
} as const;

function StorageNotice({ storage }: { storage: DesktopInfo['secretStorage'] }) {
  if (storage === 'keyring') return <p className="text-sm text-ink-soft">Encrypted with this machine’s keyring.</p>;
  return (
    <p className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      {NOTICES[storage]}
    </p>
  );
}

function NewKeyForm() {
  const { ask, isBusy } = useOutcome();
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found = findKeyProblem(name, key);
    setProblem(found);
    if (found !== undefined) return;
    const isSaved = await ask(getDesktop()?.saveProviderKey(name, key.trim()), `${name} saved`);
    if (!isSaved) return;
    setName('');
    setKey('');
  };
  return (
    <form className="flex flex-wrap items-end gap-3" onSubmit={(event) => void submit(event)}>
      <LabelledInput
        label="Name"
        fieldClass="min-w-48 flex-1"
        suggestions={NAMES}
        required
        pattern="[A-Z][A-Z0-9_]{2,63}"
        title="Capital letters, digits and underscores, as in OPENAI_API_KEY"
        placeholder="OPENAI_API_KEY"
        autoComplete="off"
        aria-invalid={problem !== undefined || undefined}
        spellCheck={false}
        className="field font-mono text-xs"
        value={name}
        onChange={(text) => setName(text.toUpperCase())}
      />
      <LabelledInput
        label="Key"
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
        Save key
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
  return (
    `This is an address, not a key, and would have no effect here. A server of your own (Ollama, LM Studio, llama.cpp, ` +
    `vLLM) is named in config.json in the app’s folder, e.g. ` +
    `{ "providers": [{ "slug": "ollama", "preset": "ollama", "baseUrl": "http://127.0.0.1:11434/v1", "discoverModels": true }] }; ` +
    `then start the app again.`
  );
}
