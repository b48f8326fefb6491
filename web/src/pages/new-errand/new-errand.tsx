import { ActionIcon, Button, Modal } from "@mantine/core";
import { createContext, type ReactNode, Suspense, use, useState } from "react";
import { useMe } from "../../api/account.ts";
import { LoadingRows } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { lazyPage } from "../../shell/lazy-page.ts";
import type { ErrandDraft } from "./errand-draft.ts";

// Loaded when it is first opened.
const ErrandForm = lazyPage(async () => (await import("./errand-form.tsx")).ErrandForm);

type Open = (draft?: ErrandDraft) => void;

const NewErrandContext = createContext<Open>(() => {});

/** Opens the box for a new errand, empty or filled in. */
export function useNewErrand(): Open {
  return use(NewErrandContext);
}

/** Makes the box available on every page. */
export function NewErrandProvider({ children }: { children: ReactNode }) {
  const [opened, setOpened] = useState<{ draft: ErrandDraft | undefined } | null>(null);
  const close = () => setOpened(null);
  return (
    <NewErrandContext value={(draft) => setOpened({ draft })}>
      {children}
      <Modal
        opened={opened !== null}
        onClose={close}
        title="New errand"
        size="lg"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Suspense fallback={<LoadingRows />}>
          <ErrandForm {...(opened?.draft === undefined ? {} : { initial: opened.draft })} onCreated={close} />
        </Suspense>
      </Modal>
    </NewErrandContext>
  );
}

/** In the header of every page. Only owners can create errands: they pay for them. */
export function NewErrandButton() {
  const { owner } = useMe();
  const open = useNewErrand();
  if (owner === null) return null;
  return (
    <>
      <Button visibleFrom="xs" size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => open()}>
        New errand
      </Button>
      <ActionIcon hiddenFrom="xs" size="lg" aria-label="New errand" onClick={() => open()}>
        <Icon name="plus" />
      </ActionIcon>
    </>
  );
}
