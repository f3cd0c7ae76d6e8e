import type { SessionResponse, SignInProblem, SignInWays, Trouble } from '@model-gateway/core/wire';
import { useQuery, useMutation } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { callApi } from '../../api/call-api.ts';
import { healthQuery } from '../../api/queries.ts';
import type { Session } from '../../api/session.ts';
import { DEMO_MANAGEMENT_KEY, readSignInWays, signIn, signInByProxy, toProviderUrl } from '../../app/sign-in.ts';
import { Button } from '../../parts/controls/button.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Mark } from '../rail.tsx';
import { signInMessages } from './messages.ts';

/** What the gateway says of signing in; asked each time, because it may have been started in another way. */
const signInQuery = {
  queryKey: ['sign-in'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => callApi<SessionResponse>('/admin/v1/session', { signal }),
  retry: false,
  gcTime: 0,
};

const waysQuery = {
  queryKey: ['sign-in', 'ways'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => readSignInWays(signal),
  retry: false,
  gcTime: 0,
};

/** Why signing in is not possible for now. */
const OBSTACLES: Partial<Record<Trouble, 'storeAway' | 'storeNotReady'>> = {
  store_away: 'storeAway',
  store_not_ready: 'storeNotReady',
};

function AwayNote() {
  const { data: health } = useQuery(healthQuery);
  const obstacle = health?.trouble === undefined ? undefined : OBSTACLES[health.trouble];
  if (obstacle === undefined) return null;
  const t = signInMessages();
  return (
    <p role="status" className="mb-4 flex gap-2 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      <span>
        {t[obstacle]} {t.resumes}
      </span>
    </p>
  );
}

/** What to do when the link did not sign in. A gateway without a key has no other way in. */
function LinkNote({ error }: { readonly error: unknown }) {
  // Not the message of the gateway, which does not know what the page offers.
  const isOver = error instanceof ApiError && (error.status === 400 || error.status === 401);
  const t = signInMessages();
  if (!isOver) return <ErrorPanel error={error} title={t.linkFailed} />;
  return (
    <Note title={t.linkOver} text={t.linkOverAdvice}>
      <code className="mt-1 block font-mono text-xs">{CREATE_KEY}</code>
    </Note>
  );
}

const CREATE_KEY = 'npx model-gateway keys create --management --name admin';

interface NoteProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

function Note({ title, text, children }: NoteProps) {
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p>{text}</p>
        {children}
      </div>
    </div>
  );
}

/** Why the provider of identity, or the gateway after it, has signed nobody in. */
function ProblemNote({ problem }: { readonly problem: SignInProblem }) {
  const t = signInMessages();
  // Of a later version, or written by hand.
  const text = Object.hasOwn(t.problems, problem) ? t.problems[problem] : t.problems.invalid;
  return <Note title={t.failed} text={text} />;
}

/** The ways to sign in as oneself, above the form. */
function OwnWays({ ways: { oidc, proxy } }: { readonly ways: SignInWays }) {
  const t = signInMessages();
  const send = useMutation({ mutationFn: signInByProxy });
  if (oidc === null && proxy === null) return null;
  return (
    <div className="mb-4 flex flex-col gap-3">
      {send.error !== null && <ErrorPanel error={send.error} title={t.failed} />}
      {proxy !== null && (
        <Button look="primary" isBusy={send.isPending} onClick={() => send.mutate()}>
          {t.continueAs(proxy.user)}
        </Button>
      )}
      {oidc !== null && (
        <Button look="primary" onClick={() => location.assign(toProviderUrl())}>
          {t.continueWith(oidc.label)}
        </Button>
      )}
      <p className="flex items-center gap-3 text-xs text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {t.or}
      </p>
    </div>
  );
}

/** Why the gateway did not take a key, in a line where that is plain. */
function Refusal({ error }: { readonly error: Error }) {
  const t = signInMessages();
  const status = error instanceof ApiError ? error.status : undefined;
  if (status !== 401 && status !== 403) return <ErrorPanel error={error} title={t.failed} />;
  return (
    <p role="alert" className="flex gap-2 text-sm text-bad">
      <CircleAlert size={16} className="mt-0.5 shrink-0" />
      {status === 401 ? t.invalid : t.notManagement}
    </p>
  );
}

/** Asks for a management key and exchanges it for a session; the key itself is not kept. */
export function SignIn({ session }: { readonly session: Session & { type: 'none' } }) {
  const { linkError, problem, proxyError, isEnded } = session;
  const t = signInMessages();
  const [key, setKey] = useState('');
  const send = useMutation({ mutationFn: (candidate: string) => signIn({ key: candidate }) });
  const { data } = useQuery(signInQuery);
  const { data: ways } = useQuery(waysQuery);
  const hasOwnWay = ways !== undefined && (ways.oidc ?? ways.proxy) !== null;
  const isDemo = data?.data.signed_in === false && data.data.demo === true;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate(key.trim());
  };
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="card w-full max-w-md p-6 shadow-sm">
        <div className="mb-5 flex items-center gap-3">
          <Mark />
          <h1 className="text-xl font-semibold tracking-tight">Model Gateway</h1>
        </div>
        <AwayNote />
        {linkError !== undefined && send.error === null && (
          <div className="mb-4">
            <LinkNote error={linkError} />
          </div>
        )}
        {problem !== undefined && send.error === null && (
          <div className="mb-4">
            <ProblemNote problem={problem} />
          </div>
        )}
        {proxyError !== undefined && send.error === null && (
          <div className="mb-4">
            <ErrorPanel error={proxyError} title={t.failed} />
          </div>
        )}
        {linkError === undefined && isEnded === true && send.error === null && (
          <div className="mb-4">
            <Note title={t.ended} text={t.endedAdvice} />
          </div>
        )}
        {ways !== undefined && <OwnWays ways={ways} />}
        <form onSubmit={submit} className="flex flex-col gap-4">
          <LabelledInput
            label={t.key}
            hint={t.hint}
            autoFocus
            type="password"
            required
            autoComplete="off"
            spellCheck={false}
            placeholder="sk-gw-v1-…"
            className="field font-mono"
            value={key}
            onChange={setKey}
          />
          {send.error !== null && <Refusal error={send.error} />}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" look={hasOwnWay ? 'plain' : 'primary'} isBusy={send.isPending} className="flex-1">
              {t.submit}
            </Button>
            {isDemo && (
              <Button disabled={send.isPending} onClick={() => send.mutate(DEMO_MANAGEMENT_KEY)}>
                {t.demo}
              </Button>
            )}
          </div>
        </form>
      </div>
    </main>
  );
}
