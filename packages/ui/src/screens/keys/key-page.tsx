import type { KeyDetail } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { keyDetailQuery, membersQuery, modelsQuery } from '../../api/queries.ts';
import { ConfigBadge, KeyKind, KeyState, LimitBar } from '../../features/keys/key-parts.tsx';
import { MemberLink } from '../../features/members/member-link.tsx';
import { ModelNames } from '../../features/models/model-names.tsx';
import { BackLink, ResourceCard, ResourcePage, ResourceState } from '../../features/resource-page/resource-page.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { KeyDialog, useToggleKey } from './key-changes.tsx';

const BACK = <BackLink to="/keys" label="Keys" />;

/** One key: its limits, what it has spent, what holds for it, and its calls. */
export function KeyPage() {
  const { hash } = useParams({ from: '/keys/$hash' });
  const navigate = useNavigate();
  const query = useQuery(keyDetailQuery(hash));
  const { data, error } = query;
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const toggle = useToggleKey();
  if (data === undefined) {
    return (
      <ResourceState
        back={BACK}
        what="key"
        name={`${hash.slice(0, 8)}…`}
        query={query}
        isMissing={error instanceof ApiError && error.status === 404}
        why="It may have been deleted. Its calls are still stored."
        filter={{ key: hash }}
      />
    );
  }
  const isStored = data.source === 'stored';
  return (
    <ResourcePage
      back={BACK}
      title={data.name}
      note={
        <p className="flex flex-wrap items-center gap-x-1 font-mono text-xs">
          {isStored && <span>{data.label} ·</span>}
          <span title={hash}>{hash.slice(0, 16)}…</span>
          <CopyButton isIcon look="quiet" text={hash} label="Copy the hash" />
        </p>
      }
      badges={
        <>
          <KeyState state={data} /> <KeyKind management={data.management} /> {!isStored && <ConfigBadge />}
        </>
      }
      actions={
        isStored && (
          <>
            <Button onClick={() => setOpen('edit')}>Change…</Button>
            <Button onClick={() => toggle(data)}>{data.disabled ? 'Enable' : 'Disable'}</Button>
            <Button look="danger" onClick={() => setOpen('delete')}>
              Delete…
            </Button>
          </>
        )
      }
      filter={{ key: hash }}
      without="key"
    >
      <Spending data={data} />
      <Rules data={data} />
      {open !== null && (
        <KeyDialog
          type={open}
          value={data}
          onClose={() => setOpen(null)}
          onGone={() => void navigate({ to: '/keys' })}
        />
      )}
    </ResourcePage>
  );
}

function Spending({ data }: { data: KeyDetail }) {
  const { limit, limit_remaining: left, limit_reset: reset } = data;
  const byok = data.byok_usage > 0 ? [['Paid to providers directly', formatUsd(data.byok_usage)] as const] : [];
  return (
    <ResourceCard title="Limits and spending">
      <Facts
        facts={[
          [
            'Limit',
            limit === null ? (
              'none'
            ) : (
              <span className="flex flex-wrap items-center gap-x-2">
                <LimitBar limit={limit} left={left} reset={reset} />
                <span className="text-ink-faint">{reset === null ? 'total' : reset}</span>
              </span>
            ),
          ],
          ['Spent today (UTC)', formatUsd(data.usage_daily)],
          ['This week (UTC)', formatUsd(data.usage_weekly)],
          ['This month (UTC)', formatUsd(data.usage_monthly)],
          ['Total', formatUsd(data.usage)],
          ...byok,
          ['Expires', data.expires_at === null ? 'never' : <Moment at={data.expires_at} />],
          ...(data.created_at === null ? [] : [['Made', <Moment at={data.created_at} />] as const]),
        ]}
      />
      <p className="mt-3 text-xs text-ink-faint">
        All periods are in UTC.
        {data.source === 'config' && ' Keys from the configuration have no limit and do not expire.'}
      </p>
    </ResourceCard>
  );
}

const SCOPES: Readonly<Record<KeyDetail['guardrails'][number]['scope'], string>> = {
  'api-key': 'of this key',
  member: 'of its member',
  workspace: 'of all keys of the workspace',
};

function Rules({ data }: { data: KeyDetail }) {
  const { data: models } = useQuery(modelsQuery);
  const { data: members } = useQuery(membersQuery);
  const { allowed_models: allowed, creator_user_id: memberId, guardrails, management } = data;
  return (
    <ResourceCard title="Policies">
      <Facts
        facts={[
          [
            'Guardrails',
            guardrails.length === 0 ? (
              'none'
            ) : (
              <ul>
                {guardrails.map(({ scope, id, name }) => (
                  <li key={`${scope} ${id}`}>
                    <Link to="/guardrails" search={{ open: id }} className="text-accent underline">
                      {name}
                    </Link>{' '}
                    <span className="text-ink-faint">{SCOPES[scope]}</span>
                  </li>
                ))}
              </ul>
            ),
          ],
          [
            'Models',
            management ? (
              'none: management keys cannot call models'
            ) : (
              <Allowed allowed={allowed} all={models?.length} />
            ),
          ],
          ['Member', memberId === null ? 'none' : <MemberLink id={memberId} members={members} />],
          ...(data.external_user === null ? [] : [['Created for', data.external_user] as const]),
        ]}
      />
    </ResourceCard>
  );
}

function Allowed({ allowed, all }: { allowed: readonly string[]; all: number | undefined }) {
  if (allowed.length === 0) return <span className="text-bad">none: every call is refused</span>;
  if (allowed.length === all) return <>all {formatCount(all)}</>;
  return (
    <details>
      <summary className="cursor-pointer">
        {formatCount(allowed.length)} {all === undefined ? '' : `of ${formatCount(all)}`}
      </summary>
      <ModelNames ids={allowed} />
    </details>
  );
}
