import { Type } from "typebox";
import { ERROR_STATUS } from "../../contract/error.ts";

/** The error answers of a route, for OpenAPI: each status with the codes that go with it. */
export function errorAnswers(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, Type.Unsafe({ ...Type.Ref("Error"), description: describe(status) })]),
  );
}

function describe(status: number): string {
  const codes = Object.entries(ERROR_STATUS).filter(([, value]) => value === status);
  return codes.map(([code]) => `\`${code}\``).join(", ");
}
