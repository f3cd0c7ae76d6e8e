import { Tabs as RadixTabs } from 'radix-ui';
import type { ReactNode } from 'react';

interface Tab {
  readonly value: string;
  readonly label: ReactNode;
  readonly content: () => ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/**
 * A tab that is pressed gets the focus by script, which browsers take for one by keys: it would have their ring. A mark
 * says otherwise, until keys are used.
 */
const forgetPointer = ({ currentTarget }: { readonly currentTarget: HTMLElement }): void => {
  delete currentTarget.dataset['pointed'];
};

/** Tabs of which only the shown one is rendered. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <RadixTabs.Root value={value} onValueChange={onChange} className="flex min-h-0 flex-1 flex-col">
      <RadixTabs.List
        aria-label={label}
        className="scroll-thin flex shrink-0 overflow-x-auto border-b border-line px-2 sm:gap-1 sm:px-3"
      >
        {tabs.map((tab) => (
          <RadixTabs.Trigger
            key={tab.value}
            value={tab.value}
            onPointerDown={({ currentTarget }) => (currentTarget.dataset['pointed'] = '')}
            onKeyDown={forgetPointer}
            onBlur={forgetPointer}
            className="-mb-px border-b-2 data-pointed:outline-none outline-offset-[-2px] border-transparent px-2 py-2 sm:px-2.5 text-sm whitespace-nowrap text-ink-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-accent"
          >
            {tab.label}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map((tab) => (
        <RadixTabs.Content key={tab.value} value={tab.value} className="min-h-0 flex-1 outline-offset-[-2px]">
          {tab.value === value && tab.content()}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
