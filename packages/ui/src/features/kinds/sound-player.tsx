import { Download } from 'lucide-react';
import { type Ref, useEffect, useState } from 'react';

import { formatBytes } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { kindMessages } from './messages.ts';

interface SoundPlayerProps {
  /** A file that browsers may be able to play. */
  readonly file: Blob;
  /** Read out, where there are several. */
  readonly label?: string;
  /** What is saved, with its name; absent where there is nothing to save. */
  readonly saved?: { readonly name: string; readonly file: Blob };
  readonly ref?: Ref<HTMLAudioElement>;
}

/** Plays a sound with the browser's own controls, and saves it as it came. */
export function SoundPlayer({ file, label = kindMessages().sound, saved, ref }: SoundPlayerProps) {
  const t = kindMessages();
  const [address, setAddress] = useState<string>();
  const [isBroken, setIsBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    setIsBroken(false);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isBroken ? (
        <p className="min-w-0 flex-1 basis-60 text-sm text-ink-faint">{t.notPlayed}</p>
      ) : (
        <audio
          ref={ref}
          controls
          aria-label={label}
          src={address}
          onError={() => setIsBroken(address !== undefined)}
          className="h-10 min-w-0 flex-1 basis-60"
        />
      )}
      {saved !== undefined && (
        <Button look="quiet" icon={<Download size={14} />} onClick={() => saveFile(saved.name, saved.file)}>
          {t.download}
          <span className="figures text-xs text-ink-faint">{formatBytes(saved.file.size)}</span>
        </Button>
      )}
    </div>
  );
}
