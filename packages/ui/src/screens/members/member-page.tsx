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

const BACK = <BackLink to="/keys" label="Keys" />;

/** One member: their keys, the guardrail that holds for them, what they spend, and their calls. */
export function MemberPage() {
  const { id } = useParams({ from: '/members/$id' });
  const query = useQuery(membersQuery);
  const keys = useQuery(allKeysQuery);
  const member = query.data?.find((candidate) => candidate.id === id);
  const own = keys.data?.filter(({ creator_user_id: owner }) => owner === id);
  const isMissing = query.data !== undefined && member === undefined && own?.length === 0;
  if (query.data === undefined || isMissing) {
    return (
      <ResourceState
        back={BACK}
        what="member"
        name={id}
        query={query}
        isMissing={isMissing}
        why="The member may have been removed. Their calls are still stored."
        filter={{ member: id }}
        callsLabel="Their calls"
      />
    );
  }
  return (
    <ResourcePage
      back={BACK}
      title={member === undefined ? id : toMemberName(member)}
      note={<code className="font-mono text-xs break-all">{id}</code>}
      badges={<Badge>{member === undefined ? 'not in the directory' : ROLES[member.role]}</Badge>}
      filter={{ member: id }}
      without="member"
      defaultSplit="key"
    >
      <Rules id={id} member={member} keys={own} />
      <ResourceCard title="Keys">
        {own === undefined && keys.error !== null ? (
          <NotLoaded what="keys" failure="The keys could not be loaded" query={keys} isFlush />
        ) : (
          <Keys keys={own} />
        )}
      </ResourceCard>
    </ResourcePage>
  );
}

const ROLES: Readonly<Record<Member['role'], string>> = { 'org:admin': 'administrator', 'org:member': 'member' };

/** A dash where the keys are not known. */
const sum = (keys: readonly AnyKey[] | undefined, name: 'usage' | 'usage_daily' | 'usage_monthly'): string =>
  keys === undefined ? '—' : formatUsd(keys.reduce((total, key) => total + key[name], 0));

interface RulesProps {
  readonly id: string;
  readonly member: Member | undefined;
  readonly keys: readonly AnyKey[] | undefined;
}

function Rules({ id, member, keys }: RulesProps) {
  const { data: assignments } = useQuery(memberAssignmentsQuery);
  const { data: guardrails } = useQuery(guardrailsQuery);
  const assigned = assignments?.find(({ user_id: user }) => user === id)?.guardrail_id;
  const guardrail = guardrails?.find((candidate) => candidate.id === assigned);
  return (
    <ResourceCard title="Spending and rules">
      <Facts
        facts={[
          ...(member === undefined || member.email === '' ? [] : [['E-mail', member.email] as const]),
          ['Spent today (UTC)', sum(keys, 'usage_daily')],
          ['This month (UTC)', sum(keys, 'usage_monthly')],
          ['Total', sum(keys, 'usage')],
          [
            'Guardrail',
            guardrail === undefined ? (
              'none'
            ) : (
              <Link to="/guardrails" search={{ open: guardrail.id }} className="text-accent hover:underline">
                {guardrail.name}
              </Link>
            ),
          ],
        ]}
      />
      <p className="mt-3 text-xs text-ink-faint">Spend of their current keys (UTC).</p>
    </ResourceCard>
  );
}

function Keys({ keys }: { readonly keys: readonly AnyKey[] | undefined }) {
  if (keys === undefined) return <p className="text-sm text-ink-faint">…</p>;
  if (keys.length === 0) return <p className="text-sm text-ink-faint">No keys.</p>;
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
