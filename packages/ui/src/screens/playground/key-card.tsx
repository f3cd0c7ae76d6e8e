import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { keysQuery, modelsQuery } from '../../api/queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Field } from '../../parts/controls/field.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { hasTokenPrices } from '../models/price-facts.ts';
import {
  actAsKey,
  createPlaygroundKey,
  findPlaygroundKey,
  findUsableKeys,
  PLAYGROUND_KEY_NAME,
  setPlaygroundKey,
} from './playground-key.ts';

const LIMIT_USD = 1;

/** Asks which API key calls are made as. `title` says what needs one. */
export function KeyCard({ title }: { title: string }) {
  const { data: keys = [] } = useQuery(keysQuery);
  const { data: models = [] } = useQuery(modelsQuery);
  // A limit refuses calls that may cost what nobody knows.
  const limitUsd = models.length === 0 || models.some(hasTokenPrices) ? LIMIT_USD : null;
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const own = findPlaygroundKey(keys);
  const create = async (): Promise<void> => {
    setState({ isBusy: true });
    try {
      await createPlaygroundKey(limitUsd);
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <div className="card m-auto flex w-full max-w-lg flex-col gap-4 p-5">
      <h2 className="font-semibold">{title}</h2>
      <p className="text-sm text-ink-soft">
        Management keys do not call models. A key of its own keeps these calls apart, and lets guardrails and limits
        hold for them. One is enough: every browser that is signed in here may call as it.
      </p>
      {limitUsd === null && (
        <p className="text-sm text-ink-soft">
          No price of the models is known, so the key gets no limit: under a limit they could not be called.
        </p>
      )}
      {state.error !== undefined && <ErrorPanel error={state.error} />}
      {own === undefined ? (
        <Button look="primary" className="whitespace-normal!" isBusy={state.isBusy} onClick={() => void create()}>
          Make a key named “{PLAYGROUND_KEY_NAME}”{limitUsd === null ? '' : `, limited to $${limitUsd}`}
        </Button>
      ) : (
        <Button look="primary" onClick={() => actAsKey(own.hash)}>
          Use the key “{PLAYGROUND_KEY_NAME}”
        </Button>
      )}
      <OtherKey keys={findUsableKeys(keys).filter((key) => key !== own)} />
      <OwnKey />
    </div>
  );
}

function OtherKey({ keys }: { keys: ReturnType<typeof findUsableKeys> }) {
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
      <Field label="Or call as another" className="min-w-0 flex-1">
        {(control) => (
          <select
            {...control}
            required
            className="field"
            value={hash}
            onChange={(event) => setHash(event.target.value)}
          >
            <option value="">Choose a key</option>
            {keys.map((key) => (
              <option key={key.hash} value={key.hash}>
                {key.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button type="submit">Call as it</Button>
    </form>
  );
}

function OwnKey() {
  const [key, setKey] = useState('');
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        setPlaygroundKey(key.trim());
      }}
    >
      <Field label="Or use one you have" className="min-w-0 flex-1">
        {(control) => (
          <input
            {...control}
            type="password"
            required
            autoComplete="off"
            placeholder="sk-gw-v1-…"
            className="field font-mono"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit">Use it</Button>
    </form>
  );
}
