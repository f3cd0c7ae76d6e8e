import { Download } from 'lucide-react';
import { useState } from 'react';

import { openApi } from '../../../api/call-api.ts';
import { type GenerationSearch, toGenerationQuery } from '../../../features/generations/search/generation-search.ts';
import { formatBytes } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';

const FORMATS = [
  { label: 'CSV', format: 'csv', content: 'false' },
  { label: 'NDJSON', format: 'ndjson', content: 'false' },
  { label: 'NDJSON with prompts and completions', format: 'ndjson', content: 'true' },
] as const;

export function ExportMenu({ search }: { search: GenerationSearch }) {
  const [isBusy, setIsBusy] = useState(false);
  const save = async (format: string, content: string): Promise<void> => {
    setIsBusy(true);
    try {
      const response = await openApi('/admin/v1/generations/export', {
        query: { ...toGenerationQuery(search, Date.now()), format, content },
      });
      const file = await response.blob();
      const address = URL.createObjectURL(file);
      Object.assign(document.createElement('a'), { href: address, download: `generations.${format}` }).click();
      URL.revokeObjectURL(address);
      showToast({ tone: 'good', title: `Exported ${formatBytes(file.size)}` });
    } catch (error) {
      showToast({
        tone: 'bad',
        title: 'The export failed',
        detail: error instanceof Error ? error.message : String(error),
      });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Menu
      trigger={
        <Button isBusy={isBusy} icon={<Download size={15} aria-hidden />} aria-label="Export" title="Export">
          <span className="max-lg:hidden">Export</span>
        </Button>
      }
      items={FORMATS.map(({ label, format, content }) => ({ label, onSelect: () => void save(format, content) }))}
    />
  );
}
