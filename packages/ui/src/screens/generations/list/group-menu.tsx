import { Group as GroupIcon } from 'lucide-react';

import { GROUPINGS, isGrouping } from '../../../features/generations/search/generation-search.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { generationsMessages } from './messages.ts';

interface GroupMenuProps {
  readonly group: string | undefined;
  readonly onChange: (group: string | undefined) => void;
}

/** Chooses what requests are added up by. */
export function GroupMenu({ group, onChange }: GroupMenuProps) {
  const t = generationsMessages().group;
  const label = isGrouping(group) ? t.by[group] : t.title;
  return (
    <Menu
      trigger={
        <Button
          icon={<GroupIcon size={15} />}
          aria-label={label}
          title={t.title}
          data-on={isGrouping(group) || undefined}
          className="data-on:border-accent data-on:bg-accent-soft data-on:text-accent"
        >
          <span className="@max-5xl:hidden">{label}</span>
        </Button>
      }
      items={[
        ...GROUPINGS.map((name) => ({ label: t.by[name], onSelect: () => onChange(name) })),
        ...(isGrouping(group) ? [{ label: t.none, onSelect: () => onChange(undefined) }] : []),
      ]}
    />
  );
}
