import { FileAudio, Mic, Square, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';

import { toClock } from '../../../features/kinds/transcript.tsx';
import { formatBytes } from '../../../format/quantity.ts';
import { classNames } from '../../../parts/class-names.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { benchKindMessages } from './messages.ts';

/** In base64 it is a third more, and still within what the gateway takes. */
const MAX_BYTES = 18 * 1024 * 1024;

interface SoundFieldProps {
  readonly file: File | null;
  readonly onChange: (file: File | null) => void;
}

/** A sound: chosen, dropped, or recorded here. */
export function SoundField({ file, onChange }: SoundFieldProps) {
  const { transcription: t } = benchKindMessages();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const take = (chosen: File | undefined): void => {
    if (chosen === undefined) return;
    if (chosen.size > MAX_BYTES) {
      showToast({ tone: 'bad', title: t.tooLarge(formatBytes(chosen.size), formatBytes(MAX_BYTES)) });
    } else onChange(chosen);
  };
  return (
    <div className="flex flex-col gap-1">
      <span id={id} className="text-sm font-medium">
        {t.recording}
      </span>
      <div
        role="group"
        aria-labelledby={id}
        className={classNames(
          'flex flex-col items-center gap-3 rounded-lg border border-dashed p-4 text-center',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong/60',
        )}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          take(event.dataTransfer.files[0]);
        }}
      >
        <input
          ref={input}
          type="file"
          accept="audio/*,video/mp4,video/webm,.mp3,.wav,.m4a,.flac,.ogg,.webm"
          aria-label={t.choose}
          className="sr-only"
          tabIndex={-1}
          onChange={({ target }) => {
            take(target.files?.[0]);
            // The same file can be chosen again after it was removed.
            target.value = '';
          }}
        />
        {file === null ? (
          <p className="text-sm text-ink-faint">{t.drop}</p>
        ) : (
          <p className="flex max-w-full items-center gap-2 text-sm">
            <FileAudio size={16} className="shrink-0 text-ink-faint" />
            <span className="truncate" title={file.name}>
              {showControls(file.name)}
            </span>
            <span className="figures shrink-0 text-xs text-ink-faint">{formatBytes(file.size)}</span>
            <Button look="quiet" aria-label={t.remove} icon={<X size={14} />} onClick={() => onChange(null)} />
          </p>
        )}
        <div className="flex flex-wrap justify-center gap-2">
          <Button data-first-focus onClick={() => input.current?.click()}>
            {t.choose}
          </Button>
          <RecordButton onRecorded={take} />
        </div>
      </div>
    </div>
  );
}

const TICK_MS = 200;

function RecordButton({ onRecorded }: { onRecorded: (file: File) => void }) {
  const { transcription: t } = benchKindMessages();
  const [recorder, setRecorder] = useState<MediaRecorder | null>(null);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (recorder === null) return;
    const startedAt = performance.now();
    setSeconds(0);
    const timer = setInterval(() => setSeconds((performance.now() - startedAt) / 1000), TICK_MS);
    return () => {
      clearInterval(timer);
      if (recorder.state !== 'inactive') recorder.stop();
    };
  }, [recorder]);
  const start = async (): Promise<void> => {
    try {
      // Absent where the page comes over plain HTTP from another machine.
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const made = new MediaRecorder(stream);
      const pieces: Blob[] = [];
      made.addEventListener('dataavailable', ({ data }) => pieces.push(data));
      made.addEventListener('stop', () => {
        for (const track of stream.getTracks()) track.stop();
        const type = made.mimeType.split(';', 1)[0] ?? 'audio/webm';
        const ending = type === 'audio/mp4' ? 'm4a' : (type.split('/')[1] ?? 'webm');
        if (pieces.length > 0) onRecorded(new File(pieces, `${t.recorded}.${ending}`, { type }));
      });
      made.start();
      setRecorder(made);
    } catch {
      showToast({ tone: 'neutral', title: t.noMicrophone });
    }
  };
  if (recorder === null) {
    return (
      <Button icon={<Mic size={15} />} onClick={() => void start()}>
        {t.record}
      </Button>
    );
  }
  return (
    <Button look="danger" icon={<Square size={13} />} className="figures" onClick={() => setRecorder(null)}>
      {t.stopRecording(toClock(seconds))}
    </Button>
  );
}
