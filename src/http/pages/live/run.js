// @ts-check
/** @import { RunServiceMessage } from "../../../contract/live-run.ts" */
import { describeUrl } from "./browser-bar.js";
import { Connection } from "./connection.js";
import { element } from "./dom.js";
import { createNotices } from "./page-state.js";
import { Picture } from "./picture.js";
import { createRunControl } from "./run-control.js";

const live = element("live", HTMLElement);
const state = element("state", HTMLElement);
const stateText = element("state-text", HTMLElement);
const address = element("address", HTMLElement);
const { socket: path = "" } = live.dataset;
live.hidden = false;

const notices = createNotices();

/** @param {"waiting" | "live" | "over"} name @param {string} text */
function showState(name, text) {
  state.dataset["state"] = name;
  if (stateText.textContent !== text) stateText.textContent = text;
}

/** @param {string} title @param {string} text */
function cover(title, text, isBusy = true) {
  notices.set("page", { title, text, isBusy, actions: [] });
}

const picture = new Picture(element("picture", HTMLCanvasElement), onDrawn, { isFitted: true });

/** @param {number} number */
function onDrawn(number) {
  connection.send({ type: "drawn", number });
  notices.set("page", null);
  showState("live", "Live");
}

const connection = new Connection({
  path,
  ticket: "",
  onOpen() {},
  onMessage: receive,
  onFrame: (frame) => picture.show(frame),
  onDropped() {
    showState("waiting", "Reconnecting");
  },
  onEnd(why) {
    const text =
      why === "unreachable" ? "The service cannot be reached. Reload this page to try again." : "Ask for a new link.";
    showState("over", "Ended");
    cover(why === "unreachable" ? "Connection lost" : "This live view is no longer available", text, false);
  },
});

/** Only on pages whose link allows it. */
const control = document.getElementById("control") && createRunControl(picture, (message) => connection.send(message));

/** @param {RunServiceMessage} message */
function receive(message) {
  switch (message.type) {
    case "welcome":
      control?.onConnected();
      return showState("waiting", "Waiting");
    case "page": {
      const { host, path: rest } = describeUrl(message.page.url);
      address.hidden = false;
      element("host", HTMLElement).textContent = host;
      element("path", HTMLElement).textContent = rest;
      return;
    }
    case "control":
      return control?.show(message.state);
    case "over":
      connection.end();
      control?.show("run");
      control?.end();
      showState("over", "Ended");
      return cover("The errand has ended", "There is nothing more to watch.", false);
  }
}

// Nothing is captured for a tab that nobody sees.
document.addEventListener("visibilitychange", () => {
  if (document.hidden && control?.isActive !== true) connection.pause();
  else connection.resume();
});
cover("Waiting for the browser", "The picture appears as soon as the errand’s browser shows a page.");
