import { useState } from 'react';

import { Button } from '../../../parts/controls/button.tsx';
import { Select } from '../../../parts/controls/select.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { Findings } from '../findings.tsx';
import type { DraftTest } from '../use-layer-test.ts';
import { chooseTestModel } from './choose-test-model.ts';
import { providerSetupMessages } from './messages.ts';
import type { ListedModel } from './setup-queries.ts';

interface TestAreaProps {
  readonly name: string;
  readonly test: DraftTest;
  /** Tests it by one call of a model, too. */
  readonly onTry: (model: string) => void;
}

/** What the test of a provider finds, in place, layer by layer. */
export function TestArea({ name, test, onTry }: TestAreaProps) {
  const t = providerSetupMessages().test;
  const { found, error, isPending } = test;
  const models = found?.models ?? [];
  return (
    <div className="flex flex-col gap-3">
      <div aria-live="polite" className="flex flex-col gap-3">
        {error !== null && <ErrorPanel error={error} title={t.notRun} />}
        <Findings test={test} name={name} />
      </div>
      {models.length > 0 && <TryModel models={chatsFirst(models)} isBusy={isPending} onTry={onTry} />}
    </div>
  );
}

/** A test is a chat. Models that the list says are for something else come last. */
function chatsFirst(models: readonly ListedModel[]): readonly string[] {
  const isChat = ({ output_modalities: outputs }: ListedModel): boolean => outputs?.includes('text') ?? true;
  return [...models.filter(isChat), ...models.filter((model) => !isChat(model))].map(({ id }) => id);
}

interface TryModelProps {
  readonly models: readonly string[];
  readonly isBusy: boolean;
  readonly onTry: (model: string) => void;
}

function TryModel({ models, isBusy, onTry }: TryModelProps) {
  const t = providerSetupMessages().test;
  const [model, setModel] = useState(() => chooseTestModel(models));
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <Button isBusy={isBusy} onClick={() => onTry(model)}>
        {t.send}
      </Button>
      <Select
        label={t.model}
        className="w-auto max-w-full min-w-0"
        value={model}
        options={models}
        onChange={setModel}
      />
      <span className="text-xs text-ink-faint">{t.cost}</span>
    </div>
  );
}
