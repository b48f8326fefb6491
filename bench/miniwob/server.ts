import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

/** What the page of an episode reports. */
interface Episode {
  readonly utterance: Promise<string>;
  /** The first raw reward; null while the episode runs. */
  reward(): number | null;
}

export interface MiniwobServer extends AsyncDisposable {
  readonly host: string;
  /** Prepares an episode: opening the URL starts the task with this seed. */
  prepare(task: string, seed: number): { url: string; episode: Episode };
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".png": "image/png",
  ".gif": "image/gif",
  ".svg": "image/svg+xml",
};

/** Serves the folder. A script added to each task page starts the episode, hides the instruction and reports the reward. */
export async function serveMiniwob(folder: string): Promise<MiniwobServer> {
  const episodes = new Map<string, { start: (utterance: string) => void; end: (reward: number) => void }>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/_report") {
      const episode = episodes.get(url.searchParams.get("id") ?? "");
      const reward = url.searchParams.get("reward");
      if (reward === null) episode?.start(url.searchParams.get("utterance") ?? "");
      else episode?.end(Number(reward));
      response.writeHead(204).end();
      return;
    }
    try {
      const path = join(folder, normalize(decodeURIComponent(url.pathname)));
      const data = await readFile(path);
      const id = url.searchParams.get("episode");
      const body =
        id === null ? data : `${data.toString("utf8")}${episodeScript(id, Number(url.searchParams.get("seed")))}`;
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let count = 0;
  return {
    host,
    prepare(task, seed) {
      const id = String(++count);
      let first: number | null = null;
      const utterance = new Promise<string>((resolve) => {
        episodes.set(id, { start: resolve, end: (reward) => (first ??= reward) });
      });
      return {
        url: `http://${host}/miniwob/${task}.html?episode=${id}&seed=${seed}`,
        episode: { utterance, reward: () => first },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The instruction is the prompt. It and the score are hidden in the page, so that neither counts as content. */
function episodeScript(id: string, seed: number): string {
  return `<style>#query, #reward-display { visibility: hidden !important; }</style><script>
  addEventListener("load", () => setTimeout(() => {
    const report = (name, value) => fetch("/_report?id=${id}&" + name + "=" + encodeURIComponent(value));
    const end = core.endEpisode;
    let hasEnded = false;
    core.endEpisode = function (reward, ...rest) {
      if (!hasEnded && started) { hasEnded = true; report("reward", reward); }
      return end.call(this, reward, ...rest);
    };
    let started = false;
    core.EPISODE_MAX_TIME = 1e6;
    Math.seedrandom(${seed});
    core.startEpisodeReal();
    started = true;
    const wait = setInterval(() => {
      if (!WOB_TASK_READY) return;
      clearInterval(wait);
      const utterance = core.getUtterance();
      report("utterance", typeof utterance === "string" ? utterance : utterance.utterance);
    }, 10);
  }, 0));
  </script>`;
}
