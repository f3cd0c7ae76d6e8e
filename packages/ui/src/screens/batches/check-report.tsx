import { formatCount } from '../../format/quantity.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { toKind } from './batch-parts.tsx';
import type { LineCheck } from './check-lines.ts';
import { batchesMessages } from './messages.tsx';

/** What a file would make: its lines by model and kind, and what is wrong with them. */
export function CheckReport({ check: { total, groups, problems, problemCount } }: { check: LineCheck }) {
  const { form: t } = batchesMessages();
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="figures text-sm font-medium">{t.linesOf(total, formatCount(total))}</p>
      {problemCount > 0 && (
        <div className="rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm">
          <p className="font-medium">{t.problems(problemCount, formatCount(problemCount))}</p>
          {problemCount > problems.length && <p className="text-xs">{t.firstProblems(formatCount(problems.length))}</p>}
          <ul
            tabIndex={0}
            aria-label={t.problems(problemCount, formatCount(problemCount))}
            className="scroll-thin mt-2 flex max-h-48 flex-col gap-1 overflow-y-auto"
          >
            {problems.map(({ line, message }, at) => (
              <li key={at} className="flex gap-3">
                {line !== null && (
                  <span className="figures shrink-0 text-xs leading-5 whitespace-nowrap">
                    {t.line(formatCount(line))}
                  </span>
                )}
                <span className="min-w-0 break-words">{showControls(message)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {groups.length > 0 && (
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b border-line text-left text-xs text-ink-faint">
              <th scope="col" className="py-1 font-medium">
                {t.model}
              </th>
              <th scope="col" className="py-1 font-medium">
                {t.kind}
              </th>
              <th scope="col" className="py-1 text-right font-medium">
                {t.lines}
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ model, endpoint, lines, isUnknown }) => (
              <tr key={model} className="border-b border-line/70 align-top">
                <td className="py-1 pr-3">
                  <span className="font-mono text-xs break-all">{showControls(model)}</span>
                  {isUnknown && <span className="block text-xs text-caution">{t.unknown}</span>}
                </td>
                <td className="py-1 pr-3 whitespace-nowrap">{toKind(endpoint)}</td>
                <td className="figures py-1 text-right">{formatCount(lines)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
