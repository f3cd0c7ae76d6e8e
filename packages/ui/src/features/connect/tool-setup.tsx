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
import { showToast, showFailure } from '../../parts/messages/toast-store.ts';
import type { ToolKey } from './connect-queries.ts';
import { FirstCallCard } from './first-call.tsx';
import { ToolKeyForm } from './tool-key-form.tsx';
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
  const [made, setMade] = useState<Made | null>(null);
  const [typedUrl, setTypedUrl] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const uncalled = useUncalledKey();
  const ownUrl = toBaseUrl();
  const baseUrl = typedUrl !== null && isAddress(typedUrl) ? typedUrl : ownUrl;
  const obstacle = findObstacle(client.callsFrom, baseUrl);
  // The tile or the form that had the focus is gone.
  useEffect(() => heading.current?.focus(), [made]);
  const onSeen = (): void => {
    uncalled.current = null;
    onConnected?.();
  };
  return (
    <div className="flex w-full min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <h2 ref={heading} tabIndex={-1} className="text-base font-semibold outline-none">
            {made === null ? `Connect ${client.name}` : `Set up ${client.name}`}
          </h2>
          <p className="text-sm text-ink-soft">{client.about}.</p>
        </div>
        <Guide client={client} />
        <Button look="quiet" icon={<ArrowLeft size={14} />} onClick={onBack}>
          Other tools
        </Button>
      </div>
      {obstacle !== undefined && <Obstacle text={obstacle} />}
      {client.callsFrom !== undefined && <AddressField value={typedUrl ?? ownUrl} onChange={setTypedUrl} />}
      {made === null && hasSettingsFile(client) && getDesktop() === undefined && <CommandHint client={client} />}
      {made === null ? (
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
  const { data: models } = useQuery(modelsQuery);
  const model = toConnectedModel(
    modelId,
    models?.find(({ id }) => id === modelId),
  );
  return (
    <>
      <p className="text-sm">
        The key <span className="font-medium">{key.name}</span> was created
        {key.limitUsd !== null && `, limited to $${key.limitUsd} a month`}. It is in the settings below. Copy it now;
        you won’t see it again.
      </p>
      <ToolSteps client={client} connection={{ baseUrl, apiKey: key.secret, model }} />
      <FirstCallCard made={key} tool={client.name} model={modelId} baseUrl={baseUrl} onSeen={onSeen} />
      <section className="flex flex-col gap-1 text-sm">
        <h3 className="font-medium">Good to know</h3>
        <ul className="list-disc pl-5 text-ink-soft">
          <li>Names of models: {client.modelNames}</li>
          {client.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** The command that does the same. The desktop app has no command, so it does not speak of it. */
function CommandHint({ client: { id, name } }: { client: Client }) {
  const command = `npx model-gateway connect ${id} --write`;
  return (
    <section aria-label="In one step" className="flex flex-col gap-2 rounded-lg bg-raised p-3 text-sm">
      <p>
        If {name} runs on the gateway’s machine, one command creates a key and writes it to the settings of {name}. With{' '}
        <code className="font-mono text-xs whitespace-nowrap">--undo</code> the command reverts everything.
      </p>
      <div className="flex min-w-0 items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-words">{command}</code>
        <CopyButton isIcon text={command} label="Copy the command" />
      </div>
      <p className="text-xs text-ink-soft">Run it in the folder where the gateway was started. Or set it up by hand:</p>
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
  return (
    <LabelledInput
      label="Gateway address for the tool"
      hint="Ends with /api/v1"
      error={isAddress(value) ? undefined : 'Enter an address that begins with https:// or http://'}
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
  if (getDesktop() !== undefined) return <CopyButton look="quiet" text={docsUrl} label="Copy the link to its guide" />;
  return (
    <a
      href={docsUrl}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex min-h-8 items-center gap-1.5 px-2.5 text-sm text-accent hover:underline"
    >
      Guide for {name} <ExternalLink size={13} />
    </a>
  );
}

/** Says that a key stays although no call with it has succeeded yet, and takes it back on request. */
function offerToDeleteKey({ hash, name }: Pick<ToolKey, 'hash' | 'name'>): void {
  showToast({
    tone: 'neutral',
    title: `The key “${name}” was kept`,
    detail: 'It has no successful call yet. You can find it under Keys.',
    action: { label: 'Undo', run: () => void deleteKey(hash, name) },
  });
}

async function deleteKey(hash: string, name: string): Promise<void> {
  try {
    await callApi(`/api/v1/keys/${hash}`, { method: 'DELETE' });
    showToast({ tone: 'good', title: `The key “${name}” was deleted` });
  } catch (error) {
    showFailure(`The key “${name}” was not deleted`, error);
  }
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
