import { useMutation } from '@tanstack/react-query';
import { Columns3, Download } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';

import { openApi } from '../../../api/call-api.ts';
import { setPreferences, usePreferences } from '../../../app/preferences.ts';
import { type GenerationSearch, toGenerationQuery } from '../../../features/generations/search/generation-search.ts';
import { formatBytes } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu, MENU_ITEM, MenuCheck, MenuContent } from '../../../parts/controls/menu.tsx';
import { showToast, showFailure } from '../../../parts/messages/toast-store.ts';
import { saveFile } from '../../../parts/save-file.ts';
import type { Column } from '../../../parts/table/table-row.tsx';
import { toggled } from '../../../parts/toggled.ts';

/** Which columns are shown, and how close the rows are. This browser remembers both. */
export function ColumnsMenu({ columns }: { columns: readonly Pick<Column<unknown>, 'id' | 'header'>[] }) {
  const { hiddenColumns: hidden, density } = usePreferences();
  const setHidden = (hiddenColumns: readonly string[]): void => setPreferences({ hiddenColumns });
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon={<Columns3 size={15} />} aria-label="Columns" title="Columns">
          <span className="max-lg:hidden">Columns</span>
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent className="scroll-thin max-h-[70dvh] overflow-y-auto">
        {columns.map(({ id, header }) => (
          <Item key={id} isChecked={!hidden.includes(id)} onChange={() => setHidden(toggled(hidden, id))}>
            {header}
          </Item>
        ))}
        <DropdownMenu.Separator className="my-1 border-t border-line" />
        <Item
          isChecked={density === 'compact'}
          onChange={(isCompact) => setPreferences({ density: isCompact ? 'compact' : 'comfortable' })}
        >
          Compact rows
        </Item>
      </MenuContent>
    </DropdownMenu.Root>
  );
}

interface ItemProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: React.ReactNode;
}

function Item({ isChecked, onChange, children }: ItemProps) {
  return (
    <DropdownMenu.CheckboxItem
      checked={isChecked}
      onSelect={(event) => event.preventDefault()}
      onCheckedChange={onChange}
      className={MENU_ITEM}
    >
      <MenuCheck isChecked={isChecked} />
      {children}
    </DropdownMenu.CheckboxItem>
  );
}

const FORMATS = [
  { label: 'CSV', format: 'csv', content: 'false' },
  { label: 'NDJSON', format: 'ndjson', content: 'false' },
  { label: 'NDJSON with prompts and completions', format: 'ndjson', content: 'true' },
] as const;

export function ExportMenu({ search }: { search: GenerationSearch }) {
  const save = useMutation({
    mutationFn: async ({ format, content }: Pick<(typeof FORMATS)[number], 'format' | 'content'>) => {
      const query = { ...toGenerationQuery(search, Date.now()), format, content };
      const file = await (await openApi('/admin/v1/generations/export', { query })).blob();
      saveFile(`generations.${format}`, file);
      return file.size;
    },
    onSuccess: (bytes) => showToast({ tone: 'good', title: `Exported ${formatBytes(bytes)}` }),
    onError: (error) => showFailure('The export failed', error),
  });
  return (
    <Menu
      trigger={
        <Button isBusy={save.isPending} icon={<Download size={15} />} aria-label="Export" title="Export">
          <span className="max-lg:hidden">Export</span>
        </Button>
      }
      items={FORMATS.map((format) => ({ label: format.label, onSelect: () => save.mutate(format) }))}
    />
  );
}
