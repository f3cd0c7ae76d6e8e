import { Columns3 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';

import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/virtual-table.tsx';

interface ColumnsMenuProps {
  readonly columns: readonly Pick<Column<unknown>, 'id' | 'header'>[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
}

/** Which columns are shown. */
export function ColumnsMenu({ columns, hidden, onChange }: ColumnsMenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon={<Columns3 size={15} aria-hidden />}>Columns</Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={4} className="card z-40 min-w-40 p-1 shadow-xl">
          {columns.map(({ id, header }) => (
            <DropdownMenu.CheckboxItem
              key={id}
              checked={!hidden.includes(id)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(isShown) =>
                onChange(isShown ? hidden.filter((other) => other !== id) : [...hidden, id])
              }
              className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 text-sm outline-none data-[highlighted]:bg-raised"
            >
              <span aria-hidden="true" className="w-4 text-accent">
                {hidden.includes(id) ? '' : '✓'}
              </span>
              {header}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
