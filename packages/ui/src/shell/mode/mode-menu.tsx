import type { FixtureMode } from '@model-gateway/core/wire';
import { useNavigate } from '@tanstack/react-router';
import { Archive, Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

import { MenuPortal } from '../../parts/controls/open-menu.tsx';
import { shellMessages } from '../messages.ts';
import type { ModeChoice } from './mode-choice.ts';

interface ModeMenuProps {
  readonly choice: ModeChoice;
  readonly trigger: ReactNode;
  readonly onChoose: (mode: FixtureMode) => void;
}

const ITEM = 'flex cursor-pointer gap-2 rounded-md px-2.5 py-1.5 outline-none data-[highlighted]:bg-raised';

/** The modes with what each means, the one in force marked, open at once; or why there is nothing to choose. */
export function ModeMenu({ choice: { now, value, options, note }, trigger, onChoose }: ModeMenuProps) {
  const navigate = useNavigate();
  const choose = (next: string): void => {
    const chosen = options.find((option) => option.value === next);
    if (chosen !== undefined && next !== value) onChoose(chosen.target);
  };
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <MenuPortal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="card scroll-thin z-40 max-h-[var(--radix-dropdown-menu-content-available-height)] w-88 max-w-[calc(100vw-1rem)] overflow-y-auto p-1 text-sm shadow-xl"
        >
          {value === undefined ? (
            <DropdownMenu.Label className="px-2.5 py-1.5">
              <span className="block font-medium">{now.label}</span>
              <span className="block text-xs text-ink-soft">{now.meaning}</span>
            </DropdownMenu.Label>
          ) : (
            <DropdownMenu.RadioGroup value={value} onValueChange={choose}>
              {options.map(({ value: name, label, meaning }) => (
                <DropdownMenu.RadioItem key={name} value={name} className={ITEM}>
                  <span className="w-4 shrink-0 pt-0.5">
                    <DropdownMenu.ItemIndicator>
                      <Check size={15} className="text-accent" />
                    </DropdownMenu.ItemIndicator>
                  </span>
                  <span className="min-w-0">
                    <span className="block font-medium">{label}</span>
                    <span className="block text-xs text-ink-soft">{meaning}</span>
                  </span>
                </DropdownMenu.RadioItem>
              ))}
            </DropdownMenu.RadioGroup>
          )}
          {note !== null && (
            <DropdownMenu.Label className="px-2.5 py-1.5 text-xs wrap-anywhere text-ink-soft">
              {note}
            </DropdownMenu.Label>
          )}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item onSelect={() => void navigate({ to: '/fixtures' })} className={ITEM}>
            <Archive size={15} className="mt-0.5 shrink-0" />
            {shellMessages().mode.openFixtures}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </MenuPortal>
    </DropdownMenu.Root>
  );
}
