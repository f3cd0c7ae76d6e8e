import type { SessionResponse, Trouble } from '@model-gateway/core/wire';
import { useQuery, useMutation } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { healthQuery } from '../api/queries.ts';
import { DEMO_MANAGEMENT_KEY, signIn } from '../app/sign-in.ts';
import { Button } from '../parts/controls/button.tsx';
import { LabelledInput } from '../parts/controls/labelled.tsx';
import { ErrorPanel } from '../parts/messages/error-panel.tsx';
import { Mark } from './rail.tsx';

/** What the gateway says of signing in; asked each time, because it may have been started in another way. */
const signInQuery = {
  queryKey: ['sign-in'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => callApi<SessionResponse>('/admin/v1/session', { signal }),
  retry: false,
  gcTime: 0,
};

/** Why signing in is not possible for now. */
const OBSTACLES: Partial<Record<Trouble, string>> = {
  store_away: 'The gateway’s database is unavailable, so you can’t sign in right now.',
  store_not_ready:
    'The gateway has not reached its database yet, or is waiting for a migration. You can’t sign in yet.',
};

function AwayNote() {
  const { data: health } = useQuery(healthQuery);
  const obstacle = health?.trouble === undefined ? undefined : OBSTACLES[health.trouble];
  if (obstacle === undefined) return null;
  return (
    <p role="status" className="mb-4 flex gap-2 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      <span>{obstacle} An existing session will continue automatically.</span>
    </p>
  );
}

/** What to do when the link did not sign in. A gateway without a key has no other way in. */
function LinkNote({ error }: { readonly error: unknown }) {
  // Not the message of the gateway, which does not know what the page offers.
  const isOver = error instanceof ApiError && (error.status === 400 || error.status === 401);
  if (!isOver) return <ErrorPanel error={error} title="The link could not sign you in" />;
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      <div className="min-w-0">
        <p className="font-medium">This link has expired or was already used</p>
        <p>
          It works once, within ten minutes after the gateway started. Start the gateway again for a new link, or sign
          in with a management key. You can create one in a terminal:
        </p>
        <code className="mt-1 block font-mono text-xs">model-gateway keys create --management --name admin</code>
      </div>
    </div>
  );
}

/** Asks for a management key and exchanges it for a session; the key itself is not kept. */
export function SignIn({ linkError }: { readonly linkError?: unknown }) {
  const [key, setKey] = useState('');
  const send = useMutation({ mutationFn: (candidate: string) => signIn({ key: candidate }) });
  const { data } = useQuery(signInQuery);
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
        <form onSubmit={submit} className="flex flex-col gap-4">
          <LabelledInput
            label="Management key"
            hint="Signs you in for 12 hours. This page does not store the key. Or open the link printed when the gateway starts."
            type="password"
            required
            autoComplete="off"
            spellCheck={false}
            placeholder="sk-gw-v1-…"
            className="field font-mono"
            value={key}
            onChange={setKey}
          />
          {send.error !== null && <ErrorPanel error={send.error} title="Not signed in" />}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" look="primary" isBusy={send.isPending} className="flex-1">
              Sign in
            </Button>
            {isDemo && (
              <Button disabled={send.isPending} onClick={() => send.mutate(DEMO_MANAGEMENT_KEY)}>
                Use the demo key
              </Button>
            )}
          </div>
        </form>
      </div>
    </main>
  );
}
