import type { KeyDetail } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { keyDetailQuery, membersQuery, modelsQuery } from '../../api/queries.ts';
import { may } from '../../api/session.ts';
import { ForecastCard } from '../../features/forecast/forecast-card.tsx';
import {
  ConfigBadge,
  KeyKind,
  KeyTrouble,
  LimitBar,
  limitOf,
  spentOfLimit,
  toKeyEnd,
} from '../../features/keys/key-parts.tsx';
import { MemberLink } from '../../features/members/member-link.tsx';
import { ModelNames } from '../../features/models/model-names.tsx';
import { raiseMessages } from '../../features/raises/messages.ts';
import { RaiseDialog, type Raised, RaiseNote } from '../../features/raises/raise.tsx';
import {
  BackLink,
  ResourceCard,
  ResourceColumn,
  ResourcePage,
  ResourceState,
} from '../../features/resource-page/resource-page.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { KeyDialog, useToggleKey } from './key-changes.tsx';
import { keysMessages } from './messages.ts';

/** One key: its limits, spending and policies, and its requests. */
export function KeyPage() {
  const t = keysMessages();
  const { hash } = useParams({ from: '/keys/$hash' });
  const navigate = useNavigate();
  const query = useQuery(keyDetailQuery(hash));
  const { data, error } = query;
  const [open, setOpen] = useState<'edit' | 'delete' | 'raise' | null>(null);
  const toggle = useToggleKey();
  const back = <BackLink to="/keys" label={t.title} />;
  if (data === undefined) {
    return (
      <ResourceState
        back={back}
        what={t.one}
        name={`${hash.slice(0, 8)}…`}
        query={query}
        isMissing={error instanceof ApiError && error.status === 404}
        why={t.page.missing}
        filter={{ key: hash }}
      />
    );
  }
  const isStored = data.source === 'stored';
  return (
    <ResourcePage
      back={back}
      title={data.name}
      note={
        <p className="flex flex-wrap items-center gap-x-1 font-mono text-xs">
          {isStored && <span title={data.label}>{toKeyEnd(data)} ·</span>}
          <span title={hash}>{hash.slice(0, 16)}…</span>
          <CopyButton isIcon look="quiet" text={hash} label={t.page.copyHash} />
        </p>
      }
      badges={
        <>
          <KeyTrouble state={data} /> {data.management && <KeyKind management />} {!isStored && <ConfigBadge />}
        </>
      }
      actions={
        isStored &&
        may('updateKey') && (
          <>
            <Button onClick={() => setOpen('edit')}>{t.change}</Button>
            {!data.management && may('putBudgetRaise') && (
              <Button onClick={() => setOpen('raise')}>{raiseMessages().action.key}</Button>
            )}
            {may('deleteKey') && (
              <>
                <Button onClick={() => toggle(data)}>{data.disabled ? t.enable : t.disable}</Button>
                <Button look="danger" onClick={() => setOpen('delete')}>
                  {t.delete}
                </Button>
              </>
            )}
          </>
        )
      }
      filter={{ key: hash }}
      without="key"
    >
      <ResourceColumn>
        <Spending data={data} />
        <ForecastCard of={`key:${hash}`} />
      </ResourceColumn>
      <Rules data={data} />
      {open === 'raise' && <RaiseDialog of={toRaised(data)} raise={data.limit_raise} onClose={() => setOpen(null)} />}
      {open !== null && open !== 'raise' && (
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

const toRaised = ({ hash, name }: KeyDetail): Raised => ({ kind: 'key', id: hash, name });

function Spending({ data }: { data: KeyDetail }) {
  const t = keysMessages();
  const { limit_reset: reset } = data;
  const limit = limitOf(data);
  const byok = data.byok_usage > 0 ? [[t.page.direct, formatUsd(data.byok_usage)] as const] : [];
  return (
    <ResourceCard title={t.page.spending}>
      <Facts
        facts={[
          [t.page.limit, limit === null ? t.none : <LimitBar limit={limit} spent={spentOfLimit(data)} reset={reset} />],
          [t.page.today, formatUsd(data.usage_daily)],
          [t.page.week, formatUsd(data.usage_weekly)],
          [t.page.month, formatUsd(data.usage_monthly)],
          [t.page.total, formatUsd(data.usage)],
          ...byok,
        ]}
      />
      <RaiseNote of={toRaised(data)} raise={data.limit_raise} limit={data.limit} />
      <p className="mt-3 text-xs text-ink-faint">
        {t.utc}
        {data.source === 'config' && ` ${t.page.fromConfig}`}
      </p>
    </ResourceCard>
  );
}

function Rules({ data }: { data: KeyDetail }) {
  const t = keysMessages();
  const { data: models } = useQuery(modelsQuery);
  const { data: members } = useQuery(membersQuery);
  const { allowed_models: allowed, creator_user_id: memberId, guardrails, management } = data;
  return (
    <ResourceCard title={t.page.policies}>
      <Facts
        facts={[
          [
            t.page.guardrails,
            guardrails.length === 0 ? (
              t.noGuardrail
            ) : (
              <ul>
                {guardrails.map(({ scope, id, name }) => (
                  <li key={`${scope} ${id}`}>
                    <Link to="/guardrails" search={{ open: id }} className="text-accent underline">
                      {name}
                    </Link>{' '}
                    <span className="text-ink-faint">{t.page.scopes[scope]}</span>
                  </li>
                ))}
              </ul>
            ),
          ],
          [t.page.models, management ? t.page.managementModels : <Allowed allowed={allowed} all={models?.length} />],
          [t.page.member, memberId === null ? t.none : <MemberLink id={memberId} members={members} />],
          ...(data.external_user === null ? [] : [[t.page.createdFor, data.external_user] as const]),
          [t.page.expires, data.expires_at === null ? t.never : <Moment at={data.expires_at} />],
          ...(data.created_at === null ? [] : [[t.page.created, <Moment at={data.created_at} />] as const]),
        ]}
      />
    </ResourceCard>
  );
}

function Allowed({ allowed, all }: { allowed: readonly string[]; all: number | undefined }) {
  const t = keysMessages().page;
  if (allowed.length === 0) return <span className="text-bad">{t.noModels}</span>;
  if (allowed.length === all) return t.allModels(formatCount(all));
  return (
    <details>
      <summary className="cursor-pointer">
        {all === undefined ? formatCount(allowed.length) : t.modelsOf(formatCount(allowed.length), formatCount(all))}
      </summary>
      <ModelNames ids={allowed} />
    </details>
  );
}
