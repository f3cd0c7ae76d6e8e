import type { MailSettings, MailTest } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { queryClient } from '../../api/query-client.ts';
import { may } from '../../api/session.ts';
import { describeResult } from '../../features/destinations/describe-result.ts';
import { withTyped } from '../../features/form/changes.ts';
import { InputField, numberOrNull, SelectField } from '../../features/form/fields.tsx';
import { useChangeForm } from '../../features/form/use-change-form.ts';
import { Button } from '../../parts/controls/button.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { showFailure, showToast } from '../../parts/messages/toast-store.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { mailMessages } from './mail-messages.ts';

const PATH = '/admin/v1/mail';

const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: async ({ signal }) => (await callApi<{ data: MailSettings }>(PATH, { signal })).data,
});

type Server = NonNullable<MailSettings['server']>;

interface MailValues {
  readonly host: string;
  readonly port: number | null;
  readonly security: Server['security'];
  readonly user: string;
  /** Empty for the saved one. */
  readonly password: string;
  readonly from: string;
}

const toValues = (server: Server | null): MailValues => ({
  host: server?.host ?? '',
  port: server?.port ?? 587,
  security: server?.security ?? 'starttls',
  user: server?.user ?? '',
  password: '',
  from: server?.from ?? '',
});

/** Without a user there is no password; an empty one leaves the saved one as it is. */
const toBody = ({ user, password, ...rest }: MailValues) => ({
  ...rest,
  user: user === '' ? null : user,
  ...(user === '' ? { password: null } : password !== '' && { password }),
});

const toChange = (draft: MailValues, before: MailValues): Record<string, unknown> =>
  JSON.stringify(draft) === JSON.stringify(before) ? {} : { ...draft };

/** The server that sends the mails of alarms, and a test of it. */
export function MailCard() {
  return may('getMail') ? <PermittedCard /> : null;
}

function PermittedCard() {
  const t = mailMessages();
  const query = useQuery(mailQuery);
  return (
    <section aria-label={t.title} className="card flex flex-col gap-4 p-4 text-sm">
      <h2 className="text-base font-semibold">{t.title}</h2>
      <Loaded what={t.what} query={query} data={query.data} isFlush>
        {(mail) =>
          mail.changeable ? (
            <MailForm mail={mail} />
          ) : (
            <>
              <p className="max-w-prose text-ink-soft">{mail.source === 'config' ? t.byConfig : t.notHere}</p>
              {mail.source !== null && <TestForm />}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function MailForm({ mail: { server, source } }: { readonly mail: MailSettings }) {
  const t = mailMessages();
  const { undo, save: saveLabel } = partMessages().actions;
  const { form, before, isChanged, show } = useChangeForm(toValues(server), toChange);
  const [isRemoving, setIsRemoving] = useState(false);
  const keep = (mail: MailSettings, sent?: MailValues): void => {
    queryClient.setQueryData(mailQuery.queryKey, mail);
    show(toValues(mail.server), sent);
  };
  const save = useMutation({
    // The gateway takes a server as a whole: what is not changed here is sent as it is stored now.
    mutationFn: async (values: MailValues) => {
      const { server: stored } = await queryClient.fetchQuery({ ...mailQuery, staleTime: 0 });
      const body = toBody(withTyped(toValues(stored), before, values));
      return (await callApi<{ data: MailSettings }>(PATH, { method: 'PUT', body })).data;
    },
    onSuccess(mail, sent) {
      keep(mail, sent);
      showToast({ tone: 'good', title: t.saved });
    },
  });
  const submit = form.handleSubmit((values) => save.mutate(values));
  const parts = { form, error: save.error };
  const isClear = form.watch('security') === 'none';
  return (
    <>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4" autoComplete="off">
        <p className="max-w-prose text-ink-soft">{source === null ? t.none : t.about}</p>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <InputField {...parts} name="host" label={t.host} placeholder="smtp.example.com" required maxLength={253} />
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <InputField
              {...parts}
              name="port"
              label={t.port}
              type="number"
              min={1}
              max={65_535}
              step={1}
              read={numberOrNull}
              required
            />
            <SelectField
              {...parts}
              name="security"
              label={t.security}
              hint={isClear ? t.clearHint : undefined}
              options={Object.entries(t.securities)}
            />
          </div>
          <InputField {...parts} name="user" label={t.user} hint={t.userHint} maxLength={320} />
          <InputField
            {...parts}
            name="password"
            label={t.password}
            hint={server?.has_password === true ? t.savedHint : t.passwordHint}
            type="password"
            autoComplete="new-password"
            placeholder={server?.has_password === true ? '••••••••' : undefined}
            maxLength={2000}
          />
          <InputField {...parts} name="from" label={t.from} hint={t.fromHint} required maxLength={400} />
        </div>
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => void submit()} />}
        <div className="flex flex-wrap justify-end gap-2">
          {server !== null && (
            <Button look="danger" onClick={() => setIsRemoving(true)}>
              {t.remove}
            </Button>
          )}
          <Button
            disabled={!isChanged}
            onClick={() => {
              form.reset(before);
              save.reset();
            }}
          >
            {undo}
          </Button>
          <Button type="submit" look="primary" disabled={!isChanged} isBusy={save.isPending}>
            {saveLabel}
          </Button>
        </div>
      </form>
      {source !== null && <TestForm hint={isChanged ? t.test.saveFirst : undefined} />}
      {isRemoving && (
        <ConfirmDialog
          title={t.removal.title}
          action={t.remove}
          onClose={() => setIsRemoving(false)}
          onConfirm={async () => {
            await callApi(PATH, { method: 'DELETE' });
            queryClient.setQueryData(mailQuery.queryKey, { source: null, changeable: true, server: null });
            form.reset(toValues(null));
            showToast({ tone: 'good', title: t.removal.done });
          }}
        >
          <p>{t.removal.text}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Sends one mail by what is saved; not while the form has what is not. */
function TestForm({ hint }: { readonly hint?: string | undefined }) {
  const t = mailMessages().test;
  const [to, setTo] = useState('');
  const hintId = useId();
  const test = useMutation({
    mutationFn: async () => (await callApi<MailTest>(`${PATH}/test`, { method: 'POST', body: { to } })).data,
    onSuccess: ({ success, result }) =>
      showToast(
        success
          ? { tone: 'good', title: t.sent(to) }
          : { tone: 'bad', title: t.notSent, detail: describeResult(result) },
      ),
    onError: (failure) => showFailure(t.notSent, failure),
  });
  return (
    <form
      className="flex flex-wrap items-end gap-x-3 gap-y-2 border-t border-line pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        test.mutate();
      }}
    >
      <LabelledInput
        label={t.to}
        type="email"
        required
        value={to}
        placeholder="ops@example.com"
        fieldClass="min-w-0 flex-1 basis-60"
        onChange={setTo}
      />
      <Button
        type="submit"
        disabled={hint !== undefined || to === ''}
        aria-describedby={hint === undefined ? undefined : hintId}
        isBusy={test.isPending}
      >
        {t.send}
      </Button>
      {hint !== undefined && (
        <p id={hintId} className="w-full text-right text-xs text-ink-faint">
          {hint}
        </p>
      )}
    </form>
  );
}
