import type { LiveListener } from "./live-browser.ts";

/** The same listener, told nothing any more once it is over: pages go on telling while they are being closed. */
export function untilOver(listener: LiveListener, isOver: () => boolean): LiveListener {
  return {
    onFrame: (frame) => isOver() || listener.onFrame(frame),
    onPage: (page) => isOver() || listener.onPage(page),
    onField: (field) => isOver() || listener.onField(field),
    onDialog: (dialog) => isOver() || listener.onDialog(dialog),
    onChoices: (choices) => isOver() || listener.onChoices(choices),
    onRest: () => isOver() || listener.onRest(),
    onLost: (reason) => isOver() || listener.onLost(reason),
  };
}
