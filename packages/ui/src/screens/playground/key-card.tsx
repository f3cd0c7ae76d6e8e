import { useState } from 'react';

import { Button } from '../../parts/controls/button.tsx';
import { Field } from '../../parts/controls/field.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { createPlaygroundKey, setPlaygroundKey } from './playground-key.ts';

const LIMIT_USD = 1;

/** Asks for the API key that the playground calls with. */
export function KeyCard() {
  const [key, setKey] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const create = async (): Promise<void> => {
    setState({ isBusy: true });
    try {
      await createPlaygroundKey(LIMIT_USD);
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <div className="m-auto flex w-full max-w-lg flex-col gap-4 p-4 sm:p-6">
      <ScreenHeader title="Playground" />
      <div className="card flex flex-col gap-4 p-5">
        <h2 className="font-semibold">The playground needs an API key</h2>
        <p className="text-sm text-ink-soft">
          Management keys do not call models. A key of its own keeps the playground’s calls apart, and lets guardrails
          and limits hold for them.
        </p>
        {state.error !== undefined && <ErrorPanel error={state.error} />}
        <Button look="primary" className="whitespace-normal!" isBusy={state.isBusy} onClick={() => void create()}>
          Make a key named “Playground”, limited to ${LIMIT_USD}
        </Button>
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            setPlaygroundKey(key.trim());
          }}
        >
          <Field label="Or use one you have" className="flex-1">
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
      </div>
    </div>
  );
}
