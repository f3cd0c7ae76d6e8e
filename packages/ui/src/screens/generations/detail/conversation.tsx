import { Bot, Brain, CircleAlert, FileText, Settings2, User, Wrench } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';

import type { GenerationContent } from '../../../api/types.ts';
import { messagesOf } from '../../../features/generations/content/messages-of.ts';
import { formatBytes, formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { CopyButton } from '../../../parts/controls/copy-button.tsx';
import { MediaInputs } from '../../../parts/media-inputs.tsx';
import { FormattedText } from '../../../parts/text/formatted-text.tsx';
import { JsonText } from '../../../parts/text/json-text.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { type MessagePart, toolOf, toParts, toToolNames } from './message-parts.ts';
import { detailMessages } from './messages.ts';

const ROLE_ICONS = {
  system: <Settings2 size={15} />,
  developer: <Settings2 size={15} />,
  user: <User size={15} />,
  assistant: <Bot size={15} />,
  tool: <Wrench size={15} />,
} as const;

const isRole = (role: string): role is keyof typeof ROLE_ICONS => Object.hasOwn(ROLE_ICONS, role);

/**
 * Number of messages shown at first, from the end: a long conversation is laid out only as far as the user scrolls
 * back.
 */
const SHOWN_MESSAGES = 40;

/** The messages and the completion. None of it can be trusted. */
export function Conversation({ content, isPlain }: { content: GenerationContent; isPlain: boolean }) {
  const t = detailMessages().conversation;
  const [shown, setShown] = useState(SHOWN_MESSAGES);
  const { input } = content;
  const messages = messagesOf(content);
  const toolNames = useMemo(() => toToolNames(messagesOf(content)), [content]);
  const earlier = Math.max(0, messages.length - shown);
  return (
    <div className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto px-4 py-3">
      {earlier > 0 && (
        <Button className="self-center" onClick={() => setShown(shown + SHOWN_MESSAGES)}>
          {t.earlier(formatCount(Math.min(SHOWN_MESSAGES, earlier)), earlier, formatCount(earlier))}
        </Button>
      )}
      <Messages
        messages={messages.slice(earlier)}
        toolNames={toolNames}
        isPlain={isPlain}
        media={input.messages === undefined ? input.media : undefined}
      />
      <Output content={content} isPlain={isPlain} />
    </div>
  );
}

interface MessagesProps {
  readonly messages: readonly unknown[];
  /** Names of tools by the ids of their calls; by default, those that these messages call. */
  readonly toolNames?: ReadonlyMap<string, string>;
  readonly isPlain?: boolean;
  /** What went in beside a prompt that is no conversation. */
  readonly media?: GenerationContent['input']['media'];
}

/** Messages as they were sent. */
export function Messages({ messages, toolNames, isPlain = false, media = [] }: MessagesProps) {
  const names = toolNames ?? toToolNames(messages);
  return messages.map((message, at) => {
    const { role, parts } = toParts(message);
    // Messages have no ids, and never change their order.
    return (
      <Message key={at} role={role} tool={toolOf(message, names)}>
        {parts.map((part, place) => (
          <Part key={place} part={part} isPlain={isPlain} />
        ))}
        <MediaInputs media={media} />
      </Message>
    );
  });
}

interface OutputProps {
  readonly content: Pick<GenerationContent, 'output' | 'error'>;
  readonly isPlain?: boolean;
}

/** What came back: reasoning, what tools of the gateway did, the completion and the error. */
export function Output({ content: { output, error }, isPlain = false }: OutputProps) {
  const t = detailMessages().conversation;
  return (
    <>
      {output.reasoning !== null && output.reasoning !== '' && (
        <details className="rounded-lg border border-line p-3">
          <summary className="flex items-center gap-2 text-sm font-medium">
            <Brain size={15} /> {t.reasoning}
          </summary>
          <div className="mt-2 text-ink-soft">
            <PlainText text={output.reasoning} />
          </div>
        </details>
      )}
      {output.server_tool_calls?.map((call) => (
        <Message key={call.id} role="tool">
          <ToolUse name={call.name} text={call.arguments} />
          <PlainText text={call.result} />
        </Message>
      ))}
      {(output.completion !== null || output.tool_calls !== undefined) && (
        <Message role="assistant" isCompletion copyText={output.completion ?? undefined}>
          {output.completion !== null && <Part part={{ type: 'text', text: output.completion }} isPlain={isPlain} />}
          {output.tool_calls?.map((call, at) => (
            <ToolUse
              key={call.id ?? at}
              name={call.function?.name ?? t.unnamed}
              text={call.function?.arguments ?? ''}
            />
          ))}
        </Message>
      )}
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}

interface MessageProps {
  readonly role: string;
  /** The tool whose result it is. */
  readonly tool?: string | undefined;
  readonly isCompletion?: boolean;
  readonly copyText?: string | undefined;
  readonly children: ReactNode;
}

function Message({ role, tool, isCompletion = false, copyText, children }: MessageProps) {
  const t = detailMessages().conversation;
  return (
    <article className={`rounded-lg border p-3 ${isCompletion ? 'border-accent/50 bg-accent-soft/30' : 'border-line'}`}>
      <header className="mb-1.5 flex items-center gap-2 text-xs font-medium text-ink-faint">
        {isRole(role) ? ROLE_ICONS[role] : <FileText size={15} />} {isRole(role) ? t.roles[role] : showControls(role)}
        {tool !== undefined && <code className="min-w-0 truncate font-mono">{showControls(tool)}</code>}
        {isCompletion && <Badge tone="accent">{t.response}</Badge>}
        <span className="flex-1" />
        {copyText !== undefined && <CopyButton isIcon look="quiet" text={copyText} label={t.copyResponse} />}
      </header>
      <div className="flex flex-col gap-2">{children}</div>
    </article>
  );
}

function Part({ part, isPlain }: { part: MessagePart; isPlain: boolean }) {
  switch (part.type) {
    case 'text':
      return isPlain ? <PlainText text={part.text} /> : <FormattedText text={part.text} />;
    case 'tool-call':
      return <ToolUse name={part.name} text={part.text} />;
    case 'media':
      return (
        <Badge title={part.origin}>
          {part.kind} · {part.bytes === null ? part.origin : formatBytes(part.bytes)}
        </Badge>
      );
  }
}

/** What is seen of the arguments while they are folded. */
const MAX_SUMMARY = 160;

function ToolUse({ name, text }: { name: string; text: string }) {
  return (
    <details className="rounded-md bg-raised px-3 py-2">
      <summary className="flex min-w-0 items-center gap-2 text-sm">
        <Wrench size={14} className="shrink-0" />{' '}
        <span className="shrink-0">{detailMessages().conversation.calls}</span>
        <code className="max-w-[60%] shrink-0 truncate font-mono text-xs">{showControls(name)}</code>
        <code className="min-w-0 truncate font-mono text-xs text-ink-faint">
          {showControls(text.slice(0, MAX_SUMMARY))}
        </code>
      </summary>
      <div className="mt-2">
        <JsonText text={text} />
      </div>
    </details>
  );
}

type PreviousError = NonNullable<GenerationContent['error']>['previous_errors'][number];

/** The error that a request ended with, as it was recorded. */
export function ErrorNote({ error }: { error: NonNullable<GenerationContent['error']> }) {
  const t = detailMessages().conversation;
  return (
    <section aria-label={t.error} className="rounded-lg border border-bad/50 bg-bad-soft/60 p-3 text-sm">
      <h2 className="flex items-center gap-2 font-medium">
        <CircleAlert size={16} className="text-bad" />
        {error.status !== null && `${error.status} · `}
        {error.provider_name ?? t.gateway}
      </h2>
      {error.message !== null && <PlainText text={error.message} />}
      {error.raw !== null && (
        <details className="mt-2">
          <summary>{t.providerMessage}</summary>
          <PlainText text={error.raw} />
        </details>
      )}
      {error.previous_errors.length > 0 && (
        <ol className="mt-2 list-decimal pl-5">
          {error.previous_errors.map((previous, at) => (
            <li key={at}>
              {previous.code} {showControls(toNamed(previous))}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The message with the provider before it, where it does not begin with the name itself. */
function toNamed({ provider_name: name, message }: PreviousError): string {
  return name === undefined || message.startsWith(name) ? message : `${name}: ${message}`;
}
