import type { CatalogComparison } from '@model-gateway/core/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';

import { providersQuery } from '../../../api/queries.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { Dialog } from '../../../parts/dialogs/dialog.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import { showFailure, showUndo } from '../../../parts/messages/toast-store.ts';
import { partMessages } from '../../../parts/part-messages.ts';
import { toggled } from '../../../parts/toggled.ts';
import {
  applyChanges,
  type CatalogChange,
  catalogComparisonQuery,
  catalogStateQuery,
  formatFact,
  keyOf,
  takeBack,
} from './catalog-queries.ts';
import { updateMessages } from './messages.ts';

interface UpdateDialogProps {
  /** Whether the lists are read now; else what the schedule has found is shown. */
  readonly isFresh: boolean;
  readonly onClose: () => void;
}

/** What lists of models state otherwise, to choose from and to apply. */
export function UpdateDialog({ isFresh, onClose }: UpdateDialogProps) {
  const t = updateMessages();
  const [provider, setProvider] = useState('');
  const { data: providers = [] } = useQuery(providersQuery);
  const fresh = useQuery({ ...catalogComparisonQuery(provider || undefined), enabled: isFresh });
  const stored = useQuery({ ...catalogStateQuery, enabled: !isFresh });
  const query = isFresh ? fresh : stored;
  const comparison = isFresh ? fresh.data : (stored.data?.latest ?? undefined);
  const [left, setLeft] = useState<readonly string[]>([]);
  const open = comparison?.changes.filter(({ blocked }) => blocked === null) ?? [];
  const chosen = open.filter((change) => !left.includes(keyOf(change)));
  const { apply, isBusy } = useApply(onClose);
  return (
    <Dialog
      title={t.title}
      width="full"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{partMessages().actions.cancel}</Button>
          <Button look="primary" disabled={chosen.length === 0} isBusy={isBusy} onClick={() => void apply(chosen)}>
            {t.apply(chosen.length)}
          </Button>
        </>
      }
    >
      {isFresh && providers.length > 1 && (
        <div className="mb-3 max-w-xs">
          <LabelledSelect
            label={t.provider}
            value={provider}
            options={[['', t.allProviders], ...providers.map(({ slug, name }) => [slug, name] as const)]}
            onChange={setProvider}
          />
        </div>
      )}
      <Loaded what={t.what} failure={t.failure} query={query} data={comparison} isFlush>
        {(found) => (
          <>
            {found.changes.length === 0 ? (
              <EmptyState icon={<CircleCheck size={22} />} title={t.none}>
                <p>{t.noneNote}</p>
              </EmptyState>
            ) : (
              <>
                <p className="mb-3 text-sm text-ink-soft">{t.intro}</p>
                <ChangeTable changes={found.changes} left={left} onChange={setLeft} />
              </>
            )}
            <Remarks comparison={found} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function useApply(onApplied: () => void) {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const apply = async (chosen: readonly CatalogChange[]): Promise<void> => {
    const t = updateMessages();
    setIsBusy(true);
    try {
      const applied = await applyChanges(chosen);
      onApplied();
      await client.invalidateQueries();
      const undo = async (): Promise<void> => {
        await takeBack(applied);
        await client.invalidateQueries();
      };
      showUndo({ title: t.applied(applied.applied), undo, undone: t.takenBack });
    } catch (error) {
      showFailure(t.notApplied, error);
    } finally {
      setIsBusy(false);
    }
  };
  return { apply, isBusy };
}

interface ChangeTableProps {
  readonly changes: readonly CatalogChange[];
  /** Keys of those that are not to be applied. */
  readonly left: readonly string[];
  readonly onChange: (left: readonly string[]) => void;
}

function ChangeTable({ changes, left, onChange }: ChangeTableProps) {
  const t = updateMessages();
  const keys = changes.filter(({ blocked }) => blocked === null).map(keyOf);
  const areAll = keys.every((key) => !left.includes(key));
  return (
    <table className="w-full text-left text-sm">
      <thead className="text-xs text-ink-faint">
        <tr>
          <th scope="col" className="w-8 py-1">
            <input
              type="checkbox"
              aria-label={t.all}
              disabled={keys.length === 0}
              checked={keys.length > 0 && areAll}
              onChange={() => onChange(areAll ? keys : [])}
            />
          </th>
          {[t.model, t.provider, t.fact, t.now, t.listed].map((head) => (
            <th key={head} scope="col" className="py-1 pr-3 font-medium">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <ChangeRow
            key={keyOf(change)}
            change={change}
            isChosen={change.blocked === null && !left.includes(keyOf(change))}
            onToggle={() => onChange(toggled(left, keyOf(change)))}
          />
        ))}
      </tbody>
    </table>
  );
}

interface ChangeRowProps {
  readonly change: CatalogChange;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function ChangeRow({ change, isChosen, onToggle }: ChangeRowProps) {
  const t = updateMessages();
  const { model, provider, tag, field, from, to, blocked } = change;
  const cell = 'py-1.5 pr-3 align-top break-words';
  return (
    <tr className="border-t border-line" title={blocked ?? undefined}>
      <td className={cell}>
        <input
          type="checkbox"
          aria-label={t.choose(field, model)}
          disabled={blocked !== null}
          checked={isChosen}
          onChange={onToggle}
        />
      </td>
      <td className={`${cell} font-mono text-xs`}>{model}</td>
      <td className={cell}>{tag === null ? provider : `${provider}/${tag}`}</td>
      <td className={`${cell} font-mono text-xs`}>
        {field}
        {blocked !== null && <span className="ml-2 font-sans text-ink-faint">{t.blocked}</span>}
      </td>
      <td className={`${cell} figures`}>{formatFact(field, from)}</td>
      <td className={`${cell} figures font-medium`}>{formatFact(field, to)}</td>
    </tr>
  );
}

/** What a person has to look at, and lists that could not be read. */
function Remarks({ comparison: { notes, lists } }: { readonly comparison: CatalogComparison }) {
  const t = updateMessages();
  const unread = lists.flatMap(({ provider, problem }) => (problem === null ? [] : [t.unread(provider, problem)]));
  const remarks = [...unread, ...notes.map(({ model, provider, text }) => `${model} (${provider}): ${text}`)];
  if (remarks.length === 0) return null;
  return (
    <section className="mt-5">
      <h3 className="text-sm font-medium">{t.notes}</h3>
      <ul className="mt-1 list-disc pl-5 text-sm text-ink-soft">
        {remarks.map((remark) => (
          <li key={remark} className="break-words">
            {remark}
          </li>
        ))}
      </ul>
    </section>
  );
}
