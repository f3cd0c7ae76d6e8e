import { GitCompareArrows } from 'lucide-react';

import { Button } from '../../../parts/controls/button.tsx';

interface CompareButtonProps {
  /** Ids that are selected, at most two. */
  readonly compared: readonly string[];
  readonly id: string;
  readonly onToggle: () => void;
}

/** Selects a generation; the second one is compared with the first. */
export function CompareButton({ compared, id, onToggle }: CompareButtonProps) {
  const isSelected = compared.includes(id);
  const label = isSelected
    ? 'Not to be compared'
    : compared.length === 1
      ? 'Compare with the selected one'
      : 'Select to compare';
  return (
    <Button
      look="quiet"
      aria-label={label}
      aria-pressed={isSelected}
      title={`${label} (x)`}
      className={isSelected ? 'text-accent' : ''}
      icon={<GitCompareArrows size={15} aria-hidden />}
      onClick={onToggle}
    />
  );
}
