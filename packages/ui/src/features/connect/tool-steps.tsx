import {
  type Client,
  type Connection,
  differsBySystem,
  type FieldsStep,
  type SnippetStep,
  stepsFor,
  type System,
} from '@model-gateway/clients';
import { useState } from 'react';

import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Choice } from '../../parts/controls/field.tsx';
import { partMessages } from '../../parts/part-messages.ts';
import { Code } from '../../parts/text/code.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { connectMessages } from './messages.tsx';
import { inToolWords } from './tool-messages.ts';

const SYSTEMS: Readonly<Record<System, string>> = { linux: 'Linux', macos: 'macOS', windows: 'Windows' };

/** The system of the browser, which is that of the tool more often than not. */
function guessSystem(): System {
  const { userAgent } = navigator;
  return userAgent.includes('Windows') ? 'windows' : userAgent.includes('Mac') ? 'macos' : 'linux';
}

/** What to do in the tool, with everything filled in. */
export function ToolSteps({ client, connection }: { client: Client; connection: Connection }) {
  const t = connectMessages().steps;
  const [system, setSystem] = useState(guessSystem);
  return (
    <div className="flex flex-col gap-4">
      {differsBySystem(client) && (
        <div>
          <Choice label={t.system} value={system} options={SYSTEMS} onChange={setSystem} />
        </div>
      )}
      <ol className="flex flex-col gap-4">
        {stepsFor(client, system).map((step, at) => (
          <li key={`${system} ${step.title} ${at}`} className="flex min-w-0 flex-col gap-2">
            {step.type === 'snippet' ? (
              <Snippet step={step} at={at} system={system} connection={connection} />
            ) : (
              <Fields step={step} at={at} connection={connection} />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface StepProps<Step> {
  readonly step: Step;
  readonly at: number;
  readonly connection: Connection;
}

function Title({ at, title }: { at: number; title: string }) {
  return (
    <h3 className="min-w-0 flex-1 text-sm">
      <span className="font-medium">{at + 1}.</span> {title}
    </h3>
  );
}

function Snippet({ step, at, system, connection }: StepProps<SnippetStep> & { system: System }) {
  const text = step.toText(connection);
  const title = inToolWords()(step.title);
  const file = step.file?.[system];
  const t = connectMessages().steps;
  return (
    <>
      <div className="flex items-start justify-between gap-2">
        <Title at={at} title={title} />
        <CopyButton text={text} label={partMessages().actions.copy} />
      </div>
      {file !== undefined && (
        <div className="flex min-w-0 items-center gap-1 text-xs text-ink-soft">
          <span>{t.file}</span>
          <code className="min-w-0 font-mono break-all text-ink">{file}</code>
          <CopyButton isIcon look="quiet" text={file} label={t.copyPath(file)} />
        </div>
      )}
      <pre
        tabIndex={0}
        aria-label={title}
        className="scroll-thin max-h-[28rem] overflow-auto rounded-lg bg-raised p-3 font-mono text-xs"
      >
        <Code text={text} language={step.language} />
      </pre>
    </>
  );
}

function Fields({ step, at, connection }: StepProps<FieldsStep>) {
  const t = connectMessages().steps;
  const inWords = inToolWords();
  return (
    <>
      <Title at={at} title={inWords(step.title)} />
      <p className="text-xs text-ink-soft">
        {t.where} <span className="text-ink">{step.menu.map(inWords).join(' › ')}</span>
      </p>
      <dl className="grid gap-x-4 gap-y-2 rounded-lg bg-raised p-3 text-sm sm:grid-cols-[auto_1fr]">
        {step.toFields(connection).map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="self-center text-ink-soft">{label}</dt>
            <dd className="flex min-w-0 items-center gap-2">
              <code className="min-w-0 flex-1 font-mono text-xs break-all">{showControls(value)}</code>
              <CopyButton isIcon text={value} label={t.copyField(label)} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
