import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Archive, BookMarked, Code, Maximize2, MessagesSquare, Pin, PinOff, Repeat2, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { ApiError } from '../../../api/api-error.ts';
import { callApi, openApi } from '../../../api/call-api.ts';
import { may } from '../../../api/session.ts';
import { usePreferences } from '../../../app/preferences.ts';
import { requestTask } from '../../../app/tasks.ts';
import { useSaveFixture } from '../../../features/fixtures/save-fixture.ts';
import { contentQuery, generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { requestQuery } from '../../../features/generations/content/request-query.ts';
import { toCurl } from '../../../features/generations/to-curl.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { copyText } from '../../../parts/controls/copy-button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { showFailure, showToast } from '../../../parts/messages/toast-store.ts';
import { togglePin } from '../list/pins.ts';
import { detailMessages } from './messages.ts';

interface GenerationActionsProps {
  readonly id: string;
  /** Opens the generation on a page of its own; absent where it has one. */
  readonly onMaximize?: () => void;
}

export function GenerationActions({ id, onMaximize }: GenerationActionsProps) {
  const t = detailMessages().actions;
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const saveFixture = useSaveFixture();
  const { data: generation } = useQuery(generationQuery(id));
  const { data: content } = useQuery(contentQuery(id));
  const remove = async (): Promise<void> => {
    await callApi(`/admin/v1/generations/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch((error: unknown) => {
      // It was gone already, which is what was wanted.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
    await client.resetQueries({ queryKey: contentQuery(id).queryKey });
    showToast({ tone: 'good', title: t.removed });
  };
  const resend = async (): Promise<void> => {
    showToast({ tone: 'neutral', title: t.resending });
    try {
      const response = await openApi(`/admin/v1/generations/${encodeURIComponent(id)}/resend`, {
        method: 'POST',
        body: {},
      });
      await response.text();
      const sent = response.headers.get('x-generation-id');
      const run = (): void => void navigate({ to: '/generations/$id', params: { id: sent ?? id } });
      showToast({ tone: 'good', title: t.resent, action: { label: t.showResent, run } });
    } catch (error) {
      showFailure(t.notResent, error);
    }
  };
  const isChat = generation === undefined || generation.api_type === 'completions';
  const all = [
    {
      label: t.copyCurl,
      icon: <Code size={14} />,
      isDisabled: generation === undefined || content === undefined || !isChat,
      onSelect: () => {
        if (generation === undefined || content === undefined) return;
        void client
          .fetchQuery(requestQuery(id))
          .then((request) => copyText(toCurl({ ...generation, content, request }), t.copiedCurl));
      },
    },
    {
      label: t.resend,
      needs: 'resendGeneration',
      icon: <Send size={14} />,
      isDisabled: content === undefined || !isChat,
      onSelect: () => void resend(),
    },
    {
      label: t.rerun,
      needs: 'createRerun',
      icon: <Repeat2 size={14} />,
      isDisabled: content === undefined || !isChat,
      onSelect: () => void navigate({ to: '/reruns', search: { new: '1', ids: id } }),
    },
    {
      label: t.savePrompt,
      needs: 'createPrompt',
      icon: <BookMarked size={14} />,
      isDisabled: content === undefined || !isChat,
      onSelect: () => {
        requestTask('save-prompt');
        void navigate({ to: '/playground', search: { from: id } });
      },
    },
    {
      label: t.saveFixture,
      needs: 'saveFixture',
      icon: <Archive size={14} />,
      isDisabled: content === undefined || saveFixture.isPending,
      onSelect: () => saveFixture.mutate(id),
    },
    {
      label: t.remove,
      needs: 'deleteGenerationContent',
      icon: <Trash2 size={14} />,
      isDangerous: true,
      isDisabled: content === undefined,
      onSelect: () => setIsDeleting(true),
    },
  ];
  const items = all.filter(({ needs }) => needs === undefined || may(needs));
  return (
    <>
      {may('createKey') && (
        <Button
          icon={<MessagesSquare size={15} />}
          disabled={content === undefined || !isChat}
          title={isChat ? undefined : t.notChat}
          onClick={() => void navigate({ to: '/playground', search: { from: id } })}
        >
          {t.playground}
        </Button>
      )}
      {onMaximize !== undefined && (
        <Button
          look="quiet"
          aria-label={t.fullPage}
          title={t.fullPageKey}
          icon={<Maximize2 size={15} />}
          onClick={onMaximize}
        />
      )}
      <Menu trigger={<Button look="quiet">{t.more}</Button>} items={items} />
      {isDeleting && (
        <ConfirmDialog
          title={t.removeTitle}
          action={t.removeAction}
          onConfirm={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>{t.removeNote}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

export function PinButton({ id }: { id: string }) {
  const isPinned = usePreferences().pins.includes(id);
  const { pin, unpin } = detailMessages().actions;
  const label = isPinned ? unpin : pin;
  return (
    <Button
      look="quiet"
      aria-label={label}
      aria-pressed={isPinned}
      title={`${label} (p)`}
      className={isPinned ? 'text-accent' : ''}
      icon={isPinned ? <PinOff size={15} /> : <Pin size={15} />}
      onClick={() => togglePin(id)}
    />
  );
}
