import { toBaseUrl } from '../../app/base-url.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';

export function NewKeyDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const variables = `export GATEWAY_API_KEY='${secret}'\nexport OPENAI_BASE_URL='${toBaseUrl()}'\n`;
  return (
    <Dialog
      title="The new key"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>
          This is the only time it is shown. The gateway keeps its hash alone; a key that is lost is replaced by a new
          one.
        </p>
        <code data-testid="new-key" className="rounded-lg bg-raised p-3 font-mono text-xs break-all select-all">
          {secret}
        </code>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret} label="Copy key" />
          <CopyButton text={variables} label="Copy as variables" />
        </div>
      </div>
    </Dialog>
  );
}
