import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';

import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { useShortcut } from '../../shell/shortcuts.ts';
import { GenerationActions } from './detail/generation-actions.tsx';
import { GenerationTabs } from './detail/generation-tabs.tsx';
import { PinButton } from './detail/pin-button.tsx';

export function GenerationPage() {
  const { id } = useParams({ from: '/generations/$id' });
  const navigate = useNavigate();
  useShortcut(
    { keys: 'Escape', label: 'Back to the list', group: 'This screen' },
    () => void navigate({ to: '/generations', search: { open: id } }),
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
        <Link
          to="/generations"
          search={{ open: id }}
          className="inline-flex min-h-8 items-center gap-1 rounded-md px-2 text-sm text-ink-soft hover:bg-raised"
        >
          <ArrowLeft size={15} aria-hidden /> Generations
        </Link>
        <h1 className="flex min-w-0 flex-1 basis-40 items-center gap-1 font-mono text-sm">
          <span className="truncate">{id}</span>
          <CopyButton isIcon look="quiet" text={id} label="Copy the id" />
        </h1>
        <PinButton id={id} />
        <GenerationActions id={id} />
      </div>
      <GenerationTabs key={id} id={id} />
    </div>
  );
}
