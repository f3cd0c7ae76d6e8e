import type { AnyKey, Member } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';

import { allKeysQuery, guardrailsQuery, memberAssignmentsQuery, membersQuery } from '../../api/queries.ts';
import { KeyKind, KeyState } from '../../features/keys/key-parts.tsx';
import { toMemberName } from '../../features/members/member-link.tsx';
import { BackLink, ResourceCard, ResourcePage, ResourceState } from '../../features/resource-page/resource-page.tsx';
import { formatUsd } from '../../format/money.ts';
import { Badge } from '../../parts/badge.tsx';
import { Facts } from '../../parts/facts.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { MemberGuardrail } from './member-guardrail.tsx';
import { membersMessages } from './messages.ts';

/** One member: their keys, the guardrail that holds for them, what they spend, and their calls. */
export function MemberPage() {
  const t = membersMessages();
  const back = <BackLink to="/members" label={t.title} />;
  const { id } = useParams({ from: '/members/$id' });
  const query = useQuery(membersQuery);
  const keys = useQuery(allKeysQuery);
  const member = query.data?.find((candidate) => candidate.id === id);
  const own = keys.data?.filter(({ creator_user_id: owner }) => owner === id);
  const isMissing = query.data !== undefined && member === undefined && own?.length === 0;
  if (query.data === undefined || isMissing) {
    return (
      <ResourceState
        back={back}
        what="member"
        name={id}
        query={query}
        isMissing={isMissing}
        why={t.page.missing}
        filter={{ member: id }}
        callsLabel={t.page.requests}
      />
    );
  }
  return (
    <ResourcePage
      back={back}
      title={member === undefined ? id : toMemberName(member)}
      note={<code className="font-mono text-xs break-all">{id}</code>}
      badges={
        <Badge>{member === undefined ? t.notListed : t.roles[member.role === 'org:admin' ? 'admin' : 'member']}</Badge>
      }
      filter={{ member: id }}
      without="member"
      defaultSplit="key"
    >
      <Rules id={id} member={member} keys={own} />
      <ResourceCard title={t.page.keys}>
        {own === undefined && keys.error !== null ? (
          <NotLoaded what={t.page.keys} failure={t.page.keysNotLoaded} query={keys} isFlush />
        ) : (
          <Keys keys={own} />
        )}
      </ResourceCard>
    </ResourcePage>
  );
}

/** A dash where the keys are not known. */
const sum = (keys: readonly AnyKey[] | undefined, name: 'usage' | 'usage_daily' | 'usage_monthly'): string =>
  keys === undefined ? '—' : formatUsd(keys.reduce((total, key) => total + key[name], 0));

interface RulesProps {
  readonly id: string;
  readonly member: Member | undefined;
  readonly keys: readonly AnyKey[] | undefined;
}

function Rules({ id, member, keys }: RulesProps) {
  const t = membersMessages();
  const { data: assignments } = useQuery(memberAssignmentsQuery);
  const { data: guardrails } = useQuery(guardrailsQuery);
  const assigned = assignments?.find(({ user_id: user }) => user === id)?.guardrail_id;
  const guardrail = guardrails?.find((candidate) => candidate.id === assigned);
  return (
    <ResourceCard title={t.page.policies}>
      <Facts
        facts={[
          ...(member === undefined || member.email === '' ? [] : [[t.columns.email, member.email] as const]),
          [t.page.spentToday, sum(keys, 'usage_daily')],
          [t.page.spentMonth, sum(keys, 'usage_monthly')],
          [t.page.total, sum(keys, 'usage')],
          [
            t.page.guardrail,
            guardrail === undefined ? (
              t.page.none
            ) : (
              <Link to="/guardrails" search={{ open: guardrail.id }} className="text-accent hover:underline">
                {guardrail.name}
              </Link>
            ),
          ],
        ]}
      />
      {guardrails !== undefined && assignments !== undefined && (
        <MemberGuardrail
          id={id}
          name={member === undefined ? id : toMemberName(member)}
          guardrails={guardrails}
          assigned={assigned}
        />
      )}
      <p className="mt-3 text-xs text-ink-faint">{t.page.note}</p>
    </ResourceCard>
  );
}

function Keys({ keys }: { readonly keys: readonly AnyKey[] | undefined }) {
  if (keys === undefined) return <p className="text-sm text-ink-faint">…</p>;
  if (keys.length === 0) return <p className="text-sm text-ink-faint">{membersMessages().page.noKeys}</p>;
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
          <KeyState state={key} />
          <KeyKind management={key.management} />
          <span className="w-24 text-right">{formatUsd(key.usage)}</span>
        </li>
      ))}
    </ul>
  );
}
