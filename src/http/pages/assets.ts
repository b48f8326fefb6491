import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Something that pages are made of. */
interface File {
  type: string;
  content: string;
  tag: string;
}

export function toFile(type: string, content: string): File {
  return { type, content, tag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}

/** Asked for again each time, so that a page never meets the stylesheet or the script of another version. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, { type, content, tag }: File): FastifyReply {
  reply.header("etag", tag).header("cache-control", "no-cache").header("x-content-type-options", "nosniff");
  if (request.headers["if-none-match"]?.includes(tag)) return reply.code(304).send();
  return reply.type(type).send(content);
}

const STYLESHEETS = ["base.css", "card.css", "home.css", "live.css", "live-run.css", "interaction.css"];

/** The stylesheet of all pages except the API reference. */
export function readStylesheet(): string {
  return STYLESHEETS.map(readStyles).join("\n");
}

/** The API reference has its own: Scalar brings styles for everything inside it. */
export function readReferenceStylesheet(): string {
  return readStyles("reference.css");
}

function readStyles(name: string): string {
  return readFileSync(new URL(`styles/${name}`, import.meta.url), "utf8");
}

const SCRIPTS_FOLDER = new URL("live/", import.meta.url);

/** The modules of the live page's script by name, as they stand in their folder. */
export function readScripts(): [name: string, content: string][] {
  return readdirSync(SCRIPTS_FOLDER)
    .filter((name) => name.endsWith(".js"))
    .map((name) => [name, readFileSync(new URL(name, SCRIPTS_FOLDER), "utf8")]);
}
