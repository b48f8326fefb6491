/** The baseline for the API: the least that a Fastify server can do to return the same row. Runs in its own process. */
import { fastify } from "fastify";
import pg from "pg";

// In the environment, because every user of the machine can read the arguments of a process.
const { BENCH_DATABASE_URL: connectionString, BENCH_POOL_SIZE: poolSize } = process.env;
const pool = new pg.Pool({ connectionString, max: Number(poolSize) });
const app = fastify();

// Prepared, and only the columns that the API returns: harder to beat than "select *".
const FIND = `select id, status, terminal_status, terminal_reason, prompt, start_url, output_schema, result, error_code,
  error_message, credits, charged, created_at, updated_at, completed_at from executions where id = $1`;

app.get<{ Params: { id: string } }>("/executions/:id", async ({ params }) => {
  const { rows } = await pool.query({ name: "find", text: FIND, values: [params.id] });
  return rows[0];
});

process.on("disconnect", () => process.exit());
process.send?.({ url: await app.listen({ host: "127.0.0.1", port: 0 }) });
