import { GitCompareArrows } from 'lucide-react';

import { Button } from '../../../parts/controls/button.tsx';
import { SidePanel } from '../../../parts/dialogs/side-panel.tsx';
import { useRunningCall } from '../running/running-detail.tsx';
import { GenerationActions, PinButton } from './generation-actions.tsx';
import { GenerationTabs } from './generation-tabs.tsx';
import { GenerationTitle, IdChip } from './generation-title.tsx';
import { detailMessages } from './messages.ts';

interface GenerationDetailProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onCopyId: () => void;
  readonly onMaximize: () => void;
  /** Ids that are selected, at most two. */
  readonly compared: readonly string[];
  readonly onCompare: () => void;
  readonly tab: string | undefined;
  readonly onTab: (tab: string | undefined) => void;
}

export function GenerationDetail(props: GenerationDetailProps) {
  const { id, onClose, onCopyId, onMaximize, compared, onCompare, tab, onTab } = props;
  const { call } = useRunningCall(id);
  return (
    <SidePanel
      label={detailMessages().panel.label(id)}
      onClose={onClose}
      title={
        <div className="flex min-w-0">
          <IdChip id={id} isWhole onCopy={onCopyId} />
        </div>
      }
      actions={
        // All of them need its record.
        call === undefined && (
          <>
            <PinButton id={id} />
            <CompareButton id={id} compared={compared} onToggle={onCompare} />
            <GenerationActions id={id} onMaximize={onMaximize} />
          </>
        )
      }
    >
      <h2 className="flex shrink-0 px-4 pt-2 text-sm font-semibold">
        <GenerationTitle id={id} model={call?.model} />
      </h2>
      <GenerationTabs id={id} tab={tab} onTab={onTab} />
    </SidePanel>
  );
}

interface CompareButtonProps {
  /** Ids that are selected, at most two. */
  readonly compared: readonly string[];
  readonly id: string;
  readonly onToggle: () => void;
}

/** Selects a generation; the second one is compared with the first. */
function CompareButton({ compared, id, onToggle }: CompareButtonProps) {
  const isSelected = compared.includes(id);
  const t = detailMessages().panel;
  const label = isSelected ? t.unselect : compared.length === 1 ? t.compare : t.select;
  return (
    <Button
      look="quiet"
      aria-label={label}
      aria-pressed={isSelected}
      title={`${label} (x)`}
      className={isSelected ? 'text-accent' : ''}
      icon={<GitCompareArrows size={15} />}
      onClick={onToggle}
    />
  );
}
