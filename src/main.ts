import { runProgram } from "./cli/program.ts";

// `errand … | head` has read enough: end without a stack.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

await runProgram(process.argv.slice(2));
