import { createLogger, type Logger } from "../lib/logger.ts";

/** Logs to standard error: JSON lines, or short lines on a terminal. Standard output is for results. */
export function createProcessLogger(level: string): Logger {
  const write = (line: string) => void process.stderr.write(process.stderr.isTTY ? toText(line) : line);
  return createLogger(level, { write });
}

interface LogLine {
  time: string;
  level: string;
  msg?: string;
  method?: string;
  route?: string;
  status?: number;
  ms?: number;
  err?: { message?: string; stack?: string };
}

function toText(line: string): string {
  const { time, level, msg = "", method, route, status, ms, err } = JSON.parse(line) as LogLine;
  const request = method === undefined ? "" : ` ${method} ${route ?? "?"} ${status} ${ms} ms`;
  const details = err === undefined ? "" : `\n  ${err.stack ?? err.message}`;
  return `${time.slice(11, 19)} ${level.padEnd(5)} ${request === "" ? msg : request.trim()}${details}\n`;
}
