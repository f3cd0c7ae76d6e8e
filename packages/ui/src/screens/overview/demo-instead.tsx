import { useState } from 'react';

import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';

/** Its data and its port are its own, so that both can run. */
const COMMAND = 'model-gateway serve --demo --port 8856';

/** How to look around without a provider. A gateway that runs cannot become the demo, whose keys everybody knows. */
export function DemoInstead() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex w-full flex-col items-start gap-2">
      <Button look="quiet" className="-ml-2.5" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Try the demo instead
      </Button>
      {isOpen && (
        <div className="flex w-full flex-col gap-2 rounded-lg bg-raised p-3 text-sm">
          <p className="text-ink-soft">
            Recorded responses: no network, no key, no cost. It runs beside this gateway, with data of its own. Start it
            in a terminal, and open the link that it prints:
          </p>
          <div className="flex items-center justify-between gap-2">
            <code className="min-w-0 font-mono text-xs break-all">{COMMAND}</code>
            <CopyButton text={COMMAND} label="Copy" />
          </div>
        </div>
      )}
    </div>
  );
}
