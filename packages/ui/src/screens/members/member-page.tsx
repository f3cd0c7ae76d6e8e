import type { AnyKey, Member } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';

import { allKeysQuery, membersQuery } from '../../api/queries.ts';
import { may } from '../../api/session.ts';
import { ForecastCard } from '../../features/forecast/forecast-card.tsx';
import { KeyKind, KeyTrouble } from '../../features/keys/key-parts.tsx';
import { roleOf, toMemberName } from '../../features/members/member-link.tsx';
import { memberPartMessages } from '../../features/members/messages.ts';
import { raiseMessages } from '../../features/raises/messages.ts';
import { ListedRaiseDialog, ListedRaiseNote, type Raised } from '../../features/raises/raise.tsx';
import {
  BackLink,
  ResourceCard,
  ResourceColumn,
  ResourcePage,
  ResourceState,
} from '../../features/resource-page/resource-page.tsx';
import { formatUsd, toUsdColumn } from '../../format/money.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { type Loadable, NotLoaded } from '../../parts/messages/loaded.tsx';
import { useLastingFailure } from '../../parts/messages/use-lasting-failure.ts';
import { MemberAccess } from './member-access.tsx';
import { MemberForm, RemoveMember } from './member-form.tsx';
import { MemberGuardrail } from './member-guardrail.tsx';
import { membersMessages } from './messages.ts';

/** One member: their keys, guardrail and spending, and their requests. */
export function MemberPage() {
  const t = membersMessages();
  const { id } = useParams({ from: '/members/$id' });
  const navigate = useNavigate();
  const [open, setOpen] = useState<'edit' | 'remove' | 'raise' | null>(null);
  const query = useQuery(membersQuery);
  const keys = useQuery(allKeysQuery);
  const member = query.data?.find((candidate) => candidate.id === id);
  const own = keys.data?.filter(({ creator_user_id: owner }) => owner === id);
  const isMissing = query.data !== undefined && member === undefined && own?.length === 0;
  const back = <BackLink to={BACK_TO} label={t.title} />;
  if (query.data === undefined || isMissing) {
    return (
      <ResourceState
        back={back}
        what={t.one}
        name={id}
        query={query}
        isMissing={isMissing}
        why={t.page.missing}
        filter={{ member: id }}
        without="member"
        callsLabel={t.page.theirRequests}
      />
    );
  }
  return (
    <ResourcePage
      back={back}
      title={member === undefined ? id : toMemberName(member)}
      note={<code className="font-mono text-xs break-all">{id}</code>}
      badges={
        <>
          <Badge>{member === undefined ? t.page.notListed : memberPartMessages().roles[roleOf(member)]}</Badge>
          {member?.active === false && <Badge tone="caution">{t.deactivated}</Badge>}
        </>
      }
      actions={
        member !== undefined && (
          <>
            {may('updateMember') && <Button onClick={() => setOpen('edit')}>{t.edit}</Button>}
            {may('putBudgetRaise') && <Button onClick={() => setOpen('raise')}>{raiseMessages().action.member}</Button>}
            {may('deleteMember') && (
              <Button look="danger" onClick={() => setOpen('remove')}>
                {t.remove}
              </Button>
            )}
          </>
        )
      }
      filter={{ member: id }}
      without="member"
      defaultSplit="key"
    >
      <Spending member={member} keys={own} />
      <ForecastCard of={`member:${id}`} />
      {member === undefined ? (
        <KeysCard keys={own} query={keys} />
      ) : (
        <>
          <MemberAccess member={member} members={query.data} />
          <ResourceColumn>
            <MemberGuardrail id={id} name={toMemberName(member)} />
            <KeysCard keys={own} query={keys} />
          </ResourceColumn>
        </>
      )}
      {member !== undefined && open === 'raise' && (
        <ListedRaiseDialog of={toRaised(member)} onClose={() => setOpen(null)} />
      )}
      {member !== undefined && open === 'edit' && <MemberForm existing={member} onClose={() => setOpen(null)} />}
      {member !== undefined && open === 'remove' && (
        <RemoveMember member={member} onClose={() => setOpen(null)} onGone={() => void navigate({ to: BACK_TO })} />
      )}
    </ResourcePage>
  );
}

const toRaised = (member: Member): Raised => ({ kind: 'member', id: member.id, name: toMemberName(member) });

/** Where the list is. */
const BACK_TO = '/members';

/** A dash where the keys are not known. */
const sum = (keys: readonly AnyKey[] | undefined, name: 'usage' | 'usage_daily' | 'usage_monthly'): string =>
  keys === undefined ? '—' : formatUsd(keys.reduce((total, key) => total + key[name], 0));

interface SpendingProps {
  readonly member: Member | undefined;
  readonly keys: readonly AnyKey[] | undefined;
}

function Spending({ member, keys }: SpendingProps) {
  const t = membersMessages().page;
  return (
    <ResourceCard title={t.spending}>
      <Facts
        facts={[
          ...(member === undefined || member.email === '' ? [] : [[t.email, member.email] as const]),
          [t.today, sum(keys, 'usage_daily')],
          [t.month, sum(keys, 'usage_monthly')],
          [t.total, sum(keys, 'usage')],
        ]}
      />
      {member !== undefined && <ListedRaiseNote of={toRaised(member)} />}
      <p className="mt-3 text-xs text-ink-faint">{t.spendNote}</p>
    </ResourceCard>
  );
}

interface KeysCardProps {
  readonly keys: readonly AnyKey[] | undefined;
  /** Why they are not there. */
  readonly query: Loadable;
}

function KeysCard({ keys, query }: KeysCardProps) {
  const t = membersMessages().page;
  const failure = useLastingFailure(query);
  return (
    <ResourceCard title={t.keys}>
      {keys === undefined && failure !== null ? (
        <NotLoaded what={t.keys} failure={t.keysNotLoaded} query={query} isFlush />
      ) : (
        <Keys keys={keys} />
      )}
    </ResourceCard>
  );
}

function Keys({ keys }: { readonly keys: readonly AnyKey[] | undefined }) {
  if (keys === undefined) return <p className="text-sm text-ink-faint">…</p>;
  if (keys.length === 0) return <p className="text-sm text-ink-faint">{membersMessages().page.noKeys}</p>;
  const writeUsd = toUsdColumn(keys.map(({ usage }) => usage));
  return (
    <ul className="text-sm">
      {keys.map((key) => (
        <li
          key={key.hash}
          className="figures flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line/60 last:border-0"
        >
          <Link
            to="/keys/$hash"
            params={{ hash: key.hash }}
            className="min-w-0 flex-1 basis-32 truncate leading-6 font-medium text-accent hover:underline"
          >
            {key.name}
          </Link>
          <KeyTrouble state={key} />
          {key.management && <KeyKind management />}
          <span className="w-24 text-right">{writeUsd(key.usage)}</span>
        </li>
      ))}
    </ul>
  );
}
