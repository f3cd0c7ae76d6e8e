import type { Model } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useRef } from 'react';

import type { Caller } from '../../api/call-api.ts';
import { keysQuery, modelsQuery } from '../../api/queries.ts';
import { newExperiment } from '../../features/playground/experiment.ts';
import { KeyCard } from '../../features/playground/key-card.tsx';
import { usePlaygroundCaller } from '../../features/playground/playground-key.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { isBenchKind } from './kinds/kind-spec.ts';
import { playgroundMessages } from './messages.tsx';
import type { PlaygroundSearch } from './playground-search.ts';
import { newId, useOpenExperiment } from './use-open-experiment.ts';
import { Workbench } from './workbench.tsx';

const KindScreen = lazy(async () => ({ default: (await import('./kinds/kind-screen.tsx')).KindScreen }));

/** Conversations with up to eight models side by side, of one's own or of recorded calls; and calls of other kinds. */
export function PlaygroundScreen() {
  const { screen: t } = playgroundMessages();
  const caller = usePlaygroundCaller();
  // Who has just chosen a key goes on with the prompt.
  const wasAsked = useRef(false);
  const models = useQuery(modelsQuery);
  const keys = useQuery(keysQuery);
  const { kind, models: named }: PlaygroundSearch = useSearch({ from: '/playground' });
  if (models.data === undefined && models.error !== null)
    return (
      <Waiting>
        <NotLoaded what={t.models} failure={t.modelsNotLoaded} query={models} isFlush />
      </Waiting>
    );
  if (caller === undefined && keys.error !== null)
    return (
      <Waiting>
        <NotLoaded what={t.models} failure={t.keysNotLoaded} query={keys} isFlush />
      </Waiting>
    );
  if (caller === null) {
    wasAsked.current = true;
    return (
      <Waiting>
        <KeyCard title={t.needsKey} />
      </Waiting>
    );
  }
  if (models.data === undefined || caller === undefined) return <Loading what={t.models} />;
  if (isBenchKind(kind)) {
    return (
      <Suspense fallback={<Loading what={t.theKind} />}>
        <KindScreen kind={kind} caller={caller} models={models.data} named={named} />
      </Suspense>
    );
  }
  return (
    <OpenExperiment
      key={caller.key ?? caller.keyHash}
      caller={caller}
      models={models.data}
      isFocused={wasAsked.current}
    />
  );
}

/** The screen without an experiment. */
function Waiting({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <ScreenHeader title={playgroundMessages().title} />
      {children}
    </div>
  );
}

interface OpenExperimentProps {
  readonly caller: Caller;
  readonly models: readonly Model[];
  readonly isFocused: boolean;
}

function OpenExperiment({ caller, models, isFocused }: OpenExperimentProps) {
  const { screen: t } = playgroundMessages();
  const navigate = useNavigateWithin('/playground');
  const firstModel = models.find(({ architecture }) => architecture.output_modalities.includes('text'))?.id ?? '';
  const { store, error, open } = useOpenExperiment(firstModel);
  const begin = (): void => open(newExperiment([firstModel], newId));
  if (error !== null) {
    return (
      <Waiting>
        <ErrorPanel error={error} title={t.notOpened} />
        <Button className="self-start" onClick={begin}>
          {t.startEmpty}
        </Button>
      </Waiting>
    );
  }
  if (store === undefined) return <Loading what={t.experiment} />;
  return (
    <Workbench
      key={store.getState().id}
      store={store}
      caller={caller}
      models={models}
      firstModel={firstModel}
      isFocused={isFocused}
      onOpen={(what) => {
        if (typeof what === 'string') void navigate({ search: { open: what } });
        else open(what);
      }}
    />
  );
}
