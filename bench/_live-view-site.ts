import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A sign-in page like many. Every key turns the patch in its corner over; "*" starts and stops something that moves. */
export interface LiveViewSite extends AsyncDisposable {
  url: string;
}

/** Where the patch is, in CSS pixels. */
export const PATCH = { x: 20, y: 20 };

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>
<style>
body { margin: 0; font: 16px/1.5 sans-serif; background: #f4f1ea; color: #222 }
#patch { width: 40px; height: 40px; background: #fff }
#patch.is-dark { background: #000 }
main { width: 420px; margin: 60px auto; padding: 32px; border-radius: 12px; background: #fff; box-shadow: 0 8px 24px #0002 }
input { display: block; box-sizing: border-box; width: 100%; margin: 8px 0 16px; padding: 12px; font: inherit }
#mover { position: absolute; top: 500px; left: 0; width: 240px; height: 160px; border-radius: 24px; background: linear-gradient(45deg, #c33, #36c) }
</style>
<div id="patch"></div><div id="mover"></div>
<main><h1>Welcome back</h1><p>Sign in with the address and the password that you have chosen.</p>
<label>E-mail address<input id="name" autofocus></label><label>Password<input type="password"></label><p>Forgotten? Write to us, and we will help you within a day.</p></main>
<script>
const patch = document.getElementById("patch"), mover = document.getElementById("mover");
let isMoving = false;
const move = (now) => { mover.style.translate = (now / 4) % 1000 + "px"; if (isMoving) requestAnimationFrame(move); };
addEventListener("keydown", ({ key }) => {
  if (key === "*") { isMoving = !isMoving; requestAnimationFrame(move); } else patch.classList.toggle("is-dark");
});
</script></html>`;

export async function startLiveViewSite(): Promise<LiveViewSite> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
