import { JsonText } from '../../../parts/text/json-text.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { presetsMessages } from './messages.ts';

interface PresetTextProps {
  readonly config: object;
  readonly systemPrompt: string | null;
}

const PART = 'min-w-0 rounded-lg border border-line p-3';
const HEADING = 'mb-1 text-xs text-ink-soft';

/** What a version of a preset consists of. */
export function PresetText({ config, systemPrompt }: PresetTextProps) {
  const { history: t } = presetsMessages();
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <section aria-label={t.settings} className={PART}>
        <h3 className={HEADING}>{t.settings}</h3>
        <JsonText text={JSON.stringify(config)} />
      </section>
      <section aria-label={t.system} className={PART}>
        <h3 className={HEADING}>{t.system}</h3>
        {systemPrompt === null ? <p className="text-sm text-ink-soft">{t.none}</p> : <PlainText text={systemPrompt} />}
      </section>
    </div>
  );
}
