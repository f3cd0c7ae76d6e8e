import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

import { Button } from '../controls/button.tsx';

interface RetryPanelProps {
  readonly title: string | undefined;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

/** Says what passes by itself and offers to try again. Nothing is wrong with what was asked for, so it is no alarm in red. */
export function RetryPanel({ title, onRetry, children }: RetryPanelProps) {
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-caution/50 bg-caution-soft p-3 text-sm">
      <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-caution" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          {title !== undefined && <p className="font-medium">{title}</p>}
          <p className="text-ink-soft">{children}</p>
        </div>
        <Button icon={<RotateCw size={14} aria-hidden />} onClick={onRetry}>
          Try again
        </Button>
      </div>
    </div>
  );
}
