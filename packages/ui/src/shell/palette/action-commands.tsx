import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  BookMarked,
  CircleX,
  Copy,
  Download,
  Files,
  Keyboard,
  KeyRound,
  LogOut,
  Layers,
  MessagesSquare,
  Plug,
  Repeat2,
  Send,
  ShieldCheck,
  SunMoon,
  Video,
} from 'lucide-react';

import { modelsQuery } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { SNIPPETS } from '../../app/base-url.ts';
import { setPreferences } from '../../app/preferences.ts';
import { signOut } from '../../app/sign-in.ts';
import { requestTask, type Task } from '../../app/tasks.ts';
import { copyText } from '../../parts/controls/copy-button.tsx';
import { shellMessages } from '../messages.ts';
import { findSnippetModel } from '../snippet-model.ts';
import { Group, Item, type Run } from './item.tsx';
import { paletteMessages } from './messages.ts';

/** Forms of screens. */
const FORMS = [
  { name: 'createKey', task: 'create-key', to: '/keys', icon: KeyRound },
  { name: 'addProvider', task: 'add-provider', to: '/providers', icon: Plug },
  { name: 'newExperiment', task: 'new-experiment', to: '/playground', icon: MessagesSquare },
  { name: 'openPrompts', task: 'open-prompts', to: '/playground', icon: BookMarked },
  { name: 'newVideo', task: 'new-video', to: '/videos', icon: Video },
  { name: 'newBatch', task: 'new-batch', to: '/batches', icon: Layers },
  { name: 'uploadFiles', task: 'upload-files', to: '/files', icon: Files },
  { name: 'newRerun', task: 'new-rerun', to: '/reruns', icon: Repeat2 },
  { name: 'newGuardrail', task: 'new-guardrail', to: '/guardrails', icon: ShieldCheck },
  { name: 'newDestination', task: 'new-destination', to: '/destinations', icon: Send },
] as const satisfies readonly { readonly task: Task; readonly [field: string]: unknown }[];

/** What is done at once, or begun on its screen. */
export function ActionCommands({ run, onHelp }: { run: Run; onHelp: () => void }) {
  const navigate = useNavigate();
  const session = useSession();
  const t = paletteMessages();
  const { commands } = t;
  const begin = async (to: (typeof FORMS)[number]['to'] | '/generations', task: Task): Promise<void> => {
    await navigate({ to, search: {} });
    requestTask(task);
  };
  return (
    <>
      <Group heading={t.actions}>
        {FORMS.map(({ name, task, to, icon }) => (
          <Item
            key={name}
            id={`do ${name}`}
            names={[commands[name].label, commands[name].words]}
            icon={icon}
            onSelect={run(() => begin(to, task))}
          />
        ))}
        <Item
          id="do failedRequests"
          names={[commands.failedRequests.label, commands.failedRequests.words]}
          icon={CircleX}
          onSelect={run(() => navigate({ to: '/generations', search: { status: 'failed' } }))}
        />
        <Item
          id="do exportGenerations"
          names={[commands.exportGenerations.label, commands.exportGenerations.words]}
          icon={Download}
          onSelect={run(() => begin('/generations', 'export-generations'))}
        />
        <Item
          id="do shortcuts"
          names={[commands.shortcuts.label, commands.shortcuts.words]}
          icon={Keyboard}
          keys="?"
          onSelect={onHelp}
        />
        {session.type === 'cookie' && (
          <Item
            id="do signOut"
            names={[commands.signOut.label, commands.signOut.words]}
            icon={LogOut}
            onSelect={run(() => signOut())}
          />
        )}
      </Group>
      <ThemeCommands run={run} />
      <CopyCommands run={run} />
    </>
  );
}

function ThemeCommands({ run }: { run: Run }) {
  const t = paletteMessages();
  return (
    <Group heading={t.theme}>
      {(['dark', 'light', 'system'] as const).map((theme) => (
        <Item
          key={theme}
          id={`theme ${theme}`}
          names={[t.themes[theme], theme]}
          icon={SunMoon}
          onSelect={run(() => setPreferences({ theme }))}
        />
      ))}
    </Group>
  );
}

function CopyCommands({ run }: { run: Run }) {
  const t = paletteMessages();
  // A snippet names one of them.
  useQuery(modelsQuery);
  return (
    <Group heading={t.copy}>
      {SNIPPETS.map(({ label, toText }, at) => (
        <Item
          key={label}
          id={`copy ${at}`}
          names={[t.copyNamed(label)]}
          icon={Copy}
          onSelect={run(() => copyText(toText(findSnippetModel()), shellMessages().topBar.copied(label)))}
        />
      ))}
    </Group>
  );
}
