import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { CircleCheck, CircleX, KeyRound, TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { useSession } from '../../api/session.ts';
import { toResetOptions } from '../../features/form/fields.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { type AuthRequest, type AuthSearch, readAuthRequest, toCallbackAddress } from './auth-request.ts';
import { authMessages } from './messages.ts';

/** Asks a user whether an app gets a key, and sends them back to it with a code. Stands without the frame of screens. */
export function AuthScreen() {
  const t = authMessages();
  const search = useSearch({ from: '/auth' });
  const session = useSession();
  const request = readAuthRequest(search);
  const { name } = t;
  useEffect(() => {
    document.title = `${name} · Model Gateway`;
  }, [name]);
  return (
    <main id="main" className="flex min-h-full items-center justify-center p-4">
      <div className="card flex w-full max-w-lg flex-col gap-4 p-6 shadow-sm">
        {request === null ? (
          <Ending icon={<CircleX size={22} className="text-bad" />} title={t.invalid}>
            <p>{t.invalidText}</p>
          </Ending>
        ) : (
          <Consent search={search} request={request} />
        )}
        {session.type !== 'none' && (
          <p className="text-xs text-ink-faint">{t.signedInAs(showControls(session.name))}</p>
        )}
      </div>
    </main>
  );
}

interface ConsentProps {
  readonly search: AuthSearch;
  readonly request: AuthRequest;
}

interface Draft {
  readonly name: string;
  readonly limit: string;
  readonly reset: string;
}

function Consent({ search, request }: ConsentProps) {
  const t = authMessages();
  const { callback, hasChallenge } = request;
  const [draft, setDraft] = useState<Draft>(request);
  const [isDenied, setIsDenied] = useState(false);
  const agree = useMutation({
    mutationFn: (agreed: Draft) => requestCode(search, agreed),
    onSuccess(code) {
      if (callback !== null) location.assign(toCallbackAddress(callback.url, code));
    },
  });
  if (isDenied) {
    return (
      <Ending icon={<CircleX size={22} className="text-ink-soft" />} title={t.denied}>
        <p>{t.close}</p>
      </Ending>
    );
  }
  if (agree.data !== undefined) return <Agreed host={callback?.host} code={agree.data} />;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    agree.mutate(draft);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Heading icon={<KeyRound size={22} className="text-accent" />}>
        {callback === null ? t.headlessTitle : t.title(callback.host)}
      </Heading>
      <p className="text-sm text-ink-soft">
        {t.about} {t.onlyYours}
      </p>
      {callback !== null && (
        <p className="text-sm">
          <span className="text-ink-soft">{t.callback}</span>{' '}
          <code className="font-mono text-xs break-all">{showControls(toShown(callback.url))}</code>
          {callback.isLocal && <span className="text-ink-soft"> ({t.local})</span>}
        </p>
      )}
      {!hasChallenge && (
        <p className="flex gap-2 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
          <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
          {t.noChallenge}
        </p>
      )}
      <KeyFields draft={draft} onChange={setDraft} />
      {agree.error !== null && (
        <UnsavedPanel error={agree.error} title={t.failed} onRetry={() => agree.mutate(draft)} />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => setIsDenied(true)}>{t.deny}</Button>
        <Button type="submit" look="primary" isBusy={agree.isPending}>
          {t.authorize}
        </Button>
      </div>
    </form>
  );
}

function KeyFields({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const t = authMessages();
  return (
    <>
      <LabelledInput
        label={t.keyName}
        hint={t.keyNameHint}
        maxLength={100}
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <LabelledInput
          label={t.limit}
          hint={t.limitHint}
          type="number"
          min={0}
          step="any"
          value={draft.limit}
          onChange={(limit) => onChange({ ...draft, limit })}
        />
        <LabelledSelect
          label={t.reset}
          value={draft.limit === '' ? '' : draft.reset}
          disabled={draft.limit === ''}
          options={toResetOptions()}
          onChange={(reset) => onChange({ ...draft, reset })}
        />
      </div>
    </>
  );
}

/** What was agreed: the browser is on its way, or the user takes the code to the app. */
function Agreed({ host, code }: { host: string | undefined; code: string }) {
  const t = authMessages();
  const icon = <CircleCheck size={22} className="text-good" />;
  if (host !== undefined) return <Ending icon={icon} title={t.leaving(host)} />;
  return (
    <Ending icon={icon} title={t.codeTitle}>
      <code className="block rounded-md bg-raised p-3 font-mono text-sm break-all">{code}</code>
      <div className="flex flex-wrap items-center gap-3">
        <CopyButton text={code} label={t.copy} look="primary" />
        <span className="text-ink-soft">{t.codeHint}</span>
      </div>
    </Ending>
  );
}

function Heading({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-start gap-3">
      <span className="mt-0.5 shrink-0">{icon}</span>
      <h1 className="min-w-0 text-xl font-semibold break-words">{children}</h1>
    </div>
  );
}

function Ending({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div role="status" className="flex flex-col gap-3 text-sm">
      <Heading icon={icon}>{title}</Heading>
      {children}
    </div>
  );
}

/** Without its query, which is the app's own business and may be long. */
const toShown = (address: string): string => {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
};

async function requestCode(search: AuthSearch, { name, limit, reset }: Draft): Promise<string> {
  const { callback_url, code_challenge, code_challenge_method } = search;
  const body = {
    callback_url,
    code_challenge,
    code_challenge_method,
    ...(name.trim() !== '' && { key_label: name }),
    ...(limit !== '' && { limit: Number(limit), ...(reset !== '' && { usage_limit_type: reset }) }),
  };
  return (await callApi<{ data: { id: string } }>('/api/v1/auth/keys/code', { method: 'POST', body })).data.id;
}
