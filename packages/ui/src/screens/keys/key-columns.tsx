import type { AnyKey } from '@model-gateway/core/wire';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';

import { may } from '../../api/session.ts';
import { KeyKind, KeyTrouble, LimitBar, limitOf, spentOfLimit, toKeyEnd } from '../../features/keys/key-parts.tsx';
import { keyPartMessages } from '../../features/keys/messages.ts';
import { RowMenu } from '../../features/list-screen/list-screen.tsx';
import type { SortValues } from '../../features/list-screen/sort-rows.ts';
import { formatUsd, toUsdColumn } from '../../format/money.ts';
import type { Column } from '../../parts/table/table-row.tsx';
import { toLeaving } from '../../parts/table/to-fitting.ts';
import { Moment } from '../../parts/text/moment.tsx';
import type { useKeyGuardrails } from './key-guardrails.ts';
import { keysMessages } from './messages.ts';

/** What is open over the list. */
export type OpenKeyDialog =
  | { readonly type: 'create' }
  | { readonly type: 'edit' | 'delete'; readonly key: AnyKey }
  | { readonly type: 'shown'; readonly secret: string };

interface KeyColumnParts {
  readonly keys: readonly AnyKey[];
  readonly guardrailsOf: ReturnType<typeof useKeyGuardrails>;
  readonly onOpen: (open: OpenKeyDialog) => void;
  readonly onToggle: (key: AnyKey) => void;
}

/** Left out where there is no room for them, the first of these first; the page of the key has them. */
const LEAVING: readonly string[] = ['expires', 'week', 'total', 'guardrail', 'today', 'limit'];

/** What the heads of the columns sort by. */
export const SORT_VALUES: SortValues<AnyKey> = {
  name: ({ name }) => name,
  today: (key) => key.usage_daily,
  week: (key) => key.usage_weekly,
  month: (key) => key.usage_monthly,
  total: ({ usage }) => usage,
  limit: (key) => (key.limit === null ? null : spentOfLimit(key) / (limitOf(key) || 1)),
  expires: ({ expires_at: end }) => (end === null ? null : Date.parse(end)),
};

export function toKeyColumns(parts: KeyColumnParts): readonly Column<AnyKey>[] {
  const t = keysMessages();
  const toCell = (usd: (key: AnyKey) => number): ((key: AnyKey) => ReactNode) => {
    const write = toUsdColumn(parts.keys.map(usd));
    return (key) => (key.management ? <Spendless /> : write(usd(key)));
  };
  const toSpending = (id: 'today' | 'week' | 'month' | 'total', usd: (key: AnyKey) => number): Column<AnyKey> => ({
    id,
    header: t.columns[id],
    width: 'minmax(96px,0.5fr)',
    isNumeric: true,
    sort: id,
    narrow: { width: '92px', cell: (key) => (key.management ? <Spendless /> : formatUsd(usd(key))) },
    cell: toCell(usd),
  });
  return toLeaving(
    [
      {
        id: 'name',
        header: t.columns.name,
        width: 'minmax(250px,2.5fr)',
        narrow: { width: 'minmax(130px,3fr)' },
        sort: 'name',
        cell: (key) => <KeyName value={key} />,
      },
      toSpending('today', (key) => key.usage_daily),
      toSpending('week', (key) => key.usage_weekly),
      toSpending('month', (key) => key.usage_monthly),
      toSpending('total', ({ usage }) => usage),
      {
        id: 'limit',
        header: t.columns.limit,
        width: 'minmax(230px,1fr)',
        sort: 'limit',
        cell: (key) =>
          key.limit === null ? (
            <Faint>{t.none}</Faint>
          ) : (
            <LimitBar limit={limitOf(key) ?? 0} spent={spentOfLimit(key)} reset={key.limit_reset} />
          ),
      },
      {
        id: 'guardrail',
        header: t.columns.guardrail,
        width: 'minmax(110px,1.5fr)',
        cell: (key) => <Guardrails value={key} guardrailsOf={parts.guardrailsOf} />,
      },
      {
        id: 'expires',
        header: t.columns.expires,
        width: 'minmax(110px,0.6fr)',
        sort: 'expires',
        cell: ({ expires_at: at }) => (at === null ? <Faint>{t.never}</Faint> : <Moment at={at} />),
      },
      toActionsColumn(parts),
    ],
    LEAVING,
  );
}

/** In place of what a key has spent that calls no models. */
const Spendless = () => (
  <span className="text-ink-faint" title={keysMessages().spendless}>
    —
  </span>
);

const Faint = ({ children }: { children: string }) => <span className="text-ink-faint">{children}</span>;

/** The end of its text stays in sight, however narrow the column is. */
function KeyName({ value }: { value: AnyKey }) {
  const fromConfig = keyPartMessages().configMeaning;
  return (
    <span className="flex items-center gap-2">
      <span className="truncate font-medium" title={value.name}>
        {value.name}
      </span>
      {value.source === 'stored' && (
        <code className="shrink-0 font-mono text-xs text-ink-faint" title={value.label}>
          {toKeyEnd(value)}
        </code>
      )}
      <KeyTrouble state={value} />
      {value.management && <KeyKind management />}
      {value.source === 'config' && (
        <span title={fromConfig} className="shrink-0 text-ink-faint">
          <Lock size={13} aria-label={fromConfig} />
        </span>
      )}
    </span>
  );
}

function Guardrails({ value, guardrailsOf }: { value: AnyKey } & Pick<KeyColumnParts, 'guardrailsOf'>) {
  const t = keysMessages();
  const own = guardrailsOf(value).map(({ scope, name }) => (scope === 'workspace' ? t.workspaceDefault : name));
  const scopes = guardrailsOf(value).map(({ scope, name }) => `${name}: ${t.page.scopes[scope]}`);
  return own.length === 0 ? <Faint>{t.noGuardrail}</Faint> : <span title={scopes.join('\n')}>{own.join(', ')}</span>;
}

const toActionsColumn = ({ onOpen, onToggle }: KeyColumnParts): Column<AnyKey> => {
  const t = keysMessages();
  return {
    id: 'actions',
    header: <span className="sr-only">{t.columns.actions}</span>,
    width: '44px',
    narrow: { width: '32px' },
    // What the configuration sets can only be changed there.
    cell: (key) =>
      key.source === 'stored' &&
      may('updateKey') && (
        <RowMenu
          label={t.actionsFor(key.name)}
          items={[
            { label: t.change, onSelect: () => onOpen({ type: 'edit', key }) },
            // Billing changes limits alone.
            ...(may('deleteKey')
              ? [
                  { label: key.disabled ? t.enable : t.disable, onSelect: () => onToggle(key) },
                  { label: t.delete, isDangerous: true, onSelect: () => onOpen({ type: 'delete', key }) },
                ]
              : []),
          ]}
        />
      ),
  };
};
