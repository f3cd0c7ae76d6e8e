import { type Client, findObstacle, hasSettingsFile, toConnectedModel } from '@model-gateway/clients';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ExternalLink, TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { keysQuery, modelsQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { getDesktop } from '../../app/desktop.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { Logo } from '../../parts/logo.tsx';
import { showToast, showFailure } from '../../parts/messages/toast-store.ts';
import { partMessages } from '../../parts/part-messages.ts';
import type { ToolKey } from './connect-queries.ts';
import { FirstCallCard } from './first-call.tsx';
import { connectMessages } from './messages.tsx';
import { ToolKeyForm } from './tool-key-form.tsx';
import { inToolWords } from './tool-messages.ts';
import { ToolSteps } from './tool-steps.tsx';

/** What the setup tells those who show it. */
export interface Progress {
  readonly onMade?: () => void;
  readonly onConnected?: () => void;
}

interface Made {
  readonly key: ToolKey;
  readonly modelId: string;
}

interface ToolSetupProps extends Progress {
  readonly client: Client;
  readonly onBack: () => void;
}

/** Makes a key for one tool, says what to do in the tool, and waits for its first call. */
export function ToolSetup({ client, onBack, onMade, onConnected }: ToolSetupProps) {
  const t = connectMessages();
  const inWords = inToolWords();
  const [made, setMade] = useState<Made | null>(null);
  const [typedUrl, setTypedUrl] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const uncalled = useUncalledKey();
  const ownUrl = toBaseUrl();
  const baseUrl = typedUrl !== null && isAddress(typedUrl) ? typedUrl : ownUrl;
  const obstacle = findObstacle(client.callsFrom, baseUrl);
  // No call could come, so that a key would be waited for in vain.
  const isUnreachable = client.callsFrom === 'cloud' && obstacle !== undefined;
  // The tile or the form that had the focus is gone.
  useEffect(() => heading.current?.focus(), [made]);
  const onSeen = (): void => {
    uncalled.current = null;
    onConnected?.();
  };
  return (
    <div className="flex w-full min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <Logo name={client.id} size={28} className="mt-1 text-ink-soft" />
        <div className="min-w-0 flex-1 basis-56">
          <h2 ref={heading} tabIndex={-1} className="text-base font-semibold outline-none">
            {made === null ? t.setup.connect(client.name) : t.setup.setUp(client.name)}
          </h2>
          <p className="text-sm text-ink-soft">{inWords(client.about)}.</p>
        </div>
        <Guide client={client} />
        <Button look="quiet" icon={<ArrowLeft size={14} />} onClick={onBack}>
          {t.setup.others}
        </Button>
      </div>
      {obstacle !== undefined && <Obstacle text={inWords(obstacle)} />}
      {client.callsFrom !== undefined && <AddressField value={typedUrl ?? ownUrl} onChange={setTypedUrl} />}
      {made === null && hasSettingsFile(client) && getDesktop() === undefined && <CommandHint client={client} />}
      {made === null && isUnreachable ? (
        <p className="text-sm text-ink-soft">{t.setup.addressFirst}</p>
      ) : made === null ? (
        <ToolKeyForm
          client={client}
          onMade={(key, modelId) => {
            uncalled.current = key;
            setMade({ key, modelId });
            onMade?.();
          }}
        />
      ) : (
        <Instructions client={client} made={made} baseUrl={baseUrl} onSeen={onSeen} />
      )}
    </div>
  );
}

/** A key without a call, of which the user is reminded when they leave. */
function useUncalledKey() {
  const key = useRef<ToolKey | null>(null);
  useEffect(
    () => () => {
      if (key.current !== null) offerToDeleteKey(key.current);
    },
    [],
  );
  return key;
}

interface InstructionsProps {
  readonly client: Client;
  readonly made: Made;
  readonly baseUrl: string;
  readonly onSeen: () => void;
}

function Instructions({ client, made: { key, modelId }, baseUrl, onSeen }: InstructionsProps) {
  const t = connectMessages().setup;
  const inWords = inToolWords();
  const { data: models } = useQuery(modelsQuery);
  const model = toConnectedModel(
    modelId,
    models?.find(({ id }) => id === modelId),
  );
  return (
    <>
      <p className="text-sm">{t.keyCreated(<span className="font-medium">{key.name}</span>, key.limitUsd)}</p>
      <ToolSteps client={client} connection={{ baseUrl, apiKey: key.secret, model }} />
      <FirstCallCard made={key} tool={client.name} model={modelId} baseUrl={baseUrl} onSeen={onSeen} />
      <section className="flex flex-col gap-1 text-sm">
        <h3 className="font-medium">{t.goodToKnow}</h3>
        <ul className="list-disc pl-5 text-ink-soft">
          <li>{t.modelNames(inWords(client.modelNames))}</li>
          {client.notes.map((note) => (
            <li key={note}>{inWords(note)}</li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** The command that does the same. The desktop app has no command, so it does not speak of it. */
function CommandHint({ client: { id, name } }: { client: Client }) {
  const t = connectMessages().setup;
  const command = `npx model-gateway connect ${id} --write`;
  return (
    <section aria-label={t.oneStep} className="flex flex-col gap-2 rounded-lg bg-raised p-3 text-sm">
      <p>{t.oneStepText(name, <code className="font-mono text-xs whitespace-nowrap">--undo</code>)}</p>
      <div className="flex min-w-0 items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-words">{command}</code>
        <CopyButton isIcon text={command} label={t.copyCommand} />
      </div>
      <p className="text-xs text-ink-soft">{t.oneStepNote}</p>
    </section>
  );
}

function Obstacle({ text }: { text: string }) {
  return (
    <div className="flex gap-2 rounded-lg border border-caution/50 bg-caution-soft/60 p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      <p className="min-w-0 break-words">{text}</p>
    </div>
  );
}

interface AddressFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function AddressField({ value, onChange }: AddressFieldProps) {
  const t = connectMessages().setup;
  return (
    <LabelledInput
      label={t.address}
      hint={t.addressHint}
      error={isAddress(value) ? undefined : t.addressInvalid}
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      className="field font-mono text-xs"
      value={value}
      onChange={(text) => onChange(text.trim())}
    />
  );
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:/.test(text);

/** The tool's own guide. The desktop app opens no other pages, so there its address is copied. */
function Guide({ client: { name, docsUrl } }: { client: Client }) {
  const t = connectMessages().setup;
  if (getDesktop() !== undefined) return <CopyButton look="quiet" text={docsUrl} label={t.copyGuide} />;
  return (
    <a
      href={docsUrl}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex min-h-8 items-center gap-1.5 px-2.5 text-sm text-accent hover:underline"
    >
      {t.guide(name)} <ExternalLink size={13} />
    </a>
  );
}

/** Says that a key stays although no call with it has succeeded yet, and takes it back on request. */
function offerToDeleteKey({ hash, name }: Pick<ToolKey, 'hash' | 'name'>): void {
  const t = connectMessages().setup;
  showToast({
    tone: 'neutral',
    title: t.keyKept(name),
    detail: t.keyKeptNote,
    action: { label: partMessages().actions.undo, run: () => void deleteKey(hash, name) },
  });
}

async function deleteKey(hash: string, name: string): Promise<void> {
  const t = connectMessages().setup;
  try {
    await callApi(`/api/v1/keys/${hash}`, { method: 'DELETE' });
    showToast({ tone: 'good', title: t.keyDeleted(name) });
  } catch (error) {
    showFailure(t.keyNotDeleted(name), error);
  }
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
