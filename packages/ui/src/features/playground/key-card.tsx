import { useQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { keysQuery, modelsQuery } from '../../api/queries.ts';
import { formatUsd } from '../../format/money.ts';
import { Button } from '../../parts/controls/button.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { promptingMessages } from './messages.tsx';
import {
  actAsKey,
  choosePlaygroundLimit,
  createPlaygroundKey,
  findPlaygroundKey,
  setPlaygroundKey,
} from './playground-key.ts';
import { findUsableKeys, PLAYGROUND_KEY_NAME } from './usable-keys.ts';

/** Asks which API key calls are made as. `title` says what needs one. */
export function KeyCard({ title }: { title: string }) {
  const { key: t } = promptingMessages();
  const { data: keys = [] } = useQuery(keysQuery);
  const modelList = useQuery(modelsQuery);
  const { data: models = [] } = modelList;

  const { limitUsd, unpriced } = choosePlaygroundLimit(models);
  const own = findPlaygroundKey(keys);
  const create = useMutation({ mutationFn: createPlaygroundKey });
  // The list as it was before a provider was added would suggest a limit that the new models refuse.
  if (modelList.isFetching && !modelList.isFetchedAfterMount) return <Loading what={t.models} />;
  const isMixed = limitUsd !== null && unpriced.length > 0;
  return (
    <div className="card m-auto flex w-full max-w-lg flex-col gap-4 p-5">
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="text-sm text-ink-soft">{t.why}</p>
      {limitUsd === null && <p className="text-sm text-ink-soft">{t.nothingPriced}</p>}
      {isMixed && (own === undefined || own.limit !== null) && <UnpricedNote unpriced={unpriced} />}
      {create.error !== null && <ErrorPanel error={create.error} />}
      {own === undefined ? (
        <>
          <Button
            look="primary"
            className="whitespace-normal!"
            isBusy={create.isPending}
            onClick={() => create.mutate(limitUsd)}
          >
            {t.create(PLAYGROUND_KEY_NAME, limitUsd === null ? null : formatUsd(limitUsd))}
          </Button>
          {isMixed && (
            <Button className="whitespace-normal!" isBusy={create.isPending} onClick={() => create.mutate(null)}>
              {t.createUnlimited}
            </Button>
          )}
        </>
      ) : (
        <Button look="primary" onClick={() => actAsKey(own.hash)}>
          {t.use(PLAYGROUND_KEY_NAME)}
        </Button>
      )}
      <OtherKey keys={findUsableKeys(keys).filter((key) => key !== own)} />
      <OwnKey />
    </div>
  );
}

/** Says why a key with a limit is refused to some models, and what to do. */
export function UnpricedNote({ unpriced }: { unpriced: readonly string[] }) {
  const [first] = unpriced;
  const others = unpriced.length - 1;
  return (
    <p className="rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm break-words">
      {promptingMessages().key.unpriced(<code className="font-mono text-xs">{first}</code>, others, (label) => (
        <Link to="/models" search={first === undefined ? {} : { open: first }} className="text-accent underline">
          {label}
        </Link>
      ))}
    </p>
  );
}

function OtherKey({ keys }: { keys: ReturnType<typeof findUsableKeys> }) {
  const { key: t } = promptingMessages();
  const [hash, setHash] = useState('');
  if (keys.length === 0) return null;
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        actAsKey(hash);
      }}
    >
      <LabelledSelect
        label={t.other}
        fieldClass="min-w-0 flex-1"
        required
        value={hash}
        options={[['', t.choose], ...keys.map((key) => [key.hash, key.name] as const)]}
        onChange={setHash}
      />
      <Button type="submit">{t.useChosen}</Button>
    </form>
  );
}

function OwnKey() {
  const { key: t } = promptingMessages();
  const [key, setKey] = useState('');
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        setPlaygroundKey(key.trim());
      }}
    >
      <LabelledInput
        label={t.own}
        fieldClass="min-w-0 flex-1"
        type="password"
        required
        autoComplete="off"
        placeholder="sk-gw-v1-…"
        className="field font-mono"
        value={key}
        onChange={setKey}
      />
      <Button type="submit">{t.useOwn}</Button>
    </form>
  );
}
