import type { ProviderTestResult } from '@model-gateway/core/wire';
import { PlugZap } from 'lucide-react';
import { useState } from 'react';

import { Findings } from '../../features/providers/findings.tsx';
import type { ProviderState } from '../../features/providers/provider-queries.ts';
import { useLayerTest } from '../../features/providers/use-layer-test.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox } from '../../parts/controls/field.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { providersMessages } from './messages.ts';

/** Looks at what stands between the gateway and a provider, layer by layer, and says what to do. */
export function ProviderTest({ provider: { slug, name, can_test: canTest } }: { provider: ProviderState }) {
  const t = providersMessages().test;
  const [makesCall, setMakesCall] = useState(false);
  const test = useLayerTest<ProviderTestResult['data']>(`/admin/v1/providers/${encodeURIComponent(slug)}/test`);
  if (!canTest) {
    return <p className="text-sm text-ink-soft">{t.unknown(name)}</p>;
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button icon={<PlugZap size={15} />} isBusy={test.isPending} onClick={() => test.run({ call: makesCall })}>
          {test.isPending ? t.running : t.run}
        </Button>
        <Checkbox
          label={t.withRequest}
          hint={t.cost}
          checked={makesCall}
          disabled={test.isPending}
          onChange={(event) => setMakesCall(event.target.checked)}
        />
      </div>
      {test.error !== null && <ErrorPanel error={test.error} title={t.notRun} />}
      <div aria-live="polite">
        <Findings test={test} name={name} />
      </div>
    </div>
  );
}
