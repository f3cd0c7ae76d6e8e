import { Download } from 'lucide-react';
import { useMemo } from 'react';

import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { kindMessages } from './messages.ts';
import { toSimilarities } from './similarity.ts';

const MAX_SHOWN = 24;
/** Text on the strongest colour is still read. */
const STRONGEST_PERCENT = 42;
/** Characters that a clipboard takes without holding up the page. */
const MAX_COPIED = 500_000;

interface SimilarityMapProps {
  readonly inputs: readonly string[];
  readonly vectors: readonly (readonly number[])[];
}

/** How similar the inputs are to each other, as a table whose cells are the stronger the more they are. */
export function SimilarityMap({ inputs, vectors }: SimilarityMapProps) {
  const { similarity: t } = kindMessages();
  const shown = useMemo(() => vectors.slice(0, MAX_SHOWN), [vectors]);
  const rows = useMemo(() => toSimilarities(shown), [shown]);
  const text = useMemo(() => JSON.stringify(vectors), [vectors]);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-faint">
        <span className="figures flex-1">{t.dimensions(formatCount(vectors[0]?.length ?? 0))}</span>
        {text.length <= MAX_COPIED && <CopyButton look="quiet" text={text} label={t.copy} />}
        <Button
          look="quiet"
          icon={<Download size={14} />}
          onClick={() => saveFile('vectors.json', new Blob([text], { type: 'application/json' }))}
        >
          {t.save}
        </Button>
      </div>
      <div tabIndex={0} role="group" aria-label={t.title} className="scroll-thin overflow-x-auto">
        <table className="w-full border-separate border-spacing-0.5 text-xs">
          <caption className="sr-only">{t.title}</caption>
          <thead>
            <tr className="text-ink-faint">
              <th scope="col" className="text-left font-medium">
                {t.input}
              </th>
              {shown.map((_, at) => (
                <th key={at} scope="col" className="figures w-12 text-center font-medium" title={inputs[at]}>
                  {at + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                <th scope="row" className="max-w-60 min-w-24 truncate pr-2 text-left font-normal" title={inputs[at]}>
                  <span className="figures mr-1.5 text-ink-faint">{at + 1}</span>
                  {showControls(inputs[at] ?? '')}
                </th>
                {row.map((value, place) => (
                  <td
                    key={place}
                    className="figures h-8 min-w-11 rounded text-center"
                    style={{ background: toColor(value) }}
                  >
                    {value.toFixed(2)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="text-xs text-ink-faint">
        {vectors.length > MAX_SHOWN && `${t.shown(MAX_SHOWN, vectors.length)} `}
        {t.hint}
      </p>
    </div>
  );
}

const toColor = (similarity: number): string =>
  `color-mix(in srgb, var(--accent) ${Math.round(Math.max(0, similarity) * STRONGEST_PERCENT)}%, var(--raised))`;
